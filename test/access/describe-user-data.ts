import { describe, expect, test } from "bun:test";
import { Accounts } from "#access/accounts.ts";
import { type Actor, COMMAND_LINE } from "#access/audit.ts";
import { UserData } from "#access/user-data.ts";
import type { ListItem } from "#domain/user-list.ts";
import { listAlertStates, putAlertState } from "#store/alerts.ts";
import { listAuditEntries } from "#store/audit.ts";
import { removeDocuments } from "#store/user-documents.ts";
import { findUser } from "#store/users.ts";
import { runStatement } from "#store/work.ts";
import type { AccessHome } from "../store/describe-access-store.ts";
import { expectError } from "../support/error.ts";

const AT = Date.parse("2026-11-20T17:30:00.123Z");

/** Items of instruments that no market needs to know, all with the same note. */
const itemsOf = (count: number, note = "a"): ListItem[] =>
  Array.from({ length: count }, (_, i) => ({ country: "JP", symbol: String(1_000 + i), note }));

/** A store with the users anna and ben, and their data on both of its connections. */
async function openUsers(open: () => Promise<AccessHome>) {
  const home = await open();
  const time = { now: AT };
  const clock = () => time.now;
  const accounts = new Accounts({ access: home.access, clock, actor: COMMAND_LINE });
  for (const name of ["anna", "ben"]) await accounts.addUser(name, "max");
  const dataOf = (
    user: string,
    access = home.access,
    actor: Actor = { name: user, address: "::1" },
  ) => new UserData({ access, clock, user, actor });
  return {
    access: home.access,
    time,
    accounts,
    dataOf,
    anna: dataOf("anna"),
    ben: dataOf("ben"),
    /** The data of anna on the other connection. */
    elsewhere: dataOf("anna", home.other),
    /** The newest entries of the audit log, oldest first. */
    async logged(limit: number) {
      const entries = await home.access.run(listAuditEntries({ limit }));
      return entries
        .map(({ at, actor, action, subject, address }) => ({ at, actor, action, subject, address }))
        .toReversed();
    },
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

/** The laws of the lists, screens and settings of users. `open` opens a new, empty store for each test. */
export function describeUserData(name: string, open: () => Promise<AccessHome>): void {
  describe(`the data of a user in ${name}`, () => {
    describeDocuments(open);
    describeRemoval(open);
    describeLimits(open);
    describeAlerts(open);
    describeWriters(open);
  });
}

function describeDocuments(open: () => Promise<AccessHome>): void {
  test("comes back as it was saved, by name and in the order of its items", async () => {
    await using users = await openUsers(open);
    const { anna, time } = users;
    const items: ListItem[] = [
      { country: "VN", symbol: "FPT", shares: -1.5 },
      { country: "US", symbol: "BRK.B", weight: 40.25, note: `'; DROP "x" -- 株 👩‍👩‍👧 \\ $1 {}` },
      { country: "JP", symbol: "7203" },
    ];
    expect(await anna.save("list", { name: "semis", items })).toEqual({
      name: "semis",
      isNew: true,
      changedAt: AT,
    });
    time.now += 5;
    await anna.save("list", { name: "a-2", items: [] });
    await anna.save("screen", { name: "semis", countries: ["JP"], where: "pe<15" });
    expect(await anna.list("list")).toEqual([
      { name: "a-2", items: 0, changedAt: AT + 5 },
      { name: "semis", items: 3, changedAt: AT },
    ]);
    expect(await anna.list("screen")).toEqual([{ name: "semis", items: 0, changedAt: AT + 5 }]);
    expect(await anna.get("list", "semis")).toEqual({
      value: { name: "semis", items },
      changedAt: AT,
    });
    expect((await anna.get("screen", "semis")).value.where).toBe("pe<15");
    // Letter case, spaces and hyphens do not matter.
    expect((await anna.get("list", " A 2")).value.name).toBe("a-2");
    expect(await anna.remove("list", "Semis")).toBe("semis");
    expect((await anna.list("list")).map((one) => one.name)).toEqual(["a-2"]);
    expect(await anna.list("screen")).toHaveLength(1);
  });

  test("has a title in any language beside its name, on one line", async () => {
    await using users = await openUsers(open);
    const { anna } = users;
    // As JSON, the last one is twice as long.
    for (const title of ['半導体 "2" \\', '"'.repeat(60)]) {
      await anna.save("list", { items: itemsOf(2), name: "a", title });
      await anna.save("screen", { countries: ["JP"], where: "", name: "s", title });
      expect(await anna.list("list")).toMatchObject([{ name: "a", title }]);
      expect(await anna.list("screen")).toMatchObject([{ name: "s", title }]);
      expect((await anna.get("list", title)).value.name).toBe("a");
      expect((await anna.get("screen", ` ${title} `)).value.name).toBe("s");
    }
    for (const title of ["", "a".repeat(61), "a\nb", "a\u202eb", " a"]) {
      const save = () => anna.save("list", { name: "a", title, items: [] });
      expect((await expectError(save, "invalid_argument")).message).toContain("title");
    }
    // Without a title, no text of another script means a list.
    await anna.save("list", { name: "b", items: [] });
    for (const name of ["株", " "]) await expectError(() => anna.get("list", name), "not_found");
  });

  test("is in the audit log with each change, and not with a save that changes nothing", async () => {
    await using users = await openUsers(open);
    const { anna, ben, time } = users;
    const list = { name: "semis", items: itemsOf(2) };
    await anna.save("list", list);
    time.now += 1_000;
    expect(await anna.save("list", list)).toEqual({ name: "semis", isNew: false, changedAt: AT });
    await anna.save("list", { name: "semis", items: [] });
    await anna.remove("list", "semis");
    await users.dataOf("ben", users.access, COMMAND_LINE).save("screen", {
      name: "cheap",
      countries: ["US"],
      where: "",
    });
    await ben.saveSettings({ theme: "dark" });
    const by = { actor: "anna", address: "::1" };
    expect(await users.logged(5)).toEqual([
      { at: AT, ...by, action: "list saved", subject: "list semis of anna (2 items)" },
      { at: AT + 1_000, ...by, action: "list saved", subject: "list semis of anna (0 items)" },
      { at: AT + 1_000, ...by, action: "list deleted", subject: "list semis of anna" },
      {
        at: AT + 1_000,
        actor: "command line",
        address: null,
        action: "screen saved",
        subject: "screen cheap of ben",
      },
      {
        at: AT + 1_000,
        actor: "ben",
        address: "::1",
        action: "settings saved",
        subject: "settings of ben",
      },
    ]);
  });

  test("has its newest 1,000 changes of each user in the audit log, beside all other entries", async () => {
    await using users = await openUsers(open);
    const { anna, ben, access } = users;
    await ben.saveSettings({ theme: "dark" });
    const before = await users.logged(9);
    await access.run(
      runStatement(
        `INSERT INTO audit (at, actor, action, subject)
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
         SELECT ${AT}, 'anna', CASE WHEN i % 2 = 0 THEN 'list saved' ELSE 'settings saved' END, CAST(i AS TEXT) FROM n`,
      ),
    );
    await anna.saveSettings({ theme: "light" });
    const after = await users.logged(5_000);
    expect(after.slice(0, before.length)).toEqual(before);
    const kept = after.slice(before.length);
    expect(kept).toHaveLength(1_000);
    // 1,201 in all: the first 201 are gone.
    expect([kept[0]?.subject, kept.at(-1)?.subject]).toEqual(["202", "settings of anna"]);
  });

  test("is not changed without its entry in the audit log", async () => {
    await using users = await openUsers(open);
    const { anna } = users;
    await anna.save("list", { name: "kept", items: itemsOf(1) });
    await users.access.run(runStatement("ALTER TABLE audit RENAME TO elsewhere"));
    const works = [
      async () => anna.save("list", { name: "kept", items: [] }),
      async () => anna.remove("list", "kept"),
    ];
    for (const work of works) {
      const [outcome] = await Promise.allSettled([work()]);
      expect(outcome.status).toBe("rejected");
    }
    await users.access.run(runStatement("ALTER TABLE elsewhere RENAME TO audit"));
    expect((await anna.get("list", "kept")).value.items).toEqual(itemsOf(1));
  });

  test("is seen by its user only", async () => {
    await using users = await openUsers(open);
    await users.anna.save("list", { name: "semis", items: itemsOf(1) });
    await users.anna.saveSettings({ language: "ja" });
    expect(await users.ben.list("list")).toEqual([]);
    expect(await users.ben.settings()).toEqual({});
    for (const work of [
      () => users.ben.get("list", "semis"),
      () => users.ben.remove("list", "semis"),
    ]) {
      const error = await expectError(work, "not_found");
      expect([error.message, error.details.allowed]).toEqual(["ben has no list semis.", []]);
    }
    expect(await users.anna.list("list")).toHaveLength(1);
  });

  test("that does not exist is named with the closest name and how to see all", async () => {
    await using users = await openUsers(open);
    for (const name of ["semis", "banks"])
      await users.anna.save("list", { name, items: itemsOf(1) });
    const error = await expectError(() => users.anna.get("list", "Semi"), "not_found");
    expect(error.message).toBe("anna has no list semi (is it semis?).");
    expect(error.details).toEqual({ allowed: ["banks", "semis"], hint: "get_lists names all." });
    const byCommand = users.dataOf("anna", users.access, COMMAND_LINE);
    expect((await expectError(() => byCommand.remove("list", "x"), "not_found")).details.hint).toBe(
      "`list show --user anna` names all.",
    );
    await users.anna.save("channel", {
      name: "phone",
      kind: "ntfy",
      url: "https://ntfy.example.com/x",
    });
    const channel = await expectError(() => byCommand.remove("channel", "fone"), "not_found");
    expect(channel.details.hint).toBe("`channel list --user anna` names all.");
  });

  test("goes with the user, and a new user of that name has none", async () => {
    await using users = await openUsers(open);
    await users.anna.save("list", { name: "semis", items: itemsOf(3) });
    await users.anna.save("screen", { name: "cheap", countries: ["US"], where: "pe<9" });
    await users.anna.saveSettings({ density: "compact" });
    await users.ben.save("list", { name: "banks", items: itemsOf(1) });
    await users.accounts.removeUser("anna");
    const left = await users.access.run(
      runStatement("UPDATE user_documents SET items = items WHERE name <> 'banks'"),
    );
    expect(left).toBe(0);
    for (const work of [
      () => users.anna.list("list"),
      () => users.anna.save("list", { name: "semis", items: [] }),
      () => users.anna.saveSettings({}),
    ])
      expect((await expectError(work, "not_found")).message).toContain("There is no user anna");
    await users.accounts.addUser("anna", "free");
    expect([await users.anna.list("list"), await users.anna.settings()]).toEqual([[], {}]);
    expect(await users.ben.list("list")).toHaveLength(1);
  });
}

function describeRemoval(open: () => Promise<AccessHome>): void {
  test("is removed with its user in slices, and that of other users remains", async () => {
    await using users = await openUsers(open);
    for (const data of [users.anna, users.ben]) {
      for (let i = 0; i < 25; i++) await data.save("list", { name: `n-${i}`, items: [] });
      await data.saveSettings({ theme: "dark" });
    }
    const removed = [];
    for (let i = 0; i < 4; i++) removed.push(await users.access.run(removeDocuments("anna", 10)));
    expect(removed).toEqual([10, 10, 6, 0]);
    expect(await users.ben.list("list")).toHaveLength(25);
    await users.accounts.removeUserInSlices("ben");
    expect(await users.access.run(removeDocuments("ben", 1))).toBe(0);
    expect((await expectError(() => users.ben.list("list"), "not_found")).message).toContain("ben");
  });
}

function describeLimits(open: () => Promise<AccessHome>): void {
  test.each([
    ["list", 100],
    ["screen", 200],
    ["alert", 500],
    ["channel", 10],
  ] as const)("has at most so many of the kind %s: %d", async (kind, most) => {
    await using users = await openUsers(open);
    const { anna, elsewhere, ben } = users;
    const values = {
      list: (name: string) => ({ name, items: itemsOf(1, name) }),
      screen: (name: string) => ({ name, countries: ["US" as const], where: "" }),
      alert: (name: string) => ({ name, ...rule, to: [], since: SINCE }),
      channel: (name: string) => ({ name, kind: "ntfy" as const, url: "https://n.example/a" }),
    };
    const save = (data: UserData, name: string) => data.save(kind, values[kind](name));
    for (let i = 1; i < most; i++) await save(anna, `n-${i}`);
    // Of two writers at once, only one gets the last place.
    const both = await Promise.allSettled(
      [anna, elsewhere].map(async (data, i) => save(data, `last-${i}`)),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const error = await expectError(() => save(anna, "more"), "invalid_argument");
    expect(error.message).toBe(
      `anna has ${most} ${kind}s, as many as a user may have. Delete one first, or save under the name of an existing one, which it replaces.`,
    );
    expect(await anna.list(kind)).toHaveLength(most);
    // An existing one can still be replaced, and another user has places of their own.
    expect((await save(anna, "n-1")).isNew).toBe(false);
    expect((await save(ben, "n-1")).isNew).toBe(true);
    await anna.remove(kind, "n-2");
    expect((await save(anna, "more")).isNew).toBe(true);
  });

  test("has at most 1,000 items in a list", async () => {
    await using users = await openUsers(open);
    await users.anna.save("list", { name: "long", items: itemsOf(1_000) });
    const work = () => users.anna.save("list", { name: "long", items: itemsOf(1_001) });
    expect((await expectError(work, "invalid_argument")).message).toBe(
      "The field items of the list is invalid. At most 1000 instruments, in order.",
    );
    expect(await users.anna.list("list")).toMatchObject([{ name: "long", items: 1_000 }]);
  });
}

const rule = { when: "price<380", watch: "US:AAPL", repeat: "again", to: [] } as const;
const SINCE = "2026-11-20";

function describeAlerts(open: () => Promise<AccessHome>): void {
  const states = async (users: Awaited<ReturnType<typeof openUsers>>) => {
    const { id } = (await users.access.run(findUser("anna"))) ?? { id: 0 };
    const put = (alert: string, about: string) =>
      users.access.run(putAlertState({ userId: id, alert, about, json: "{}" }, 1));
    const list = async () =>
      (await users.access.run(listAlertStates("anna"))).map(({ alert, about }) =>
        `${alert} ${about}`.trim(),
      );
    return { put, list };
  };

  test("a rule that watches something else begins again, and one with another title goes on", async () => {
    await using users = await openUsers(open);
    const { anna } = users;
    const { put, list } = await states(users);
    const low = { name: "low", ...rule, to: [], since: SINCE };
    const other = { ...low, name: "other" };
    const changes = [
      { ...low, when: "price<370" },
      { ...low, watch: "US:MSFT" },
      { ...low, repeat: "once" as const },
    ];
    for (const changed of changes) {
      await anna.save("alert", low);
      await anna.save("alert", other);
      for (const name of ["low", "other"]) await put(name, "US:AAPL");
      await anna.save("alert", { ...low, title: "Cheap", quiet: "22:00-07:00" });
      expect(await list()).toEqual(["low US:AAPL", "other US:AAPL"]);
      await anna.save("alert", changed);
      expect(await list()).toEqual(["other US:AAPL"]);
    }
    await anna.remove("alert", "other");
    expect(await list()).toEqual([]);
    expect((await anna.all("alert")).map(({ value }) => value.name)).toEqual(["low"]);
    const log = await users.access.run(listAuditEntries({ limit: 1 }));
    expect(log[0]).toMatchObject({ action: "alert deleted", subject: "alert other of anna" });
  });

  test("a thesis begins again with another condition, and goes with its item and its list", async () => {
    await using users = await openUsers(open);
    const { anna } = users;
    const { put, list } = await states(users);
    const item = (symbol: string, condition: string, text = "Stays strong.") =>
      ({ country: "US", symbol, thesis: { text, while: condition } }) as const;
    const name = "mine";
    await anna.save("list", { name, items: [item("A", "roe>25"), item("B", "roe>9")] });
    for (const about of ["US:A", "US:B"]) await put("list:mine", about);
    await put("mine", "US:A");
    const kept = [item("A", "roe>25", "New words."), item("B", "roe>10"), item("C", "pe<9")];
    await anna.save("list", { name, items: kept });
    expect(await list()).toEqual(["list:mine US:A", "mine US:A"]);
    await put("list:mine", "US:B");
    await anna.save("list", { name, items: kept.slice(0, 1) });
    expect(await list()).toEqual(["list:mine US:A", "mine US:A"]);
    await anna.remove("list", name);
    expect(await list()).toEqual(["mine US:A"]);
  });

  test.each([
    [{ when: "price\n<380" }, "several lines"],
    [{ title: "a\u0007" }, "invisible characters"],
    [{ watch: "AAPL" }, "The field watch of the alert is invalid. An instrument or a list"],
    [{ quiet: "22-07" }, "Hours without deliveries"],
    [{ to: ["a", "a"] }, "at most 10 channels"],
    [{ repeat: "twice" }, "One of once, again."],
  ])("refuses the rule %p", async (wrong, why) => {
    await using users = await openUsers(open);
    const alert = { name: "low", ...rule, to: [], since: SINCE, ...wrong };
    const work = () => users.anna.save("alert", alert as never);
    expect((await expectError(work, "invalid_argument")).message).toContain(why);
  });

  test.each([
    [{ kind: "mail", url: "https://a.example" }, "takes address, and no url"],
    [{ kind: "ntfy", address: "a@b.example" }, "takes url, and no address"],
    [{ kind: "webhook" }, "takes url"],
    [{ kind: "mail", address: "a@b@c" }, "The field address of the channel is invalid."],
    [{ kind: "webhook", url: "ftp://a.example" }, "The field url of the channel is invalid."],
  ])("refuses the channel %p", async (wrong, why) => {
    await using users = await openUsers(open);
    const work = () => users.anna.save("channel", { name: "c", ...wrong } as never);
    expect((await expectError(work, "invalid_argument")).message).toContain(why);
  });
}

function describeWriters(open: () => Promise<AccessHome>): void {
  test("is made of what is stored, with no other writer in between", async () => {
    await using users = await openUsers(open);
    const add = async (data: UserData, symbol: string) =>
      data.replace("list", "mine", (before) => ({
        name: "mine",
        items: [...(before?.items ?? []), { country: "JP", symbol }],
      }));
    const numbers = Array.from({ length: 10 }, (_, i) => i);
    await Promise.all(numbers.map((i) => add(i % 2 === 0 ? users.anna : users.elsewhere, `${i}`)));
    const { items } = (await users.anna.get("list", "mine")).value;
    expect(items.map(({ symbol }) => symbol).toSorted()).toEqual(numbers.map(String));
    const twice = () => add(users.anna, "3");
    expect((await expectError(twice, "invalid_argument")).message).toContain(
      "JP:3 is in the list twice",
    );
    expect(await users.anna.list("list")).toMatchObject([{ items: 10 }]);
  });

  test("is that of the last of two writers, whole", async () => {
    await using users = await openUsers(open);
    const writers = [users.anna, users.elsewhere];
    for (let round = 0; round < 5; round++) {
      const lengths = [300 + round, 20 + round];
      await Promise.all(
        writers.map(async (data, i) =>
          data.save("list", { name: "mine", items: itemsOf(lengths[i] ?? 0, `writer ${i}`) }),
        ),
      );
      const { value } = await users.elsewhere.get("list", "mine");
      const [note] = new Set(value.items.map((item) => item.note));
      const writer = note === "writer 0" ? 0 : 1;
      expect(value.items).toEqual(itemsOf(lengths[writer] ?? 0, `writer ${writer}`));
      expect(await users.anna.list("list")).toMatchObject([{ items: lengths[writer] }]);
      const [last] = await users.logged(1);
      expect(last?.subject).toBe(`list mine of anna (${lengths[writer]} items)`);
    }
  });
}
