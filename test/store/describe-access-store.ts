import { describe, expect, test } from "bun:test";
import { BourseError } from "#domain/errors.ts";
import { nextTurn } from "#lib/next-turn.ts";
import { addAuditEntry, listAuditEntries } from "#store/audit.ts";
import * as briefs from "#store/brief-marks.ts";
import type { AccessStore } from "#store/index.ts";
import * as oauth from "#store/oauth.ts";
import * as sessions from "#store/sessions.ts";
import * as tokens from "#store/tokens.ts";
import { getUsage, listHours, listUsageDays, removeHours, windowsAt } from "#store/usage.ts";
import * as users from "#store/users.ts";
import { runStatement, type Work } from "#store/work.ts";
import { describeAlertOutbox } from "./describe-alert-outbox.ts";
import { describeAlerts } from "./describe-alerts.ts";
import { describeRefusedCalls } from "./describe-refused-calls.ts";

/** An empty access store, opened twice on the same data, as two processes or nodes have it. */
export interface AccessHome extends AsyncDisposable {
  readonly access: AccessStore;
  readonly other: AccessStore;
}

type Open = () => Promise<AccessHome>;

const AT = Date.parse("2026-11-20T17:30:00.123Z");
const DAY = 86_400_000;

/** 32 bytes, as a SHA-256 has. */
const hashOf = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest();

/** The laws of every access store. `open` opens a new, empty one for each test. */
export function describeAccessStore(name: string, open: Open): void {
  describe(`the access store in ${name}`, () => {
    describe("users", () => describeUsers(open));
    describe("tokens", () => describeTokens(open));
    describe("marks of briefs", () => describeBriefMarks(open));
    describe("alerts", () => describeAlerts(open));
    describe("deliveries", () => describeAlertOutbox(open));
    describe("refused calls", () => describeRefusedCalls(open));
    describe("sessions", () => describeSessions(open));
    describe("the audit log", () => describeAudit(open));
    describe("OAuth", () => describeOAuth(open));
    describe("usage", () => describeUsage(open));
    describe("transactions", () => describeTransactions(open));
    test("the key of links is one for all processes", () => expectOneLinkSecret(open));
    describe("the version", () => describeVersion(open));
  });
}

/** Adds a user with plan free and returns the id. */
function* addUser(name: string): Work<number> {
  yield* users.addUser({ name, plan: "free", role: "user", createdAt: AT });
  return (yield* users.findUser(name))?.id ?? 0;
}

/** Adds a token that was created at `createdAt` and returns its id; null if the user has `ceiling` live ones. */
function addToken(
  userId: number,
  {
    createdAt = AT,
    expiresAt = null as number | null,
    text = "",
    ceiling = 100,
    lists = null as string | null,
  } = {},
): Work<number | null> {
  return tokens.addToken(
    {
      userId,
      prefix: `p${text}`,
      hash: hashOf(text),
      label: text,
      rights: "",
      lists,
      asOf: null,
      createdAt,
      expiresAt,
    },
    ceiling,
  );
}

/** A user `anna` with one token. */
function* addAnna(): Work<{ userId: number; tokenId: number }> {
  const userId = yield* addUser("anna");
  return { userId, tokenId: (yield* addToken(userId)) ?? 0 };
}

