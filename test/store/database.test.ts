import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BourseError, isDatabaseBusy } from "#domain/errors.ts";
import { openDatabase, type Schema, schemaVersion } from "#store/database.ts";
import { openAccess, openMarket } from "#store/index.ts";
import { ACCESS } from "#store/access.ts";
import { MARKET } from "#store/market.ts";
import { addUser, listUsers } from "#store/users.ts";
import { migrationsOf, openFolder, openTestAccess } from "../support/access.ts";
import { bunCommand, endChildren, spawnChild } from "../support/child-process.ts";
import { expectError } from "../support/error.ts";

afterAll(endChildren);

const FIRST = "CREATE TABLE notes (body TEXT NOT NULL) STRICT; INSERT INTO notes VALUES ('first')";
const SECOND = "ALTER TABLE notes ADD COLUMN author TEXT; INSERT INTO notes VALUES ('second', 'a')";
const BROKEN = "INSERT INTO notes VALUES ('half', 'done'); INSERT INTO nowhere VALUES (1)";

const schemaOf = (...migrations: string[]): Schema => ({
  isPrecious: false,
  name: "notes",
  applicationId: 0x62_6f_75_6e,
  migrations,
});

function withDatabase<T>(path: string, schema: Schema, work: (database: Database) => T): T {
  const database = openDatabase(path, schema);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

const bodies = (database: Database): unknown[] =>
  database.query("SELECT body FROM notes ORDER BY rowid").values().flat();

/** The functions that open the two files. */
const OPENERS = [
  ["access.db", openAccess],
  ["market.db", openMarket],
] as const;

describe("migrations", () => {
  test("run in order on a new file, and once each", () => {
    using folder = openFolder();
    const path = join(folder.path, "notes.db");
    for (let start = 0; start < 3; start++) {
      withDatabase(path, schemaOf(FIRST, SECOND), (database) => {
        expect(schemaVersion(database)).toBe(2);
        expect(bodies(database)).toEqual(["first", "second"]);
      });
    }
  });

  test("of a newer version run on an older file and keep its rows", () => {
    using folder = openFolder();
    const path = join(folder.path, "notes.db");
    withDatabase(path, schemaOf(FIRST), (database) =>
      database.run("INSERT INTO notes VALUES ('kept')"),
    );
    withDatabase(path, schemaOf(FIRST, SECOND), (database) =>
      expect(bodies(database)).toEqual(["first", "kept", "second"]),
    );
  });

  test("that fail leave the file unchanged, and the old version can still use it", () => {
    using folder = openFolder();
    const path = join(folder.path, "notes.db");
    withDatabase(path, schemaOf(FIRST), () => {});
    const before = readFileSync(path);
    expect(() => openDatabase(path, schemaOf(FIRST, SECOND, BROKEN))).toThrow("nowhere");
    expect(readFileSync(path).equals(before)).toBe(true);
    withDatabase(path, schemaOf(FIRST), (database) => {
      expect(schemaVersion(database)).toBe(1);
      expect(bodies(database)).toEqual(["first"]);
    });
  });

  test("that fail on a new file leave nothing that would break a fixed version", () => {
    using folder = openFolder();
    const path = join(folder.path, "notes.db");
    expect(() => openDatabase(path, schemaOf(FIRST, "nonsense"))).toThrow();
    withDatabase(path, schemaOf(FIRST, SECOND), (database) =>
      expect(bodies(database)).toEqual(["first", "second"]),
    );
  });

  test("of the two files run once", () => {
    using folder = openFolder();
    for (let start = 0; start < 2; start++) {
      openAccess(folder.path).close();
      openMarket(folder.path).close();
      const schemas = (["access.db", "market.db"] as const).map((name) =>
        migrationsOf(folder.path, name),
      );
      expect(schemas).toEqual([ACCESS.migrations.length, MARKET.migrations.length]);
    }
  });
});

describe("an opened file", () => {
  test("is in WAL mode, keeps foreign keys and waits for locks", () => {
    using folder = openFolder();
    withDatabase(join(folder.path, "notes.db"), schemaOf(FIRST), (database) => {
      const pragmas = ["journal_mode", "foreign_keys", "busy_timeout", "synchronous"];
      const values = pragmas.map((name) => database.query(`PRAGMA ${name}`).values()[0]?.[0]);
      // synchronous 1 is NORMAL.
      expect(values).toEqual(["wal", 1, 5_000, 1]);
    });
  });

  test("is created with its folder, and leaves no WAL after it is closed", () => {
    using folder = openFolder();
    const deep = join(folder.path, "a", "b");
    const access = openAccess(deep);
    access.run(addUser({ name: "anna", plan: "free", role: "user", createdAt: 1 }));
    const market = openMarket(deep);
    market.transaction(() => market.setSetting("origin", "test"));
    market.close();
    access.close();
    const names = ["access.db", "access.db-wal", "market.db", "market.db-wal"];
    expect(names.filter((name) => existsSync(join(deep, name)))).toEqual([
      "access.db",
      "market.db",
    ]);
  });
});

describe.each(OPENERS)("%s", (name, open) => {
  const modesOf = (folder: string) =>
    [name, `${name}-wal`, `${name}-shm`].map((file) => statSync(join(folder, file)).mode & 0o777);

  test("is readable by its owner only, also in an existing folder and with any umask", () => {
    using folder = openFolder();
    chmodSync(folder.path, 0o755);
    const umask = process.umask(0o000);
    try {
      const store = open(folder.path);
      expect(modesOf(folder.path)).toEqual([0o600, 0o600, 0o600]);
      store.close();
    } finally {
      process.umask(umask);
    }
  });

  test("loses the permissions of other users, and so does its log", () => {
    using folder = openFolder();
    const path = join(folder.path, name);
    open(folder.path).close();
    chmodSync(path, 0o644);
    // An open reader keeps the log, which has the permissions of the file.
    const reader = new Database(path);
    reader.run("BEGIN; SELECT 1 FROM sqlite_schema");
    reader.run("COMMIT");
    expect(modesOf(folder.path)).toEqual([0o644, 0o644, 0o644]);
    const store = open(folder.path);
    expect(modesOf(folder.path)).toEqual([0o600, 0o600, 0o600]);
    store.close();
    reader.close();
  });

  test("is reported as missing if it was removed or replaced while it was open", () => {
    using folder = openFolder();
    const path = join(folder.path, name);
    const store = open(folder.path);
    expect(store.checkFile()).toBeUndefined();
    renameSync(path, `${path}.old`);
    expect(store.checkFile).toThrow(`${path} was removed while bourse was using it.`);
    writeFileSync(path, "");
    expect(store.checkFile).toThrow(`${path} was replaced while bourse was using it.`);
    rmSync(path);
    renameSync(`${path}.old`, path);
    expect(store.checkFile()).toBeUndefined();
    store.close();
  });
});

test("the switch to WAL gives up after a bounded number of attempts that do not wait", async () => {
  using folder = openFolder();
  const path = join(folder.path, "notes.db");
  const other = new Database(path);
  other.run("CREATE TABLE other (id INTEGER)");
  other.run("DROP TABLE other");
  // Such a lock lets others read; only the switch is refused.
  other.run("BEGIN");
  other.query("SELECT * FROM sqlite_schema").all();
  const { message } = await expectError(() => openDatabase(path, schemaOf(FIRST)), "unavailable");
  expect(message).toContain("is locked by another process");
  other.run("ROLLBACK");
  withDatabase(path, schemaOf(FIRST), (database) => expect(bodies(database)).toEqual(["first"]));
  other.close();
}, 600_000);

test("a statement waits for a lock for the given time, and its error is recognized as busy", () => {
  using folder = openFolder();
  const access = openAccess(folder.path, { busyTimeoutMs: 0 });
  const add = () => access.run(addUser({ name: "anna", plan: "free", role: "user", createdAt: 1 }));
  const other = new Database(join(folder.path, "access.db"));
  other.run("BEGIN IMMEDIATE");
  let thrown: unknown;
  try {
    add();
  } catch (error) {
    thrown = error;
  }
  expect(isDatabaseBusy(thrown)).toBe(true);
  // Calls are refunded without a wait, and the timeout is unchanged.
  expect(access.usage.settleIfFree([{ tokenId: 1, calls: 1, day: 0, hour: 0 }], [])).toBe(false);
  expect(add).toThrow("locked");
  other.run("COMMIT");
  expect(add()).toBe(true);
  other.close();
  access.close();
});

test("the log is cut back once a long reader has ended", () => {
  using folder = openFolder();
  const path = join(folder.path, "notes.db");
  const log = `${path}-wal`;
  withDatabase(path, schemaOf("CREATE TABLE pages (body BLOB)"), (database) => {
    const reader = new Database(path, { readonly: true });
    reader.run("BEGIN");
    reader.query("SELECT count(*) FROM pages").get();
    const add = database.query("INSERT INTO pages VALUES (zeroblob(1000000))");
    for (let i = 0; i < 40; i++) add.run();
    expect(statSync(log).size).toBeGreaterThan(40_000_000);
    reader.run("COMMIT");
    // One commit moves the log into the file, the next one restarts the log.
    add.run();
    add.run();
    expect(statSync(log).size).toBeLessThanOrEqual(16 * 2 ** 20);
    reader.close();
  });
});

test("processes that create the files of a new data folder at the same time all succeed", async () => {
  using folder = openFolder();
  const folders = Array.from({ length: 12 }, (_, i) => join(folder.path, String(i)));
  const worker = fileURLToPath(new URL("../support/store-opener.ts", import.meta.url));
  const startAt = String(Date.now() + 300);
  const reports = await Promise.all(
    [1, 2, 3].map(() => {
      const child = spawnChild([...bunCommand(worker), startAt, ...folders]);
      return new Response(child.stdout).text();
    }),
  );
  expect(reports.join("")).toBe("");
});

/** Opens a file that must be refused in one sentence that names it, and checks that it is unchanged. */
async function expectRefusal(
  path: string,
  open: (folder: string) => unknown,
): Promise<BourseError> {
  const before = readFileSync(path);
  const error = await expectError(() => open(join(path, "..")), "unavailable");
  expect(error.message).toContain(path);
  expect(error.message).not.toContain("\n");
  expect(readFileSync(path).equals(before)).toBe(true);
  return error;
}

describe.each(OPENERS)("%s is refused, named and left unchanged", (name, open) => {
  test("if a newer version wrote it", async () => {
    using folder = openFolder();
    open(folder.path).close();
    const path = join(folder.path, name);
    const database = new Database(path);
    database.run("PRAGMA user_version = 1000");
    database.close();
    const { message } = await expectRefusal(path, open);
    expect(message).toContain("newer");
    expect(message).toContain("schema 1000");
    expect(message).toContain("run `restore` with an archive of this version");
    // Only the market can be fetched or generated again.
    expect(message.includes("--reset-market")).toBe(name === "market.db");
  });

  test.each(["DELETE", "WAL"])("if it is another program's database (%s)", async (mode) => {
    using folder = openFolder();
    const path = join(folder.path, name);
    const database = new Database(path);
    database.run(`PRAGMA journal_mode = ${mode}`);
    database.run("CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT)");
    database.run("PRAGMA user_version = 1");
    database.close();
    expect((await expectRefusal(path, open)).message).toContain("not a bourse");
  });

  test("if it is the other of the two files", async () => {
    using folder = openFolder();
    const [otherName, openOther] = OPENERS[name === "access.db" ? 1 : 0];
    openOther(folder.path).close();
    const path = join(folder.path, name);
    writeFileSync(path, readFileSync(join(folder.path, otherName)));
    expect((await expectRefusal(path, open)).message).toContain("not a bourse");
  });

  test.each([
    ["text", Buffer.from("id,name\n1,anna\n".repeat(1_000))],
    ["zeros", Buffer.alloc(8_192)],
    ["noise", Buffer.from(Array.from({ length: 8_192 }, (_, i) => (i * 167 + 13) % 256))],
    ["a header without a body", Buffer.from("SQLite format 3\0")],
  ])("if it contains %s", async (_, bytes) => {
    using folder = openFolder();
    const path = join(folder.path, name);
    writeFileSync(path, bytes);
    expect((await expectRefusal(path, open)).message).toContain("damaged");
  });

  // SQLite treats a file of one byte as empty, like a file of zero bytes.
  test.each([2, 100, 4_095, 4_096, 4_097, 8_192])(
    "if it was cut off after %d bytes",
    async (length) => {
      using folder = openFolder();
      open(folder.path).close();
      const path = join(folder.path, name);
      truncateSync(path, length);
      expect((await expectRefusal(path, open)).message).toContain("damaged");
    },
  );

  test("if it is a folder", async () => {
    using folder = openFolder();
    mkdirSync(join(folder.path, name));
    const error = await expectError(() => open(folder.path), "unavailable");
    expect(error.message).toContain(join(folder.path, name));
  });

  test("if the data folder cannot be created", async () => {
    using folder = openFolder();
    const file = join(folder.path, "file");
    writeFileSync(file, "not a folder");
    for (const below of [file, join(file, "data"), join(file, "data", "deep")]) {
      const { message } = await expectError(() => open(below), "unavailable");
      expect(message).toStartWith(`${join(below, name)} cannot be written`);
      expect(message).not.toContain("\n");
    }
    expect(readFileSync(file, "utf8")).toBe("not a folder");
  });
});

describe("a damaged page", () => {
  test.each([
    ["zeros", 0],
    ["ones", 255],
  ])(
    "of access.db that is overwritten with %s is reported at the start, for any page",
    async (_, byte) => {
      using home = openTestAccess();
      for (let i = 0; i < 60; i++) {
        const { token } = home.createToken("free");
        home.guard.charge(home.guard.authenticate(`Bearer ${token}`));
      }
      home.access.close();
      const path = join(home.folder, "access.db");
      const sound = readFileSync(path);
      // The file's header has the size of a page, in bytes 16 and 17.
      const pageBytes = sound.readUInt16BE(16);
      const pages = sound.length / pageBytes;
      expect(pages).toBeGreaterThan(5);
      for (let page = 0; page < pages; page++) {
        const bytes = Buffer.from(sound);
        bytes.fill(byte, page * pageBytes, (page + 1) * pageBytes);
        writeFileSync(path, bytes);
        expect((await expectRefusal(path, openAccess)).message).toContain("damaged");
      }
      writeFileSync(path, sound);
      const access = openAccess(home.folder);
      expect(access.run(listUsers(0))).toHaveLength(60);
      access.close();
    },
  );

  test("is reported before a migration changes the file", async () => {
    using folder = openFolder();
    const path = join(folder.path, "notes.db");
    withDatabase(path, schemaOf(FIRST), (database) => {
      for (let i = 0; i < 200; i++)
        database.run("INSERT INTO notes VALUES (?)", ["x".repeat(1_000)]);
    });
    const bytes = readFileSync(path);
    bytes.fill(255, bytes.length - 4_096);
    writeFileSync(path, bytes);
    const precious: Schema = { ...schemaOf(FIRST, SECOND), isPrecious: true };
    await expectRefusal(path, () => openDatabase(path, precious));
  });
});
