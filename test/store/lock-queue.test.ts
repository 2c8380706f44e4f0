import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { readConfig } from "#config.ts";
import { isDatabaseBusy } from "#domain/errors.ts";
import { getOwner } from "#service/announce.ts";
import { LockQueue, openAccess, withLockQueue } from "#store/index.ts";
import { addUser, listUsers } from "#store/users.ts";
import type { Work } from "#store/work.ts";
import { openFolder } from "../support/access.ts";
import { START } from "../support/service.ts";

const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));
const anna = { name: "anna", plan: "free", role: "user", createdAt: 1 } as const;

/** An access file that another connection can lock; `step` ends one pause of the queue. */
function openHome(waitMs = 60) {
  const folder = openFolder();
  const pauses: (() => void)[] = [];
  const sleep = () => new Promise<void>((resolve) => void pauses.push(resolve));
  const file = openAccess(folder.path, { busyTimeoutMs: 0 });
  const lock = new Database(join(folder.path, "access.db"));
  return {
    folder: folder.path,
    access: withLockQueue(file, new LockQueue({ waitMs, sleep })),
    lock: () => lock.run("BEGIN IMMEDIATE"),
    unlock: () => lock.run("ROLLBACK"),
    async step() {
      await nextTurn();
      pauses.shift()?.();
      await nextTurn();
    },
    [Symbol.dispose]() {
      lock.close();
      file.close();
      folder[Symbol.dispose]();
    },
  };
}

describe("an access file in a lock queue", () => {
  test("returns values while it is free, without a promise", () => {
    using home = openHome();
    expect(home.access.run(addUser(anna))).toBe(true);
    expect(home.access.transaction(() => listUsers(0))).toHaveLength(1);
  });

  test.each(["run", "transaction"] as const)(
    "%s waits for another process, and reads do not",
    async (method) => {
      using home = openHome();
      home.lock();
      const { access } = home;
      const added =
        method === "run" ? access.run(addUser(anna)) : access.transaction(() => addUser(anna));
      expect(added).toBeInstanceOf(Promise);
      expect(access.run(listUsers(0))).toEqual([]);
      await home.step();
      home.unlock();
      await home.step();
      expect(await added).toBe(true);
      expect(access.run(listUsers(0))).toHaveLength(1);
    },
  );

  test("throws the error of the lock at the statement, if it stays locked", async () => {
    using home = openHome();
    home.lock();
    function* work(): Work<unknown> {
      try {
        return yield* addUser(anna);
      } catch (error) {
        return error;
      }
    }
    const caught = home.access.run(work());
    for (let pauses = 0; pauses < 3; pauses++) await home.step();
    expect(isDatabaseBusy(await caught)).toBe(true);
    home.unlock();
  });

  test("creates the owner of a first start, with a token, when the file is free", async () => {
    using home = openHome();
    home.lock();
    const config = readConfig({ data: home.folder }, {});
    const world = { isOutputTerminal: true } as Parameters<typeof getOwner>[1]["world"];
    const owner = getOwner(home.access, { world, config, clock: () => START });
    await home.step();
    home.unlock();
    for (let pauses = 0; pauses < 3; pauses++) await home.step();
    expect(await owner).toMatchObject({
      user: { name: "owner" },
      token: expect.stringMatching(/^bourse_/),
    });
  });
});
