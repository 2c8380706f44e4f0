import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { Accounts } from "#access/accounts.ts";
import { COMMAND_LINE } from "#access/audit.ts";
import { createTokenSecret, fingerprintToken } from "#access/token-secret.ts";
import { UserData } from "#access/user-data.ts";
import firstSchema from "#store/access.sql" with { type: "text" };
import { ACCESS } from "#store/access.ts";
import { openDatabase, type Schema } from "#store/database.ts";
import { openAccess, openMarket } from "#store/index.ts";
import firstMarket from "#store/market.sql" with { type: "text" };
import { MARKET } from "#store/market.ts";
import { openFolder } from "../support/access.ts";
import { atOnce, openGuard } from "../support/at-once.ts";
import { expectError } from "../support/error.ts";
import { START } from "../support/service.ts";
import { listInstruments } from "../support/market.ts";

const LATEST = ACCESS.migrations.length;
const DAY = 86_400_000;
const TOKENS = Array.from({ length: 20 }, createTokenSecret);

/** Writes an access file as the first version of the schema had it: users, tokens and counters. */
function writeFirstVersion(folder: string): void {
  const database = new Database(join(folder, "access.db"), { create: true });
  database.run("PRAGMA page_size = 1024");
  database.run("PRAGMA journal_mode = WAL");
  database.run(firstSchema);
  database.run(`PRAGMA application_id = ${ACCESS.applicationId}`);
  database.run("PRAGMA user_version = 1");
  for (const [i, secret] of TOKENS.entries()) {
    const id = i + 1;
    const { prefix = "", hash = new Uint8Array() } = fingerprintToken(secret) ?? {};
    database.run("INSERT INTO users VALUES (?, ?, 'pro', ?)", [id, `user-${id}`, START - DAY]);
    database.run("INSERT INTO tokens VALUES (?, ?, ?, ?, '', ?, NULL, ?)", [
      id,
      id,
      prefix,
      hash,
      START - DAY,
      id === 5 ? START - 1 : null,
    ]);
    database.run("INSERT INTO usage VALUES (?, ?, ?, ?, ?, ?)", [
      id,
      Math.floor(START / DAY),
      100 + id,
      Math.floor(START / 3_600_000),
      id,
      START,
    ]);
  }
  database.close();
}

/** The columns of the first version, by table. */
function firstRows(path: string): unknown[] {
  const database = new Database(path, { readonly: true });
  try {
    return [
      "SELECT id, name, plan, created_at FROM users ORDER BY id",
      "SELECT id, user_id, prefix, hash, label, created_at, expires_at, revoked_at FROM tokens ORDER BY id",
      "SELECT token_id, day, day_used, hour, hour_used, last_used_at FROM usage ORDER BY token_id",
    ].map((query) => database.query(query).values());
  } finally {
    database.close();
  }
}

function versionOf(path: string): unknown {
  const database = new Database(path, { readonly: true });
  try {
    return database.query("PRAGMA user_version").values()[0]?.[0];
  } finally {
    database.close();
  }
}

