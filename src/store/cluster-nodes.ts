import type { Postgres } from "./postgres.ts";

/** A node that was not seen for this time is removed from the list. */
const FORGET_MS = 60_000;

/** What a node says about itself. */
export interface NodeState {
  /** A UUID; a new one at each start. */
  readonly id: string;
  /** The name of its machine. */
  readonly host: string;
  readonly version: string;
  readonly url: string;
  /** UTC milliseconds of its own clock. */
  readonly startedAt: number;
  /** The number of the last change that it applied. */
  readonly applied: number;
  /** The number of leases that it holds. */
  readonly leases: number;
}

/** A node as the cluster sees it. */
export interface ClusterNode extends NodeState {
  /** Milliseconds since its last heartbeat, by the database's clock. */
  readonly seenMs: number;
  /** The number of changes that it did not apply yet. */
  readonly lag: number;
  readonly isLeader: boolean;
}

const BEAT = `WITH gone AS (DELETE FROM nodes WHERE seen_at < cluster_now() - ${FORGET_MS} AND id <> $1)
  INSERT INTO nodes VALUES ($1, $2, $3, $4, $5, cluster_now(), $6::double precision::bigint, $7)
  ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, applied = excluded.applied,
    leases = excluded.leases, url = excluded.url`;

const LIST = `SELECT nodes.id::text AS id, host, version, url, started_at AS "startedAt",
    applied::double precision AS applied, leases, greatest(0, cluster_now() - seen_at) AS "seenMs",
    greatest(0, head.number - applied)::double precision AS lag,
    nodes.id IS NOT DISTINCT FROM leader.holder AND leader.until > cluster_now() AS "isLeader"
  FROM nodes, market_log_head AS head, leader
  WHERE seen_at >= cluster_now() - ${FORGET_MS} ORDER BY host, started_at`;

/** The nodes of a cluster, each known by its heartbeats. */
export class ClusterNodes {
  readonly #postgres: Pick<Postgres, "query">;

  /** The nodes in that database; the schema of the market log must exist. */
  constructor(postgres: Pick<Postgres, "query">) {
    this.#postgres = postgres;
  }

  /** Stores that the node is alive, and forgets nodes that were not seen for a minute. */
  async beat({ id, host, version, url, startedAt, applied, leases }: NodeState): Promise<void> {
    await this.#postgres.query(BEAT, [id, host, version, url, startedAt, applied, leases]);
  }

  /** The nodes that were seen in the last minute, by host and start. */
  list(): Promise<ClusterNode[]> {
    return this.#postgres.query<ClusterNode>(LIST);
  }

  /** Removes a node that stops. */
  async remove(id: string): Promise<void> {
    await this.#postgres.query("DELETE FROM nodes WHERE id = $1", [id]);
  }
}
