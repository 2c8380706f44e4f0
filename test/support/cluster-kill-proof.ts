import { PLANS } from "#access/plans.ts";
import { CallLoad } from "./call-load.ts";
import type { TestCluster } from "./cluster.ts";

/** The counters after all rounds in which nodes and the server were killed under load. */
export interface ClusterKillProof {
  readonly nodeKills: number;
  readonly serverKills: number;
  /** Calls that were answered with 200. */
  readonly served: number;
  /** Calls that were counted. */
  readonly counted: number;
  /** Calls without an answer: each may be counted or not. */
  readonly broken: number;
  /** Calls that were answered with 200 but not counted. */
  readonly forgotten: number;
  /** Tokens that were allowed more calls than their hour has. */
  readonly overCeiling: number;
  /** Tokens with more counted calls too many than their lost leases and calls without an answer explain. */
  readonly overCounted: number;
  /** The largest number of calls that were counted and never made, for one token, after one kill on average. */
  readonly overCountPerKill: number;
  /** Calls answered with 401 or another status that is neither 200, 429 nor 503. */
  readonly wrong: number;
}

interface Round extends ClusterKillProof {
  /** False if a window ended meanwhile, so that the counters cannot be compared. */
  readonly isComparable: boolean;
}

/** The plans of the tokens: the ceiling of `pro` is reached in most rounds. */
const TOKEN_PLANS = ["max", "max", "pro", "pro"] as const;
const HOUR_MS = 3_600_000;

/**
 * Loads a running cluster through its balancer, kills a random node or the server at random moments, and
 * restarts it. At the end of each round it stops the nodes and compares the counters with the answers.
 */
export async function proveClusterKills(
  cluster: TestCluster,
  { rounds, kills }: { rounds: number; kills: number },
): Promise<ClusterKillProof> {
  const done: Round[] = [];
  while (done.length < rounds) {
    const round = await runRound(cluster, kills);
    if (round.isComparable) done.push(round);
  }
  const sum = (of: (round: Round) => number) => done.reduce((all, one) => all + of(one), 0);
  return {
    nodeKills: sum((one) => one.nodeKills),
    serverKills: sum((one) => one.serverKills),
    served: sum((one) => one.served),
    counted: sum((one) => one.counted),
    broken: sum((one) => one.broken),
    forgotten: sum((one) => one.forgotten),
    overCeiling: sum((one) => one.overCeiling),
    overCounted: sum((one) => one.overCounted),
    overCountPerKill: Math.max(...done.map((one) => one.overCountPerKill)),
    wrong: sum((one) => one.wrong),
  };
}

async function runRound(cluster: TestCluster, kills: number): Promise<Round> {
  const startedAt = Date.now();
  const groups = await Promise.all(
    TOKEN_PLANS.map(async (plan) => {
      return { plan, ...(await cluster.createToken(plan)) };
    }),
  );
  const load = new CallLoad(
    cluster.balancer.url,
    groups.map(({ token }) => token),
  );
  let [nodeKills, serverKills] = [0, 0];
  for (let killed = 0; killed < kills; killed++) {
    await load.answered(50 + Math.floor(Math.random() * 250));
    const victim = cluster.nodes[Math.floor(Math.random() * (cluster.nodes.length + 1))];
    if (victim) {
      nodeKills++;
      await victim.kill();
      await victim.start();
    } else {
      serverKills++;
      await cluster.postgres.kill();
      await cluster.postgres.start();
    }
  }
  const all = await load.stop();
  await cluster.stopNodes();
  const counters = await cluster.counted(groups);
  const isComparable = Math.floor(startedAt / HOUR_MS) === Math.floor(Date.now() / HOUR_MS);
  for (const node of cluster.nodes) await node.start();

  const perToken = groups.map(({ id, token, plan }) => {
    const { served, broken } = load.counts(token);
    const counted = counters.get(id)?.dayUsed ?? 0;
    // A killed node loses one lease of a token. A killed server may have counted a lease of each node
    // without saying so, or may not have stored the return of one.
    const leases = nodeKills + 2 * serverKills * cluster.nodes.length;
    return {
      counted,
      forgotten: Math.max(0, served - counted),
      over: Math.max(0, counted - served - broken),
      allowed: leases * PLANS[plan].lease,
      isOverCeiling: Math.max(served, counted) > PLANS[plan].hourly,
    };
  });
  const sum = (of: (one: (typeof perToken)[number]) => number) =>
    perToken.reduce((total, one) => total + of(one), 0);
  return {
    isComparable,
    nodeKills,
    serverKills,
    served: all.served,
    counted: sum((one) => one.counted),
    broken: all.broken,
    forgotten: sum((one) => one.forgotten),
    overCeiling: perToken.filter((one) => one.isOverCeiling).length,
    overCounted: perToken.filter((one) => one.over > one.allowed).length,
    overCountPerKill: Math.max(...perToken.map((one) => one.over)) / kills,
    wrong: all.unauthorized + all.other,
  };
}
