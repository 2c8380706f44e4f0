// A process that saves the list "mine" of anna again and again until it is killed. All items of a save have its
// number as their note. It writes a dot after each save.
//
// Usage: bun list-worker.ts FOLDER NAME
import { writeSync } from "node:fs";
import { UserData } from "#access/user-data.ts";
import { openAccess } from "#store/index.ts";

const [folder = "", name = ""] = process.argv.slice(2);
const access = openAccess(folder);
const actor = { name, address: null };
const data = new UserData({ access, clock: Date.now, user: "anna", actor });
for (let count = 1; ; count++) {
  const items = Array.from({ length: 300 }, (_, i) => ({
    country: "JP" as const,
    symbol: String(1_000 + i),
    note: `${name} ${count}`,
  }));
  void data.save("list", { name: "mine", items });
  writeSync(1, ".");
  // A loop without a pause would never give the lock to the other process.
  Bun.sleepSync(1);
}
