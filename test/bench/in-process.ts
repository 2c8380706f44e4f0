import type { Instrument } from "#domain/instrument.ts";
import { askQuestion, createExecutor } from "#operations/execute.ts";
import { OPERATIONS } from "#operations/index.ts";
import { CompanyRollups } from "#rollups/company-rollups.ts";
import { type MarketStore, openMarket } from "#store/index.ts";
import { fillLargeMarket, largeInstrument } from "../support/large-market.ts";
import { copySampleMarket, START, temporaryFolder } from "../support/service.ts";
import { IN_PROCESS, type Report, SEARCH_150K, SEARCH_15K, TECHNICALS } from "./report.ts";

/** What the computed answers cost inside the process, with no answer remembered. */
export async function measureInProcess(
  report: Report,
  options: { isShort: boolean },
): Promise<void> {
  await withMarket(copySampleMarket, async (market) => {
    const execute = await coldExecutor(market);
    const apple = { country: "US", symbol: "AAPL" };
    // 2,600 sessions and more.
    for (const [name, operation] of [
      [TECHNICALS, "get_stock_technicals"],
      ["overview panel, cold", "get_stock_overview"],
    ] as const) {
      addTimings(report, name, 300, () => execute(operation, apple));
    }
  });

  for (const stocks of [1_000, 10_000, 100_000]) {
    const name = `sector roll-up, ${stocks.toLocaleString("en-US")} stocks`;
    if (options.isShort && stocks > 10_000) {
      report.note(name, "left out of the short mode");
      continue;
    }
    await withMarket(
      // Two thirds of a large market are companies of the US.
      (folder) => fill(folder, stocks * 1.5, 5),
      async (market) => {
        const execute = await coldExecutor(market);
        addTimings(report, name, 30, () => execute("get_sectors", { country: "US" }));
      },
    );
  }

  for (const [name, instruments] of [
    [SEARCH_15K, 15_000],
    [SEARCH_150K, 150_000],
  ] as const) {
    if (options.isShort && instruments > 15_000) {
      report.note(name, "left out of the short mode");
      continue;
    }
    await withMarket(
      (folder) => fill(folder, instruments, 0),
      async (market) => {
        const execute = await coldExecutor(market);
        const kinds = Object.entries(QUERIES).map(([kind, query]) => ({
          kind,
          ...timings(100, (round) =>
            execute("list_symbols", { query: query(largeInstrument(round * 37)) }),
          ),
        }));
        const [slowest] = kinds.sort((a, b) => b.p50Ms - a.p50Ms);
        if (!slowest) return;
        report.add({ case: name, contender: IN_PROCESS, ...slowest });
        report.note(name, `its slowest kind of query is ${slowest.kind}`);
      },
    );
  }
}

async function withMarket(
  fill: (folder: string) => void,
  work: (market: MarketStore) => Promise<void>,
): Promise<void> {
  const { folder, remove } = temporaryFolder();
  fill(folder);
  const market = openMarket(folder);
  await work(market);
  market.close();
  remove();
}

/** Each execution is later than the one before by more than an answer is remembered. */
async function coldExecutor(market: MarketStore) {
  let now = START;
  const clock = () => now;
  const rollups = new CompanyRollups(market, clock);
  await rollups.update();
  const executor = createExecutor({ market, clock, rollups });
  return (name: string, args: Record<string, string>): void => {
    const operation = OPERATIONS.find((one) => one.name === name);
    if (!operation) throw new Error(`there is no operation ${name}`);
    now += 31_000;
    if (executor.execute(askQuestion(operation, args)) instanceof Promise) {
      throw new Error(`${name} does not answer at once`);
    }
  };
}

/** Median and 99th percentile in milliseconds; after as many runs to warm up where there are several. */
function timings(runs: number, work: (round: number) => void): { p50Ms: number; p99Ms: number } {
  if (runs > 1) for (let round = 0; round < runs; round++) work(round);
  const times = Array.from({ length: runs }, (_, round) => {
    const start = performance.now();
    work(runs + round);
    return performance.now() - start;
  }).sort((a, b) => a - b);
  const at = (part: number) => times[Math.floor(part * (runs - 1))] ?? Number.NaN;
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}

function addTimings(report: Report, name: string, runs: number, work: () => void): void {
  report.add({ case: name, contender: IN_PROCESS, ...timings(runs, work) });
}

/** The ways to ask for a symbol, of another instrument each round. */
const QUERIES: Readonly<Record<string, (asked: Instrument) => string>> = {
  "an exact symbol": ({ symbol }) => symbol,
  "the beginning of a symbol": ({ symbol }) => symbol.slice(0, 2),
  "the beginning of a name": ({ name }) => name.slice(0, 3),
  "a word inside of a name": ({ name }) => name.split(" ").at(1) ?? "",
  "a part of a word": ({ name }) => name.slice(1, 4),
  "a text that nothing holds": ({ symbol }) => `zzq${symbol}`,
};

/** A market that has grown to so many instruments, with so many quarters of each company. */
function fill(folder: string, instruments: number, quartersEach: number): void {
  const market = openMarket(folder);
  fillLargeMarket(market, { instruments, quartersEach, now: START });
  market.checkpoint();
  market.close();
}
