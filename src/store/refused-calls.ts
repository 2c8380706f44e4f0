import type { ErrorCode } from "#domain/errors.ts";
import { DAY_MS } from "#lib/date.ts";
import { findRow, listRows, runStatement, type Work } from "./work.ts";

/** Calls of a token that were refused in one minute for one reason. */
export interface RefusedCalls {
  readonly tokenId: number;
  /** The last of them, UTC milliseconds. */
  readonly at: number;
  readonly calls: number;
  /** The interface: `rest`, `mcp` or `feed`. */
  readonly via: string;
  /** The operation, the method of MCP or the layer of feeds; empty if unknown. */
  readonly operation: string;
  readonly code: ErrorCode;
  /** The name of the parameter at fault; empty for none. */
  readonly param: string;
  readonly message: string;
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = DAY_MS / MINUTE_MS;
/** The UTC days with rows, today included. */
export const REFUSAL_DAYS = 30;
/** The newest rows of a token that are kept of a UTC day. */
export const REFUSALS_A_DAY = 200;
/** The most rows of one answer. */
const MOST_LISTED = 1_000;

const minuteOf = (at: number) => Math.floor(at / MINUTE_MS);
const dayOf = (at: number) => Math.floor(at / DAY_MS);

/**
 * Adds refused calls. Calls of one minute with the same reason become one row. Of each token and UTC day the newest
 * {@link REFUSALS_A_DAY} rows stay. A token that was removed gets none.
 */
export function* addRefusedCalls(rows: readonly RefusedCalls[]): Work<void> {
  for (const { tokenId, at, calls, via, operation, code, param, message } of rows) {
    const hash = Bun.hash([via, operation, code, param, message].join("\n")).toString(36);
    yield* runStatement(
      `INSERT INTO refused_calls (token_id, minute, hash, at, calls, via, operation, code, param, message)
       SELECT id, $minute, $hash, $at, $calls, $via, $operation, $code, $param, $message
       FROM tokens WHERE id = $tokenId
       ON CONFLICT (token_id, minute, hash) DO UPDATE SET
         calls = refused_calls.calls + excluded.calls, at = excluded.at`,
      { tokenId, minute: minuteOf(at), hash, at, calls, via, operation, code, param, message },
    );
  }
  const days = new Map(rows.map(({ tokenId, at }) => [`${tokenId} ${dayOf(at)}`, { tokenId, at }]));
  for (const { tokenId, at } of days.values()) yield* removeExcess(tokenId, dayOf(at));
}

function* removeExcess(tokenId: number, day: number): Work<void> {
  const place = { tokenId, from: day * DAY_MINUTES, to: (day + 1) * DAY_MINUTES - 1 };
  const OF_DAY = "token_id = $tokenId AND minute BETWEEN $from AND $to";
  const found = yield* findRow<{ count: number }>(
    `SELECT CAST(count(*) AS INTEGER) AS count FROM refused_calls WHERE ${OF_DAY}`,
    place,
  );
  const excess = (found?.count ?? 0) - REFUSALS_A_DAY;
  if (excess <= 0) return;
  yield* runStatement(
    `DELETE FROM refused_calls WHERE token_id = $tokenId AND (minute, hash) IN (
       SELECT minute, hash FROM refused_calls WHERE ${OF_DAY} ORDER BY at, hash LIMIT $excess)`,
    { ...place, excess },
  );
}

const OF_USER =
  "token_id IN (SELECT tokens.id FROM tokens JOIN users ON users.id = user_id WHERE name = $user)";

/** The refused calls of a user's tokens by UTC day since 1970: the days up to `today` that have some, newest first. */
export function listRefusalDays(
  user: string,
  today: number,
): Work<{ readonly day: number; readonly calls: number }[]> {
  return listRows(
    `SELECT minute / ${DAY_MINUTES} AS day, CAST(sum(calls) AS INTEGER) AS calls FROM refused_calls
     WHERE ${OF_USER} AND minute >= $from GROUP BY minute / ${DAY_MINUTES} ORDER BY day DESC`,
    { user, from: (today - REFUSAL_DAYS + 1) * DAY_MINUTES },
  );
}

/** The refused calls of a token on a UTC day, numbered since 1970, with one code. */
export interface RefusalSum extends Pick<RefusedCalls, "tokenId" | "code" | "calls"> {
  readonly user: string;
  readonly day: number;
  /** The stored rows. A token with {@link REFUSALS_A_DAY} rows on a day may have had more. */
  readonly rows: number;
}

/** The refused calls of the tokens whose ids are from `first` to `last`, on UTC days from one to another, all included. */
export function listRefusalSums(
  first: number,
  last: number,
  from: number,
  to: number,
): Work<RefusalSum[]> {
  // With +, SQLite takes the index of tokens. By the index of minutes it would read all tokens.
  return listRows(
    `SELECT name AS "user", token_id AS "tokenId", minute / ${DAY_MINUTES} AS day, code,
       CAST(sum(calls) AS INTEGER) AS calls, CAST(count(*) AS INTEGER) AS rows
     FROM refused_calls JOIN tokens ON tokens.id = token_id JOIN users ON users.id = user_id
     WHERE token_id BETWEEN $first AND $last AND +minute BETWEEN $from AND $to
     GROUP BY name, token_id, minute / ${DAY_MINUTES}, code
     ORDER BY token_id, minute / ${DAY_MINUTES}, code`,
    { first, last, from: from * DAY_MINUTES, to: (to + 1) * DAY_MINUTES - 1 },
  );
}

/** The newest refused calls of a user's tokens on a UTC day since 1970, newest first, at most 1,000 rows. */
export function listRefusedCalls(user: string, day: number): Work<RefusedCalls[]> {
  return listRows(
    `SELECT token_id AS "tokenId", at, calls, via, operation, code, param, message FROM refused_calls
     WHERE ${OF_USER} AND minute BETWEEN $from AND $to ORDER BY at DESC, token_id, hash LIMIT $most`,
    { user, from: day * DAY_MINUTES, to: (day + 1) * DAY_MINUTES - 1, most: MOST_LISTED },
  );
}

/** Removes at most `limit` rows of days that ended {@link REFUSAL_DAYS} days before `now`; returns how many it removed. */
export function removeOldRefusals(now: number, limit: number): Work<number> {
  return runStatement(
    `DELETE FROM refused_calls WHERE (token_id, minute, hash) IN (
       SELECT token_id, minute, hash FROM refused_calls WHERE minute < $before LIMIT $limit)`,
    { before: (dayOf(now) - REFUSAL_DAYS + 1) * DAY_MINUTES, limit },
  );
}

/** Removes at most `limit` rows of a user's tokens; returns how many it removed. */
export function removeRefusalsOfUser(user: string, limit: number): Work<number> {
  return runStatement(
    `DELETE FROM refused_calls WHERE (token_id, minute, hash) IN (
       SELECT token_id, minute, hash FROM refused_calls WHERE ${OF_USER} LIMIT $limit)`,
    { user, limit },
  );
}
