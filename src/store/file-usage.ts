import type { Database } from "bun:sqlite";
import { isDatabaseBusy } from "#domain/errors.ts";
import { setBusyTimeout } from "./database.ts";
import {
  type Ceilings,
  type CountedCalls,
  type DeniedCalls,
  firstHourOf,
  getUsage,
  isOver,
  type Usage,
  USAGE_COLUMNS,
  windowsAt,
} from "./usage.ts";
import type { Work } from "./work.ts";

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
       RETURNING ${USAGE_COLUMNS}`,
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
       RETURNING ${USAGE_COLUMNS}`,
    ),
    // A new token may have taken over the counts of an ended one, with the calls of its lease.
    refund: database.query<{ hour: number }, Calls>(
      `UPDATE usage SET day_used = max(0, day_used - iif(day = $day, $calls, 0)),
         hour_used = max(0, hour_used - iif(hour = $hour, $calls, 0)) WHERE token_id = $tokenId
       RETURNING hour`,
    ),
    refundClosed: database.query<unknown, Omit<Calls, "day">>(
      "UPDATE usage_hours SET calls = max(0, calls - $calls) WHERE token_id = $tokenId AND hour = $hour",
    ),
    foldInto: database.query<unknown, { hour: number; first: number; limit: number }>(
      `INSERT INTO usage_hours (token_id, hour, calls, denied)
       SELECT token_id, $first, calls, denied FROM usage_hours WHERE hour = $hour
       ORDER BY token_id LIMIT $limit
       ON CONFLICT (token_id, hour) DO UPDATE SET
         calls = calls + excluded.calls, denied = denied + excluded.denied`,
    ),
    removeFolded: database.query<unknown, { hour: number; limit: number }>(
      `DELETE FROM usage_hours WHERE hour = $hour AND token_id IN (
         SELECT token_id FROM usage_hours WHERE hour = $hour ORDER BY token_id LIMIT $limit)`,
    ),
    // The token may be gone.
    addDenied: database.query<unknown, { [K in keyof DeniedCalls]: number }>(
      `INSERT INTO usage_hours (token_id, hour, calls, denied)
       SELECT id, $hour, 0, $denied FROM tokens WHERE id = $tokenId
       ON CONFLICT (token_id, hour) DO UPDATE SET denied = denied + excluded.denied`,
    ),
  };
}

/** The counters of calls in the access file. */
export type FileUsage = ReturnType<typeof createFileUsage>;

/** Creates the counters of a migrated database whose statements wait `busyTimeoutMs` for a lock. */
export function createFileUsage(
  database: Database,
  run: <T>(work: Work<T>) => T,
  busyTimeoutMs: number,
) {
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
     * Adds the rows of an hour to the first hour of its day and removes them, at most `limit` of them. Returns
     * how many there were.
     */
    foldHour: (hour: number, limit: number): number =>
      database
        .transaction(() => {
          queries.foldInto.run({ hour, first: firstHourOf(hour), limit });
          return queries.removeFolded.run({ hour, limit }).changes;
        })
        .immediate(),
    /** The counters at `now`, without counting a call. */
    get: (tokenId: number, now: number): Usage => run(getUsage(tokenId, now)),
  };
}
