import { createAccounts } from "#access/accounts.ts";
import { createGuard, type Guard } from "#access/guard.ts";
import type { Config } from "#config.ts";
import { BourseError } from "#domain/errors.ts";
import { V1, versionPrefix } from "#http/api-version.ts";
import type { HttpApp } from "#http/app.ts";
import { type HttpServer, listen } from "#http/listen.ts";
import { claimMarket, hasSample, loadSample } from "#ingest/ingest.ts";
import { createLog, type Log } from "#lib/log.ts";
import { CompanyRollups } from "#rollups/company-rollups.ts";
import {
  type AccessStore,
  type MarketStore,
  openAccess,
  openMarket,
  removeMarket,
} from "#store/index.ts";
import { type Command, compileAsUsual, type Invocation, type Io, PROGRAM } from "./command.ts";
import { createClients, createLive, type Live, worldOf } from "./live.ts";
import { createService } from "./service.ts";
import { VERSION } from "./version.ts";

const OWNER = "owner";
/** How often it is asked what of the market is due. */
const REFRESH_MS = 60_000;
/** When what of a sample market is due is looked at first. */
const FIRST_LOOK_MS = 1_000;
/** How often calls that were counted ahead, and are not used, are given back. */
const SETTLE_MS = 1_000;
/** How often companies that changed are computed again. */
const ROLLUPS_MS = 1_000;
/** After so long the start is over, whose code runs once and is not worth compiling. */
const START_MS = 1_000;
/** How long requests in flight may take once a stop was asked for. */
const GRACE_MS = 10_000;
/** How often it is checked whether requests are in flight still. */
const POLL_MS = 10;

export const serve: Command = {
  name: "serve",
  summary: "Run the service",
  flags: {
    "reset-market": { description: "throw the market file away first, imports included" },
  },
  settings: [
    "host",
    "port",
    "data",
    "market",
    "contact",
    "sources",
    "trusted-proxies",
    "gate-per-minute",
    "log",
  ],
  run: runServe,
};

/** Serves and keeps the market up to date until a stop is asked for. */
async function runServe({ io, config, flags }: Invocation): Promise<void> {
  const stopAsked = new Promise<void>((resolve) => io.onStop(resolve));
  const log = logOf(io, config);
  // Before anything is made, or thrown away: what is set wrong shall be told at once.
  if (config.market === "live") createClients(config, worldOf(io.clock));
  const reset = flags["reset-market"] === true;
  await withStores({ io, config, log, reset }, async (stores) => {
    const { access, market } = stores;
    const { clock } = io;
    const rollups = new CompanyRollups(market, clock, { servesPrevious: true });
    const parts = { ...stores, config, clock, log, rollups };
    const live = config.market === "live" ? createLive(parts) : null;
    let server: HttpServer | undefined;
    const upkeep: Upkeep[] = [];
    try {
      claimMarket(market, config.market);
      const app = createService({ ...parts, onRequest: live?.onRequest });
      // Before the market is loaded: a port that is taken shall be told at once.
      server = listenOn(app, config);
      upkeep.push(live ? keepLive(live, log) : keepSample(parts));
      upkeep.push(keepRollups(rollups, log));

      const url = urlOf(config, server.port);
      io.stdout(greeting(url, config, firstUser(access, io.clock)));
      await stopAsked;

      log.info("stopping; what is in flight is finished first");
      await stopListening(server);
    } finally {
      // After an error too: any of them would keep the process alive.
      await Promise.all(upkeep.map((one) => one.stop()));
      await server?.stop(true);
    }
  });
}

function logOf(io: Io, { logFormat }: Config): Log {
  return createLog({
    format: logFormat,
    write: (line) => io.stderr(`${line}\n`),
    clock: io.clock,
  });
}

/** Opens both files for the time that `work` takes, with a guard that gives back what is not used. */
async function withStores(
  options: { io: Io; config: Config; log: Log; reset: boolean },
  work: (stores: { access: AccessStore; market: MarketStore; guard: Guard }) => Promise<void>,
): Promise<void> {
  const { io, config, log, reset } = options;
  const access = openAccess(config.dataFolder);
  if (reset) removeMarket(config.dataFolder);
  const market = openMarket(config.dataFolder);
  const guard = createGuard({ access, clock: io.clock });
  const settle = (all: boolean) => {
    try {
      guard.settle({ all });
    } catch (error) {
      log.error("unused calls could not be given back", { error: String(error) });
    }
  };
  const settling = setInterval(() => settle(false), SETTLE_MS);
  try {
    await work({ access, market, guard });
  } finally {
    clearInterval(settling);
    settle(true);
    market.close();
    access.close();
  }
}

/** What keeps the market up to date while the service runs. */
interface Upkeep {
  stop(): Promise<void>;
}

interface UpkeepParts {
  readonly market: MarketStore;
  readonly clock: () => number;
  readonly log: Log;
}

function keepSample({ market, clock, log }: UpkeepParts): Upkeep {
  if (!hasSample(market)) {
    compileAsUsual();
    loadSample({ market, now: clock() });
    // The first load fills the log beside the file with as much again.
    market.checkpoint();
  }
  return keepAt(
    // To know what of it is due takes longer than the first answers do.
    { firstMs: FIRST_LOOK_MS, everyMs: REFRESH_MS },
    async () => void loadSample({ market, now: clock() }),
    (error) => log.error("the sample market could not be refreshed", { error }),
  );
}

