import { join, resolve } from "node:path";
import type { NodeInfo } from "#domain/cluster-node.ts";
import { BourseError } from "#domain/errors.ts";
import type { DoorsInfo, ListInfo } from "#http/service-reports.ts";
import { hideSecrets } from "#lib/secrets.ts";
import { formatAge, formatCount, formatMoment, formatTable } from "#lib/table.ts";
import { isMarketOfCluster } from "#store/index.ts";
import { findBackupWarning, findLastBackup } from "#service/backups.ts";
import { postgresPartsOf } from "#service/world.ts";
import { findExportWarning, findLastExport } from "#service/exports.ts";
import { PROGRAM } from "#lib/compiled.ts";
import { VERSION } from "#domain/program.ts";
import { describeNode, joinCauses } from "#service/finding.ts";
import { findRefresher } from "#service/refresh-lease.ts";
import { listServers } from "#service/servers.ts";
import { describeUpdates, findUpdates } from "#service/updates.ts";
import { countAccounts, listFiles, NO_DOORS, readMarket } from "#service/state.ts";
import type { Command, Invocation } from "./command.ts";
import { OF_UPKEEP } from "./service-settings.ts";
import { withAccess, withMarket } from "./stores.ts";

export const status: Command = {
  name: "status",
  summary:
    "Show files, services, nodes of a cluster, last backup, users, calls, data by kind and age",
  examples: ["--data /var/lib/bourse", "--json"],
  settings: ["data", "cluster"],
  ofService: { settings: ["sources", ...OF_UPKEEP], keys: true },
  async report(invocation) {
    const { report, outage } = await createReport(invocation);
    return { json: report, text: formatReport(report), failure: outage };
  },
};

type Report = Awaited<ReturnType<typeof createReport>>["report"];

/** What is known, and why the database of a cluster cannot be read; null if it was, or on one machine. */
async function createReport(invocation: Invocation) {
  const { io, config } = invocation;
  const now = io.clock();
  const folder = config.dataFolder;
  const { accounts, nodes, outage } = await readShared(invocation);
  // A command in a cluster does not create a market, which only a node may do.
  const isNode = config.cluster === null || isMarketOfCluster(join(folder, "market.db"));
  const market = isNode
    ? await withMarket(config, (opened) => readMarket({ config, market: opened }, now))
    : { market: null, data: [], progress: [], pausedSources: [], doors: NO_DOORS };
  const report = {
    version: VERSION,
    dataFolder: resolve(folder),
    services: listServers(folder).map(({ pid, url, startedAt }) => ({
      pid,
      url,
      started: formatMoment(startedAt),
    })),
    refresher: findRefresher(folder),
    files: isNode ? listFiles(config) : [],
    ...(accounts ?? UNKNOWN_ACCOUNTS),
    ...market,
    pausedSources: market.pausedSources.map(({ source, until }) => ({
      source,
      until: formatMoment(until),
    })),
    doors: datedDoors(market.doors),
    cluster: config.cluster === null ? null : { database: hideSecrets(config.cluster), nodes },
    lastBackup: findLastBackup(folder),
    backupWarning: findBackupWarning(folder, config.backups, { now, since: now }),
    lastExport: findLastExport(folder),
    exportWarning: findExportWarning(folder, config.exports, { now, since: now }),
    updates: findUpdates(config),
  };
  return { report, outage };
}

/** What all nodes of a cluster share. While its database does not answer, the rest is reported without it. */
async function readShared(invocation: Invocation) {
  const { io, config } = invocation;
  try {
    return {
      accounts: await withAccess(invocation, (access) => countAccounts(access, io.clock)),
      nodes: config.cluster === null ? null : await listNodes(invocation, config.cluster),
      outage: null,
    };
  } catch (error) {
    if (config.cluster === null || !(error instanceof BourseError)) throw error;
    return { accounts: null, nodes: null, outage: error };
  }
}

async function listNodes({ io, config }: Invocation, url: string): Promise<NodeInfo[]> {
  const { readNodes } = await import("#service/cluster-stores.ts");
  return readNodes(url, postgresPartsOf(io, config));
}

const UNKNOWN_ACCOUNTS = {
  users: null,
  liveTokens: null,
  tokens: null,
  callsToday: null,
  callsThisHour: null,
};

