import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "#config.ts";
import { RefusedCalls } from "#access/refused-calls.ts";
import { claimMarket, hasSample, isSampleOld, refuseOtherOrigin } from "#ingest/ingest.ts";
import { reasonOf } from "#lib/reason.ts";
import type { Log, LogLevel } from "#lib/log.ts";
import { keepAt, type Upkeep } from "#lib/periodic.ts";
import { CompanyRollups } from "#rollups/company-rollups.ts";
import { removeMarket, withUserErrors } from "#store/index.ts";
import { announce, getOwner } from "./announce.ts";
import { backUpInChild, exportInChild, runAfterBackup } from "./backup-process.ts";
import { Backups } from "./backups.ts";
import { urlOf } from "./banner.ts";
import { Exports } from "./exports.ts";
import type { Listening } from "./listening.ts";
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
import { openFileStores, type ServiceStores, type StoresOptions } from "./stores.ts";
import { RefreshLease } from "./refresh-lease.ts";
import { noteServer } from "./servers.ts";
import { UpdateCheck } from "./updates.ts";
import { noteServiceSettings } from "./last-settings.ts";
import { createHeartbeat, startUpkeep, watchFiles } from "./upkeep.ts";
import { notifySystemd } from "./systemd.ts";
import { compileAsUsual, findBuild, SELF } from "#domain/program.ts";
import { openLog, type World } from "./world.ts";

/** How often the service checks if a backup, an export or a question for a newer version is due. */
const DUE_CHECK_MS = 60_000;
/** How often unused calls that were counted in advance are given back. */
const SETTLE_MS = 1_000;
/** The number of attempts at a stop while the counters cannot be written. */
const SETTLE_TRIES = 20;
/** The pause between these attempts. */
const SETTLE_PAUSE_MS = 50;

/** What a service runs with. */
export interface ServiceRun {
  readonly world: World;
  readonly config: Config;
  /** All settings now, by variable, with the command's flags. */
  readonly readSettings: () => Record<string, string>;
  /** True if the market file is deleted first. */
  readonly reset: boolean;
  /** True if a first start may open the console in the browser. */
  readonly opens: boolean;
}

/** The code of live sources, and the client of each one that is switched on. */
export type LiveSources = typeof LiveModule & { readonly clients: LiveModule.Live["clients"] };

/** Serves on these addresses and keeps the market up to date until a stop is requested. */
export async function serveOn(
  listening: Listening,
  run: ServiceRun,
  { stopped, live }: { stopped: Promise<void>; live: LiveSources | null },
): Promise<void> {
  const { world, config } = run;
  const logLines = { info: 0, warn: 0, error: 0 };
  const log = openServiceLog(run, logLines);
  const isNew = isFirstStart(config);
  const stopwatch = world.stopwatch ?? world.clock;
  const refresh = createHeartbeat(stopwatch);
  let ingest: MarketIngest | null = null;
  await withStores({ ...run, log, progress: () => ingest?.state.node ?? null }, async (stores) => {
    const { access, market, node, clock } = stores;
    const url = urlOf(config, listening.port);
    const { rollups, own } = await openIngest(run, {
      ...stores,
      log,
      progressed: () => refresh.beat(),
      accessChanged: () => node?.accessChanged(),
    });
    ingest = own;
    const refused = new RefusedCalls(stores);
    const parts = { ...stores, config, log, rollups, refused, stopping: listening.stopping };
    const lease = live && !node ? new RefreshLease(config.dataFolder, log) : null;
    const mayFetch = () => lease?.isHeld !== false;
    const { backups, exports, ...scheduled } = createScheduled(run, { log, rollups });
    const upkeep: Upkeep[] = [scheduled];
    try {
      refuseOtherOrigin(market, config.market);
      const sources = () => sourcesOf(live, own);
      const counted = await startMetrics(world, { ...parts, sources, backups, exports, logLines });
      if (counted) upkeep.push(counted);
      listening.serveMetrics(async () => counted?.metrics.write() ?? "");
      listening.serve(
        createService({
          ...parts,
          onRequest: live?.createIngestRefresh(own, { ...stores, ...live, mayFetch }),
          sources: live ? { warning: () => own.state.warning } : undefined,
          backups,
          exports,
          metrics: counted?.metrics,
          idleMs: () => (mayFetch() ? refresh.idleMs() : 0),
          stopwatch: world.stopwatch,
          writeLines: world.stderr,
        }),
      );
      if (!live && isSampleOld(market, clock())) await generateSample(world, parts);
      const owner = await getOwner(access, { world, config, clock });
      // The first answers need nothing of what follows. After a timer, the requests that waited have arrived.
      await Bun.sleep(1);
      upkeep.push(await noteService(run, url));
      // Last, so that a start that failed leaves no market that another start refuses.
      claimMarket(market, config.market);
      await startUpkeep({ ...parts, stopwatch, ingest: own, lease, url }, refresh, upkeep);
      await announce(
        stores,
        { world, config, log },
        { ...run, ...owner, port: listening.port, isNew },
      );
      await waitForStop({ ...stores, world, log, upkeep, stopped });
      await listening.finish();
    } finally {
      // After an error too, because each of these tasks would keep the process alive.
      await Promise.all(upkeep.map((one) => one.stop()));
      await own.close();
      await listening.close();
    }
  });
}