function describeUsers(open: Open): void {
  test("have a name once, and come back as they were added", async () => {
    await using home = await open();
    const { access } = home;
    const anna = { name: "anna", plan: "pro", role: "admin", createdAt: AT } as const;
    expect(await access.run(users.addUser(anna))).toBe(true);
    expect(await access.run(users.addUser({ ...anna, plan: "max" }))).toBe(false);
    expect(await access.run(users.findUser("anna"))).toEqual({ id: expect.any(Number), ...anna });
    expect(await access.run(users.findUser("Anna"))).toBeNull();
    // Postgres cannot store this character.
    expect(await access.run(users.findUser("anna\0"))).toBeNull();
    expect(await access.run(users.findUser("' OR 1=1 --"))).toBeNull();
  });

  test("are listed by name, with their live tokens and whether they have a password", async () => {
    await using home = await open();
    const { access } = home;
    for (const name of ["anna", "Zoe", "ben", "a.b"]) await access.run(addUser(name));
    const id = (await access.run(users.findUser("ben")))?.id ?? 0;
    await access.run(users.setPassword(id, "hash"));
    for (const expiresAt of [null, AT, AT + 1]) await access.run(addToken(id, { expiresAt }));
    const listed = await access.run(users.listUsers(AT));
    // The order of the characters' codes.
    expect(
      listed.map(({ name, liveTokens, hasPassword }) => [name, liveTokens, hasPassword]),
    ).toEqual([
      ["Zoe", 0, false],
      ["a.b", 0, false],
      ["anna", 0, false],
      ["ben", 2, true],
    ]);
  });

  test("have an oldest admin, without admins an oldest user", async () => {
    await using home = await open();
    const { access } = home;
    const first = async () => (await access.run(users.findFirstUser()))?.name ?? null;
    expect([await first(), await access.run(users.countAdmins())]).toEqual([null, 0]);
    for (const name of ["zoe", "anna", "ben"]) await access.run(addUser(name));
    expect(await first()).toBe("zoe");
    for (const name of ["ben", "anna"]) await access.run(users.setRole(name, "admin"));
    expect([await first(), await access.run(users.countAdmins())]).toEqual(["anna", 2]);
  });

  test("change their plan, role and password; unknown users do not", async () => {
    await using home = await open();
    const { access } = home;
    const id = await access.run(addUser("anna"));
    expect(await access.run(users.findPassword(id))).toBeNull();
    await access.run(users.setPassword(id, "$argon2id$x"));
    expect(await access.run(users.findPassword(id))).toBe("$argon2id$x");
    expect(await access.run(users.findPassword(id + 1))).toBeNull();
    expect(await access.run(users.setPlan("anna", "max"))).toBe(true);
    expect(await access.run(users.setRole("anna", "admin"))).toBe(true);
    expect(await access.run(users.findUser("anna"))).toMatchObject({ plan: "max", role: "admin" });
    for (const change of [
      users.setPlan("ghost", "max"),
      users.setRole("ghost", "admin"),
      users.removeUser("ghost"),
    ]) {
      expect(await access.run(change)).toBe(false);
    }
  });

  test("are removed with tokens, counters, sessions, keys, codes and grants", async () => {
    await using home = await open();
    const { access } = home;
    const { userId, tokenId } = await access.run(addAnna());
    const hash = hashOf("anna");
    const ends = { createdBefore: 0, usedBefore: 0 };
    await access.run(countCalls(tokenId, AT, 3));
    await access.run(
      sessions.addSession({ hash, userId, address: "::1", browser: "test", now: AT }),
    );
    await access.run(sessions.addSignInKey({ hash, userId, expiresAt: AT + 1 }));
    await access.run(oauth.addCode(codeOf(userId, "anna")));
    await access.run(oauth.setGrant(userId, "client", tokenId));
    expect(await access.run(users.removeUser("anna"))).toBe(true);
    expect(await access.run(users.findUser("anna"))).toBeNull();
    expect(await access.run(tokens.listTokens(null))).toEqual([]);
    expect(await access.run(sessions.findSession(hash, ends))).toBeNull();
    expect(await access.run(sessions.takeSignInKey(hash, AT))).toBeNull();
    expect(await access.run(oauth.findCode(hash))).toBeNull();
    expect(await access.run(oauth.findGrantOfToken(tokenId))).toBeNull();
    expect((await access.run(getUsage(tokenId, AT))).dayUsed).toBe(0);
  });
}

function describeBriefMarks(open: Open): void {
  const json = '{"instruments":{"VN:FPT":"株"}}';
  const times = (tokenId: number, scope: string) =>
    (function* () {
      return (yield* briefs.listBriefMarks(tokenId, scope)).map(({ at }) => at - AT);
    })();

  test("are of one token and scope, newest first, three of each", async () => {
    await using home = await open();
    const { access, other } = home;
    const { userId, tokenId } = await access.transaction(addAnna);
    const second = (await access.run(addToken(userId, { text: "b" }))) ?? 0;
    for (const after of [0, 2, 1, 3, 4])
      await access.transaction(() => briefs.putBriefMark(tokenId, "", { at: AT + after, json }));
    await access.transaction(() => briefs.putBriefMark(tokenId, "", { at: AT + 4, json: "{}" }));
    await access.transaction(() => briefs.putBriefMark(tokenId, "list:a", { at: AT, json }));
    await access.transaction(() => briefs.putBriefMark(second, "", { at: AT + 9, json }));
    const shown = await other.run(briefs.listBriefMarks(tokenId, ""));
    expect(shown).toEqual([
      { at: AT + 4, json: "{}" },
      { at: AT + 3, json },
      { at: AT + 2, json },
    ]);
    expect(await other.run(times(tokenId, "list:a"))).toEqual([0]);
    expect(await other.run(times(second, ""))).toEqual([9]);
    // A token that does not exist takes none.
    await access.transaction(() => briefs.putBriefMark(999, "", { at: AT, json }));
    expect(await other.run(times(999, ""))).toEqual([]);
  });

  test("are at most 400 of a token, the newest", async () => {
    await using home = await open();
    const { access } = home;
    const { tokenId } = await access.transaction(addAnna);
    await access.transaction(function* () {
      for (let i = 0; i < 402; i++)
        yield* briefs.putBriefMark(tokenId, `s${i}`, { at: AT + i, json });
    });
    const [lost, kept] = [1, 2].map((i) => access.run(times(tokenId, `s${i}`)));
    expect([await lost, await kept]).toEqual([[], [2]]);
  });

  test("go with a list of their user, and pass to the token that replaces theirs", async () => {
    await using home = await open();
    const { access } = home;
    const { userId, tokenId } = await access.transaction(addAnna);
    const ben = await access.run(addUser("ben"));
    const other = (await access.run(addToken(ben, { text: "ben" }))) ?? 0;
    const second = (await access.run(addToken(userId, { text: "b" }))) ?? 0;
    for (const id of [tokenId, other])
      for (const scope of ["list:a", "list:b"])
        await access.transaction(() => briefs.putBriefMark(id, scope, { at: AT, json }));
    await access.run(briefs.copyBriefMarks(tokenId, second));
    await access.run(briefs.removeBriefMarks(userId, "list:a"));
    const left = async (id: number) => [
      await access.run(times(id, "list:a")),
      await access.run(times(id, "list:b")),
    ];
    expect(await left(second)).toEqual([[], [0]]);
    await access.run(briefs.removeMarksOfToken(second));
    expect([await left(tokenId), await left(second), await left(other)]).toEqual([
      [[], [0]],
      [[], []],
      [[0], [0]],
    ]);
    expect(await access.run(briefs.removeMarksOfUser("ben", 1))).toBe(1);
    expect(await access.run(briefs.removeMarksOfUser("ben", 9))).toBe(1);
    expect(await access.run(briefs.removeMarksOfUser("ben", 9))).toBe(0);
    // The rest goes with its user.
    await access.run(users.removeUser("anna"));
    expect(await left(tokenId)).toEqual([[], []]);
  });
}

