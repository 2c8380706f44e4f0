import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { Database } from "bun:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Accounts } from "#access/accounts.ts";
import { COMMAND_LINE } from "#access/audit.ts";
import { type PlanName } from "#access/plans.ts";
import type { Backups } from "#service/backups.ts";
import { ServiceMetrics } from "#service/metrics.ts";
import { findBuild } from "#domain/program.ts";
import type { ConnectionNetwork } from "#service/connection-network.ts";
import { createService } from "#service/service.ts";
import {
  type ClusterNodeParts,
  createFileStores,
  type NodeHealth,
  type ServiceStores,
} from "#service/stores.ts";
import { readConfig } from "#config.ts";
import type { ApiVersion } from "#http/api-version.ts";
import type { HttpApp } from "#http/app.ts";
import type { OutsideNetwork } from "#lib/outside-network.ts";
import { listen } from "#http/listen.ts";
import type { Refresh } from "#operations/execute.ts";
import { createLog } from "#lib/log.ts";
import type { NodeInfo } from "#domain/cluster-node.ts";
import { CompanyRollups } from "#rollups/company-rollups.ts";
import { LockQueue, type MarketStore } from "#store/index.ts";
import { atOnce } from "./at-once.ts";
import { TEST_CLUSTER, TwoNodes } from "./cluster-service.ts";
import { removeAfterExit } from "./child-process.ts";
import { openCopiedAccess, openCopiedMarket } from "./empty-files.ts";

/** The moment at which every test service starts: a Friday, half past noon in New York. */
export const START = Date.parse("2026-11-20T17:30:00Z");

/** The beginning of the names of the folders for the files of test processes. */
export const RUN_FOLDER_PREFIX = "bourse-test-";

/** Holds every file that this test process makes; `clean-up.ts` removes it. */
export const RUN_FOLDER = join(tmpdir(), `${RUN_FOLDER_PREFIX}${process.pid}`);

/** A new folder for a test; the returned function removes it. */
export function temporaryFolder(): { folder: string; remove: () => void } {
  mkdirSync(RUN_FOLDER, { recursive: true });
  const folder = mkdtempSync(join(RUN_FOLDER, "folder-"));
  return {
    folder,
    remove() {
      keepUnchangedSample(folder);
      rmSync(folder, { recursive: true, force: true });
      // Outside the test runner, as in the bench, no other code removes it.
      if (existsSync(RUN_FOLDER) && readdirSync(RUN_FOLDER).length === 0) rmdirSync(RUN_FOLDER);
    },
  };
}

/** Puts the sample market of `START` into a folder. */
export function copySampleMarket(folder: string): void {
  copySample("start", START, folder);
}

/**
 * Opens a copy of the sample market of `START`, with the figures of its companies at that time. `close` closes and
 * removes it.
 */
export function openSampleMarket() {
  const { folder, remove } = temporaryFolder();
  copySampleMarket(folder);
  const market = openCopiedMarket(folder);
  const rollups = savedRollups(market, () => START);
  const close = () => {
    market.close();
    remove();
  };
  return { market, rollups, close };
}

/** The figures of all companies, which `save-sample.ts` has saved for `START`. */
const savedRollups = (market: MarketStore, clock: () => number) =>
  new CompanyRollups(market, clock, { servesPrevious: false, findBuild });

/** Puts the sample market of this moment into a folder, for tests of the program with the real clock. */
export function copyTodaysMarket(folder: string): void {
  copySample("today", Date.now(), folder);
}

/** The process of this test run: with `--parallel`, the parent of its workers. */
const RUN_PID = process.env["BUN_TEST_WORKER_ID"] === undefined ? process.pid : process.ppid;

/** The end of the name of a run's folder of sample markets. */
export const SAMPLES_SUFFIX = "-samples";

/** Holds the sample markets that all processes of this test run share. */
const SAMPLES_FOLDER = join(tmpdir(), `${RUN_FOLDER_PREFIX}${RUN_PID}${SAMPLES_SUFFIX}`);

/** No file that was written has this time of change. */
const NEVER_WRITTEN = new Date("2001-01-01T00:00:00Z");
/** The copies in folders of this process by path, each with the name of its sample and the state of its file. */
const copies = new Map<string, { readonly name: string; readonly state: string }>();
/** The copies that removed folders left unchanged. */
const unchanged: { readonly name: string; readonly path: string }[] = [];

function stateOf(path: string): string {
  const { mtimeMs, mode, uid } = statSync(path);
  return [mtimeMs, mode, uid].join();
}

/** Puts a sample market of the run into a folder: one that a removed folder left unchanged, or a copy. */
function copySample(name: string, now: number, folder: string): void {
  const copy = join(folder, "market.db");
  const left = unchanged.findIndex((one) => one.name === name);
  const [free] = left === -1 ? [] : unchanged.splice(left, 1);
  if (free) renameSync(free.path, copy);
  else {
    const path = join(SAMPLES_FOLDER, `${name}.db`);
    if (!existsSync(path)) generateSample(path, now);
    copyFileSync(path, copy);
    utimesSync(copy, NEVER_WRITTEN, NEVER_WRITTEN);
  }
  copies.set(copy, { name, state: stateOf(copy) });
}