describe("an access file of the first version", () => {
  test("is upgraded with users, tokens and counters intact, and copied before", async () => {
    using folder = openFolder();
    writeFirstVersion(folder.path);
    const path = join(folder.path, "access.db");
    const before = firstRows(path);
    expect(before.map((rows) => (rows as unknown[]).length)).toEqual([20, 20, 20]);

    const access = openAccess(folder.path);
    expect(versionOf(path)).toBe(LATEST);
    expect(firstRows(path)).toEqual(before);
    const guard = openGuard({ access, clock: () => START });
    for (const [i, token] of TOKENS.entries()) {
      const authenticate = () => guard.authenticate(`Bearer ${token}`);
      if (i === 4) await expectError(authenticate, "invalid_token");
      // 5,000 calls a day and 500 an hour, of which 100 + id and id were used, and this one.
      else
        expect(guard.charge(authenticate()).quota).toMatchObject({
          daily: { remaining: 5_000 - 101 - i - 1 },
          hourly: { remaining: 500 - 1 - i - 1 },
        });
    }
    access.close();

    const copy = `${path}.before-${LATEST}`;
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect([versionOf(copy), firstRows(copy)]).toEqual([1, before]);
  });

  test("has no lists, takes them from then on, and gives them up with their user", async () => {
    using folder = openFolder();
    writeFirstVersion(folder.path);
    await expectTakesLists(folder.path, "user-1", "user-2");
  });

  test("is copied once: a later start copies nothing", () => {
    using folder = openFolder();
    writeFirstVersion(folder.path);
    const copies: string[] = [];
    const open = () => openAccess(folder.path, { onUpgrade: (copy) => copies.push(copy) }).close();
    open();
    const copied = statSync(join(folder.path, `access.db.before-${LATEST}`)).ino;
    open();
    expect(copies).toEqual([join(folder.path, `access.db.before-${LATEST}`)]);
    expect(statSync(join(folder.path, `access.db.before-${LATEST}`)).ino).toBe(copied);
    expect(readdirSync(folder.path).filter((name) => name.includes("partial"))).toEqual([]);
  });

  test("stays as it is if it cannot be copied", async () => {
    using folder = openFolder();
    writeFirstVersion(folder.path);
    const path = join(folder.path, "access.db");
    const before = firstRows(path);
    // A folder cannot be replaced by the copy.
    mkdirSync(`${path}.before-${LATEST}`);
    await expectError(() => openAccess(folder.path), "unavailable");
    expect([versionOf(path), firstRows(path)]).toEqual([1, before]);
  });
});

test("a feed link of the fourth version keeps the lists of that time, and a token reads every list", async () => {
  using folder = openFolder();
  const path = join(folder.path, "access.db");
  const older = openDatabase(path, { ...ACCESS, migrations: ACCESS.migrations.slice(0, 4) });
  older.run(`INSERT INTO users VALUES (3, 'anna', 'max', 7, 'admin', NULL), (9, 'ben', 'free', 8, 'user', NULL);
    INSERT INTO tokens VALUES (1, 3, 'bourse_aaaaaaaa', x'01', 'agent', 9, NULL, NULL, ''),
      (2, 3, 'bourse_feed_aaaaaaaa', x'02', 'sheet', 9, NULL, NULL, ''),
      (3, 9, 'bourse_feed_bbbbbbbb', x'03', 'sheet', 9, NULL, NULL, '');
    INSERT INTO user_documents VALUES (3, 'list', 'held', 0, 9, '{"name":"held","items":[]}'),
      (3, 'list', 'semis-2', 0, 9, '{"name":"semis-2","items":[]}'),
      (3, 'screen', 'cheap', 0, 9, '{}')`);
  older.close();

  const access = openAccess(folder.path);
  const accounts = atOnce(new Accounts({ access, clock: () => START, actor: COMMAND_LINE }));
  const listsOf = (user: string | null) => accounts.listTokens(user).map(({ lists }) => lists);
  expect(listsOf(null)).toEqual([null, ["held", "semis-2"], []]);
  const data = new UserData({ access, clock: () => START, user: "anna", actor: COMMAND_LINE });
  await data.save("list", { name: "later", items: [] });
  expect(listsOf("anna")).toEqual([null, ["held", "semis-2"]]);
  await data.remove("list", "held");
  expect(listsOf("anna")).toEqual([null, ["semis-2"]]);
  access.close();
});

test("an access file of the second version, of the first release, keeps every row and takes lists from then on", async () => {
  using folder = openFolder();
  const path = join(folder.path, "access.db");
  const released = { ...ACCESS, migrations: ACCESS.migrations.slice(0, 2) };
  const older = openDatabase(path, released);
  older.run(`INSERT INTO users VALUES (3, 'anna', 'max', 7, 'admin', '$argon2id$'), (9, 'ben', 'free', 8, 'user', NULL);
    INSERT INTO tokens VALUES (5, 3, 'bourse_x', x'00', 'laptop', 9, NULL, NULL);
    INSERT INTO audit VALUES (1, 9, 'anna', 'token created', 'token 5', NULL);
    INSERT INTO sessions VALUES (2, x'01', 9, '::1', 'browser', 7, 8)`);
  const rows = (database: Database) =>
    ["users", "tokens", "audit", "sessions"].map((table) =>
      database.query(`SELECT * FROM ${table}`).values(),
    );
  const before = rows(older);
  older.close();
  openAccess(folder.path).close();
  const upgraded = new Database(path, { readonly: true });
  // A later version may add columns behind those of the release.
  const after = rows(upgraded).map((table, i) =>
    table.map((row) => row.slice(0, before[i]?.[0]?.length)),
  );
  upgraded.close();
  expect(after).toEqual(before);
  expect(versionOf(`${path}.before-${LATEST}`)).toBe(2);
  await expectTakesLists(folder.path, "anna", "ben");
});

