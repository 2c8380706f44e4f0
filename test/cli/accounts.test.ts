import { describe, expect, test } from "bun:test";
import { COMMAND_LINE } from "#access/audit.ts";
import { PLANS } from "#access/plans.ts";
import { UserData } from "#access/user-data.ts";
import { openAccess } from "#store/index.ts";
import { listTokens } from "#store/tokens.ts";
import { openFolder } from "../support/access.ts";
import { expectFailure, openUsers, runOn } from "../support/cli.ts";
import { START } from "../support/service.ts";

/** The list that a command prints with `--json`. */
async function listOf(folder: string, ...argv: string[]): Promise<Record<string, unknown>[]> {
  const { code, stdout, stderr } = await runOn(folder, ...argv, "--json");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^[^\n]+\n$/);
  return JSON.parse(stdout) as Record<string, unknown>[];
}

const MOMENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\dZ$/) as unknown as string;

describe("user", () => {
  test("add, plan, list and remove", async () => {
    using folder = openFolder();
    expect(await runOn(folder.path, "user", "add", "anna")).toEqual({
      code: 0,
      stdout: "",
      stderr: "Added the user anna with plan free.\n",
    });
    await runOn(folder.path, "user", "add", "ben", "--plan", "MAX");
    expect(await runOn(folder.path, "user", "plan", "anna", "PRO")).toEqual({
      code: 0,
      stdout: "",
      stderr: "anna has plan pro now.\n",
    });
    expect(await listOf(folder.path, "user", "list")).toEqual([
      {
        name: "anna",
        role: "admin",
        plan: "pro",
        liveTokens: 0,
        callsToday: 0,
        callsThisHour: 0,
        created: MOMENT,
      },
      {
        name: "ben",
        role: "user",
        plan: "max",
        liveTokens: 0,
        callsToday: 0,
        callsThisHour: 0,
        created: MOMENT,
      },
    ]);
    expectFailure(
      await runOn(folder.path, "user", "remove", "anna"),
      "anna is the only admin",
      "give --yes",
    );
    expect((await runOn(folder.path, "user", "remove", "anna", "--yes")).code).toBe(0);
    expect(await listOf(folder.path, "user", "list")).toHaveLength(1);
  });

  test("list prints a table of all users, or only its headings if there are no users", async () => {
    using folder = openFolder();
    expect(await runOn(folder.path, "user", "list")).toEqual({
      code: 0,
      stdout: "USER  ROLE  PLAN  LIVE TOKENS  TODAY  THIS HOUR  CREATED\n",
      stderr: "",
    });
    expect(await listOf(folder.path, "user", "list")).toEqual([]);
    await runOn(folder.path, "user", "add", "anna");
    const { stdout } = await runOn(folder.path, "user", "list");
    expect(stdout).toMatch(
      /^USER .*\nanna  admin  free {2,}0 +0 +0  \d{4}-\d\d-\d\dT\d\d:\d\dZ\n$/,
    );
  });

  test("plan prints how many live tokens exceed the new plan", async () => {
    using folder = await openUsers("anna --plan pro");
    for (let i = 0; i < 3; i++) await folder.run("token", "create", "anna");
    const { code, stderr } = await folder.run("user", "plan", "anna", "free");
    expect(code).toBe(0);
    expect(stderr).toContain("anna holds 2 live tokens more than plan free allows");
  });

  test("a mistake is reported in one sentence", async () => {
    using folder = await openUsers("anna");
    const on = folder.run;
    expectFailure(await on("user", "add", "anna"), "exists already", "user plan anna");
    expectFailure(await on("user", "add", "a b"), "name");
    expectFailure(
      await on("user", "add", "ben", "--plan", "gold"),
      "free, pro, max, unlimited",
      "gold",
    );
    expectFailure(await on("user", "plan", "anna", "gold"), "free, pro, max, unlimited", "gold");
    expectFailure(await on("user", "plan", "ghost", "pro"), "no user ghost");
    expectFailure(await on("user", "remove", "ghost"), "no user ghost");
    expect(await listOf(folder.path, "user", "list")).toHaveLength(1);
  });
});

