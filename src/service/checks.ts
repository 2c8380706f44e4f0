import { accessSync, constants, existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Config } from "#config.ts";
import { BourseError } from "#domain/errors.ts";
import { wordsOf } from "#domain/records.ts";
import { withoutSource } from "#ingest/lacks.ts";
import { groupRefusals } from "#sources/refusal.ts";
import type { Finding } from "#http/service-reports.ts";
import { fetchFrom } from "#lib/unix-socket.ts";
import { formatCount, formatMoment } from "#lib/table.ts";
import {
  countPlacesTaken,
  type DatabaseName,
  DATABASES,
  glanceAtDatabase,
  inspectDatabase,
} from "#store/backup.ts";
import { checkBars } from "#store/bar-checksums.ts";
import { isForbidden, openMarket } from "#store/index.ts";
import { findBackupWarning, findLastBackup } from "./backups.ts";
import { findExportWarning, findLastExport } from "./exports.ts";
import { PROGRAM } from "#lib/compiled.ts";
import { readHosts, SOURCES } from "./live.ts";
import { listServers } from "./servers.ts";
import { checkSources as callSources } from "./source-check.ts";
import type { Probe } from "./source-probe.ts";
import { isStaleSocket } from "./stale-socket.ts";
import { missesKey, NO_DOORS, readDoors } from "./state.ts";
import { describeUpdates, findUpdates } from "./updates.ts";
import type { World } from "./world.ts";
import { databaseNames, readFreeBytes, refuseNode } from "./data-folder.ts";
import { describeDoors, describePlaces, failed, ok, warning } from "./finding.ts";

/** Below this the next backup or list of instruments may fail. */
const LOW_DISK_BYTES = 1e9;
/** Below this the service refuses calls that it cannot count. */
const FULL_DISK_BYTES = 5e7;
/** Quotas, sessions and trading days depend on the clock. */
const MAX_CLOCK_ERROR_MS = 120_000;
/** Units of a large clock error, with their minutes. */
const CLOCK_UNITS = [
  ["day", 1_440],
  ["hour", 60],
] as const;
const HEALTH_TIMEOUT_MS = 5_000;
const MAIL_TIMEOUT_MS = 10_000;

/** What the checks read. */
export interface CheckParts {
  readonly world: World;
  readonly config: Config;
  /** True to read every page and every bar of `market.db` too. */
  readonly isDeep: boolean;
  /** Called with the step that takes long, and with null after it. */
  readonly progress: (step: string | null) => void;
}

/** Checks the folder, disk, files, port, clock, sources and backups of a service, and changes nothing. */
export async function checkService(parts: CheckParts): Promise<Finding[]> {
  const { world, config, isDeep } = parts;
  return [
    checkFolder(config.dataFolder),
    checkDisk(config.dataFolder),
    ...databaseNames(config.cluster !== null).map((name) => checkFile(config, name, isDeep)),
    ...checkClients(config, world.clock()),
    ...(await checkCluster(parts)),
    await checkAddress(config),
    checkProxies(world.env),
    ...(await checkSources(parts)),
    checkBackups(parts),
    ...checkExports(parts),
    ...checkUpdates(config),
    ...(await checkMail(config)),
  ];
}

/** The database of a cluster. On one machine nothing, unless the folder belongs to a node. */
async function checkCluster(parts: CheckParts): Promise<Finding[]> {
  const { cluster, dataFolder } = parts.config;
  if (cluster !== null) {
    const { checkDatabase } = await import("./cluster-check.ts");
    return checkDatabase(parts, cluster);
  }
  try {
    refuseNode(dataFolder);
    return [];
  } catch (error) {
    return [failed("cluster", String(error instanceof Error ? error.message : error))];
  }
}

/** The places of OAuth clients, if few are left. */
function checkClients({ cluster, dataFolder }: Config, now: number): Finding[] {
  const path = join(dataFolder, "access.db");
  if (cluster !== null || !existsSync(path)) return [];
  try {
    return describePlaces(countPlacesTaken(path, now));
  } catch {
    // The check of the file says why.
    return [];
  }
}

function checkFolder(folder: string): Finding {
  const path = resolve(folder);
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return failed(
      "folder",
      `${path} cannot be written; give it to this user: chown -R $USER ${path}`,
    );
  }
  const isShared = (statSync(path).mode & 0o077) !== 0;
  return isShared
    ? warning("folder", `Other users can read ${path}; make it private: chmod 700 ${path}`)
    : ok("folder", `${path} belongs to this user alone.`);
}

function checkDisk(folder: string): Finding {
  const free = readFreeBytes(folder);
  const text = `${(free / 1e9).toFixed(2)} GB are free`;
  if (free < FULL_DISK_BYTES)
    return failed("disk", `Only ${text}; calls cannot be counted on a full disk. Free some space.`);
  if (free < LOW_DISK_BYTES)
    return warning("disk", `Only ${text}; a live market with its backups needs 1 to 3 GB.`);
  return ok("disk", `${text}.`);
}

