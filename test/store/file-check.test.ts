import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { createFileCheck } from "#store/file-check.ts";
import { openAccess, openMarket, toUserError } from "#store/index.ts";
import { addUser } from "#store/users.ts";
import { openFolder } from "../support/access.ts";
import { expectFailure, runOn } from "../support/cli.ts";

/** Opens both files, each with a change that is in its log only. */
function openFiles() {
  const folder = openFolder();
  const access = openAccess(folder.path);
  const market = openMarket(folder.path);
  access.run(addUser({ name: "anna", plan: "free", role: "user", createdAt: 1 }));
  market.setSetting("a", "1");
  return {
    path: folder.path,
    stores: { "access.db": access, "market.db": market },
    [Symbol.dispose]() {
      market.close();
      access.close();
      folder[Symbol.dispose]();
    },
  };
}

describe.each(["access.db", "market.db"] as const)("the check of %s", (name) => {
  test.each(["-wal", "-shm"])("finds that %s was removed", (suffix) => {
    using home = openFiles();
    const store = home.stores[name];
    expect(store.checkFile()).toBeUndefined();
    rmSync(join(home.path, name + suffix));
    expect(() => store.checkFile()).toThrow(
      `${name}${suffix} was removed while bourse was using it.`,
    );
  });

  test.each(["", "-wal"])("finds that %s was emptied", (suffix) => {
    using home = openFiles();
    const store = home.stores[name];
    truncateSync(join(home.path, name + suffix));
    expect(() => store.checkFile()).toThrow(
      `${name}${suffix} was emptied while bourse was using it.`,
    );
  });

  test("is not disturbed by a checkpoint of another process", () => {
    using home = openFiles();
    using other = new Database(join(home.path, name));
    other.run("PRAGMA wal_checkpoint(TRUNCATE)");
    expect(home.stores[name].checkFile()).toBeUndefined();
    other.close();
    expect(home.stores[name].checkFile()).toBeUndefined();
  });
});

test("a log that another process begins during the check was not emptied", () => {
  using folder = openFolder();
  const path = join(folder.path, "market.db");
  openMarket(folder.path).close();
  using database = new Database(path);
  using other = new Database(path);
  expect(database.query("SELECT count(*) FROM settings").values()).toHaveLength(1);
  expect(statSync(`${path}-wal`).size).toBe(0);
  // The other process writes after the check has seen the empty log.
  const late = {
    query(sql: string) {
      other.run("INSERT OR REPLACE INTO settings (name, value) VALUES ('a', '1')");
      return database.query(sql);
    },
  } as Database;
  expect(createFileCheck(path, late)()).toBeUndefined();
});

test.skipIf(!existsSync("/proc/locks"))(
  "the check releases no lock of SQLite: without it, another process would empty the index",
  () => {
    using home = openFiles();
    for (const [name, store] of Object.entries(home.stores)) {
      store.checkFile();
      for (const file of [name, `${name}-shm`]) {
        const { ino } = statSync(join(home.path, file));
        // 1: POSIX  ADVISORY  READ 1234 fe:00:5678 128 128
        const held = new RegExp(` ${process.pid} \\S+:${ino} `);
        expect([file, held.test(readFileSync("/proc/locks", "utf8"))]).toEqual([file, true]);
      }
    }
  },
);

test.each([
  ["access.db", "SELECT name AS found FROM users", "anna"],
  ["market.db", "SELECT value AS found FROM settings WHERE name = 'a'", "1"],
] as const)(
  "what was in a removed log of %s is moved into the file, so a killed process loses nothing",
  (name, sql, found) => {
    using home = openFiles();
    rmSync(join(home.path, `${name}-wal`));
    expect(() => home.stores[name].checkFile()).toThrow("was removed");
    // As another process reads the file after this one was killed: without its index.
    rmSync(join(home.path, `${name}-shm`));
    using file = new Database(join(home.path, name), { readonly: true });
    expect(file.query(sql).get()).toEqual({ found });
  },
);

test("a command does not call a whole file damaged if its log was emptied", async () => {
  using home = openFiles();
  truncateSync(join(home.path, "access.db-wal"));
  const result = await runOn(home.path, "user", "list");
  expectFailure(result, "access.db-wal was removed or emptied", "The file itself is whole.");
});

test.skipIf(!existsSync("/proc/self/fd"))(
  "each failed statement of an emptied log leaves no open file",
  () => {
    using home = openFiles();
    const path = join(home.path, "access.db");
    truncateSync(`${path}-wal`);
    const countOpen = () => readdirSync("/proc/self/fd").length;
    const error = Object.assign(new Error("damaged"), { code: "SQLITE_CORRUPT" });
    expect(toUserError(path, error)).toMatchObject({
      message: expect.stringContaining("was removed or emptied"),
    });
    const before = countOpen();
    for (let i = 0; i < 20; i++) toUserError(path, error);
    expect(countOpen()).toBe(before);
  },
);
