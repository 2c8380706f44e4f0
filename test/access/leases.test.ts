import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { Accounts } from "#access/accounts.ts";
import { COMMAND_LINE } from "#access/audit.ts";
import { type PlanName, PLANS } from "#access/plans.ts";
import { BourseError } from "#domain/errors.ts";
import { createFileGuard } from "#access/guard.ts";
import { type AccessFile, LockQueue, openAccess } from "#store/index.ts";
import { openFolder, openTestAccess } from "../support/access.ts";
import { atOnce, type FileGuard, openGuard } from "../support/at-once.ts";
import { START } from "../support/service.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A token of that plan, charged by a guard with a clock that only the test moves. */
function openCharging(plan: PlanName) {
  const home = openTestAccess();
  const { user, token, id } = home.createToken(plan);
  return {
    ...home,
    user,
    call: () => home.guard.charge(home.guard.authenticate(`Bearer ${token}`)),
    /** The calls that the file has counted today. */
    counted: () => home.access.usage.get(id, home.time.now).dayUsed,
    id,
  };
}

/** A client that knows of a change sends its next call in a later turn of the event loop. */
const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));

describe("a file that another process keeps locked", () => {
  /** A token of plan max, on a connection that does not block for locks. `step` ends one pause of the queue. */
  function openImpatient() {
    const folder = openFolder();
    const time = { now: START };
    const clock = () => time.now;
    const access = openAccess(folder.path, { busyTimeoutMs: 0 });
    let writes = 0;
    const usage = {
      ...access.usage,
      charge: (...args: Parameters<typeof access.usage.charge>) => {
        writes++;
        return access.usage.charge(...args);
      },
    };
    const accounts = atOnce(new Accounts({ access, clock, actor: COMMAND_LINE }));
    accounts.addUser("anna", "max");
    const { token } = accounts.createToken("anna", "", null);
    const pauses: (() => void)[] = [];
    const sleep = () => new Promise<void>((resolve) => void pauses.push(resolve));
    const queue = new LockQueue({ waitMs: 60, sleep });
    const guard = createFileGuard({ access: { ...access, usage }, clock, queue });
    const lock = new Database(join(folder.path, "access.db"));
    return {
      time,
      lock,
      call: async () => guard.charge(await guard.authenticate(`Bearer ${token}`)),
      counted: () => access.usage.get(1, time.now).dayUsed,
      writes: () => writes,
      async step() {
        await nextTurn();
        pauses.shift()?.();
        await nextTurn();
      },
      [Symbol.dispose]() {
        lock.close();
        access.close();
        folder[Symbol.dispose]();
      },
    };
  }

  test("makes calls wait, and they are counted when it is free", async () => {
    using home = openImpatient();
    home.lock.run("BEGIN IMMEDIATE");
    const calls = [home.call(), home.call(), home.call()];
    await home.step();
    // The first call at once, and the first one again after the pause.
    expect(home.writes()).toBe(2);
    home.lock.run("ROLLBACK");
    await home.step();
    const charges = await Promise.all(calls);
    expect(charges.map(({ denied }) => denied)).toEqual([null, null, null]);
    expect(charges.map(({ quota }) => quota.daily.remaining)).toEqual([49_999, 49_998, 49_997]);
    expect(home.counted()).toBeGreaterThanOrEqual(3);
  });

  test("is unavailable with Retry-After and the quota after the wait, and the call is uncounted", async () => {
    using home = openImpatient();
    await home.call();
    home.time.now += HOUR;
    home.lock.run("BEGIN IMMEDIATE");
    const calls = [home.call(), home.call()];
    // 60 ms are three pauses of 20 ms.
    for (let pauses = 0; pauses < 3; pauses++) await home.step();
    for (const { denied, quota } of await Promise.all(calls)) {
      expect(denied).toMatchObject({ code: "unavailable", details: { retryAfterSeconds: 1 } });
      expect(quota.daily.remaining).toBe(49_999);
    }
    home.lock.run("ROLLBACK");
    expect((await home.call()).denied).toBeNull();
    expect(home.counted()).toBe(2);
  });

  test("does not stop calls that were counted in advance", async () => {
    using home = openImpatient();
    for (let calls = 0; calls < 10; calls++) await home.call();
    const ahead = home.counted() - 10;
    expect(ahead).toBeGreaterThan(0);
    home.lock.run("BEGIN IMMEDIATE");
    for (let calls = 0; calls < ahead; calls++) expect((await home.call()).denied).toBeNull();
    const next = home.call();
    home.lock.run("ROLLBACK");
    await home.step();
    expect((await next).denied).toBeNull();
  });

  test("delays giving back calls that were counted in advance", async () => {
    using home = openImpatient();
    for (let calls = 0; calls < 10; calls++) await home.call();
    expect(home.counted()).toBeGreaterThan(10);
    home.lock.run("BEGIN IMMEDIATE");
    home.time.now = START + HOUR;
    const next = home.call();
    await home.step();
    home.lock.run("ROLLBACK");
    await home.step();
    await next;
    // The ten calls before and this one: unused calls are given back.
    expect(home.counted()).toBe(11);
  });
});

