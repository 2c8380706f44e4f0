import { Database } from "bun:sqlite";
import { describe, expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { Accounts } from "#access/accounts.ts";
import { COMMAND_LINE } from "#access/audit.ts";
import { type PlanName, PLANS } from "#access/plans.ts";
import { UsageFolding } from "#access/usage-folding.ts";
import { type AccessFile, openAccess } from "#store/index.ts";
import { nextTurn } from "#lib/next-turn.ts";
import { listHours, windowsAt } from "#store/usage.ts";
import { findUser } from "#store/users.ts";
import { openTestAccess } from "../support/access.ts";
import { atOnce, type FileGuard, openGuard } from "../support/at-once.ts";
import { expectError } from "../support/error.ts";
import { START } from "../support/service.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** The number of the UTC hour at `START`. */
const FIRST = windowsAt(START).hour;

/** A token of that plan with a clock that only the test moves. */
function openHistory(plan: PlanName) {
  const home = openTestAccess();
  const { user, token, id } = home.createToken(plan);
  return {
    ...home,
    id,
    call: () => home.guard.charge(home.guard.authenticate(`Bearer ${token}`)),
    /** Calls that many times and returns how many passed. */
    callTimes(times: number): number {
      return Array.from({ length: times }, this.call).filter(({ denied }) => denied === null)
        .length;
    },
    /** Hours after `START`, calls and refused calls of the user's tokens. */
    hours: (from = -20_000, to = 20_000) =>
      home.access
        .run(listHours(user, FIRST + from, FIRST + to))
        .map(({ hour, calls, denied }) => [hour - FIRST, calls, denied]),
    user,
  };
}

describe("the history of usage", () => {
  test("has the calls of every hour, the running hour included", () => {
    using home = openHistory("free");
    home.callTimes(3);
    expect(home.hours()).toEqual([[0, 3, 0]]);
    home.time.now += HOUR;
    home.callTimes(5);
    home.time.now += 3 * HOUR;
    home.callTimes(1);
    expect(home.hours()).toEqual([
      [0, 3, 0],
      [1, 5, 0],
      [4, 1, 0],
    ]);
    expect(home.hours(1, 3)).toEqual([[1, 5, 0]]);
  });

  test("has refused calls after the next settling, in the hour in which they were refused", () => {
    using home = openHistory("free");
    expect(home.callTimes(37)).toBe(30);
    expect(home.hours()).toEqual([[0, 30, 0]]);
    home.time.now += HOUR;
    expect(home.callTimes(31)).toBe(30);
    home.guard.settle();
    expect(home.hours()).toEqual([
      [0, 30, 7],
      [1, 30, 1],
    ]);
    home.guard.settle();
    expect(home.hours()).toEqual([
      [0, 30, 7],
      [1, 30, 1],
    ]);
  });

  test("keeps refused calls in memory while another process writes, and of removed tokens none", () => {
    using home = openHistory("free");
    const gone = home.createToken("free");
    const other = new Database(join(home.folder, "access.db"));
    home.callTimes(32);
    for (let i = 0; i < 31; i++) home.guard.charge({ ...gone, tokenId: gone.id, plan: "free" });
    home.accounts.removeUser(gone.user);
    other.run("BEGIN IMMEDIATE");
    expect(home.guard.settle()).toBe(false);
    other.run("ROLLBACK");
    other.close();
    expect(home.guard.settle()).toBe(true);
    expect(home.hours()).toEqual([[0, 30, 2]]);
    expect(home.access.run(listHours(gone.user, 0, 10 ** 9))).toEqual([]);
  });

  test("gives back unused calls of a closed hour, also if another process has opened the next one", () => {
    using home = openHistory("max");
    home.callTimes(10);
    const counted = home.access.usage.get(home.id, home.time.now).hourUsed;
    expect(counted).toBeGreaterThan(10);
    home.time.now += HOUR;
    const other = openGuard({ access: home.access, clock: () => home.time.now });
    other.charge({ tokenId: home.id, user: home.user, plan: "max" });
    expect(home.hours()).toEqual([
      [0, counted, 0],
      [1, 1, 0],
    ]);
    home.guard.settle({ all: true });
    expect(home.hours()).toEqual([
      [0, 10, 0],
      [1, 1, 0],
    ]);
  });

  test("is kept for 400 days", () => {
    using home = openHistory("free");
    const hours = 400 * 24;
    for (const [after, times] of [
      [0, 1],
      [1, 2],
      [hours, 3],
      [hours + 1, 4],
      [hours + 2, 5],
    ] as const) {
      home.time.now = START + after * HOUR;
      home.callTimes(times);
    }
    expect(home.hours()).toEqual([
      [hours, 3, 0],
      [hours + 1, 4, 0],
      [hours + 2, 5, 0],
    ]);
  });

  test("is of the user's own tokens, and goes with them", () => {
    using home = openHistory("free");
    const other = home.createToken("free");
    home.callTimes(2);
    home.time.now += HOUR;
    home.callTimes(1);
    expect(home.access.run(listHours(other.user, 0, 10 ** 9))).toEqual([]);
    home.accounts.removeUser(home.user);
    expect(home.hours()).toEqual([]);
  });

  test("is removed with its user in slices, and that of other users remains", async () => {
    using home = openHistory("free");
    const other = home.createToken("free");
    const history = new Database(join(home.folder, "access.db"));
    for (const { id } of [home, other]) {
      history.run(
        `WITH RECURSIVE ago (hours) AS (SELECT 1 UNION ALL SELECT hours + 1 FROM ago LIMIT 2500)
         INSERT INTO usage_hours SELECT ${id}, ${FIRST} - hours, 1, 0 FROM ago`,
      );
    }
    history.close();
    home.callTimes(1);
    const hoursOf = (user: string) =>
      home.access.run(listHours(user, 0, Number.MAX_SAFE_INTEGER)).length;
    let isDone = false;
    const removal = home.accounts.removeUserInSlices(home.user).then(() => (isDone = true));
    const left: number[] = [];
    for (await nextTurn(); !isDone; await nextTurn()) left.push(hoursOf(home.user));
    await removal;
    // 1,000 hours in each slice; the running hour goes with the user.
    expect(left).toEqual([1_501, 501, 1]);
    expect(home.access.run(findUser(home.user))).toBeNull();
    expect([hoursOf(home.user), hoursOf(other.user)]).toEqual([0, 2_500]);
  });

  test("is not removed if the user cannot be removed", async () => {
    using home = openTestAccess();
    home.accounts.addUser("only", "free", "admin");
    const { id } = home.accounts.createToken("only", "", null);
    home.access.usage.charge(id, 1, { daily: 9, hourly: 9 }, START);
    home.access.usage.charge(id, 1, { daily: 9, hourly: 9 }, START + HOUR);
    const admin = atOnce(
      new Accounts({
        access: home.access,
        clock: () => home.time.now,
        actor: { name: "only", address: null },
      }),
    );
    await expectError(() => admin.removeUserInSlices("only"), "invalid_argument");
    expect(home.access.run(listHours("only", 0, Number.MAX_SAFE_INTEGER))).toHaveLength(2);
  });

  test("costs calls within an hour nothing: they pass even without its table", () => {
    using home = openHistory("free");
    home.callTimes(1);
    const other = new Database(join(home.folder, "access.db"));
    other.run("DROP TABLE usage_hours");
    other.close();
    expect(home.callTimes(29)).toBe(29);
    home.time.now += HOUR;
    expect(home.call).toThrow("usage_hours");
  });
});

describe("the folding of old hours into days", () => {
  const TODAY = windowsAt(START).day;
  /** Rows of two tokens on days before and after the boundary, seven whole days before today. */
  const ROWS = [
    [TODAY - 398, 3, 5],
    [TODAY - 8, 0, 1],
    [TODAY - 8, 7, 2],
    [TODAY - 8, 23, 4],
    [TODAY - 7, 0, 8],
    [TODAY - 7, 1, 16],
    [TODAY - 6, 12, 32],
    [TODAY, 16, 64],
  ] as const;

  function openStored() {
    const home = openHistory("pro");
    const other = home.accounts.createToken(home.user, "", null).id;
    const file = new Database(join(home.folder, "access.db"));
    const insert = file.query("INSERT INTO usage_hours VALUES (?, ?, ?, ?)");
    for (const id of [home.id, other])
      for (const [day, hour, calls] of ROWS) insert.run(id, day * 24 + hour, id * calls, calls);
    const count = () =>
      (file.query("SELECT count(*) AS n FROM usage_hours").get() as { n: number }).n;
    const usage = (days: number) => home.accounts.listUsage(home.user, days);
    return {
      ...home,
      count,
      usage,
      [Symbol.dispose]: () => (file.close(), home[Symbol.dispose]()),
    };
  }

  const fold = (access: AccessFile, stopAfter = Infinity) => {
    let rests = 0;
    return new UsageFolding(access).run(
      START,
      () => rests >= stopAfter,
      async () => void rests++,
    );
  };

  test("changes no figure of a report, by hours or by days", async () => {
    using home = openStored();
    const before = [await home.usage(7), await home.usage(8), await home.usage(400)];
    expect(home.count()).toBe(2 * 8);
    // Two rows of each token leave their day: 07:00 and 23:00 eight days ago. One moves to 00:00 of its day.
    await fold(home.access);
    expect(home.count()).toBe(2 * (8 - 2));
    expect([await home.usage(7), await home.usage(8), await home.usage(400)]).toEqual(before);
    const sum = (4 + 2 + 1) * home.id;
    expect(before[2]?.hours).toContainEqual({
      tokenId: home.id,
      at: START - (START % DAY) - 8 * DAY,
      calls: sum,
      denied: 7,
    });
    await fold(home.access);
    expect([await home.usage(7), await home.usage(400)]).toEqual([before[0], before[2]] as never);
  });

  test("goes on where it was stopped, and the next day folds one day more", async () => {
    using home = openStored();
    const before = await home.usage(400);
    await fold(home.access, 1);
    expect(home.count()).toBe(2 * 8);
    expect(await home.usage(400)).toEqual(before);
    const folding = new UsageFolding(home.access);
    const at = (now: number) =>
      folding.run(
        now,
        () => false,
        async () => {},
      );
    await at(START);
    expect(home.count()).toBe(2 * 6);
    await at(START + DAY);
    expect(home.count()).toBe(2 * 5);
    expect(await home.usage(400)).toEqual(before);
  });

  test("moves at most 100 rows in a transaction", async () => {
    using home = openHistory("pro");
    const file = new Database(join(home.folder, "access.db"));
    file.run(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250)
       INSERT INTO tokens (user_id, prefix, hash, label, created_at)
       SELECT user_id, 'p' || i, x'00', '', 0 FROM n, tokens`,
    );
    const hour = (TODAY - 9) * 24 + 5;
    file.run("INSERT INTO usage_hours SELECT id, ?, 3, 1 FROM tokens WHERE label = ''", [hour]);
    const moved: number[] = [];
    const foldHour: AccessFile["foldHour"] = (...given) => {
      moved.push(home.access.foldHour(...given));
      return moved.at(-1) ?? 0;
    };
    await fold({ ...home.access, foldHour });
    file.close();
    expect(moved.filter((rows) => rows > 0)).toEqual([100, 100, 50]);
    expect(home.access.run(listHours(home.user, hour - 5, hour))).toHaveLength(250);
  });
});

describe("the usage of a user", () => {
  test("has the hours of the last UTC days, today included, with the ceilings and the ends of the windows", async () => {
    using home = openHistory("free");
    // START is 17:30 on 20 November: 41 hours before is 00:30 on the 19th, 42 hours before on the 18th.
    for (const before of [42, 41, 1, 0]) {
      home.time.now = START - before * HOUR;
      home.callTimes(before + 1);
    }
    home.guard.settle({ all: true });
    const usage = await home.accounts.listUsage(home.user, 2);
    expect(usage).toEqual({
      daily: 100,
      hourly: 30,
      dayEndsAt: Date.parse("2026-11-21T00:00:00Z"),
      hourEndsAt: Date.parse("2026-11-20T18:00:00Z"),
      unit: "hour",
      hours: [
        { tokenId: home.id, at: Date.parse("2026-11-19T00:00:00Z"), calls: 30, denied: 12 },
        { tokenId: home.id, at: Date.parse("2026-11-20T16:00:00Z"), calls: 2, denied: 0 },
        { tokenId: home.id, at: Date.parse("2026-11-20T17:00:00Z"), calls: 1, denied: 0 },
      ],
    });
  });

  test("has days above 7 days, for each token", async () => {
    using home = openHistory("pro");
    const second = home.accounts.createToken(home.user, "", null).id;
    const call = (tokenId: number) => home.guard.charge({ tokenId, user: home.user, plan: "pro" });
    for (const hours of [-40 * 24, -3, -2, 0]) {
      home.time.now = START + hours * HOUR;
      call(home.id);
      call(second);
      call(second);
    }
    home.guard.settle({ all: true });
    const at = (date: string) => Date.parse(date);
    const entry = (tokenId: number, date: string, calls: number) => ({
      tokenId,
      at: at(date),
      calls,
      denied: 0,
    });
    const usage = await home.accounts.listUsage(home.user, 41);
    expect(usage.unit).toBe("day");
    expect(usage.hours).toEqual([
      entry(home.id, "2026-10-11", 1),
      entry(second, "2026-10-11", 2),
      entry(home.id, "2026-11-20", 3),
      entry(second, "2026-11-20", 6),
    ]);
    expect((await home.accounts.listUsage(home.user, 40)).hours).toHaveLength(2);
  });

  test("takes few turns for 400 days with few calls, and one for each day with many", async () => {
    using home = openHistory("max");
    const tokens = [home.id];
    while (tokens.length < 11) tokens.push(home.accounts.createToken(home.user, "", null).id);
    const today = Math.floor(FIRST / 24);
    using database = new Database(join(home.folder, "access.db"));
    const put = database.query("INSERT OR REPLACE INTO usage_hours VALUES (?, ?, 1, 0)");
    for (let day = today - 300; day < today; day++) put.run(home.id, day * 24);
    using run = spyOn(home.access, "run");
    const usage = await home.accounts.listUsage(home.user, 400);
    expect(usage.hours.map(({ at }) => at / DAY)).toEqual(
      Array.from({ length: 300 }, (_, i) => today - 300 + i),
    );
    // The user, then 1, 2, 4 and 8 days, and 385 days in parts of 16.
    expect(run).toHaveBeenCalledTimes(1 + 4 + Math.ceil(385 / 16));

    run.mockClear();
    for (const id of tokens)
      for (let hour = (today - 10) * 24; hour < today * 24; hour++) put.run(id, hour);
    const busy = await home.accounts.listUsage(home.user, 11);
    expect(busy.hours.map(({ calls }) => calls)).toEqual(Array.from({ length: 110 }, () => 24));
    // 11 tokens with 24 hours have 264 rows a day.
    expect(run).toHaveBeenCalledTimes(1 + 11);
  });

  test("includes calls that count ahead because the clock stepped back over midnight", async () => {
    using home = openHistory("pro");
    home.time.now = Date.parse("2026-11-21T00:10:00Z");
    home.callTimes(1);
    home.time.now = Date.parse("2026-11-20T23:50:00Z");
    home.callTimes(1);
    home.guard.settle({ all: true });
    const { hours } = await home.accounts.listUsage(home.user, 1);
    expect(hours).toEqual([
      { tokenId: home.id, at: Date.parse("2026-11-21T00:00:00Z"), calls: 2, denied: 0 },
    ]);
  });

  test("has no ceilings in plan unlimited, and an unknown user is not found", async () => {
    using home = openHistory("unlimited");
    expect(await home.accounts.listUsage(home.user, 1)).toMatchObject({
      daily: null,
      hourly: null,
      hours: [],
    });
    await expectError(() => home.accounts.listUsage("ghost", 1), "not_found");
  });

  test("has the ceilings of the plans that the operator configured", () => {
    using home = openHistory("free");
    const plans = home.accounts.listPlans();
    expect(plans).toEqual([
      { plan: "free", daily: 100, hourly: 30, tokens: 1 },
      { plan: "pro", daily: 5_000, hourly: 500, tokens: 5 },
      { plan: "max", daily: 50_000, hourly: 5_000, tokens: 20 },
      { plan: "unlimited", daily: null, hourly: null, tokens: 1_000 },
    ]);
  });
});

/** The events, in any order; `process` is one of two on the same file. */
type Step =
  | {
      readonly kind: "call";
      readonly process: number;
      readonly token: number;
      readonly times: number;
    }
  | { readonly kind: "move"; readonly ms: number }
  | { readonly kind: "settle" | "restart" | "kill"; readonly process: number };

const index = fc.integer({ min: 0, max: 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("call" as const),
      process: index,
      token: index,
      times: fc.integer({ min: 1, max: 60 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("move" as const),
      ms: fc.oneof(
        fc.integer({ min: 0, max: 2_000 }),
        fc.integer({ min: -2 * HOUR, max: 12 * HOUR }),
        // A clock that was wrong by days.
        fc.integer({ min: -3 * DAY, max: 3 * DAY }),
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom("settle" as const, "restart" as const, "kill" as const),
      process: index,
    }),
  },
);

/**
 * Two processes on one file, and the calls that their answers reported: each answer names the end of the
 * hour in which the call counts.
 */
class Model {
  readonly home = openTestAccess();
  readonly time = { now: START };
  readonly tokens = [this.home.createToken("free"), this.home.createToken("max")] as const;
  readonly plans = ["free", "max"] as const;
  readonly calls = new Map<string, number>();
  readonly denied = new Map<string, number>();
  /** Calls that killed processes may have counted in advance. */
  lost = 0;
  readonly processes = [this.open(), this.open()];

  open(): { access: AccessFile; guard: FileGuard } {
    const access = openAccess(this.home.folder);
    return { access, guard: openGuard({ access, clock: () => this.time.now }) };
  }

  run(one: Step): void {
    if (one.kind === "move") {
      this.time.now += one.ms;
      return;
    }
    const { guard, access } = this.processes[one.process] as (typeof this.processes)[number];
    switch (one.kind) {
      case "call": {
        const { id, user } = this.tokens[one.token] as (typeof this.tokens)[number];
        const principal = { tokenId: id, user, plan: this.plans[one.token] ?? "free" };
        for (let i = 0; i < one.times; i++) {
          const { quota, denied } = guard.charge(principal);
          const counts = denied ? this.denied : this.calls;
          const key = `${id} ${quota.hourly.resetAt / 3_600 - 1}`;
          counts.set(key, (counts.get(key) ?? 0) + 1);
        }
        break;
      }
      case "settle":
        guard.settle();
        break;
      case "restart":
      case "kill":
        if (one.kind === "kill") {
          // The refused calls of up to a second go too; settling first keeps the model simple.
          guard.settle();
          this.lost += 2 * PLANS.max.lease;
        } else guard.settle({ all: true });
        access.close();
        this.processes[one.process] = this.open();
        break;
    }
  }

  stored(column: "calls" | "denied"): Record<string, number> {
    const rows = this.tokens.flatMap(({ user }) =>
      this.home.access.run(listHours(user, 0, 10 ** 9)),
    );
    return Object.fromEntries(
      rows
        .filter((row) => row[column] !== 0)
        .map((row) => [`${row.tokenId} ${row.hour}`, row[column]]),
    );
  }

  finish(): void {
    for (const { guard } of this.processes) guard.settle({ all: true });
    expect(this.stored("denied")).toEqual(Object.fromEntries(this.denied));
    const stored = this.stored("calls");
    if (this.lost === 0) {
      expect(stored).toEqual(Object.fromEntries(this.calls));
      return;
    }
    const sum = (counts: Iterable<number>) => [...counts].reduce((all, count) => all + count, 0);
    for (const [key, calls] of this.calls) expect(stored[key]).toBeGreaterThanOrEqual(calls);
    expect(sum(Object.values(stored)) - sum(this.calls.values())).toBeLessThanOrEqual(this.lost);
  }

  [Symbol.dispose](): void {
    for (const { access } of this.processes) access.close();
    this.home[Symbol.dispose]();
  }
}

test("the history is what the answers reported, for any calls, processes, kills and clocks", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      using model = new Model();
      for (const one of steps) model.run(one);
      model.finish();
    }),
    { numRuns: 60 },
  );
});

describe("the calls that a person sees", () => {
  test("are those that were served, also while a busy token's calls are counted in advance", async () => {
    using home = openTestAccess();
    const { access, guard, time } = home;
    const { user, token, id } = home.createToken("max");
    const shown = atOnce(
      new Accounts({
        access,
        clock: () => time.now,
        actor: COMMAND_LINE,
        unused: (one) => guard.unused(one),
      }),
    );
    const call = () => guard.charge(guard.authenticate(`Bearer ${token}`));
    let isAhead = false;
    for (let calls = 1; calls <= 100; calls++) {
      time.now += 5;
      call();
      const { dayUsed } = access.usage.get(id, time.now);
      isAhead ||= dayUsed > calls;
      expect(shown.listTokens(user)).toMatchObject([{ callsToday: calls, callsThisHour: calls }]);
      expect((await shown.listUsage(user, 1)).hours).toMatchObject([{ tokenId: id, calls }]);
    }
    expect(isAhead).toBe(true);
    // Calls that were counted in advance in an earlier hour or day are not taken from those of a later one.
    time.now += DAY;
    expect(shown.listTokens(user)).toMatchObject([{ callsToday: 0, callsThisHour: 0 }]);
    guard.settle({ all: true });
    call();
    expect(shown.listTokens(user)).toMatchObject([{ callsToday: 1, callsThisHour: 1 }]);
  });
});
