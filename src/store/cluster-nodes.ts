import type { NodeInfo } from "#domain/cluster-node.ts";
import { GONE_MS } from "./leadership.ts";
import type { Postgres } from "./postgres.ts";

/** A node that was not seen for this time is removed from the list. */
const FORGET_MS = 60_000;

/** What a node says about itself. */
export interface NodeState extends Pick<
  NodeInfo,
  "id" | "host" | "version" | "url" | "applied" | "leases" | "fault"
> {
  /** Identifies its program. */
  readonly build: string;
  /** A hash of each setting that all nodes share, by name. */
  readonly settings: Readonly<Record<string, string>>;
}

const BEAT = `WITH gone AS (DELETE FROM nodes WHERE seen_at <= cluster_now() - ${FORGET_MS} AND id <> $1)
  INSERT INTO nodes (id, host, version, url, started_at, seen_at, applied, leases, build, settings, fault)
  VALUES ($1, $2, $3, $4, cluster_now(), cluster_now(), $5::double precision::bigint, $6, $7, $8, $9)
  ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, applied = excluded.applied,
    leases = excluded.leases, url = excluded.url, fault = excluded.fault`;

const LIST = `SELECT nodes.id::text AS id, host, version, url,
    applied::double precision AS applied, leases,
    greatest(0, cluster_now() - started_at) AS "upMs", greatest(0, cluster_now() - seen_at) AS "seenMs",
    greatest(0, head.number - applied)::double precision AS lag,
    nodes.id IS NOT DISTINCT FROM leader.holder AND leader.until > cluster_now() AS "isLeader",
    seen_at < cluster_now() - ${GONE_MS} AS "isGone",
    fault, build, settings
  FROM nodes, market_log_head AS head, leader
  WHERE seen_at > cluster_now() - ${FORGET_MS} ORDER BY host, started_at`;

interface Row extends Omit<NodeInfo, "differs"> {
  /** Null from an earlier version. */
  readonly build: string | null;
  /** JSON; null from an earlier version. */
  readonly settings: string | null;
}

/** The nodes of a cluster, each known by its heartbeats. */
export class ClusterNodes {
  readonly #postgres: Pick<Postgres, "query">;

  /** The nodes in that database; the schema of the market log must exist. */
  constructor(postgres: Pick<Postgres, "query">) {
    this.#postgres = postgres;
  }

  /** Stores that the node is alive, and forgets nodes that were not seen for a minute. */
  async beat(node: NodeState): Promise<void> {
    const { id, host, version, url, applied, leases, build, settings, fault } = node;
    const texts = [build, JSON.stringify(settings), fault];
    await this.#postgres.query(BEAT, [id, host, version, url, applied, leases, ...texts]);
  }

  /** The nodes that were seen in the last minute, by host and start. */
  async list(): Promise<NodeInfo[]> {
    const rows = await this.#postgres.query<Row>(LIST);
    const reference = rows.find(({ isLeader }) => isLeader) ?? rows[0];
    return rows.map(({ build, settings, ...node }) => ({
      ...node,
      differs: reference ? listDifferences({ build, settings }, reference) : [],
    }));
  }

  /** Removes a node that stops. */
  async remove(id: string): Promise<void> {
    await this.#postgres.query("DELETE FROM nodes WHERE id = $1", [id]);
  }
}

/** The names of what is not the same in two nodes. A setting that one does not know is not compared. */
function listDifferences(
  one: Pick<Row, "build" | "settings">,
  other: Pick<Row, "build" | "settings">,
): string[] {
  const valuesOf = ({ build, settings }: typeof one): Record<string, string> => ({
    ...(JSON.parse(settings ?? "{}") as Record<string, string>),
    ...(build !== null && { build }),
  });
  const [own, others] = [valuesOf(one), valuesOf(other)];
  return Object.keys(own).filter((name) => name in others && own[name] !== others[name]);
}
