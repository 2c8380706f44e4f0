import { reloadSample } from "#ingest/ingest.ts";
import type { Log } from "#lib/log.ts";
import { keepAt, type Upkeep } from "#lib/periodic.ts";
import type { CompanyRollups } from "#rollups/company-rollups.ts";
import type { Live } from "./live.ts";
import type { RefreshLease } from "./refresh-lease.ts";
import type { ClusterNodeParts, ServiceStores } from "./service-stores.ts";

/** How often the market is checked for records that are due. */
const REFRESH_MS = 60_000;
/** When a sample market is checked for due records first. */
const FIRST_LOOK_MS = 1_000;
/** How often it is checked that the database files are in place. */
const FILE_CHECK_MS = 1_000;
/** How often companies that changed are computed again. */
const ROLLUPS_MS = 1_000;
/** When companies are computed first: after the first answers. The service is not ready until they are. */
const FIRST_ROLLUPS_MS = 200;

/** What a service keeps up to date. */
export interface Keep extends Pick<ServiceStores, "market" | "clock" | "node"> {
  readonly log: Log;
  readonly rollups: CompanyRollups;
  /** Null while the market is the sample. */
  readonly live: Live | null;
  /** Null in a cluster, whose leader calls the sources, and while the market is the sample. */
  readonly lease: RefreshLease | null;
  /** The address of this service for clients on this machine. */
  readonly url: string;
}

/** Starts the background work of a service, its market and the figures of companies, and adds it to `upkeep`. */
export async function startUpkeep(keep: Keep, refresh: Heartbeat, upkeep: Upkeep[]): Promise<void> {
  const { live, lease, log, node, url } = keep;
  if (!live) upkeep.push(keepSample(keep, refresh));
  if (live && lease) {
    upkeep.push(keepLive({ live, lease, log }, refresh));
    lease.start({ pid: process.pid, url }, () => live.resumeBlocks());
  }
  if (node) upkeep.push(await keepNode(node, live, url));
  upkeep.push(keepRollups(keep.rollups, log));
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

function keepSample({ market, clock, log }: Keep, refresh: Heartbeat): Upkeep {
  return keepAt(
    // The check takes longer than the first answers.
    { firstMs: FIRST_LOOK_MS, everyMs: REFRESH_MS },
    async () => {
      refresh.beat();
      await reloadSample({ market, now: clock() });
    },
    (error) => log.error("the sample market could not be refreshed", { error }),
  );
}

/** Calls the sources on schedule while this service holds the lease of the refresh. */
function keepLive(
  { live, lease, log }: { live: Live; lease: RefreshLease; log: Log },
  refresh: Heartbeat,
): Upkeep {
  const upkeep = keepAt(
    { firstMs: 0, everyMs: REFRESH_MS },
    async (stopped) => {
      refresh.beat();
      if (!lease.isHeld) return;
      await live.schedule.run({
        // The schedule calls it before each fetch.
        stopped() {
          refresh.beat();
          return stopped() || !lease.isHeld;
        },
      });
    },
    (error) => log.error("a refresh failed", { error }),
  );
  return {
    async stop() {
      await Promise.all([upkeep.stop(), live.stop()]);
      lease.stop();
    },
  };
}

/** Follows the log of the cluster, and refreshes its market while this node leads. */
async function keepNode(
  { member }: ClusterNodeParts,
  live: Live | null,
  url: string,
): Promise<Upkeep> {
  const tasks = live && { ...live, prepare: () => live.resumeBlocks() };
  await member.start({ url, tasks });
  return {
    async stop() {
      await Promise.all([member.stop(), live?.stop()]);
    },
  };
}

/** Computes companies again when their records change and when a day begins. */
function keepRollups(rollups: CompanyRollups, log: Log): Upkeep {
  const upkeep = keepAt(
    { firstMs: FIRST_ROLLUPS_MS, everyMs: ROLLUPS_MS },
    async () => {
      await rollups.update();
      await rollups.save();
    },
    (error) => log.error("the figures of companies could not be computed or saved", { error }),
  );
  return {
    async stop() {
      await Promise.all([upkeep.stop(), rollups.stop()]);
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
