import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PLANS } from "#access/plans.ts";
import { CallLoad } from "../support/call-load.ts";
import { TestCluster, type TestToken } from "../support/cluster.ts";
import { allowedMs, timeOf } from "../support/pace.ts";
import { IS_POSTGRES_MISSING, TestPostgres } from "../support/postgres.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";

// Not part of the suite (no .test in its name): it needs Postgres.

/** An outage of this time is longer than a statement may take and shorter than a lease lives. */
const OUTAGE_MS = 5_000;

/** So many that no ceiling is reached. */
const TOKENS = 10;

const secretsOf = (tokens: readonly TestToken[]) => tokens.map(({ token }) => token);

/** Checks that every served call is counted, and at most some leases more. Stops the nodes. */
async function expectCounted(
  cluster: TestCluster,
  loads: readonly CallLoad[],
  tokens: readonly TestToken[],
  leases: number,
): Promise<void> {
  await cluster.stopNodes();
  const counters = await cluster.counted(tokens);
  for (const { id, token } of tokens) {
    const all = loads.map((load) => load.counts(token));
    const served = all.reduce((sum, one) => sum + one.served, 0);
    const broken = all.reduce((sum, one) => sum + one.broken, 0);
    const counted = counters.get(id)?.dayUsed ?? 0;
    expect(counted).toBeGreaterThanOrEqual(served);
    expect(counted).toBeLessThanOrEqual(served + broken + leases * PLANS.max.lease);
  }
}

describe.skipIf(IS_POSTGRES_MISSING)("a server that is frozen for five seconds", () => {
  let server: TestPostgres;
  let cluster: TestCluster;
  beforeAll(async () => {
    server = await TestPostgres.start();
    cluster = await TestCluster.start(server);
  });
  afterAll(async () => {
    server?.thaw();
    await cluster?.close();
    await server?.kill();
  });

  test("stops only calls without a lease: 503 with Retry-After, never 401, and then recovery by itself", async () => {
    const busy = await cluster.createTokens("max", TOKENS);
    const quiet = await cluster.createToken("max");
    const ask = async () => {
      const response = await cluster.processOf(0).get("/data/markets", quiet.token);
      await response.bytes();
      return response.status;
    };
    // Leases of 1, 2, 4, 8 and 16 calls: 11 calls of the last one are left.
    for (let calls = 0; calls < 20; calls++) expect(await ask()).toBe(200);
    const load = new CallLoad(cluster.balancer.url, secretsOf(busy));
    await load.served(100);
    const usualMs = load.longestGapMs;

    server.freeze();
    const frozenAt = performance.now();
    for (let calls = 0; calls < 5; calls++) {
      expect(await ask()).toBe(200);
      await Bun.sleep(200);
    }
    await Bun.sleep(Math.max(0, frozenAt + OUTAGE_MS - performance.now()));
    const { unavailable } = load.counts();
    expect(unavailable).toBeGreaterThan(0);
    server.thaw();
    // The nodes ask every 500 ms, and a statement may take a second.
    expect(await timeOf(() => load.served(1))).toBeLessThan(allowedMs(3_000, usualMs));
    await load.served(100);

    const all = await load.stop();
    expect(load.others).toEqual([]);
    expect(all).toMatchObject({ unauthorized: 0, other: 0, broken: 0, withoutRetryAfter: 0 });
    // A statement of each node can have counted a lease without saying so, and a return can be lost.
    await expectCounted(cluster, [load], busy, 2 * cluster.nodes.length);
  }, 600_000);
});

describe.skipIf(IS_POSTGRES_MISSING)("a node whose network to the server drops everything", () => {
  let server: TestPostgres;
  let cluster: TestCluster;
  let proxy: TcpProxy;
  beforeAll(async () => {
    server = await TestPostgres.start();
    proxy = await TcpProxy.open(server.port);
    cluster = await TestCluster.start(server, {
      databasePort: (node) => (node === 0 ? proxy.port : undefined),
    });
  });
  afterAll(async () => {
    await cluster?.close();
    await proxy?.close();
    await server?.kill();
  });

  test("answers 503 with Retry-After, the other node goes on, and both serve when it is back", async () => {
    const tokens = await cluster.createTokens("max", TOKENS);
    const loads = cluster.nodes.map(
      (node) => new CallLoad(node.process.url, secretsOf(tokens), { clients: 2 }),
    );
    const [cut, whole] = loads as [CallLoad, CallLoad];
    await Promise.all(loads.map((load) => load.served(50)));
    const usualMs = whole.longestGapMs;
    proxy.silence();
    whole.restartGap();
    await Bun.sleep(OUTAGE_MS);
    expect(cut.counts().unavailable).toBeGreaterThan(0);
    // The lock that a cut-off node may hold ends with its transaction, within two seconds.
    expect(whole.longestGapMs).toBeLessThan(allowedMs(3_000, usualMs));
    proxy.resume();
    await cut.served(50);

    for (const load of loads) {
      const all = await load.stop();
      expect(load.others).toEqual([]);
      expect(all).toMatchObject({ unauthorized: 0, other: 0, broken: 0, withoutRetryAfter: 0 });
    }
    await expectCounted(cluster, loads, tokens, 2);
  }, 600_000);
});

describe.skipIf(IS_POSTGRES_MISSING)("a killed primary and a promoted synchronous standby", () => {
  let primary: TestPostgres;
  let standby: TestPostgres;
  let cluster: TestCluster;
  let proxy: TcpProxy;
  beforeAll(async () => {
    primary = await TestPostgres.start();
    standby = await primary.startStandby();
    proxy = await TcpProxy.open(primary.port);
    cluster = await TestCluster.start(primary, { databasePort: () => proxy.port });
  });
  afterAll(async () => {
    await cluster?.close();
    await proxy?.close();
    await primary?.kill();
    await standby?.kill();
  });

  test("lose no counted call, pass no ceiling, and calls go on behind the same address", async () => {
    const tokens = await cluster.createTokens("max", TOKENS);
    const load = new CallLoad(cluster.balancer.url, secretsOf(tokens));
    await load.served(200);
    const usualMs = load.longestGapMs;
    load.restartGap();
    await primary.kill();
    proxy.cut();
    await standby.promote();
    proxy.target = standby.port;
    proxy.resume();
    cluster.postgres = standby;
    await load.served(200);
    expect(load.longestGapMs).toBeLessThan(allowedMs(5_000, usualMs));
    const all = await load.stop();
    expect(load.others).toEqual([]);
    expect(all).toMatchObject({ unauthorized: 0, other: 0, broken: 0, withoutRetryAfter: 0 });
    await expectCounted(cluster, [load], tokens, 2 * cluster.nodes.length);
  }, 600_000);
});
