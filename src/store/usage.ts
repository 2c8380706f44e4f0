import type { Database } from "bun:sqlite";
import { isDatabaseBusy } from "#domain/errors.ts";
import { setBusyTimeout } from "./database.ts";

/** A token's counters: calls in the UTC day and in the UTC hour, each counted since 1970. */
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

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const windowsAt = (now: number) => ({
  day: Math.floor(now / DAY_MS),
  hour: Math.floor(now / HOUR_MS),
});

/**
 * How far ahead of the clock a window may lie and still count. Where the clock steps back, calls go on
 * counting in the later window, so that a ceiling cannot be had twice; but a clock that was once ahead
 * by more than a day must not bar a token until then.
 */
const AHEAD = { day: 1, hour: 24 } as const;

/** Whether a stored window is no longer, or not yet, the one that calls count in. */
const isOver = (window: keyof typeof AHEAD, now: string): string =>
  `(${now} > ${window} OR ${window} > ${now} + ${AHEAD[window]})`;

/** Whether calls that were counted in these windows are of others than calls at `now`. */
export function isPast({ day, hour }: Pick<Usage, "day" | "hour">, now: number): boolean {
  const at = windowsAt(now);
  return at.day > day || day > at.day + AHEAD.day || at.hour > hour || hour > at.hour + AHEAD.hour;
}

/** Calls that were counted for a token, and in which windows. */
export interface CountedCalls extends Pick<Usage, "day" | "hour"> {
  readonly tokenId: number;
  readonly calls: number;
}

/** The counters of the access file. */
export type UsageStore = ReturnType<typeof createUsageStore>;

/** The counters in a migrated database whose statements wait `busyTimeoutMs` for a lock. */
export function createUsageStore(database: Database, busyTimeoutMs: number) {
  const columns = "day, day_used AS dayUsed, hour, hour_used AS hourUsed";
  // One statement, so that it is atomic among processes: it counts where both windows have room and
  // the token is there, and else changes nothing and returns no row.
  const charge = database.query<
    Usage,
    {
      tokenId: number;
      calls: number;
      day: number;
      hour: number;
      daily: number;
      hourly: number;
      now: number;
    }
  >(
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
     RETURNING ${columns}`,
  );
  const giveBack = database.query<
    unknown,
    { tokenId: number; calls: number; day: number; hour: number }
  >(
    `UPDATE usage SET day_used = day_used - iif(day = $day, $calls, 0),
       hour_used = hour_used - iif(hour = $hour, $calls, 0) WHERE token_id = $tokenId`,
  );
  const find = database.query<Usage, { tokenId: number }>(
    `SELECT ${columns} FROM usage WHERE token_id = $tokenId`,
  );

  return {
    /** Counts so many calls and returns the counters after them, or null where not all have room. */
    charge(tokenId: number, calls: number, ceilings: Ceilings, now: number): Usage | null {
      const { daily, hourly } = ceilings;
      return charge.get({ tokenId, calls, ...windowsAt(now), daily, hourly, now });
    },
    /** Takes calls that were not made back out of the windows in which they were counted. */
    giveBack(counted: CountedCalls): void {
      const { tokenId, day, hour, calls } = counted;
      giveBack.run({ tokenId, calls, day, hour });
    },
    /** The same for many tokens; returns false and changes nothing while another process writes. */
    giveBackIfFree(counted: readonly CountedCalls[]): boolean {
      setBusyTimeout(database, 0);
      try {
        database.transaction(() => counted.forEach((one) => this.giveBack(one))).immediate();
        return true;
      } catch (error) {
        if (isDatabaseBusy(error)) return false;
        throw error;
      } finally {
        setBusyTimeout(database, busyTimeoutMs);
      }
    },
    /** The counters as they stand at `now`, without counting a call. */
    get(tokenId: number, now: number): Usage {
      const { day, hour } = windowsAt(now);
      const usage = find.get({ tokenId });
      const isThis = (window: number, current: number, ahead: number) =>
        window >= current && window <= current + ahead;
      const sameDay = usage && isThis(usage.day, day, AHEAD.day);
      const sameHour = usage && isThis(usage.hour, hour, AHEAD.hour);
      return {
        day: sameDay ? usage.day : day,
        dayUsed: sameDay ? usage.dayUsed : 0,
        hour: sameHour ? usage.hour : hour,
        hourUsed: sameHour ? usage.hourUsed : 0,
      };
    },
  };
}
