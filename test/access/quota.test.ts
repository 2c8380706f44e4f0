import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { Accounts } from "#access/accounts.ts";
import { COMMAND_LINE } from "#access/audit.ts";
import { createPlan, nextPlan, PLAN_NAMES, PLANS } from "#access/plans.ts";
import { openAccess } from "#store/index.ts";
import { openTestAccess } from "../support/access.ts";
import { atOnce, openGuard } from "../support/at-once.ts";
import { expectError } from "../support/error.ts";
import { START } from "../support/service.ts";
import { endChildren } from "../support/child-process.ts";
import { spawnChargeWorker } from "../support/charge-process.ts";

afterAll(endChildren);

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const seconds = (text: string): number => Date.parse(text) / 1000;

/** A token with that plan, and ways to charge it. */
function openCharging(plan: keyof typeof PLANS) {
  const home = openTestAccess();
  const { user, token, id } = home.createToken(plan);
  const charge = () => home.guard.charge(home.guard.authenticate(`Bearer ${token}`));
  return {
    ...home,
    user,
    id,
    charge,
    /** Charges that often and returns how many calls were counted. */
    chargeTimes: (times: number): number =>
      Array.from({ length: times }, charge).filter(({ denied }) => denied === null).length,
    row: () => rowOf(home.folder, id),
  };
}

/** The token's row as it is stored. */
function rowOf(folder: string, tokenId: number) {
  const database = new Database(join(folder, "access.db"), { readonly: true });
  const row = database.query("SELECT * FROM usage WHERE token_id = ?").get(tokenId);
  database.close();
  return row;
}

describe("plans", () => {
  test("ceilings and tokens are those of the contract", () => {
    expect(PLANS).toMatchObject({
      free: { daily: 100, hourly: 30, tokens: 1 },
      pro: { daily: 5_000, hourly: 500, tokens: 5 },
      max: { daily: 50_000, hourly: 5_000, tokens: 20 },
    });
    expect(PLAN_NAMES.map(nextPlan)).toEqual(["pro", "max", null, null]);
  });

  test("the operator's plan has integers that are never reached, and is never offered as an upgrade", () => {
    using home = openCharging("unlimited");
    const { quota } = home.charge();
    expect(quota.daily.limit).toBe(999_999_999);
    expect(quota.daily.remaining).toBe(999_999_998);
    expect(quota.hourly.limit).toBe(999_999_999);
    expect(home.chargeTimes(6_000)).toBe(6_000);
  });

  test("the operator's own numbers replace those of the contract in quota, denial and tokens", async () => {
    using home = openTestAccess();
    const parts = {
      access: home.access,
      clock: () => home.time.now,
      plans: { ...PLANS, free: createPlan(3, 2, 2), pro: createPlan(7, 6, 5) },
    };
    const [guard, accounts] = [
      openGuard(parts),
      atOnce(new Accounts({ ...parts, actor: COMMAND_LINE })),
    ];
    accounts.addUser("anna", "free");
    const { token } = accounts.createToken("anna", "", null);
    accounts.createToken("anna", "", null);
    await expectError(() => accounts.createToken("anna", "", null), "invalid_argument");
    const charge = () => guard.charge(guard.authenticate(`Bearer ${token}`));
    expect(charge().quota.daily).toMatchObject({ limit: 3, remaining: 2 });
    expect(charge().quota.hourly).toMatchObject({ limit: 2, remaining: 0 });
    expect(charge().denied?.message).toEndWith(
      "Plan free allows 2 calls hourly; upgrade to pro for 6 an hour and 7 a day.",
    );
  });
});

describe("a counted call", () => {
  test("leaves one call fewer in both windows, which end at the hour and at midnight UTC", () => {
    using home = openCharging("free");
    expect(home.charge()).toEqual({
      denied: null,
      quota: {
        plan: "free",
        daily: { limit: 100, remaining: 99, resetAt: seconds("2026-11-21T00:00:00Z") },
        hourly: { limit: 30, remaining: 29, resetAt: seconds("2026-11-20T18:00:00Z") },
      },
    });
    expect(home.charge().quota.daily.remaining).toBe(98);
  });

  test("counts for its own token only, not for the user's others", () => {
    using home = openCharging("pro");
    const other = home.accounts.createToken(home.user, "", null);
    home.chargeTimes(7);
    const quota = home.guard.quota(home.guard.authenticate(`Bearer ${other.token}`));
    expect(quota.daily.remaining).toBe(5_000);
    expect(quota.hourly.remaining).toBe(500);
  });

  test("reading the quota counts nothing", () => {
    using home = openCharging("free");
    home.charge();
    const principal = { tokenId: home.id, user: home.user, plan: "free" } as const;
    const before = home.row();
    expect(home.guard.quota(principal)).toEqual(home.guard.quota(principal));
    expect(home.guard.quota(principal).daily.remaining).toBe(99);
    expect(home.row()).toEqual(before);
  });
});

