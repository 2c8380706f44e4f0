import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { Accounts } from "#access/accounts.ts";
import { COMMAND_LINE } from "#access/audit.ts";
import type { Config } from "#config.ts";
import { claimMarket, hasSample, loadSample, refuseOtherOrigin } from "#ingest/ingest.ts";
import { reasonOf } from "#ingest/refresh.ts";
import { COUNTRY_CODES } from "#domain/country.ts";
import type { Log, LogLevel } from "#lib/log.ts";
import { nextTurn } from "#lib/next-turn.ts";
import { keepAt, type Upkeep } from "#lib/periodic.ts";
import { CompanyRollups } from "#rollups/company-rollups.ts";
import { type AccessStore, removeMarket, withUserErrors } from "#store/index.ts";
import { findFirstUser } from "#store/users.ts";
import { backUpInChild, runAfterBackup } from "./backup.ts";
import { Backups } from "./backups.ts";
import { formatBanner, type Start, urlOf } from "./banner.ts";
import {
  type Command,
  compileAsUsual,
  createCommandLog,
  type Invocation,
  type Io,
  IS_COMPILED,
  settingsOf,
} from "./command.ts";
import { createLink } from "./console.ts";
import { type Listening, listenOn } from "./listening.ts";
import type * as LiveModule from "./live.ts";
import {
  figuresOf,
  type IngestHost,
  type MarketIngest,
  type SourceState,
} from "./market-ingest.ts";
import type { MetricsParts, ServiceMetrics } from "./metrics.ts";
import { createService } from "./service.ts";
import { RemoteIngest } from "./remote-ingest.ts";
import { openFileStores, type ServiceStores, type StoresOptions } from "./service-stores.ts";
import { RefreshLease } from "./refresh-lease.ts";
import { noteServer } from "./servers.ts";
import { noteServiceSettings } from "./service-settings.ts";
import { createHeartbeat, startUpkeep, watchFiles } from "./upkeep.ts";
import { notifySystemd } from "./systemd.ts";
import { findBuild, VERSION } from "./version.ts";

const OWNER = "owner";
/** How long the first token is valid if it is not printed on a terminal. */
const LOGGED_TOKEN_MS = 86_400_000;
/** How often the service checks if a backup is due. */
const BACKUP_CHECK_MS = 60_000;
/** How often unused calls that were counted in advance are given back. */
const SETTLE_MS = 1_000;
/** The number of attempts at a stop while the counters cannot be written. */
const SETTLE_TRIES = 20;
/** The pause between these attempts. */
const SETTLE_PAUSE_MS = 50;

export const serve: Command = {
  name: "serve",
  summary: "Run the service",
  flags: {
    "reset-market": { description: "delete the market file first, imports included" },
  },
  examples: ["", "--market live --contact you@example.com"],
  settings: [
    "host",
    "port",
    "data",
    "cluster",
    "market",
    "contact",
    "sources",
    "trusted-proxies",
    "public-url",
    "insecure-sign-in",
    "gate-per-minute",
    "plan-free",
    "plan-pro",
    "plan-max",
    "log",
    "log-level",
    "access-log",
    "backup-every",
    "backup-keep",
    "backup-folder",
    "backup-command",
    "metrics",
  ],
  run: runServe,
};

/** The code of live sources, and the client of each one that is switched on. */
type LiveSources = typeof LiveModule & { readonly clients: LiveModule.Live["clients"] };

/** Serves and keeps the market up to date until a stop is requested. */
async function runServe(invocation: Invocation): Promise<void> {
  const { io, config } = invocation;
  const stopped = new Promise<void>((resolve) => io.onStop(resolve));
  // Checked first: a wrong setting or a port in use must be reported before anything is created or deleted.
  const sources = config.market === "live" ? await import("./live.ts") : null;
  const clients = sources?.createClients(config, sources.worldOf(io)) ?? null;
  const live = sources && clients && { ...sources, clients };
  const listening = await listenOn(config);
  try {
    await serveOn(listening, invocation, { stopped, live });
  } finally {
    await listening.close();
  }
}

