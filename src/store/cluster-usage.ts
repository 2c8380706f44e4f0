import type { Postgres } from "./postgres.ts";
import { LOCKS } from "./postgres-transaction.ts";
import {
  type Ceilings,
  type CountedCalls,
  type DeniedCalls,
  firstHourOf,
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

/** The counters of a token after a charge at `at`, UTC milliseconds of the database's clock. */
export interface SeenUsage extends Usage {
  readonly tokenId: number;
  readonly at: number;
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

// All statements find their rows one by one (LATERAL with a lock, LIMIT or OFFSET, which the planner does not
// turn into a join) and write them by ON CONFLICT. The plan of a join depends on statistics, which a table
// that grows fast does not have for a minute, and its cost then on the size of the tables.

// The rows are locked in the order of their ids, so that statements of different nodes wait for each other
// but never in a circle. The values that a lock returns are the newest, also after a wait.
const CHARGE = `
  WITH clock AS MATERIALIZED (SELECT cluster_now() AS now),
  wanted AS MATERIALIZED (
    SELECT one.*, now, floor(now / 86400000)::integer AS today, floor(now / 3600000)::integer AS this_hour
    FROM clock, unnest($1::integer[], $2::integer[], $3::integer[], $4::integer[])
      WITH ORDINALITY AS one (token_id, calls, daily, hourly, place)
    ORDER BY token_id),
  counted AS MATERIALIZED (
    SELECT wanted.*, counters.day IS NULL AS is_new,
      coalesce(counters.day, today) AS day, coalesce(counters.day_used, 0) AS day_used,
      coalesce(counters.hour, this_hour) AS hour, coalesce(counters.hour_used, 0) AS hour_used
    FROM wanted
    CROSS JOIN LATERAL (
      SELECT FROM tokens WHERE id = wanted.token_id
        AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now) LIMIT 1) AS live
    LEFT JOIN LATERAL (
      SELECT
        CASE WHEN ${DAY} THEN today ELSE day END AS day, CASE WHEN ${DAY} THEN 0 ELSE day_used END AS day_used,
        CASE WHEN ${HOUR} THEN this_hour ELSE hour END AS hour, CASE WHEN ${HOUR} THEN 0 ELSE hour_used END AS hour_used
      FROM usage WHERE token_id = wanted.token_id FOR UPDATE) AS counters ON true),
  granted AS MATERIALIZED (
    SELECT place, token_id, is_new, day, hour, granted AS calls, now,
      day_used + granted AS day_used, hour_used + granted AS hour_used
    FROM counted CROSS JOIN LATERAL (
      SELECT greatest(0, least(calls, daily - day_used, hourly - hour_used)) AS granted) AS room),
  updated AS (
    INSERT INTO usage (token_id, day, day_used, hour, hour_used, last_used_at)
    SELECT token_id, day, day_used, hour, hour_used, now FROM granted WHERE NOT is_new AND calls > 0
    ON CONFLICT (token_id) DO UPDATE SET day = excluded.day, day_used = excluded.day_used,
      hour = excluded.hour, hour_used = excluded.hour_used, last_used_at = excluded.last_used_at),
  added AS (
    INSERT INTO usage (token_id, day, day_used, hour, hour_used, last_used_at)
    SELECT token_id, day, day_used, hour, hour_used, now FROM granted WHERE is_new AND calls > 0
    ON CONFLICT DO NOTHING RETURNING token_id)
  SELECT clock.now, place::integer AS place,
    CASE WHEN is_new AND calls > 0 AND added.token_id IS NULL THEN NULL ELSE calls END AS calls,
    day, day_used AS "dayUsed", hour, hour_used AS "hourUsed"
  FROM clock LEFT JOIN granted ON true LEFT JOIN added ON added.token_id = granted.token_id`;

// Of the refused calls' tokens too, because closing an hour locks a row of usage and then one of its hours.
const LOCK = `
  WITH wanted AS MATERIALIZED (
    SELECT token_id FROM unnest($1::integer[]) AS one (token_id) ORDER BY token_id)
  SELECT wanted.token_id AS "tokenId", counters.hour, live.id FROM wanted
  LEFT JOIN LATERAL (
    SELECT hour FROM usage WHERE token_id = wanted.token_id FOR UPDATE) AS counters ON true
  LEFT JOIN LATERAL (
    SELECT id FROM tokens WHERE id = wanted.token_id FOR KEY SHARE) AS live ON true`;

const UNUSED = `
  unused AS MATERIALIZED (
    SELECT token_id, day, hour, sum(calls)::integer AS calls
    FROM unnest($1::integer[], $2::integer[], $3::integer[], $4::integer[])
      AS one (token_id, day, hour, calls)
    GROUP BY token_id, day, hour)`;

const REFUND = `
  WITH ${UNUSED},
  refunds AS MATERIALIZED (
    SELECT counters.*,
      coalesce(sum(calls) FILTER (WHERE unused.day = counters.day), 0) AS of_day,
      coalesce(sum(calls) FILTER (WHERE unused.hour = counters.hour), 0) AS of_hour
    FROM unused CROSS JOIN LATERAL (
      SELECT * FROM usage WHERE token_id = unused.token_id OFFSET 0) AS counters
    GROUP BY counters.token_id, counters.day, day_used, counters.hour, hour_used, last_used_at)
  INSERT INTO usage (token_id, day, day_used, hour, hour_used, last_used_at)
  SELECT token_id, day, greatest(0, day_used - of_day), hour, greatest(0, hour_used - of_hour), last_used_at
  FROM refunds
  ON CONFLICT (token_id) DO UPDATE SET day_used = excluded.day_used, hour_used = excluded.hour_used`;

// For leases of hours that the trigger has moved to the history.
const REFUND_CLOSED = `
  WITH ${UNUSED},
  refunds AS MATERIALIZED (
    SELECT token_id, hour, sum(calls)::integer AS calls FROM unused GROUP BY token_id, hour)
  INSERT INTO usage_hours (token_id, hour, calls, denied)
  SELECT token_id, hour, greatest(0, closed.calls - refunds.calls), closed.denied FROM refunds
  CROSS JOIN LATERAL (
    SELECT calls, denied FROM usage_hours
    WHERE token_id = refunds.token_id AND hour = refunds.hour OFFSET 0) AS closed
  ON CONFLICT (token_id, hour) DO UPDATE SET calls = excluded.calls`;

const ADD_DENIED = `
  INSERT INTO usage_hours AS stored (token_id, hour, calls, denied)
  SELECT token_id, hour, 0, sum(denied)
  FROM unnest($1::integer[], $2::integer[], $3::integer[]) AS one (token_id, hour, denied)
  CROSS JOIN LATERAL (SELECT FROM tokens WHERE id = one.token_id OFFSET 0) AS live
  GROUP BY token_id, hour ORDER BY token_id, hour
  ON CONFLICT (token_id, hour) DO UPDATE SET denied = stored.denied + excluded.denied`;

// Without an order, because an hour can have a million rows.
const FOLD = `
  WITH folded AS (
    DELETE FROM usage_hours WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM usage_hours WHERE hour = $1 LIMIT $3 FOR UPDATE SKIP LOCKED))
    RETURNING token_id, calls, denied),
  added AS (
    INSERT INTO usage_hours AS stored (token_id, hour, calls, denied)
    SELECT token_id, $2, calls, denied FROM folded ORDER BY token_id
    ON CONFLICT (token_id, hour) DO UPDATE SET
      calls = stored.calls + excluded.calls, denied = stored.denied + excluded.denied)
  SELECT count(*)::integer AS folded FROM folded`;

const LIST = `
  SELECT cluster_now() AS now, counters.token_id AS "tokenId", ${USAGE_COLUMNS}
  FROM (SELECT 1) AS always LEFT JOIN unnest($1::integer[]) AS wanted (token_id) ON true
  LEFT JOIN LATERAL (SELECT * FROM usage WHERE token_id = wanted.token_id OFFSET 0) AS counters ON true`;

// `last_used_at` is the moment of the newest charge. If a node has seen a later one, the database has lost it. A
// token that was made later has another owner: its id was given again.
const RAISE = `
  WITH seen AS (
    SELECT one.* FROM unnest(
      $1::integer[], $2::integer[], $3::integer[], $4::integer[], $5::integer[], $6::double precision[])
      AS one (token_id, day, day_used, hour, hour_used, at)
    CROSS JOIN LATERAL (
      SELECT FROM tokens WHERE id = one.token_id AND created_at <= one.at OFFSET 0) AS live
    ORDER BY token_id)
  INSERT INTO usage AS stored (token_id, day, day_used, hour, hour_used, last_used_at)
  SELECT * FROM seen
  ON CONFLICT (token_id) DO UPDATE SET
    day = greatest(stored.day, excluded.day),
    day_used = CASE WHEN stored.day > excluded.day THEN stored.day_used
      WHEN stored.day < excluded.day THEN excluded.day_used
      ELSE greatest(stored.day_used, excluded.day_used) END,
    hour = greatest(stored.hour, excluded.hour),
    hour_used = CASE WHEN stored.hour > excluded.hour THEN stored.hour_used
      WHEN stored.hour < excluded.hour THEN excluded.hour_used
      ELSE greatest(stored.hour_used, excluded.hour_used) END,
    last_used_at = excluded.last_used_at
  WHERE stored.last_used_at < excluded.last_used_at RETURNING token_id`;

interface LockedRow {
  readonly tokenId: number;
  /** The hour of the token's counters; null if it has none. */
  readonly hour: number | null;
}

/** The parameters of `UNUSED`. */
const columnsOf = (unused: readonly CountedCalls[]) => [
  unused.map(({ tokenId }) => tokenId),
  unused.map(({ day }) => day),
  unused.map(({ hour }) => hour),
  unused.map(({ calls }) => calls),
];

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
      const locked = await transaction.query<LockedRow>(LOCK, [tokenIds]);
      const hours = new Map(locked.map(({ tokenId, hour }) => [tokenId, hour]));
      const closed = unused.filter(({ tokenId, hour }) => {
        const current = hours.get(tokenId) ?? null;
        return current !== null && current !== hour;
      });
      if (unused.length > 0) await transaction.query(REFUND, columnsOf(unused));
      if (closed.length > 0) await transaction.query(REFUND_CLOSED, columnsOf(closed));
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
   * Makes counters at least those that this node has seen, where the database has lost the charge. Returns
   * the number of raised tokens.
   *
   * @throws BourseError `unavailable` if the database cannot be used; it may have run, and may be repeated
   */
  async raise(seen: readonly SeenUsage[]): Promise<number> {
    const rows = await this.#postgres.query(RAISE, [
      seen.map(({ tokenId }) => tokenId),
      seen.map(({ day }) => day),
      seen.map(({ dayUsed }) => dayUsed),
      seen.map(({ hour }) => hour),
      seen.map(({ hourUsed }) => hourUsed),
      seen.map(({ at }) => at),
    ]);
    return rows.length;
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

  /** As `FileUsage.foldHour`. No other change of users and tokens overlaps it. @throws BourseError `unavailable` */
  async foldHour(hour: number, limit: number): Promise<number> {
    const [row] = await this.#postgres.transaction(
      (transaction) =>
        transaction.query<{ folded: number }>(FOLD, [hour, firstHourOf(hour), limit]),
      { lock: LOCKS.access },
    );
    return row?.folded ?? 0;
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
