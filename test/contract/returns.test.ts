import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PERFORMANCE_WINDOWS, windowStart } from "#analytics/performance.ts";
import { METRICS } from "#analytics/metrics.ts";
import { COUNTRY_CODES } from "#domain/country.ts";
import { type Instrument, isCompany } from "#domain/instrument.ts";
import { SECTORS } from "#domain/taxonomy.ts";
import { createExecutor, decodeRequest } from "#operations/execute.ts";
import { OPERATIONS } from "#operations/index.ts";
import { roundPrice } from "#panels/format.ts";
import { performancePanel } from "#panels/overview-panel.ts";
import { getCompany } from "#rollups/companies.ts";
import { uniformAt } from "#sample/random.ts";
import { openHandMade } from "../support/contract-answers.ts";
import { parseDisplay } from "../support/display.ts";
import { flatBar, listInstruments, SAMPLE, stock } from "../support/market.ts";
import { quote } from "../support/refresher.ts";
import { openSampleMarket, START } from "../support/service.ts";
import { TESTS_ALL } from "../support/test-all.ts";

// One definition of returns: every operation has the same figure for an instrument and a window. The laws are
// checked on a tenth of the instruments, and with BOURSE_TEST_ALL=1 on all of them, as in `.ci/run`.

type Cell = string | number | null;
interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

interface Chart {
  readonly dates: readonly string[];
  readonly closes: readonly number[];
  readonly next_before: string | null;
}
interface Sectors {
  readonly sectors: Readonly<
    Record<string, { overview: Record<string, string>; performance: Record<string, string> }>
  >;
}

/** A window with a metric and a range. `1d` has no label of its own. */
const RANGES = ["1d", ...PERFORMANCE_WINDOWS] as const;

const world = openSampleMarket();
const all = listInstruments(world.market, null);
/** The instruments on which the laws are checked. A tenth has the same members in each run. */
const some = all.filter((_, i) => TESTS_ALL || uniformAt(1, i) < 0.1);
const isScreened = ({ assetType, primaryListing }: Instrument) =>
  isCompany(assetType) && primaryListing;
afterAll(() => world.close());

/** The payloads of operations at a time, without a cache that another time would see. */
function operationsAt(now: number) {
  const executor = createExecutor({ market: world.market, clock: () => now });
  return async <T>(name: string, args: Record<string, unknown>): Promise<T> => {
    const operation = OPERATIONS.find((one) => one.name === name);
    if (!operation) throw new Error(`there is no operation ${name}`);
    const { body } = await executor.execute(decodeRequest(operation, args));
    return (JSON.parse(body) as { data: T }).data;
  };
}
type Call = ReturnType<typeof operationsAt>;

const keyOf = ({ country, symbol }: { country: string; symbol: string }) => `${country}:${symbol}`;
const inParts = <T>(items: readonly T[], size: number) =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
const objectsOf = ({ columns, rows }: Table) =>
  rows.map((row): Record<string, Cell> =>
    Object.fromEntries(columns.map((name, i) => [name, row[i] ?? null])),
  );

/** The figures of all instruments by `country:symbol window`. */
type Returns = Map<string, { percent: Cell; from?: Cell; to?: Cell }>;

async function ofStatistics(call: Call, list = some, currency?: string): Promise<Returns> {
  const found: Returns = new Map();
  for (const part of inParts(list, 10)) {
    for (const range of RANGES) {
      const symbols = part.map(keyOf).join(",");
      const columns = "return,from_session,to_session";
      const args = { symbols, range, columns, ...(currency !== undefined && { currency }) };
      const table = await call<Table>("get_price_statistics", args);
      for (const row of objectsOf(table)) {
        const key = `${row["country"]}:${row["symbol"]} ${range}`;
        found.set(key, {
          percent: row["return"] ?? null,
          from: row["return"] === null ? null : (row["from_session"] ?? null),
          to: row["to_session"] ?? null,
        });
      }
    }
  }
  return found;
}

async function ofComparison(call: Call, currency?: string, list = some): Promise<Returns> {
  const found: Returns = new Map();
  const metrics = RANGES.map((range) => `return_${range}`).join(",");
  for (const part of inParts(list, 20)) {
    const symbols = part.map(keyOf).join(",");
    const args = { symbols, metrics, ...(currency !== undefined && { currency }) };
    for (const row of objectsOf(await call<Table>("compare_stocks", args))) {
      for (const range of RANGES) {
        found.set(`${row["country"]}:${row["symbol"]} ${range}`, {
          percent: row[`return_${range}`] ?? null,
          from: row[`return_${range}_from_session`] ?? null,
          to: row["to_session"] ?? null,
        });
      }
    }
  }
  return found;
}