async function serveOn(
  listening: Listening,
  invocation: Invocation,
  { stopped, live }: { stopped: Promise<void>; live: LiveSources | null },
): Promise<void> {
  const { io, config, flags } = invocation;
  const logLines = { info: 0, warn: 0, error: 0 };
  const log = openLog(invocation, logLines);
  const isNew = isFirstStart(config);
  const reset = flags["reset-market"] === true;
  const refresh = createHeartbeat(io.stopwatch ?? io.clock);
  let ingest: MarketIngest | null = null;
  const progress = () => ingest?.state.node ?? null;
  await withStores({ io, config, log, reset, progress }, async (stores) => {
    const { access, market, node, clock } = stores;
    const { port } = listening;
    const url = urlOf(config, port);
    const progressed = () => refresh.beat();
    const { rollups, own } = await openIngest(invocation, { ...stores, log, progressed });
    ingest = own;
    const parts = { ...stores, config, log, rollups };
    const lease = live && !node ? new RefreshLease(config.dataFolder, log) : null;
    const mayFetch = () => lease?.isHeld !== false;
    const { backups, ...scheduled } = createBackups(invocation, log);
    const upkeep: Upkeep[] = [scheduled];
    try {
      refuseOtherOrigin(market, config.market);
      // Before the ingest has begun, no source was called.
      const sources = () =>
        new Map<string, SourceState>([...(live?.clients ?? []), ...own.state.sources]);
      const counted = await startMetrics(io, { ...parts, sources, backups, logLines });
      if (counted) upkeep.push(counted);
      listening.serveMetrics(async () => counted?.metrics.write() ?? "");
      listening.serve(
        createService({
          ...parts,
          onRequest: live?.createIngestRefresh(own, { ...stores, ...live, mayFetch }),
          sources: live ? { warning: () => own.state.warning } : undefined,
          backups,
          metrics: counted?.metrics,
          idleMs: () => (mayFetch() ? refresh.idleMs() : 0),
          stopwatch: io.stopwatch,
          writeLines: io.stderr,
        }),
      );
      if (!live && !hasSample(market)) generateSample(io, parts);
      const owner = await firstUser(access, { io, config, clock });
      // The first answers need nothing of what follows.
      await nextTurn();
      upkeep.push(noteService(invocation, url));
      // Last, so that a start that failed leaves no market that another start refuses.
      claimMarket(market, config.market);
      await startUpkeep({ ...parts, ingest: own, lease, url }, refresh, upkeep);
      await announce(stores, { io, config, log }, { ...owner, config, port, isNew });
      const systemd = await notifySystemd(io.env, log);
      const files = watchFiles(stores);
      upkeep.push(systemd, files);
      await Promise.race([stopped, files.lost]);
      systemd.stopping();
      log.info("stopping after the requests in flight");
      await listening.finish();
    } finally {
      // After an error too, because each of these tasks would keep the process alive.
      await Promise.all(upkeep.map((one) => one.stop()));
      await own.close();
      await listening.close();
    }
  });
}

function isFirstStart({ cluster, dataFolder }: Config): boolean {
  // The first file that a service creates.
  return !existsSync(join(dataFolder, cluster === null ? "access.db" : "market.db"));
}

