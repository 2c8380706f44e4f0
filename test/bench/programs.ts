import { closeSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { sessionsBetween } from "#analytics/sessions.ts";
import { dateOf, DAY_MS } from "#lib/date.ts";
import { type Case, enduringLoad, loadOf, tokensFor } from "./cases.ts";
import {
  type Contender,
  copyOfData,
  type Prepared,
  type ProgramName,
  PROGRAM_NAMES,
  PROGRAMS,
} from "./contenders.ts";
import type { Load, LoadGenerator, LoadResult } from "./load.ts";
import { processUsage } from "./process-usage.ts";
import { insertBars } from "./references.ts";
import { AT_RATE, importCase, median, type Report, SOAK } from "./report.ts";

/** The share of saturation at which latency is measured. At saturation it would measure the queue. */
const RATE = 0.7;

/** Fresh tokens that `measureAtRate` uses up. */
export const tokensAtRate = ({ rounds, seconds }: { rounds: number; seconds: number }): number =>
  rounds * 2 * tokensFor(seconds);

/** Measures latency at about 70 % of the calls a second that each contender has just reached. */
export async function measureAtRate(
  report: Report,
  one: Case,
  contenders: readonly Contender[],
  prepared: Prepared,
  generator: LoadGenerator,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<void> {
  const found = new Map<string, LoadResult[]>();
  for (let round = 0; round < rounds; round++) {
    const full = loadOf(one, prepared, seconds);
    const part = loadOf(one, prepared, seconds);
    for (const contender of contenders) {
      const { name, originOf } = contender;
      const rate = await rateOf(contender, full, generator, seconds);
      const result = await generator.run(originOf(0), part, seconds, rate);
      found.set(name, [...(found.get(name) ?? []), result]);
    }
  }
  for (const [contender, all] of found) {
    report.add({
      case: AT_RATE,
      contender,
      rps: median(all.map(({ requests, seconds: took }) => requests / took)),
      p50Ms: median(all.map(({ p50Ms }) => p50Ms)),
      p99Ms: median(all.map(({ p99Ms }) => p99Ms)),
    });
  }
}

/** The calls a second at which latency is measured: a share of the contender's saturation. */
async function rateOf(
  contender: Contender,
  load: Load,
  generator: LoadGenerator,
  seconds: number,
): Promise<number> {
  const saturated = await generator.run(contender.originOf(0), load, seconds);
  return (RATE * saturated.requests) / saturated.seconds;
}

const BARS_OF_ONE = 2_500;

/** Writes CSV files with a number of daily bars and their instruments; returns the files' paths. */
export function writeImportFiles(
  folder: string,
  bars: number,
): { instruments: string; bars: string } {
  const files = { instruments: join(folder, "instruments.csv"), bars: join(folder, "bars.csv") };
  const symbols = Array.from({ length: bars / BARS_OF_ONE }, (_, i) => `BENCH${i}`);
  writeLines(
    files.instruments,
    "country,symbol,name,assetType,currency,primaryListing,indexMember",
    function* () {
      for (const symbol of symbols) yield `US,${symbol},Bench ${symbol},stock,USD,true,false`;
    },
  );
  writeLines(files.bars, "country,symbol,date,open,high,low,close,volume", function* () {
    const dates = lastSessions(BARS_OF_ONE);
    for (const [i, symbol] of symbols.entries()) {
      for (const [day, date] of dates.entries()) {
        const close = 50 + i / 8 + 20 * Math.sin(day / 40) + (day % 7) / 10;
        const [high, low] = [(close * 1.01).toFixed(2), (close * 0.99).toFixed(2)];
        yield `US,${symbol},${date},${low},${high},${low},${close.toFixed(2)},${1e6 + 37 * day}`;
      }
    }
  });
  return files;
}

/** Measures the import of daily bars from a CSV file into the sample market. */
export async function measureImport(
  report: Report,
  bars: number,
  prepared: Prepared,
): Promise<void> {
  const files = writeImportFiles(prepared.folder, bars);
  const insertTimes: number[] = [];
  for (const name of PROGRAM_NAMES) {
    const data = copyOfData(prepared, `import ${name}`);
    const market = join(data, "market.db");
    await runImport(name, data, "instruments", files.instruments);
    const before = statSync(market).size;
    const { ms, peakMb } = await runImport(name, data, "bars", files.bars);
    const perBar = (statSync(market).size - before) / bars;
    report.add({ case: importCase(bars), contender: name, p50Ms: ms, residentMb: peakMb });
    report.note(
      `${importCase(bars)}, ${name}`,
      `the market file grew by ${perBar.toFixed(1)} bytes a bar; the memory is its peak`,
    );
    rmSync(data, { recursive: true });
    insertTimes.push(insertBars(join(prepared.folder, `inserts-${insertTimes.length}.db`), bars));
  }
  report.add({ case: importCase(bars), contender: "bare inserts", p50Ms: median(insertTimes) });
}

/** Runs `import` in a new process; returns its time and peak memory. */
export async function runImport(name: ProgramName, data: string, kind: string, file: string) {
  const start = performance.now();
  const child = Bun.spawn([...PROGRAMS[name], "import", kind, file], {
    env: { PATH: process.env["PATH"] ?? "", BOURSE_DATA: data },
    stdout: "ignore",
    stderr: "pipe",
  });
  // `maxRSS` of the ended process is useless, because it begins with the bench's own.
  let peakMb: number | null = null;
  const timer = setInterval(() => {
    peakMb = processUsage(child.pid)?.peakMb || peakMb;
  }, 20);
  const [code, errors] = await Promise.all([child.exited, new Response(child.stderr).text()]);
  const ms = performance.now() - start;
  clearInterval(timer);
  if (code !== 0) throw new Error(`import ${kind} failed: ${errors}`);
  return { ms, peakMb };
}

/** The last sessions of the US before today, oldest first. */
function lastSessions(count: number): string[] {
  const now = Date.now();
  const from = dateOf(now - 2 * count * DAY_MS);
  return sessionsBetween("US", from, dateOf(now - DAY_MS)).slice(-count);
}

function writeLines(path: string, header: string, lines: () => Iterable<string>): void {
  const file = openSync(path, "w");
  let text = `${header}\n`;
  for (const line of lines()) {
    text += `${line}\n`;
    if (text.length > 2 ** 20) {
      writeSync(file, text);
      text = "";
    }
  }
  writeSync(file, text);
  closeSync(file);
}

const SATURATED_SECONDS = 2;

/** Fresh tokens that `measureSoak` uses up in addition to the 10,000. */
export const TOKENS_FOR_SOAK = tokensFor(SATURATED_SECONDS);

/** Loads a contender for minutes at 70 % of saturation, and samples its memory every second. */
export async function measureSoak(
  report: Report,
  one: Case,
  contender: Contender,
  prepared: Prepared,
  generator: LoadGenerator,
  minutes: number,
): Promise<void> {
  const full = loadOf(one, prepared, SATURATED_SECONDS);
  const rate = await rateOf(contender, full, generator, SATURATED_SECONDS);
  const samples: number[] = [];
  const timer = setInterval(() => {
    samples.push(processUsage(contender.pid)?.residentMb ?? Number.NaN);
  }, 1_000);
  const result = await generator
    .run(contender.originOf(0), enduringLoad(one, prepared), minutes * 60, rate)
    .finally(() => clearInterval(timer));
  if (result.refused + result.broken > 0) {
    report.note(SOAK, `${result.refused} calls were refused, ${result.broken} not answered`);
  }
  // The first fifth is the warm-up.
  const fifth = (n: number) =>
    median(
      samples.slice(
        Math.floor((n * samples.length) / 5),
        Math.floor(((n + 1) * samples.length) / 5),
      ),
    );
  const [second, last] = [fifth(1), fifth(4)];
  report.add({
    case: SOAK,
    contender: contender.name,
    rps: result.requests / result.seconds,
    ratio: second && last ? last / second : null,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    residentMb: last,
  });
  report.note(
    SOAK,
    `${minutes} minutes at 70 % of saturation; the ratio is that of its memory, the last fifth of the time to the second`,
  );
}
