import { BourseError, unavailable } from "#domain/errors.ts";
import type { MarketOrigin } from "#domain/records.ts";
import { DAY_MS } from "#lib/date.ts";
import type { Postgres } from "./postgres.ts";
import { migratePostgres, type PostgresSchema } from "./postgres-schema.ts";
import marketLogSchema from "./market-log.sql" with { type: "text" };
import fingerprintSchema from "./market-log-2.sql" with { type: "text" };
import faultSchema from "./market-log-3.sql" with { type: "text" };

/** The tables of the market log in the Postgres of a cluster. */
export const MARKET_LOG: PostgresSchema = {
  name: "market log",
  migrations: [marketLogSchema, fingerprintSchema, faultSchema],
};

/** A change that the newest snapshot contains stays in the log for this time. */
const KEEP_MS = 7 * DAY_MS;
/** A larger entry would block the event loop of each node when it arrives. */
const MAX_ENTRY_BYTES = 8 * 2 ** 20;
/** An append without an answer is repeated for half a minute. */
const ATTEMPTS = 120;
const PAUSE_MS = 250;
/** Entries that are removed by one statement. */
const PRUNED_AT_ONCE = 200;

/** One change of the market, as it is stored in the log. */
export interface LogEntry {
  /** 1 for the first change. Numbers have no gaps. */
  readonly number: number;
  /** The UUID that the writer of the change chose. */
  readonly id: string;
  /** The place of the change among those with its id; 0 for the first. */
  readonly position: number;
  readonly bytes: Uint8Array;
  /** As `nextFingerprint` computes it. */
  readonly fingerprint: string;
}

/** What the log contains. */
export interface LogBounds {
  /** The number of the newest change; 0 if there was none. */
  readonly head: number;
  /** The number of the oldest change that is kept; `head + 1` if none is. */
  readonly oldest: number;
  /** The fingerprint of the newest change; empty if there was none. */
  readonly fingerprint: string;
}

const STAGE = `INSERT INTO market_log (id, position, bytes, appended_at)
  VALUES ($1, $2, $3, cluster_now()) ON CONFLICT (id, position) DO NOTHING`;

const APPEND = `SELECT
  append_to_market_log($1::uuid, $2::bytea, $3::integer, $4::integer, $5::uuid) AS number`;

const DISCARD = "DELETE FROM market_log WHERE id = $1 AND number IS NULL";

const BOUNDS = `SELECT head.number::double precision AS head, head.fingerprint,
  coalesce((SELECT min(number) FROM market_log), head.number + 1)::double precision AS oldest
  FROM market_log_head AS head`;

// The first entry is listed however large it is.
const LIST = `SELECT number::double precision AS number, id::text AS id, position, bytes, fingerprint FROM (
    SELECT number, id, position, bytes, fingerprint, sum(length(bytes)) OVER (ORDER BY number) - length(bytes) AS before
    FROM (SELECT * FROM market_log WHERE number > $1::bigint ORDER BY number LIMIT 500) AS next
  ) AS sized WHERE before < $2::bigint ORDER BY number`;

// Up to the first entry that is kept, so that a clock that was set back leaves no gap.
/**
 * SQL: true for a snapshot whose last change is in the log. After the database went back in time, a node can
 * still store its market from before; that snapshot leads to no change of the log. A change that was removed
 * from the log, and a snapshot of an earlier version, have no fingerprint to compare.
 */
export const SNAPSHOT_IS_OF_LOG = `market_snapshots.number <= (SELECT number FROM market_log_head)
  AND NOT EXISTS (SELECT 1 FROM market_log WHERE market_log.number = market_snapshots.number
    AND market_log.fingerprint <> nullif(market_snapshots.fingerprint, ''))
  AND NOT EXISTS (SELECT 1 FROM market_log_head WHERE market_log_head.number = market_snapshots.number
    AND market_log_head.fingerprint <> nullif(market_snapshots.fingerprint, ''))`;