function formatReport(report: Report): string {
  const sample = report.market === "sample" ? " (generated figures, none is real)" : "";
  const services = report.services.map(
    ({ url, pid, started }) => `${url} (pid ${pid}, since ${started})`,
  );
  const lines = [
    `Version      ${report.version}`,
    `Data folder  ${report.dataFolder}`,
    `Files        ${report.files.map(formatFile).join(", ") || "—"}`,
    ...(report.cluster ? [`Cluster      ${report.cluster.database}`] : []),
    `Listens on   ${services.join(", ") || "— (no service runs on this folder)"}`,
    `Market       ${report.market ?? "empty"}${sample}`,
    ...(report.services.length > 1 && report.refresher
      ? [`Refresh      by ${report.refresher.url} alone; the other services only answer`]
      : []),
    ...(report.pausedSources.length > 0 ? [`Sources      ${formatPaused(report)}`] : []),
    ...formatDoors(report),
    `Backup       ${report.backupWarning ?? formatMoment(report.lastBackup?.at ?? null) ?? NONE_YET}`,
    ...formatExport(report),
    ...(report.updates ? [`Updates      ${describeUpdates(report.updates)}`] : []),
    ...formatAccounts(report),
  ];
  const rows = report.data.map(({ kind, source, count, ageSeconds }) => [
    kind,
    source,
    count,
    formatAge(ageSeconds),
  ]);
  const tables = [formatTable(["KIND", "SOURCE", "COUNT", "AGE"], rows)];
  const progress = report.progress.map(({ kind, country, done, total, secondsLeft }) => [
    kind,
    country,
    `${done} of ${total}`,
    secondsLeft === 0 ? "" : secondsLeft === null ? "—" : formatAge(secondsLeft),
  ]);
  if (report.cluster?.nodes) tables.unshift(formatNodes(report.cluster.nodes));
  if (progress.length > 0)
    tables.push(formatTable(["REFRESH", "COUNTRY", "DONE", "TIME LEFT"], progress));
  return `${lines.join("\n")}\n\n${tables.join("\n")}`;
}

/** The same with times as text. */
function datedDoors({ live, old, empty, refused, missing }: DoorsInfo) {
  const dated = (lists: readonly ListInfo[]) =>
    lists.map(({ kind, country, fetchedAt }) => ({
      kind,
      country,
      fetchedAt: formatMoment(fetchedAt),
    }));
  return {
    live: dated(live),
    old: dated(old),
    empty: dated(empty),
    refused: refused.map((one) => ({
      ...one,
      at: formatMoment(one.at),
      retryAt: formatMoment(one.retryAt),
    })),
    missing,
  };
}

/** The refusals and what answers lack; nothing without any. */
function formatDoors({ doors }: Report): string[] {
  const { causes, missing } = joinCauses(doors);
  return [
    ...causes.map(({ words, at, lacks }) => `Refused      ${words} (${at}) ${lacks}`.trimEnd()),
    ...missing.map((words) => `Missing      ${words}`),
  ];
}

const NONE_YET = "— (none yet)";

/** Nothing while there is no schedule and never was one. */
function formatExport({ lastExport, exportWarning }: Report): string[] {
  const text = exportWarning ?? lastExport?.error ?? formatMoment(lastExport?.at ?? null);
  return text ? [`Export       ${text}`] : [];
}

function formatAccounts({ users, liveTokens, tokens, callsToday, callsThisHour }: Report) {
  if (users === null) return ["Users        — (the cluster's database does not answer)"];
  return [
    `Users        ${users}`,
    `Tokens       ${liveTokens} live of ${tokens}`,
    `Calls        ${formatCount(callsToday, "call")} today, ${callsThisHour} this hour (UTC)`,
  ];
}

function formatFile({ name, bytes, schema }: Report["files"][number]): string {
  return `${name} ${formatBytes(bytes)} (schema ${schema})`;
}

function formatNodes(nodes: readonly NodeInfo[]): string {
  const rows = nodes.map((node) => [
    node.host,
    node.url,
    node.version,
    formatAge(Math.floor(node.upMs / 1_000)),
    formatAge(Math.floor(node.seenMs / 1_000)),
    node.lag,
    node.leases,
    describeNode(node),
  ]);
  return formatTable(["NODE", "URL", "VERSION", "UP", "SEEN", "BEHIND", "LEASES", "STATE"], rows);
}

function formatPaused({ pausedSources }: Report): string {
  const paused = pausedSources.map(({ source, until }) => `${source} is paused until ${until}`);
  return `${paused.join(", ")}; \`${PROGRAM} sources\` says why`;
}

/** A size in its largest whole unit: `40 KB`, `17 MB` (1 KB is 1,000 bytes). */
function formatBytes(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.ceil(bytes / 1_000)} KB`;
  return `${Math.round(bytes / 1_000_000)} MB`;
}
