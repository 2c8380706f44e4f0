import { describe, expect, test } from "bun:test";
import { ClusterLeases } from "#access/cluster-leases.ts";
import { DatabaseClock } from "#access/database-clock.ts";
import { createGuard } from "#access/guard.ts";
import { type PlanName, PLANS } from "#access/plans.ts";
import type { Principal } from "#access/principals.ts";
import type { Awaitable } from "#lib/awaitable.ts";
import type { Usage } from "#store/usage.ts";
import { expectError } from "../support/error.ts";
import {
  createFakeAccess,
  FakeCounters,
  FakeLink,
  FakeTime,
  type Transit,
} from "../support/fake-cluster.ts";
import { START } from "../support/service.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const TOKEN = 1;

/** A node whose clock is wrong by `skewMs`, on counters that other nodes may share. */
function openNode({ skewMs = 0, counters = new FakeCounters(new FakeTime(START)) } = {}) {
  const { time } = counters;
  const link = new FakeLink(time);
  const clock = new DatabaseClock(() => time.now + skewMs);
  const leases = new ClusterLeases({
    access: createFakeAccess(counters, link),
    plans: PLANS,
    clock,
  });
  /** The value of a promise that needs statements, which take no time. */
  const get = async <T>(value: Awaitable<T>): Promise<T> => {
    if (value instanceof Promise) value.catch(() => {});
    await time.pass(0);
    return value;
  };
  return {
    time,
    link,
    leases,
    clock,
    counters,
    get,
    call: (plan: PlanName = "max") => get(leases.charge(TOKEN, plan)),
    settle: (options?: { all?: boolean }) => get(leases.settle(options)),
    /** What the database has counted for the token today. */
    counted: () => counters.usage(TOKEN).dayUsed,
  };
}

/** The results of calls that were made at once. */
async function settleAll(time: FakeTime, calls: Awaitable<Usage | null>[]) {
  const results = Promise.allSettled(calls.map((call) => Promise.resolve(call)));
  await time.pass(0);
  return (await results).map((one) => (one.status === "fulfilled" ? one.value : one.reason.code));
}

const LOST_AFTER: Transit = { toServerMs: 0, toNodeMs: 0, lost: "after" };