async function ofScreens(call: Call, currency?: string): Promise<Map<string, Cell>> {
  const found = new Map<string, Cell>();
  const metrics = RANGES.map((range) => `return_${range}`).join(",");
  for (const country of COUNTRY_CODES) {
    for (let cursor: string | null | undefined; cursor !== null;) {
      const args = {
        country,
        metrics,
        limit: 100,
        ...(cursor !== undefined && { cursor }),
        ...(currency !== undefined && { currency }),
      };
      const page = await call<Table & { next_cursor: string | null }>("screen_stocks", args);
      for (const row of objectsOf(page)) {
        for (const range of RANGES)
          found.set(`${country}:${row["symbol"]} ${range}`, row[`return_${range}`] ?? null);
      }
      cursor = page.next_cursor;
    }
  }
  return found;
}

/** Calls a function once, for all tests that need its result. */
function once<T>(read: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | null = null;
  return () => (result ??= read());
}

const comparisonAtStart = once(() => ofComparison(operationsAt(START)));
const statisticsAtStart = once(() => ofStatistics(operationsAt(START)));
const screensAtStart = once(() => ofScreens(operationsAt(START)));

describe("over every window", () => {
  test("comparison and statistics agree, and on their sessions", async () => {
    const [compared, statistics] = [await comparisonAtStart(), await statisticsAtStart()];
    expect(compared.size).toBe(some.length * RANGES.length);
    expect(statistics.size).toBe(some.length * RANGES.length);
    for (const [key, other] of statistics) {
      const one = compared.get(key);
      const sessions = key.endsWith(" 1d") ? {} : { from: one?.from, to: one?.to };
      expect({ key, percent: one?.percent, ...sessions }).toEqual({
        key,
        percent: other.percent,
        ...(key.endsWith(" 1d") ? {} : { from: other.from, to: other.to }),
      });
    }
    // The law would be empty without figures, and without histories that are too short.
    const known = [...compared.values()].filter(({ percent }) => percent !== null).length;
    expect(known).toBeGreaterThan(compared.size / 2);
    expect(known).toBeLessThan(compared.size);
  }, 600_000);

  test("the screen agrees with the comparison", async () => {
    const [screened, compared] = [await screensAtStart(), await comparisonAtStart()];
    expect(screened.size).toBe(all.filter(isScreened).length * RANGES.length);
    let checked = 0;
    for (const [key, { percent }] of compared) {
      if (!screened.has(key)) continue;
      expect({ key, percent: screened.get(key) }).toEqual({ key, percent });
      checked++;
    }
    expect(checked).toBe(some.filter(isScreened).length * RANGES.length);
  }, 600_000);

  test("the overview agrees with the comparison", async () => {
    const compared = await comparisonAtStart();
    for (const instrument of some) {
      const panel = performancePanel(getCompany(world.market, instrument, START));
      for (const window of PERFORMANCE_WINDOWS) {
        const key = `${keyOf(instrument)} ${window}`;
        const text = panel[METRICS[`return_${window}`].label ?? ""] ?? "";
        const percent = text === "—" ? null : parseDisplay(text).value;
        expect([key, compared.get(key)?.percent ?? null]).toEqual([key, percent]);
      }
    }
  }, 600_000);

  test("an industry of one company agrees with that company", async () => {
    const call = operationsAt(START);
    const screened = await screensAtStart();
    const labels = { "Chg %": "1d", "Perf %1W": "1w", "Perf %1M": "1m", "Perf %YTD": "ytd" };
    let checked = 0;
    for (const country of COUNTRY_CODES) {
      for (const sector of SECTORS.keys()) {
        const args = { country, sector, level: "industry" };
        const { sectors } = await call<Sectors>("get_sectors", args);
        for (const [slug, { overview, performance }] of Object.entries(sectors)) {
          const members = all.filter(
            (one) => one.country === country && one.industry === slug && one.primaryListing,
          );
          if (overview["Stocks"] !== "1" || members.length !== 1) continue;
          checked++;
          for (const [label, window] of Object.entries({ ...labels, "Perf %1Y": "1y" })) {
            const text = performance[label] ?? "";
            const key = `${keyOf(members[0] ?? { country, symbol: "" })} ${window}`;
            const percent = text === "—" ? null : parseDisplay(text).value;
            expect([key, screened.get(key) ?? null]).toEqual([key, percent]);
          }
        }
      }
    }
    expect(checked).toBeGreaterThan(5);
  }, 600_000);

  test("the first and the last close of a chart give the return", async () => {
    const call = operationsAt(START);
    const statistics = await statisticsAtStart();
    for (const instrument of some) {
      for (const range of RANGES) {
        const { country, symbol } = instrument;
        const expected = statistics.get(`${keyOf(instrument)} ${range}`);
        if (expected?.percent === null || expected === undefined) continue;
        const chart = await call<Chart>("get_stock_price_history", { country, symbol, range });
        if (chart.next_before !== null) continue;
        const percent = 100 * ((chart.closes.at(-1) ?? 0) / (chart.closes[0] ?? 0) - 1);
        expect([chart.dates[0], chart.dates.at(-1)]).toEqual([
          String(expected.from),
          String(expected.to),
        ]);
        expect(Math.abs(percent - Number(expected.percent))).toBeLessThan(0.006);
      }
    }
  }, 600_000);
});

