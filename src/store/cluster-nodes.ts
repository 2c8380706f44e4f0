import type { NodeInfo } from "#domain/console.ts";
import type { Postgres } from "./postgres.ts";

/** A node that was not seen for this time is removed from the list. */
const FORGET_MS = 60_000;

/** What a node says about itself. */
export type NodeState = Pick<NodeInfo, "id" | "host" | "version" | "url" | "applied" | "leases">;

const BEAT = `WITH gone AS (DELETE FROM nodes WHERE seen_at < cluster_now() - ${FORGET_MS} AND id <> $1)
  INSERT INTO nodes VALUES ($1, $2, $3, $4, cluster_now(), cluster_now(), $5::double precision::bigint, $6)
  ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, applied = excluded.applied,
    leases = excluded.leases, url = excluded.url`;

const LIST = `SELECT nodes.id::text AS id, host, version, url,
    applied::double precision AS applied, leases,
    greatest(0, cluster_now() - started_at) AS "upMs", greatest(0, cluster_now() - seen_at) AS "seenMs",
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
  async beat({ id, host, version, url, applied, leases }: NodeState): Promise<void> {
    await this.#postgres.query(BEAT, [id, host, version, url, applied, leases]);
  }

  /** The nodes that were seen in the last minute, by host and start. */
  list(): Promise<NodeInfo[]> {
    return this.#postgres.query<NodeInfo>(LIST);
  }

  /** Removes a node that stops. */
  async remove(id: string): Promise<void> {
    await this.#postgres.query("DELETE FROM nodes WHERE id = $1", [id]);
  }
}