describe("a lease of a cluster", () => {
  test("serves calls from memory, without a promise and without a statement", async () => {
    const node = openNode();
    // Each lease is twice as large as the one before: 1, 2, 4, so calls 1, 2, 4 and 8 need a statement.
    const isPromise = [];
    for (let calls = 1; calls <= 8; calls++) {
      const usage = node.leases.charge(TOKEN, "max");
      isPromise.push(usage instanceof Promise);
      expect((await node.get(usage))?.dayUsed).toBe(calls);
    }
    expect(isPromise).toEqual([true, true, false, true, false, false, false, true]);
    expect(node.link.sent).toBe(4);
  });

  test.each(["free", "pro", "max"] as const)(
    "of plan %s counts at most the plan's lease ahead, and every call up to the ceiling passes",
    async (plan) => {
      const node = openNode();
      let most = 0;
      for (let calls = 1; calls <= PLANS[plan].hourly; calls++) {
        expect((await node.call(plan))?.hourUsed).toBe(calls);
        const ahead = node.counted() - calls;
        expect(ahead).toBeGreaterThanOrEqual(0);
        most = Math.max(most, ahead);
      }
      expect(most).toBe(PLANS[plan].lease - 1);
      expect(await node.call(plan)).toBeNull();
    },
  );

  test("holds the calls of ten seconds: a call every second needs a statement in ten", async () => {
    const node = openNode();
    // It grows to 10 calls in the first minute.
    for (let second = 0; second < 60; second++) {
      await node.call();
      await node.time.pass(1_000);
    }
    const before = node.link.sent;
    for (let second = 0; second < 600; second++) {
      await node.call();
      await node.time.pass(1_000);
    }
    expect(node.link.sent - before).toBeLessThanOrEqual(60 + 2);
  });

  test("of a token that calls less than once in ten seconds is a single call", async () => {
    const node = openNode();
    for (let calls = 1; calls <= 50; calls++) {
      await node.call();
      expect(node.counted()).toBe(calls);
      await node.time.pass(10_001);
    }
  });

  test("gives back unused calls when it is ten seconds old, and no sooner", async () => {
    const node = openNode();
    for (let calls = 0; calls < 10; calls++) await node.call();
    // 1 + 2 + 4 + 8 calls were counted.
    expect(node.counted()).toBe(15);
    await node.time.pass(9_999);
    expect(await node.settle()).toBe(true);
    expect(node.counted()).toBe(15);
    await node.time.pass(1);
    expect(await node.settle()).toBe(true);
    expect(node.counted()).toBe(10);
  });

  test("is not served when it is ten seconds old, even before it is given back", async () => {
    const node = openNode();
    for (let calls = 0; calls < 10; calls++) await node.call();
    await node.time.pass(10_000);
    const sent = node.link.sent;
    expect(node.leases.charge(TOKEN, "max")).toBeInstanceOf(Promise);
    await node.time.pass(0);
    expect(node.link.sent).toBe(sent + 1);
    await node.settle({ all: true });
    expect(node.counted()).toBe(11);
  });

  test("gives back unused calls at a stop; without any, nothing is sent", async () => {
    const node = openNode();
    for (let calls = 0; calls < 10; calls++) await node.call();
    expect(await node.settle({ all: true })).toBe(true);
    expect(node.counted()).toBe(10);
    expect(node.leases.settle({ all: true })).toBe(true);
  });

  test("of another plan is given back: a smaller plan refuses at once", async () => {
    const node = openNode();
    for (let calls = 0; calls < 200; calls++) await node.call("max");
    expect(await node.call("free")).toBeNull();
    await node.settle();
    expect(node.counted()).toBe(200);
  });

  test.each([-7 * MINUTE, 0, 7 * MINUTE])(
    "ends with the hour of the database, on a node whose clock is wrong by %d ms",
    async (skewMs) => {
      const node = openNode({ skewMs });
      await node.time.pass(Date.parse("2026-11-20T17:59:59.999Z") - START);
      for (let calls = 0; calls < 10; calls++) await node.call();
      expect(node.leases.charge(TOKEN, "max")).not.toBeInstanceOf(Promise);
      await node.time.pass(1);
      const first = await node.call();
      expect([first?.hourUsed, first?.dayUsed]).toEqual([1, 15 + 1]);
      await node.settle({ all: true });
      expect(node.counters.usage(TOKEN)).toMatchObject({ hourUsed: 1, dayUsed: 11 + 1 });
    },
  );

  test("ends with its day", async () => {
    const node = openNode();
    await node.time.pass(Date.parse("2026-11-20T23:59:59.999Z") - START);
    for (let calls = 0; calls < 10; calls++) await node.call();
    await node.time.pass(1);
    expect((await node.call())?.dayUsed).toBe(1);
    await node.settle({ all: true });
    expect(node.counted()).toBe(1);
  });

  test("ends if the node's clock steps back", async () => {
    const node = openNode();
    for (let calls = 0; calls < 10; calls++) await node.call();
    node.time.now -= MINUTE;
    expect(node.leases.charge(TOKEN, "max")).toBeInstanceOf(Promise);
  });
});

describe("calls that wait", () => {
  test("for leases of many tokens in one turn are one statement", async () => {
    const { leases, time, link } = openNode();
    const calls = Array.from({ length: 100 }, (_, i) => leases.charge(i + 1, "max"));
    const results = await settleAll(time, calls);
    expect(results.map((usage) => usage.dayUsed)).toEqual(Array(100).fill(1));
    expect(link.sent).toBe(1);
  });

  test("share the lease of their token and are served in order", async () => {
    const { leases, time, link, counted } = openNode();
    const calls = Array.from({ length: 100 }, () => leases.charge(TOKEN, "max"));
    const results = await settleAll(time, calls);
    expect(results.map((usage) => usage.dayUsed)).toEqual(Array.from(calls, (_, i) => i + 1));
    expect([link.sent, counted()]).toEqual([1, 100]);
  });

  test("are served in order as far as the ceiling allows, and the others are refused", async () => {
    const { leases, time, counted } = openNode();
    const calls = Array.from({ length: 50 }, () => leases.charge(TOKEN, "free"));
    const results = await settleAll(time, calls);
    expect(results.map((usage) => usage?.hourUsed ?? null)).toEqual([
      ...Array.from({ length: 30 }, (_, i) => i + 1),
      ...Array(20).fill(null),
    ]);
    expect(counted()).toBe(30);
  });

  test("while a statement is under way share the next one", async () => {
    const { leases, time, link } = openNode();
    link.next = [{ toServerMs: 100, toNodeMs: 100 }];
    const first = [leases.charge(TOKEN, "max")];
    await time.pass(50);
    const second = Array.from({ length: 30 }, (_, i) => leases.charge(i % 3, "max"));
    await time.pass(200);
    const results = await settleAll(time, [...first, ...second]);
    expect(results.every((usage) => usage.dayUsed > 0)).toBe(true);
    expect(link.sent).toBe(2);
  });

  test("more than 500 of them take several statements, so that none is long", async () => {
    const { leases, time, link } = openNode();
    const calls = Array.from({ length: 1_001 }, (_, i) => leases.charge(i, "max"));
    const results = await settleAll(time, calls);
    expect(results.filter((usage) => usage.dayUsed === 1)).toHaveLength(1_001);
    expect(link.sent).toBe(3);
  });
});

