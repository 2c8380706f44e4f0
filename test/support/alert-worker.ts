// A process that changes the price of a share step by step and judges the rules about it, until it kills itself at a
// statement of the access store. The price of the market tells at which step it is. Without KILL, it ends after STEPS.
//
// Usage: bun alert-worker.ts FOLDER KILL STEPS
import { Judging } from "#alerts/judging.ts";
import { dateOf } from "#lib/date.ts";
import { CompanyRollups } from "#rollups/company-rollups.ts";
import { type AccessStore, openAccess, openMarket } from "#store/index.ts";
import type { Work } from "#store/work.ts";
import { AT, quoteAt } from "./judging.ts";
import { SAMPLE } from "./market.ts";

const HOUR_MS = 3_600_000;

const [folder = "", kill = "0", steps = "0"] = process.argv.slice(2);
let left = Number(kill);

/** Each statement of the store is a moment at which the process can end. */
function* counted<T>(work: Work<T>): Work<T> {
  let step = work.next();
  while (!step.done) {
    if (left > 0 && --left === 0) process.kill(process.pid, "SIGKILL");
    step = work.next(yield step.value);
  }
  return step.value;
}

const file = openAccess(folder);
const access: AccessStore = {
  ...file,
  run: (work) => file.run(counted(work)),
  transaction: (work) => file.transaction(() => counted(work())),
};
let step = 0;
const clock = () => AT + step * HOUR_MS;
const market = openMarket(folder, clock);
// 500 and more in even steps, 300 and more in odd ones, with the step behind the point.
const priceOf = (one: number) => (one % 2 === 0 ? 500 : 300) + one / 10_000;
const stored = market.documents.find("quotes", "US", "ACME")?.price ?? 500;
step = Math.round((stored % 100) * 10_000);
const judging = new Judging({
  access,
  market,
  rollups: new CompanyRollups(market, clock, { servesPrevious: true }),
  clock,
  stopwatch: () => performance.now(),
  log: { info() {}, warn: fail, error: fail },
  mayJudge: () => true,
});
function fail(...event: unknown[]): void {
  process.stderr.write(`${JSON.stringify(event)}\n`);
}
// What the process before did not get to.
await judging.run();
for (let i = 0; kill !== "0" || i < Number(steps); i++) {
  step++;
  const date = dateOf(clock());
  market.put("quotes", [quoteAt("ACME", priceOf(step), { date })], SAMPLE);
  await judging.run();
}
market.close();
file.close();
