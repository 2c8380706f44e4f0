import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { LeaderTerm } from "#store/leadership.ts";
import { Leadership } from "#store/leadership.ts";
import { MarketLog } from "#store/market-log.ts";
import { TestCluster } from "../support/cluster.ts";
import { type AccessNode, openAccessNode } from "../support/cluster-access.ts";
import { openAlerts, quoteAt } from "../support/judging.ts";
import { instrument, openTestMarket } from "../support/market.ts";
import { IS_POSTGRES_MISSING, TestPostgres, until } from "../support/postgres.ts";

// Not part of the suite (no .test in its name): it needs Postgres.

/** A node with a market of its own, which believes in the term that the test gives it. */
async function openNode(server: TestPostgres, database: string) {
  const node: AccessNode = await openAccessNode(server, database);
  const home = openTestMarket();
  const leadership = new Leadership({
    postgres: node.postgres,
    holder: crypto.randomUUID(),
    stopwatch: () => performance.now(),
    termMs: 60_000,
  });
  const held: { term: LeaderTerm | null } = { term: null };
  const alerts = openAlerts(node.access, home.market, { term: () => held.term });
  alerts.put("instruments", instrument("US", "ACME"));
  return {
    ...alerts,
    ...node,
    held,
    leadership,
    judging: alerts.open(),
    /** Begins a term, and believes in it until the test says otherwise. */
    async lead(): Promise<void> {
      const fence = await leadership.claim();
      held.term = fence === null ? null : { fence, holder: leadership.holder };
    },
    see: (price: number) => alerts.put("quotes", quoteAt("ACME", price)),
    async [Symbol.asyncDispose]() {
      home[Symbol.dispose]();
      await node.access.close();
    },
  };
}

describe.skipIf(IS_POSTGRES_MISSING)("alerts on several nodes", () => {
  let server: TestPostgres;
  beforeAll(async () => void (server = await TestPostgres.start()));
  afterAll(() => server?.kill());

  test("are told once, by the leader, also while both nodes judge", async () => {
    const database = await server.createDatabase();
    await using one = await openNode(server, database);
    await MarketLog.open(one.postgres);
    await using two = await openNode(server, database);
    await one.addUser("anna");
    await one.save("anna", { name: "low", when: "price<380" });
    await one.lead();
    await two.lead();
    expect([one.held.term !== null, two.held.term]).toEqual([true, null]);
    const run = async (price: number) => {
      for (const node of [one, two]) node.see(price);
      await Promise.all([one.judging.run(), two.judging.run()]);
    };
    const expected: string[] = [];
    for (let round = 0; round < 6; round++) {
      await run(390 + round);
      await run(370 + round);
      expected.push(`low ${370 + round}`);
      // The other node leads. This one still believes in its term, as after a pause.
      const [old, next] = round % 2 === 0 ? [one, two] : [two, one];
      const stale = old.held.term;
      await old.leadership.release();
      await next.lead();
      expect(next.held.term?.fence).toBeGreaterThan(stale?.fence ?? 0);
      // An old market and a lost term: what it judges is stored by no transaction.
      old.see(500 + round);
      await old.judging.run();
      old.see(300 + round);
      await old.judging.run();
      old.held.term = null;
    }
    expect((await one.told("anna")).toSorted()).toEqual(expected.toSorted());
    expect([...one.lines, ...two.lines]).toEqual([]);
  }, 600_000);

  test("without a fence two nodes that judge at once tell once too", async () => {
    const database = await server.createDatabase();
    await using one = await openNode(server, database);
    await MarketLog.open(one.postgres);
    await using two = await openNode(server, database);
    await one.addUser("anna");
    for (let i = 0; i < 20; i++) await one.save("anna", { name: `n-${i}`, when: "price<380" });
    await one.lead();
    two.held.term = one.held.term;
    for (const price of [390, 370, 391, 371]) {
      for (const node of [one, two]) node.see(price);
      await Promise.all([one.judging.run(), two.judging.run()]);
      await Promise.all([one.judging.run(), two.judging.run()]);
    }
    expect(await one.told("anna")).toHaveLength(40);
  }, 600_000);

  test("are judged by the leader of a running cluster", async () => {
    const cluster = await TestCluster.start(server);
    try {
      const rule = ["--watch", "US:AAPL", "--when", "price<1", "--user", "owner"];
      await cluster.command("alert", "save", "low", ...rule);
      await until(async () => {
        const rows = await cluster.query<{ alert: string; about: string; state: string }>(
          "SELECT alert, about, state FROM alert_states",
        );
        expect(rows).toEqual([{ alert: "low", about: "US:AAPL", state: '{"is":false}' }]);
      });
    } finally {
      await cluster.close();
    }
  }, 600_000);
});
