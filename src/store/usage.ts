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
    refund: database.query<unknown, Calls>(
      `UPDATE usage SET day_used = day_used - iif(day = $day, $calls, 0),
         hour_used = hour_used - iif(hour = $hour, $calls, 0) WHERE token_id = $tokenId`,
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
  return {
    /** Counts `calls` calls. Returns the counters after them, or null if there is no room for all. */
    charge(tokenId: number, calls: number, ceilings: Ceilings, now: number): Usage | null {
      const { daily, hourly } = ceilings;
      return queries.charge.get({ tokenId, calls, ...windowsAt(now), daily, hourly, now });
    },
    /** Takes calls that were not made out of the windows in which they were counted. */
    refund({ tokenId, day, hour, calls }: CountedCalls): void {
      queries.refund.run({ tokenId, calls, day, hour });
    },
    /** Refunds many tokens. Returns false and changes nothing while another process writes. */
    refundIfFree(counted: readonly CountedCalls[]): boolean {
      setBusyTimeout(database, 0);
      try {
        database.transaction(() => counted.forEach((one) => this.refund(one))).immediate();
        return true;
      } catch (error) {
        if (isDatabaseBusy(error)) return false;
        throw error;
      } finally {
        setBusyTimeout(database, busyTimeoutMs);
      }
    },
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
