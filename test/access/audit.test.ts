import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Accounts } from "#access/accounts.ts";
import { type Actor, COMMAND_LINE, recordAudit } from "#access/audit.ts";
import { listAuditEntries } from "#store/audit.ts";
import { openTestAccess } from "../support/access.ts";
import { atOnce } from "../support/at-once.ts";
import { expectError } from "../support/error.ts";
import { START } from "../support/service.ts";

const DAY = 86_400_000;
const ANNA: Actor = { name: "anna", address: "192.0.2.7" };

/** An empty access file with accounts that anna changes in the console. */
function openAudited() {
  const home = openTestAccess();
  const { access } = home;
  const accounts = atOnce(new Accounts({ access, clock: () => home.time.now, actor: ANNA }));
  const lines = () =>
    access
      .run(listAuditEntries({ limit: 100 }))
      .map(({ action, subject }) => `${action}: ${subject}`);
  return { ...home, anna: accounts, lines };
}

describe("the audit log", () => {
  test("has every change of users, plans, roles and tokens, newest first", () => {
    using home = openAudited();
    const { anna } = home;
    anna.addUser("anna", "pro");
    anna.addUser("ben", "free");
    anna.setPlan("ben", "max");
    anna.setRole("ben", "admin");
    const { token, id } = anna.createToken("ben", "laptop", 90 * DAY);
    anna.createToken("ben", "", null);
    anna.revokeToken(id);
    anna.removeUser("ben");
    expect(home.lines()).toEqual([
      "user removed: user ben (admin, plan max)",
      "token revoked: token 1 of ben (laptop)",
      "token created: token 2 of ben",
      "token created: token 1 of ben (laptop), expires 2027-02-18T17:30Z",
      "role changed: user ben: user to admin",
      "plan changed: user ben: free to max",
      "user added: user ben (user, plan free)",
      "user added: user anna (admin, plan pro)",
    ]);
    expect(JSON.stringify(home.access.run(listAuditEntries({ limit: 100 })))).not.toContain(
      token.slice(7),
    );
  });

  test.each([
    ["BEN", ["user removed", "user added"]],
    ["user added", ["user added", "user added"]],
    ["192.0.2.7", ["user removed", "user added", "user added"]],
    ["%", []],
    ["be_", []],
    ["", ["user removed", "user added", "user added"]],
  ])("finds the text %p in any part of an entry, in any capitals", (find, actions) => {
    using home = openAudited();
    home.anna.addUser("anna", "pro");
    home.anna.addUser("ben", "free");
    home.anna.removeUser("ben");
    const found = home.access.run(listAuditEntries({ find, limit: 100 }));
    expect(found.map(({ action }) => action)).toEqual(actions);
  });

  test("has the actor, the address and the time of an entry", () => {
    using home = openAudited();
    home.accounts.addUser("anna", "pro");
    home.time.now += 5;
    home.anna.setPlan("anna", "max");
    expect(home.access.run(listAuditEntries({ limit: 100 }))).toEqual([
      {
        id: 2,
        at: START + 5,
        actor: "anna",
        action: "plan changed",
        subject: "user anna: pro to max",
        address: "192.0.2.7",
      },
      {
        id: 1,
        at: START,
        actor: "command line",
        action: "user added",
        subject: "user anna (admin, plan pro)",
        address: null,
      },
    ]);
  });

  test("has no entry of a change that failed or changed nothing", () => {
    using home = openAudited();
    home.anna.addUser("anna", "free");
    const { id } = home.anna.createToken("anna", "laptop", null);
    home.anna.revokeToken(id);
    const before = home.lines();
    home.anna.renameToken(id, "laptop");
    home.anna.setPlan("anna", "free");
    home.anna.setRole("anna", "admin");
    home.anna.revokeToken(id);
    for (const work of [
      () => home.anna.addUser("anna", "pro"),
      () => home.anna.setPlan("ghost", "pro"),
      () => home.anna.removeUser("ghost"),
      () => home.anna.revokeToken(99),
      () => home.anna.createToken("ghost", "", null),
    ]) {
      expect(work).toThrow();
    }
    expect(home.lines()).toEqual(before);
  });

  test("and its change are one transaction: if the entry cannot be written, nothing changes", () => {
    using home = openAudited();
    home.anna.addUser("anna", "max");
    const { id } = home.anna.createToken("anna", "", null);
    const file = new Database(join(home.folder, "access.db"));
    file.run(
      "CREATE TRIGGER refuse BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'disk full'); END",
    );
    for (const work of [
      () => home.anna.addUser("ben", "pro"),
      () => home.anna.setPlan("anna", "pro"),
      () => home.anna.revokeToken(id),
      () => home.anna.createToken("anna", "", null),
      () => home.accounts.removeUser("anna"),
    ]) {
      expect(work).toThrow("disk full");
    }
    file.close();
    expect(home.accounts.listUsers().map(({ name, plan }) => [name, plan])).toEqual([
      ["anna", "max"],
    ]);
    expect(home.accounts.listTokens(null).map(({ revokedAt }) => revokedAt)).toEqual([null]);
  });

  test("stores hostile texts as one short line", () => {
    using home = openAudited();
    home.access.run(
      recordAudit({
        at: START,
        actor: { name: "a\u001b[31m\nb", address: "::1\u202e" },
        action: "sign-in",
        subject: "x".repeat(10_000),
      }),
    );
    const [entry] = home.access.run(listAuditEntries({ limit: 1 }));
    expect(entry?.actor).toBe("a [31m b");
    expect(entry?.address).toBe("::1 ");
    expect(entry?.subject).toBe("x".repeat(300));
  });
});