describe("a ceiling", () => {
  test("of a day holds over its hours: free has 30 + 30 + 30 + 10", () => {
    using home = openCharging("free");
    home.time.now = Date.parse("2026-11-20T08:00:00Z");
    const byHour = Array.from({ length: 6 }, () => {
      const counted = home.chargeTimes(40);
      home.time.now += HOUR;
      return counted;
    });
    expect(byHour).toEqual([30, 30, 30, 10, 0, 0]);
  });

  test("of an hour starts again at the full hour, not a millisecond before and not an hour after the first call", () => {
    using home = openCharging("free");
    home.time.now = Date.parse("2026-11-20T17:59:59.000Z");
    expect(home.chargeTimes(40)).toBe(30);
    home.time.now = Date.parse("2026-11-20T17:59:59.999Z");
    expect(home.chargeTimes(1)).toBe(0);
    home.time.now = Date.parse("2026-11-20T18:00:00.000Z");
    expect(home.chargeTimes(40)).toBe(30);
  });

  test("of a day starts again at midnight UTC", () => {
    using home = openCharging("free");
    for (const hour of ["10", "11", "12", "13"]) {
      home.time.now = Date.parse(`2026-11-20T${hour}:00:00Z`);
      home.chargeTimes(40);
    }
    home.time.now = Date.parse("2026-11-20T23:59:59.999Z");
    expect(home.chargeTimes(1)).toBe(0);
    home.time.now = Date.parse("2026-11-21T00:00:00.000Z");
    const { quota, denied } = home.charge();
    expect(denied).toBeNull();
    expect(quota.daily).toEqual({
      limit: 100,
      remaining: 99,
      resetAt: seconds("2026-11-22T00:00:00Z"),
    });
  });
});

describe("a clock that was once ahead", () => {
  test("by more than a day does not block tokens until then", () => {
    using home = openCharging("free");
    home.time.now = START + 400 * 24 * HOUR;
    expect(home.chargeTimes(31)).toBe(30);
    home.time.now = START;
    expect(home.chargeTimes(31)).toBe(30);
    expect(home.charge().denied?.details.retryAfterSeconds).toBe(30 * 60);
  });
});

describe("a token with 30 calls in this hour makes 30 more while the clock is ahead, and after it is set back", () => {
  // START is 17:30 UTC. Plan free has 30 calls an hour and 100 a day.
  test.each([
    // Counted on in the later hour and day, which the clock has not reached.
    [1, { hour: 0, day: 40 }],
    [24, { hour: 0, day: 70 }],
    // More than 24 hours: a fresh hour, in the day that was counted ahead.
    [25, { hour: 30, day: 70 }],
    [30, { hour: 30, day: 70 }],
    // The day after tomorrow begins in 30.5 hours: a fresh day too.
    [31, { hour: 30, day: 100 }],
    [400 * 24, { hour: 30, day: 100 }],
  ])("by %d hours, it has left %j", (hours, left) => {
    using home = openCharging("free");
    expect(home.chargeTimes(31)).toBe(30);
    home.time.now = START + hours * HOUR;
    expect(home.chargeTimes(31)).toBe(30);
    home.time.now = START;
    const principal = { tokenId: home.id, user: home.user, plan: "free" } as const;
    const { hourly, daily } = home.guard.quota(principal);
    expect({ hour: hourly.remaining, day: daily.remaining }).toEqual(left);
    // It waits for the end of the hour that was counted ahead.
    const wait = home.chargeTimes(1) === 1 ? null : home.charge().denied?.details.retryAfterSeconds;
    expect(wait).toEqual(left.hour > 0 ? null : (hours * HOUR + HOUR / 2) / 1000);
  });

  test("without a call meanwhile, it has none more", () => {
    using home = openCharging("free");
    expect(home.chargeTimes(31)).toBe(30);
    home.time.now = START + 400 * 24 * HOUR;
    home.guard.quota({ tokenId: home.id, user: home.user, plan: "free" });
    home.time.now = START;
    expect(home.chargeTimes(1)).toBe(0);
  });
});