describe("a lease", () => {
  test.each(["free", "pro", "max"] as const)(
    "of plan %s counts ahead, but never more than its plan allows, and every call before it passes",
    (plan) => {
      using home = openCharging(plan);
      const ahead = Array.from({ length: PLANS[plan].hourly }, (_, i) => {
        expect(home.call().denied).toBeNull();
        return home.counted() - (i + 1);
      });
      expect(Math.min(...ahead)).toBe(0);
      // A thousandth of 100 is less than a call, so each call of plan free is one write.
      expect(Math.max(...ahead)).toBe(PLANS[plan].lease - 1);
      expect(home.call().denied?.code).toBe("rate_limited");
    },
  );

  test("is at most a thousandth of the day", () => {
    const leases = [PLANS.free.lease, PLANS.pro.lease, PLANS.max.lease];
    expect(leases).toEqual([1, 5_000 / 1_000, 50_000 / 1_000]);
  });

  test("of a token that calls less than once a second is a single call", () => {
    using home = openCharging("max");
    for (let calls = 1; calls <= 100; calls++) {
      home.call();
      expect(home.counted()).toBe(calls);
      home.time.now += 1_001;
    }
  });

  test("shrinks to a single call before a ceiling", () => {
    using home = openCharging("pro");
    for (let calls = 1; calls <= 500; calls++) {
      home.call();
      // A sixteenth of what is left is two calls at 32, and less than that below.
      if (calls > 500 - 32) expect(home.counted()).toBe(calls);
    }
  });

  test("gives back unused calls after a second, and no sooner", () => {
    using home = openCharging("max");
    for (let calls = 0; calls < 10; calls++) home.call();
    const ahead = home.counted();
    expect(ahead).toBeGreaterThan(10);
    home.time.now += 999;
    home.guard.settle();
    expect(home.counted()).toBe(ahead);
    home.time.now += 1;
    home.guard.settle();
    expect(home.counted()).toBe(10);
    expect(home.call().quota.daily.remaining).toBe(50_000 - 11);
  });

  test("is given back later while another process writes, and is usable meanwhile", () => {
    using home = openCharging("max");
    for (let calls = 0; calls < 10; calls++) home.call();
    const ahead = home.counted();
    home.time.now += 1_000;
    const other = new Database(join(home.folder, "access.db"));
    other.run("BEGIN IMMEDIATE");
    home.guard.settle();
    expect(home.call().quota.daily.remaining).toBe(50_000 - 11);
    expect(home.counted()).toBe(ahead);
    other.run("ROLLBACK");
    other.close();
    home.guard.settle();
    expect(home.counted()).toBe(11);
  });

  test("gives back unused calls at a stop", () => {
    using home = openCharging("max");
    for (let calls = 0; calls < 10; calls++) home.call();
    home.guard.settle({ all: true });
    expect(home.counted()).toBe(10);
  });

  test("ends with its hour: unused calls do not count in the next", () => {
    using home = openCharging("max");
    home.time.now = Date.parse("2026-11-20T17:59:59.999Z");
    for (let calls = 0; calls < 10; calls++) home.call();
    home.time.now += 1;
    const { hourly, daily } = home.call().quota;
    expect([hourly.remaining, daily.remaining]).toEqual([5_000 - 1, 50_000 - 11]);
    home.guard.settle({ all: true });
    expect(home.counted()).toBe(11);
  });

  test("ends with its day", () => {
    using home = openCharging("max");
    home.time.now = Date.parse("2026-11-20T23:59:59.999Z");
    for (let calls = 0; calls < 10; calls++) home.call();
    home.time.now += 1;
    expect(home.call().quota.daily.remaining).toBe(50_000 - 1);
    home.guard.settle({ all: true });
    expect(home.counted()).toBe(1);
  });

  test("ends with its plan: a smaller one refuses at once", () => {
    using home = openCharging("max");
    for (let calls = 0; calls < 200; calls++) home.call();
    home.accounts.setPlan(home.user, "free");
    expect(home.call().denied?.code).toBe("rate_limited");
    expect(home.counted()).toBe(200);
  });
});