const PRUNE = `DELETE FROM market_log WHERE number IN (
  SELECT number FROM market_log WHERE number < least(
    coalesce((SELECT min(number) FROM market_log WHERE appended_at >= cluster_now() - $1::double precision),
      (SELECT number + 1 FROM market_log_head)),
    (SELECT coalesce(max(number), 0) + 1 FROM market_snapshots
      WHERE completed_at IS NOT NULL AND ${SNAPSHOT_IS_OF_LOG})
  ) ORDER BY number LIMIT ${PRUNED_AT_ONCE}) RETURNING 1`;

// Changes whose writer was killed.
const PRUNE_STAGED = `DELETE FROM market_log WHERE (id, position) IN (
  SELECT id, position FROM market_log WHERE number IS NULL
    AND appended_at < cluster_now() - $1::double precision LIMIT ${PRUNED_AT_ONCE}) RETURNING 1`;

const BACKLOG = `SELECT coalesce(sum(length(bytes)), 0)::double precision AS bytes,
    greatest(0, cluster_now() - coalesce(min(appended_at), cluster_now())) AS "ageMs"
  FROM market_log WHERE number > $1::bigint`;

const FINGERPRINT = `SELECT fingerprint FROM market_log WHERE number = $1
  UNION ALL SELECT fingerprint FROM market_log_head WHERE number = $1 LIMIT 1`;

const CLAIM_ORIGIN = `UPDATE cluster SET origin = coalesce(origin, $1)
  RETURNING id::text AS id, origin`;

/**
 * The log of all changes of a cluster's market, in Postgres. Every node applies it in order to its own
 * `market.db`.
 */
export class MarketLog {
  readonly #postgres: Postgres;
  #isStopped = false;

  private constructor(postgres: Postgres) {
    this.#postgres = postgres;
  }

  /**
   * Opens the log and creates it if it is missing.
   *
   * @throws BourseError `unavailable` if the database is, or if a newer bourse changed its schema
   */
  static async open(postgres: Postgres): Promise<MarketLog> {
    await migratePostgres(postgres, MARKET_LOG);
    return new MarketLog(postgres);
  }

