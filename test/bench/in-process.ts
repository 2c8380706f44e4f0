import type { CalendarEvent } from "#domain/calendar-event.ts";
import type { Instrument } from "#domain/instrument.ts";
import { addDays, dateOf } from "#lib/date.ts";
import { decodeRequest, createExecutor } from "#operations/execute.ts";
import { OPERATIONS } from "#operations/index.ts";
import { CompanyRollups } from "#rollups/company-rollups.ts";
import { type MarketStore, openMarket } from "#store/index.ts";
import { fillLargeMarket, largeInstrument } from "../support/large-market.ts";
import { SAMPLE } from "../support/market.ts";
import { copySampleMarket, START, temporaryFolder } from "../support/service.ts";
import {
  likeScan,
  type Reference,
  screenBySql,
  tradingSignals,
  windowFunctions,
} from "./references.ts";
import {
  CALENDAR,
  IN_PROCESS,
  median,
  PAST_FIRST,
  PAST_SCREEN,
  type Report,
  ROLL_UP_10X,
  SCREEN,
  SEARCH_150K,
  SEARCH_15K,
  SECTOR_OVERVIEW,
  TECHNICALS,
} from "./report.ts";

/** About half of the companies of a large market have a lower P/E. */
const SCREEN_PE = 10;

/** Measures the computation of answers within the process, without the cache. */
export async function measureInProcess(
  report: Report,
  options: { isShort: boolean },
): Promise<void> {
  await measurePanels(report);
  await measureCalendar(report);
  await measurePastDay(report);
  for (const stocks of [1_000, 10_000, 100_000]) {
    const name = `sector roll-up, ${stocks.toLocaleString("en-US")} stocks`;
    if (options.isShort && stocks > 10_000) report.note(name, "left out of the short mode");
    else await measureRollUp(report, name, stocks);
  }
  for (const [name, instruments] of [
    [SEARCH_15K, 15_000],
    [SEARCH_150K, 150_000],
  ] as const) {
    if (options.isShort && instruments > 15_000) report.note(name, "left out of the short mode");
    else await measureSearch(report, name, instruments);
  }
}

async function measurePanels(report: Report): Promise<void> {
  await withMarket(copySampleMarket, async (market) => {
    const execute = await createColdCalls(market);
    const apple = { country: "US", symbol: "AAPL" } as const;
    const instrument = market.instruments.find(apple);
    const series = instrument && market.bars.series(instrument.id, Number.MAX_SAFE_INTEGER);
    const reference = series && (await tradingSignals(series));
    if (!reference) report.note(TECHNICALS, "no ratio, because the peers are not installed");
    addTimings(report, TECHNICALS, 300, () => execute("get_stock_technicals", apple), reference);
    addTimings(report, "overview panel, cold", 300, () => execute("get_stock_overview", apple));
  });
}

async function measureCalendar(report: Report): Promise<void> {
  await withMarket(fillCalendar, async (market) => {
    const execute = await createColdCalls(market);
    addTimings(report, CALENDAR, 100, () => execute("get_macro_calendar", {}));
  });
}

/** A screen of past days, beside the same screen of today. */
async function measurePastDay(report: Report): Promise<void> {
  await withMarket(
    (folder) => fill(folder, 15_000, 8, 60),
    async (market) => {
      const execute = await createColdCalls(market);
      const args = { country: "US", where: `pe<${SCREEN_PE}`, sort: "-roe" };
      const days = [14, 15, 16].map((ago) => addDays(dateOf(START), -ago));
      const first: number[] = [];
      for (const known_on of days) {
        const began = performance.now();
        await execute.prepare("screen_stocks", { ...args, known_on });
        first.push(performance.now() - began);
      }
      report.add({ case: PAST_FIRST, contender: IN_PROCESS, ...summarize(first) });
      const [known_on = ""] = days;
      const today = { name: "the same of today", run: () => execute("screen_stocks", args) };
      const work = () => execute("screen_stocks", { ...args, known_on });
      addTimings(report, PAST_SCREEN, 30, work, today);
    },
  );
}

async function measureRollUp(report: Report, name: string, stocks: number): Promise<void> {
  await withMarket(
    // Two thirds of a large market are companies of the US.
    (folder) => fill(folder, stocks * 1.5, 5),
    async (market, folder) => {
      const execute = await createColdCalls(market);
      const reference = name === ROLL_UP_10X ? windowFunctions(folder) : null;
      addTimings(report, name, 30, () => execute("get_sectors", { country: "US" }), reference);
      if (name !== ROLL_UP_10X) return;
      addTimings(report, SECTOR_OVERVIEW, 30, () => execute("get_sector_overview", {}));
      const args = { country: "US", where: `pe<${SCREEN_PE}`, sort: "-roe" };
      addTimings(
        report,
        SCREEN,
        30,
        () => execute("screen_stocks", args),
        screenBySql(folder, SCREEN_PE),
      );
    },
  );
}