/** The states of all sources that are switched on. Before the ingest has begun, no source was called. */
const sourcesOf = (live: LiveSources | null, own: MarketIngest) =>
  new Map<string, SourceState>([...(live?.clients ?? []), ...own.state.sources]);

/** Waits until a stop is requested or a database is lost. systemd is notified meanwhile. */
async function waitForStop({
  world,
  log,
  upkeep,
  stopped,
  ...stores
}: ServiceStores & {
  readonly world: World;
  readonly log: Log;
  readonly upkeep: Upkeep[];
  readonly stopped: Promise<void>;
}): Promise<void> {
  const systemd = await notifySystemd(world.env, log);
  const files = watchFiles(stores);
  upkeep.push(systemd, files);
  await Promise.race([stopped, files.lost]);
  systemd.stopping();
  log.info("stopping after the requests in flight");
}

function isFirstStart({ cluster, dataFolder }: Config): boolean {
  // The first file that a service creates.
  return !existsSync(join(dataFolder, cluster === null ? "access.db" : "market.db"));
}

/** The roll-ups of a service and its ingest, which is in a thread of its own if the program can start one. */
async function openIngest(
  run: ServiceRun,
  stores: Pick<ServiceStores, "market" | "clock" | "node"> & Omit<IngestHost, "figures">,
): Promise<{ rollups: CompanyRollups; own: MarketIngest }> {
  const { world, config } = run;
  const { log, progressed, accessChanged, node, market, clock } = stores;
  const { startWorker, stopwatch = world.clock } = world;
  const isSample = config.market === "sample" && !node;
  const rollups = new CompanyRollups(market, clock, {
    servesPrevious: true,
    findBuild,
    // A sample is small and has no lasting thread.
    ...(!isSample && { saveFigures: (...figures) => own.saveFigures(...figures) }),
    ...(!isSample && startWorker && { compute: (companies) => own.computeCompanies(companies) }),
  });
  const leases = () => node?.health().leases ?? 0;
  const host = { log, progressed, accessChanged, figures: figuresOf(rollups), leases, stopwatch };
  let own: MarketIngest;
  if (startWorker) {
    const env = environmentOf(run);
    own = new RemoteIngest({ ...host, startWorker, env, aheadMs: () => clock() - world.clock() });
  } else {
    const { LocalIngest } = await import("./local-ingest.ts");
    own = await LocalIngest.open({
      ...host,
      config,
      wallClock: world.clock,
      clock,
      sleep: world.sleep,
    });
  }
  return { rollups, own };
}

/** An environment in which another program has the settings of this one. */
const environmentOf = ({ world, readSettings }: ServiceRun) => ({
  ...world.env,
  ...readSettings(),
});

