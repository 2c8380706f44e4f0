import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { Accounts } from "#access/accounts.ts";
import { COMMAND_LINE } from "#access/audit.ts";
import { ClusterIpGate } from "#access/cluster-gate.ts";
import { createClusterGuard } from "#access/cluster-guard.ts";
import { DatabaseClock } from "#access/database-clock.ts";
import { createPlan, PLANS } from "#access/plans.ts";
import { createTokenSecret } from "#access/token-secret.ts";
import { BourseError } from "#domain/errors.ts";
import { openClusterAccess } from "#store/access-cluster.ts";
import { Postgres } from "#store/postgres.ts";
import { itemOf, POSTGRES_PARTS } from "../support/cluster-access.ts";
import { expectError } from "../support/error.ts";
import { allowedMs, timeOf } from "../support/pace.ts";
import { IS_POSTGRES_MISSING, TestPostgres, until } from "../support/postgres.ts";

// Not part of the suite (no .test in its name): it needs Postgres.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Plan max is larger than a test can use up; the others are the contract's. */
const PLANS_OF_TEST = { ...PLANS, max: createPlan(2_000_000, 1_000_000, 20) };

describe.skipIf(IS_POSTGRES_MISSING)("Nodes of a cluster", () => {
  let server: TestPostgres;
  const opened: Node[] = [];
  beforeAll(async () => void (server = await TestPostgres.start()));
  afterEach(async () => {
    for (const { access } of opened.splice(0)) await access.close();
  });
  afterAll(() => server?.kill());

  /** A node whose clock is wrong by `skewMs`. */
  async function openNode(database: string, skewMs: number) {
    const local = () => Date.now() + skewMs;
    const postgres = await Postgres.open(server.url(database), { ...POSTGRES_PARTS, clock: local });
    const access = await openClusterAccess(postgres);
    const clock = new DatabaseClock(local);
    const guard = createClusterGuard({ access, plans: PLANS_OF_TEST, clock });
    return {
      access,
      guard,
      gate: new ClusterIpGate(120, { access, clock }),
      accounts: new Accounts({ access, clock: local, actor: COMMAND_LINE, plans: PLANS_OF_TEST }),
      /** True if a call of the token is served, false if a ceiling is reached. */
      call: async (token: string): Promise<boolean> => {
        const principal = await guard.authenticate(`Bearer ${token}`);
        return (await guard.charge(principal)).denied === null;
      },
    };
  }
  type Node = Awaited<ReturnType<typeof openNode>>;

  /** Three nodes whose clocks differ. The database's clock shows half past an hour, so no window ends. */
  async function openNodes(): Promise<readonly [Node, Node, Node]> {
    const database = await server.createDatabase();
    const first = await openNode(database, 0);
    const nodes = [
      first,
      await openNode(database, 4 * MINUTE),
      await openNode(database, -4 * MINUTE),
    ] as const;
    opened.push(...nodes);
    const aheadMs = HOUR / 2 - (Date.now() % HOUR);
    await server.execute(
      `CREATE OR REPLACE FUNCTION bourse.cluster_now() RETURNS double precision LANGUAGE sql VOLATILE AS
         'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::double precision + ${aheadMs}'`,
      database,
    );
    return nodes;
  }

  /** A token of a new user. */
  async function addToken({ accounts }: Node, user: string, plan: keyof typeof PLANS) {
    await accounts.addUser(user, plan);
    return accounts.createToken(user, "", null);
  }

  const countedOf = async ({ access }: Node, tokenId: number): Promise<number> =>
    (await access.usage.list([tokenId])).usages[0]?.hourUsed ?? 0;

  const settleAll = async (nodes: readonly Node[]): Promise<void> => {
    for (const { guard } of nodes) expect(await guard.settle({ all: true })).toBe(true);
  };

  test("serve exactly the calls of a plan together", async () => {
    const nodes = await openNodes();
    const { token, id } = await addToken(nodes[0], "anna", "pro");
    let served = 0;
    for (let denied = 0; denied < nodes.length * 20;) {
      const calls = nodes.flatMap(({ call }) => Array.from({ length: 20 }, () => call(token)));
      const results = await Promise.all(calls);
      served += results.filter(Boolean).length;
      denied = results.filter((isServed) => !isServed).length;
    }
    expect(served).toBe(PLANS.pro.hourly);
    expect(await countedOf(nodes[0], id)).toBe(PLANS.pro.hourly);
  });

  test("give back what was not used: the counters are exactly the calls", async () => {
    const nodes = await openNodes();
    const tokens = await Promise.all(
      ["anna", "berta", "carla"].map((user) => addToken(nodes[0], user, "max")),
    );
    for (let round = 0; round < 100; round++) {
      await Promise.all(
        nodes.flatMap(({ call }, i) => tokens.slice(i).map(({ token }) => call(token))),
      );
    }
    await settleAll(nodes);
    const counted = await Promise.all(tokens.map(({ id }) => countedOf(nodes[0], id)));
    expect(counted).toEqual([100, 200, 300]);
  });

  test("never serve more than is counted, although the server is killed again and again", async () => {
    const nodes = await openNodes();
    const plans = ["pro", "max", "max"] as const;
    const tokens = await Promise.all(plans.map((plan, i) => addToken(nodes[0], `user-${i}`, plan)));
    const served = tokens.map(() => 0);
    let isOver = false;
    const callers = nodes.flatMap(({ call, guard }) =>
      tokens.map(async ({ token }, i) => {
        for (let calls = 1; !isOver; calls++) {
          const isServed = await call(token).catch((error: unknown) => {
            expect(error).toBeInstanceOf(BourseError);
            expect((error as BourseError).code).toBe("unavailable");
            return false;
          });
          if (isServed) served[i] = (served[i] ?? 0) + 1;
          if (calls % 50 === 0) await guard.settle();
          await Bun.sleep(1);
        }
      }),
    );
    for (let kills = 0; kills < 3; kills++) {
      await Bun.sleep(400);
      await server.kill();
      await Bun.sleep(300);
      await server.start();
    }
    await until(async () => {
      for (const { call } of nodes) await call(itemOf(tokens, 1).token);
    });
    isOver = true;
    await Promise.all(callers);
    await settleAll(nodes);
    for (const [i, { id }] of tokens.entries()) {
      const counted = await countedOf(nodes[0], id);
      expect(served[i]).toBeGreaterThan(0);
      expect(counted).toBeGreaterThanOrEqual(served[i] ?? 0);
      expect(counted).toBeLessThanOrEqual(PLANS_OF_TEST[itemOf(plans, i)].hourly);
    }
  });

  test("serve what they hold while the server hangs, then answer unavailable, and go on by themselves", async () => {
    const [node, other] = await openNodes();
    const { token, id } = await addToken(node, "anna", "max");
    let served = 0;
    while (served < 300) if (await node.call(token)) served++;
    const inHand = (await countedOf(other, id)) - served;
    expect(inHand).toBeGreaterThan(0);
    server.freeze();
    try {
      for (let calls = 0; calls < inHand; calls++) expect(await node.call(token)).toBe(true);
      const error = await expectError(() => node.call(token), "unavailable");
      expect(error.details.retryAfterSeconds).toBeGreaterThan(0);
      // The other node never saw the token, and cannot know that it is valid.
      await expectError(() => other.call(token), "unavailable");
      await expectError(() => node.call(createTokenSecret()), "unavailable");
      await expectError(() => node.call("abc"), "invalid_token");
      // Known for 30 s.
      const principal = await node.guard.authenticate(`Bearer ${token}`);
      expect(principal.user).toBe("anna");
    } finally {
      server.thaw();
    }
    await until(async () => expect(await node.call(token)).toBe(true));
    await until(async () => expect(await other.call(token)).toBe(true));
    await settleAll([node, other]);
    const counted = await countedOf(node, id);
    expect(counted).toBeGreaterThanOrEqual(served + inHand + 2);
  });

  test("refuse a revoked token and use a new plan: at once here, within a second elsewhere", async () => {
    const [here, there] = await openNodes();
    const { token, id } = await addToken(here, "anna", "free");
    const limitAt = async ({ guard }: Node) =>
      (await guard.charge(await guard.authenticate(`Bearer ${token}`))).quota.hourly.limit;
    expect([await limitAt(here), await limitAt(there)]).toEqual([30, 30]);
    const usualMs = await timeOf(async () => here.accounts.setPlan("anna", "pro"));
    expect(await limitAt(here)).toBe(500);
    const noticedMs = await timeOf(() => until(async () => expect(await limitAt(there)).toBe(500)));
    await here.accounts.revokeToken(id);
    await expectError(() => here.call(token), "invalid_token");
    const refusedMs = await timeOf(() =>
      until(() => expectError(() => there.call(token), "invalid_token")),
    );
    for (const ms of [noticedMs, refusedMs]) expect(ms).toBeLessThan(allowedMs(1_000, usualMs));
  });

  test("a token that is revoked between look-up and charge is refused, uncounted", async () => {
    const [here, there] = await openNodes();
    const { token, id } = await addToken(here, "anna", "max");
    const principal = await there.guard.authenticate(`Bearer ${token}`);
    await here.accounts.revokeToken(id);
    await expectError(() => there.guard.charge(principal), "invalid_token");
    expect(await countedOf(here, id)).toBe(0);
  });

  test("let 120 requests of an address pass together; without the server each counts for itself", async () => {
    const nodes = await openNodes();
    const passing = async (address: string, requests: number, gates: readonly Node[]) => {
      let passed = 0;
      for (let i = 0; i < requests; i++)
        if ((await itemOf(gates, i).gate.check(address)) === null) passed++;
      return passed;
    };
    expect(await passing("192.0.2.1", 300, nodes)).toBe(120);
    await server.stop();
    try {
      expect(await passing("192.0.2.2", 150, nodes.slice(0, 1))).toBe(120);
    } finally {
      await server.start();
    }
    await until(async () => expect(await nodes[0].gate.check("192.0.2.3")).toBeNull());
  });
});