describe("a full window", () => {
  test("is refused without a statement for a second, then asked for again: other nodes give calls back", async () => {
    const { leases, time, link, get, call, counters } = openNode();
    for (let calls = 0; calls < 30; calls++) await call("free");
    expect(await call("free")).toBeNull();
    const { sent } = link;
    await time.pass(999);
    for (let calls = 0; calls < 100; calls++) expect(leases.charge(TOKEN, "free")).toBeNull();
    expect(leases.usage(TOKEN)).toMatchObject({ hourUsed: 30 });
    expect(link.sent).toBe(sent);
    counters.refund({ tokenId: TOKEN, calls: 1, ...counters.usage(TOKEN) });
    await time.pass(1);
    expect((await get(leases.charge(TOKEN, "free")))?.hourUsed).toBe(30);
    expect(await call("free")).toBeNull();
  });

  test("ends with the hour of the database, also within the second", async () => {
    const { time, call } = openNode({ skewMs: -3 * MINUTE });
    await time.pass(Date.parse("2026-11-20T17:59:59.900Z") - START);
    for (let calls = 0; calls < 30; calls++) await call("free");
    expect(await call("free")).toBeNull();
    await time.pass(100);
    expect((await call("free"))?.hourUsed).toBe(1);
  });

  test("is not remembered for a larger plan", async () => {
    const { call } = openNode();
    for (let calls = 0; calls < 30; calls++) await call("free");
    expect(await call("free")).toBeNull();
    expect((await call("pro"))?.hourUsed).toBe(31);
  });
});

describe("a database that does not answer", () => {
  test("leaves the leases in hand until they are used up; then calls are unavailable, and recovery needs no hand", async () => {
    const { leases, link, time, call } = openNode();
    for (let calls = 0; calls < 8; calls++) await call();
    link.isDown = true;
    // The lease of 8 had its first call.
    for (let calls = 0; calls < 7; calls++) expect(leases.charge(TOKEN, "max")).not.toBeNull();
    const error = await expectError(() => call(), "unavailable");
    expect(error.details.retryAfterSeconds).toBeGreaterThan(0);
    link.isDown = false;
    expect((await call())?.dayUsed).toBe(16);
    expect(time.now).toBe(START);
  });

  test("leaves the leases in hand until they are ten seconds old", async () => {
    const { leases, link, time, call, settle, counted } = openNode();
    for (let calls = 0; calls < 8; calls++) await call();
    link.isDown = true;
    await time.pass(9_999);
    expect(leases.charge(TOKEN, "max")).toMatchObject({ dayUsed: 9 });
    await time.pass(1);
    await expectError(() => call(), "unavailable");
    expect(await settle()).toBe(false);
    expect(await settle({ all: true })).toBe(false);
    link.isDown = false;
    expect(counted()).toBe(15);
    expect(await settle()).toBe(true);
    expect(counted()).toBe(9);
  });

  test("after it counted: the call is unavailable and stays counted", async () => {
    const { leases, link, time, call, counted, settle } = openNode();
    link.next = [LOST_AFTER];
    const lost = leases.charge(TOKEN, "max") as Promise<unknown>;
    lost.catch(() => {});
    await time.pass(1_000);
    await expectError(() => lost, "unavailable");
    expect(counted()).toBe(1);
    expect((await call())?.dayUsed).toBe(2);
    await settle({ all: true });
    expect(counted()).toBe(2);
  });

  test("does not fail a call in the same batch that an earlier lease covers", async () => {
    const { leases, link, time, call } = openNode();
    for (let calls = 0; calls < 3; calls++) await call();
    link.next = [{ toServerMs: 100, toNodeMs: 0 }, LOST_AFTER];
    // The fourth call takes a lease of 4. The other two wait until it has come.
    const calls = [leases.charge(TOKEN, "max")];
    await time.pass(50);
    calls.push(leases.charge(TOKEN, "max"), leases.charge(2, "max"));
    const results = Promise.allSettled(calls.map((call) => Promise.resolve(call)));
    await time.pass(2_000);
    expect(await results).toMatchObject([
      { value: { dayUsed: 4 } },
      { value: { dayUsed: 5 } },
      { reason: { code: "unavailable" } },
    ]);
  });

  test("to giving back: the calls are not given back twice", async () => {
    const { link, time, leases, call, counted, settle } = openNode();
    for (let calls = 0; calls < 10; calls++) await call();
    link.next = [LOST_AFTER];
    const lost = leases.settle({ all: true });
    await time.pass(1_000);
    expect(await lost).toBe(true);
    expect(counted()).toBe(10);
    await settle({ all: true });
    expect(counted()).toBe(10);
  });

  test("to giving back, which did not run: the calls stay counted", async () => {
    const { link, time, leases, call, counted, settle } = openNode();
    for (let calls = 0; calls < 10; calls++) await call();
    link.next = [{ toServerMs: 0, toNodeMs: 0, lost: "before" }];
    const lost = leases.settle({ all: true });
    await time.pass(1_000);
    await lost;
    await settle({ all: true });
    expect(counted()).toBe(15);
  });

  test("but refuses to give back: the calls are kept for the next try, and so are refused calls", async () => {
    const { link, leases, get, call, counted, counters, settle } = openNode();
    for (let calls = 0; calls < 10; calls++) await call();
    const { hour } = counters.usage(TOKEN);
    leases.countDenied(TOKEN, hour);
    leases.countDenied(TOKEN, hour);
    link.next = [{ toServerMs: 0, toNodeMs: 0, lost: "refused" }];
    expect(await get(leases.settle({ all: true })).catch(String)).toContain("deadlock");
    expect(counted()).toBe(15);
    expect(await settle({ all: true })).toBe(true);
    expect(counted()).toBe(10);
    expect([...counters.denied]).toEqual([[`${TOKEN} ${hour}`, 2]]);
  });
});