describe("in dollars, over every window", () => {
  const comparison = once(() => ofComparison(operationsAt(START), "USD"));
  const foreign = some.filter(({ currency }) => currency !== "USD");

  test("comparison and statistics agree", async () => {
    const compared = await comparison();
    const statistics = await ofStatistics(operationsAt(START), foreign, "USD");
    expect(statistics.size).toBe(foreign.length * RANGES.length);
    for (const [key, { percent }] of statistics)
      expect([key, compared.get(key)?.percent ?? null]).toEqual([key, percent]);
    // The law would be empty if nothing was converted.
    const local = await comparisonAtStart();
    const differ = foreign.filter((one) => {
      const key = `${keyOf(one)} 1y`;
      return compared.get(key)?.percent !== local.get(key)?.percent;
    });
    expect(differ.length).toBeGreaterThan(foreign.length / 2);
  }, 600_000);

  test("the screen agrees with the comparison", async () => {
    const [screened, compared] = [await ofScreens(operationsAt(START), "USD"), await comparison()];
    expect(screened.size).toBe(all.filter(isScreened).length * RANGES.length);
    for (const [key, { percent }] of compared)
      if (screened.has(key)) expect([key, screened.get(key)]).toEqual([key, percent]);
  }, 600_000);

  test("the closes of a chart in dollars give the returns and the volatility", async () => {
    const call = operationsAt(START);
    const compared = await comparison();
    for (const part of inParts(foreign, 20)) {
      const symbols = part.map(keyOf).join(",");
      const args = { symbols, metrics: "volatility", currency: "USD" };
      const volatilities = objectsOf(await call<Table>("compare_stocks", args));
      for (const [i, { country, symbol, assetType }] of part.entries()) {
        const chartArgs = { country, symbol, range: "max", currency: "USD" };
        const chart = await call<Chart>("get_stock_price_history", chartArgs);
        const newest = chart.dates.at(-1) ?? "";
        const closeAt = (date: string) =>
          chart.closes[chart.dates.findLastIndex((one) => one <= date)];
        for (const range of RANGES) {
          const expected = compared.get(`${keyOf({ country, symbol })} ${range}`);
          const before = closeAt(windowStart(range, newest));
          if (before === undefined || expected?.percent === null) continue;
          const percent = 100 * ((chart.closes.at(-1) ?? 0) / before - 1);
          const difference = Math.abs(percent - Number(expected?.percent));
          expect([keyOf({ country, symbol }), range, difference < 0.006]).toEqual([
            keyOf({ country, symbol }),
            range,
            true,
          ]);
        }
        const start = windowStart("1y", newest);
        const base = chart.dates.findLastIndex((date) => date <= start);
        const volatility = volatilities[i]?.["volatility"] ?? null;
        if (volatility === null || base < 0) continue;
        const closes = chart.closes.slice(base);
        const returns = closes.slice(1).map((close, day) => close / (closes[day] ?? 0) - 1);
        const mean = returns.reduce((sum, one) => sum + one, 0) / returns.length;
        const squares = returns.reduce((sum, one) => sum + (one - mean) ** 2, 0);
        const perYear = assetType === "cryptocurrency" ? 365 : 252;
        const own = 100 * Math.sqrt((squares / (returns.length - 1)) * perYear);
        expect([symbol, Math.abs(own - Number(volatility)) < 0.006]).toEqual([symbol, true]);
      }
    }
  }, 600_000);
});

