import { expect, test } from "bun:test";
import fc from "fast-check";
import { ClusterLeases } from "#access/cluster-leases.ts";
import { DatabaseClock } from "#access/database-clock.ts";
import { type PlanName, PLANS } from "#access/plans.ts";
import { BourseError } from "#domain/errors.ts";
import type { Usage } from "#store/usage.ts";
import {
  addTo,
  createFakeAccess,
  FakeCounters,
  FakeLink,
  FakeTime,
  type HourKey,
  Ledger,
  type Transit,
} from "../support/fake-cluster.ts";
import { START } from "../support/service.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const LEASE_MS = 10 * SECOND;
/** No statement takes longer. */
const STATEMENT_MS = SECOND;
const NODES = 3;
const TOKENS = 3;

const node = fc.nat({ max: NODES - 1 });
const token = fc.integer({ min: 1, max: TOKENS });
const kind = <K extends string>(...kinds: K[]) => fc.constantFrom(...kinds);

const transit: fc.Arbitrary<Transit> = fc.record(
  {
    // Some take longer than the node waits, and still run.
    toServerMs: fc.oneof(fc.nat({ max: 20 }), fc.nat({ max: 3 * SECOND })),
    toNodeMs: fc.oneof(fc.nat({ max: 20 }), fc.nat({ max: 800 })),
    lost: kind("before", "after", "refused"),
  },
  { requiredKeys: ["toServerMs", "toNodeMs"] },
);

