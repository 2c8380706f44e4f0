import { SQL } from "bun";
import { ClusterIpGate } from "#access/cluster-gate.ts";
import { createClusterGuard } from "#access/cluster-guard.ts";
import { DatabaseClock } from "#access/database-clock.ts";
import type { ServiceStores } from "#service/stores.ts";
import type { Config } from "#config.ts";
import type { HttpApp } from "#http/app.ts";
import type { Log } from "#lib/log.ts";
import { type ClusterAccess, openClusterAccess } from "#store/access-cluster.ts";
import type { AccessFile, MarketStore } from "#store/index.ts";
import { Postgres } from "#store/postgres.ts";
import type { PostgresValue } from "#store/postgres-statement.ts";
import { PostgresAtOnce } from "./postgres-at-once.ts";

/**
 * The server on which test services run as two nodes of a cluster; undefined for services on one machine.
 * `test/cluster/contract.ts` sets it and runs the contract's tests.
 */
export const TEST_CLUSTER = process.env["TEST_CLUSTER"];

/** The clock of the database, in the hands of the test. */
const TEST_CLOCK = `
  CREATE TABLE test_clock (now double precision NOT NULL);
  INSERT INTO test_clock VALUES (0);
  CREATE OR REPLACE FUNCTION cluster_now() RETURNS double precision LANGUAGE sql VOLATILE
    SET search_path = bourse AS 'SELECT now FROM test_clock'`;

let databases = 0;

/** Two nodes on a new database, in this process. The test moves their clock and that of the database. */
export class TwoNodes {
  readonly stores: readonly ServiceStores[];
  /** Users and tokens, as another process changes them. */
  readonly access: AccessFile;
  readonly #time: { readonly now: number };
  readonly #nodes: readonly ClusterAccess[];
  readonly #database: PostgresAtOnce;
  /** The version of users and tokens that each node read last. */
  readonly #versions: readonly number[];
  /** The changes that all nodes have seen. */
  #seenChanges = 0;
  #databaseNow = Number.NaN;
  #turn = 0;

  private constructor(
    nodes: readonly ClusterAccess[],
    stores: readonly ServiceStores[],
    {
      database,
      versions,
      time,
    }: {
      database: PostgresAtOnce;
      versions: readonly number[];
      time: { readonly now: number };
    },
  ) {
    this.#nodes = nodes;
    this.stores = stores;
    this.#database = database;
    this.#versions = versions;
    // Accounts and tests use only the methods that it has.
    this.access = database as unknown as AccessFile;
    this.#time = time;
  }

  /** Opens the nodes, which serve one market. `server` is the URL of any database of the server. */
  static async open(
    server: string,
    options: { time: { readonly now: number }; market: MarketStore; config: Config; log: Log },
  ): Promise<TwoNodes> {
    const { time, market, config, log } = options;
    const name = `contract_${process.pid}_${++databases}`;
    await execute(server, `CREATE DATABASE ${name}`);
    const url = new URL(`/${name}`, server).href;
    const local = () => time.now;
    const nodes: ClusterAccess[] = [];
    const versions = [0, 0];
    for (const node of versions.keys()) {
      const postgres = await Postgres.open(url, { log, clock: local });
      const query = postgres.query.bind(postgres);
      postgres.query = async <Row>(sql: string, values?: readonly PostgresValue[]) => {
        const rows = await query<Row>(sql, values);
        if (sql.endsWith("FROM access_version"))
          versions[node] = (rows[0] as { version: number }).version;
        return rows;
      };
      nodes.push(await openClusterAccess(postgres));
    }
    await execute(url, `ALTER DATABASE ${name} SET search_path = bourse`);
    await execute(url, TEST_CLOCK);
    const { plans, gatePerMinute } = config;
    const stores = nodes.map((access): ServiceStores => {
      const clock = new DatabaseClock(local);
      return {
        access,
        market,
        guard: createClusterGuard({ access, plans, clock }),
        gate: gatePerMinute > 0 ? new ClusterIpGate(gatePerMinute, { access, clock }) : null,
        clock: () => clock.now(),
        checkFiles: () => market.checkFile(),
        node: null,
        close: () => access.close(),
      };
    });
    return new TwoNodes(nodes, stores, { database: new PostgresAtOnce(url), versions, time });
  }

  /** Leads each request to the next node, once it has seen what the test changed. */
  alternate(apps: readonly HttpApp[]): HttpApp {
    return async (request, server) => {
      const app = apps[this.#turn++ % apps.length] as HttpApp;
      this.#moveClock();
      await this.#seeChanges();
      return app(request, server);
    };
  }

  /** The calls that are counted for a token today, after the nodes gave their leases back. */
  async used(tokenId: number): Promise<number> {
    this.#moveClock();
    for (const { guard } of this.stores) await guard.settle({ all: true });
    const { usages } = await (this.#nodes[0] as ClusterAccess).usage.list([tokenId]);
    return usages[0]?.dayUsed ?? 0;
  }

  async close(): Promise<void> {
    this.#database.close();
    for (const access of this.#nodes) await access.close();
  }

  #moveClock(): void {
    const { now } = this.#time;
    if (this.#databaseNow !== now)
      this.#database.execute("UPDATE test_clock SET now = $now", { now });
    this.#databaseNow = now;
  }

  /** Waits until all nodes have read that the test changed something. */
  async #seeChanges(): Promise<void> {
    const { changes } = this.#database;
    if (changes === this.#seenChanges) return;
    const { rows } = this.#database.execute("SELECT version FROM access_version");
    const { version } = rows[0] as { version: number };
    while (this.#versions.some((seen) => seen < version)) await Bun.sleep(1);
    this.#seenChanges = changes;
  }
}

async function execute(url: string, statements: string): Promise<void> {
  const sql = new SQL({ url, max: 1 });
  try {
    await sql.unsafe(statements);
  } finally {
    await sql.close();
  }
}
