import { join } from "node:path";
import type { ServiceStatus } from "#domain/console.ts";
import type { ServiceReports } from "#http/console-endpoint.ts";
import type { RateMeter } from "#lib/rate-meter.ts";
import { runInTurns } from "#lib/slices.ts";
import type { AccessFile } from "#store/index.ts";
import { type Backups, findLastBackup } from "./backups.ts";
import { SOURCES } from "./live.ts";
import { readSourceInfos, type SourceReportParts } from "./source-report.ts";
import { progressOf, sizeOf } from "./status.ts";
import { VERSION } from "./version.ts";

/** What the reports on the running service read. */
export interface ServiceReportParts extends Omit<SourceReportParts, "clients"> {
  readonly access: AccessFile;
  /** Null without live sources. */
  readonly clients: SourceReportParts["clients"] | null;
  /** Null if this service writes no backups. */
  readonly backups: Backups | null;
  readonly requests: RateMeter;
  readonly startedAt: number;
  readonly clock: () => number;
}

/** Creates the reports on the running service for the console. */
export function createServiceReports(parts: ServiceReportParts): ServiceReports {
  const { clients, clock, backups } = parts;
  return {
    terms: SOURCES.map(({ name, official, fills, terms }) => ({
      source: name,
      official,
      fills,
      terms,
    })),
    listSources: async () =>
      clients ? runInTurns(readSourceInfos({ ...parts, clients }, clock())) : [],
    readStatus: () => readStatus(parts),
    backUp: backups && (() => backups.run()),
  };
}

async function readStatus(parts: ServiceReportParts): Promise<ServiceStatus> {
  const { config, access, market, clients, requests, startedAt, clock } = parts;
  const fileOf = (name: string, schema: number) => ({
    name,
    bytes: sizeOf(join(config.dataFolder, name)),
    schema,
  });
  return {
    version: VERSION,
    startedAt,
    memoryBytes: process.memoryUsage.rss(),
    requestsPerSecond: Math.round(requests.perSecond() * 100) / 100,
    files: [
      fileOf("access.db", access.schemaVersion()),
      fileOf("market.db", market.schemaVersion()),
    ],
    lastBackup: findLastBackup(config.dataFolder),
    progress: clients ? await progressOf(market, config, clock()) : [],
  };
}
