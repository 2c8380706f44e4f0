import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { PlanName } from "#access/plans.ts";
import { createTokenSecret, fingerprintToken } from "#access/token-secret.ts";
import { CLUSTER_ID, openMarket } from "#store/index.ts";
import { MarketLog } from "#store/market-log.ts";
import { Postgres } from "#store/postgres.ts";
import { Balancer } from "./balancer.ts";
import { bunCommand } from "./child-process.ts";
import { MAIN, runAt } from "./cli.ts";
import { POSTGRES_PARTS } from "./cluster-access.ts";
import type { TestPostgres } from "./postgres.ts";
import { type ServeProcess, spawnServe } from "./serve-process.ts";
import { copyTodaysMarket, temporaryFolder } from "./service.ts";

/** The names of the environment that a node and its commands need. */
type Env = Readonly<Record<string, string>>;

/** A node of a test cluster: the program as a real process, with a data folder of its own. */
export class TestNode {
  readonly folder: string;
  readonly #program: readonly string[];
  readonly #env: Env;
  #process: ServeProcess | null = null;

  /** Prepares the folder of a node that does not run yet. */
  constructor(folder: string, program: readonly string[], env: Env) {
    mkdirSync(folder, { recursive: true });
    this.folder = folder;
    this.#program = program;
    this.#env = env;
  }

