import { PLANS } from "#access/plans.ts";
import { formatTable } from "#lib/table.ts";
import { windowsAt } from "#store/usage.ts";
import { type AccessNode, addTokens, openAccessNode } from "../support/cluster-access.ts";
import { TestPostgres } from "../support/postgres.ts";
import { processUsage } from "./process-usage.ts";

/** Tokens among which the leases are spread. */
const TOKENS = 20_000;
const TOKENS_OF_A_USER = 1_000;
/** Calls of a lease: a token at the hourly ceiling of plan max, in the ten seconds that a lease lives. */
const LEASE_S = 10;
const CALLS = Math.round((PLANS.max.hourly * LEASE_S) / 3_600);
/** Statements of one node that are under way at a time: its connections. */
const AT_A_TIME = 2;
/** The share of a core that the arithmetic lets the server use. */
const UTILISATION = 0.7;

/** The cost of statements of one size. */
interface Cost {
  readonly kind: "lease" | "return";
  readonly nodes: number;
  readonly perStatement: number;
  readonly perSecond: number;
  /** CPU time of the server for one lease or return, microseconds. */
  readonly serverUs: number;
  /** Median time of a statement, milliseconds. */
  readonly statementMs: number;
}

/** Sends one statement for these tokens. */
type Send = (node: AccessNode, tokenIds: readonly number[]) => Promise<unknown>;

const take: Send = ({ access }, tokenIds) =>
  access.usage.charge(
    tokenIds.map((tokenId) => ({ tokenId, calls: CALLS, ceilings: PLANS.unlimited })),
  );

/** Gives one call of each lease back. */
const giveBack: Send = async ({ access }, tokenIds) => {
  const { day, hour } = windowsAt(Date.now());
  await access.usage.settle(
    tokenIds.map((tokenId) => ({ tokenId, day, hour, calls: 1 })),
    [],
  );
};

/**
 * Measures leases and their returns in statements of several sizes and by several nodes, and computes how
 * many active tokens a core of the server carries. The server waits for its disk at each commit.
 */
export async function measureLeases(seconds: number): Promise<string> {
  const server = await TestPostgres.start(["fsync=on", "full_page_writes=on"]);
  const nodes: AccessNode[] = [];
  try {
    const database = await server.createDatabase();
    for (let node = 0; node < 4; node++) nodes.push(await openAccessNode(server, database));
    const tokenIds: number[] = [];
    for (let user = 0; user < TOKENS / TOKENS_OF_A_USER; user++) {
      const { access } = nodes[0] as AccessNode;
      tokenIds.push(...(await addTokens(access, `load-${user}`, TOKENS_OF_A_USER)));
    }
    // All tokens have their row before the measurement.
    for (let from = 0; from < TOKENS; from += 200)
      await take(nodes[0] as AccessNode, tokenIds.slice(from, from + 200));
    const costs: Cost[] = [];
    const measure = async (kind: Cost["kind"], count: number, perStatement: number) => {
      const send = kind === "lease" ? take : giveBack;
      const own = nodes.slice(0, count);
      await sendFor(seconds / 5, own, tokenIds, perStatement, send);
      const before = processUsage(server.pid)?.cpuMs ?? 0;
      const times = await sendFor(seconds, own, tokenIds, perStatement, send);
      const cpuMs = (processUsage(server.pid)?.cpuMs ?? 0) - before;
      const done = times.length * perStatement;
      costs.push({
        kind,
        nodes: count,
        perStatement,
        perSecond: done / seconds,
        serverUs: (1_000 * cpuMs) / done,
        statementMs: times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0,
      });
    };
    for (const perStatement of [1, 20, 200]) await measure("lease", 1, perStatement);
    for (const count of [2, 3, 4]) await measure("lease", count, 20);
    for (const perStatement of [1, 20, 200]) await measure("return", 1, perStatement);
    return `${formatCosts(costs)}${formatCapacity(costs)}`;
  } finally {
    for (const { access } of nodes) await access.close();
    await server.kill();
  }
}

/** Sends statements for some seconds; returns the time of each, in milliseconds. */
async function sendFor(
  seconds: number,
  nodes: readonly AccessNode[],
  tokenIds: readonly number[],
  perStatement: number,
  send: Send,
): Promise<number[]> {
  const times: number[] = [];
  const until = performance.now() + 1_000 * seconds;
  let next = 0;
  await Promise.all(
    nodes.flatMap((node) =>
      Array.from({ length: AT_A_TIME }, async () => {
        while (performance.now() < until) {
          // Neighbours in the list are different tokens, also where it begins again.
          const chosen = Array.from({ length: perStatement }, () => {
            return tokenIds[next++ % tokenIds.length] ?? 0;
          });
          const sentAt = performance.now();
          await send(node, chosen);
          times.push(performance.now() - sentAt);
        }
      }),
    ),
  );
  return times;
}

function formatCosts(costs: readonly Cost[]): string {
  return formatTable(
    ["STATEMENT", "NODES", "TOKENS EACH", "PER SECOND", "SERVER CPU µS", "MEDIAN MS"],
    costs.map(({ kind, nodes, perStatement, perSecond, serverUs, statementMs }) => [
      kind,
      nodes,
      perStatement,
      Math.round(perSecond),
      serverUs.toFixed(1),
      statementMs.toFixed(2),
    ]),
  );
}

/** What one core of the server carries, if each active token takes a lease and returns one in its life. */
function formatCapacity(costs: readonly Cost[]): string {
  return [1, 20, 200]
    .map((size) => {
      const of = (kind: Cost["kind"]) =>
        costs.find((one) => one.kind === kind && one.perStatement === size)?.serverUs ?? 0;
      const tokenUs = of("lease") + of("return");
      const tokens = (UTILISATION * LEASE_S * 1e6) / tokenUs;
      const cores = (1e6 * tokenUs) / (LEASE_S * 1e6 * UTILISATION);
      return `${size} tokens in a statement: ${tokenUs.toFixed(1)} µs for each active token in ${LEASE_S} s; one core at ${100 * UTILISATION} % carries ${Math.round(tokens).toLocaleString("en-US")} active tokens, a million need ${cores.toFixed(1)} cores\n`;
    })
    .join("");
}
