import { ClusterLeases } from "#access/cluster-leases.ts";
import { DatabaseClock } from "#access/database-clock.ts";
import { PLANS } from "#access/plans.ts";
import { formatTable } from "#lib/table.ts";
import { type AccessNode, addTokens, itemOf, openAccessNode } from "../support/cluster-access.ts";
import { TestPostgres } from "../support/postgres.ts";
import { processUsage } from "./process-usage.ts";

const TOKENS = 10_000;
const TOKENS_OF_A_USER = 1_000;
/** Longer than a lease lives, so that all unused calls are given back. */
const REST_MS = 11_000;
const SETTLE_MS = 1_000;

/** Calls at a steady rate, and the token of each one. */
interface Load {
  readonly name: string;
  readonly perSecond: number;
  readonly calls: number;
  readonly tokenOf: (call: number) => number;
}

const LOADS: readonly Load[] = [
  ...[500, 1_000, 3_000].map((perSecond) => ({
    name: "one call of each token",
    perSecond,
    calls: TOKENS,
    tokenOf: (call: number) => call,
  })),
  {
    name: "a call of each token every 3 s",
    perSecond: 1_000,
    calls: 18_000,
    tokenOf: (call) => call % 3_000,
  },
  { name: "20 busy tokens", perSecond: 2_000, calls: 30_000, tokenOf: (call) => call % 20 },
  { name: "1 busy token", perSecond: 2_000, calls: 30_000, tokenOf: () => 0 },
];

/**
 * Measures the CPU time of the server for a call of a node, from the charge to the return of unused calls,
 * with quiet and with busy tokens. The server waits for its disk at each commit.
 */
export async function measureCalls(): Promise<string> {
  const server = await TestPostgres.start(["fsync=on", "full_page_writes=on"]);
  const node = await openAccessNode(server, await server.createDatabase());
  try {
    const tokenIds: number[] = [];
    for (let user = 0; user < TOKENS / TOKENS_OF_A_USER; user++)
      tokenIds.push(...(await addTokens(node.access, `load-${user}`, TOKENS_OF_A_USER)));
    const rows: (string | number)[][] = [];
    for (const load of LOADS) {
      const before = processUsage(server.pid)?.cpuMs ?? 0;
      await run(node, load, tokenIds);
      const cpuMs = (processUsage(server.pid)?.cpuMs ?? 0) - before;
      rows.push([load.name, load.perSecond, ((1_000 * cpuMs) / load.calls).toFixed(1)]);
    }
    return formatTable(["TOKENS", "CALLS A SECOND", "SERVER CPU OF A CALL µS"], rows);
  } finally {
    await node.access.close();
    await server.kill();
  }
}

async function run(
  { access }: AccessNode,
  { perSecond, calls, tokenOf }: Load,
  tokenIds: readonly number[],
): Promise<void> {
  const clock = new DatabaseClock(Date.now);
  clock.observe(Date.now(), (await access.usage.list([])).now);
  const leases = new ClusterLeases({ access, plans: PLANS, clock });
  const settling = setInterval(() => void leases.settle(), SETTLE_MS);
  const startedAt = performance.now();
  const charged: unknown[] = [];
  for (let call = 0; call < calls; call++) {
    const waitMs = startedAt + (1_000 * call) / perSecond - performance.now();
    if (waitMs > 0) await Bun.sleep(Math.max(1, waitMs));
    charged.push(leases.charge(itemOf(tokenIds, tokenOf(call)), "max"));
  }
  await Promise.all(charged);
  await Bun.sleep(REST_MS);
  clearInterval(settling);
  await leases.settle({ all: true });
}