function describeTokens(open: Open): void {
  test("lose a list by its whole name, for their user only", async () => {
    await using home = await open();
    const { access } = home;
    const lists = await access.transaction(function* () {
      const [anna, ben] = [yield* addUser("anna"), yield* addUser("ben")];
      for (const [userId, text, names] of [
        [anna, "a", "semis semis-2 a"],
        [anna, "b", "semis"],
        [anna, "c", null],
        [anna, "d", ""],
        [ben, "e", "semis"],
      ] as const)
        yield* addToken(userId, { text, lists: names });
      yield* tokens.unlinkList(anna, "semis");
      yield* tokens.unlinkList(anna, "a");
      return (yield* tokens.listTokens(null)).map((token) => token.lists);
    });
    expect(lists).toEqual(["semis-2", "", null, "", "semis"]);
  });

  test("come back as they were added, hostile labels too", async () => {
    await using home = await open();
    const { access } = home;
    const userId = await access.run(addUser("anna"));
    const label = "'; DROP TABLE tokens; -- $1 \u{1f600} \\ \"";
    const hash = hashOf("secret");
    const row = {
      prefix: "bourse_12345678",
      label,
      rights: "lists:write",
      lists: "semis watch",
      asOf: "2023-03-31",
      createdAt: AT,
      expiresAt: AT + DAY,
    };
    const id = (await access.run(tokens.addToken({ userId, hash, ...row }, 1))) ?? 0;
    const stored = { id, user: "anna", ...row, revokedAt: null, lastUsedAt: null, usage: null };
    expect(await access.run(tokens.listTokens("anna"))).toEqual([stored]);
    expect(await access.run(tokens.findToken(id))).toEqual(stored);
    const [candidate, second] = await access.run(tokens.listCandidates("bourse_12345678"));
    expect({ ...candidate, hash: new Uint8Array(candidate?.hash ?? []) }).toEqual({
      id,
      hash: new Uint8Array(hash),
      user: "anna",
      plan: "free",
      rights: "lists:write",
      lists: "semis watch",
      asOf: "2023-03-31",
      expiresAt: AT + DAY,
      revokedAt: null,
    });
    expect(second).toBeUndefined();
    expect(await access.run(tokens.listCandidates("bourse_1234567"))).toEqual([]);
  });

  test("are listed by age, of one user or of all", async () => {
    await using home = await open();
    const { access } = home;
    const [anna, ben] = [await access.run(addUser("anna")), await access.run(addUser("ben"))];
    for (const [i, owner] of [ben, anna, ben].entries())
      await access.run(addToken(owner, { text: String(i) }));
    const labels = async (user: string | null) =>
      (await access.run(tokens.listTokens(user))).map(({ label }) => label);
    expect(await labels(null)).toEqual(["0", "1", "2"]);
    expect(await labels("ben")).toEqual(["0", "2"]);
    expect(await labels("ghost")).toEqual([]);
  });

  test("are live until they are revoked or expire, and a revoked one keeps its first time", async () => {
    await using home = await open();
    const { access } = home;
    const userId = await access.run(addUser("anna"));
    const id = (await access.run(addToken(userId, { expiresAt: AT + 10 }))) ?? 0;
    const isLive = (now: number) => access.run(tokens.isTokenLive(id, now));
    expect([await isLive(AT + 9), await isLive(AT + 10)]).toEqual([true, false]);
    expect(await access.run(tokens.revokeToken(id, AT + 1))).toBe(true);
    expect(await access.run(tokens.revokeToken(id, AT + 2))).toBe(true);
    expect((await access.run(tokens.findToken(id)))?.revokedAt).toBe(AT + 1);
    expect(await isLive(AT)).toBe(false);
    expect(await access.run(tokens.revokeToken(id + 1, AT))).toBe(false);
    expect(await access.run(tokens.isTokenLive(id + 1, AT))).toBe(false);
    expect(await access.run(tokens.findToken(id + 1))).toBeNull();
  });

  test("have a ceiling for each user, which expired and revoked ones do not count for", async () => {
    await using home = await open();
    const { access } = home;
    const [anna, ben] = [await access.run(addUser("anna")), await access.run(addUser("ben"))];
    const add = (more: Parameters<typeof addToken>[1] = {}) =>
      access.transaction(() => addToken(anna, { ceiling: 2, ...more }));
    await add({ expiresAt: AT + 1 });
    const second = (await add()) ?? 0;
    expect(await add()).toBeNull();
    expect(await access.run(addToken(ben, { ceiling: 2 }))).toBeNumber();
    expect(await add({ createdAt: AT + 1 })).toBeNumber();
    expect(await add({ createdAt: AT + 1 })).toBeNull();
    await access.run(tokens.revokeToken(second, AT + 1));
    expect(await add({ createdAt: AT + 1 })).toBeNumber();
    expect(await access.run(tokens.countLiveTokens(anna, "api", AT + 1))).toBe(2);
  });

  test("never exceed the ceiling when two processes add them at the same time", async () => {
    await using home = await open();
    const userId = await home.access.run(addUser("anna"));
    const added = await Promise.all(
      Array.from({ length: 20 }, async (_, i) =>
        (i % 2 === 0 ? home.access : home.other).transaction(() =>
          addToken(userId, { ceiling: 5 }),
        ),
      ),
    );
    const ids = added.filter((id) => id !== null);
    expect(ids).toHaveLength(5);
    expect(new Set(ids).size).toBe(5);
    expect(await home.access.run(tokens.listTokens("anna"))).toHaveLength(5);
  });

  test("are counted by the time of their creation, live or not", async () => {
    await using home = await open();
    const { access } = home;
    const userId = await access.run(addUser("anna"));
    for (const after of [0, 1, 2])
      await access.run(addToken(userId, { createdAt: AT + after, expiresAt: AT + after }));
    expect(await access.run(tokens.countCreatedTokens(userId, AT))).toBe(2);
    expect(await access.run(tokens.countCreatedTokens(userId, AT + 2))).toBe(0);
  });

  test("are removed 400 days after their end, or after three days without a call, when the next one is added", async () => {
    await using home = await open();
    const { access } = home;
    const userId = await access.run(addUser("anna"));
    const add = (text: string, expiresAt: number | null, createdAt = AT) =>
      access.run(addToken(userId, { text, expiresAt, createdAt }));
    const called = async (id: number | null, at: number) => access.run(countCalls(id ?? 0, at, 1));
    await add("live", null);
    await add("unused", AT + DAY);
    await called(await add("used", AT + DAY), AT);
    const labels = async () =>
      (await access.run(tokens.listTokens("anna"))).map(({ label }) => label);
    await add("b", null, AT + 4 * DAY);
    expect(await labels()).toEqual(["live", "unused", "used", "b"]);
    await add("c", null, AT + 4 * DAY + 1);
    expect(await labels()).toEqual(["live", "used", "b", "c"]);
    await add("d", null, AT + 401 * DAY);
    expect(await labels()).toEqual(["live", "used", "b", "c", "d"]);
    await add("e", null, AT + 401 * DAY + 1);
    expect(await labels()).toEqual(["live", "b", "c", "d", "e"]);
  });

  test("never get the id of a removed one", async () => {
    await using home = await open();
    const { access } = home;
    const { tokenId } = await access.run(addAnna());
    await access.run(users.removeUser("anna"));
    expect((await access.run(addAnna())).tokenId).toBeGreaterThan(tokenId);
  });
}

