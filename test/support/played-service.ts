import { Accounts } from "#access/accounts.ts";
import { COMMAND_LINE } from "#access/audit.ts";
import { createLive } from "#service/live.ts";
import { ServiceMetrics } from "#service/metrics.ts";
import { createService } from "#service/service.ts";
import { createFileStores } from "#service/stores.ts";
import { readConfig } from "#config.ts";
import { claimMarket } from "#ingest/ingest.ts";
import { createLog } from "#lib/log.ts";
import { CompanyRollups } from "#rollups/company-rollups.ts";
import { atOnce } from "./at-once.ts";
import { PLAYED_AT } from "./played-answer.ts";
import type { PlayedSources } from "./played-sources.ts";
import { openCopiedAccess, openCopiedMarket } from "./empty-files.ts";

/** The patience of a request that waits for its sources without a limit. */
export const FOREVER = () => new Promise<void>(() => {});

/** A service with live data whose sources are played. */
export type PlayedService = Awaited<ReturnType<typeof startPlayedService>>;

/**
 * Starts the service on a data folder. Its clock is at `PLAYED_AT`, and only the test moves it. It makes
 * no pauses between requests to a source. By default, the schedule fetches no single companies.
 */
export async function startPlayedService(
  folder: string,
  played: PlayedSources,
  options: {
    sources?: readonly string[];
    now?: number;
    /** The clock and the pauses between the requests to a source. */
    time?: { now: number; readonly sleep: (ms: number) => Promise<void> };
    largest?: number;
    /** True if the service counts what it does, and its metrics describe its readiness. */
    counts?: boolean;
    /** Ends a request to a source. */
    timeout?: (ms: number) => AbortSignal;
    /** How a request and the schedule wait for sources. */
    patience?: (ms: number) => Promise<void>;
    /** How many requests a user may send to the console in a minute; 600 if absent. */
    perUser?: number;
  } = {},
) {
  const time = options.time ?? { now: options.now ?? PLAYED_AT, sleep: async () => {} };
  const clock = () => time.now;
  const logLines: string[] = [];
  const counts = { info: 0, warn: 0, error: 0 };
  const log = createLog({ format: "json", write: (line) => logLines.push(line), clock, counts });
  const config = readConfig(
    { data: folder, market: "live", "gate-per-minute": "0", sources: options.sources?.join(",") },
    { ...played.environment, BOURSE_CONTACT: "tests@bourse.example" },
  );
  const access = openCopiedAccess(folder);
  const market = openCopiedMarket(folder, clock);
  claimMarket(market, "live");
  const live = createLive({
    config,
    market,
    clock,
    log,
    sleep: time.sleep,
    largest: options.largest ?? 0,
    ...(options.timeout && { timeout: options.timeout }),
    ...(options.patience && { patience: options.patience }),
  });
  const metrics = new ServiceMetrics({
    config,
    access,
    market,
    rollups: new CompanyRollups(market, clock),
    logLines: counts,
    backups: { succeededAt: () => null, warning: () => null },
    exports: { succeededAt: () => null, warning: () => null },
    sources: () => live.clients,
    node: null,
    clock,
    stopwatch: clock,
  });
  const app = createService({
    ...createFileStores({ access, market, config, clock }),
    config,
    clock,
    log,
    metrics: options.counts ? metrics : undefined,
    sources: live.refresher,
    perUser: options.perUser,
    onRequest: live.onRequest,
    // Without roll-ups that serve the previous figures, a call computes all companies: seconds on a busy machine.
    answerMs: 100_000,
  });
  // Without `listen`, whose limit closes a connection after 10 seconds.
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, idleTimeout: 0, fetch: app });
  const base = `http://127.0.0.1:${server.port}/api/v1/svc`;
  const accounts = atOnce(new Accounts({ access, clock, actor: COMMAND_LINE }));
  const user = `user-${accounts.listUsers().length + 1}`;
  accounts.addUser(user, "max");
  const { token } = accounts.createToken(user, "test", null);

  return {
    /** The address below which the paths of v1 are. */
    base,
    /** The URL of the service: `http://127.0.0.1:…`. */
    origin: `http://127.0.0.1:${server.port}`,
    access,
    accounts,
    token,
    /** Set `time.now` to move the clock. */
    time,
    market,
    live,
    log,
    metrics,
    /** The log of the service, one JSON object a line. */
    logLines,
    /** The answer to a path of v1. */
    get: (path: string): Promise<Response> =>
      fetch(base + path, { headers: { authorization: `Bearer ${token}` } }),
    async stop(): Promise<void> {
      await server.stop(true);
      await live.stop();
      market.close();
      access.close();
    },
  };
}
