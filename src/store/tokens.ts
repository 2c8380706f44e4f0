import { DAY_MS } from "#lib/date.ts";
import { KEPT_DAYS, USAGE_COLUMNS, type Usage, usageAt } from "./usage.ts";
import { findRow, listRows, runStatement, type Work } from "./work.ts";

/** Where a token is accepted: by the API and MCP, or below `/feed/`, where it may be in the URL. */
export type TokenKind = "api" | "feed";

/** The beginning of the secrets of each kind, and so of their stored prefixes. */
export const TOKEN_SCHEMES: Readonly<Record<TokenKind, string>> = {
  api: "bourse_",
  feed: "bourse_feed_",
};

/** The kind of a token by its beginning. */
export function tokenKindOf(prefix: string): TokenKind {
  return prefix.startsWith(TOKEN_SCHEMES.feed) ? "feed" : "api";
}

/** A token without its secret, which is not stored. */
export interface StoredToken {
  readonly id: number;
  readonly user: string;
  readonly prefix: string;
  readonly label: string;
  /** Names separated by spaces; empty for a token that only reads. */
  readonly rights: string;
  /** The names of the lists that it reads, separated by spaces; null for every list of its user. */
  readonly lists: string | null;
  /** The day that it is in, YYYY-MM-DD; null for the present. */
  readonly asOf: string | null;
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
  /** As in `StoredToken`. */
  readonly rights: string;
  /** As in `StoredToken`. */
  readonly lists: string | null;
  /** As in `StoredToken`. */
  readonly asOf: string | null;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

/** A new token. */
export interface NewToken {
  readonly userId: number;
  readonly prefix: string;
  readonly hash: Uint8Array;
  readonly label: string;
  /** As in `StoredToken`. */
  readonly rights: string;
  /** As in `StoredToken`. */
  readonly lists: string | null;
  /** As in `StoredToken`. */
  readonly asOf: string | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
}

type TokenRow = Omit<StoredToken, "usage"> & { [K in keyof Usage]: Usage[K] | null };

const SELECT_TOKENS = `SELECT tokens.id, users.name AS "user", prefix, label, rights, lists, as_of AS "asOf",
    tokens.created_at AS "createdAt", expires_at AS "expiresAt", revoked_at AS "revokedAt",
    CASE WHEN last_used_at >= tokens.created_at THEN last_used_at END AS "lastUsedAt", day, day_used AS "dayUsed", hour, hour_used AS "hourUsed"
  FROM tokens JOIN users ON users.id = user_id LEFT JOIN usage ON token_id = tokens.id`;
/** More than the day of a count, which may be a day ahead of the clock. */
const COUNTS_MS = 3 * DAY_MS;
/** True for the tokens that are live at `$now`. */
const LIVE = "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $now)";
/** `feed` or `api`: SQL of `tokenKindOf`. */
const KIND = `CASE WHEN prefix LIKE '${TOKEN_SCHEMES.feed.replaceAll("_", "!_")}%' ESCAPE '!' THEN 'feed' ELSE 'api' END`;

/** SQL: the columns of `TokenCandidate` in `tokens` and `users`. */
export const CANDIDATE_COLUMNS = `tokens.id, hash, users.name AS "user", plan, rights, lists, as_of AS "asOf",
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
 * Adds a token, which takes over the counts of an ended one, removes ended ones that nothing needs, and returns its id; null if the user already has
 * `ceiling` live tokens of its kind. Run it in a transaction, so that two processes cannot both add the last one.
 */
export function* addToken(
  { userId, prefix, hash, label, rights, lists, asOf, createdAt, expiresAt }: NewToken,
  ceiling: number,
): Work<number | null> {
  const kind = tokenKindOf(prefix);
  if ((yield* countLiveTokens(userId, kind, createdAt)) >= ceiling) return null;
  yield* removeEndedTokens(userId, createdAt);
  const row = yield* findRow<{ id: number }>(
    `INSERT INTO tokens (user_id, prefix, hash, label, rights, lists, as_of, created_at, expires_at)
     VALUES ($userId, $prefix, $hash, $label, $rights, $lists, $asOf, $createdAt, $expiresAt) RETURNING id`,
    { userId, prefix, hash, label, rights, lists, asOf, createdAt, expiresAt },
  );
  if (row) yield* takeOverUsage(userId, kind, row.id, createdAt);
  return row?.id ?? null;
}

/**
 * Removes the user's tokens that ended before the history of calls begins. One that was never called has no history, so
 * it is removed once its counts, which it may have taken over, are over on every clock.
 */
function* removeEndedTokens(userId: number, now: number): Work<void> {
  const ended = (before: string) => `(revoked_at < ${before} OR expires_at < ${before})`;
  yield* runStatement(
    `DELETE FROM tokens WHERE user_id = $userId AND (${ended("$beforeHistory")} OR ${ended("$beforeCounts")}
       AND NOT EXISTS (SELECT 1 FROM usage WHERE token_id = tokens.id AND last_used_at >= created_at)
       AND NOT EXISTS (SELECT 1 FROM usage_hours WHERE token_id = tokens.id))`,
    { userId, beforeHistory: now - KEPT_DAYS * DAY_MS, beforeCounts: now - COUNTS_MS },
  );
}

/**
 * Moves the counts of the user's revoked or expired token with the most calls today to a new token of its kind, so
 * that a new token is no fresh quota. Each ended token is taken over once. So all tokens of a user together never
 * make more calls than the live tokens that the plan allows.
 */
function* takeOverUsage(userId: number, kind: TokenKind, tokenId: number, now: number): Work<void> {
  const rows = yield* listRows<Usage & { ended: number }>(
    `SELECT token_id AS ended, ${USAGE_COLUMNS} FROM usage JOIN tokens ON tokens.id = token_id
     WHERE user_id = $userId AND ${KIND} = $kind AND NOT (${LIVE})`,
    { userId, kind, now },
  );
  const [most] = rows
    .map((row) => ({ ended: row.ended, ...usageAt(row, now) }))
    .filter(({ dayUsed, hourUsed }) => dayUsed > 0 || hourUsed > 0)
    .sort((a, b) => b.dayUsed - a.dayUsed || b.hourUsed - a.hourUsed);
  if (!most) return;
  const { ended, ...usage } = most;
  yield* runStatement(
    `INSERT INTO usage (token_id, day, day_used, hour, hour_used, last_used_at)
     VALUES ($tokenId, $day, $dayUsed, $hour, $hourUsed, $before)`,
    // The new token itself was not used yet.
    { tokenId, ...usage, before: now - 1 },
  );
  // A trigger keeps the calls of an earlier hour for the history of the ended token.
  yield* runStatement(
    "UPDATE usage SET day = $day, day_used = 0, hour = $hour, hour_used = 0 WHERE token_id = $ended",
    { ended, day: usage.day, hour: usage.hour },
  );
}

/** The number of a user's tokens of that kind that are live at `now`. */
export function* countLiveTokens(userId: number, kind: TokenKind, now: number): Work<number> {
  const row = yield* findRow<{ count: number }>(
    `SELECT CAST(count(*) AS INTEGER) AS count FROM tokens
     WHERE user_id = $userId AND ${KIND} = $kind AND ${LIVE}`,
    { userId, kind, now },
  );
  return row?.count ?? 0;
}

/** The labels of a user's tokens and feed links that are live at `now`, without the label of `except`. */
export function* listLiveLabels(userId: number, now: number, except: number): Work<string[]> {
  const rows = yield* listRows<{ label: string }>(
    `SELECT label FROM tokens WHERE user_id = $userId AND id <> $except AND ${LIVE}`,
    { userId, now, except },
  );
  return rows.map(({ label }) => label);
}

/**
 * The number of tokens that are live at `now`, expire within that time, were made for a longer one, and were used
 * after `usedSince`.
 */
export function* countExpiringTokens(
  now: number,
  withinMs: number,
  usedSince: number,
): Work<number> {
  const row = yield* findRow<{ count: number }>(
    `SELECT CAST(count(*) AS INTEGER) AS count FROM tokens JOIN usage ON token_id = tokens.id
     WHERE ${LIVE} AND expires_at <= $until AND expires_at - created_at > $withinMs
       AND last_used_at >= created_at AND last_used_at > $usedSince`,
    { now, until: now + withinMs, withinMs, usedSince },
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

/** Ends a token at `at`, in UTC milliseconds, unless it ends before. */
export function* endToken(id: number, at: number): Work<void> {
  yield* runStatement(
    "UPDATE tokens SET expires_at = $at WHERE id = $id AND (expires_at IS NULL OR expires_at > $at)",
    { id, at },
  );
}

/** Takes a list from the feed links of a user, so that they do not read a later list of that name. */
export function* unlinkList(userId: number, name: string): Work<void> {
  yield* runStatement(
    `UPDATE tokens SET lists = trim(replace(' ' || lists || ' ', ' ' || $name || ' ', ' '))
     WHERE user_id = $userId AND ' ' || lists || ' ' LIKE '% ' || $name || ' %'`,
    { userId, name },
  );
}

/** Changes the label of a token. */
export function* renameToken(id: number, label: string): Work<void> {
  yield* runStatement("UPDATE tokens SET label = $label WHERE id = $id", { id, label });
}

/** The highest id of a token; 0 without tokens. */
export function* findLastTokenId(): Work<number> {
  const row = yield* findRow<{ id: number | null }>("SELECT max(id) AS id FROM tokens");
  return row?.id ?? 0;
}