function describeSessions(open: Open): void {
  const always = { createdBefore: 0, usedBefore: 0 };
  /** Starts a session at `now` and returns its id. */
  const start = (userId: number, text: string, now: number) =>
    sessions.addSession({
      hash: hashOf(text),
      userId,
      address: "203.0.113.7",
      browser: "test",
      now,
    });

  test("are found by their hash until they end", async () => {
    await using home = await open();
    const { access } = home;
    const userId = await access.run(addUser("anna"));
    const id = await access.run(start(userId, "one", AT));
    const find = (createdBefore: number, usedBefore: number) =>
      access.run(sessions.findSession(hashOf("one"), { createdBefore, usedBefore }));
    expect(await find(AT - 1, AT - 1)).toEqual({
      id,
      userId,
      user: "anna",
      role: "user",
      plan: "free",
      hasPassword: false,
      createdAt: AT,
      lastUsedAt: AT,
    });
    expect([await find(AT, 0), await find(0, AT)]).toEqual([null, null]);
    await access.run(sessions.touchSession(id, AT + 5));
    expect((await find(0, AT))?.lastUsedAt).toBe(AT + 5);
    expect(await access.run(sessions.findSession(hashOf("two"), always))).toBeNull();
  });

  test("have their user's role, plan and password of this moment", async () => {
    await using home = await open();
    const { access } = home;
    const userId = await access.run(addUser("anna"));
    await access.run(start(userId, "one", AT));
    await access.run(users.setRole("anna", "admin"));
    await access.run(users.setPlan("anna", "max"));
    await access.run(users.setPassword(userId, "hash"));
    const user = { user: "anna", role: "admin", plan: "max", hasPassword: true };
    expect(await access.run(sessions.findSession(hashOf("one"), always))).toMatchObject(user);
    expect(await access.run(sessions.findSessionUser(userId))).toEqual({
      userId,
      ...user,
    } as sessions.SessionUser);
    expect(await access.run(sessions.findSessionUser(userId + 1))).toBeNull();
  });

  test("are listed with the newest first, and only those of the user", async () => {
    await using home = await open();
    const { access } = home;
    const [anna, ben] = [await access.run(addUser("anna")), await access.run(addUser("ben"))];
    const first = await access.run(start(anna, "one", AT));
    const second = await access.run(start(anna, "two", AT + 1));
    await access.run(start(ben, "three", AT));
    const entry = { address: "203.0.113.7", browser: "test" };
    expect(await access.run(sessions.listSessions(anna, always))).toEqual([
      { id: second, createdAt: AT + 1, lastUsedAt: AT + 1, ...entry },
      { id: first, createdAt: AT, lastUsedAt: AT, ...entry },
    ]);
    const left = await access.run(sessions.listSessions(anna, { ...always, createdBefore: AT }));
    expect(left.map(({ id }) => id)).toEqual([second]);
  });

  test("are ended by their user only, or all but one with the user's keys", async () => {
    await using home = await open();
    const { access } = home;
    const [anna, ben] = [await access.run(addUser("anna")), await access.run(addUser("ben"))];
    const ids = [];
    for (const text of ["one", "two", "three"]) ids.push(await access.run(start(anna, text, AT)));
    const [first = 0, second = 0] = ids;
    await access.run(start(ben, "four", AT));
    expect(await access.run(sessions.endSession(first, ben))).toBe(false);
    expect(await access.run(sessions.endSession(first, anna))).toBe(true);
    expect(await access.run(sessions.endSession(first, anna))).toBe(false);
    for (const [text, userId] of [
      ["a", anna],
      ["b", ben],
    ] as const) {
      await access.run(sessions.addSignInKey({ hash: hashOf(text), userId, expiresAt: AT + 1 }));
    }
    await access.run(sessions.endOtherSessions(anna, second));
    const left = await access.run(sessions.listSessions(anna, always));
    expect(left.map(({ id }) => id)).toEqual([second]);
    expect(await access.run(sessions.listSessions(ben, always))).toHaveLength(1);
    expect(await access.run(sessions.takeSignInKey(hashOf("a"), AT))).toBeNull();
    expect(await access.run(sessions.takeSignInKey(hashOf("b"), AT))).not.toBeNull();
  });

  test("and keys that have ended are pruned", async () => {
    await using home = await open();
    const { access } = home;
    const userId = await access.run(addUser("anna"));
    for (const [text, now] of [
      ["old", AT],
      ["idle", AT + 1],
      ["new", AT + 2],
    ] as const) {
      await access.run(start(userId, text, now));
      await access.run(sessions.addSignInKey({ hash: hashOf(text), userId, expiresAt: now }));
    }
    const old = await access.run(sessions.findSession(hashOf("old"), always));
    await access.run(sessions.touchSession(old?.id ?? 0, AT + 9));
    await access.run(sessions.pruneSessions(AT + 1, { createdBefore: AT, usedBefore: AT + 1 }));
    const found = [];
    for (const text of ["old", "idle", "new"])
      found.push((await access.run(sessions.findSession(hashOf(text), always))) !== null);
    expect(found).toEqual([false, false, true]);
    expect(await access.run(sessions.takeSignInKey(hashOf("idle"), AT))).toBeNull();
    expect(await access.run(sessions.takeSignInKey(hashOf("new"), AT))).not.toBeNull();
  });

  test("begin with a key that works once and before it expires", async () => {
    await using home = await open();
    const { access } = home;
    const userId = await access.run(addUser("anna"));
    const add = (expiresAt: number) =>
      access.run(sessions.addSignInKey({ hash: hashOf("key"), userId, expiresAt }));
    const take = (store: AccessStore) => store.run(sessions.takeSignInKey(hashOf("key"), AT));
    await add(AT + 1);
    expect(await take(access)).toMatchObject({ userId, user: "anna" });
    expect(await take(access)).toBeNull();
    await add(AT);
    expect(await take(access)).toBeNull();
    await access.run(sessions.pruneSessions(AT, always));
    await add(AT + 1);
    const both = await Promise.all([take(access), take(home.other)]);
    expect(both.filter((user) => user !== null)).toHaveLength(1);
  });
}

