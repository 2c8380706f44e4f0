/**
 * A market of 5,000 instruments with ten years of daily bars, as the user of a real folder feels it: sizes, export,
 * import, start, memory, backup, restore, and each operation on its first and later calls. Run it with
 * `bun test/bench/large.ts`; `--instruments 500` is a tenth, `--data FOLDER` keeps the market for the next run.
 * It asserts nothing.
 */
import { existsSync, readdirSync, statSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { claimMarket } from "#ingest/ingest.ts";
import { formatTable } from "#lib/table.ts";
import { openMarket } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
import { bunCommand, childEnv, endChildren, spawnChild } from "../support/child-process.ts";
import { MAIN } from "../support/cli.ts";
import { fillLargeMarket, largeInstrument } from "../support/large-market.ts";
import { spawnServe } from "../support/serve-process.ts";
import { processUsage } from "./process-usage.ts";

const { values: flags } = parseArgs({
  options: {
    instruments: { type: "string", default: "5000" },
    bars: { type: "string", default: "2500" },
    data: { type: "string" },
    /** The country whose bars are imported: Viet Nam has one of fifteen instruments, Japan four, the US ten. */
    imported: { type: "string", default: "VN" },
  },
});
const instruments = Number(flags.instruments);
const barsEach = Number(flags.bars);
const QUARTERS = 40;
/** How often the usage of a process is read. */
const WATCH_MS = 20;
/** Calls of each operation, of as many symbols where it has one. */
const CALLS = 100;

const print = (text: string) => void process.stdout.write(`${text}\n`);
const load = () => (loadavg()[0] ?? 0).toFixed(1);
const mb = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
const rows: (string | number)[][] = [];

/** Runs a command of the program. Its times include the start of the program. */
async function run(what: string, argv: readonly string[], sizeOf: () => number) {
  const began = performance.now();
  const child = spawnChild([...bunCommand(MAIN), ...argv], {
    env: childEnv(),
    stdout: "pipe",
    stderr: "inherit",
  });
  let [peakMb, cpuMs] = [0, 0];
  const watch = setInterval(() => {
    const usage = processUsage(child.pid);
    // NaN while the program is being started.
    peakMb = Math.max(peakMb, usage?.residentMb || 0);
    cpuMs = Math.max(cpuMs, usage?.cpuMs || 0);
  }, WATCH_MS);
  const [stdout, code] = await Promise.all([new Response(child.stdout).text(), child.exited]);
  clearInterval(watch);
  if (code !== 0) throw new Error(`${argv.join(" ")} ended with ${code}: ${stdout}`);
  const wall = ((performance.now() - began) / 1_000).toFixed(1);
  rows.push([what, wall, (cpuMs / 1_000).toFixed(1), peakMb.toFixed(0), mb(sizeOf()), load()]);
  print(`${what}: ${wall} s`);
}

/** The bytes of a file, or of all files below a folder. */
function bytesOf(path: string): number {
  if (!existsSync(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0);
}

using folder = openFolder();
const data = flags.data ?? join(folder.path, "data");
print(`${cpus().length} × ${cpus()[0]?.model}; load before ${load()}`);
if (!existsSync(join(data, "market.db"))) {
  const market = openMarket(data);
  fillLargeMarket(market, { instruments, barsEach, quartersEach: QUARTERS, now: Date.now() });
  claimMarket(market, "live");
  market.close();
}
print(
  `${(instruments * barsEach).toLocaleString("en-US")} bars in ${mb(bytesOf(join(data, "market.db")))}`,
);

async function measureOperations(service: Awaited<ReturnType<typeof spawnServe>>) {
  // Of the US, spread over all of its instruments.
  const ofUs = Array.from({ length: instruments }, (_, i) => i).filter((i) => i % 15 < 10);
  const symbols = Array.from(
    { length: 10 * CALLS },
    (_, i) => largeInstrument(ofUs[(i * 7) % ofUs.length] ?? 0).symbol,
  );
  const each = (path: (symbol: string, i: number) => string) => symbols.slice(0, CALLS).map(path);
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["history, a year", each((one) => `/data/stocks/${one}/history?country=US&limit=250`)],
    ["technicals", each((one) => `/data/stocks/${one}/technicals?country=US`)],
    ["overview", each((one) => `/data/stocks/${one}/overview?country=US`)],
    ["statements", each((one) => `/data/stocks/${one}/statements?country=US&type=income`)],
    [
      "statistics of ten symbols, 10 years",
      each((_, i) => {
        const ten = symbols.slice(10 * i, 10 * i + 10).map((one) => `US:${one}`);
        return `/data/prices/statistics?symbols=${ten.join(",")}&range=10y`;
      }),
    ],
    [
      "search by name",
      each(
        (_, i) =>
          `/data/symbols?query=${encodeURIComponent(largeInstrument((i * 41) % instruments).name)}`,
      ),
    ],
    ["screen of the US", each((_, i) => `/data/stocks/screen?country=US&where=pe<${i + 5}`)],
  ];
  const table: (string | number)[][] = [];
  for (const [name, paths] of cases) {
    const times: Record<string, number[]> = { first: [], again: [] };
    const before = processUsage(service.pid)?.cpuMs ?? 0;
    for (const path of paths) {
      for (const turn of ["first", "again"]) {
        const began = performance.now();
        const answer = await service.get(path);
        const text = await answer.text();
        times[turn]?.push(performance.now() - began);
        if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`);
      }
    }
    const cpu = ((processUsage(service.pid)?.cpuMs ?? 0) - before) / paths.length;
    const at = (turn: string, part: number) => {
      const sorted = (times[turn] ?? []).toSorted((a, b) => a - b);
      return (sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN).toFixed(2);
    };
    const veryFirst = (times["first"]?.[0] ?? Number.NaN).toFixed(1);
    const figures = [at("first", 0.5), at("first", 0.99), at("again", 0.5), at("again", 0.99)];
    table.push([name, veryFirst, ...figures, cpu.toFixed(1), load()]);
  }
  print(
    formatTable(
      ["OPERATION", "VERY FIRST", "COLD P50", "P99", "WARM P50", "P99", "CPU OF BOTH, MS", "LOAD"],
      table,
    ),
  );
}

/** Starts the service twice on the folder, and calls the operations on the first start. */
async function measureService() {
  for (const start of ["first start", "second start"]) {
    const began = performance.now();
    const service = await spawnServe(data, {
      flags: ["--gate-per-minute", "0", "--market", "live", "--sources", "entrade"],
      env: { BOURSE_SOURCE_URL_ENTRADE: "http://127.0.0.1:1" },
    });
    const listens = ((performance.now() - began) / 1_000).toFixed(1);
    await service.isReady();
    const ready = ((performance.now() - began) / 1_000).toFixed(1);
    const cpu = ((processUsage(service.pid)?.cpuMs ?? 0) / 1_000).toFixed(1);
    await Bun.sleep(3_000);
    const idle = processUsage(service.pid)?.residentMb.toFixed(0);
    // Only the first start prints the owner's token.
    if (service.ownersToken !== "") await measureOperations(service);
    const usage = processUsage(service.pid);
    print(
      `${start}: listens after ${listens} s, ready after ${ready} s (CPU ${cpu} s), idle ${idle} MB, at the end ${usage?.residentMb.toFixed(0)} MB, peak ${usage?.peakMb.toFixed(0)} MB; load ${load()}`,
    );
    await service.stop();
  }
}

await measureService();
const place = (name: string) => join(folder.path, name);
for (const format of ["parquet", "csv"]) {
  const target = place(format);
  const argv = ["export", target, "--data", data, "--kinds", "bars", "--format", format];
  await run(`export of bars, ${format}`, argv, () => bytesOf(target));
}
const archive = place("backup.tar.gz");
await run("backup --market", ["backup", archive, "--market", "--data", data], () =>
  bytesOf(archive),
);
const restored = place("restored");
await run("restore", ["restore", archive, "--data", restored], () => bytesOf(restored));
for (const format of ["csv", "parquet"]) {
  const file = join(place(format), "bars", `${flags.imported}.${format}`);
  const argv = ["import", "bars", file, "--set", `country=${flags.imported}`, "--data", restored];
  await run(`import of the bars of ${flags.imported}, ${format}`, argv, () => bytesOf(file));
}
await endChildren();
print(formatTable(["COMMAND", "WALL S", "CPU S", "PEAK MB", "FILES", "LOAD"], rows));
