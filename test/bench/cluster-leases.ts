// Measures how many leases a cluster's Postgres counts in a second, on this machine: `bun
// test/bench/cluster-leases.ts`. It asserts nothing. The server, the nodes and this program share the CPUs,
// so a server of its own counts more. `fsync` is off, as on a disk that has no latency.
import { addTokens, itemOf, openAccessNode } from "../support/cluster-access.ts";
import { TestPostgres } from "../support/postgres.ts";

const TOKENS = 2_000;
const SECONDS = 2;
const PLENTY = { daily: 1_000_000_000, hourly: 1_000_000_000 };

/** Tokens in a statement, statements at the same time, and nodes. */
const CASES = [
  [1, 1, 1],
  [1, 16, 2],
  [20, 1, 1],
  [20, 8, 2],
  [100, 4, 2],
  [500, 2, 2],
] as const;

const server = await TestPostgres.start();
const database = await server.createDatabase();
const nodes = await Promise.all([1, 2].map(() => openAccessNode(server, database)));
const ids = await addTokens(itemOf(nodes, 0).access, "anna", TOKENS);

/** Milliseconds of each run of `work`, which is repeated for that time. */
async function timesOf(seconds: number, work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (const end = performance.now() + 1_000 * seconds; performance.now() < end;) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  return times;
}

const percentile = (times: readonly number[], share: number): string =>
  (times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0).toFixed(2);

const print = (text: string) => process.stdout.write(`${text}\n`);

const { postgres } = itemOf(nodes, 0);
const pings = await timesOf(1, () => postgres.query("SELECT 1"));
print(`one round trip: median ${percentile(pings, 0.5)} ms, p99 ${percentile(pings, 0.99)} ms`);

let next = 0;
const charge = (node: number, tokens: number) =>
  itemOf(nodes, node).access.usage.charge(
    Array.from({ length: tokens }, () => ({
      tokenId: itemOf(ids, next++),
      calls: 50,
      ceilings: PLENTY,
    })),
  );
// All tokens have their row before the measurement.
await charge(0, TOKENS);
for (const [tokens, parallel, nodeCount] of CASES) {
  const startedAt = performance.now();
  const runs = await Promise.all(
    Array.from({ length: parallel }, (_, i) =>
      timesOf(SECONDS, () => charge(i % nodeCount, tokens)),
    ),
  );
  const times = runs.flat();
  const perSecond = Math.round((times.length * tokens * 1_000) / (performance.now() - startedAt));
  print(
    `${tokens} a statement, ${parallel} at a time, nodes: ${nodeCount}: ${perSecond} leases/s, median ${percentile(times, 0.5)} ms, p99 ${percentile(times, 0.99)} ms`,
  );
}
for (const { access } of nodes) await access.close();
await server.kill();
