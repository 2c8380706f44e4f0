/**
 * A market of 5,000 instruments with ten years of daily bars, as the user of a real folder feels it: sizes, export,
 * import, start, memory, backup, restore, and each operation on its first and later calls. Run it with
 * `bun test/bench/large.ts`; `--instruments 500` is a tenth, `--data FOLDER` keeps the market for the next run.
 * It asserts nothing.
 */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { addDays, dateOf } from "#lib/date.ts";
import { formatTable } from "#lib/table.ts";
import { openFolder } from "../support/access.ts";
import { endChildren } from "../support/child-process.ts";
import { largeInstrument } from "../support/large-market.ts";
import {
  bytesOf,
  load,
  makeLargeFolder,
  measureCommand,
  megabytes,
  print,
  secondsSince,
  serveLargeFolder,
} from "./large-folder.ts";
import { processUsage } from "./process-usage.ts";

const { values: flags } = parseArgs({
  options: {
    instruments: { type: "string", default: "5000" },
    bars: { type: "string", default: "2500" },
    data: { type: "string" },
    /** Without the service and its operations. */
    commands: { type: "boolean", default: false },
  },
});
const instruments = Number(flags.instruments);
const barsEach = Number(flags.bars);
/** Calls of each operation, of as many symbols where it has one. */
const CALLS = 100;

const rows: (string | number)[][] = [];

/** Runs a command of the program, which makes or reads files at that path. */
async function run(what: string, argv: readonly string[], path: string) {
  const { seconds, cpuSeconds, peakMb } = await measureCommand(argv);
  rows.push([what, seconds, cpuSeconds, peakMb, megabytes(bytesOf(path)), load()]);
  print(`${what}: ${seconds} s`);
}

using folder = openFolder();
const data = flags.data ?? join(folder.path, "data");
if (!existsSync(join(data, "market.db")))
  makeLargeFolder(data, { instruments, barsEach }, { hasEvents: false });

async function measureOperations(service: Awaited<ReturnType<typeof serveLargeFolder>>) {
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
  const day = addDays(dateOf(Date.now()), -30);
  const both = cases.flatMap(([name, paths]) => [
    [name, paths] as const,
    [`${name}, a past day`, paths.map((path) => `${path}&known_on=${day}`)] as const,
  ]);
  for (const [name, paths] of both) {
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
    const service = await serveLargeFolder(data);
    const listens = secondsSince(began);
    await service.isReady();
    const ready = secondsSince(began);
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

if (!flags.commands) await measureService();
const place = (name: string) => join(folder.path, name);
const only = ["--kinds", "instruments,bars", "--data", data];
for (const format of ["parquet", "csv"]) {
  const target = place(format);
  await run(`export of bars, ${format}`, ["export", target, "--format", format, ...only], target);
}
const archive = place("backup.tar.gz");
await run("backup --market", ["backup", archive, "--market", "--data", data], archive);
const restored = place("restored");
await run("restore", ["restore", archive, "--data", restored], restored);
for (const format of ["csv", "parquet"]) {
  const bars = join(place(format), "bars");
  const files = ["US", "JP", "VN"].map((country) => join(bars, `${country}.${format}`));
  const into = (name: string) => ["--data", place(name)];
  const fresh = `fresh-${format}`;
  mkdirSync(place(fresh));
  const instrumentsFile = join(place(format), `instruments.${format}`);
  await measureCommand(["import", "instruments", instrumentsFile, ...into(fresh)]);
  await run(`import of all bars, ${format}`, ["import", "bars", ...files, ...into(fresh)], bars);
  const again = ["import", "bars", ...files, ...into("restored")];
  await run(`import of all bars in place of the same, ${format}`, again, bars);
}
await endChildren();
print(formatTable(["COMMAND", "WALL S", "CPU S", "PEAK MB", "FILES MB", "LOAD"], rows));