/** Opens the stores while `work` runs. Unused calls are given back every second and at the end. */
async function withStores(
  options: StoresOptions,
  work: (stores: ServiceStores) => Promise<void>,
): Promise<void> {
  const { config, log, reset } = options;
  if (reset) {
    removeMarket(config.dataFolder);
    // They are files of the market that was deleted.
    rmSync(config.exports.folder, { recursive: true, force: true });
  }
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

/** Brings a sample market of an earlier day up to date at once. What came out today is loaded after the first answers. */
async function generateSample(
  world: World,
  { market, clock }: Pick<ServiceStores, "market" | "clock">,
): Promise<void> {
  const verb = hasSample(market) ? "Extending" : "Generating";
  world.stdout(`${verb} the sample market; this takes a few seconds…\n`);
  compileAsUsual();
  const { loadSample } = await import("#ingest/sample-load.ts");
  loadSample({ market, now: clock() });
  // After the first load, the log is as large as the file.
  market.checkpoint();
}

/** Creates the backups and exports of a service and begins their schedule, and the question for newer versions. */
function createScheduled(
  run: ServiceRun,
  { log, rollups }: { log: Log; rollups: CompanyRollups },
): { backups: Backups; exports: Exports } & Upkeep {
  const { world, config } = run;
  const stopping = new AbortController();
  const options = {
    program: SELF,
    dataFolder: config.dataFolder,
    // The flags of this command are settings of the child.
    env: environmentOf(run),
    signal: stopping.signal,
  };
  const backups = new Backups({
    dataFolder: config.dataFolder,
    config: config.backups,
    clock: world.clock,
    log,
    write: (file) => backUpInChild(file, options),
    runCommand: (command, file) => runAfterBackup(command, file, { ...options, env: world.env }),
  });
  const exports = new Exports({
    dataFolder: config.dataFolder,
    config: config.exports,
    clock: world.clock,
    log,
    isReady: () => rollups.areComplete,
    write: (folder) => exportInChild(folder, options),
  });
  const updates = new UpdateCheck({
    dataFolder: config.dataFolder,
    config: config.updates,
    clock: world.clock,
    log,
  });
  const times = { firstMs: DUE_CHECK_MS, everyMs: DUE_CHECK_MS };
  const upkeep = [
    keepAt(
      times,
      () => backups.runIfDue(),
      (error) => log.error("the backups could not be checked", { error }),
    ),
    keepAt(
      times,
      () => exports.runIfDue(),
      (error) => log.error("the exports could not be checked", { error }),
    ),
    keepAt(
      times,
      () => updates.runIfDue(),
      (error) => log.error("newer versions could not be checked", { error }),
    ),
  ];
  return {
    backups,
    exports,
    async stop() {
      stopping.abort();
      updates.stop();
      await Promise.all(upkeep.map((one) => one.stop()));
    },
  };
}

/** The log of the service, which also gets what happens to the process. */
function openServiceLog(run: ServiceRun, counts: Record<LogLevel, number>): Log {
  const { world, config } = run;
  const log = openLog(world, config, counts);
  const atStart = run.readSettings();
  world.watch?.({
    warned: (text) => log.warn("a warning of Bun", { text }),
    crashed: (error) =>
      log.error("ended with an unexpected error", {
        error: String(error),
        stack: error instanceof Error ? error.stack : undefined,
      }),
    hungUp() {
      try {
        const now = run.readSettings();
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
async function noteService(run: ServiceRun, url: string): Promise<Upkeep> {
  const { world, config } = run;
  const { dataFolder, publicUrl } = config;
  // A sample market needs no source, so it does not load them.
  const keys = config.market === "live" ? (await import("./live.ts")).KEYS : [];
  const known = keys.filter((name) => config.keyOf(name) !== null);
  withUserErrors(dataFolder, () => noteServiceSettings(dataFolder, run.readSettings(), known));
  const service = { pid: process.pid, url, publicUrl, startedAt: world.clock() };
  const removeNote = noteServer(dataFolder, service);
  return { stop: async () => removeNote() };
}

/** Counts what the service does; null if the metrics are off. */
async function startMetrics(
  { clock, stopwatch = clock }: World,
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