test("a full window is cached until another process writes: the calls that it gives back are usable", async () => {
  using home = openCharging("free");
  for (let calls = 0; calls < PLANS.free.hourly; calls++) home.call();
  expect(home.call().denied?.code).toBe("rate_limited");
  await nextTurn();
  const other = openAccess(home.folder);
  const { day, hour } = other.usage.get(home.id, home.time.now);
  other.usage.refund({ tokenId: home.id, day, hour, calls: 1 });
  other.close();
  await nextTurn();
  expect([home.call().denied, home.call().denied?.code]).toEqual([null, "rate_limited"]);
  home.time.now += HOUR;
  expect(home.call().denied).toBeNull();
});

/** The events, in any order; `process` is one of two on the same file. */
type Step =
  | { readonly kind: "call"; readonly process: number; readonly times: number }
  | { readonly kind: "move"; readonly ms: number }
  | { readonly kind: "settle" | "restart" | "kill"; readonly process: number }
  | { readonly kind: "plan"; readonly plan: PlanName }
  | { readonly kind: "renew" };

const process = fc.integer({ min: 0, max: 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("call" as const),
      process,
      times: fc.integer({ min: 1, max: 60 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("move" as const),
      ms: fc.oneof(
        fc.integer({ min: 0, max: 2_000 }),
        // Up to half a day ahead, and back by up to two hours as clocks are corrected.
        fc.integer({ min: -2 * HOUR, max: 12 * HOUR }),
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom("settle" as const, "restart" as const, "kill" as const),
      process,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("plan" as const),
      plan: fc.constantFrom("free" as const, "pro" as const, "max" as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "renew" as const }) },
);

/** Two processes' guards on one file, and a plain list of the calls that passed. */
class Model {
  readonly home = openTestAccess();
  readonly time = { now: START };
  plan: PlanName = "pro";
  readonly user: string;
  token: { token: string; id: number };
  /** When each call of the token passed; a clock that stepped back counts as stopped. */
  calls: number[] = [];
  /** Calls that killed processes may have counted in advance, or others for a revoked token. */
  lost = 0;
  readonly processes: { access: AccessFile; guard: FileGuard }[];

  constructor() {
    const { user, ...token } = this.home.createToken(this.plan);
    this.user = user;
    this.token = token;
    this.processes = [this.open(), this.open()];
  }

  open() {
    const access = openAccess(this.home.folder);
    return { access, guard: openGuard({ access, clock: () => this.time.now }) };
  }

  get accounts() {
    return atOnce(
      new Accounts({ access: this.home.access, clock: () => this.time.now, actor: COMMAND_LINE }),
    );
  }

  /** The state of the windows in which the next call counts. */
  truth() {
    const moment = Math.max(this.time.now, ...this.calls);
    const within = (ms: number) =>
      this.calls.filter((call) => Math.floor(call / ms) === Math.floor(moment / ms)).length;
    return { moment, day: within(DAY), hour: within(HOUR) };
  }

  stored() {
    const { dayUsed, hourUsed } = this.home.access.usage.get(this.token.id, this.truth().moment);
    return { dayUsed, hourUsed };
  }

  call(index: number): void {
    const { guard } = this.processes[index] as (typeof this.processes)[number];
    const { moment, day, hour } = this.truth();
    const before = this.stored();
    const { denied } = guard.charge(guard.authenticate(`Bearer ${this.token.token}`));
    const { daily, hourly } = PLANS[this.plan];
    if (denied) {
      // Only if the file has no room, and only this process gives calls back.
      const after = this.stored();
      expect(after.dayUsed >= daily || after.hourUsed >= hourly).toBe(true);
      expect(after.dayUsed).toBeLessThanOrEqual(before.dayUsed);
    } else {
      expect(day).toBeLessThan(daily);
      expect(hour).toBeLessThan(hourly);
      this.calls.push(moment);
    }
    this.check();
  }

  /** Every call that passed is counted, and no more calls than leases explain. */
  check(): void {
    const { day, hour } = this.truth();
    const { dayUsed, hourUsed } = this.stored();
    const leases = this.processes.length * PLANS.max.lease + this.lost;
    expect(dayUsed).toBeGreaterThanOrEqual(day);
    expect(dayUsed).toBeLessThanOrEqual(day + leases);
    expect(hourUsed).toBeGreaterThanOrEqual(hour);
    expect(hourUsed).toBeLessThanOrEqual(hour + leases);
  }

  run(one: Step): void {
    switch (one.kind) {
      case "call":
        for (let i = 0; i < one.times; i++) this.call(one.process);
        break;
      case "move":
        this.time.now += one.ms;
        break;
      case "settle":
        this.processes[one.process]?.guard.settle();
        break;
      case "restart":
      case "kill":
        if (one.kind === "kill") this.lost += PLANS.max.lease;
        else this.processes[one.process]?.guard.settle({ all: true });
        this.processes[one.process]?.access.close();
        this.processes[one.process] = this.open();
        break;
      case "plan":
        this.plan = one.plan;
        this.accounts.setPlan(this.user, one.plan);
        break;
      case "renew": {
        const { token } = this.token;
        this.accounts.revokeToken(this.token.id);
        this.accounts.setPlan(this.user, this.plan);
        this.token = this.accounts.createToken(this.user, "", null);
        this.revoked.push(token);
        // It has the calls of the revoked token, also those that the processes had counted in advance.
        this.lost += this.processes.length * PLANS.max.lease;
        break;
      }
    }
  }

  readonly revoked: string[] = [];

  /** At the end all leases are returned. Without a kill, the file is exact. */
  finish(): void {
    for (const { guard } of this.processes) guard.settle({ all: true });
    this.check();
    const { day, hour } = this.truth();
    if (this.lost === 0) expect(this.stored()).toEqual({ dayUsed: day, hourUsed: hour });
    else expect(this.stored().dayUsed).toBeLessThanOrEqual(day + this.lost);
  }

  [Symbol.dispose](): void {
    for (const { access } of this.processes) access.close();
    this.home[Symbol.dispose]();
  }
}

describe("the model of leases", () => {
  test("two processes never exceed a ceiling, lose a call or accept a revoked token", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        using model = new Model();
        for (const one of steps) {
          model.run(one);
          await nextTurn();
          for (const token of model.revoked) {
            for (const { guard } of model.processes) {
              expect(() => guard.authenticate(`Bearer ${token}`)).toThrow(BourseError);
            }
          }
        }
        model.finish();
      }),
      { numRuns: 30 },
    );
  });
});