describe("of instruments with few or old prices", () => {
  let hand: ReturnType<typeof openHandMade>;
  const bars = (symbol: string, closes: Readonly<Record<string, number>>) =>
    hand.market.put(
      "bars",
      [
        {
          country: "US" as const,
          symbol,
          bars: Object.entries(closes).map(([date, close]) => flatBar(date, close)),
        },
      ],
      SAMPLE,
    );
  beforeAll(() => {
    hand = openHandMade();
    const { market } = hand;
    const list = { source: "list", storedAt: 1 };
    const coin = stock("US", "COIN", { assetType: "cryptocurrency", primaryListing: false });
    const symbols = ["SPARK", "QUOTED", "IPO", "HALTED", "NEW"].map((one) => stock("US", one));
    market.put("instruments", [...symbols, coin], SAMPLE);
    market.put("instruments", [stock("US", "GONE")], list, { country: "US" });
    // Only a quote and a year of closes.
    const days = [0, 1, 8, 367, 374];
    const closes = [40, 50, 60, 70, 80];
    const record = { country: "US" as const, symbol: "SPARK", from: "2025-11-12", days, closes };
    market.put("recentCloses", [record], SAMPLE);
    const quoted = { date: "2026-11-23", previousClose: 90 };
    market.put("quotes", [quote("SPARK", 100, quoted), quote("QUOTED", 100, quoted)], SAMPLE);
    bars("QUOTED", { "2021-11-23": 20, "2025-11-21": 50, "2026-11-16": 80, "2026-11-20": 90 });
    bars("IPO", { "2026-11-02": 10, "2026-11-20": 15 });
    bars("HALTED", { "2022-03-01": 8, "2023-03-01": 10, "2023-03-02": 12 });
    bars("GONE", { "2019-06-28": 5, "2020-06-26": 8, "2020-06-29": 10 });
    // A Saturday and a Sunday.
    bars("COIN", { "2026-10-22": 50, "2026-11-15": 80, "2026-11-21": 100, "2026-11-22": 120 });
    const gone = { country: "US", source: "list", listedAt: 2 } as const;
    market.instruments.delistMissing(gone);
  });
  afterAll(() => hand.close());

  // The percent of each window, from the closes above; windows that are left out are null.
  const EXPECTED: [string, to: string | null, Readonly<Record<string, number>>][] = [
    // The closes up to 21 November, of 80, do not reach the session before the quote. A week before Monday
    // the 23rd is the 16th: 70 on the 14th. Six months and a year before: 60, on 20 November 2025.
    [
      "SPARK",
      "2026-11-23",
      { "1w": 42.86, "1m": 66.67, "3m": 66.67, "6m": 66.67, ytd: 66.67, "1y": 66.67 },
    ],
    [
      "QUOTED",
      "2026-11-23",
      { "1d": 11.11, "1w": 25, "1m": 100, "3m": 100, "6m": 100, ytd: 100, "1y": 100, "5y": 400 },
    ],
    // Listed on 2 November.
    ["IPO", "2026-11-20", { "1d": 50, "1w": 50 }],
    [
      "HALTED",
      "2023-03-02",
      { "1d": 20, "1w": 50, "1m": 50, "3m": 50, "6m": 50, ytd: 50, "1y": 50 },
    ],
    [
      "GONE",
      "2020-06-29",
      { "1d": 25, "1w": 100, "1m": 100, "3m": 100, "6m": 100, ytd: 100, "1y": 100 },
    ],
    ["COIN", "2026-11-22", { "1d": 20, "1w": 50, "1m": 140 }],
    ["NEW", null, {}],
  ];
  test.each(EXPECTED)(
    "%s: overview, comparison and statistics agree",
    async (symbol, to, known) => {
      hand.time.now = Date.parse("2026-11-29T03:00:00Z");
      const metrics = RANGES.map((range) => `return_${range}`).join(",");
      const compared = await hand.answer<Table>("compare_stocks", {
        symbols: `US:${symbol}`,
        metrics,
      });
      const [row = {}] = objectsOf(compared);
      const expected = RANGES.map((range) => [range, known[range] ?? null]);
      // A quote names its previous close, which statistics take only if it is the last stored close.
      const inComparison: Readonly<Record<string, number>> =
        symbol === "SPARK" ? { ...known, "1d": 11.11 } : known;
      expect(row["to_session"]).toBe(to);
      expect(RANGES.map((range) => [range, row[`return_${range}`] ?? null])).toEqual(
        RANGES.map((range) => [range, inComparison[range] ?? null]),
      );
      const { performance } = await hand.answer<{ performance: Record<string, string> }>(
        "get_stock_overview",
        { country: "US", symbol },
      );
      for (const window of PERFORMANCE_WINDOWS) {
        const text = performance[METRICS[`return_${window}`].label ?? ""] ?? "";
        expect([window, text === "—" ? null : parseDisplay(text).value]).toEqual([
          window,
          known[window] ?? null,
        ]);
      }
      const found = [];
      for (const range of RANGES) {
        const args = { symbols: `US:${symbol}`, range };
        const [one = {}] = objectsOf(await hand.answer<Table>("get_price_statistics", args));
        expect(one["to_session"]).toBe(to);
        found.push([range, one["return"] ?? null]);
      }
      expect(found).toEqual(expected);
    },
  );

  test("a screen says of each company that has an older session", async () => {
    const args = { country: "US", metrics: "return_1w", sort: "return_1w", limit: 20 };
    const screen = await hand.answer<Table & { session: string }>("screen_stocks", args);
    expect(screen.session).toBe("2026-11-23");
    const rows = new Map(objectsOf(screen).map((row) => [row["symbol"], row]));
    expect(rows.get("HALTED")).toMatchObject({ return_1w: 50, to_session: "2023-03-02" });
    expect(rows.get("IPO")).toMatchObject({ return_1w: 50, to_session: "2026-11-20" });
    expect(rows.has("GONE")).toBe(false);
  });
});