describe("token", () => {
  test("create prints only the token on stdout, and everything else on stderr", async () => {
    using folder = await openUsers("anna");
    const { code, stdout, stderr } = await folder.run("token", "create", "anna");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^bourse_[0-9A-Za-z]{39}\n$/);
    expect(stderr).toContain("Token 1 of anna");
    expect(stderr).not.toContain(stdout.slice(0, 15));
  });

  test("rename and replace keep one token in use, and print only the new secret on stdout", async () => {
    using folder = await openUsers("anna");
    const first = (await folder.run("token", "create", "anna", "--name", "old")).stdout.trim();
    expect((await folder.run("token", "rename", "1", "laptop")).stderr).toBe(
      "Token 1 is now named laptop.\n",
    );
    // Two live tokens for a day are one more than plan free allows.
    const full = await folder.run("token", "replace", "1", "--keep", "24h");
    expectFailure(full, "as many as plan free allows");
    await folder.run("user", "plan", "anna", "PRO");
    const kept = await folder.run("token", "replace", "1", "--keep", "24h");
    expect(kept.stdout).toMatch(/^bourse_[^\n]+\n$/);
    expect(kept.stdout.trim()).not.toBe(first);
    expect(kept.stderr).toContain("Token 2 replaces token 1, which ends at ");
    const now = await folder.run("token", "replace", "2");
    expect(now.stderr).toContain("Token 3 replaces token 2, which has ended.");
    expect(await listOf(folder.path, "token", "list")).toMatchObject([
      { id: 1, label: "laptop (old)", expires: MOMENT, revoked: null },
      { id: 2, label: "laptop", expires: null, revoked: MOMENT },
      { id: 3, label: "laptop", expires: null, revoked: null },
    ]);
    for (const argv of [
      ["rename", "9", "x"],
      ["replace", "9"],
      ["replace", "2"],
      ["replace", "x"],
    ]) {
      expect((await folder.run("token", ...argv)).code).not.toBe(0);
    }
    expect((await folder.run("token", "replace", "3", "--keep", "soon")).stderr).toContain(
      "--keep",
    );
  });

  test("create --feed makes a feed link, which has a place of its own beside the token", async () => {
    using folder = await openUsers("anna");
    for (const flags of [[], ["--feed"]]) {
      const { stdout, stderr } = await folder.run("token", "create", "anna", ...flags);
      expect(stdout).toStartWith(flags.length > 0 ? "bourse_feed_" : "bourse_");
      expect(stderr.includes("/feed/LINK/sheets/quotes.csv?symbols=")).toBe(flags.length > 0);
      expect(stderr).not.toContain(stdout.trim());
    }
    const kinds = (await listOf(folder.path, "token", "list")) as { kind?: unknown }[];
    expect(kinds.map(({ kind }) => kind)).toEqual(["api", "feed"]);
  });

  test("list shows id, prefix, label, created, expires, last used and revoked, never a secret", async () => {
    using folder = await openUsers("anna --plan pro", "ben");
    const create = async (...argv: string[]) =>
      (await folder.run("token", "create", ...argv)).stdout.trim();
    const tokens = [
      await create("anna", "--name", "laptop", "--expires", "90d"),
      await create("anna"),
      await create("ben", "--name", "ci"),
    ];
    expect((await folder.run("token", "revoke", "2")).code).toBe(0);

    const list = await listOf(folder.path, "token", "list");
    const common = {
      rights: "read",
      lists: "*",
      callsToday: 0,
      callsThisHour: 0,
      created: MOMENT,
      expires: null,
      lastUsed: null,
      revoked: null,
      asOf: null,
    };
    const prefixes = tokens.map((token) => token.slice(0, 15));
    expect(list).toEqual([
      {
        id: 1,
        user: "anna",
        prefix: prefixes[0],
        kind: "api",
        label: "laptop",
        ...common,
        expires: MOMENT,
      },
      {
        id: 2,
        user: "anna",
        prefix: prefixes[1],
        kind: "api",
        label: "",
        ...common,
        revoked: MOMENT,
      },
      { id: 3, user: "ben", prefix: prefixes[2], kind: "api", label: "ci", ...common },
    ]);
    expect(await listOf(folder.path, "token", "list", "ben")).toEqual(list.slice(2));

    const table = await folder.run("token", "list");
    const json = await folder.run("token", "list", "--json");
    expect(table.stdout.split("\n")).toHaveLength(5);
    expect(table.stdout).toStartWith("ID  USER");
    for (const token of tokens) {
      expect(table.stdout).toContain(token.slice(0, 15));
      expect(table.stdout + json.stdout).not.toContain(token.slice(0, 16));
    }
  });

  test("--write-lists gives the right, which lists show; a feed link cannot have it", async () => {
    using folder = await openUsers("anna --plan pro");
    const { stdout } = await folder.run("token", "create", "anna", "--write-lists");
    expect(stdout).toMatch(/^bourse_\w+\n$/);
    expect(await listOf(folder.path, "token", "list")).toMatchObject([
      { rights: "read lists:write" },
    ]);
    const refused = await folder.run("token", "create", "anna", "--feed", "--write-lists");
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain("A feed link only reads");
  });

  test("--as-of puts a token in a past day, which lists show; a replacement stays in it", async () => {
    using folder = await openUsers("anna --plan pro");
    const create = (...flags: string[]) => folder.run("token", "create", "anna", ...flags);
    const { stderr } = await create("--as-of", "2023-03-31");
    expect(stderr).toContain("It is in 2023-03-31.");
    await create("--feed", "--as-of", "2020-02-29");
    await folder.run("token", "replace", "1");
    expect(await listOf(folder.path, "token", "list")).toMatchObject([
      { kind: "api", asOf: "2023-03-31", revoked: MOMENT },
      { kind: "feed", asOf: "2020-02-29" },
      { kind: "api", asOf: "2023-03-31", revoked: null },
    ]);
    expect((await folder.run("token", "list")).stdout).toMatch(/AS OF\n.*2023-03-31\n/);
  });

  test.each([
    [["--as-of", "2023-02-29"], "must be today, 2026-11-20, or an earlier date"],
    [["--as-of", "2026-11-21"], "must be today"],
    [["--as-of", ""], "must be today"],
    [["--as-of", "2023-03-31", "--write-lists"], "neither reads nor changes lists"],
  ])("a token %p is refused", async (flags, words) => {
    using folder = await openUsers("anna --plan pro");
    const refused = await folder.run("token", "create", "anna", ...flags);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain(words);
    expect(await listOf(folder.path, "token", "list")).toEqual([]);
  });

  test("--lists names the lists that a feed link reads", async () => {
    using folder = await openUsers("anna --plan pro");
    const access = openAccess(folder.path);
    const data = new UserData({ access, clock: () => START, user: "anna", actor: COMMAND_LINE });
    for (const name of ["semis", "watch"]) await data.save("list", { name, items: [] });
    access.close();
    const create = (...flags: string[]) => folder.run("token", "create", "anna", ...flags);
    await create("--feed", "--lists", "semis,watch");
    await create("--feed");
    expect(await listOf(folder.path, "token", "list")).toMatchObject([
      { kind: "feed", lists: "semis watch" },
      { kind: "feed", lists: "" },
    ]);
    const unknown = await create("--feed", "--lists", "semi");
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain("anna has no list semi (is it semis?).");
    expect((await create("--lists", "semis")).stderr).toContain("Make a feed link");
  });

  test.each([
    ["12h", 12 * 3_600_000],
    ["90d", 90 * 86_400_000],
    ["8w", 8 * 7 * 86_400_000],
    // To 20 February and 20 November 2027: 30 + 31 + 31 and 365 days from 20 November 2026.
    ["3m", (10 + 31 + 31 + 20) * 86_400_000],
    ["1y", 365 * 86_400_000],
  ])("--expires %s is that long from now", async (written, lifetimeMs) => {
    using folder = await openUsers("anna");
    expect((await folder.run("token", "create", "anna", "--expires", written)).code).toBe(0);
    const access = openAccess(folder.path);
    const [token] = access.run(listTokens("anna"));
    access.close();
    expect((token?.expiresAt ?? 0) - (token?.createdAt ?? 0)).toBe(lifetimeMs);
  });

  test("--expires with a date lasts to the end of that day in UTC", async () => {
    using folder = await openUsers("anna --plan pro");
    const create = (date: string) => folder.run("token", "create", "anna", "--expires", date);
    // The commands run on 2026-11-20 at 17:30 UTC.
    expect((await create("2027-01-31")).stderr).toContain("It expires at 2027-02-01T00:00Z.");
    expect((await create("2026-11-20")).stderr).toContain("It expires at 2026-11-21T00:00Z.");
    expectFailure(await create("2026-11-19"), "--expires 2026-11-19 is in the past.");
    expect(await listOf(folder.path, "token", "list")).toHaveLength(2);
  });

  test("list and user list show the calls of this day and this hour", async () => {
    using folder = await openUsers("anna --plan pro");
    for (let i = 0; i < 2; i++) await folder.run("token", "create", "anna");
    const access = openAccess(folder.path);
    const hour = 3_600_000;
    access.usage.charge(1, 3, PLANS.pro, START - hour);
    access.usage.charge(1, 4, PLANS.pro, START);
    access.usage.charge(2, 5, PLANS.pro, START - 24 * hour);
    access.usage.charge(2, 1, PLANS.pro, START);
    access.close();
    expect(await listOf(folder.path, "token", "list")).toMatchObject([
      { id: 1, callsToday: 7, callsThisHour: 4 },
      { id: 2, callsToday: 1, callsThisHour: 1 },
    ]);
    expect(await listOf(folder.path, "user", "list")).toMatchObject([
      { name: "anna", callsToday: 8, callsThisHour: 5 },
    ]);
    const { stdout } = await folder.run("token", "list");
    expect(stdout).toMatch(
      /^ID +USER +PREFIX +KIND +LABEL +RIGHTS +LISTS +TODAY +THIS HOUR +CREATED/,
    );
  });

  test.each(["90 d", "", ..."0d -1d 90 d 1.5d 90D 1s 999999d 9999y 99999m 2026-02-30".split(" ")])(
    "--expires %j is refused and no token is created",
    async (written) => {
      using folder = await openUsers("anna");
      const result = await folder.run("token", "create", "anna", `--expires=${written}`);
      expectFailure(result, "--expires", "90d");
      expect(await listOf(folder.path, "token", "list")).toEqual([]);
    },
  );

  test("a mistake is reported in one sentence", async () => {
    using folder = await openUsers("anna");
    await folder.run("token", "create", "anna");
    const on = folder.run;
    expectFailure(await on("token", "create", "anna"), "1 live token", "plan free");
    expectFailure(await on("token", "create", "ghost"), "no user ghost");
    expectFailure(await on("token", "list", "ghost"), "no user ghost");
    expectFailure(await on("token", "revoke", "7"), "no token 7");
    for (const id of ["x", "1.0", "0x1", "1e0", "9".repeat(30)]) {
      expectFailure(await on("token", "revoke", id), "number", id);
    }
    expect(await listOf(folder.path, "token", "list")).toMatchObject([{ revoked: null }]);
  });
});

