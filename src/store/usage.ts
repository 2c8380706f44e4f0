import type { Database } from "bun:sqlite";

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

/** The counters of the access file. */
export type UsageStore = ReturnType<typeof createUsageStore>;

/** The counters in a database that has had its migrations. */
export function createUsageStore(database: Database) {
  const columns = "day, day_used AS dayUsed, hour, hour_used AS hourUsed";
  // One statement, so that it is atomic among processes: it counts where both windows have room and
  // else changes nothing and returns no row. A window never moves back: where the clock did, calls
  // go on counting in the later window, so that a ceiling cannot be had twice.
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
     SELECT $tokenId, $day, $calls, $hour, $calls, $now WHERE $daily >= $calls AND $hourly >= $calls
     ON CONFLICT (token_id) DO UPDATE SET
       day_used = iif(excluded.day > day, $calls, day_used + $calls), day = max(day, excluded.day),
       hour_used = iif(excluded.hour > hour, $calls, hour_used + $calls), hour = max(hour, excluded.hour),
       last_used_at = excluded.last_used_at
     WHERE (excluded.day > day OR day_used + $calls <= $daily)
       AND (excluded.hour > hour OR hour_used + $calls <= $hourly)
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
    giveBack(tokenId: number, { day, hour }: Pick<Usage, "day" | "hour">, calls: number): void {
      giveBack.run({ tokenId, calls, day, hour });
    },
    /** The counters as they stand at `now`, without counting a call. */
    get(tokenId: number, now: number): Usage {
      const { day, hour } = windowsAt(now);
      const usage = find.get({ tokenId });
      return {
        day: Math.max(day, usage?.day ?? 0),
        dayUsed: usage && usage.day >= day ? usage.dayUsed : 0,
        hour: Math.max(hour, usage?.hour ?? 0),
        hourUsed: usage && usage.hour >= hour ? usage.hourUsed : 0,
      };
    },
  };
}
