import { afterAll, expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { Accounts } from "#access/accounts.ts";
import { COMMAND_LINE } from "#access/audit.ts";
import { UserData } from "#access/user-data.ts";
import { listAuditEntries } from "#store/audit.ts";
import { openAccess } from "#store/index.ts";
import { openAccessTwice, openFolder } from "../support/access.ts";
import { bunCommand, endChildren, spawnChild } from "../support/child-process.ts";
import { describeUserData } from "./describe-user-data.ts";

describeUserData("SQLite", openAccessTwice);

afterAll(endChildren);

const WORKER = fileURLToPath(new URL("../support/list-worker.ts", import.meta.url));

test("two processes that save one list and are killed leave one save, whole, and every entry of the audit log", async () => {
  using folder = openFolder();
  const parts = { access: openAccess(folder.path), clock: Date.now, actor: COMMAND_LINE };
  await new Accounts(parts).addUser("anna", "max");
  parts.access.close();
  const saved = await Promise.all(
    ["one", "two"].map(async (name) => {
      const child = spawnChild([...bunCommand(WORKER), folder.path, name]);
      const reader = child.stdout.getReader();
      let count = 0;
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        count += value.length;
        if (count >= 20) child.kill("SIGKILL");
      }
      return count;
    }),
  );

  const access = openAccess(folder.path);
  const data = new UserData({ ...parts, access, user: "anna" });
  const { items } = (await data.get("list", "mine")).value;
  expect(items).toHaveLength(300);
  const notes = new Set(items.map(({ note }) => note));
  expect(notes.size).toBe(1);
  const entries = access
    .run(listAuditEntries({ limit: 10_000 }))
    .filter(({ action }) => action === "list saved");
  // The last save of each process may be stored without its dot.
  for (const [i, name] of ["one", "two"].entries()) {
    const stored = entries.filter(({ actor }) => actor === name).length;
    expect(stored - (saved[i] ?? 0)).toBeWithin(0, 2);
    if (entries[0]?.actor === name) expect([...notes]).toEqual([`${name} ${stored}`]);
  }
  access.close();
});
