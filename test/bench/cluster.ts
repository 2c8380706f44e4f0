import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { PLANS } from "#access/plans.ts";
import { formatTable } from "#lib/table.ts";
import { TestCluster } from "../support/cluster.ts";
import { proveClusterKills } from "../support/cluster-kill-proof.ts";
import { IS_POSTGRES_MISSING, TestPostgres } from "../support/postgres.ts";
import { type Case, type Effort, loadOf, runCase } from "./cases.ts";
import { measureCalls } from "./cluster-calls.ts";
import { measureLeases } from "./cluster-leases.ts";
import { measureOutages } from "./cluster-outages.ts";
import {
  BINARY,
  type Contender,
  copyOfData,
  launch,
  type Prepared,
  PROGRAM_NAMES,
  type ProgramName,
  PROGRAMS,
  serviceEnvironment,
} from "./contenders.ts";
import type { LoadGenerator } from "./load.ts";
import { processUsage } from "./process-usage.ts";
import { CLUSTER_BUSY, CLUSTER_HOT, nodeName, type Report } from "./report.ts";

const MOST_NODES = 4;
const KILLS_IN_A_ROUND = 5;

/** What the measurements of a cluster need. */
export interface ClusterBench {
  readonly report: Report;
  readonly prepared: Prepared;
  readonly generator: LoadGenerator;
  readonly effort: Effort;
  /** The hot case and its contenders without a cluster, the floor first. */
  readonly hot: Case;
  readonly contenders: readonly [Contender, ...Contender[]];
  /** Kills of nodes and the server; 0 for none. */
  readonly kills: number;
}

