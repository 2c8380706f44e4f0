import type { Actor } from "#access/audit.ts";
import type { Guard } from "#access/guard.ts";
import type { Principal } from "#access/principals.ts";
import { UserData } from "#access/user-data.ts";
import { invalidArgument } from "#domain/errors.ts";
import { type Right, RIGHT_NAMES, RIGHTS } from "#domain/rights.ts";
import type { OwnAlerts } from "#domain/user-alerts.ts";
import type { OwnDocuments } from "#domain/user-documents.ts";
import { quotaOf } from "#access/quota.ts";
import { type Config, TOKEN_VARIABLE } from "#config.ts";
import { isOfCluster } from "#ingest/node-market.ts";
import { claimMarket, findOrigin, hasSample } from "#ingest/ingest.ts";
import { isSampleDue } from "#ingest/sample-due.ts";
import { reloadSample } from "#ingest/sample-load.ts";
import type { Log } from "#lib/log.ts";
import { nextTurn } from "#lib/next-turn.ts";
import { McpServer } from "#mcp/server.ts";
import { type AnswerMessage, serveLines } from "#mcp/stdio.ts";
import { readToolSets, TOOL_SET_NAMES } from "#mcp/tool-sets.ts";
import { createExecutor } from "#operations/execute.ts";
import { CompanyRollups } from "#rollups/company-rollups.ts";
import type { MarketStore } from "#store/index.ts";
import { windowsAt } from "#store/usage.ts";
import { openLog } from "#service/world.ts";
import { createLive } from "#service/live.ts";
import { figuresOf, type MarketIngest } from "#service/market-ingest.ts";
import { VERSION } from "#domain/program.ts";
import type { Command, Invocation, Io } from "./command.ts";
import { getFirstUser } from "./console.ts";
import { USER_FLAG } from "./list.ts";
import { createRemote } from "./mcp-remote.ts";
import { withAccess, withMarket } from "./stores.ts";

/** How often a sample market is checked for records that are due. */
const SAMPLE_CHECK_MS = 60_000;

/** The caller of a local server: the user of the machine, who can read the data folder. */
const OPERATOR: Omit<Principal, "rights"> = {
  tokenId: 0,
  user: "operator",
  plan: "unlimited",
  lists: null,
  asOf: null,
};

/** Who changes lists, in the audit log. No user has a space in the name. */
const ACTOR: Actor = { name: "local mcp", address: null };

export const mcp: Command = {
  name: "mcp",
  summary: "Serve MCP on stdin and stdout, for clients that start local servers",
  flags: {
    url: {
      value: "URL",
      description:
        "forward to the service at this address, with the token in BOURSE_TOKEN, instead of reading the data folder",
    },
    tools: {
      value: "SETS",
      description: `offer only the tools of these sets, separated by commas: ${TOOL_SET_NAMES}`,
    },
    ...USER_FLAG,
    [RIGHTS["lists:write"].flag]: {
      description: "with the data folder, also offer the tools that save and delete lists",
    },
    [RIGHTS["alerts:write"].flag]: {
      description: "with the data folder, also offer the tools that save and delete alerts",
    },
  },
  examples: ["--data /var/lib/bourse", "--write-lists", "--url https://data.example.com"],
  settings: ["data", "market", "contact", "user-agent", "sources", "log"],
  run: runMcp,
};

/** Serves until stdin ends. Nothing but messages is written to stdout. */
async function runMcp(invocation: Invocation): Promise<void> {
  const { io, config, flags } = invocation;
  const input = io.stdin?.() ?? new Blob().stream();
  const serve = (answer: AnswerMessage) => serveLines(input, answer, io.stdout);
  const log = openLog(io, config);
  const { url } = flags;
  const tools = String(flags["tools"] ?? "");
  const rights = RIGHT_NAMES.filter((right) => flags[RIGHTS[right].flag]);
  if (typeof url === "string") {
    refuseRights(rights);
    return serve(createRemote({ url, tools, token: io.env[TOKEN_VARIABLE], log }));
  }
  return withMarket(
    config,
    async (market) => {
      const origin = findOrigin(market) ?? config.market;
      if (origin === "live") claimMarket(market, origin);
      // Only the leader of a cluster fetches.
      const fetches = origin === "live" && !isOfCluster(market);
      const live = fetches ? createLive({ config, market, clock: io.clock, log }) : null;
      const thread = origin === "live" ? null : await createThread({ io, config, market, log });
      const refresh =
        origin === "live"
          ? live?.onRequest
          : createSampleRefresh({ market, clock: io.clock, log, thread });
      const own = openLists(invocation);
      const server = createLocalServer({ io, config, market, log, refresh, own, rights });
      try {
        const transport = { headers: null, tools: readToolSets(tools), makeLink: null };
        const caller = { ...OPERATOR, rights };
        await serve(async (incoming) => (await server.answer(incoming, caller, transport)).message);
      } finally {
        // A slow source would keep the process alive after the last answer.
        await live?.stop();
        await thread?.close();
      }
    },
    io.clock,
  );
}