test("nothing changes on a weekend, at midnight UTC and at the end of a year", async () => {
  // START is Friday, 20 November 2026. No record is stored after it.
  const friday = await ofComparison(operationsAt(START));
  for (const now of [
    "2026-11-20T23:59:59Z",
    "2026-11-21T00:00:00Z",
    "2026-11-22T12:00:00Z",
    "2026-12-31T23:59:59Z",
    "2027-01-01T00:00:00Z",
    "2028-02-29T00:00:00Z",
  ]) {
    expect(await ofComparison(operationsAt(Date.parse(now)))).toEqual(friday);
  }
}, 600_000);

test.each([
  ["their own currencies", {}, some],
  ["dollars", { currency: "USD" }, some.filter(({ currency }) => currency !== "USD")],
])(
  "in %s, the year's volatility and beta are those of the statistics over a year",
  async (_, currency, list) => {
    const call = operationsAt(START);
    let checked = 0;
    for (const part of inParts(list, 10)) {
      const args = { symbols: part.map(keyOf).join(","), ...currency };
      const figures = "volatility,beta";
      const compared = objectsOf(
        await call<Table>("compare_stocks", { ...args, metrics: figures }),
      );
      const year = objectsOf(
        await call<Table>("get_price_statistics", { ...args, range: "1y", columns: figures }),
      );
      for (const [i, row] of compared.entries()) {
        // A comparison needs 60 sessions in common with the index.
        const { volatility = null, beta = null } = row;
        for (const [name, value] of Object.entries({ volatility, beta })) {
          if (value === null) continue;
          expect([row["symbol"], name, year[i]?.[name]]).toEqual([row["symbol"], name, value]);
          checked++;
        }
      }
    }
    expect(checked).toBeGreaterThan(list.length);
  },
  600_000,
);

test("the highest and lowest price of a year are those since the same day a year before", async () => {
  const call = operationsAt(START);
  for (const part of inParts(some, 20)) {
    const symbols = part.map(keyOf).join(",");
    const args = { symbols, metrics: "high_52w,low_52w" };
    for (const [i, row] of objectsOf(await call<Table>("compare_stocks", args)).entries()) {
      const { dates, high, low } = world.market.bars.series(part[i]?.id ?? 0, 10_000);
      const last = new Date(dates.at(-1) ?? START);
      last.setUTCFullYear(last.getUTCFullYear() - 1);
      const from = dates.findIndex((date) => date >= last.toISOString().slice(0, 10));
      const expected = [Math.max(...high.subarray(from)), Math.min(...low.subarray(from))];
      expect([row["symbol"], row["high_52w"], row["low_52w"]]).toEqual([
        row["symbol"],
        ...expected.map((price) => (from === -1 ? null : roundPrice(price))),
      ]);
    }
  }
}, 600_000);

test("the year's high, low, volatility and beta are the same on every later day", async () => {
  const metrics = "high_52w,low_52w,volatility,beta";
  const rowsAt = async (now: string) => {
    const call = operationsAt(Date.parse(now));
    const parts = inParts(some, 20).map((part) =>
      call<Table>("compare_stocks", { symbols: part.map(keyOf).join(","), metrics }),
    );
    return (await Promise.all(parts)).flatMap(({ rows }) => rows);
  };
  const friday = await rowsAt("2026-11-20T22:30:00Z");
  expect(await rowsAt("2026-11-22T09:00:00Z")).toEqual(friday);
  expect(await rowsAt("2027-03-01T00:00:00Z")).toEqual(friday);
}, 600_000);