function checkFile({ dataFolder }: Config, name: DatabaseName, isDeep: boolean): Finding {
  const path = join(dataFolder, name);
  if (!existsSync(path)) return ok(name, "It does not exist yet; the first start creates it.");
  try {
    // A market can have gigabytes.
    return ok(name, name === "market.db" && !isDeep ? glance(path) : readAll(path, name));
  } catch (error) {
    const reason = error instanceof BourseError ? error.message : String(error);
    if (isForbidden(path)) return failed(name, reason);
    return failed(name, `${reason} \`${PROGRAM} restore FILE\` restores a backup.`);
  }
}

function glance(path: string): string {
  const { schema, count } = glanceAtDatabase(path, "market.db", "instruments");
  return `It opens: ${formatCount(count, "instrument")}, ${describeSchema("market.db", schema)}; \`${PROGRAM} doctor --deep\` reads every page and every bar.`;
}

function readAll(path: string, name: DatabaseName): string {
  const { schema, rows } = inspectDatabase(path, name);
  const hasChecksums = name === "market.db" && "bar_checksums" in rows;
  const unchecked = hasChecksums ? checkBars(path) : 0;
  const count = Object.values(rows).reduce((sum, one) => sum + one, 0);
  const except =
    unchecked === 0
      ? ""
      : ` (except ${formatCount(unchecked, "instrument")} whose bars an older version stored without a checksum)`;
  return `Every page is readable${hasChecksums ? ` and every bar is as it was stored${except}` : ""}: ${formatCount(count, "row")}, ${describeSchema(name, schema)}.`;
}

function describeSchema(name: DatabaseName, schema: number): string {
  const newest = DATABASES[name].migrations.length;
  return schema === newest
    ? `schema ${schema}`
    : `schema ${schema}; the next start upgrades it to ${newest}`;
}

async function checkAddress({ dataFolder, host, port, socket }: Config): Promise<Finding> {
  const [running] = listServers(dataFolder);
  if (!running && socket !== null) {
    const error = await isStaleSocket(socket.path).catch((thrown: unknown) => thrown);
    return error instanceof BourseError
      ? failed("service", `No service runs on this folder. ${error.message}`)
      : ok("service", `No service runs on this folder; ${socket.path} is free.`);
  }
  if (!running) {
    return isFree(host, port)
      ? ok("service", `No service runs on this folder; port ${port} on ${host} is free.`)
      : failed(
          "service",
          `No service runs on this folder, and another program has port ${port} on ${host}; choose another one with --port.`,
        );
  }
  const { url, pid } = running;
  try {
    const signal = AbortSignal.timeout(HEALTH_TIMEOUT_MS);
    const { status } = await fetchFrom(url, "/health/ready", { signal });
    return status === 200
      ? ok("service", `${url} answers (pid ${pid}).`)
      : warning(
          "service",
          `${url} answers, but is not ready (status ${status}); ${url}/health/ready gives the reasons.`,
        );
  } catch {
    return failed(
      "service",
      `${url} does not answer although process ${pid} runs; read its log and restart it.`,
    );
  }
}

function isFree(host: string, port: number): boolean {
  try {
    Bun.listen({ hostname: host, port, socket: { data() {} } }).stop(true);
    return true;
  } catch {
    return false;
  }
}

function checkProxies(env: World["env"]): Finding {
  const names = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"];
  const name = names.find((one) => env[one]);
  if (name === undefined) return ok("proxy", "Sources are called directly.");
  const proxy = URL.parse(env[name] ?? "");
  // Without its user and password.
  return proxy
    ? ok("proxy", `Sources are called through ${proxy.protocol}//${proxy.host} (${name}).`)
    : failed("proxy", `${name} is not a URL; write it as http://host:port or remove it.`);
}

/** One fetch from each source, the clock against the dates of their answers, and what is live, old or refused. */
async function checkSources({ world, config, progress }: CheckParts): Promise<Finding[]> {
  if (config.market === "sample") return [ok("sources", "The sample market needs no source.")];
  const now = world.clock();
  const { remembered, doors } = await readMarketDoors(config, now);
  const offsets: number[] = [];
  progress("Calling the sources…");
  const { rows } = await callSources({
    world,
    config,
    remembered,
    isBrief: true,
    onAnswer({ headers }) {
      const date = Date.parse(headers.get("date") ?? "");
      if (!Number.isNaN(date)) offsets.push(date - world.clock());
    },
  });
  progress(null);
  return [checkClock(offsets), ...describeDoors(describeProbes(rows, config), doors, now)];
}

