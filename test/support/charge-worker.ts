// A process that charges a token until it is refused or killed. It waits for a line on
// stdin before it begins, and writes a dot after every counted call.
//
// Usage: bun charge-worker.ts FOLDER TOKEN_ID PLAN NOW
import { writeSync } from "node:fs";
import { isPlanName } from "#access/plans.ts";
import { openAccess } from "#store/index.ts";
import { openGuard } from "./at-once.ts";

const [folder = "", tokenId, plan = "", now] = process.argv.slice(2);
if (!isPlanName(plan)) throw new Error(`no plan: ${plan}`);
const access = openAccess(folder);
const guard = openGuard({ access, clock: () => Number(now) });
const principal = { tokenId: Number(tokenId), user: "worker", plan };

writeSync(1, "ready\n");
for await (const _ of Bun.stdin.stream()) break;
for (let calls = 1; guard.charge(principal).denied === null; calls++) {
  writeSync(1, ".");
  // A loop without a pause would never give the lock to another process.
  if (calls % 20 === 0) Bun.sleepSync(1);
}
access.close();