function describeAudit(open: Open): void {
  const entry = { actor: "anna", subject: "user anna", address: null } as const;
  const idsOf = async (access: AccessStore, page: Parameters<typeof listAuditEntries>[0]) =>
    (await access.run(listAuditEntries(page))).map(({ id }) => id);

  test("is read in pages, the newest entries first", async () => {
    await using home = await open();
    const { access } = home;
    const texts = { actor: "a'b", action: "sign-in", subject: "\u{1f600} $1" };
    await access.run(addAuditEntry({ at: AT, ...texts, address: "::1" }));
    for (const after of [1, 2])
      await access.run(addAuditEntry({ at: AT + after, action: "sign-out", ...entry }));
    const [newest = 0, middle = 0, oldest = 0] = await idsOf(access, { limit: 10 });
    expect([newest > middle, middle > oldest]).toEqual([true, true]);
    expect(await idsOf(access, { limit: 2 })).toEqual([newest, middle]);
    expect(await idsOf(access, { before: middle, limit: 2 })).toEqual([oldest]);
    expect(await idsOf(access, { before: oldest, limit: 2 })).toEqual([]);
    expect(await access.run(listAuditEntries({ before: middle, limit: 1 }))).toEqual([
      { id: oldest, at: AT, ...texts, address: "::1" },
    ]);
  });

  test("keeps entries for 400 days", async () => {
    await using home = await open();
    const { access } = home;
    const add = (at: number) => access.run(addAuditEntry({ at, action: "sign-in", ...entry }));
    const times = async () =>
      (await access.run(listAuditEntries({ limit: 9 }))).map(({ at }) => at - AT);
    await add(AT);
    await add(AT + 1);
    await add(AT + 400 * DAY);
    expect(await times()).toEqual([400 * DAY, 1, 0]);
    await add(AT + 400 * DAY + 1);
    expect(await times()).toEqual([400 * DAY + 1, 400 * DAY, 1]);
  });

  test("keeps the newest 10,000 refused sign-ins and all other entries", async () => {
    await using home = await open();
    const { access } = home;
    await access.run(addAuditEntry({ at: AT, action: "user added", ...entry }));
    await access.run(
      runStatement(
        `WITH RECURSIVE tries (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM tries WHERE i < 10000)
         INSERT INTO audit (at, actor, action, subject, address)
         SELECT CAST($at AS BIGINT), 'anna', 'sign-in refused', CAST(i AS TEXT), NULL FROM tries`,
        { at: AT },
      ),
    );
    const refused = { ...entry, at: AT, action: "sign-in refused", subject: "10001" };
    await access.run(addAuditEntry(refused));
    const entries = await access.run(listAuditEntries({ limit: 20_000 }));
    expect(entries).toHaveLength(10_001);
    expect(entries.at(0)?.subject).toBe("10001");
    expect(entries.slice(-2).map(({ subject }) => subject)).toEqual(["2", "user anna"]);
  });
}

