import type { RefusedCalls } from "#access/refused-calls.ts";
import { UsageFolding } from "#access/usage-folding.ts";
import type { Config } from "#config.ts";
import { MemoryWatch } from "#lib/garbage.ts";
import type { Log } from "#lib/log.ts";
import { keepAt, type Upkeep } from "#lib/periodic.ts";
import type { CompanyRollups } from "#rollups/company-rollups.ts";
import type { MarketIngest } from "./market-ingest.ts";
import type { ServiceAlerts } from "./alerts.ts";
import type { RefreshLease } from "./refresh-lease.ts";
import type { ServiceStores } from "./stores.ts";

/** How often the market is checked for records that are due. */
const REFRESH_MS = 60_000;
/** When a sample market is checked for due records first. */
const FIRST_LOOK_MS = 1_000;
/** How often the memory in use is checked. A turn makes a few megabytes of garbage at most. */
const MEMORY_CHECK_MS = 50;
/** How often it is checked that the database files are in place. */
const FILE_CHECK_MS = 1_000;
/** How often companies that changed are computed again. */
const ROLLUPS_MS = 1_000;
/** When companies are computed first: after the first answers. The service is not ready until they are. */
const FIRST_ROLLUPS_MS = 200;

/** When old hours of the history of usage are folded into days. */
const FIRST_FOLDING_MS = 60_000;
const FOLDING_MS = 3_600_000;
/** How often refused calls are stored. */
const REFUSED_MS = 1_000;
/** When refused calls that are too old are removed. */
const REFUSED_REMOVAL_MS = 3_600_000;
/** The pause between two transactions of the folding, which leaves the thread and the database to calls. */
const FOLDING_PAUSE_MS = 20;

/** What a service keeps up to date. */
export interface Keep extends Pick<ServiceStores, "access" | "market" | "clock" | "node"> {
  readonly log: Log;
  readonly stopwatch: () => number;
  readonly rollups: CompanyRollups;
  readonly refused: RefusedCalls;
  readonly ingest: MarketIngest;
  readonly config: Pick<Config, "market" | "alerts" | "publicUrl">;
  /** Null in a cluster, whose leader calls the sources, and while the market is the sample. */
  readonly lease: RefreshLease | null;
  /** The address of this service for clients on this machine. */
  readonly url: string;
}

/** Starts the background work of a service, its market and the figures of companies, and adds it to `upkeep`. */
export async function startUpkeep(keep: Keep, refresh: Heartbeat, upkeep: Upkeep[]): Promise<void> {
  const { config, ingest, lease, log, node, url } = keep;
  if (config.market === "sample") upkeep.push(keepSample(keep, refresh));
  upkeep.push({
    async stop() {
      await ingest.stop();
      lease?.stop();
    },
  });
  const begin = () => {
    refresh.beat();
    ingest.begin(url).catch((error) => log.error("a refresh failed", { error: String(error) }));
  };
  lease?.start({ pid: process.pid, url }, begin, () => void ingest.pause());
  if (node) await ingest.begin(url);
  upkeep.push(keepRollups(keep), keepHistory(keep), keepRefused(keep), keepMemory());
}

/** When periodic work last made progress. */
export interface Heartbeat {
  /** How long ago, in milliseconds. */
  idleMs(): number;
  beat(): void;
}

/** A heartbeat that begins now. */
export function createHeartbeat(stopwatch: () => number): Heartbeat {
  let lastAt = stopwatch();
  return {
    idleMs: () => stopwatch() - lastAt,
    beat: () => void (lastAt = stopwatch()),
  };
}

function keepSample({ market, clock, log, ingest }: Keep, refresh: Heartbeat): Upkeep {
  return keepAt(
    // The check takes longer than the first answers.
    { firstMs: FIRST_LOOK_MS, everyMs: REFRESH_MS },
    async () => {
      refresh.beat();
      const { isSampleDue } = await import("#ingest/sample-due.ts");
      const now = clock();
      if (isSampleDue(market, now)) await ingest.loadSample(now);
    },
    (error) => log.error("the sample market could not be refreshed", { error }),
  );
}

function keepMemory(): Upkeep {
  const watch = new MemoryWatch(
    () => process.memoryUsage.rss(),
    (blocks) => Bun.gc(blocks),
    () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000;
    },
  );
  const timer = setInterval(() => watch.check(), MEMORY_CHECK_MS);
  return { stop: async () => clearInterval(timer) };
}

/** Folds the history of usage, slowly. */
function keepHistory({ access, clock, log }: Keep): Upkeep {
  const folding = new UsageFolding(access);
  return keepAt(
    { firstMs: FIRST_FOLDING_MS, everyMs: FOLDING_MS },
    (stopped) => folding.run(clock(), stopped, () => Bun.sleep(FOLDING_PAUSE_MS)),
    (error) => log.error("the history of usage could not be folded", { error }),
  );
}

/** Stores refused calls, also the last ones before a stop, and removes old ones. */
function keepRefused({ refused, log }: Keep): Upkeep {
  const failed = (error: string) => log.error("refused calls could not be stored", { error });
  const times = { firstMs: REFUSED_MS, everyMs: REFUSED_MS };
  const storing = keepAt(times, () => refused.store(), failed);
  const removing = keepAt(
    { firstMs: FIRST_FOLDING_MS, everyMs: REFUSED_REMOVAL_MS },
    (stopped) => refused.removeOld(stopped),
    failed,
  );
  return {
    async stop() {
      await Promise.all([storing.stop(), removing.stop()]);
      await refused.store().catch((error) => failed(String(error)));
    },
  };
}

/** Computes companies again when their records change and when a day begins, and judges the rules about them. */
function keepRollups(keep: Keep): Upkeep {
  const { rollups, lease, log } = keep;
  let alerts: ServiceAlerts | null = null;
  const upkeep = keepAt(
    { firstMs: FIRST_ROLLUPS_MS, everyMs: ROLLUPS_MS },
    async (stopped) => {
      // The first answers do not wait for the code of alerts.
      if (alerts) await alerts.run();
      else {
        await rollups.update();
        const { startAlerts } = await import("./alerts.ts");
        // A delivery that begins after the stop would keep the process alive.
        if (!stopped()) alerts = startAlerts({ ...keep, mayFetch: () => lease?.isHeld !== false });
      }
      await rollups.save();
    },
    (error) => log.error("the figures of companies could not be computed or saved", { error }),
  );
  return {
    async stop() {
      await Promise.all([upkeep.stop(), alerts?.stop(), rollups.stop()]);
      await rollups.save({ all: true }).catch((error) => {
        log.warn("the figures of companies were not saved", { error: String(error) });
      });
    },
  };
}

/** Checks every second that the database files are in place; `lost` rejects once they are not. */
export function watchFiles({
  checkFiles,
}: Pick<ServiceStores, "checkFiles">): Upkeep & { readonly lost: Promise<never> } {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setInterval(() => {
    try {
      checkFiles();
    } catch (error) {
      reject(error);
    }
  }, FILE_CHECK_MS);
  return { lost: promise, stop: async () => clearInterval(timer) };
}