  /**
   * Returns the id of the cluster. The first caller decides the origin of its market.
   *
   * @throws BourseError `unavailable` if the cluster has the other origin, because sample and live data
   * never mix
   */
  async claimOrigin(origin: MarketOrigin): Promise<string> {
    const [row] = await this.#postgres.query<{ id: string; origin: MarketOrigin }>(CLAIM_ORIGIN, [
      origin,
    ]);
    if (!row) throw new Error("The cluster has no row.");
    if (row.origin === origin) return row.id;
    throw unavailable(
      `The cluster has a ${row.origin} market, and this node was started with a ${origin} one. Start it with --market ${row.origin}.`,
    );
  }

  /**
   * Stores a change that is appended later, together with the last one of its id.
   *
   * @throws BourseError `unavailable` if it is too large, or if the database is
   */
  async stage(id: string, position: number, bytes: Uint8Array): Promise<void> {
    refuseLarge(bytes);
    await this.#untilAnswered(() => this.#postgres.query(STAGE, [id, position, bytes]));
  }

  /**
   * Appends the last of `changes` changes with that id, after those that were staged. Returns its number. Returns
   * null and appends nothing if `holder` does not lead with that fence. Without a fence any node may append. If the
   * database does not answer, the append is repeated with the same id for half a minute. Each change is stored once.
   *
   * @throws BourseError `unavailable` if the change is too large, if the database has lost staged changes, or if
   * it did not answer. In the last case the changes may have been appended.
   */
  async append(
    id: string,
    bytes: Uint8Array,
    {
      changes = 1,
      fence = null,
      holder = null,
    }: { changes?: number; fence?: number | null; holder?: string | null } = {},
  ): Promise<number | null> {
    refuseLarge(bytes);
    const values = [id, bytes, changes, fence, holder];
    try {
      const [row] = await this.#untilAnswered(() =>
        this.#postgres.query<{ number: number | null }>(APPEND, values),
      );
      return row?.number ?? null;
    } catch (error) {
      throw isStagedLost(error) ? stagedLost() : error;
    }
  }

  /** Removes the staged changes with that id. @throws BourseError `unavailable` */
  async discard(id: string): Promise<void> {
    await this.#postgres.query(DISCARD, [id]);
  }

  /** The numbers of the oldest and the newest change. @throws BourseError `unavailable` */
  async bounds(): Promise<LogBounds> {
    const [row] = await this.#postgres.query<LogBounds>(BOUNDS);
    if (!row) throw new Error("The market log has no head.");
    return row;
  }

  /** The fingerprint of the change with that number; null if it is not kept. @throws BourseError `unavailable` */
  async findFingerprint(number: number): Promise<string | null> {
    const [row] = await this.#postgres.query<{ fingerprint: string }>(FINGERPRINT, [number]);
    return row?.fingerprint ?? null;
  }

  /**
   * The changes after that number, in order: at least one if there is any, then as many as begin within
   * `limitBytes`.
   *
   * @throws BourseError `unavailable`
   */
  list(after: number, limitBytes: number): Promise<LogEntry[]> {
    return this.#postgres.query<LogEntry>(LIST, [after, limitBytes]);
  }

  /**
   * The bytes of all changes after that number, and the age of the oldest of them in milliseconds.
   *
   * @throws BourseError `unavailable`
   */
  async backlog(after: number): Promise<{ bytes: number; ageMs: number }> {
    const [row] = await this.#postgres.query<{ bytes: number; ageMs: number }>(BACKLOG, [after]);
    return row ?? { bytes: 0, ageMs: 0 };
  }

  /**
   * Removes old changes that the newest snapshot contains, and changes whose writer ended before it could
   * append them.
   *
   * @throws BourseError `unavailable`
   */
  async prune(keepMs: number = KEEP_MS): Promise<void> {
    for (const statement of [PRUNE, PRUNE_STAGED]) {
      let removed: number;
      do removed = (await this.#postgres.query(statement, [keepMs])).length;
      while (removed === PRUNED_AT_ONCE);
    }
  }

  /** From now on, an append that gets no answer is not repeated. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Calls `appended` after each append, and whenever one may have been missed. It must not throw. */
  listen(appended: () => void): Promise<void> {
    return this.#postgres.listen("bourse_log", appended, appended);
  }

  /** Repeats a statement that has the same effect however often it runs, for half a minute. */
  async #untilAnswered<T>(send: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await send();
      } catch (error) {
        if (!(error instanceof BourseError) || attempt === ATTEMPTS || this.#isStopped) throw error;
        await Bun.sleep(PAUSE_MS);
      }
    }
  }
}

/** True for the error of `append_to_market_log` if the changes before the last one are missing. */
const isStagedLost = (error: unknown) =>
  error instanceof Bun.SQL.PostgresError &&
  error.errno === RAISED &&
  error.message.includes("Changes before the last one are missing");

/** SQLSTATE of RAISE EXCEPTION. */
const RAISED = "P0001";

function stagedLost(): BourseError {
  return unavailable(
    "The cluster's database lost the beginning of these changes, by a failover or a restore, before all were sent. None is stored. Run the import again.",
    { retryAfterSeconds: 1 },
  );
}

/** @throws BourseError if the change is too large */
function refuseLarge({ length }: Uint8Array): void {
  if (length <= MAX_ENTRY_BYTES) return;
  const inMb = (size: number) => Math.ceil(size / 2 ** 20);
  throw unavailable(
    `One change of the market has ${inMb(length)} MB, and a cluster stores at most ${inMb(MAX_ENTRY_BYTES)} MB at once. Import it in smaller files.`,
  );
}
