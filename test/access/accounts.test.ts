import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openTestAccess } from "../support/access.ts";
import { expectError } from "../support/error.ts";
import { START } from "../support/service.ts";

const HOUR = 3_600_000;

describe("users", () => {
  test("a user is created once, with a plan in any case", async () => {
    using home = openTestAccess();
    expect(home.accounts.addUser("anna", "PRO")).toBe("pro");
    expect(home.accounts.listUsers()).toEqual([
      {
        name: "anna",
        plan: "pro",
        role: "admin",
        createdAt: START,
        hasPassword: false,
        liveTokens: 0,
        callsToday: 0,
        callsThisHour: 0,
      },
    ]);
    const taken = await expectError(() => home.accounts.addUser("anna", "max"), "invalid_argument");
    expect(taken.message).toContain("user plan anna max");
    expect(home.accounts.listUsers()).toHaveLength(1);
    expect(home.accounts.listUsers()[0]?.plan).toBe("pro");
  });

  test.each(["", " ", "a b", "a\nb", "ünal", "a/b", "x".repeat(65), "'; DROP TABLE users; --"])(
    "the name %j is refused",
    async (name) => {
      using home = openTestAccess();
      await expectError(() => home.accounts.addUser(name, "free"), "invalid_argument");
      expect(home.accounts.listUsers()).toEqual([]);
    },
  );

  test.each(["a", "anna@example.org", "ci.runner-7", "x".repeat(64)])(
    "the name %s is fine",
    (name) => {
      using home = openTestAccess();
      home.accounts.addUser(name, "free");
      expect(home.accounts.listUsers().map((user) => user.name)).toEqual([name]);
    },
  );

  test.each(["", "gold", "FREI", "toString", "__proto__"])(
    "the plan %j is refused, with the names of the three plans",
    async (plan) => {
      using home = openTestAccess();
      expect(home.accounts.addUser("anna", "PRO")).toBe("pro");
      for (const work of [
        () => home.accounts.addUser("ben", plan),
        () => home.accounts.setPlan("anna", plan),
      ]) {
        expect((await expectError(work, "invalid_argument")).message).toContain("free, pro, max");
      }
      expect(home.accounts.listUsers().map(({ name, plan }) => [name, plan])).toEqual([
        ["anna", "pro"],
      ]);
    },
  );

  test("a command for an unknown user names the command that adds one", async () => {
    using home = openTestAccess();
    for (const work of [
      () => home.accounts.setPlan("ghost", "pro"),
      () => home.accounts.removeUser("ghost"),
      () => home.accounts.createToken("ghost", "", null),
      () => home.accounts.listTokens("ghost"),
    ]) {
      expect((await expectError(work, "not_found")).message).toContain("user add ghost");
    }
  });

  test("removing a user removes its tokens and their counters only", () => {
    using home = openTestAccess();
    const gone = home.createToken("pro");
    const stays = home.createToken("pro");
    for (const { token } of [gone, stays]) {
      home.guard.charge(home.guard.authenticate(`Bearer ${token}`));
    }
    home.accounts.removeUser(gone.user);
    expect(home.accounts.listUsers().map((user) => user.name)).toEqual([stays.user]);
    expect(home.accounts.listTokens(null).map((token) => token.id)).toEqual([stays.id]);
    expect(home.access.usage.get(gone.id, START).dayUsed).toBe(0);
    expect(home.access.usage.get(stays.id, START).dayUsed).toBe(1);
  });
});

