/**
 * Exports of a market of 5,000 instruments with ten years of daily bars, splits and dividends: time, peak memory, size,
 * and the stalls of a service on the same folder meanwhile. Run it with `bun test/bench/export.ts`; `--instruments 500`
 * is a tenth. It asserts nothing.
 */
import { statSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Manifest } from "#exports/manifest.ts";
import { claimMarket } from "#ingest/ingest.ts";
import { formatTable } from "#lib/table.ts";
import { openMarket } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
import { bunCommand, childEnv, endChildren, spawnChild } from "../support/child-process.ts";
import { MAIN } from "../support/cli.ts";
import { fillLargeMarket, largeInstrument } from "../support/large-market.ts";
import { spawnServe } from "../support/serve-process.ts";
import { processUsage } from "./process-usage.ts";
import type { ProbeResult, ProbeTarget } from "./stall-probe.ts";

const { values: flags } = parseArgs({
  options: {
    instruments: { type: "string", default: "5000" },
    bars: { type: "string", default: "2500" },
  },
});
const instruments = Number(flags.instruments);
const barsEach = Number(flags.bars);
const YEARS = 10;
/** How often the memory of an export is read. */
const WATCH_MS = 20;

const print = (text: string) => void process.stdout.write(`${text}\n`);
const seconds = (since: number) => ((performance.now() - since) / 1_000).toFixed(1);

/** A dividend a quarter for ten years, and a split. */
function putEvents(folder: string): void {
  const market = openMarket(folder);
  const provenance = { source: "yahoo", storedAt: Date.now() };
  const dates = Array.from(
    { length: 4 * YEARS },
    (_, i) => `${2016 + Math.floor(i / 4)}-${String(2 + 3 * (i % 4)).padStart(2, "0")}-10`,
  );
  market.transaction(() => {
    for (let i = 0; i < instruments; i++) {
      const { country, symbol } = largeInstrument(i);
      const dividends = dates.map((exDate) => ({ exDate, amount: 0.2 }));
      market.documents.put("dividends", [{ country, symbol, dividends }], provenance);
      const splits = [{ exDate: "2020-08-31", numerator: 4, denominator: 1 }];
      market.documents.put("splits", [{ country, symbol, splits }], provenance);
    }
  });
  claimMarket(market, "live");
  market.close();
}

/** Runs an export; its time includes the start of the program. */
async function measure(data: string, target: string, more: readonly string[], nice = false) {
  const began = performance.now();
  const command = [...bunCommand(MAIN), "export", target, "--data", data, "--json", ...more];
  const child = spawnChild(nice ? ["nice", "-n", "19", ...command] : command, {
    env: childEnv(),
    stdout: "pipe",
    stderr: "inherit",
  });
  let peakMb = 0;
  const watch = setInterval(() => {
    peakMb = Math.max(
      peakMb,
      // NaN while the program is being started.
      processUsage(child.pid)?.residentMb || 0,
    );
  }, WATCH_MS);
  const [manifest] = await Promise.all([
    new Response(child.stdout).json() as Promise<Manifest>,
    child.exited,
  ]);
  clearInterval(watch);
  const bytes = manifest.files.reduce((sum, one) => sum + one.bytes, 0);
  const rows = manifest.files.reduce((sum, one) => sum + one.rows, 0);
  return { seconds: seconds(began), peakMb: Math.round(peakMb), bytes, rows };
}

/** Calls the service and a bare server until `work` has ended. */
async function probe(targets: readonly ProbeTarget[], work: () => Promise<void>) {
  const child = spawnChild(
    [...bunCommand(join(import.meta.dir, "stall-probe.ts")), JSON.stringify(targets)],
    { env: childEnv(), stdin: "pipe", stdout: "pipe", stderr: "inherit" },
  );
  await work();
  await child.stdin.end();
  return (await new Response(child.stdout).json()) as Record<string, ProbeResult>;
}

using folder = openFolder();
const data = join(folder.path, "data");
print(`${cpus().length} × ${cpus()[0]?.model}; load before ${loadavg()[0]?.toFixed(1)}`);
const began = performance.now();
const filled = openMarket(data);
fillLargeMarket(filled, { instruments, barsEach, quartersEach: 4 * YEARS, now: Date.now() });
filled.close();
putEvents(data);
const sizeMb = statSync(join(data, "market.db")).size / 1e6;
print(
  `${(instruments * barsEach).toLocaleString("en-US")} bars in ${sizeMb.toFixed(0)} MB, made in ${seconds(began)} s`,
);

const rows: (string | number)[][] = [];
const add = (what: string, result: Awaited<ReturnType<typeof measure>>) => {
  const { bytes, rows: count } = result;
  rows.push([
    what,
    result.seconds,
    result.peakMb,
    (bytes / 1e6).toFixed(0),
    (bytes / count).toFixed(1),
  ]);
};
const only = ["--kinds", "bars"];
add("bars, parquet", await measure(data, join(folder.path, "bars"), only));
add("bars, csv", await measure(data, join(folder.path, "csv"), [...only, "--format", "csv"]));
add("everything, parquet", await measure(data, join(folder.path, "all"), []));
for (const format of ["lean", "zipline", "flat"]) {
  add(format, await measure(data, join(folder.path, format), ["--format", format]));
}

const service = await spawnServe(data, {
  flags: ["--gate-per-minute", "0", "--market", "live", "--sources", "entrade"],
  env: { BOURSE_SOURCE_URL_ENTRADE: "http://127.0.0.1:1" },
});
await service.isReady();
const floor = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("{}") });
const symbol = largeInstrument(0).symbol;
const targets = [
  {
    name: "service",
    url: `${service.url}/api/v1/svc/data/stocks/${symbol}/history?country=US&limit=68`,
    tokens: [service.ownersToken],
  },
  { name: "floor", url: `http://127.0.0.1:${floor.port}/`, tokens: [""] },
];
const stalls: (string | number)[][] = [];
const addStalls = (what: string, result: Record<string, ProbeResult>) => {
  const { service: ours, floor: bare } = result;
  if (!ours || !bare) return;
  stalls.push([
    what,
    ours.calls,
    ours.p99Ms.toFixed(1),
    bare.p99Ms.toFixed(1),
    ours.maxMs.toFixed(1),
    bare.maxMs.toFixed(1),
  ]);
};
addStalls("no export", await probe(targets, () => Bun.sleep(10_000)));
for (const nice of [true, false]) {
  let result: Awaited<ReturnType<typeof measure>> | null = null;
  const probed = await probe(targets, async () => {
    result = await measure(data, join(folder.path, `beside-${nice}`), [], nice);
  });
  const what = nice ? "on schedule (lowest priority)" : "by hand";
  if (result) add(`everything, beside calls, ${what}`, result);
  addStalls(what, probed);
}
await service.stop();
await floor.stop(true);
await endChildren();
print(formatTable(["EXPORT", "SECONDS", "PEAK MB", "FILES MB", "BYTES A ROW"], rows));
print(
  formatTable(["SERVICE MEANWHILE", "CALLS", "P99 MS", "FLOOR'S", "LONGEST MS", "FLOOR'S"], stalls),
);
