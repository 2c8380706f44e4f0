import { DAY_MS } from "#lib/date.ts";
import { findRow, listRows, runStatement, type Work } from "./work.ts";

/** A token's counters: calls in the UTC day and in the UTC hour, each numbered since 1970. */
export interface Usage {
  readonly day: number;
  readonly dayUsed: number;
  readonly hour: number;
  readonly hourUsed: number;
}

/** How many calls a token may make in a UTC day and in a UTC hour. */
export interface Ceilings {
  readonly daily: number;
  readonly hourly: number;
}

/** Calls that were counted for a token, and in which windows. */
export interface CountedCalls extends Pick<Usage, "day" | "hour"> {
  readonly tokenId: number;
  readonly calls: number;
}

/** Calls of a token that were refused in an hour because a window was full. */
export interface DeniedCalls extends Pick<Usage, "hour"> {
  readonly tokenId: number;
  readonly denied: number;
}

/**
 * The first hour of the UTC day of an hour, both numbered since 1970. Its row has the whole day once the day is
 * folded. Days are UTC days, as in the quota, so each has 24 hours.
 */
export const firstHourOf = (hour: number): number => hour - (hour % 24);

/** The calls of a token in a UTC hour. */
export interface UsageHour extends DeniedCalls {
  readonly calls: number;
}

const HOUR_MS = 3_600_000;

/** How many days the calls of tokens are kept: triggers remove older hours. */
export const KEPT_DAYS = 400;

/** The numbers of the UTC day and the UTC hour at `now`, UTC milliseconds. */
export const windowsAt = (now: number) => ({
  day: Math.floor(now / DAY_MS),
  hour: Math.floor(now / HOUR_MS),
});

/**
 * How far ahead of the clock a stored window may be and still count. If the clock steps back, calls
 * are still counted in the later window, so that a quota cannot be used twice. But a clock that was
 * once ahead by more than a day must not block a token until then.
 */
const MAX_AHEAD = { day: 1, hour: 24 } as const;

/** SQL: true if a stored window is not the one that calls count in at `now`. */
export const isOver = (window: keyof typeof MAX_AHEAD, now: string): string =>
  `(${now} > ${window} OR ${window} > ${now} + ${MAX_AHEAD[window]})`;

const isCurrent = (window: number, current: number, maxAhead: number): boolean =>
  window >= current && window <= current + maxAhead;

/** True if calls at `now` count in another day or hour window than these. */
export function isOutsideWindows({ day, hour }: Pick<Usage, "day" | "hour">, now: number): boolean {
  const current = windowsAt(now);
  return (
    !isCurrent(day, current.day, MAX_AHEAD.day) || !isCurrent(hour, current.hour, MAX_AHEAD.hour)
  );
}

/** The columns of `Usage` in the table `usage`. */
export const USAGE_COLUMNS = `day, day_used AS "dayUsed", hour, hour_used AS "hourUsed"`;

/** The counters at `now`, without counting a call. `usage` are those after the last call; null before the first. */
export function usageAt(usage: Usage | null, now: number): Usage {
  const { day, hour } = windowsAt(now);
  const sameDay = usage && isCurrent(usage.day, day, MAX_AHEAD.day);
  const sameHour = usage && isCurrent(usage.hour, hour, MAX_AHEAD.hour);
  return {
    day: sameDay ? usage.day : day,
    dayUsed: sameDay ? usage.dayUsed : 0,
    hour: sameHour ? usage.hour : hour,
    hourUsed: sameHour ? usage.hourUsed : 0,
  };
}

/** The counters without those calls, in the windows in which they were counted. */
export function usageWithout(usage: Usage, calls: CountedCalls | null): Usage {
  if (calls === null) return usage;
  const { day, dayUsed, hour, hourUsed } = usage;
  return {
    day,
    dayUsed: day === calls.day ? Math.max(0, dayUsed - calls.calls) : dayUsed,
    hour,
    hourUsed: hour === calls.hour ? Math.max(0, hourUsed - calls.calls) : hourUsed,
  };
}

/** The counters of a token at `now`, without counting a call. */
export function* getUsage(tokenId: number, now: number): Work<Usage> {
  const stored = yield* findRow<Usage>(
    `SELECT ${USAGE_COLUMNS} FROM usage WHERE token_id = $tokenId`,
    { tokenId },
  );
  return usageAt(stored, now);
}

/** SQL: the stored hours from `$from` to `$to`, and running hours with the calls that processes have counted in advance. */
const countedHours = (tokens: string) => `
  SELECT token_id, hour, calls, denied FROM usage_hours WHERE ${tokens} hour BETWEEN $from AND $to
  UNION ALL
  SELECT token_id, hour, hour_used, 0 FROM usage WHERE ${tokens} hour BETWEEN $from AND $to`;

const HAS_CALLS = "HAVING sum(calls) > 0 OR sum(denied) > 0";

/**
 * The calls of a user's tokens from one UTC hour to another, both included, numbered since 1970: tokens and
 * hours with calls, oldest hour first. It includes the running hour, with the calls that processes have counted
 * in advance.
 */
export function listHours(user: string, from: number, to: number): Work<UsageHour[]> {
  return listRows(
    `WITH own AS (SELECT tokens.id FROM tokens JOIN users ON users.id = user_id WHERE name = $user),
       counted AS (${countedHours("token_id IN (SELECT id FROM own) AND")})
     SELECT token_id AS "tokenId", hour, CAST(sum(calls) AS INTEGER) AS calls,
       CAST(sum(denied) AS INTEGER) AS denied
     FROM counted GROUP BY hour, token_id ${HAS_CALLS} ORDER BY hour, token_id`,
    { user, from, to },
  );
}

/** The calls of a token on a UTC day, numbered since 1970. */
export interface UsageDay extends Omit<UsageHour, "hour"> {
  readonly user: string;
  readonly day: number;
}

/** The days of the tokens whose ids are from `first` to `last`, in UTC hours from one to another, all included. */
export function listUsageDays(
  first: number,
  last: number,
  from: number,
  to: number,
): Work<UsageDay[]> {
  // With +, SQLite takes the index of tokens. By the index of hours it would read all tokens.
  return listRows(
    `SELECT name AS "user", token_id AS "tokenId", hour / 24 AS day,
       CAST(sum(calls) AS INTEGER) AS calls, CAST(sum(denied) AS INTEGER) AS denied
     FROM (${countedHours("token_id BETWEEN $first AND $last AND +")}) AS counted
       JOIN tokens ON tokens.id = token_id JOIN users ON users.id = user_id
     GROUP BY name, token_id, hour / 24 ${HAS_CALLS} ORDER BY token_id, hour / 24`,
    { first, last, from, to },
  );
}

/** The first UTC hour after `after` and before `before` with a stored row; null if there is none. */
export function* findHour(after: number, before: number): Work<number | null> {
  const row = yield* findRow<{ hour: number | null }>(
    "SELECT min(hour) AS hour FROM usage_hours WHERE hour > $after AND hour < $before",
    { after, before },
  );
  return row?.hour ?? null;
}

/** Removes at most `limit` closed hours of a user's tokens; returns how many it removed. */
export function removeHours(user: string, limit: number): Work<number> {
  return runStatement(
    `DELETE FROM usage_hours WHERE (token_id, hour) IN (
       SELECT token_id, hour FROM users JOIN tokens ON user_id = users.id
         JOIN usage_hours ON token_id = tokens.id WHERE name = $user LIMIT $limit)`,
    { user, limit },
  );
}