/** Keeps the sample market of a folder for the next test, unless something was written to it. */
function keepUnchangedSample(folder: string): void {
  const copy = join(folder, "market.db");
  const known = copies.get(copy);
  copies.delete(copy);
  // A log that is left has changes, or belongs to a service that still runs.
  if (!known || !existsSync(copy) || existsSync(`${copy}-wal`) || stateOf(copy) !== known.state)
    return;
  const path = join(SAMPLES_FOLDER, `unchanged-${crypto.randomUUID()}.db`);
  renameSync(copy, path);
  unchanged.push({ name: known.name, path });
}

/** Generates a sample market, which takes seconds. Other processes that need one wait meanwhile. */
function generateSample(path: string, now: number): void {
  const { folder, remove } = temporaryFolder();
  // Adding the days since then is quicker than generating all of them.
  if (now > START) copySampleMarket(folder);
  const isNew = mkdirSync(SAMPLES_FOLDER, { recursive: true }) !== undefined;
  if (isNew) removeAfterExit(SAMPLES_FOLDER, RUN_PID);
  using lock = new Database(join(SAMPLES_FOLDER, "lock.db"));
  lock.run("PRAGMA busy_timeout = 120000");
  lock.run("BEGIN EXCLUSIVE");
  if (!existsSync(path)) {
    const script = join(import.meta.dir, "save-sample.ts");
    const { success, stderr } = Bun.spawnSync([process.execPath, script, folder, String(now)]);
    if (!success) throw new Error(stderr.toString());
    renameSync(join(folder, "market.db"), path);
  }
  remove();
}

export interface TestServiceOptions {
  /** 0 (off) unless a test is about the gate. */
  readonly gatePerMinute?: number;
  readonly trustedProxies?: string;
  /** Without the sample market, the market is empty. */
  readonly sample?: boolean;
  readonly versions?: readonly ApiVersion[];
  /** Reads the metadata documents of OAuth clients. */
  readonly documentNetwork?: OutsideNetwork;
  /** Calls the public address for its check. */
  readonly connectionNetwork?: ConnectionNetwork;
  /** The environment: more settings. */
  readonly env?: Readonly<Record<string, string>>;
  readonly backups?: Backups;
  /** Fetches what a request needs. */
  readonly onRequest?: Refresh;
  /** How long an answer may take, in milliseconds; a minute if absent. */
  readonly answerMs?: number;
  /** How often a stream of the console shows that it is alive, in milliseconds; 10 seconds if absent. */
  readonly beatMs?: number;
  /** How many requests a user may send to the console in a minute; 600 if absent. */
  readonly perUser?: number;
  /** The port; any free one if absent. */
  readonly port?: number;
  readonly stopping?: AbortSignal;
  /** An existing data folder, which stays; a new one if absent. */
  readonly folder?: string;
  /** True if one node answers all requests, where the tests run on two. */
  readonly oneNode?: boolean;
  /** True if the service counts what it does. */
  readonly counts?: boolean;
  /** Makes it a node of a cluster in its reports; its users and tokens stay in a file. */
  readonly node?: PlayedNode;
}

/** What a played node knows of itself and of its cluster. */
export interface PlayedNode {
  /** Throws if the cluster's database does not answer. */
  readonly list: () => NodeInfo[];
  readonly health?: Partial<NodeHealth>;
}

/** A node whose database answers and which has all changes, unless the test says otherwise. */
export function playNode({ list, health = {} }: PlayedNode): ClusterNodeParts {
  return {
    listNodes: async () => list(),
    accessChanged() {},
    health: () => ({
      isDatabaseUp: true,
      downMs: 0,
      hasCaughtUp: true,
      fault: null,
      differs: [],
      changesBehind: 0,
      isLeader: false,
      term: null,
      leases: 0,
      nodesAlive: 1,
      ...health,
    }),
  };
}

/** The service on a real port with real files and a clock that only the test moves. */
export type TestService = Awaited<ReturnType<typeof startService>>;