function keepLive(live: Live, log: Log): Upkeep {
  const upkeep = keepAt(
    { firstMs: 0, everyMs: REFRESH_MS },
    (stopped) => live.schedule.run({ stopped }),
    (error) => log.error("a refresh failed", { error }),
  );
  return {
    async stop() {
      await Promise.all([upkeep.stop(), live.stop()]);
    },
  };
}

/** Computes companies again as their records change and days begin. */
function keepRollups(rollups: CompanyRollups, log: Log): Upkeep {
  const upkeep = keepAt(
    { firstMs: ROLLUPS_MS, everyMs: ROLLUPS_MS },
    () => rollups.update(),
    (error) => log.error("companies could not be computed", { error }),
  );
  return {
    async stop() {
      await Promise.all([upkeep.stop(), rollups.stop()]);
    },
  };
}

/** Does the work first and then every so often, but never twice at a time: it may last hours. */
function keepAt(
  { firstMs, everyMs }: { firstMs: number; everyMs: number },
  work: (stopped: () => boolean) => Promise<void>,
  failed: (error: string) => void,
): Upkeep {
  let isStopped = false;
  let round: Promise<void> | null = null;
  const begin = () => {
    round ??= work(() => isStopped)
      .catch((error) => failed(String(error)))
      .finally(() => (round = null));
  };
  const first = setTimeout(begin, firstMs);
  const timer = setInterval(begin, everyMs);
  return {
    async stop() {
      isStopped = true;
      clearTimeout(first);
      clearInterval(timer);
      await round;
    },
  };
}

function listenOn(app: HttpApp, address: Parameters<typeof listen>[1]): HttpServer {
  const { host, port } = address;
  try {
    const server = listen(app, address);
    setTimeout(compileAsUsual, START_MS).unref();
    return server;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    throw new BourseError(
      "unavailable",
      code === "EADDRINUSE"
        ? `Port ${port} on ${host} is taken; stop what listens there or choose another with --port.`
        : `Cannot listen on ${host}, port ${port} (${code || String(error)}).`,
    );
  }
}

/** Takes no more connections, lets the requests in flight finish, then closes what is left idle. */
async function stopListening(server: HttpServer): Promise<void> {
  void server.stop();
  for (let waitedMs = 0; server.pendingRequests > 0 && waitedMs < GRACE_MS; waitedMs += POLL_MS) {
    await Bun.sleep(POLL_MS);
  }
  await server.stop(true);
}

const isEveryAddress = (host: string) => host === "0.0.0.0" || host === "::";

/** What a client on this machine connects to. */
function urlOf({ host, port }: Config, boundPort = port): string {
  const reachable = isEveryAddress(host) ? "127.0.0.1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${boundPort}`;
}

/** The first user; where there is none, the owner, made now, with a token. */
function firstUser(
  access: AccessStore,
  clock: () => number,
): { name: string; token: string | null } {
  const first = access.users.findFirst();
  if (first) return { name: first.name, token: null };
  const accounts = createAccounts({ access, clock });
  accounts.addUser(OWNER, "max");
  return { name: OWNER, token: accounts.createToken(OWNER, "first start", null).token };
}

const SAMPLE_LINES = [
  "SAMPLE MARKET: every figure is generated, none is real. Answers say X-Data-Source: sample.",
];

const LIVE_LINES = [
  "Live market: figures come from public sources as they are asked for; `sources` lists them.",
];

function greeting(
  url: string,
  { host, market, contact }: Config,
  user: { name: string; token: string | null },
): string {
  const api = url + versionPrefix(V1);
  const lines = [
    `bourse ${VERSION} listens on ${url}${isEveryAddress(host) ? ", and on every other address of this machine" : ""}`,
    ...(market === "sample" ? SAMPLE_LINES : LIVE_LINES),
    ...(market === "live" && contact === null
      ? ["BOURSE_CONTACT is not set: the SEC, which demands one, is not asked."]
      : []),
    "",
  ];
  const { name, token } = user;
  if (token === null) {
    lines.push(
      `No token is shown on a later start; \`${PROGRAM} token create ${name}\` makes another.`,
      "",
    );
    return lines.join("\n");
  }
  const server = { url: `${api}/mcp`, headers: { Authorization: `Bearer ${token}` } };
  lines.push(
    `The token of the user ${name} (plan max), shown this once:`,
    "",
    `  ${token}`,
    "",
    "A first call:",
    "",
    `  curl -H "Authorization: Bearer ${token}" "${api}/data/stocks/AAPL/overview?country=US"`,
    "",
    "For agents, in Claude Code:",
    "",
    `  claude mcp add --transport http bourse ${server.url} --header "Authorization: Bearer ${token}"`,
    "",
    "in Cursor (.cursor/mcp.json):",
    "",
    `  ${JSON.stringify({ mcpServers: { bourse: server } })}`,
    "",
    "in VS Code (.vscode/mcp.json):",
    "",
    `  ${JSON.stringify({ servers: { bourse: { type: "http", ...server } } })}`,
    "",
  );
  return `${lines.join("\n")}\n`;
}
