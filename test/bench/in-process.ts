import { NO_ITEMS, type Statement } from "#domain/statement.ts";
import type { Instrument } from "#domain/instrument.ts";
import type { Quote } from "#domain/quote.ts";
import { INDUSTRIES } from "#domain/taxonomy.ts";
import { askQuestion, createExecutor } from "#operations/execute.ts";
import { OPERATIONS } from "#operations/index.ts";
import { type MarketStore, openMarket } from "#store/index.ts";
import { copySampleMarket, START, temporaryFolder } from "../support/service.ts";
import { IN_PROCESS, type Report, SEARCH_150K, SEARCH_15K, TECHNICALS } from "./report.ts";

/** What the computed answers cost inside the process, with no answer remembered. */
export function measureInProcess(report: Report, options: { isShort: boolean }): void {
  withMarket(copySampleMarket, (market) => {
    const execute = coldExecutor(market);
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
    withMarket(
      (folder) => growMarket(folder, { stocks, quarters: 5 }),
      (market) => {
        const execute = coldExecutor(market);
        addTimings(report, `${name}, first of all`, 1, () =>
          execute("get_sectors", { country: "US" }),
        );
        addTimings(report, name, 30, () => execute("get_sectors", { country: "US" }));
      },
    );
  }

  for (const [name, stocks] of [
    [SEARCH_15K, 15_000],
    [SEARCH_150K, 150_000],
  ] as const) {
    if (options.isShort && stocks > 15_000) {
      report.note(name, "left out of the short mode");
      continue;
    }
    withMarket(
      (folder) => growMarket(folder, { stocks, quarters: 0 }),
      (market) => {
        const execute = coldExecutor(market);
        const kinds = Object.entries(QUERIES).map(([kind, query]) => ({
          kind,
          ...timings(100, (round) =>
            execute("list_symbols", { country: "US", query: query(round) }),
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

function withMarket(fill: (folder: string) => void, work: (market: MarketStore) => void): void {
  const { folder, remove } = temporaryFolder();
  fill(folder);
  const market = openMarket(folder);
  work(market);
  market.close();
  remove();
}

/** Each execution is later than the one before by more than an answer is remembered. */
function coldExecutor(market: MarketStore) {
  let now = START;
  const executor = createExecutor({ market, clock: () => (now += 31_000) });
  return (name: string, args: Record<string, string>): void => {
    const operation = OPERATIONS.find((one) => one.name === name);
    if (!operation) throw new Error(`there is no operation ${name}`);
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

const WORDS =
  "Alpha Atlas Beacon Blue Bridge Canyon Cedar Central Copper Crest Delta Eagle East Ever First Forge Frontier General Global Granite Green Harbor Horizon Iron Juniper Key Lake Liberty Lumen Maple Meridian Metro Mountain Noble North Nova Oak Ocean Omega Orion Pacific Pioneer Prime Quantum Red River Royal Sage Silver Sky Solar South Star Sterling Stone Summit Sun Terra Titan Union United Valley Vertex Vista West".split(
    " ",
  );
const ENDINGS = ["Bancorp", "Energy", "Foods", "Holdings", "Industries", "Pharma", "Systems"];

const word = (n: number): string => WORDS[n % WORDS.length] ?? "";
const symbolOf = (n: number): string => (n + 26 ** 3).toString(26).replaceAll(/./g, letter);
const letter = (digit: string): string => String.fromCharCode(65 + Number.parseInt(digit, 26));
const nameOf = (n: number): string =>
  `${word(n * 7)} ${word(Math.floor(n / 9))} ${ENDINGS[n % ENDINGS.length]} ${n}`;

/** The ways to ask for a symbol, another text each round. */
const QUERIES: Readonly<Record<string, (round: number) => string>> = {
  "an exact symbol": (round) => symbolOf(round * 37),
  "the beginning of a symbol": (round) => symbolOf(round * 37).slice(0, 2),
  "the beginning of a name": (round) => word(round).slice(0, 3),
  "a word inside of a name": (round) => `${word(round)} ${ENDINGS[round % ENDINGS.length]}`,
  "a part of a word": (round) => word(round).slice(1, 4),
  "a text that nothing holds": (round) => `zzq${round}`,
};

const FROM = { source: "bench", storedAt: START };

/** A market of US stocks, each with a quote where it has quarters, and with that many statements. */
function growMarket(folder: string, { stocks, quarters }: { stocks: number; quarters: number }) {
  const market = openMarket(folder);
  const numbers = Array.from({ length: stocks }, (_, n) => n);
  market.transaction(() => {
    market.put("instruments", numbers.map(instrumentOf), FROM, { country: "US" });
    if (quarters === 0) return;
    market.put("quotes", numbers.map(quoteOf), FROM);
    market.put(
      "statements",
      numbers.flatMap((n) => Array.from({ length: quarters }, (_, age) => statementOf(n, age))),
      FROM,
    );
  });
  market.checkpoint();
  market.close();
}

const CLASSES = [...INDUSTRIES.values()];

function instrumentOf(n: number): Instrument {
  const industry = CLASSES[n % CLASSES.length];
  return {
    country: "US",
    symbol: symbolOf(n),
    name: nameOf(n),
    assetType: "stock",
    exchange: "NASDAQ",
    currency: "USD",
    sector: industry?.sector ?? null,
    industry: industry?.slug ?? null,
    sharesOutstanding: 1e8 + n,
    employees: null,
    summary: null,
    primaryListing: true,
    indexMember: n % 30 === 0,
  };
}

function quoteOf(n: number): Quote {
  const price = 20 + (n % 300);
  return {
    country: "US",
    symbol: symbolOf(n),
    date: "2026-11-19",
    price,
    previousClose: price * (0.98 + (n % 40) / 1000),
    volume: 1e6,
    marketCap: price * (1e8 + n),
    epsTtm: price / (8 + (n % 40)),
    priceToBook: 1 + (n % 50) / 10,
    dividendYieldPercent: (n % 60) / 10,
  };
}

/** The quarter that ended so many quarters before September 2026. */
function statementOf(n: number, age: number): Statement {
  const end = new Date(Date.UTC(2026, 9 - 3 * age, 0));
  const periodEnd = end.toISOString().slice(0, 10);
  const revenue = 1e8 * (1 + (n % 90)) * 0.98 ** age;
  return {
    country: "US",
    symbol: symbolOf(n),
    span: "quarter",
    fiscalYear: end.getUTCFullYear(),
    fiscalQuarter: Math.floor(end.getUTCMonth() / 3) + 1,
    periodEnd,
    filedOn: new Date(end.getTime() + 30 * 86_400_000).toISOString().slice(0, 10),
    currency: "USD",
    items: {
      ...NO_ITEMS,
      revenue,
      grossProfit: revenue * (0.2 + (n % 50) / 100),
      operatingIncome: revenue * 0.15,
      ebitda: revenue * 0.2,
      pretaxIncome: revenue * 0.14,
      incomeTax: revenue * 0.03,
      netIncome: revenue * (0.02 + (n % 20) / 100),
      epsDiluted: (revenue * 0.1) / (1e8 + n),
      sharesDiluted: 1e8 + n,
      totalAssets: revenue * 8,
      cash: revenue,
      totalLiabilities: revenue * 4,
      totalDebt: revenue * 2,
      commonEquity: revenue * 4,
      operatingCashFlow: revenue * 0.18,
      capitalExpenditure: revenue * 0.05,
    },
  };
}