describe("a refused call", () => {
  test("changes nothing in the token's row", () => {
    using home = openCharging("free");
    home.chargeTimes(30);
    const before = home.row();
    home.time.now += MINUTE;
    expect(home.chargeTimes(50)).toBe(0);
    expect(home.row()).toEqual(before);
  });

  test("waits for the end of the hour if the hour is exhausted", () => {
    using home = openCharging("free");
    home.chargeTimes(30);
    home.time.now = Date.parse("2026-11-20T17:46:28.400Z");
    const { denied, quota } = home.charge();
    // 13 min 31.6 s, rounded up.
    expect(denied?.details.retryAfterSeconds).toBe(812);
    expect(denied?.code).toBe("rate_limited");
    expect(denied?.message).toStartWith("Rate limit exceeded (hourly): retry after 812 s");
    expect(denied?.message).toContain("upgrade to pro");
    expect(quota.hourly.remaining).toBe(0);
    expect(quota.daily.remaining).toBe(70);
  });

  test("waits for midnight if the day is exhausted, also if the hour is", () => {
    using home = openCharging("free");
    for (const hour of ["10", "11", "12", "13"]) {
      home.time.now = Date.parse(`2026-11-20T${hour}:00:00Z`);
      home.chargeTimes(40);
    }
    const daily = home.charge().denied;
    expect(daily?.details.retryAfterSeconds).toBe(11 * 3600);
    expect(daily?.message).toStartWith("Rate limit exceeded (daily)");

    // 100 calls, the last 30 in one hour.
    using both = openCharging("free");
    for (const [hour, calls] of [
      ["10", 30],
      ["11", 30],
      ["12", 10],
      ["13", 30],
    ] as const) {
      both.time.now = Date.parse(`2026-11-20T${hour}:00:00Z`);
      both.chargeTimes(calls);
    }
    const denied = both.charge().denied;
    expect(denied?.details.retryAfterSeconds).toBe(11 * 3600);
    expect(denied?.message).toStartWith("Rate limit exceeded (hourly and daily)");
  });

  test("succeeds after exactly that wait and not a second sooner", () => {
    using home = openCharging("free");
    home.chargeTimes(30);
    const wait = home.charge().denied?.details.retryAfterSeconds ?? 0;
    home.time.now += (wait - 1) * 1000;
    expect(home.chargeTimes(1)).toBe(0);
    home.time.now += 1000;
    expect(home.chargeTimes(1)).toBe(1);
  });

  test("waits at least one second, also at the last millisecond of the hour", () => {
    using home = openCharging("free");
    home.chargeTimes(30);
    home.time.now = Date.parse("2026-11-20T17:59:59.999Z");
    expect(home.charge().denied?.details.retryAfterSeconds).toBe(1);
  });

  test("on the largest plan is offered no upgrade", () => {
    using home = openCharging("max");
    home.chargeTimes(5_000);
    expect(home.charge().denied?.message).not.toContain("upgrade");
  });
});

describe("a plan change", () => {
  test("up gives the rest of the larger ceilings at once and keeps the counted calls", () => {
    using home = openCharging("free");
    expect(home.chargeTimes(40)).toBe(30);
    home.accounts.setPlan(home.user, "pro");
    expect(home.charge().quota.hourly).toEqual({
      limit: 500,
      remaining: 500 - 31,
      resetAt: seconds("2026-11-20T18:00:00Z"),
    });
    expect(home.chargeTimes(600)).toBe(500 - 31);
  });

  test("down refuses at once where more was used, with nothing below zero", () => {
    using home = openCharging("pro");
    home.chargeTimes(200);
    home.accounts.setPlan(home.user, "free");
    const { denied, quota } = home.charge();
    expect(denied?.message).toStartWith("Rate limit exceeded (hourly and daily)");
    expect([quota.daily.remaining, quota.hourly.remaining]).toEqual([0, 0]);
    home.accounts.setPlan(home.user, "pro");
    expect(home.charge().quota.daily.remaining).toBe(5_000 - 201);
  });
});