/** The roll-ups of a service and its ingest, which is in a thread of its own if the program can start one. */
async function openIngest(
  invocation: Invocation,
  stores: Pick<ServiceStores, "market" | "clock" | "node"> & Pick<IngestHost, "log" | "progressed">,
): Promise<{ rollups: CompanyRollups; own: MarketIngest }> {
  const { io, config } = invocation;
  const { log, progressed, node, market, clock } = stores;
  const { startWorker, stopwatch = io.clock } = io;
  const isSample = config.market === "sample" && !node;
  const rollups = new CompanyRollups(market, clock, {
    servesPrevious: true,
    findBuild,
    // A sample is small and has no lasting thread.
    saveFigures: isSample ? undefined : (...figures) => own.saveFigures(...figures),
  });
  const leases = () => node?.health().leases ?? 0;
  const host = { log, progressed, figures: figuresOf(rollups), leases, stopwatch };
  let own: MarketIngest;
  if (startWorker) {
    const env = environmentOf(invocation);
    own = new RemoteIngest({ ...host, startWorker, env, aheadMs: () => clock() - io.clock() });
  } else {
    const { LocalIngest } = await import("./local-ingest.ts");
    own = await LocalIngest.open({ ...host, config, wallClock: io.clock, clock, sleep: io.sleep });
  }
  return { rollups, own };
}

/** An environment in which another program has the settings of this one. */
const environmentOf = (invocation: Invocation) => ({
  ...invocation.io.env,
  ...settingsOf(invocation),
});

/** Opens the stores while `work` runs. Unused calls are given back every second and at the end. */
async function withStores(
  options: StoresOptions,
  work: (stores: ServiceStores) => Promise<void>,
): Promise<void> {
  const { config, log, reset } = options;
  if (reset) removeMarket(config.dataFolder);
  const stores =
    config.cluster === null
      ? openFileStores(options)
      : await (await import("./cluster-stores.ts")).openClusterStores(options, config.cluster);
  const settle = async (all: boolean): Promise<boolean> => {
    try {
      return await stores.guard.settle({ all });
    } catch (error) {
      log.error("unused calls could not be given back", { error: String(error) });
      return true;
    }
  };
  const settling = setInterval(() => void settle(false), SETTLE_MS);
  try {
    await work(stores);
  } finally {
    clearInterval(settling);
    for (let tries = 1; !(await settle(true)); tries++) {
      if (tries === SETTLE_TRIES) {
        log.warn("unused calls stay counted: the counters cannot be written now");
        break;
      }
      await Bun.sleep(SETTLE_PAUSE_MS);
    }
    await stores.close();
  }
}

/** Generates the whole sample market at once, so that no request reads an incomplete market. */
function generateSample(io: Io, { market, clock }: Pick<ServiceStores, "market" | "clock">): void {
  io.stdout("Generating the sample market; this takes a few seconds…\n");
  compileAsUsual();
  loadSample({ market, now: clock() });
  // After the first load, the log is as large as the file.
  market.checkpoint();
}

/** Creates the backups of a service and begins their schedule. */
function createBackups(invocation: Invocation, log: Log): { backups: Backups } & Upkeep {
  const { io, config } = invocation;
  const stopping = new AbortController();
  const options = {
    program: IS_COMPILED ? [process.execPath] : [process.execPath, Bun.main],
    dataFolder: config.dataFolder,
    // The flags of this command are settings of the child.
    env: environmentOf(invocation),
    signal: stopping.signal,
  };
  const backups = new Backups({
    dataFolder: config.dataFolder,
    config: config.backups,
    clock: io.clock,
    log,
    write: (file) => backUpInChild(file, options),
    runCommand: (command, file) => runAfterBackup(command, file, { ...options, env: io.env }),
  });
  const upkeep = keepAt(
    { firstMs: BACKUP_CHECK_MS, everyMs: BACKUP_CHECK_MS },
    () => backups.runIfDue(),
    (error) => log.error("the backups could not be checked", { error }),
  );
  return {
    backups,
    stop() {
      stopping.abort();
      return upkeep.stop();
    },
  };
}

