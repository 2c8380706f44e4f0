import type { Role } from "./users.ts";
import { findRow, listRows, runStatement, type Work } from "./work.ts";

/** The owner of a session or of a sign-in key. */
export interface SessionUser {
  readonly userId: number;
  readonly user: string;
  readonly role: Role;
  readonly plan: string;
  readonly hasPassword: boolean;
}

/** A session with its user. Times are UTC milliseconds. */
export interface StoredSession extends SessionUser {
  readonly id: number;
  readonly createdAt: number;
  readonly lastUsedAt: number;
}

/** A session as its user sees it in a list. */
export interface ListedSession {
  readonly id: number;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  readonly address: string;
  /** The User-Agent header of the sign-in. */
  readonly browser: string;
}

/** A new session; `hash` is the SHA-256 of its secret. */
export interface NewSession {
  readonly hash: Uint8Array;
  readonly userId: number;
  readonly address: string;
  readonly browser: string;
  readonly now: number;
}

/** Sessions that were created or used at these times or before have ended, UTC milliseconds. */
export type SessionEnds = {
  readonly createdBefore: number;
  readonly usedBefore: number;
};

/** A look-up of sessions at `now`, which notes their use. Times are UTC milliseconds. */
export interface SessionUse extends SessionEnds {
  readonly now: number;
  /** The use is noted if the last noted one was then or before. */
  readonly notedBefore: number;
}

/** A sign-in key that is valid until `expiresAt`; `hash` is the SHA-256 of its secret. */
export interface NewSignInKey {
  readonly hash: Uint8Array;
  readonly userId: number;
  readonly expiresAt: number;
}

const SESSION_USER = `users.id AS "userId", users.name AS "user", role, plan,
  CASE WHEN password IS NULL THEN 0 ELSE 1 END AS "hasPassword"`;
/** SQL: the columns of `SessionRow` in `sessions` and `users`. */
export const SESSION_COLUMNS = `sessions.id, ${SESSION_USER}, sessions.created_at AS "createdAt",
  last_used_at AS "lastUsedAt"`;
/** SQL: true for the sessions that have not ended. The arguments name the parameters of `SessionEnds`. */
export const isLiveSession = (createdBefore: string, usedBefore: string) =>
  `sessions.created_at > ${createdBefore} AND last_used_at > ${usedBefore}`;
const IS_LIVE = isLiveSession("$createdBefore", "$usedBefore");

type Row<T> = Omit<T, "hasPassword"> & { readonly hasPassword: number };
/** A session as the database returns it. */
export type SessionRow = Row<StoredSession>;

/** The session of a row. */
export const toSession = ({ hasPassword, ...row }: SessionRow): StoredSession => ({
  ...row,
  hasPassword: hasPassword === 1,
});

const withBoolean = <T extends { hasPassword: number }>(row: T | null) =>
  row && { ...row, hasPassword: row.hasPassword === 1 };

/** Stores a sign-in key. */
export function* addSignInKey({ hash, userId, expiresAt }: NewSignInKey): Work<void> {
  yield* runStatement(
    "INSERT INTO sign_in_keys (hash, user_id, expires_at) VALUES ($hash, $userId, $expiresAt)",
    { hash, userId, expiresAt },
  );
}

/** Removes a key that is valid at `now` and returns its user; null if there is no such key. */
export function* takeSignInKey(hash: Uint8Array, now: number): Work<SessionUser | null> {
  // One statement, so only one of two processes gets the row.
  const taken = yield* findRow<{ userId: number }>(
    `DELETE FROM sign_in_keys WHERE hash = $hash AND expires_at > $now
     RETURNING user_id AS "userId"`,
    { hash, now },
  );
  return taken && (yield* findSessionUser(taken.userId));
}

/** The user with that id, or null. */
export function* findSessionUser(userId: number): Work<SessionUser | null> {
  return withBoolean(
    yield* findRow<Row<SessionUser>>(`SELECT ${SESSION_USER} FROM users WHERE id = $userId`, {
      userId,
    }),
  );
}

/** Adds a session and returns its id. */
export function* addSession({ hash, userId, address, browser, now }: NewSession): Work<number> {
  const row = yield* findRow<{ id: number }>(
    `INSERT INTO sessions (hash, user_id, address, browser, created_at, last_used_at)
     VALUES ($hash, $userId, $address, $browser, $now, $now) RETURNING id`,
    { hash, userId, address, browser, now },
  );
  return row?.id ?? 0;
}

/** The live session with that hash, or null. */
export function* findSession(
  hash: Uint8Array,
  { createdBefore, usedBefore }: SessionEnds,
): Work<StoredSession | null> {
  return withBoolean(
    yield* findRow<SessionRow>(
      `SELECT ${SESSION_COLUMNS}
       FROM sessions JOIN users ON users.id = user_id WHERE hash = $hash AND ${IS_LIVE}`,
      { hash, createdBefore, usedBefore },
    ),
  );
}

/** The live sessions of a user, newest first. */
export function listSessions(
  userId: number,
  { createdBefore, usedBefore }: SessionEnds,
): Work<ListedSession[]> {
  return listRows(
    `SELECT id, created_at AS "createdAt", last_used_at AS "lastUsedAt", address, browser
     FROM sessions WHERE user_id = $userId AND ${IS_LIVE} ORDER BY id DESC`,
    { userId, createdBefore, usedBefore },
  );
}

/** Notes that a session was used. */
export function* touchSession(id: number, now: number): Work<void> {
  yield* runStatement("UPDATE sessions SET last_used_at = $now WHERE id = $id", { id, now });
}

/** Ends a session of that user; false if the user has no such session. */
export function* endSession(id: number, userId: number): Work<boolean> {
  const ended = yield* runStatement("DELETE FROM sessions WHERE id = $id AND user_id = $userId", {
    id,
    userId,
  });
  return ended > 0;
}

/** Ends all sessions of a user but one, and removes the user's sign-in keys. */
export function* endOtherSessions(userId: number, keptId: number): Work<void> {
  yield* runStatement("DELETE FROM sessions WHERE user_id = $userId AND id <> $keptId", {
    userId,
    keptId,
  });
  yield* runStatement("DELETE FROM sign_in_keys WHERE user_id = $userId", { userId });
}

/** Removes sessions and keys that have ended. */
export function* pruneSessions(
  now: number,
  { createdBefore, usedBefore }: SessionEnds,
): Work<void> {
  yield* runStatement("DELETE FROM sign_in_keys WHERE expires_at <= $now", { now });
  yield* runStatement(`DELETE FROM sessions WHERE NOT (${IS_LIVE})`, { createdBefore, usedBefore });
}
