import type { Postgres } from "./postgres.ts";
import {
  type Ceilings,
  type CountedCalls,
  type DeniedCalls,
  isOver,
  type Usage,
  USAGE_COLUMNS,
  usageAt,
} from "./usage.ts";

/** Calls of a token that are wanted in advance. */
export interface WantedCalls {
  readonly tokenId: number;
  /** At least 1. */
  readonly calls: number;
  readonly ceilings: Ceilings;
}

/** Calls that were counted for a token. */
export interface GrantedCalls {
  /** As many as were wanted, fewer if a window has less room, 0 if one is full. */
  readonly calls: number;
  /** The counters after these calls. */
  readonly usage: Usage;
}

interface ChargedRow extends Usage {
  readonly now: number;
  /** The place in the arrays, 1 for the first. */
  readonly place: number;
  /** Null for a first call that another node counted at the same moment: it has to be charged again. */
  readonly calls: number | null;
}

const DAY = isOver("day", "today");
const HOUR = isOver("hour", "this_hour");

// The rows are locked in the order of their ids, so that statements of different nodes wait for each other
// but never in a circle. The values that a lock returns are the newest, also after a wait.
const CHARGE = `
  WITH clock AS MATERIALIZED (SELECT cluster_now() AS now),
  live AS MATERIALIZED (
    SELECT wanted.*, now, floor(now / 86400000)::integer AS today, floor(now / 3600000)::integer AS this_hour
    FROM clock, unnest($1::integer[], $2::integer[], $3::integer[], $4::integer[])
      WITH ORDINALITY AS wanted (token_id, calls, daily, hourly, place)
    JOIN tokens ON tokens.id = token_id
    WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now)),
  locked AS MATERIALIZED (
    SELECT usage.token_id,
      CASE WHEN ${DAY} THEN today ELSE day END AS day, CASE WHEN ${DAY} THEN 0 ELSE day_used END AS day_used,
      CASE WHEN ${HOUR} THEN this_hour ELSE hour END AS hour, CASE WHEN ${HOUR} THEN 0 ELSE hour_used END AS hour_used
    FROM usage JOIN live ON live.token_id = usage.token_id
    ORDER BY usage.token_id FOR UPDATE OF usage),
  counted AS (
    SELECT live.*, locked.token_id IS NULL AS is_new,
      coalesce(day, today) AS day, coalesce(day_used, 0) AS day_used,
      coalesce(hour, this_hour) AS hour, coalesce(hour_used, 0) AS hour_used
    FROM live LEFT JOIN locked ON locked.token_id = live.token_id),
  granted AS MATERIALIZED (
    SELECT place, token_id, now, is_new, day, day_used, hour, hour_used,
      greatest(0, least(calls, daily - day_used, hourly - hour_used)) AS calls
    FROM counted),
  updated AS (
    UPDATE usage SET day = granted.day, day_used = granted.day_used + calls,
      hour = granted.hour, hour_used = granted.hour_used + calls, last_used_at = granted.now
    FROM granted WHERE usage.token_id = granted.token_id AND NOT is_new AND calls > 0),
  added AS (
    INSERT INTO usage (token_id, day, day_used, hour, hour_used, last_used_at)
    SELECT token_id, day, calls, hour, calls, now FROM granted
    WHERE is_new AND calls > 0 ORDER BY token_id
    ON CONFLICT DO NOTHING RETURNING token_id)
  SELECT clock.now, place::integer AS place,
    CASE WHEN is_new AND calls > 0 AND added.token_id IS NULL THEN NULL ELSE calls END AS calls,
    day, day_used + calls AS "dayUsed", hour, hour_used + calls AS "hourUsed"
  FROM clock LEFT JOIN granted ON true LEFT JOIN added ON added.token_id = granted.token_id`;

// Of the refused calls' tokens too, because closing an hour locks a row of usage and then one of its hours.
const LOCK = `
  SELECT 1 FROM usage JOIN tokens ON tokens.id = token_id WHERE token_id = ANY($1::integer[])
  ORDER BY token_id FOR UPDATE OF usage FOR KEY SHARE OF tokens`;

const UNUSED = `
  unused AS (
    SELECT token_id, day, hour, sum(calls)::integer AS calls
    FROM unnest($1::integer[], $2::integer[], $3::integer[], $4::integer[])
      AS one (token_id, day, hour, calls)
    GROUP BY token_id, day, hour)`;

const REFUND = `
  WITH ${UNUSED},
  refunds AS (
    SELECT usage.token_id,
      coalesce(sum(calls) FILTER (WHERE unused.day = usage.day), 0)::integer AS of_day,
      coalesce(sum(calls) FILTER (WHERE unused.hour = usage.hour), 0)::integer AS of_hour
    FROM usage JOIN unused ON unused.token_id = usage.token_id GROUP BY usage.token_id)
  UPDATE usage SET day_used = greatest(0, day_used - of_day), hour_used = greatest(0, hour_used - of_hour)
  FROM refunds WHERE usage.token_id = refunds.token_id`;