/** Expects that an upgraded file stores lists, and that those of a removed user go with the user. */
async function expectTakesLists(folder: string, user: string, other: string): Promise<void> {
  const access = openAccess(folder);
  const clock = () => START;
  const dataOf = (name: string) => new UserData({ access, clock, user: name, actor: COMMAND_LINE });
  const list = { name: "semis", items: [{ country: "JP" as const, symbol: "8035" }] };
  for (const name of [user, other]) {
    expect(await dataOf(name).list("list")).toEqual([]);
    await dataOf(name).save("list", list);
    expect((await dataOf(name).get("list", "semis")).value).toEqual(list);
  }
  await new Accounts({ access, clock, actor: COMMAND_LINE }).removeUser(user);
  access.close();
  const database = new Database(join(folder, "access.db"), { readonly: true });
  const left = database
    .query("SELECT users.name FROM user_documents LEFT JOIN users ON users.id = user_id")
    .values();
  database.close();
  expect(left).toEqual([[other]]);
}

test("a migration that fails leaves the file as it was, and its copy", () => {
  using folder = openFolder();
  const path = join(folder.path, "notes.db");
  const schemaOf = (...migrations: string[]): Schema => ({
    name: "notes",
    applicationId: 7,
    isPrecious: true,
    migrations,
  });
  const first = "CREATE TABLE notes (body TEXT); INSERT INTO notes VALUES ('first')";
  openDatabase(path, schemaOf(first)).close();
  expect(() => openDatabase(path, schemaOf(first, "DELETE FROM notes; nonsense"))).toThrow();
  for (const file of [path, `${path}.before-2`]) {
    const database = new Database(file, { readonly: true });
    expect(database.query("SELECT body FROM notes").values()).toEqual([["first"]]);
    database.close();
    expect(versionOf(file)).toBe(1);
  }
});

test("neither a new file nor the market is copied", () => {
  using folder = openFolder();
  openAccess(folder.path).close();
  expect(readdirSync(folder.path)).toEqual(["access.db"]);
  const path = join(folder.path, "notes.db");
  const schema = { name: "notes", applicationId: 7, isPrecious: false };
  openDatabase(path, { ...schema, migrations: ["CREATE TABLE a (b)"] }).close();
  openDatabase(path, {
    ...schema,
    migrations: ["CREATE TABLE a (b)", "CREATE TABLE c (d)"],
  }).close();
  expect(existsSync(`${path}.before-2`)).toBe(false);
});

test("a market file of the first version keeps its records, and notes removals from then on", () => {
  using folder = openFolder();
  const path = join(folder.path, "market.db");
  openDatabase(path, { ...MARKET, migrations: [firstMarket] }).close();
  const older = new Database(path);
  for (const symbol of ["AAPL", "MSFT"])
    older.run(
      `INSERT INTO instruments (country, symbol, name, asset_type, currency, primary_listing,
         index_member, source, stored_at) VALUES ('US', ?, 'Name', 'stock', 'USD', 1, 0, 'import', 1)`,
      [symbol],
    );
  older.close();
  const market = openMarket(folder.path);
  const changed = (since: number) =>
    market.instruments.listChanged(since, 9).map(({ symbol }) => symbol);
  expect(changed(0)).toEqual(["AAPL", "MSFT"]);
  market.imported.remove([{ kind: "instruments", country: "US", key: "AAPL" }]);
  expect(listInstruments(market, "US").map(({ symbol }) => symbol)).toEqual(["MSFT"]);
  expect(changed(2)).toEqual(["AAPL"]);
  market.close();
});