/** @throws BourseError if rights are given beside `--url` */
function refuseRights([right]: readonly Right[]): void {
  if (right === undefined) return;
  throw invalidArgument(
    `--${RIGHTS[right].flag} is for a data folder. With --url, the right is the token's: \`token create USER --${RIGHTS[right].flag}\` makes one.`,
  );
}

/** A server on the data folder. It needs no token and counts no calls, because its user is the operator. */
function createLocalServer(parts: {
  io: Io;
  config: Config;
  market: MarketStore;
  log: Log;
  refresh: Parameters<typeof createExecutor>[0]["refresh"];
  own: OwnData;
  rights: readonly Right[];
}): McpServer {
  const { io, config, market, log, refresh, own, rights } = parts;
  const { clock } = io;
  const quota = () =>
    quotaOf(config.plans, OPERATOR.plan, { ...windowsAt(clock()), dayUsed: 0, hourUsed: 0 });
  const guard: Pick<Guard, "charge" | "quota"> = {
    charge: () => ({ quota: quota(), denied: null }),
    quota,
  };
  const executor = createExecutor({
    market,
    clock,
    refresh,
    documentsOf: () => own,
    alertsOf: () => own.alerts,
  });
  return new McpServer({ executor, guard, clock, log, rights, version: VERSION });
}

/** The lists of a user, and what rules know and said. */
interface OwnData extends OwnDocuments {
  readonly alerts: OwnAlerts;
}

/**
 * The lists of the user that `--user` names, by default of the oldest admin. Users are opened for each call, because the
 * service may run on the folder, and an empty folder has none yet.
 */
function openLists(invocation: Pick<Invocation, "io" | "config" | "flags">): OwnData {
  const { io, flags } = invocation;
  const using = <T>(work: (own: UserData) => T): Promise<Awaited<T>> =>
    withAccess(invocation, async (access) => {
      const user = String(flags["user"] ?? (await getFirstUser(access)).name);
      return work(new UserData({ access, clock: io.clock, user, actor: ACTOR }));
    });
  return {
    list: (kind) => using((own) => own.list(kind)),
    get: (kind, name) => using((own) => own.get(kind, name)),
    save: (kind, value) => using((own) => own.save(kind, value)),
    replace: (kind, name, make) => using((own) => own.replace(kind, name, make)),
    remove: (kind, name) => using((own) => own.remove(kind, name)),
    alerts: {
      list: () => using((own) => own.alerts.list()),
      channels: () => using((own) => own.alerts.channels()),
      messages: (page) => using((own) => own.alerts.messages(page)),
    },
  };
}

interface SampleParts {
  readonly io: Io;
  readonly config: Config;
  readonly market: MarketStore;
  readonly log: Log;
}

/** The thread that generates the sample market, so that other messages are answered meanwhile; null if there are no threads. */
async function createThread({
  io,
  config,
  market,
  log,
}: SampleParts): Promise<MarketIngest | null> {
  const { startWorker, clock, stopwatch = clock } = io;
  if (!startWorker) return null;
  const { RemoteIngest } = await import("#service/remote-ingest.ts");
  return new RemoteIngest({
    startWorker,
    env: { ...io.env, BOURSE_DATA: config.dataFolder, BOURSE_MARKET: "sample" },
    aheadMs: () => 0,
    leases: () => 0,
    stopwatch,
    log,
    figures: figuresOf(new CompanyRollups(market, clock)),
    progressed() {},
    accessChanged() {},
  });
}

/**
 * Loads the records of a sample market that have become due, at most once a minute. The first call on an
 * empty folder generates the market. Calls that arrive meanwhile wait for the same load.
 */
function createSampleRefresh(
  parts: Pick<SampleParts, "market" | "log"> & {
    clock: () => number;
    thread: Pick<MarketIngest, "loadSample"> | null;
  },
) {
  const { market, clock, log, thread } = parts;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let loading: Promise<void> | undefined;
  return (): Promise<void> | undefined => {
    const now = clock();
    if (loading || now - checkedAt < SAMPLE_CHECK_MS) return loading;
    if (!hasSample(market)) {
      log.info("generating the sample market; calls wait for it, which takes a few seconds");
    }
    // Without a thread of its own, generating blocks. Messages that arrived with the call are answered first.
    loading = nextTurn()
      .then(async () => {
        if (!thread) await reloadSample({ market, now });
        else if (isSampleDue(market, now)) await thread.loadSample(now);
      })
      .then(() => void (checkedAt = now))
      .finally(() => (loading = undefined));
    return loading;
  };
}