const REFUND_CLOSED = `
  WITH ${UNUSED},
  refunds AS (
    SELECT unused.token_id, unused.hour, sum(calls)::integer AS calls
    FROM unused JOIN usage ON usage.token_id = unused.token_id AND usage.hour <> unused.hour
    GROUP BY unused.token_id, unused.hour)
  UPDATE usage_hours AS closed SET calls = greatest(0, closed.calls - refunds.calls)
  FROM refunds WHERE closed.token_id = refunds.token_id AND closed.hour = refunds.hour`;

const ADD_DENIED = `
  INSERT INTO usage_hours AS stored (token_id, hour, calls, denied)
  SELECT token_id, hour, 0, sum(denied)
  FROM unnest($1::integer[], $2::integer[], $3::integer[]) AS one (token_id, hour, denied)
  JOIN tokens ON tokens.id = token_id GROUP BY token_id, hour ORDER BY token_id, hour
  ON CONFLICT (token_id, hour) DO UPDATE SET denied = stored.denied + excluded.denied`;

const LIST = `
  SELECT cluster_now() AS now, token_id AS "tokenId", ${USAGE_COLUMNS}
  FROM (SELECT 1) AS always LEFT JOIN usage ON token_id = ANY($1::integer[])`;

/** SQLSTATE of a row that refers to a missing one. */
const FOREIGN_KEY_VIOLATION = "23503";

/**
 * The counters of calls in the Postgres of a cluster. All windows follow the clock of the database, and a
 * counter never exceeds the ceiling that a statement names.
 */
export class ClusterUsage {
  readonly #postgres: Postgres;

  /** The counters in that database; its migrations have run. */
  constructor(postgres: Postgres) {
    this.#postgres = postgres;
  }

  /**
   * Counts calls of many tokens in one statement, each token at most once. There is one result for each
   * request, in order: null if the token is gone, revoked or expired. `now` is the database's clock, UTC
   * milliseconds.
   *
   * @throws BourseError `unavailable` if the database cannot be used; the calls may have been counted
   */
  async charge(
    wanted: readonly WantedCalls[],
  ): Promise<{ now: number; granted: readonly (GrantedCalls | null)[] }> {
    const granted: (GrantedCalls | null)[] = wanted.map(() => null);
    let now = 0;
    let open = wanted.map((_, i) => i);
    do {
      const rows = await this.#charge(open.map((i) => wanted[i] as WantedCalls));
      now = rows[0]?.now ?? now;
      const repeated: number[] = [];
      for (const { place, calls, day, dayUsed, hour, hourUsed } of rows) {
        const i = open[place - 1];
        if (i === undefined) continue;
        if (calls === null) repeated.push(i);
        else granted[i] = { calls, usage: { day, dayUsed, hour, hourUsed } };
      }
      open = repeated;
    } while (open.length > 0);
    return { now, granted };
  }

  /**
   * Gives back unused calls in the windows in which they were counted, closed windows included, and adds
   * refused calls to the history, in one transaction. Tokens that are gone are left out.
   *
   * @throws BourseError `unavailable` if the database cannot be used. It may have run, so unused calls must
   * not be given back again.
   */
  async settle(unused: readonly CountedCalls[], denied: readonly DeniedCalls[]): Promise<void> {
    await this.#postgres.transaction(async (transaction) => {
      const tokenIds = [...new Set([...unused, ...denied].map(({ tokenId }) => tokenId))];
      await transaction.query(LOCK, [tokenIds]);
      if (unused.length > 0) {
        const columns = [
          unused.map(({ tokenId }) => tokenId),
          unused.map(({ day }) => day),
          unused.map(({ hour }) => hour),
          unused.map(({ calls }) => calls),
        ];
        await transaction.query(REFUND, columns);
        await transaction.query(REFUND_CLOSED, columns);
      }
      if (denied.length > 0) {
        await transaction.query(ADD_DENIED, [
          denied.map(({ tokenId }) => tokenId),
          denied.map(({ hour }) => hour),
          denied.map((one) => one.denied),
        ]);
      }
    });
  }

  /**
   * The counters of tokens, in order, without counting a call. `now` is the database's clock, UTC
   * milliseconds.
   *
   * @throws BourseError `unavailable` if the database cannot be used
   */
  async list(tokenIds: readonly number[]): Promise<{ now: number; usages: readonly Usage[] }> {
    const rows = await this.#postgres.query<Usage & { now: number; tokenId: number | null }>(LIST, [
      tokenIds,
    ]);
    const now = rows[0]?.now ?? 0;
    const stored = new Map(rows.map((row) => [row.tokenId, row]));
    return { now, usages: tokenIds.map((tokenId) => usageAt(stored.get(tokenId) ?? null, now)) };
  }

  async #charge(wanted: readonly WantedCalls[]): Promise<ChargedRow[]> {
    const columns = [
      wanted.map(({ tokenId }) => tokenId),
      wanted.map(({ calls }) => calls),
      wanted.map(({ ceilings }) => ceilings.daily),
      wanted.map(({ ceilings }) => ceilings.hourly),
    ];
    for (;;) {
      try {
        return await this.#postgres.query<ChargedRow>(CHARGE, columns);
      } catch (error) {
        // A token was removed before its first call was counted. The whole statement was undone.
        const isGone =
          error instanceof Bun.SQL.PostgresError && error.errno === FOREIGN_KEY_VIOLATION;
        if (!isGone) throw error;
      }
    }
  }
}
