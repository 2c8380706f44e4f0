import type { NodeInfo } from "#domain/cluster-node.ts";
import { isUnavailable } from "#domain/errors.ts";
import { ExportedFiles } from "#exports/exported-files.ts";
import type { Readiness } from "#http/health.ts";
import type { ServiceReports, ServiceStatus } from "#http/service-reports.ts";
import type { RateMeter } from "#lib/rate-meter.ts";
import { readArrivals } from "./arrivals.ts";
import { type Backups, findLastBackup } from "./backups.ts";
import type { ClusterNodeParts } from "./stores.ts";
import { SOURCES, termsOf } from "./live.ts";
import { listFiles, readDoors, readProgress, readSources, type StateParts } from "./state.ts";
import { VERSION } from "#domain/program.ts";
import { findUpdates } from "./updates.ts";

/** What the reports on the running service read. */
export interface ServiceReportParts extends StateParts {
  /** Null on one machine. */
  readonly node: ClusterNodeParts | null;
  /** Null if this service writes no backups. */
  readonly backups: Backups | null;
  readonly requests: RateMeter;
  readonly readiness: () => Readiness;
  readonly startedAt: number;
  readonly clock: () => number;
  /** The check of the connection. */
  readonly connection: ServiceReports["connection"];
}

/** Every open page asks for what is still to come, and its state is read from many records. */
const ARRIVALS_MS = 5_000;

/** Creates the reports on the running service for the console. */
export function createServiceReports(parts: ServiceReportParts): ServiceReports {
  const { config, clock, backups, connection } = parts;
  const exported = new ExportedFiles(config.exports.folder);
  return {
    terms: SOURCES.map(({ name, official, fills }) => ({
      source: name,
      official,
      fills,
      ...termsOf(name),
    })),
    async listSources() {
      const states = config.market === "live" ? await readSources(parts, clock()) : [];
      return states.map(({ isOn, readiness, ...state }) => ({
        ...state,
        state: isOn ? readiness : "switched off",
      }));
    },
    readStatus: () => readStatus(parts, exported),
    readArrivals: keepFor(ARRIVALS_MS, clock, async () =>
      config.market === "live" ? readArrivals(parts, clock()) : null,
    ),
    connection,
    backUp: backups && (() => backups.run()),
  };
}

/** Keeps a value for that time, so that all who ask meanwhile share it. */
function keepFor<T>(ms: number, clock: () => number, load: () => Promise<T>): () => Promise<T> {
  let kept: { readonly at: number; readonly value: Promise<T> } | null = null;
  return () => {
    const now = clock();
    if (kept === null || Math.abs(now - kept.at) >= ms) kept = { at: now, value: load() };
    return kept.value;
  };
}

async function readStatus(
  parts: ServiceReportParts,
  exported: ExportedFiles,
): Promise<ServiceStatus> {
  const { config, requests, readiness, startedAt, clock } = parts;
  return {
    health: readiness(),
    version: VERSION,
    startedAt,
    memoryBytes: process.memoryUsage.rss(),
    requestsPerSecond: Math.round(requests.perSecond() * 100) / 100,
    files: listFiles(config),
    exported: Array.from(exported.list(), ([path, { bytes }]) => ({ path, bytes })),
    lastBackup: findLastBackup(config.dataFolder),
    updates: findUpdates(config),
    progress: config.market === "live" ? await readProgress(parts, clock()) : [],
    doors: await readDoors(parts, clock()),
    cluster: parts.node && { nodes: await listNodes(parts.node) },
  };
}

/** The nodes of the cluster; null while its database does not answer. */
async function listNodes(node: ClusterNodeParts): Promise<NodeInfo[] | null> {
  try {
    return await node.listNodes();
  } catch (error) {
    if (isUnavailable(error)) return null;
    throw error;
  }
}