const step = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: kind("call"),
      node,
      token,
      times: fc.integer({ min: 1, max: 60 }),
      apartMs: fc.oneof(fc.constant(0), fc.nat({ max: 3 * SECOND })),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: kind("pass"),
      ms: fc.oneof(fc.nat({ max: 2 * SECOND }), fc.nat({ max: 12 * HOUR })),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: kind("faults"),
      node,
      transits: fc.array(transit, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: kind("down"), node, ms: fc.nat({ max: 30 * SECOND }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: kind("settle", "restart", "kill"),
      node,
      transit: fc.option(transit),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: kind("step clock"),
      node,
      ms: fc.integer({ min: -5 * MINUTE, max: 5 * MINUTE }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: kind("plan"),
      plan: fc.constantFrom<PlanName[]>("free", "pro", "max"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind("revoke"), token }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A node, its way to the database, and the calls that were counted for it. */
interface ModelNode {
  readonly leases: ClusterLeases;
  readonly link: FakeLink;
  readonly ledger: Ledger;
  skewMs: number;
  /** True if its clock was never corrected, so that it can be compared with the database's. */
  hasSteadyClock: boolean;
}

class Model {
  readonly time = new FakeTime(START);
  readonly counters = new FakeCounters(this.time);
  readonly nodes: ModelNode[];
  readonly killed: ModelNode[] = [];
  readonly revokedAt = new Map<number, number>();
  /** Failed expectations of later answers. */
  readonly failures: unknown[] = [];
  plan: PlanName = "pro";

  constructor(skewsMs: readonly number[]) {
    this.nodes = skewsMs.map((skewMs) => this.open(skewMs));
  }

  open(skewMs: number): ModelNode {
    const link = new FakeLink(this.time);
    const ledger = new Ledger();
    const leases = new ClusterLeases({
      access: createFakeAccess(this.counters, link, ledger),
      plans: PLANS,
      clock: new DatabaseClock(() => this.time.now + opened.skewMs),
    });
    const opened: ModelNode = { leases, link, ledger, skewMs, hasSteadyClock: true };
    return opened;
  }

  call(at: ModelNode, tokenId: number): void {
    const { plan } = this;
    try {
      const usage = at.leases.charge(tokenId, plan);
      if (!(usage instanceof Promise)) return this.answer(at, tokenId, plan, usage, 0);
      usage
        .then(
          (later) => this.answer(at, tokenId, plan, later, STATEMENT_MS),
          (error: unknown) => this.refuse(tokenId, error),
        )
        .catch((error: unknown) => this.failures.push(error));
    } catch (error) {
      this.refuse(tokenId, error);
    }
  }

  /** A call was answered, at most `delayMs` after the database counted it. */
  answer(
    at: ModelNode,
    tokenId: number,
    plan: PlanName,
    usage: Usage | null,
    delayMs: number,
  ): void {
    const { now } = this.time;
    if (usage === null) {
      // The window was full at most a second ago, by a statement that took at most a second.
      expect(now - this.counters.token(tokenId).fullAt).toBeLessThanOrEqual(SECOND + STATEMENT_MS);
      return;
    }
    addTo(at.ledger.served, `${tokenId} ${usage.hour}`, 1);
    // Calls that wait while the plan changes are counted by the new one.
    if (plan === this.plan) {
      expect(usage.dayUsed).toBeLessThanOrEqual(PLANS[plan].daily);
      expect(usage.hourUsed).toBeLessThanOrEqual(PLANS[plan].hourly);
    }
    if (at.hasSteadyClock) {
      expect(now).toBeLessThan((usage.hour + 1) * HOUR + delayMs);
      const revokedAt = this.revokedAt.get(tokenId) ?? now;
      expect(now - revokedAt).toBeLessThan(LEASE_MS);
    }
  }

  refuse(tokenId: number, error: unknown): void {
    if (!(error instanceof BourseError)) expect(String(error)).toContain("deadlock");
    else if (error.code === "invalid_token") expect(this.revokedAt.has(tokenId)).toBe(true);
    else expect(error.code).toBe("unavailable");
  }

  async run(one: Step): Promise<void> {
    const at = this.nodes["node" in one ? one.node : 0] as ModelNode;
    switch (one.kind) {
      case "call":
        for (let i = 0; i < one.times; i++) {
          this.call(at, one.token);
          if (one.apartMs > 0) await this.time.pass(one.apartMs);
          if (i % 5 === 0) this.check();
        }
        break;
      case "pass":
        await this.time.pass(one.ms);
        break;
      case "faults":
        at.link.next.push(...one.transits);
        break;
      case "down":
        at.link.isDown = true;
        this.time.after(one.ms, () => (at.link.isDown = false));
        break;
      case "step clock":
        at.skewMs += one.ms;
        at.hasSteadyClock = false;
        break;
      case "settle":
        await this.settle(at, one.transit, false);
        break;
      case "restart":
      case "kill":
        if (one.kind === "restart") await this.settle(at, one.transit, true);
        this.killed.push(at);
        this.nodes[one.node] = this.open(at.skewMs);
        break;
      case "plan":
        // No call of the plan before last waits any longer.
        await this.time.pass(STATEMENT_MS);
        this.plan = one.plan;
        break;
      case "revoke":
        this.counters.token(one.token).isLive = false;
        this.revokedAt.set(one.token, this.revokedAt.get(one.token) ?? this.time.now);
        break;
    }
    this.check();
  }

  async settle(at: ModelNode, transit: Transit | null, all: boolean): Promise<void> {
    const { leases, link } = at;
    if (transit) link.next.unshift(transit);
    const settled = Promise.resolve(leases.settle({ all })).catch((error: unknown) => {
      if (!String(error).includes("deadlock")) this.failures.push(error);
      return false;
    });
    await this.time.pass(0);
    if (link.underWay === 0 && (await settled)) this.checkHeld(at);
  }

  /** Every call that was served is counted, and no window holds more than its ceiling. */
  check(): void {
    if (this.failures.length > 0) throw this.failures[0];
    for (const one of [...this.nodes, ...this.killed]) {
      for (const [, open] of listOpen(one.ledger)) expect(open).toBeGreaterThanOrEqual(0);
      for (const key of one.ledger.served.keys()) expect(one.ledger.counted.has(key)).toBe(true);
    }
    for (let id = 1; id <= TOKENS; id++) {
      const { days, hours } = this.counters.token(id);
      for (const counted of hours.values()) expect(counted).toBeLessThanOrEqual(PLANS.max.hourly);
      for (const counted of days.values()) expect(counted).toBeLessThanOrEqual(PLANS.max.daily);
    }
  }

  /** After a `settle`, a node holds at most one lease of each token. */
  checkHeld({ ledger }: ModelNode): void {
    const held = new Map<string | undefined, number>();
    for (const [key, open] of listOpen(ledger))
      addTo(held, key.split(" ")[0], open - (ledger.lost.get(key) ?? 0));
    for (const calls of held.values()) expect(calls).toBeLessThanOrEqual(PLANS.max.lease);
  }

  async heal(): Promise<void> {
    for (const { link } of this.nodes) link.next = [];
    // The longest statement and the longest outage.
    await this.time.pass(40 * SECOND);
    for (const { leases } of this.nodes) {
      const settled = leases.settle({ all: true });
      await this.time.pass(0);
      expect(await settled).toBe(true);
    }
  }

  /** At the end all leases are given back. The counters are those of the calls and of what was lost. */
  async finish(): Promise<void> {
    await this.heal();
    this.check();
    for (const one of this.nodes) {
      for (const [key, open] of listOpen(one.ledger))
        expect(open).toBe(one.ledger.lost.get(key) ?? 0);
    }
    for (const [key, counted] of this.totals()) {
      const [id, hour] = key.split(" ").map(Number) as [number, number];
      expect(this.counters.token(id).hours.get(hour)).toBe(counted);
    }
  }

  totals(): Map<HourKey, number> {
    const totals = new Map<HourKey, number>();
    for (const { ledger } of [...this.nodes, ...this.killed])
      for (const [key, counted] of ledger.counted) addTo(totals, key, counted);
    return totals;
  }
}

/** The counted calls that were not served, by token and hour. */
const listOpen = ({ counted, served }: Ledger): [HourKey, number][] =>
  [...counted].map(([key, calls]) => [key, calls - (served.get(key) ?? 0)]);

test("nodes of a cluster never exceed a ceiling or lose a call, whatever is lost on the way", async () => {
  const skews = fc.array(fc.integer({ min: -9 * MINUTE, max: 9 * MINUTE }), {
    minLength: NODES,
    maxLength: NODES,
  });
  await fc.assert(
    fc.asyncProperty(skews, fc.array(step, { maxLength: 40 }), async (skewsMs, steps) => {
      const model = new Model(skewsMs);
      for (const one of steps) await model.run(one);
      await model.finish();
    }),
    { numRuns: 100 },
  );
});