  /** The running process. @throws Error if the node does not run */
  get process(): ServeProcess {
    if (!this.#process) throw new Error("This node does not run.");
    return this.#process;
  }

  /** Its port; null if it does not run. */
  get port(): number | null {
    return this.#process?.port ?? null;
  }

  /** Starts the node and waits until it listens. */
  async start(): Promise<void> {
    const options = { program: this.#program, env: this.#env };
    this.#process = await spawnServe(this.folder, options);
  }

  /** Kills the node (`kill -9`) and waits for its end. */
  async kill(): Promise<void> {
    const running = this.process;
    this.#process = null;
    running.kill("SIGKILL");
    await running.exited();
  }

  /** Stops the node as its operator would; returns its exit code. */
  async stop(): Promise<number> {
    const running = this.process;
    this.#process = null;
    return running.stop();
  }

  /** Stops the process without ending it. */
  freeze(): void {
    process.kill(this.process.pid, "SIGSTOP");
  }

  /** Lets a frozen node continue. */
  thaw(): void {
    process.kill(this.process.pid, "SIGCONT");
  }
}

/** The calls that the database has counted for a token today. */
export interface CountedToday {
  /** UTC days since 1970. */
  readonly day: number;
  readonly dayUsed: number;
}

/** A token of a test cluster. */
export interface TestToken {
  readonly id: number;
  readonly token: string;
}

/** What a test cluster consists of. */
export interface TestClusterOptions {
  /** Two if absent. */
  readonly nodes?: number;
  /** The command of the program, unless it is the source. */
  readonly program?: readonly string[];
  /** How far the clock of a node is ahead, such as `+7m`. */
  readonly clockOf?: (node: number) => string | undefined;
  /** More settings of every node. */
  readonly env?: Env;
  /** More settings of one node. */
  readonly envOf?: (node: number) => Env;
  /** The port through which a node reaches the server, if not the server's own. */
  readonly databasePort?: (node: number) => number | undefined;
}

/** A real Postgres and nodes on it, each a process on a loopback port. */
export class TestCluster {
  /** The server that answers SQL of the tests: after a promotion, the former standby. */
  postgres: TestPostgres;
  readonly database: string;
  readonly nodes: readonly TestNode[];
  /** Leads each connection to the next living node. */
  readonly balancer: Balancer;
  readonly #remove: () => void;
  #users = 0;

  private constructor(parts: {
    postgres: TestPostgres;
    database: string;
    nodes: readonly TestNode[];
    balancer: Balancer;
    remove: () => void;
  }) {
    this.postgres = parts.postgres;
    this.database = parts.database;
    this.nodes = parts.nodes;
    this.balancer = parts.balancer;
    this.#remove = parts.remove;
  }

  /** Starts nodes on a new database of the server, one after the other, with today's sample market. */
  static async start(
    postgres: TestPostgres,
    options: TestClusterOptions = {},
  ): Promise<TestCluster> {
    const database = await postgres.createDatabase();
    const { folder, remove } = temporaryFolder();
    const clusterId = await createCluster(postgres.url(database));
    await postgres.execute(`ALTER DATABASE ${database} SET search_path = bourse`);
    const nodes = Array.from({ length: options.nodes ?? 2 }, (_, i) => {
      const own = join(folder, `node-${i + 1}`);
      const node = new TestNode(own, options.program ?? bunCommand(MAIN), {
        BOURSE_CLUSTER: postgres.url(database, options.databasePort?.(i)),
        BOURSE_GATE_PER_MINUTE: "0",
        ...options.env,
        ...options.envOf?.(i),
        ...shiftedClock(options.clockOf?.(i)),
      });
      copyTodaysMarket(own);
      joinMarket(own, clusterId);
      return node;
    });
    const balancer = await Balancer.open(() => nodes.flatMap(({ port }) => port ?? []));
    const cluster = new TestCluster({ postgres, database, nodes, balancer, remove });
    for (const node of nodes) await node.start();
    return cluster;
  }

  /** The process of a node; the first one is 0. */
  processOf(node: number): ServeProcess {
    const found = this.nodes[node];
    if (!found) throw new Error(`There is no node ${node}.`);
    return found.process;
  }

  /** Runs SQL on the cluster's database and returns the rows of the last statement. */
  query<Row>(sql: string): Promise<Row[]> {
    return this.postgres.execute<Row>(sql, this.database);
  }

  /** Creates tokens of one new user. */
  async createTokens(plan: PlanName, count: number): Promise<TestToken[]> {
    const user = `load-${++this.#users}`;
    const secrets = Array.from({ length: count }, () => createTokenSecret());
    const rows = secrets.map((secret) => {
      const print = fingerprintToken(secret);
      if (!print) throw new Error("A new secret has no fingerprint.");
      const hash = Buffer.from(print.hash).toString("hex");
      return `((SELECT id FROM own), '${print.prefix}', '\\x${hash}', 'load', ${Date.now()})`;
    });
    const made = await this.query<{ id: number; prefix: string }>(
      `WITH own AS (INSERT INTO users (name, plan, role, created_at)
         VALUES ('${user}', '${plan}', 'user', ${Date.now()}) RETURNING id)
       INSERT INTO tokens (user_id, prefix, hash, label, created_at) VALUES ${rows.join(", ")}
       RETURNING id, prefix`,
    );
    const ids = new Map(made.map(({ id, prefix }) => [prefix, id]));
    return secrets.map((token) => ({
      token,
      id: ids.get(fingerprintToken(token)?.prefix ?? "") ?? 0,
    }));
  }

  /** Creates a token of a new user. */
  async createToken(plan: PlanName): Promise<TestToken> {
    const [token] = await this.createTokens(plan, 1);
    if (!token) throw new Error("No token was created.");
    return token;
  }

  /** The calls that are counted for some tokens, by token. Leases in hand count as used. */
  async counted(tokens: readonly TestToken[]): Promise<Map<number, CountedToday>> {
    const rows = await this.query<{ id: number; day: number; dayUsed: number }>(
      `SELECT token_id AS id, day, day_used AS "dayUsed" FROM usage
       WHERE token_id IN (${tokens.map(({ id }) => id).join(", ")})`,
    );
    return new Map(rows.map(({ id, day, dayUsed }) => [id, { day, dayUsed }]));
  }

  /** The node that leads now, or null. */
  async leader(): Promise<TestNode | null> {
    const [row] = await this.query<{ url: string }>(
      `SELECT url FROM nodes JOIN leader ON leader.holder = nodes.id WHERE until > cluster_now()`,
    );
    const port = Number(URL.parse(row?.url ?? "")?.port);
    return this.nodes.find((node) => node.port === port) ?? null;
  }

  /** Runs a command in this process, with the settings of the first node. */
  async command(...argv: string[]): Promise<string> {
    const env = {
      BOURSE_DATA: this.nodes[0]?.folder ?? "",
      BOURSE_CLUSTER: this.postgres.url(this.database),
    };
    const { code, stdout, stderr } = await runAt(Date.now, env, ...argv);
    if (code !== 0) throw new Error(`${argv.join(" ")} failed: ${stderr}`);
    return stdout;
  }

  /** Stops all nodes that run, so that they give their leases back. */
  async stopNodes(): Promise<void> {
    await Promise.all(this.#running().map((node) => node.stop()));
  }

  /** Ends the nodes and removes their folders; the server stays. */
  async close(): Promise<void> {
    await this.balancer.close();
    await Promise.all(this.#running().map((node) => node.kill()));
    this.#remove();
  }

  #running(): TestNode[] {
    return this.nodes.filter(({ port }) => port !== null);
  }
}

/** True if nodes can have another clock. */
export const HAS_FAKETIME = Bun.which("faketime") !== null;

/** The environment of a process with a shifted clock. */
function shiftedClock(shift: string | undefined): Env {
  if (shift === undefined) return {};
  // `faketime` would start the node as its own child, and a signal would not reach the node.
  const env = Bun.spawnSync(["faketime", "-f", shift, "env"]).stdout.toString();
  const preload = /^LD_PRELOAD=(.+)$/m.exec(env)?.[1];
  if (preload === undefined) throw new Error("faketime names no library.");
  return { LD_PRELOAD: preload, FAKETIME: shift, FAKETIME_DONT_FAKE_MONOTONIC: "1" };
}

/** Creates a cluster with a sample market in an empty database, and returns its id. */
async function createCluster(url: string): Promise<string> {
  const postgres = await Postgres.open(url, POSTGRES_PARTS);
  try {
    return await (await MarketLog.open(postgres)).claimOrigin("sample");
  } finally {
    await postgres.close();
  }
}

/** Makes a complete sample market a node's copy, so that the node does not generate it. */
function joinMarket(folder: string, clusterId: string): void {
  const market = openMarket(folder);
  market.setSetting(CLUSTER_ID, clusterId);
  market.close();
}
