import type { Postgres } from "./postgres.ts";

/** Requests of an address that a node takes in advance. */
export interface WantedChunk {
  readonly address: string;
  readonly chunk: number;
  /** The requests of the address that all nodes together may take in a minute. */
  readonly ceiling: number;
}

const MINUTE_MS = 60_000;
/** Rows that are removed by one statement. */
const PRUNED_AT_ONCE = 5_000;

// Nodes take more than the ceiling at most once in a minute each, because a refusal lasts until its end. So
// `taken` may exceed the ceiling, and what exceeds it is not granted.
const TAKE = `
  WITH clock AS MATERIALIZED (SELECT cluster_now() AS now),
  wanted AS (
    SELECT address, chunk FROM unnest($1::text[], $2::integer[]) AS one (address, chunk)),
  taken AS (
    INSERT INTO gate_chunks AS stored (address, minute, taken)
    SELECT address, floor(now / ${MINUTE_MS})::integer, chunk FROM wanted, clock
    ORDER BY address COLLATE "C"
    ON CONFLICT (address, minute) DO UPDATE SET taken = stored.taken + excluded.taken
    RETURNING address, taken)
  SELECT now, address, taken FROM clock LEFT JOIN taken ON true`;

const PRUNE = `
  WITH removed AS (
    DELETE FROM gate_chunks WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM gate_chunks WHERE minute < $1
      ORDER BY minute LIMIT ${PRUNED_AT_ONCE} FOR UPDATE SKIP LOCKED)) RETURNING 1)
  SELECT count(*)::integer AS removed FROM removed`;

/** The requests of each address in a minute of the database's clock, counted for all nodes of a cluster. */
export class ClusterGate {
  readonly #postgres: Postgres;
  #minute = 0;

  /** The counts in that database; its migrations have run. */
  constructor(postgres: Postgres) {
    this.#postgres = postgres;
  }

  /**
   * Takes requests of many addresses in one statement, each address at most once. `granted` has as many as
   * the ceiling allows, in order. `now` is the database's clock, UTC milliseconds.
   *
   * @throws BourseError `unavailable` if the database cannot be used
   */
  async takeChunks(
    wanted: readonly WantedChunk[],
  ): Promise<{ now: number; granted: readonly number[] }> {
    const rows = await this.#postgres.query<{ now: number; address: string; taken: number }>(TAKE, [
      wanted.map(({ address }) => address),
      wanted.map(({ chunk }) => chunk),
    ]);
    const now = rows[0]?.now ?? 0;
    this.#pruneIfDue(Math.floor(now / MINUTE_MS));
    const taken = new Map(rows.map((row) => [row.address, row.taken]));
    const granted = wanted.map(({ address, chunk, ceiling }) => {
      const takenBefore = (taken.get(address) ?? chunk) - chunk;
      return Math.max(0, Math.min(chunk, ceiling - takenBefore));
    });
    return { now, granted };
  }

  /** Removes the counts of earlier minutes, once in a minute, without waiting for the end. */
  #pruneIfDue(minute: number): void {
    if (minute === this.#minute) return;
    this.#minute = minute;
    // What a failure leaves is removed in the next minute.
    this.#prune(minute).catch(() => {});
  }

  async #prune(before: number): Promise<void> {
    let removed: number | undefined;
    do {
      const [row] = await this.#postgres.query<{ removed: number }>(PRUNE, [before]);
      removed = row?.removed;
    } while (removed === PRUNED_AT_ONCE);
  }
}