/** A code of that user and of the client `client`, which expires at `expiresAt`. */
function codeOf(userId: number, text: string, expiresAt = AT + 1): oauth.NewCode {
  return {
    hash: hashOf(text),
    userId,
    clientId: "client",
    clientName: "Example",
    redirectUri: "https://client.example/callback?a=1",
    challenge: "challenge",
    rights: "lists:write",
    expiresAt,
  };
}

function describeOAuth(open: Open): void {
  const client = (id: string, createdAt = AT) => ({
    id,
    name: `Client "${id}"`,
    redirectUris: ["https://client.example/callback", "http://localhost/callback"],
    createdAt,
  });

  test("clients come back as they were added", async () => {
    await using home = await open();
    const { access } = home;
    expect(await access.run(oauth.findClient("one"))).toBeNull();
    expect(await access.transaction(() => oauth.addClient(client("one"), 5))).toBe(true);
    expect(await access.run(oauth.findClient("one"))).toEqual(client("one"));
  });

  test("beyond the ceiling, the oldest client without a grant or a valid code falls out", async () => {
    await using home = await open();
    const { access } = home;
    const { userId, tokenId } = await access.run(addAnna());
    const add = (id: string, createdAt: number) =>
      access.transaction(() => oauth.addClient(client(id, createdAt), 3));
    for (const [i, id] of ["granted", "coded", "unused"].entries())
      expect(await add(id, AT + i)).toBe(true);
    await access.run(oauth.setGrant(userId, "granted", tokenId));
    await access.run(oauth.addCode({ ...codeOf(userId, "code", AT + 9), clientId: "coded" }));
    expect(await add("fourth", AT + 3)).toBe(true);
    expect(await access.run(oauth.findClient("unused"))).toBeNull();
    expect(await add("fifth", AT + 9)).toBe(true);
    const known = [];
    for (const id of ["granted", "coded", "fourth", "fifth"])
      known.push((await access.run(oauth.findClient(id))) !== null);
    expect(known).toEqual([true, false, true, true]);
    const other = (await access.run(addToken(userId))) ?? 0;
    const third = (await access.run(addToken(userId))) ?? 0;
    await access.run(oauth.setGrant(userId, "fourth", other));
    await access.run(oauth.setGrant(userId, "fifth", third));
    expect(await add("sixth", AT + 10)).toBe(false);
  });

  test("codes keep what the user allowed and the token that they were exchanged for", async () => {
    await using home = await open();
    const { access } = home;
    const { userId, tokenId } = await access.run(addAnna());
    const { hash, ...code } = codeOf(userId, "code");
    await access.run(oauth.addCode({ hash, ...code }));
    const stored = { ...code, user: "anna", tokenId: null };
    expect(await access.run(oauth.findCode(hash))).toEqual(stored);
    await access.run(oauth.setCodeToken(hash, tokenId));
    expect(await access.run(oauth.findCode(hash))).toEqual({ ...stored, tokenId });
    await access.run(oauth.removeCode(hash));
    expect(await access.run(oauth.findCode(hash))).toBeNull();
  });

  test("expired codes are removed; those that were exchanged later", async () => {
    await using home = await open();
    const { access } = home;
    const { userId, tokenId } = await access.run(addAnna());
    for (const [text, expiresAt] of [
      ["a", AT],
      ["b", AT + 1],
      ["c", AT + 2],
      ["d", AT + 3],
    ] as const)
      await access.run(oauth.addCode(codeOf(userId, text, expiresAt)));
    for (const text of ["a", "b"]) await access.run(oauth.setCodeToken(hashOf(text), tokenId));
    await access.run(oauth.removeOldCodes(AT + 2, AT));
    const left = [];
    for (const text of ["a", "b", "c", "d"])
      left.push((await access.run(oauth.findCode(hashOf(text)))) !== null);
    expect(left).toEqual([false, true, false, true]);
  });

  test("a client has one grant of a user, and a token belongs to one grant", async () => {
    await using home = await open();
    const { access } = home;
    const { userId, tokenId } = await access.run(addAnna());
    const second = (await access.run(addToken(userId))) ?? 0;
    expect(await access.run(oauth.findGrant(userId, "client"))).toBeNull();
    await access.run(oauth.setGrant(userId, "client", tokenId));
    await access.run(oauth.setGrant(userId, "client", second));
    const grant = { clientId: "client", tokenId: second };
    expect(await access.run(oauth.findGrant(userId, "client"))).toEqual(grant);
    expect(await access.run(oauth.findGrantOfToken(second))).toEqual(grant);
    expect(await access.run(oauth.findGrantOfToken(tokenId))).toBeNull();
    expect(await access.run(oauth.findGrant(userId, "other"))).toBeNull();
  });
}

