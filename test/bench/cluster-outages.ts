import { formatTable } from "#lib/table.ts";
import { type CallCounts, CallLoad } from "../support/call-load.ts";
import { TestCluster, type TestNode } from "../support/cluster.ts";
import { TestPostgres } from "../support/postgres.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";

const NODES = 3;
/** Enough for the whole table: each has 5,000 calls an hour. */
const TOKENS = 100;
/** How long calls are counted after each outage. */
const AFTER_MS = 3_000;

interface OutageCluster {
  readonly cluster: TestCluster;
  readonly proxy: TcpProxy;
}

/** What happens to a cluster under load. */
const OUTAGES: Readonly<Record<string, (parts: OutageCluster) => Promise<void>>> = {
  nothing: () => Bun.sleep(2_000),
  "a node killed, started again after 2 s": async ({ cluster }) => {
    const leader = await leaderOf(cluster);
    const node = cluster.nodes.find((one) => one !== leader) ?? leader;
    await node.kill();
    await Bun.sleep(2_000);
    await node.start();
  },
  "the leader paused for 4 s, then woken": async ({ cluster }) => {
    const leader = await leaderOf(cluster);
    leader.freeze();
    await Bun.sleep(4_000);
    leader.thaw();
  },
  "Postgres restarted": async ({ cluster: { postgres } }) => {
    await postgres.stop();
    await postgres.start();
  },
  "Postgres killed, started again": async ({ cluster: { postgres } }) => {
    await postgres.kill();
    await postgres.start();
  },
  "Postgres frozen for 5 s": async ({ cluster: { postgres } }) => {
    postgres.freeze();
    await Bun.sleep(5_000);
    postgres.thaw();
  },
  "Postgres killed, its synchronous standby promoted": async ({ cluster, proxy }) => {
    const standby = await cluster.postgres.startStandby();
    await cluster.postgres.kill();
    proxy.cut();
    await standby.promote();
    proxy.target = standby.port;
    proxy.resume();
    cluster.postgres = standby;
  },
};

/** Runs three nodes behind a balancer through outages, and returns a table of the answers to all calls. */
export async function measureOutages(program: readonly string[]): Promise<string> {
  const primary = await TestPostgres.start();
  const proxy = await TcpProxy.open(primary.port);
  const cluster = await TestCluster.start(primary, {
    nodes: NODES,
    program,
    databasePort: () => proxy.port,
  });
  try {
    const tokens = await cluster.createTokens("max", TOKENS);
    const load = new CallLoad(
      cluster.balancer.url,
      tokens.map(({ token }) => token),
    );
    const rows: (string | number)[][] = [];
    for (const [name, cause] of Object.entries(OUTAGES)) {
      const before = load.counts();
      load.restartGap();
      const startedAt = performance.now();
      await cause({ cluster, proxy });
      await Bun.sleep(AFTER_MS);
      rows.push([
        name,
        ((performance.now() - startedAt) / 1_000).toFixed(1),
        ...cells(load.counts(), before),
        load.longestGapMs,
      ]);
    }
    const all = await load.stop();
    await cluster.stopNodes();
    const counters = await cluster.counted(tokens);
    const counted = [...counters.values()].reduce((sum, { dayUsed }) => sum + dayUsed, 0);
    const forgotten = tokens.filter(
      ({ id, token }) => (counters.get(id)?.dayUsed ?? 0) < load.counts(token).served,
    );
    return [
      formatTable(["OUTAGE", "S", "200", "429", "503", "401", "OTHER", "BROKEN", "GAP MS"], rows),
      `served ${all.served}, counted ${counted}, without an answer ${all.broken}; tokens with fewer counted than served calls: ${forgotten.length}; 503 without Retry-After: ${all.withoutRetryAfter}`,
    ].join("\n");
  } finally {
    await cluster.close();
    await proxy.close();
    await primary.kill();
    await cluster.postgres.kill();
  }
}

function cells(now: CallCounts, before: CallCounts): number[] {
  const keys = ["served", "refused", "unavailable", "unauthorized", "other", "broken"] as const;
  return keys.map((key) => now[key] - before[key]);
}

async function leaderOf(cluster: TestCluster): Promise<TestNode> {
  for (;;) {
    const leader = await cluster.leader();
    if (leader) return leader;
    await Bun.sleep(50);
  }
}
