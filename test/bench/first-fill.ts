/**
 * The first fill of an empty folder with played sources at their limits, as `serve` fills it: lists, and
 * the 500 largest companies of each country. It prints requests, bytes and minutes for each source, the time of
 * each list, the companies that were fetched, peak memory and the longest turn of the event loop. The clock is
 * virtual; run it with `bun test/bench/first-fill.ts`. It ends after 20 minutes, or after `--minutes 600`.
 * Companies have statements in all frames, so their number is `COMPANIES` of `fill-frames.ts`. Most companies
 * are unknown to their first source and go on to Yahoo, which is worse for Yahoo's lists than real companies.
 */
import { parseArgs } from "node:util";
import { COUNTRY_CODES } from "#domain/country.ts";
import { LARGEST_COUNT } from "#ingest/progress.ts";
import { formatTable } from "#lib/table.ts";
import { openFolder } from "../support/access.ts";
import { PLAYED_AT } from "../support/played-answer.ts";
import { startPlayedService } from "../support/played-service.ts";
import { playSources } from "../support/played-sources.ts";
import { countFetches, createVirtualTime } from "../support/virtual-time.ts";
import { framesMs, playFrames } from "./fill-frames.ts";

const { values: flags } = parseArgs({ options: { minutes: { type: "string" } } });
const MINUTE = 60_000;
const LIMIT = Number(flags.minutes ?? 20) * MINUTE;

const print = (text: string) => void process.stdout.write(`${text}\n`);

using folder = openFolder();
const played = await playSources({ sec: playFrames });
using fetches = countFetches();
const time = createVirtualTime(PLAYED_AT, () => fetches.running() > 0);
const service = await startPlayedService(folder.path, played, {
  time,
  patience: time.sleep,
  largest: LARGEST_COUNT,
});
/** The minutes after which each list was complete. */
const after = new Map<string, string>();
/** The companies of each kind and country, and the minutes after which the last of them was fetched. */
const companies = new Map<string, { count: number; minutes: string }>();
const lastCall = new Map<string, number>();
let peak = 0;
let longest = 0;
let isOver = false;
void (async () => {
  for (let [at, playing] = [performance.now(), 0]; !isOver;) {
    await new Promise((resolve) => void setImmediate(resolve));
    const now = performance.now();
    longest = Math.max(longest, now - at - (framesMs() - playing));
    [at, playing] = [now, framesMs()];
    peak = Math.max(peak, process.memoryUsage.rss());
  }
})();
const before = process.memoryUsage.rss();
const running = service.live.schedule.run({
  stopped: () => time.now - PLAYED_AT >= LIMIT,
  onOutcome: ({ kind, country, symbol, source }) => {
    const minutes = (time.now - PLAYED_AT) / MINUTE;
    const name = `${kind} ${country}`;
    if (symbol === null) after.set(name, minutes.toFixed(1));
    else {
      const count = (companies.get(name)?.count ?? 0) + 1;
      companies.set(name, { count, minutes: minutes.toFixed(1) });
    }
    for (const name of source?.split(", ") ?? []) lastCall.set(name, minutes);
  },
});
await time.passUntil(running);
isOver = true;
const statements = service.market.listCounts().find(({ kind }) => kind === "statements");
const bySource = Map.groupBy(played.calls, ({ source }) => source);
print(
  formatTable(
    ["SOURCE", "REQUESTS", "MB", "MINUTES"],
    [...bySource].map(([source, calls]) => [
      source,
      calls.length,
      (calls.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6).toFixed(1),
      lastCall.get(source)?.toFixed(1) ?? "",
    ]),
  ),
);
print(formatTable(["LIST", "AFTER MINUTES"], [...after]));
print(
  formatTable(
    ["COMPANIES", "NUMBER", "LAST AFTER MINUTES"],
    [...companies].map(([name, { count, minutes }]) => [name, count, minutes]),
  ),
);
const megabytes = (bytes: number) => Math.round(bytes / 1e6);
print(`${COUNTRY_CODES.length} countries, ${statements?.count ?? 0} statements`);
print(`memory: ${megabytes(before)} MB before, ${megabytes(peak)} MB at most (sources included)`);
print(`longest turn of the event loop: ${longest.toFixed(1)} ms`);
await service.stop();
await played.stop();
