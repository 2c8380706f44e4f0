/**
 * Exports of a market of 5,000 instruments with ten years of daily bars, splits and dividends: time, peak memory, size,
 * and the stalls of a service on the same folder meanwhile, beside those of a process that does nothing. Run it with
 * `bun test/bench/export.ts`; `--instruments 500` is a tenth, `--data FOLDER` keeps the market. It asserts nothing.
 */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Manifest } from "#exports/manifest.ts";
import { formatTable } from "#lib/table.ts";
import { openFolder } from "../support/access.ts";
import { bunCommand, childEnv, endChildren, spawnChild } from "../support/child-process.ts";
import { largeInstrument } from "../support/large-market.ts";
import {
  load,
  makeLargeFolder,
  measureCommand,
  type MeasuredCommand,
  megabytes,
  print,
  serveLargeFolder,
} from "./large-folder.ts";
import type { ProbeResult, ProbeTarget } from "./stall-probe.ts";

const { values: flags } = parseArgs({
  options: {
    instruments: { type: "string", default: "5000" },
    bars: { type: "string", default: "2500" },
    data: { type: "string" },
    /** Exports of each kind; the fastest one counts, and the largest memory. */
    runs: { type: "string", default: "3" },
  },
});

using folder = openFolder();
const data = flags.data ?? join(folder.path, "data");
const target = join(folder.path, "market");
const rows: (string | number)[][] = [];

const exportOnce = (more: readonly string[], isNice = false) => {
  rmSync(target, { recursive: true, force: true });
  return measureCommand(["export", target, "--data", data, "--json", ...more], { isNice });
};

function add(what: string, runs: readonly MeasuredCommand[]): void {
  const [first] = runs;
  const { files } = JSON.parse(first?.stdout ?? "") as Manifest;
  const bytes = files.reduce((sum, one) => sum + one.bytes, 0);
  const count = files.reduce((sum, one) => sum + one.rows, 0);
  const seconds = runs.map((run) => Number(run.seconds));
  rows.push([
    what,
    Math.min(...seconds).toFixed(1),
    Math.max(...seconds).toFixed(1),
    Math.min(...runs.map((run) => run.peakMb)),
    Math.max(...runs.map((run) => run.peakMb)),
    megabytes(bytes),
    (bytes / count).toFixed(1),
    load(),
  ]);
  print(`${what}: ${seconds.join(", ")} s`);
}

/** Calls the targets, and does nothing in another process, until `work` has ended. */
async function probe(targets: readonly ProbeTarget[], work: () => Promise<unknown>) {
  const probes = [targets, [{ name: "nothing", url: null, tokens: [] }]].map((list) =>
    spawnChild([...bunCommand(join(import.meta.dir, "stall-probe.ts")), JSON.stringify(list)], {
      env: childEnv(),
      stdin: "pipe",
      stdout: "pipe",
      stderr: "inherit",
    }),
  );
  await work();
  for (const child of probes) await child.stdin.end();
  const results = probes.map((child) => new Response(child.stdout).json());
  return Object.assign({}, ...(await Promise.all(results))) as Record<string, ProbeResult>;
}

if (!existsSync(join(data, "market.db"))) {
  const size = { instruments: Number(flags.instruments), barsEach: Number(flags.bars) };
  makeLargeFolder(data, size, { hasEvents: true });
}
for (const [what, ...more] of [
  ["bars, Parquet", "--kinds", "bars"],
  ["bars, CSV", "--kinds", "bars", "--format", "csv"],
  ["everything, Parquet"],
  ["lean, US", "--format", "lean", "--country", "US"],
  ["zipline", "--format", "zipline"],
  ["flat", "--format", "flat"],
] as const) {
  const runs: MeasuredCommand[] = [];
  while (runs.length < Number(flags.runs)) runs.push(await exportOnce(more));
  add(what, runs);
}

const service = await serveLargeFolder(data);
await service.isReady();
const floor = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("{}") });
const { symbol } = largeInstrument(0);
const targets: ProbeTarget[] = [
  {
    name: "service",
    url: `${service.url}/api/v1/svc/data/stocks/${symbol}/history?country=US&limit=68`,
    tokens: [service.ownersToken],
  },
  { name: "floor", url: `http://127.0.0.1:${floor.port}/`, tokens: [""] },
];
const stalls: (string | number)[][] = [];
for (const [what, work] of [
  ["no export", () => Bun.sleep(25_000)],
  ["on schedule, lowest priority", () => exportOnce([], true)],
  ["by hand", () => exportOnce([])],
] as const) {
  const results = await probe(targets, work);
  const figures = ["service", "floor", "nothing"].flatMap((name) => {
    const result = results[name];
    const times = result ? [result.p99Ms, result.p999Ms, result.maxMs] : [];
    return [result?.calls ?? 0, ...times.map((ms) => ms.toFixed(1))];
  });
  stalls.push([what, ...figures, load()]);
}
await service.stop();
await floor.stop(true);
await endChildren();
const COLUMNS = "SECONDS,AT MOST,PEAK MB,AT MOST,FILES MB,BYTES A ROW,LOAD".split(",");
print(formatTable(["EXPORT", ...COLUMNS], rows));
const each = (name: string) => [name, "P99", "P99.9", "LONGEST"];
print("Milliseconds of answers of the service and of a bare server, and of a pause of nothing:\n");
print(
  formatTable(
    ["MEANWHILE", ...each("SERVICE"), ...each("BARE SERVER"), ...each("NOTHING"), "LOAD"],
    stalls,
  ),
);