/** Stores the counters of a token whose calls were all made at `now`. */
function countCalls(tokenId: number, now: number, calls: number): Work<number> {
  return runStatement(
    `INSERT INTO usage (token_id, day, day_used, hour, hour_used, last_used_at)
     VALUES ($tokenId, $day, $calls, $hour, $calls, $now)`,
    { tokenId, ...windowsAt(now), calls, now },
  );
}

/** Stores a closed hour. */
function addHour(tokenId: number, hour: number, calls: number, denied: number): Work<number> {
  return runStatement(
    `INSERT INTO usage_hours (token_id, hour, calls, denied)
     VALUES ($tokenId, $hour, $calls, $denied)`,
    { tokenId, hour, calls, denied },
  );
}

function describeUsage(open: Open): void {
  test("counts in the day and the hour of the last call", async () => {
    await using home = await open();
    const { access } = home;
    const { tokenId } = await access.run(addAnna());
    const { day, hour } = windowsAt(AT);
    const none = { day, dayUsed: 0, hour, hourUsed: 0 };
    expect(await access.run(getUsage(tokenId, AT))).toEqual(none);
    await access.run(countCalls(tokenId, AT, 7));
    const counted = { day, dayUsed: 7, hour, hourUsed: 7 };
    expect(await access.run(getUsage(tokenId, AT))).toEqual(counted);
    expect(await access.run(tokens.findToken(tokenId))).toMatchObject({
      lastUsedAt: AT,
      usage: counted,
    });
    expect(await access.run(getUsage(tokenId, AT + DAY / 24))).toEqual({
      ...counted,
      hour: hour + 1,
      hourUsed: 0,
    });
    expect((await access.run(getUsage(tokenId, AT + DAY))).dayUsed).toBe(0);
  });

  test("passes from an ended token to the next one, and its earlier hours stay in its history", async () => {
    await using home = await open();
    const { access, other } = home;
    const { userId, tokenId } = await access.run(addAnna());
    const { day, hour } = windowsAt(AT);
    await access.run(countCalls(tokenId, AT, 7));
    const add = (createdAt: number, expiresAt: number | null = null) =>
      other.run(addToken(userId, { createdAt, expiresAt }));
    // The first one is live.
    const second = (await add(AT, AT + 5)) ?? 0;
    expect((await access.run(getUsage(second, AT))).dayUsed).toBe(0);
    await access.run(tokens.revokeToken(tokenId, AT));
    await access.run(countCalls(second, AT, 2));
    const third = (await add(AT)) ?? 0;
    expect(await access.run(getUsage(third, AT))).toEqual({ day, dayUsed: 7, hour, hourUsed: 7 });
    expect((await access.run(getUsage(tokenId, AT))).dayUsed).toBe(0);
    expect(await access.run(tokens.findToken(tokenId))).toMatchObject({ lastUsedAt: AT });
    expect(await access.run(tokens.findToken(third))).toMatchObject({ lastUsedAt: null });
    // The second one has expired an hour later.
    const later = AT + 3_600_000;
    const fourth = (await add(later)) ?? 0;
    expect(await access.run(getUsage(fourth, later))).toEqual({
      day,
      dayUsed: 2,
      hour: hour + 1,
      hourUsed: 0,
    });
    expect(await access.run(listHours("anna", hour, hour + 1))).toEqual([
      { tokenId: second, hour, calls: 2, denied: 0 },
      { tokenId: third, hour, calls: 7, denied: 0 },
    ]);
    const fifth = (await add(later)) ?? 0;
    expect((await access.run(getUsage(fifth, later))).dayUsed).toBe(0);
  });

  test("has the hours of a user's tokens with calls, the running one included", async () => {
    await using home = await open();
    const { access } = home;
    const { userId, tokenId } = await access.run(addAnna());
    const second = (await access.run(addToken(userId))) ?? 0;
    const foreign = (await access.run(addToken(await access.run(addUser("ben"))))) ?? 0;
    const { hour } = windowsAt(AT);
    for (const [id, ago, calls, denied] of [
      [second, 2, 5, 0],
      [tokenId, 2, 3, 1],
      [tokenId, 1, 0, 0],
      [tokenId, 0, 0, 4],
      [foreign, 2, 9, 9],
    ] as const) {
      await access.run(addHour(id, hour - ago, calls, denied));
    }
    await access.run(countCalls(tokenId, AT, 2));
    const all = [
      { tokenId, hour: hour - 2, calls: 3, denied: 1 },
      { tokenId: second, hour: hour - 2, calls: 5, denied: 0 },
      { tokenId, hour, calls: 2, denied: 4 },
    ];
    expect(await access.run(listHours("anna", hour - 2, hour))).toEqual(all);
    expect(await access.run(listHours("anna", hour - 1, hour + 1))).toEqual(all.slice(2));
    expect(await access.run(listHours("anna", hour - 9, hour - 3))).toEqual([]);
    expect(await access.run(listHours("ghost", 0, 10 ** 9))).toEqual([]);
    const day = Math.floor(hour / 24);
    const inHours = (first: number, last: number, to: number) =>
      access.run<unknown>(listUsageDays(first, last, hour - 2, to));
    const sums = { user: "anna", day };
    expect(await inHours(1, foreign, hour)).toEqual([
      { ...sums, tokenId, calls: 5, denied: 5 },
      { ...sums, tokenId: second, calls: 5, denied: 0 },
      { user: "ben", day, tokenId: foreign, calls: 9, denied: 9 },
    ]);
    expect(await inHours(tokenId, tokenId, hour - 1)).toEqual([
      { ...sums, tokenId, calls: 3, denied: 1 },
    ]);
  });

  test("has a history that is removed in parts", async () => {
    await using home = await open();
    const { access } = home;
    const { tokenId } = await access.run(addAnna());
    const foreign = (await access.run(addToken(await access.run(addUser("ben"))))) ?? 0;
    for (const id of [tokenId, foreign])
      for (const hour of [1, 2, 3, 4, 5]) await access.run(addHour(id, hour, 1, 0));
    const removed = [];
    for (let i = 0; i < 4; i++) removed.push(await access.run(removeHours("anna", 2)));
    expect(removed).toEqual([2, 2, 1, 0]);
    expect(await access.run(listHours("anna", 0, 9))).toEqual([]);
    expect(await access.run(listHours("ben", 0, 9))).toHaveLength(5);
  });
}

