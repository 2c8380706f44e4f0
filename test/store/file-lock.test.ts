import { afterAll, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isInUse, isLocked, lockFile, openAccess } from "#store/index.ts";
import { addUser } from "#store/users.ts";
import { openFolder } from "../support/access.ts";
import { endChildren, resultOf, spawnChild } from "../support/child-process.ts";
import { expectError } from "../support/error.ts";

afterAll(endChildren);

test("a file is locked until it is released, and then removed", () => {
  using folder = openFolder();
  const path = join(folder.path, "a.lock");
  expect(isLocked(path)).toBe(false);
  const lock = lockFile(path);
  expect([isLocked(path), lockFile(path)]).toEqual([true, null]);
  lock?.release();
  expect([isLocked(path), existsSync(path)]).toEqual([false, false]);
  lockFile(path)?.release();
  expect(readdirSync(folder.path)).toEqual([]);
});

/** What another process sees when it reads the database. */
async function readElsewhere(path: string): Promise<string> {
  const code = `const { Database } = require("bun:sqlite");
    try {
      const database = new Database(${JSON.stringify(path)});
      database.run("PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
      console.log("free");
    } catch (error) { console.log(error.code); }`;
  const { stdout } = await resultOf(
    spawnChild([process.execPath, "-e", code], { stdin: "ignore", stderr: "pipe" }),
  );
  return stdout.trim();
}

test("a second attempt of the same process leaves the lock to the first, for other processes too", async () => {
  using folder = openFolder();
  const path = join(folder.path, "a.lock");
  const lock = lockFile(path);
  expect(lockFile(path)).toBeNull();
  expect(await readElsewhere(path)).toBe("SQLITE_BUSY");
  lock?.release();

  // A database that is opened twice stays in use when the second connection is closed.
  const access = openAccess(folder.path);
  openAccess(folder.path).close();
  expect(await readElsewhere(join(folder.path, "access.db"))).toBe("SQLITE_BUSY");
  access.close();
  expect(await readElsewhere(join(folder.path, "access.db"))).toBe("free");
});

test("a file that a killed process left is not locked, and can be locked", () => {
  using folder = openFolder();
  const path = join(folder.path, "a.lock");
  writeFileSync(path, "");
  expect(isLocked(path)).toBe(false);
  const lock = lockFile(path);
  expect(isLocked(path)).toBe(true);
  lock?.release();
});

test("a process whose file was removed by hand does not remove the file of the next one", () => {
  using folder = openFolder();
  const path = join(folder.path, "a.lock");
  const lock = lockFile(path);
  expect(lock?.isHeld()).toBe(true);
  rmSync(path);
  expect(lock?.isHeld()).toBe(false);
  const next = lockFile(path);
  expect([lock?.isHeld(), next?.isHeld()]).toEqual([false, true]);
  lock?.release();
  expect(isLocked(path)).toBe(true);
  next?.release();
  expect(existsSync(path)).toBe(false);
});

test("a lock in a folder that cannot be written names its file", async () => {
  using folder = openFolder();
  const path = join(folder.path, "none", "a.lock");
  const { message } = await expectError(() => lockFile(path), "unavailable");
  expect(message).toContain(`${path} cannot be written (ENOENT)`);
});

test("a look at a file that no process uses changes neither its bytes nor its mode", () => {
  using folder = openFolder();
  const path = join(folder.path, "access.db");
  const access = openAccess(folder.path);
  expect(isInUse(path)).toBe(true);
  access.close();
  const before = readFileSync(path);
  // Bytes 18 and 19 of the header are 2 in WAL mode (https://www.sqlite.org/fileformat.html).
  expect([before[18], before[19]]).toEqual([2, 2]);
  expect(isInUse(path)).toBe(false);
  expect(readFileSync(path).equals(before)).toBe(true);
  rmSync(path);
  expect(isInUse(path)).toBe(false);
});

test.skipIf(process.platform !== "linux")(
  "the error of a locked file names its holder",
  async () => {
    using folder = openFolder();
    const path = join(folder.path, "access.db");
    openAccess(folder.path).close();
    const code = `const { Database } = require("bun:sqlite");
    const database = new Database(${JSON.stringify(path)});
    database.run("BEGIN IMMEDIATE");
    console.log("locked");
    setInterval(() => database, 1000);`;
    const holder = spawnChild([process.execPath, "-e", code], { stdout: "pipe" });
    await holder.stdout.getReader().read();
    const access = openAccess(folder.path, { busyTimeoutMs: 0 });
    const add = addUser({ name: "anna", plan: "free", role: "user", createdAt: 1 });
    const { message } = await expectError(() => {
      try {
        access.run(add);
      } catch (error) {
        throw access.toUserError(error);
      }
    }, "unavailable");
    expect(message).toContain(`access.db is locked by another process (${holder.pid}).`);
    access.close();
  },
);
