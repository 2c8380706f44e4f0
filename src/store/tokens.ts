import type { Usage } from "./usage.ts";
import { findRow, listRows, runStatement, type Work } from "./work.ts";

/** A token without its secret, which is not stored. */
export interface StoredToken {
  readonly id: number;
  readonly user: string;
  readonly prefix: string;
  readonly label: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
  /** The counters after the last call; null before the first one. */
  readonly usage: Usage | null;
}

/** The fields of a token that authenticate a call. */
export interface TokenCandidate {
  readonly id: number;
  readonly hash: Uint8Array;
  readonly user: string;
  readonly plan: string;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

/** A new token. */
export interface NewToken {
  readonly userId: number;
  readonly prefix: string;
  readonly hash: Uint8Array;
  readonly label: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
}

type TokenRow = Omit<StoredToken, "usage"> & { [K in keyof Usage]: Usage[K] | null };

const SELECT_TOKENS = `SELECT tokens.id, users.name AS "user", prefix, label,
    tokens.created_at AS "createdAt", expires_at AS "expiresAt", revoked_at AS "revokedAt",
    last_used_at AS "lastUsedAt", day, day_used AS "dayUsed", hour, hour_used AS "hourUsed"
  FROM tokens JOIN users ON users.id = user_id LEFT JOIN usage ON token_id = tokens.id`;
/** True for the tokens that are live at `$now`. */
const LIVE = "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $now)";

/** SQL: the columns of `TokenCandidate` in `tokens` and `users`. */
export const CANDIDATE_COLUMNS = `tokens.id, hash, users.name AS "user", plan,
  expires_at AS "expiresAt", revoked_at AS "revokedAt"`;

/** The tokens with that prefix: at most one, except with a probability of 10^-14. */
export function listCandidates(prefix: string): Work<TokenCandidate[]> {
  return listRows(
    `SELECT ${CANDIDATE_COLUMNS} FROM tokens JOIN users ON users.id = user_id WHERE prefix = $prefix`,
    { prefix },
  );
}

/** True while the token exists and is neither revoked nor expired. */
export function* isTokenLive(id: number, now: number): Work<boolean> {
  const row = yield* findRow(`SELECT id FROM tokens WHERE id = $id AND ${LIVE}`, { id, now });
  return row !== null;
}

/** Every token, of one user or of all (null), oldest first. */
export function* listTokens(user: string | null): Work<StoredToken[]> {
  const rows = yield* user === null
    ? listRows<TokenRow>(`${SELECT_TOKENS} ORDER BY tokens.id`)
    : listRows<TokenRow>(`${SELECT_TOKENS} WHERE users.name = $user ORDER BY tokens.id`, { user });
  return rows.map(toToken);
}

/** The token with that id, or null. */
export function* findToken(id: number): Work<StoredToken | null> {
  const row = yield* findRow<TokenRow>(`${SELECT_TOKENS} WHERE tokens.id = $id`, { id });
  return row && toToken(row);
}

function toToken({ day, dayUsed, hour, hourUsed, ...token }: TokenRow): StoredToken {
  const usage =
    day === null || dayUsed === null || hour === null || hourUsed === null
      ? null
      : { day, dayUsed, hour, hourUsed };
  return { ...token, usage };
}

/**
 * Adds a token and returns its id; null if the user already has `ceiling` live tokens. Run it in a transaction,
 * so that two processes cannot both add the last one.
 */
export function* addToken(
  { userId, prefix, hash, label, createdAt, expiresAt }: NewToken,
  ceiling: number,
): Work<number | null> {
  if ((yield* countLiveTokens(userId, createdAt)) >= ceiling) return null;
  const row = yield* findRow<{ id: number }>(
    `INSERT INTO tokens (user_id, prefix, hash, label, created_at, expires_at)
     VALUES ($userId, $prefix, $hash, $label, $createdAt, $expiresAt) RETURNING id`,
    { userId, prefix, hash, label, createdAt, expiresAt },
  );
  return row?.id ?? null;
}

/** The number of a user's tokens that are live at `now`. */
export function* countLiveTokens(userId: number, now: number): Work<number> {
  const row = yield* findRow<{ count: number }>(
    `SELECT CAST(count(*) AS INTEGER) AS count FROM tokens WHERE user_id = $userId AND ${LIVE}`,
    { userId, now },
  );
  return row?.count ?? 0;
}

/** The number of tokens that are live at `now`, expire within that time, and were made for a longer one. */
export function* countExpiringTokens(now: number, withinMs: number): Work<number> {
  const row = yield* findRow<{ count: number }>(
    `SELECT CAST(count(*) AS INTEGER) AS count FROM tokens
     WHERE ${LIVE} AND expires_at <= $until AND expires_at - created_at > $withinMs`,
    { now, until: now + withinMs, withinMs },
  );
  return row?.count ?? 0;
}

/** How many tokens of a user were created after that time, live or not. */
export function* countCreatedTokens(userId: number, since: number): Work<number> {
  const row = yield* findRow<{ count: number }>(
    `SELECT CAST(count(*) AS INTEGER) AS count FROM tokens
     WHERE user_id = $userId AND created_at > $since`,
    { userId, since },
  );
  return row?.count ?? 0;
}

/** Revokes a token; false if it does not exist. A second call keeps the first time. */
export function* revokeToken(id: number, now: number): Work<boolean> {
  const changed = yield* runStatement(
    "UPDATE tokens SET revoked_at = coalesce(revoked_at, $now) WHERE id = $id",
    { id, now },
  );
  return changed > 0;
}