/** Measures clusters, if Postgres is installed. The nodes, the server and the load share this machine. */
export async function measureCluster(
  bench: ClusterBench,
  attempt: (what: string, work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const { report, effort, kills } = bench;
  if (IS_POSTGRES_MISSING) return report.note("cluster", "left out, because it needs Postgres");
  await attempt(`${CLUSTER_HOT}, ${CLUSTER_BUSY}`, () => measureHot(bench));
  await attempt("cluster: 1 to 4 nodes", () => measureGrowth(bench));
  await attempt("cluster: leases", async () => {
    report.note("cluster: leases", `\n${await measureLeases(Math.max(1, effort.seconds))}`);
  });
  await attempt("cluster: calls", async () => {
    report.note("cluster: calls", `\n${await measureCalls()}`);
  });
  if (kills === 0) return report.note("cluster: outages and kills", "left out");
  await attempt("cluster: outages", async () => {
    report.note("cluster: outages", `\n${await measureOutages([BINARY])}`);
  });
  await attempt("cluster: kills", () => measureKills(report, kills));
}

/** The hot path of nodes, interleaved with the same programs without a cluster. */
async function measureHot(bench: ClusterBench): Promise<void> {
  const { report, hot, contenders, prepared, generator, effort } = bench;
  // Each node has a cluster of its own, because all contenders use the same tokens.
  const [first, second] = PROGRAM_NAMES as [ProgramName, ProgramName];
  await withNodes(prepared, [first], (one) =>
    withNodes(prepared, [second], async (other) => {
      const all = [...contenders, ...one, ...other];
      const run = (one: Case) => runCase(one, 0, all, prepared, generator, effort);
      report.addHttp(CLUSTER_BUSY, await run({ ...hot, tokens: "busy" }));
      report.addHttp(CLUSTER_HOT, await run(hot));
    }),
  );
}

/** Calls of 10,000 tokens in turn on all nodes at once, by 1 to 4 nodes. */
async function measureGrowth(bench: ClusterBench): Promise<void> {
  const { report, hot, prepared, generator, effort } = bench;
  const seconds = Math.max(1, effort.seconds);
  const programs = Array.from({ length: MOST_NODES }, (): ProgramName => "bourse, binary");
  await withNodes(prepared, programs, async (nodes, server) => {
    const rows: (string | number)[][] = [];
    for (let count = 1; count <= MOST_NODES; count++) {
      const own = nodes.slice(0, count);
      const load = loadOf({ ...hot, tokens: "many" }, prepared, seconds);
      const run = () =>
        Promise.all(own.map((node) => generator.run(node.originOf(0), load, seconds)));
      // So that all tokens are known and have leases.
      await run();
      await run();
      const cpuMs = () => [
        own.reduce((sum, { pid }) => sum + (processUsage(pid)?.cpuMs ?? 0), 0),
        processUsage(server.pid)?.cpuMs ?? 0,
      ];
      const before = cpuMs();
      const results = await run();
      const used = cpuMs().map((ms, i) => ms - (before[i] ?? 0));
      const calls = results.reduce((sum, { requests }) => sum + requests, 0);
      const refused = results.reduce((sum, one) => sum + one.refused + one.broken, 0);
      const ofCall = (ms: number | undefined) => ((1_000 * (ms ?? 0)) / calls).toFixed(1);
      rows.push([count, Math.round(calls / seconds), ofCall(used[0]), ofCall(used[1]), refused]);
    }
    const headings = ["NODES", "CALLS A SECOND", "NODE CPU µS", "SERVER CPU µS", "NOT 200"];
    report.note("cluster: 10,000 tokens in turn on each node", `\n${formatTable(headings, rows)}`);
  });
}

async function measureKills(report: Report, kills: number): Promise<void> {
  const server = await TestPostgres.start();
  const cluster = await TestCluster.start(server, { nodes: 3, program: [BINARY] });
  try {
    const rounds = Math.ceil(kills / KILLS_IN_A_ROUND);
    const proof = await proveClusterKills(cluster, { rounds, kills: KILLS_IN_A_ROUND });
    report.note(
      `cluster: ${proof.nodeKills} kills of nodes and ${proof.serverKills} of the server under load`,
      `${proof.served} calls served, ${proof.counted} counted, ${proof.broken} without an answer, ${proof.wrong} with another status than 200, 429 or 503; ${proof.forgotten} forgotten; tokens above their ceiling: ${proof.overCeiling}; counted too much after one kill, on average of a round: at most ${proof.overCountPerKill.toFixed(1)} of a token (${PLANS.max.lease} allowed for each node that lost a lease); tokens above that bound: ${proof.overCounted}`,
    );
  } finally {
    await cluster.close();
    await server.kill();
  }
}

/** Runs nodes of these programs on a new server with the prepared market and tokens. */
async function withNodes(
  prepared: Prepared,
  programs: readonly ProgramName[],
  work: (nodes: readonly Contender[], server: TestPostgres) => Promise<void>,
): Promise<void> {
  const server = await TestPostgres.start();
  const nodes: Contender[] = [];
  try {
    const url = server.url(await server.createDatabase());
    importData(copyOfData(prepared, `cluster ${server.port}`), url);
    for (const [i, program] of programs.entries()) {
      const folder = join(prepared.folder, `node-${server.port}-${i}`);
      mkdirSync(folder);
      const command = [...PROGRAMS[program], "serve"];
      const env = { ...serviceEnvironment(folder), BOURSE_CLUSTER: url };
      const { said, ...node } = await launch(command, env, folder);
      nodes.push({ name: nodeName(program), ...node, originOf: () => said });
    }
    await work(nodes, server);
  } finally {
    for (const node of nodes) await node.stop();
    await server.kill();
  }
}

/** Copies users, tokens and the market of a data folder into a cluster. @throws Error if it fails */
function importData(data: string, url: string): void {
  const run = Bun.spawnSync([BINARY, "cluster", "import", data], {
    env: { PATH: process.env["PATH"] ?? "", BOURSE_CLUSTER: url },
    stderr: "pipe",
  });
  if (!run.success) throw new Error(`the data was not imported: ${run.stderr.toString()}`);
}