describe("roles", () => {
  const rolesOf = (home: ReturnType<typeof openAudited>) =>
    Object.fromEntries(home.accounts.listUsers().map(({ name, role }) => [name, role]));

  test("the first user is an admin, later ones are users unless said otherwise", () => {
    using home = openAudited();
    for (const name of ["anna", "ben"]) home.anna.addUser(name, "free");
    home.anna.addUser("cleo", "free", "admin");
    expect(rolesOf(home)).toEqual({ anna: "admin", ben: "user", cleo: "admin" });
  });

  test("the last admin cannot be removed or demoted in the console", async () => {
    using home = openAudited();
    for (const name of ["anna", "ben"]) home.anna.addUser(name, "free");
    for (const work of [
      () => home.anna.setRole("anna", "user"),
      () => home.anna.removeUser("anna"),
    ])
      expect((await expectError(work, "invalid_argument")).message).toContain("only admin");
    expect(rolesOf(home)).toEqual({ anna: "admin", ben: "user" });
    home.anna.setRole("ben", "admin");
    home.anna.setRole("anna", "user");
    home.anna.removeUser("anna");
    expect(rolesOf(home)).toEqual({ ben: "admin" });
  });

  test("the command line may remove the last admin; the next new user is one", () => {
    using home = openAudited();
    home.accounts.addUser("anna", "free");
    home.accounts.addUser("ben", "free");
    home.accounts.removeUser("anna");
    home.accounts.addUser("cleo", "free");
    expect(rolesOf(home)).toEqual({ ben: "user", cleo: "admin" });
  });

  test("an unknown user is not found", async () => {
    using home = openAudited();
    await expectError(() => home.anna.setRole("ghost", "admin"), "not_found");
  });

  test("the command line is compared by identity: a user cannot pretend to be it", async () => {
    using home = openAudited();
    home.anna.addUser("anna", "free");
    const pretender = atOnce(
      new Accounts({ access: home.access, clock: () => START, actor: { ...COMMAND_LINE } }),
    );
    await expectError(() => pretender.removeUser("anna"), "invalid_argument");
  });
});

test("a label that contains a token is refused, because the log would show it", async () => {
  using home = openAudited();
  home.anna.addUser("anna", "max");
  const { token } = home.anna.createToken("anna", "", null);
  for (const label of [token, `my ${token}`]) {
    const { message } = await expectError(
      () => home.anna.createToken("anna", label, null),
      "invalid_argument",
    );
    expect(message).not.toContain(token);
  }
  expect(JSON.stringify(home.access.run(listAuditEntries({ limit: 100 })))).not.toContain(token);
});

test("a user can rename 100 tokens in 24 hours, the command line any number", async () => {
  using home = openAudited();
  const { anna, accounts } = home;
  anna.addUser("anna", "max");
  const { id } = anna.createToken("anna", "0", null);
  for (let i = 1; i <= 100; i++) anna.renameToken(id, String(i));
  const refused = await expectError(() => anna.renameToken(id, "again"), "rate_limited");
  expect(refused.message).toContain("100 tokens in 24 hours");
  accounts.renameToken(id, "by the operator");
  home.time.now += DAY;
  anna.renameToken(id, "again");
});

test("a user can create 100 tokens in 24 hours, the command line any number", async () => {
  using home = openAudited();
  home.anna.addUser("anna", "free");
  home.anna.addUser("ben", "free");
  const renew = (accounts: typeof home.anna, user: string) =>
    accounts.revokeToken(accounts.createToken(user, "", null).id);
  for (let i = 0; i < 100; i++) renew(home.anna, "anna");
  const refused = await expectError(() => renew(home.anna, "anna"), "rate_limited");
  expect(refused.message).toContain("100 tokens in 24 hours");
  renew(home.anna, "ben");
  renew(home.accounts, "anna");
  home.time.now = START + DAY;
  renew(home.anna, "anna");
});

test("errors name commands on the command line only", async () => {
  using home = openAudited();
  home.anna.addUser("anna", "free");
  home.anna.createToken("anna", "", null);
  for (const [work, command] of [
    [(accounts: Accounts) => accounts.addUser("anna", "pro"), "user plan"],
    [(accounts: Accounts) => accounts.setPlan("ghost", "pro"), "user add"],
    [(accounts: Accounts) => accounts.revokeToken(9), "token list"],
    [(accounts: Accounts) => accounts.createToken("anna", "", null), "token revoke"],
  ] as const) {
    const message = async (accounts: Accounts) => {
      try {
        await work(accounts);
      } catch (error) {
        return String(error);
      }
      throw new Error("nothing was thrown");
    };
    expect(await message(home.accounts)).toContain(`\`${command}`);
    expect(await message(home.anna)).not.toContain("`");
    expect(await message(home.anna)).toEndWith(".");
  }
});

test("with an owner, tokens of other users do not exist", async () => {
  using home = openAudited();
  for (const name of ["anna", "ben"]) home.anna.addUser(name, "pro");
  const { id } = home.anna.createToken("ben", "", null);
  const foreign = await expectError(() => home.anna.revokeToken(id, "anna"), "not_found");
  const unknown = await expectError(() => home.anna.revokeToken(99, "anna"), "not_found");
  expect(foreign.message.replace(String(id), "99")).toBe(unknown.message);
  expect(home.accounts.listTokens("ben")[0]?.revokedAt).toBeNull();
  home.anna.revokeToken(id, "ben");
  expect(home.accounts.listTokens("ben")[0]?.revokedAt).toBe(START);
});