test("1,200 leases are given back in statements of 500", async () => {
  const { leases, time, link, settle, counters } = openNode();
  const ids = Array.from({ length: 1_200 }, (_, i) => i + 1);
  for (let round = 0; round < 2; round++)
    await settleAll(
      time,
      ids.map((id) => leases.charge(id, "max")),
    );
  const { sent } = link;
  expect(counters.usage(7).dayUsed).toBe(1 + 2);
  expect(await settle({ all: true })).toBe(true);
  expect(link.sent - sent).toBe(3);
  expect(ids.every((id) => counters.usage(id).dayUsed === 2)).toBe(true);
});

test("a token that has ended is invalid_token, and others in the statement are served", async () => {
  const { leases, time, counters } = openNode();
  counters.token(2).isLive = false;
  const results = await settleAll(time, [leases.charge(1, "max"), leases.charge(2, "max")]);
  expect(results).toEqual([expect.objectContaining({ dayUsed: 1 }), "invalid_token"]);
});

describe("the counters of a token", () => {
  test("are read once for all that ask in a turn, and do not include unused calls", async () => {
    const { leases, time, link, counters, call } = openNode();
    counters.charge(2, 5, PLANS.max);
    for (let calls = 0; calls < 10; calls++) await call();
    expect(leases.usage(TOKEN)).toMatchObject({ dayUsed: 10 });
    const { sent } = link;
    const results = await settleAll(
      time,
      [2, 3, 2].map((id) => leases.usage(id)),
    );
    expect(results.map((usage) => usage.dayUsed)).toEqual([5, 0, 5]);
    expect(link.sent - sent).toBe(1);
  });
});

const ANNA: Principal = {
  tokenId: TOKEN,
  user: "anna",
  plan: "free",
  rights: [],
  lists: null,
  asOf: null,
};

test("a guard on it denies with the wait until the hour of the database ends", async () => {
  const { leases, clock, get } = openNode({ skewMs: -7 * MINUTE });
  const guard = createGuard({
    principals: { authenticate: () => ANNA, authenticateLink: () => ANNA, signLink: () => "" },
    counter: leases,
    isLive: () => true,
    plans: PLANS,
    clock: () => clock.now(),
  });
  const principal = await guard.authenticate(null);
  for (let calls = 0; calls < 30; calls++) {
    expect((await get(guard.charge(principal))).denied).toBeNull();
  }
  const { denied, quota } = await get(guard.charge(principal));
  expect(quota.hourly).toEqual({ limit: 30, remaining: 0, resetAt: (START + HOUR / 2) / 1000 });
  // START is half past the hour.
  expect(denied?.details.retryAfterSeconds).toBe(30 * 60);
  // Known to be full: at once.
  expect(guard.charge(principal)).not.toBeInstanceOf(Promise);
});