/** The log of the service, which also gets what happens to the process. */
function openLog(invocation: Invocation, counts: Record<LogLevel, number>): Log {
  const { io, config } = invocation;
  const log = createCommandLog(io, config, counts);
  const atStart = settingsOf(invocation);
  io.watch?.({
    warned: (text) => log.warn("a warning of Bun", { text }),
    crashed: (error) =>
      log.error("ended with an unexpected error", {
        error: String(error),
        stack: error instanceof Error ? error.stack : undefined,
      }),
    hungUp() {
      try {
        const now = settingsOf(invocation);
        const changed = Object.keys(now).filter((name) => now[name] !== atStart[name]);
        if (changed.length === 0) log.info("no setting has changed since the start");
        else
          log.warn("a restart applies the settings that changed", { changed: changed.join(",") });
      } catch (error) {
        log.error("the settings cannot be read", { error: reasonOf(error) });
      }
    },
  });
  return log;
}

/** Notes the service, until it stops, and its settings in the data folder. */
function noteService(invocation: Invocation, url: string): Upkeep {
  const { io, config } = invocation;
  const { dataFolder, publicUrl } = config;
  withUserErrors(dataFolder, () => noteServiceSettings(dataFolder, settingsOf(invocation)));
  const service = { pid: process.pid, url, publicUrl, startedAt: io.clock() };
  const removeNote = noteServer(dataFolder, service);
  return { stop: async () => removeNote() };
}

/** Counts what the service does; null if the metrics are off. */
async function startMetrics(
  { clock, stopwatch = clock }: Io,
  parts: Omit<MetricsParts, "clock" | "stopwatch">,
): Promise<({ metrics: ServiceMetrics } & Upkeep) | null> {
  if (parts.config.metrics === null) return null;
  const { ServiceMetrics } = await import("./metrics.ts");
  const metrics = new ServiceMetrics({ ...parts, clock, stopwatch });
  const stopWatching = metrics.watchEventLoop();
  return {
    metrics,
    async stop() {
      stopWatching();
    },
  };
}

/**
 * Prints where the service listens, and writes it to the log. A sign-in link is printed on a terminal only,
 * because a log would keep it.
 */
async function announce(
  { access, market, clock }: ServiceStores,
  { io, config, log }: Pick<Invocation, "io" | "config"> & { readonly log: Log },
  start: Start,
): Promise<void> {
  io.stdout(formatBanner(start));
  const url = urlOf(config, start.port);
  log.info("started", {
    version: VERSION,
    market: config.market,
    address: url,
    folder: resolve(config.dataFolder),
    countries: COUNTRY_CODES.filter((one) => market.instruments.hasListing(one)).join(","),
  });
  if (!io.isTerminal) return;
  const user = start.user.name;
  const link = await createLink(access, { config, clock, user, url });
  io.stderr(`Open the console as ${user} (once, within 15 minutes):\n\n  ${link}\n\n`);
}

/** The user of the first start. A folder without users gets the owner now, with a token. */
async function firstUser(
  access: AccessStore,
  { io, config, clock }: Pick<Invocation, "io" | "config"> & { clock: () => number },
): Promise<Pick<Start, "user" | "token" | "tokenEndsAt">> {
  const first = await access.run(findFirstUser());
  if (first) return { user: first, token: null, tokenEndsAt: null };
  const accounts = new Accounts({ access, plans: config.plans, clock, actor: COMMAND_LINE });
  try {
    const user = { name: OWNER, plan: await accounts.addUser(OWNER, "unlimited") };
    // A file of a log is kept and read by others.
    const lifetimeMs = io.isOutputTerminal ? null : LOGGED_TOKEN_MS;
    const { token } = await accounts.createToken(OWNER, "first start", lifetimeMs);
    const tokenEndsAt = lifetimeMs === null ? null : clock() + lifetimeMs;
    return { user, token, tokenEndsAt };
  } catch (error) {
    // A service that was started at the same time has created the owner and shows the token.
    const other = await access.run(findFirstUser());
    if (other) return { user: other, token: null, tokenEndsAt: null };
    throw access.toUserError(error);
  }
}