describe("tokens", () => {
  test.each([
    ["free", 1],
    ["pro", 5],
    ["max", 20],
  ] as const)("plan %s holds at most %d live tokens", async (plan, count) => {
    using home = openTestAccess();
    home.accounts.addUser("anna", plan);
    for (let i = 0; i < count; i++) home.accounts.createToken("anna", "", null);
    const refused = await expectError(
      () => home.accounts.createToken("anna", "", null),
      "invalid_argument",
    );
    expect(refused.message).toContain(`${count} live`);
    expect(refused.message).toContain(`plan ${plan}`);
    expect(home.accounts.listTokens("anna")).toHaveLength(count);
    expect(home.accounts.listUsers()[0]?.liveTokens).toBe(count);
  });

  test("a larger plan allows more tokens at once; a smaller one revokes none and returns how many exceed it", async () => {
    using home = openTestAccess();
    const { user } = home.createToken("free");
    expect(home.accounts.setPlan(user, "Pro")).toEqual({ plan: "pro", excess: 0 });
    for (let i = 0; i < 4; i++) home.accounts.createToken(user, "", null);
    expect(home.accounts.setPlan(user, "free")).toEqual({ plan: "free", excess: 4 });
    expect(home.accounts.listUsers()[0]?.liveTokens).toBe(5);
    await expectError(() => home.accounts.createToken(user, "", null), "invalid_argument");
  });

  test("the list holds everything but the secret, oldest first", () => {
    using home = openTestAccess();
    const first = home.createToken("pro", HOUR);
    home.time.now += 60_000;
    home.guard.charge(home.guard.authenticate(`Bearer ${first.token}`));
    home.accounts.revokeToken(first.id);
    const second = home.accounts.createToken(first.user, "laptop", null);

    const list = home.accounts.listTokens(first.user);
    expect(list).toEqual([
      {
        id: first.id,
        user: first.user,
        prefix: first.token.slice(0, 15),
        kind: "api",
        label: "test",
        rights: [],
        lists: null,
        asOf: null,
        createdAt: START,
        expiresAt: START + HOUR,
        revokedAt: START + 60_000,
        lastUsedAt: START + 60_000,
        // The new token took them over.
        callsToday: 0,
        callsThisHour: 0,
      },
      {
        id: second.id,
        user: first.user,
        prefix: second.token.slice(0, 15),
        kind: "api",
        label: "laptop",
        rights: [],
        lists: null,
        asOf: null,
        createdAt: START + 60_000,
        expiresAt: null,
        revokedAt: null,
        lastUsedAt: null,
        callsToday: 1,
        callsThisHour: 1,
      },
    ]);
    expect(JSON.stringify(list)).not.toContain(first.token.slice(16));
  });

  test("a label that would break a list is refused", async () => {
    using home = openTestAccess();
    const { user } = home.createToken("max");
    expect(home.accounts.createToken(user, "é".repeat(64), null).id).toBe(2);
    // A family that zero-width joiners make of three people; `\u202e` reverses the text after it.
    home.accounts.createToken(user, "👨‍👩‍👧 <b>laptop</b>", null);
    const hostile = ["a\u202eb", "a\u2066b", "a\u200bb", "a\u2028b", "\ud800", "a\ufeff"];
    for (const label of ["a\nb", "\u001b[31m", "x".repeat(65), ...hostile]) {
      await expectError(() => home.accounts.createToken(user, label, null), "invalid_argument");
    }
  });

  test("the live tokens and feed links of a user have different labels: a new one gets a number", () => {
    using home = openTestAccess();
    const { user } = home.createToken("max");
    home.accounts.addUser("ben", "max");
    const make = (label: string, kind?: "feed") =>
      home.accounts.createToken(user, label, null, kind);
    const first = make("laptop");
    const made = [make("Laptop"), make("laptop", "feed"), make("laptop 2"), make(""), make("")];
    expect([first, ...made].map(({ label }) => label)).toEqual([
      "laptop",
      "Laptop 2",
      "laptop 3",
      "laptop 2 2",
      "",
      "",
    ]);
    expect(make("é".repeat(64)).label).toBe("é".repeat(64));
    expect(make("é".repeat(64)).label).toBe(`${"é".repeat(62)} 2`);
    // The tokens of other users, and those that have ended, leave their labels free.
    expect(home.accounts.createToken("ben", "laptop", null)).toMatchObject({ label: "laptop" });
    home.accounts.revokeToken(first.id);
    expect(make("laptop").label).toBe("laptop");
  });

  test("a label of another live token is refused for a renaming; a replaced token leaves its own", async () => {
    using home = openTestAccess();
    const { user, id } = home.createToken("max");
    const laptop = home.accounts.createToken(user, "laptop", null);
    const refused = await expectError(
      () => home.accounts.renameToken(id, "laptop"),
      "invalid_argument",
    );
    expect(refused.message).toBe(
      "Another live token has the label laptop. Choose a different one, so that lists and the call log name one token.",
    );
    home.accounts.renameToken(laptop.id, "Laptop");
    home.accounts.replaceToken(laptop.id, HOUR);
    expect(home.accounts.listTokens(user)).toMatchObject([
      { label: "test" },
      { label: "Laptop (old)", expiresAt: START + HOUR },
      { label: "Laptop", expiresAt: null },
    ]);
  });

  test("no file in the data folder holds a token or its secret part", () => {
    using home = openTestAccess();
    const tokens = Array.from({ length: 5 }, () => home.createToken("pro"));
    for (const { token } of tokens) {
      home.guard.charge(home.guard.authenticate(`Bearer ${token}`));
    }
    const files = readdirSync(home.folder);
    expect(files.toSorted()).toEqual(["access.db", "access.db-shm", "access.db-wal"]);
    const bytes = Buffer.concat(files.map((name) => readFileSync(join(home.folder, name))));
    for (const { token } of tokens) {
      expect(bytes.includes(token.slice(0, 15))).toBe(true);
      // Every run of eight characters after the 15 that are shown.
      for (let from = 15; from + 8 <= token.length; from++) {
        expect(bytes.includes(token.slice(from, from + 8))).toBe(false);
      }
    }
  });
});
