import { createFileGuard, type Guard } from "#access/guard.ts";
import { createIpGate, type IpGate } from "#access/ip-gate.ts";
import type { Config } from "#config.ts";
import type { NodeInfo } from "#domain/cluster-node.ts";
import { refuseMarketOfCluster } from "#ingest/node-market.ts";
import type { Log } from "#lib/log.ts";
import {
  type AccessFile,
  type AccessStore,
  LockQueue,
  type MarketStore,
  openAccess,
  openMarket,
  withLockQueue,
} from "#store/index.ts";
import type { LeaderTerm } from "#store/leadership.ts";
import type { World } from "./world.ts";
import { refuseNode } from "./data-folder.ts";

/** How long one statement blocks the thread for a lock of the access file. Then it waits in a queue. */
const LOCK_WAIT_MS = 5;

/** What a service serves from: the two files of this machine, or its part of a cluster. */
export interface ServiceStores {
  readonly access: AccessStore;
  readonly market: MarketStore;
  readonly guard: Guard;
  /** The limit of requests of each address; null if it is off. */
  readonly gate: IpGate | null;
  /** The clock of this machine, or of the cluster's database; UTC milliseconds. */
  readonly clock: () => number;
  /** Throws BourseError if a file was removed or replaced since it was opened. */
  readonly checkFiles: () => void;
  /** This node of a cluster; null on one machine. */
  readonly node: ClusterNodeParts | null;
  /** Closes the files and connections. */
  close(): Promise<void>;
}

/** What only a node of a cluster has. */
export interface ClusterNodeParts {
  /** The nodes of the cluster. @throws BourseError `unavailable` if the database is */
  readonly listNodes: () => Promise<NodeInfo[]>;
  /** Another node may have changed users or tokens. */
  readonly accessChanged: () => void;
  /** The state of the node, which needs no request to the database. */
  readonly health: () => NodeHealth;
}

/** What a node knows of itself. */
export interface NodeHealth {
  readonly isDatabaseUp: boolean;
  /** How long the cluster's database has not answered, in milliseconds; 0 while it answers. */
  readonly downMs: number;
  /** True if the node has applied all changes that the log had at its start. */
  readonly hasCaughtUp: boolean;
  /** As in `NodeInfo`. */
  readonly fault: string | null;
  /** The settings that differ from the leader's; `build` if the program differs. */
  readonly differs: readonly string[];
  /** The number of changes that it knows of and has not applied. */
  readonly changesBehind: number;
  /** True if it refreshes the market. */
  readonly isLeader: boolean;
  /** Its term while it is the leader; null otherwise. */
  readonly term: LeaderTerm | null;
  /** Tokens whose calls it has counted in advance. */
  readonly leases: number;
  /** The nodes that were alive when it last looked, this one included; null before its first look. */
  readonly nodesAlive: number | null;
}

/** What the ingest of a node knows of it. */
export type NodeProgress = Omit<NodeHealth, "isDatabaseUp" | "downMs" | "leases">;

/** How the stores are opened. */
export interface StoresOptions {
  readonly world: World;
  readonly config: Config;
  readonly log: Log;
  /** True if the market file is deleted first. */
  readonly reset: boolean;
  /** What the ingest of a node knows of its cluster; null before it has begun. */
  readonly progress: () => NodeProgress | null;
}

/** Opens both files of one machine. Close the stores. */
export function openFileStores({ world: { clock }, config, log }: StoresOptions): ServiceStores {
  refuseNode(config.dataFolder);
  const access = openAccess(config.dataFolder, {
    busyTimeoutMs: LOCK_WAIT_MS,
    onUpgrade: (copy) =>
      log.info(
        "upgraded access.db to the form of this version; going back to the copy makes tokens that are revoked from now on valid again, and loses new users and tokens",
        { copy },
      ),
  });
  return createFileStores({ access, market: openMarket(config.dataFolder, clock), config, clock });
}

/** The stores of one machine on its two opened files. */
export function createFileStores({
  access,
  market,
  config: { plans, gatePerMinute },
  clock,
  queue = new LockQueue(),
}: {
  access: AccessFile;
  market: MarketStore;
  config: Config;
  clock: () => number;
  queue?: LockQueue;
}): ServiceStores {
  refuseMarketOfCluster(market);
  return {
    access: withLockQueue(access, queue),
    market,
    guard: createFileGuard({ access, plans, clock, queue }),
    gate: gatePerMinute > 0 ? createIpGate(gatePerMinute, clock) : null,
    clock,
    checkFiles() {
      access.checkFile();
      market.checkFile();
    },
    node: null,
    async close() {
      market.close();
      access.close();
    },
  };
}