const SECOND = expect.stringMatching(/^2026-11-20T17:\d\d:\d\dZ$/) as unknown as string;

describe("--json", () => {
  test("prints what a change has made, and nothing on stderr", async () => {
    using folder = openFolder();
    const jsonOf = (...argv: string[]) => listOf(folder.path, ...argv) as Promise<unknown>;
    const anna = { name: "anna", plan: "pro", role: "admin" };
    expect(await jsonOf("user", "add", "anna", "--plan", "pro")).toEqual(anna);
    const created = await jsonOf("token", "create", "anna", "--name", "x", "--expires", "12h");
    expect(created).toEqual({
      id: 1,
      user: "anna",
      name: "x",
      expires: MOMENT,
      token: expect.stringMatching(/^bourse_[0-9A-Za-z]{39}$/) as unknown,
    });
    expect(await jsonOf("user", "plan", "anna", "max")).toEqual({
      name: "anna",
      plan: "max",
      excess: 0,
    });
    expect(await jsonOf("user", "role", "anna", "admin")).toEqual({ name: "anna", role: "admin" });
    expect(await jsonOf("token", "revoke", "1")).toEqual({ id: 1 });
    expect(await jsonOf("console", "anna")).toEqual({
      user: "anna",
      link: expect.stringMatching(/^http:\/\/127\.0\.0\.1:8787\/console#key=/) as unknown,
      isServed: false,
    });
    const file = `${folder.path}/a.tar.gz`;
    expect(await jsonOf("backup", file)).toMatchObject({
      file,
      files: { "access.db": { rows: { users: 1, tokens: 1 } } },
    });
    expect(await jsonOf("user", "remove", "anna", "--yes")).toEqual({ name: "anna" });
    expect(await jsonOf("restore", file)).toMatchObject({ dataFolder: folder.path, settings: [] });
  });
});

describe("a file of", () => {
  const write = async (folder: string, ...lines: string[]) => {
    const path = `${folder}/rows.csv`;
    await Bun.write(path, lines.map((line) => `${line}\r\n`).join(""));
    return path;
  };

  test("users adds them all, with the flags where a cell is empty", async () => {
    using folder = openFolder();
    const path = await write(
      folder.path,
      "role, Name,plan",
      "admin,anna,max",
      ",ben,",
      "user,carl,pro",
    );
    expect(await runOn(folder.path, "user", "add", "--from", path, "--plan", "pro")).toEqual({
      code: 0,
      stdout: "",
      stderr: "Added 3 users.\n",
    });
    expect(await listOf(folder.path, "user", "list")).toMatchObject([
      { name: "anna", role: "admin", plan: "max" },
      { name: "ben", role: "user", plan: "pro" },
      { name: "carl", role: "user", plan: "pro" },
    ]);
  });

  test("tokens prints each with its user, as CSV or JSON", async () => {
    using folder = openFolder();
    for (const user of ["anna", "ben"])
      await runOn(folder.path, "user", "add", user, "--plan", "pro");
    const path = await write(folder.path, "user,name,expires", "anna,phone,90d", "ben,,", "anna,,");
    const { code, stdout, stderr } = await runOn(folder.path, "token", "create", "--from", path);
    expect([code, stderr]).toEqual([
      0,
      "Created 3 tokens. Save them now: they are not shown again.\n",
    ]);
    const lines = stdout.split("\r\n");
    expect(lines[0]).toBe("id,user,name,expires,token");
    expect(lines[1]).toMatch(/^1,anna,phone,\d{4}-\d\d-\d\dT\d\d:\d\dZ,bourse_\w{39}$/);
    expect(lines[2]).toMatch(/^2,ben,,,bourse_\w{39}$/);
    expect(await listOf(folder.path, "token", "create", "--from", path)).toMatchObject([
      // Another live token of anna is the phone.
      { id: 4, user: "anna", name: "phone 2" },
      { id: 5, user: "ben", expires: null },
      { id: 6, user: "anna" },
    ]);
  });

  test("users with wrong rows adds none, and names every wrong row", async () => {
    using folder = await openUsers("anna");
    const path = await write(
      folder.path,
      "name,plan,role",
      "ben,pro,",
      "anna,,",
      "carl,gold,",
      "",
      "dora,,boss",
      "e f,,",
      "ben,,",
    );
    const { code, stdout, stderr } = await folder.run("user", "add", "--from", path);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr.split("\n")).toEqual([
      "Nothing was changed, because 5 of 6 rows are refused:",
      "  line 3: The user anna exists already; `user plan anna free` changes the plan.",
      "  line 4: The plan must be one of free, pro, max, unlimited, not gold.",
      "  line 6: The role must be admin or user, not boss.",
      "  line 7: A user's name has 1 to 64 letters, digits or any of . _ @ - and nothing else (`.` and `..` are none).",
      "  line 8: The user ben exists already; `user plan ben free` changes the plan.",
      "",
    ]);
    expect(await listOf(folder.path, "user", "list")).toHaveLength(1);
  });

  test("tokens beyond the plan creates none", async () => {
    using folder = await openUsers("anna");
    const path = await write(folder.path, "user,expires", "anna,1y", "anna,", "zoe,", "anna,soon");
    const { code, stderr } = await folder.run("token", "create", "--from", path);
    expect([code, stderr.match(/^ {2}line \d: .{20}/gm)]).toEqual([
      1,
      [
        "  line 3: anna holds 1 live to",
        "  line 4: There is no user zoe",
        "  line 5: --expires must be a ",
      ],
    ]);
    expect(await listOf(folder.path, "token", "list")).toEqual([]);
  });

  test.each([
    [
      ["user,plan", "anna,pro"],
      "the header must name name, and may name plan and role, each once; it is user,plan.",
    ],
    [["name,name", "anna,ben"], "each once"],
    [[], "it is empty."],
    [["name"], "there is no row below the header."],
    [["name", '"anna'], "quote"],
  ])("users %j is refused before a folder is created", async (lines, reason) => {
    using folder = openFolder();
    const path = await write(folder.path, ...lines);
    const data = `${folder.path}/data`;
    expectFailure(await runOn(data, "user", "add", "--from", path), path, reason);
    expectFailure(await runOn(data, "user", "add", "--from", `${path}.x`), `${path}.x`, "ENOENT");
    expect(await Bun.file(`${data}/access.db`).exists()).toBe(false);
  });
});