describe("counting is exact", () => {
  test("under 100 calls at once through two connections", async () => {
    using home = openCharging("free");
    const access = openAccess(home.folder);
    const guards = [home.guard, openGuard({ access, clock: () => START })];
    const principal = { tokenId: home.id, user: home.user, plan: "free" } as const;
    const charges = await Promise.all(
      Array.from({ length: 100 }, async (_, i) => {
        await Promise.resolve();
        return guards[i % 2]?.charge(principal);
      }),
    );
    access.close();
    const counted = charges.filter((charge) => charge?.denied === null);
    expect(counted).toHaveLength(30);
    // Each call saw a different number.
    expect(new Set(counted.map((charge) => charge?.quota.hourly.remaining)).size).toBe(30);
  });

  test("among processes that charge one token at once", async () => {
    using home = openCharging("max");
    const workers = await Promise.all(
      [1, 2].map(() => spawnChargeWorker(home.folder, { id: home.id, plan: "max" }, START)),
    );
    for (const worker of workers) worker.start();
    const counted = await Promise.all(workers.map((worker) => worker.exited()));
    expect(counted.reduce((sum, calls) => sum + calls, 0)).toBe(5_000);
    expect(Math.min(...counted)).toBeGreaterThan(0);
    expect(home.charge().denied?.code).toBe("rate_limited");
    expect(home.access.usage.get(home.id, START)).toMatchObject({
      dayUsed: 5_000,
      hourUsed: 5_000,
    });
  });

  test("after a charging process was killed: every counted call is kept", async () => {
    using home = openCharging("max");
    const worker = await spawnChargeWorker(home.folder, { id: home.id, plan: "max" }, START);
    worker.start();
    await worker.killAfter(100);
    const reported = await worker.exited();
    expect(reported).toBeGreaterThanOrEqual(100);
    // One call may have passed without a written dot, in its own lease.
    const { dayUsed } = home.access.usage.get(home.id, START);
    expect(dayUsed).toBeGreaterThanOrEqual(reported);
    expect(dayUsed).toBeLessThanOrEqual(reported + PLANS.max.lease);
    // Others can use the rest of the hour, and no more.
    expect(home.chargeTimes(5_001)).toBe(5_000 - dayUsed);
  });
});