/** What the market knows of doors. A market of another version is not opened, because that would upgrade it. */
async function readMarketDoors(config: Config, now: number) {
  const path = join(config.dataFolder, "market.db");
  try {
    const { schema } = glanceAtDatabase(path, "market.db", "instruments");
    if (schema !== DATABASES["market.db"].migrations.length)
      return { remembered: [], doors: NO_DOORS };
    const market = openMarket(config.dataFolder);
    try {
      return { remembered: readHosts(market), doors: await readDoors({ config, market }, now) };
    } finally {
      market.close();
    }
  } catch {
    // The check of the file says why.
    return { remembered: [], doors: NO_DOORS };
  }
}

function checkClock(offsets: readonly number[]): Finding {
  const sorted = offsets.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined)
    return warning("clock", "No source answered, so the clock could not be compared.");
  if (Math.abs(middle) <= MAX_CLOCK_ERROR_MS) return ok("clock", "It agrees with the sources.");
  const minutes = Math.abs(middle) / 60_000;
  const [unit, size] = CLOCK_UNITS.find((one) => minutes >= 2 * one[1]) ?? ["minute", 1];
  return failed(
    "clock",
    `It is ${formatCount(Math.round(minutes / size), unit)} ${middle > 0 ? "behind" : "ahead of"} the sources; days, quotas and sessions are wrong. Set it: timedatectl set-ntp true`,
  );
}

/** What the sources answered. Those with the same failure are one finding. */
function describeProbes(rows: readonly Probe[], config: Config): Finding[] {
  const findings = rows.map((one) => describeProbe(one, config));
  const same = Map.groupBy(findings, ({ check, level, text }) => (level === "ok" ? check : text));
  return [...same.values()].flatMap(([first, ...others]) =>
    first ? { ...first, check: [first, ...others].map(({ check }) => check).join(", ") } : [],
  );
}

function describeProbe(
  { source, kind, failed: isFailed, error, records, refusals }: Probe,
  config: Config,
): Finding {
  const called = SOURCES.find(({ name }) => name === source);
  if (called && missesKey(called, config))
    return ok(source, `It is not used without a key; set ${called.key?.variable} to use it.`);
  if (error === null)
    return ok(source, `It answers (${formatCount(records ?? 0, "record")} of ${wordsOf(kind)}).`);
  // One host can refuse two sources, and the second one is not called then.
  const refused = refusals?.map(({ host, cause }) => ({ host, cause }));
  // The column has the name already.
  const words = refused
    ? groupRefusals(refused)
        .map((one) => one.words)
        .join("; ")
    : withoutSource(error);
  // The name of a host stays in lower case.
  const reason = /^[\w-]+\./.test(words) ? words : words.charAt(0).toUpperCase() + words.slice(1);
  return isFailed ? failed(source, `${reason}.`) : warning(source, `${reason}.`);
}

function checkBackups({ world, config: { dataFolder, backups } }: CheckParts): Finding {
  const now = world.clock();
  const last = findLastBackup(dataFolder);
  const problem = findBackupWarning(dataFolder, backups, { now, since: now });
  if (problem !== null)
    return warning("backup", `${problem} Try it by hand: ${PROGRAM} backup FILE`);
  if (last === null)
    return ok(
      "backup",
      "There is none yet; the service makes the first one a minute after its start.",
    );
  return ok("backup", `The last one is of ${formatMoment(last.at)}.`);
}

/** Newer versions; nothing while the service does not ask. */
function checkUpdates(config: Config): Finding[] {
  const updates = findUpdates(config);
  if (updates === null) return [];
  const level = updates.isNewer || updates.error !== null ? warning : ok;
  return [level("updates", describeUpdates(updates))];
}

/** The mail server of alerts; nothing without one. */
async function checkMail({ alerts: { mail: server } }: Config): Promise<Finding[]> {
  if (server === null) return [];
  const { findMailFault } = await import("#alerts/mail.ts");
  const fault = await findMailFault({ server, timeoutMs: MAIL_TIMEOUT_MS });
  if (fault !== null) return [failed("mail", fault)];
  return [ok("mail", `${server.host} takes mail from ${server.from}.`)];
}

/** The scheduled exports; nothing while they are off. */
function checkExports({ world, config: { dataFolder, exports } }: CheckParts): Finding[] {
  if (exports.everyMs === null) return [];
  const now = world.clock();
  const last = findLastExport(dataFolder);
  const problem = findExportWarning(dataFolder, exports, { now, since: now });
  if (problem !== null)
    return [warning("export", `${problem} Try it by hand: ${PROGRAM} export FOLDER`)];
  if (last === null)
    return [ok("export", "There is none yet; the service makes one when its market is complete.")];
  return [ok("export", `The last one is of ${formatMoment(last.at)}.`)];
}
