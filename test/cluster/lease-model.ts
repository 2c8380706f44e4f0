import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ClusterLeases } from "#access/cluster-leases.ts";
import { DatabaseClock } from "#access/database-clock.ts";
import { createPlan, type PlanName, PLANS as REAL_PLANS, type Plans } from "#access/plans.ts";
import {
  type AccessNode,
  addTokens,
  openAccessNode,
  stopDatabaseClock,
} from "../support/cluster-access.ts";
import { IS_POSTGRES_MISSING, TestPostgres } from "../support/postgres.ts";
import { START } from "../support/service.ts";

// Not part of the suite (no .test in its name): it needs Postgres. The model of `test/access/cluster-model.test.ts`
// has more faults; this one has the real statements.

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A full window is asked for again after this time. */
const FULL_MS = 1_000;
/** A day of `free` is full after two of its hours. */
const PLANS: Plans = { ...REAL_PLANS, free: createPlan(40, 30, 1) };
/** How far the clock of each node is ahead of the database's. */
const SKEWS_MS = [0, 7 * 60_000];

type Step =
  | { readonly kind: "call"; readonly node: number; readonly times: number }
  | { readonly kind: "move"; readonly ms: number }
  | { readonly kind: "settle" | "restart" | "kill"; readonly node: number }
  | { readonly kind: "plan"; readonly plan: PlanName };

const node = fc.integer({ min: 0, max: 1 });
/** The ceilings of `free` and the hour of `pro` are reached in most runs. */
const plan = fc.constantFrom("free" as const, "free" as const, "pro" as const, "max" as const);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("call" as const),
      node,
      times: fc.integer({ min: 1, max: 120 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("move" as const),
      ms: fc.oneof(
        fc.integer({ min: 0, max: 15_000 }),
        fc.integer({ min: 0, max: 12 * HOUR_MS }),
        fc.constant(HOUR_MS),
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom("settle" as const, "restart" as const, "kill" as const),
      node,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("plan" as const), plan }),
  },
);

describe.skipIf(IS_POSTGRES_MISSING)("the model of leases on Postgres", () => {
  let server: TestPostgres;
  let database = "";
  const nodes: AccessNode[] = [];
  let setClock: (now: number) => Promise<void>;
  let users = 0;

  beforeAll(async () => {
    server = await TestPostgres.start();
    database = await server.createDatabase();
    for (let i = 0; i < 3; i++) nodes.push(await openAccessNode(server, database));
    setClock = await stopDatabaseClock(server, database, START);
  });
  afterAll(async () => {
    for (const { access } of nodes) await access.close();
    await server?.kill();
  });

  /** The nodes' leases, the database's counters, and a plain list of the calls that passed. */
  class Model {
    now = START;
    plan: PlanName;
    readonly tokenId: number;
    readonly passed: number[] = [];
    /** Calls that killed nodes may have counted in advance. */
    lost = 0;
    #leases: ClusterLeases[];
    #fullAt = Number.NEGATIVE_INFINITY;

    constructor(tokenId: number, plan: PlanName) {
      this.tokenId = tokenId;
      this.plan = plan;
      this.#leases = SKEWS_MS.map((_, i) => this.#open(i));
    }

    async call(i: number): Promise<void> {
      const { daily, hourly } = PLANS[this.plan];
      const usage = await this.#leases[i]?.charge(this.tokenId, this.plan);
      const stored = await this.#stored();
      if (stored.dayUsed >= daily || stored.hourUsed >= hourly) this.#fullAt = this.now;
      if (usage) {
        const { day, hour } = this.#truth();
        expect(day).toBeLessThan(daily);
        expect(hour).toBeLessThan(hourly);
        this.passed.push(this.now);
      } else expect(this.now - this.#fullAt).toBeLessThan(FULL_MS);
      this.#check(stored);
    }

    async run(one: Step): Promise<void> {
      switch (one.kind) {
        case "call":
          for (let i = 0; i < one.times; i++) await this.call(one.node);
          return;
        case "move":
          await this.#moveTo(this.now + one.ms);
          // As a service does every second.
          if (one.ms >= 1_000) for (const leases of this.#leases) await leases.settle();
          return;
        case "settle":
          await this.#leases[one.node]?.settle();
          return;
        case "restart":
        case "kill":
          if (one.kind === "kill") this.lost += PLANS.max.lease;
          else await this.#leases[one.node]?.settle({ all: true });
          this.#leases[one.node] = this.#open(one.node);
          return;
        case "plan":
          this.plan = one.plan;
      }
    }

    /** At the end all leases are returned. Without a kill, the counters are exact. */
    async finish(): Promise<void> {
      for (const leases of this.#leases) await leases.settle({ all: true });
      const { dayUsed, hourUsed } = await this.#stored();
      const { day, hour } = this.#truth();
      expect(dayUsed - day).toBeWithin(0, this.lost + 1);
      expect(hourUsed - hour).toBeWithin(0, this.lost + 1);
      await this.#moveTo(START);
    }

    #open(i: number): ClusterLeases {
      const { access } = nodes[i] as AccessNode;
      return new ClusterLeases({
        access,
        plans: PLANS,
        clock: new DatabaseClock(() => this.now + (SKEWS_MS[i] ?? 0)),
      });
    }

    async #moveTo(now: number): Promise<void> {
      this.now = now;
      await setClock(now);
    }

    /** The calls that passed in the windows of this moment. */
    #truth(): { day: number; hour: number } {
      const within = (ms: number) =>
        this.passed.filter((at) => Math.floor(at / ms) === Math.floor(this.now / ms)).length;
      return { day: within(DAY_MS), hour: within(HOUR_MS) };
    }

    async #stored() {
      const { usages } = await (nodes[2] as AccessNode).access.usage.list([this.tokenId]);
      const [{ dayUsed, hourUsed } = { dayUsed: 0, hourUsed: 0 }] = usages;
      return { dayUsed, hourUsed };
    }

    /** Every call that passed is counted, and no more calls than leases explain. */
    #check({ dayUsed, hourUsed }: { dayUsed: number; hourUsed: number }): void {
      const { day, hour } = this.#truth();
      // A node holds a lease, and one that ended before `settle` gave it back.
      const unused = 2 * SKEWS_MS.length * PLANS.max.lease + this.lost;
      expect(dayUsed - day).toBeWithin(0, unused + 1);
      expect(hourUsed - hour).toBeWithin(0, unused + 1);
    }
  }

  test("two nodes never exceed a ceiling and lose no call", async () => {
    await fc.assert(
      fc.asyncProperty(plan, fc.array(step, { maxLength: 25 }), async (first, steps) => {
        const { access } = nodes[2] as AccessNode;
        const [tokenId = 0] = await addTokens(access, `user-${++users}`, 1);
        const model = new Model(tokenId, first);
        for (const one of steps) await model.run(one);
        await model.finish();
      }),
      { numRuns: 60 },
    );
  }, 600_000);
});