async function measureSearch(report: Report, name: string, instruments: number): Promise<void> {
  await withMarket(
    (folder) => fill(folder, instruments, 0),
    async (market, folder) => {
      const execute = await createColdCalls(market);
      const kinds = Object.entries(QUERIES).map(([kind, queryOf]) => {
        let round = 0;
        const next = () => queryOf(largeInstrument(++round * 37));
        // The answer also holds prices, so the reference is compared with the search alone.
        const { own, other } = timings(
          100,
          () => void market.instruments.search({ query: next() }, { limit: 25, after: null }),
          likeScan(folder, () => queryOf(largeInstrument(round * 37))),
        );
        const answer = timings(100, () => execute("list_symbols", { query: next() })).own;
        return { kind, own, other, answer, ratio: own.p50Ms / (other?.p50Ms ?? Number.NaN) };
      });
      const slowest = kinds.toSorted((a, b) => b.answer.p50Ms - a.answer.p50Ms)[0];
      const worst = kinds.toSorted((a, b) => b.ratio - a.ratio)[0];
      if (!slowest || !worst) return;
      report.add({ case: name, contender: IN_PROCESS, ...slowest.answer });
      report.add({ case: `${name}, search alone`, contender: IN_PROCESS, ...worst.own });
      report.add({ case: `${name}, search alone`, contender: "LIKE scan", ...worst.other });
      report.addRatio(name, worst.ratio);
      report.note(
        name,
        `the slowest answer is to ${slowest.kind}, the highest ratio that of ${worst.kind}`,
      );
    },
  );
}

async function withMarket(
  fillFolder: (folder: string) => void,
  work: (market: MarketStore, folder: string) => Promise<void>,
): Promise<void> {
  const { folder, remove } = temporaryFolder();
  fillFolder(folder);
  const market = openMarket(folder);
  try {
    await work(market, folder);
  } finally {
    market.close();
    remove();
  }
}

/** Calls operations. The clock advances between calls, so that no answer comes from the cache. */
async function createColdCalls(market: MarketStore) {
  let now = START;
  const clock = () => now;
  const rollups = new CompanyRollups(market, clock);
  await rollups.update();
  const executor = createExecutor({ market, clock, rollups });
  const call = (name: string, args: Record<string, string>) => {
    const operation = OPERATIONS.find((one) => one.name === name);
    if (!operation) throw new Error(`there is no operation ${name}`);
    now += 31_000;
    return executor.execute(decodeRequest(operation, args));
  };
  const execute = (name: string, args: Record<string, string>): void => {
    if (call(name, args) instanceof Promise) throw new Error(`${name} does not answer at once`);
  };
  /** `prepare` waits for what a first call computes. */
  return Object.assign(execute, { prepare: call });
}

interface Timings {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Time limit for the runs of a reference, so that slow ones run less often. */
const REFERENCE_MS = 1_000;

/** Times the work and the reference in turn, after as many runs to warm up. */
function timings(
  runs: number,
  work: () => void,
  reference: Reference | null = null,
): { own: Timings; other: Timings | null } {
  for (let round = 0; round < runs; round++) work();
  reference?.run();
  const own: number[] = [];
  const other: number[] = [];
  let spentMs = 0;
  for (let round = 0; round < runs; round++) {
    own.push(timeOf(work));
    if (!reference || spentMs > REFERENCE_MS) continue;
    const took = timeOf(reference.run);
    other.push(took);
    spentMs += took;
  }
  return { own: summarize(own), other: reference && summarize(other) };
}

function timeOf(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function summarize(times: readonly number[]): Timings {
  const sorted = times.toSorted((a, b) => a - b);
  return {
    p50Ms: median(times) ?? Number.NaN,
    p99Ms: sorted[Math.floor(0.99 * (sorted.length - 1))] ?? Number.NaN,
  };
}

function addTimings(
  report: Report,
  name: string,
  runs: number,
  work: () => void,
  reference: Reference | null = null,
): void {
  const { own, other } = timings(runs, work, reference);
  report.add({ case: name, contender: IN_PROCESS, ...own });
  if (!reference || !other) return;
  report.add({ case: name, contender: reference.name, ...other });
  report.addRatio(name, own.p50Ms / other.p50Ms);
}

/** The kinds of query. Each round searches for another instrument. */
const QUERIES: Readonly<Record<string, (asked: Instrument) => string>> = {
  "an exact symbol": ({ symbol }) => symbol,
  "the beginning of a symbol": ({ symbol }) => symbol.slice(0, 2),
  "the beginning of a name": ({ name }) => name.slice(0, 3),
  "a word inside a name": ({ name }) => name.split(" ").at(1) ?? "",
  "a part of a word": ({ name }) => name.slice(1, 4),
  "a text that no name has": ({ symbol }) => `zzq${symbol}`,
};

/** Fills a market with a number of instruments, quarters per company and bars of each instrument. */
function fill(folder: string, instruments: number, quartersEach: number, barsEach?: number): void {
  const market = openMarket(folder);
  fillLargeMarket(market, {
    instruments,
    quartersEach,
    ...(barsEach !== undefined && { barsEach }),
    now: START,
  });
  market.checkpoint();
  market.close();
}

const PAST_EVENTS = 10_000;
const FUTURE_EVENTS = 200;

/** Fills a market with 10,000 past calendar events, 20 a day, and 200 future ones. */
function fillCalendar(folder: string): void {
  const market = openMarket(folder);
  const today = dateOf(START);
  const events = Array.from({ length: PAST_EVENTS + FUTURE_EVENTS }, (_, i): CalendarEvent => ({
    id: `event-${i}`,
    country: "US",
    event: `Publication ${i}`,
    date: addDays(today, Math.floor((i - PAST_EVENTS) / 20)),
    time: "13:30",
    importance: "low",
    previous: "3.1%",
    forecast: null,
    consensus: "3.0%",
    actual: i < PAST_EVENTS ? "3.2%" : null,
  }));
  market.transaction(() => market.put("calendarEvents", events, SAMPLE));
  market.close();
}
