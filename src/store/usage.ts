import type { Database } from "bun:sqlite";
import { isDatabaseBusy } from "#domain/errors.ts";
import { setBusyTimeout } from "./database.ts";

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

/** The calls of a token in a UTC hour. */
export interface UsageHour extends DeniedCalls {
  readonly calls: number;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

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
const isOver = (window: keyof typeof MAX_AHEAD, now: string): string =>
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

const COLUMNS = "day, day_used AS dayUsed, hour, hour_used AS hourUsed";

type Calls = { tokenId: number; calls: number; day: number; hour: number };

function prepare(database: Database) {
  return {
    // Most calls. It does not set the columns `day` and `hour`, so it does not even evaluate the trigger of
    // closed hours, and it takes less time than the upsert. No row if `charge` has to decide.
    chargeInWindows: database.query<Usage, Calls & { now: number; daily: number; hourly: number }>(
      `UPDATE usage SET day_used = day_used + $calls, hour_used = hour_used + $calls, last_used_at = $now
       WHERE token_id = $tokenId AND NOT ${isOver("day", "$day")} AND NOT ${isOver("hour", "$hour")}
         AND day_used + $calls <= $daily AND hour_used + $calls <= $hourly
         AND (SELECT revoked_at IS NULL FROM tokens WHERE id = $tokenId)
       RETURNING ${COLUMNS}`,
    ),
    // One statement, so that it is atomic among processes. It changes nothing and returns no row if a
    // window has no room or the token is gone.
    charge: database.query<Usage, Calls & { now: number; daily: number; hourly: number }>(
      `INSERT INTO usage (token_id, day, day_used, hour, hour_used, last_used_at)
       SELECT id, $day, $calls, $hour, $calls, $now FROM tokens
       WHERE id = $tokenId AND revoked_at IS NULL AND $daily >= $calls AND $hourly >= $calls
       ON CONFLICT (token_id) DO UPDATE SET
         day_used = iif(${isOver("day", "$day")}, $calls, day_used + $calls),
         day = iif(${isOver("day", "$day")}, $day, day),
         hour_used = iif(${isOver("hour", "$hour")}, $calls, hour_used + $calls),
         hour = iif(${isOver("hour", "$hour")}, $hour, hour),
         last_used_at = excluded.last_used_at
       WHERE (${isOver("day", "$day")} OR day_used + $calls <= $daily)
         AND (${isOver("hour", "$hour")} OR hour_used + $calls <= $hourly)
       RETURNING ${COLUMNS}`,
    ),
    refund: database.query<{ hour: number }, Calls>(
      `UPDATE usage SET day_used = day_used - iif(day = $day, $calls, 0),
         hour_used = hour_used - iif(hour = $hour, $calls, 0) WHERE token_id = $tokenId
       RETURNING hour`,
    ),
    refundClosed: database.query<unknown, Omit<Calls, "day">>(
      "UPDATE usage_hours SET calls = calls - $calls WHERE token_id = $tokenId AND hour = $hour",
    ),
    // The token may be gone.
    addDenied: database.query<unknown, { [K in keyof DeniedCalls]: number }>(
      `INSERT INTO usage_hours (token_id, hour, calls, denied)
       SELECT id, $hour, 0, $denied FROM tokens WHERE id = $tokenId
       ON CONFLICT (token_id, hour) DO UPDATE SET denied = denied + excluded.denied`,
    ),
    hours: database.query<UsageHour, { user: string; from: number; to: number }>(
      `WITH own AS (SELECT tokens.id FROM tokens JOIN users ON users.id = user_id WHERE name = $user),
         counted AS (
           SELECT token_id, hour, calls, denied FROM usage_hours
           WHERE token_id IN own AND hour BETWEEN $from AND $to
           UNION ALL
           SELECT token_id, hour, hour_used, 0 FROM usage
           WHERE token_id IN own AND hour BETWEEN $from AND $to)
       SELECT token_id AS tokenId, hour, sum(calls) AS calls, sum(denied) AS denied FROM counted
       GROUP BY hour, token_id HAVING sum(calls) > 0 OR sum(denied) > 0 ORDER BY hour, token_id`,
    ),
    removeHours: database.query<unknown, { user: string; limit: number }>(
      `DELETE FROM usage_hours WHERE (token_id, hour) IN (
         SELECT token_id, hour FROM users JOIN tokens ON user_id = users.id
           JOIN usage_hours ON token_id = tokens.id WHERE name = $user LIMIT $limit)`,
    ),
    find: database.query<Usage, { tokenId: number }>(
      `SELECT ${COLUMNS} FROM usage WHERE token_id = $tokenId`,
    ),
  };
}

/** The counters of the access file. */
export type UsageStore = ReturnType<typeof createUsageStore>;

/** The counters of a migrated database whose statements wait `busyTimeoutMs` for a lock. */
export function createUsageStore(database: Database, busyTimeoutMs: number) {
  const queries = prepare(database);
  const refund = ({ tokenId, day, hour, calls }: CountedCalls): void => {
    const usage = queries.refund.get({ tokenId, calls, day, hour });
    if (usage && usage.hour !== hour) queries.refundClosed.run({ tokenId, hour, calls });
  };
  return {
    /** Counts `calls` calls. Returns the counters after them, or null if there is no room for all. */
    charge(tokenId: number, calls: number, ceilings: Ceilings, now: number): Usage | null {
      const { daily, hourly } = ceilings;
      const call = { tokenId, calls, ...windowsAt(now), daily, hourly, now };
      return queries.chargeInWindows.get(call) ?? queries.charge.get(call);
    },
    /** Subtracts unused calls from the windows in which they were counted, closed windows included. */
    refund: (counted: CountedCalls): void =>
      database.transaction(() => refund(counted)).immediate(),
    /**
     * Refunds the unused calls of many tokens and adds refused calls to the history. Returns false and
     * changes nothing while another process writes.
     */
    settleIfFree(unused: readonly CountedCalls[], denied: readonly DeniedCalls[]): boolean {
      setBusyTimeout(database, 0);
      try {
        database
          .transaction(() => {
            unused.forEach(refund);
            for (const one of denied) queries.addDenied.run({ ...one });
          })
          .immediate();
        return true;
      } catch (error) {
        if (isDatabaseBusy(error)) return false;
        throw error;
      } finally {
        setBusyTimeout(database, busyTimeoutMs);
      }
    },
    /**
     * The calls of a user's tokens from one UTC hour to another, both included, numbered since 1970:
     * tokens and hours with calls, oldest hour first. It includes the running hour, with the calls that
     * processes have counted in advance.
     */
    listHours: (user: string, from: number, to: number): UsageHour[] =>
      queries.hours.all({ user, from, to }),
    /** Removes at most `limit` closed hours of a user's tokens; returns how many it removed. */
    removeHours: (user: string, limit: number): number =>
      queries.removeHours.run({ user, limit }).changes,
    /** The counters at `now`, without counting a call. */
    get(tokenId: number, now: number): Usage {
      const { day, hour } = windowsAt(now);
      const usage = queries.find.get({ tokenId });
      const sameDay = usage && isCurrent(usage.day, day, MAX_AHEAD.day);
      const sameHour = usage && isCurrent(usage.hour, hour, MAX_AHEAD.hour);
      return {
        day: sameDay ? usage.day : day,
        dayUsed: sameDay ? usage.dayUsed : 0,
        hour: sameHour ? usage.hour : hour,
        hourUsed: sameHour ? usage.hourUsed : 0,
      };
    },
  };
}