function describeTransactions(open: Open): void {
  test("return a value, and other processes see all of it", async () => {
    await using home = await open();
    const id = await home.access.transaction(function* () {
      yield* addUser("anna");
      return yield* addUser("ben");
    });
    expect((await home.access.run(users.findUser("ben")))?.id).toBe(id);
    const seen = await home.other.run(users.listUsers(AT));
    expect(seen.map(({ name }) => name)).toEqual(["anna", "ben"]);
  });

  test("are undone by an error of the work, which is thrown as it is", async () => {
    await using home = await open();
    const error = new BourseError("not_found", "nothing");
    const thrown = await thrownBy(() =>
      home.access.transaction(function* () {
        yield* addUser("anna");
        throw error;
      }),
    );
    expect(thrown).toBe(error);
    expect(await home.access.run(users.listUsers(AT))).toEqual([]);
    expect(home.access.toUserError(error)).toBe(error);
  });

  test("are undone by an error of a statement, and the next one works", async () => {
    await using home = await open();
    const thrown = await thrownBy(() =>
      home.access.transaction(function* () {
        yield* addUser("anna");
        yield* runStatement("INSERT INTO no_such_table VALUES (1)");
      }),
    );
    expect(thrown).toBeInstanceOf(Error);
    expect(await home.access.run(users.listUsers(AT))).toEqual([]);
    expect(await home.access.transaction(() => addUser("ben"))).toBeNumber();
  });

  test("give the error of a statement to the work", async () => {
    await using home = await open();
    const caught = await home.access.run(
      (function* (): Work<string> {
        try {
          yield* runStatement("INSERT INTO no_such_table VALUES (1)");
          return "no error";
        } catch (error) {
          return error instanceof Error ? "an error" : "something else";
        }
      })(),
    );
    expect(caught).toBe("an error");
  });

  test("do not mix: of many that read and then write, none loses the write of another", async () => {
    await using home = await open();
    await home.access.run(addUser("anna"));
    const increment = function* (): Work<void> {
      const user = yield* users.findUser("anna");
      const count = user?.plan === "free" ? 0 : Number(user?.plan);
      yield* users.setPlan("anna", String(count + 1));
    };
    await Promise.all(
      Array.from({ length: 20 }, async (_, i) =>
        (i % 2 === 0 ? home.access : home.other).transaction(increment),
      ),
    );
    expect((await home.access.run(users.findUser("anna")))?.plan).toBe("20");
  });
}

async function expectOneLinkSecret(open: Open): Promise<void> {
  await using home = await open();
  await using foreign = await open();
  const secret = await home.access.linkSecret();
  expect(secret).toHaveLength(32);
  expect(await home.other.linkSecret()).toEqual(secret);
  expect(await home.access.linkSecret()).toEqual(secret);
  expect(await foreign.access.linkSecret()).not.toEqual(secret);
}

function describeVersion(open: Open): void {
  const changes: readonly [string, (userId: number, tokenId: number) => Work<unknown>][] = [
    ["a new user", () => addUser("ben")],
    ["a new token", (userId) => addToken(userId)],
    ["a plan", () => users.setPlan("anna", "max")],
    ["a revoked token", (_, tokenId) => tokens.revokeToken(tokenId, AT)],
    ["a removed user", () => users.removeUser("anna")],
  ];

  test.each(changes)("changes at once with %s of this process", async (_, change) => {
    await using home = await open();
    const { access } = home;
    const { userId, tokenId } = await access.transaction(addAnna);
    const before = access.version();
    await access.transaction(() => change(userId, tokenId));
    expect(access.version()).not.toBe(before);
  });

  test.each(changes)("changes soon with %s of another process", async (_, change) => {
    await using home = await open();
    const { access, other } = home;
    const { userId, tokenId } = await access.transaction(addAnna);
    const before = access.version();
    await other.transaction(() => change(userId, tokenId));
    // SQLite shows it in the next turn of the event loop, Postgres by a notification.
    while (access.version() === before) await nextTurn();
  });

  test("is the same while users and tokens stay as they are", async () => {
    await using home = await open();
    const { access } = home;
    const before = access.version();
    await access.run(users.findUser("anna"));
    await access.transaction(() =>
      addAuditEntry({ at: AT, actor: "anna", action: "sign-in", subject: "", address: null }),
    );
    expect(access.version()).toBe(before);
  });
}

/** What `work` throws; undefined if it throws nothing. */
async function thrownBy(work: () => unknown): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  return undefined;
}