export async function startService(options: TestServiceOptions = {}) {
  const { folder, remove } =
    options.folder === undefined ? temporaryFolder() : { folder: options.folder, remove: () => {} };
  if (options.sample !== false && options.folder === undefined) copySampleMarket(folder);
  const time = { now: START, setMs: 0 };
  const clock = () => time.now;
  const logLines: string[] = [];
  const counts = { info: 0, warn: 0, error: 0 };
  const log = createLog({ format: "json", write: (line) => logLines.push(line), clock, counts });
  const config = readConfig(
    {
      data: folder,
      "gate-per-minute": String(options.gatePerMinute ?? 0),
      "trusted-proxies": options.trustedProxies ?? "",
    },
    options.env ?? {},
  );
  const market = openCopiedMarket(folder, clock);
  const cluster =
    TEST_CLUSTER === undefined
      ? null
      : await TwoNodes.open(TEST_CLUSTER, { time, market, config, log });
  // As `serve` opens it.
  const access = cluster?.access ?? openCopiedAccess(folder, { busyTimeoutMs: 5 });
  const accounts = atOnce(new Accounts({ access, clock, actor: COMMAND_LINE }));
  const node = options.node ? playNode(options.node) : null;
  const rollups = savedRollups(market, clock);
  const metrics = new ServiceMetrics({
    config,
    access,
    market,
    rollups,
    logLines: counts,
    backups: { succeededAt: () => null, warning: () => null },
    exports: { succeededAt: () => null, warning: () => null },
    sources: () => new Map(),
    node,
    clock,
    stopwatch: () => time.now - time.setMs,
  });
  const all = cluster?.stores ?? [
    createFileStores({ access, market, config, clock, queue: new LockQueue({ waitMs: 300 }) }),
  ];
  const stores = options.oneNode ? all.slice(0, 1) : all;
  const [{ guard }] = stores as [ServiceStores];
  const common = {
    config,
    metrics: options.counts ? metrics : undefined,
    log,
    writeLines: (text: string) => logLines.push(...text.trimEnd().split("\n")),
    documentNetwork: options.documentNetwork,
    connectionNetwork: options.connectionNetwork,
    ...(options.versions && { versions: options.versions }),
    ...(options.backups && { backups: options.backups }),
    onRequest: options.onRequest,
    beatMs: options.beatMs,
    perUser: options.perUser,
    stopping: options.stopping,
    // A busy machine may be slow.
    answerMs: options.answerMs ?? 60_000,
  };
  const apps = stores.map((one) => createService({ ...one, node, ...common }));
  const server = listen(cluster?.alternate(apps) ?? (apps[0] as HttpApp), {
    host: "127.0.0.1",
    port: options.port ?? 0,
  });
  const base = `http://127.0.0.1:${server.port}/api/v1/svc`;
  let users = 0;

  return {
    folder,
    /** The address below which the paths of v1 are. */
    base,
    /** The URL of the service: `http://127.0.0.1:…`. */
    origin: `http://127.0.0.1:${server.port}`,
    /** Set `time.now` to move the clock, and `time.setMs` to the part that no stopwatch shows. */
    time,
    log,
    /** The roll-ups that the metrics read. */
    rollups,
    access,
    market,
    guard,
    accounts,
    metrics,
    /** The log of the service, one JSON object a line. */
    logLines,
    /** The number of counted calls of a token today. */
    async used(tokenId: number): Promise<number> {
      if (cluster) return cluster.used(tokenId);
      const { daily } = await guard.quota({ tokenId, user: "", plan: "max" });
      return daily.limit - daily.remaining;
    },
    /** A token of a new user with that plan. */
    createToken(plan: PlanName = "max", lifetimeMs: number | null = null) {
      const user = `user-${++users}`;
      accounts.addUser(user, plan);
      return { user, ...accounts.createToken(user, "test", lifetimeMs) };
    },
    /** A feed link of a new user with that plan, its id, and a token of the same user. */
    createFeedLink(plan: PlanName = "max") {
      const { user, token } = this.createToken(plan);
      const { token: link, id } = accounts.createToken(user, "feed", null, "feed");
      return { user, token, link, id };
    },
    /** The payload of a path of v1. */
    async payload<T>(path: string, token: string): Promise<T> {
      const { data } = (await (await this.request(path, token)).json()) as { data: T };
      return data;
    },
    /** Requests a path of v1 with a token, or without one if it is null. */
    request(path: string, token: string | null, init: BunFetchRequestInit = {}): Promise<Response> {
      const headers = new Headers(init.headers);
      if (token !== null) headers.set("authorization", `Bearer ${token}`);
      return fetch(base + path, { ...init, headers });
    },
    /** Posts a message (or a raw body) to MCP. */
    mcp(
      token: string | null,
      message: object | string,
      headers: Record<string, string> = {},
    ): Promise<Response> {
      return fetch(`${base}/mcp`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...headers,
        },
        body: typeof message === "string" ? message : JSON.stringify(message),
      });
    },
    /** Posts a `tools/call` and returns the parsed JSON-RPC message. */
    async callTool(token: string, name: string, args: unknown) {
      const response = await this.mcp(token, {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name, arguments: args },
      });
      return (await response.json()) as {
        result?: {
          content: { type: string; text: string }[];
          structuredContent?: Record<string, unknown>;
          isError?: boolean;
          _meta: { quota: unknown; source?: string; age_seconds?: number };
        };
        error?: { code: number; message: string; data?: Record<string, unknown> };
      };
    },
    async stop(): Promise<void> {
      await server.stop(true);
      market.close();
      await (cluster ?? access).close();
      remove();
    },
  };
}
