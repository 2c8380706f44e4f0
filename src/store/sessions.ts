import type { Database } from "bun:sqlite";
import type { Role } from "#domain/console.ts";

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

const SESSION_USER = `users.id AS userId, users.name AS user, role, plan,
  password IS NOT NULL AS hasPassword`;
const IS_LIVE = "sessions.created_at > $createdBefore AND last_used_at > $usedBefore";

type Row<T> = Omit<T, "hasPassword"> & { readonly hasPassword: number };

/** The user with a boolean, which SQLite stores as 0 or 1. */
const withBoolean = <T extends { hasPassword: number }>(row: T | null) =>
  row && { ...row, hasPassword: row.hasPassword === 1 };

function prepare(database: Database) {
  return {
    addKey: database.query<unknown, { hash: Uint8Array; userId: number; expiresAt: number }>(
      "INSERT INTO sign_in_keys (hash, user_id, expires_at) VALUES ($hash, $userId, $expiresAt)",
    ),
    // One statement, so that of two processes only one gets the row.
    takeKey: database.query<{ userId: number }, { hash: Uint8Array; now: number }>(
      `DELETE FROM sign_in_keys WHERE hash = $hash AND expires_at > $now
       RETURNING user_id AS userId`,
    ),
    removeKeys: database.query<unknown, { userId: number }>(
      "DELETE FROM sign_in_keys WHERE user_id = $userId",
    ),
    pruneKeys: database.query<unknown, { now: number }>(
      "DELETE FROM sign_in_keys WHERE expires_at <= $now",
    ),
    add: database.query<{ id: number }, { [K in keyof NewSession]: NewSession[K] }>(
      `INSERT INTO sessions (hash, user_id, address, browser, created_at, last_used_at)
       VALUES ($hash, $userId, $address, $browser, $now, $now) RETURNING id`,
    ),
    find: database.query<Row<StoredSession>, { hash: Uint8Array } & SessionEnds>(
      `SELECT sessions.id, ${SESSION_USER}, sessions.created_at AS createdAt,
         last_used_at AS lastUsedAt
       FROM sessions JOIN users ON users.id = user_id WHERE hash = $hash AND ${IS_LIVE}`,
    ),
    findUser: database.query<Row<SessionUser>, { userId: number }>(
      `SELECT ${SESSION_USER} FROM users WHERE id = $userId`,
    ),
    list: database.query<ListedSession, { userId: number } & SessionEnds>(
      `SELECT id, created_at AS createdAt, last_used_at AS lastUsedAt, address, browser
       FROM sessions WHERE user_id = $userId AND ${IS_LIVE} ORDER BY id DESC`,
    ),
    touch: database.query<unknown, { id: number; now: number }>(
      "UPDATE sessions SET last_used_at = $now WHERE id = $id",
    ),
    end: database.query<unknown, { id: number; userId: number }>(
      "DELETE FROM sessions WHERE id = $id AND user_id = $userId",
    ),
    endOthers: database.query<unknown, { userId: number; keptId: number }>(
      "DELETE FROM sessions WHERE user_id = $userId AND id <> $keptId",
    ),
    prune: database.query<unknown, SessionEnds>(`DELETE FROM sessions WHERE NOT (${IS_LIVE})`),
  };
}

/** The sessions and sign-in keys of the access file. Only the SHA-256 of a secret is stored. */
export function createSessionStore(database: Database) {
  const queries = prepare(database);
  return {
    /** Stores a sign-in key that is valid until `expiresAt`. */
    addKey: (key: { hash: Uint8Array; userId: number; expiresAt: number }): void =>
      void queries.addKey.run(key),
    /** Removes a key that is valid at `now` and returns its user; null if there is no such key. */
    takeKey(hash: Uint8Array, now: number): SessionUser | null {
      const taken = queries.takeKey.get({ hash, now });
      return taken && this.findUser(taken.userId);
    },
    /** The user with that id, or null. */
    findUser: (userId: number): SessionUser | null => withBoolean(queries.findUser.get({ userId })),
    /** Adds a session and returns its id. */
    add: (session: NewSession): number => queries.add.get({ ...session })?.id ?? 0,
    /** The live session with that hash, or null. */
    find: (hash: Uint8Array, ends: SessionEnds): StoredSession | null =>
      withBoolean(queries.find.get({ hash, ...ends })),
    /** The live sessions of a user, newest first. */
    list: (userId: number, ends: SessionEnds): ListedSession[] =>
      queries.list.all({ userId, ...ends }),
    /** Notes that a session was used. */
    touch: (id: number, now: number): void => void queries.touch.run({ id, now }),
    /** Ends a session of that user; false if the user has no such session. */
    end: (id: number, userId: number): boolean => queries.end.run({ id, userId }).changes > 0,
    /** Ends all sessions of a user but one, and removes the user's sign-in keys. */
    endOthers(userId: number, keptId: number): void {
      queries.endOthers.run({ userId, keptId });
      queries.removeKeys.run({ userId });
    },
    /** Removes sessions and keys that have ended. */
    prune(now: number, ends: SessionEnds): void {
      queries.pruneKeys.run({ now });
      queries.prune.run(ends);
    },
  };
}