describe("audit", () => {
  test("says so if nothing is logged", async () => {
    using folder = openFolder();
    openAccess(folder.path).close();
    expect((await runOn(folder.path, "audit")).stdout).toBe("Nothing is logged yet.\n");
    expect((await runOn(folder.path, "audit", "--json")).stdout).toBe("[]\n");
  });

  test("lists the changes of the commands, newest first, without a secret", async () => {
    using folder = await openUsers("anna");
    const { stdout } = await folder.run("token", "create", "anna", "--name", "laptop");
    const entries = await listOf(folder.path, "audit");
    const common = { at: SECOND, actor: "command line", address: null };
    expect(entries).toEqual([
      { ...common, action: "token created", subject: "token 1 of anna (laptop)" },
      { ...common, action: "user added", subject: "user anna (admin, plan free)" },
    ]);
    expect(JSON.stringify(entries)).not.toContain(stdout.slice(7, 20));
    expect(await listOf(folder.path, "audit", "--limit", "1")).toEqual(entries.slice(0, 1));
  });

  test("prints a table", async () => {
    using folder = await openUsers("anna");
    const { stdout } = await folder.run("audit");
    const [heading, entry, ...rest] = stdout.split("\n");
    expect(heading?.split(/ {2,}/)).toEqual(["AT", "ACTOR", "ACTION", "SUBJECT", "ADDRESS"]);
    expect(entry?.split(/ {2,}/).slice(1)).toEqual([
      "command line",
      "user added",
      "user anna (admin, plan free)",
      "—",
    ]);
    expect(rest).toEqual([""]);
  });

  test.each(["0", "-1", "1.5", "ten", "100001", ""])("refuses --limit %j", async (limit) => {
    using folder = await openUsers("anna");
    expectFailure(await folder.run("audit", "--limit", limit), "1 to 100000");
  });
});