describe("the model", () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.constant({ kind: "call" as const }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("move" as const),
        // Up to half a day ahead, and back by up to two hours as clocks are corrected.
        ms: fc.integer({ min: -2 * HOUR, max: 12 * HOUR }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("plan" as const),
        ceilings: fc.record({
          daily: fc.integer({ min: 0, max: 9 }),
          hourly: fc.integer({ min: 0, max: 5 }),
        }),
      }),
    },
  );

  test("calls, moves of the clock and plan changes in any order count as a list of calls would", () => {
    using home = openTestAccess();
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { id } = home.createToken("free");
        const { usage } = home.access;
        /** When each call was counted; a clock that stepped back counts as stopped. */
        const calls: number[] = [];
        const within = (length: number, moment: number): number => {
          const window = new Date(moment).toISOString().slice(0, length);
          return calls.filter((call) => new Date(call).toISOString().startsWith(window)).length;
        };
        let now = START;
        let ceilings = { daily: 6, hourly: 3 };
        for (const one of steps) {
          if (one.kind === "move") now += one.ms;
          if (one.kind === "plan") ceilings = one.ceilings;
          if (one.kind !== "call") continue;
          const moment = Math.max(now, ...calls);
          const before = { day: within(10, moment), hour: within(13, moment) };
          const counted = before.day < ceilings.daily && before.hour < ceilings.hourly;
          if (counted) calls.push(moment);
          const charged = usage.charge(id, 1, ceilings, now);
          expect(charged !== null).toBe(counted);
          expect(usage.get(id, now)).toEqual({
            day: Math.floor(moment / (24 * HOUR)),
            dayUsed: within(10, moment),
            hour: Math.floor(moment / HOUR),
            hourUsed: within(13, moment),
          });
          if (charged) expect(charged).toEqual(usage.get(id, now));
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe("a new token takes over the calls of an ended one, so that revoking gives no fresh quota", () => {
  /** What each token has left of its hour. */
  const left = (home: ReturnType<typeof openTestAccess>, ...tokens: string[]) =>
    tokens.map((token) => {
      const principal = home.guard.authenticate(`Bearer ${token}`);
      return home.guard.quota(principal).hourly.remaining;
    });
  const use = (home: ReturnType<typeof openTestAccess>, token: string, calls: number) => {
    for (let i = 0; i < calls; i++) {
      const principal = home.guard.authenticate(`Bearer ${token}`);
      expect(home.guard.charge(principal).denied).toBeNull();
    }
    home.guard.settle({ all: true });
  };

  test("a revoked token's calls, again and again, until the window ends", () => {
    using home = openTestAccess();
    const { user, ...first } = home.createToken("free");
    let { id, token } = first;
    for (const remaining of [20, 10, 0]) {
      use(home, token, 10);
      home.accounts.revokeToken(id);
      ({ id, token } = home.accounts.createToken(user, "", null));
      expect(left(home, token)).toEqual([remaining]);
    }
    expect(home.guard.charge(home.guard.authenticate(`Bearer ${token}`)).denied?.code).toBe(
      "rate_limited",
    );
    // Counted once, and for the token that has them now.
    expect(home.accounts.listUsers()[0]).toMatchObject({ callsToday: 30, callsThisHour: 30 });
    home.time.now += 3_600_000;
    expect(left(home, token)).toEqual([30]);
    home.accounts.revokeToken(id);
    const later = home.accounts.createToken(user, "", null);
    const { daily, hourly } = home.guard.quota(home.guard.authenticate(`Bearer ${later.token}`));
    expect([daily.remaining, hourly.remaining]).toEqual([70, 30]);
    home.accounts.revokeToken(later.id);
    home.time.now += 86_400_000;
    const tomorrow = home.accounts.createToken(user, "", null);
    expect(left(home, tomorrow.token)).toEqual([30]);
  });

  test("with those of its lease that it did not make: they are given back to no token", () => {
    using home = openTestAccess();
    const { user, id, token } = home.createToken("max");
    // Leases grow with the rate of calls.
    for (let i = 0; i < 500; i++) home.guard.charge(home.guard.authenticate(`Bearer ${token}`));
    home.accounts.revokeToken(id);
    const next = home.accounts.createToken(user, "", null);
    home.guard.settle({ all: true });
    const [ended, fresh] = [id, next.id].map((of) =>
      home.accounts.listTokens(user).find((one) => one.id === of),
    );
    expect(ended).toMatchObject({ callsToday: 0, callsThisHour: 0 });
    expect(fresh?.callsToday).toBeGreaterThanOrEqual(500);
  });

  test("an expired token's calls", () => {
    using home = openTestAccess();
    const { user, token } = home.createToken("free", 60_000);
    use(home, token, 30);
    home.time.now += 60_000;
    expect(left(home, home.accounts.createToken(user, "", null).token)).toEqual([0]);
  });

  test("each ended token once, the most used one first", () => {
    using home = openTestAccess();
    const first = home.createToken("pro");
    const { user } = first;
    const others = Array.from({ length: 4 }, () => home.accounts.createToken(user, "", null));
    const [second, third, live] = others;
    if (!second || !third || !live) throw new Error("four tokens");
    use(home, first.token, 100);
    use(home, second.token, 500);
    use(home, live.token, 300);
    for (const { id } of [first, second, third]) home.accounts.revokeToken(id);
    const fresh = Array.from({ length: 3 }, () => home.accounts.createToken(user, "", null).token);
    expect(left(home, ...fresh)).toEqual([0, 400, 500]);
    expect(left(home, live.token)).toEqual([200]);
  });

  test("of the same user only, and a user who was removed and added again begins afresh", () => {
    using home = openTestAccess();
    const { user, id, token } = home.createToken("free");
    use(home, token, 30);
    home.accounts.revokeToken(id);
    expect(left(home, home.createToken("free").token)).toEqual([30]);
    // Only an operator can do this.
    home.accounts.removeUser(user);
    home.accounts.addUser(user, "free");
    expect(left(home, home.accounts.createToken(user, "", null).token)).toEqual([30]);
  });
});
