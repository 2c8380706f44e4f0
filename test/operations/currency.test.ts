import { afterAll, expect, test } from "bun:test";
import type { Country } from "#domain/country.ts";
import type { Instrument } from "#domain/instrument.ts";
import { OPERATIONS } from "#operations/index.ts";
import { openHandMade } from "../support/contract-answers.ts";
import { expectError } from "../support/error.ts";
import { flatBar, instrument, SAMPLE } from "../support/market.ts";

// Amounts and prices in another currency: each has the rate of its own day.

type Cell = string | number | null;
interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  readonly rates?: readonly Record<string, unknown>[];
  readonly currency?: string | null;
  readonly total?: number;
}

const world = openHandMade({ filled: false });
afterAll(() => world.close());
const objectsOf = ({ columns, rows }: Table) =>
  rows.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i] ?? null])));

function put(
  country: Country,
  symbol: string,
  closes: Readonly<Record<string, number>>,
  known: Partial<Instrument> = {},
): void {
  const { market } = world;
  market.put("instruments", [instrument(country, symbol, known)], SAMPLE);
  const bars = Object.entries(closes).map(([date, close]) => {
    return flatBar(date, close, 1_000);
  });
  market.put("bars", [{ country, symbol, bars }], SAMPLE);
}
const pair = { assetType: "currency", primaryListing: false } as const;
// Thursday, Friday, Monday; a week, a month and a year before; no rate before May 2025.
put(
  "JP",
  "JPY=X",
  {
    "2025-05-06": 200,
    "2026-04-06": 100,
    "2026-04-29": 160,
    "2026-04-30": 80,
    "2026-05-01": 160,
    "2026-05-06": 125,
  },
  { ...pair, currency: "JPY" },
);
put("US", "EURUSD=X", { "2025-01-02": 1.25 }, { ...pair, currency: "USD" });
// 3, 4 and 5 May are holidays in Japan, so the session before 6 May is 1 May.
put(
  "JP",
  "FLAT",
  {
    "2021-05-06": 500,
    "2025-05-06": 1_000,
    "2026-04-06": 1_000,
    "2026-04-28": 1_000,
    "2026-04-30": 1_000,
    "2026-05-01": 1_000,
    "2026-05-06": 1_000,
  },
  { sharesOutstanding: 2_000_000, sector: "technology" },
);
put("JP", "SMALL", { "2026-05-01": 100, "2026-05-06": 100 }, { sharesOutstanding: 1_000_000 });
put(
  "JP",
  "^N225",
  { "2025-05-06": 20_000, "2026-05-06": 25_000 },
  { assetType: "index", primaryListing: false },
);

const METRICS =
  "price,change_percent,return_1d,return_1w,return_1m,return_1y,return_5y,market_cap,high_52w,low_52w";

test("a comparison in dollars has the returns and prices of a dollar investor", async () => {
  const args = { symbols: "JP:FLAT", metrics: METRICS };
  const [local] = objectsOf(await world.answer<Table>("compare_stocks", args));
  expect(local).toMatchObject({ currency: "JPY", price: 1_000, return_1d: 0, return_5y: 100 });
  const table = await world.answer<Table>("compare_stocks", { ...args, currency: "USD" });
  const [row] = objectsOf(table);
  expect(row).toMatchObject({
    currency: "USD",
    price: 8, // 1,000 / 125
    change_percent: 28, // 8 / (1,000 / 160) − 1
    return_1d: 28,
    return_1w: -20, // 8 / (1,000 / 100) − 1: the last rate at or before 28 April is that of the 6th.
    return_1m: -20, // 8 / (1,000 / 100) − 1
    return_1y: 60, // 8 / (1,000 / 200) − 1
    return_5y: null, // No rate in May 2021.
    market_cap: 16e6, // 2 billion yen / 125
    high_52w: 12.5, // 1,000 / 80 on 30 April
    low_52w: 5, // 1,000 / 200 on 6 May 2025
  });
});

test("a comparison lists the oldest and the newest rate that it used, and where rates begin", async () => {
  const args = { symbols: "JP:FLAT", metrics: METRICS, currency: "USD" };
  const { rates } = await world.answer<Table>("compare_stocks", args);
  expect(rates).toEqual([
    {
      from: "JPY",
      to: "USD",
      rate: 0.008,
      date: "2026-05-06",
      first_rate: 0.005,
      first_date: "2025-05-06",
      begins: "2025-05-06",
    },
  ]);
});

test("a comparison lists only the rates of the windows that it was asked for", async () => {
  const args = { symbols: "JP:FLAT", metrics: "return_1d", currency: "USD" };
  const { rates } = await world.answer<Table>("compare_stocks", args);
  // 1 / 160 on the session before the newest one.
  expect(rates).toMatchObject([{ first_rate: 0.00625, first_date: "2026-05-01" }]);
  expect(rates?.[0]).not.toHaveProperty("begins");
});

test("CSV has the rates in each row", async () => {
  const args = { symbols: "JP:FLAT", metrics: "return_5y,return_1y", currency: "USD" };
  const operation = OPERATIONS.find(({ name }) => name === "compare_stocks");
  const table = operation?.table?.(await world.answer("compare_stocks", args), args);
  const [row] = table ? objectsOf(table as Table) : [];
  expect(row).toMatchObject({
    return_1y: 60,
    JPY_to_USD: 0.008,
    JPY_to_USD_date: "2026-05-06",
    JPY_to_USD_first: 0.005,
    JPY_to_USD_first_date: "2025-05-06",
    JPY_to_USD_begins: "2025-05-06",
  });
});

test("a screen has the figures of the comparison, also in its conditions and its order", async () => {
  const args = { country: "JP", metrics: METRICS, currency: "USD" };
  const screen = await world.answer<Table>("screen_stocks", args);
  expect(screen).toMatchObject({ currency: "USD", total: 2 });
  const symbols = "JP:FLAT,JP:SMALL";
  const compared = await world.answer<Table>("compare_stocks", { ...args, symbols });
  const names = METRICS.split(",");
  const figures = (table: Table) =>
    objectsOf(table).map((row) => names.map((name) => row[name] ?? null));
  expect(figures(screen)).toEqual(figures(compared));

  const totals = async (where: string, currency?: string) => {
    const call = { country: "JP", where, ...(currency !== undefined && { currency }) };
    return (await world.answer<Table>("screen_stocks", call)).total;
  };
  // 16 million dollars and 800 thousand; 2 billion and 100 million yen.
  expect(await totals("market_cap>10M", "USD")).toBe(1);
  expect(await totals("market_cap>10M")).toBe(2);
  expect(await totals("return_1y>50", "USD")).toBe(1);
  expect(await totals("return_1y>50")).toBe(0);
  expect(await totals("high_52w>12,low_52w<6", "USD")).toBe(1);
  expect(await totals("price<9", "USD")).toBe(2);
  const sorted = { country: "JP", sort: "high_52w", metrics: "high_52w", currency: "USD" };
  const { rows } = await world.answer<Table>("screen_stocks", sorted);
  // The 100 yen of SMALL on 6 May, at 125.
  expect(rows.map(([symbol, , high]) => [symbol, high])).toEqual([
    ["SMALL", 0.8],
    ["FLAT", 12.5],
  ]);
});

interface History {
  readonly currency: string;
  readonly dates: readonly string[];
  readonly closes: readonly (number | null)[];
  readonly bars?: Table;
  readonly dividends?: Table;
  readonly rates?: readonly Record<string, unknown>[];
  readonly row_rates?: Table;
}

test("a history in dollars has each close at the rate of its day, and null before the first rate", async () => {
  const args = { country: "JP", symbol: "FLAT", range: "max" };
  const { rates: none, ...local } = await world.answer<History>("get_stock_price_history", args);
  expect(none).toBeUndefined();
  const same = await world.answer<History>("get_stock_price_history", { ...args, currency: "JPY" });
  expect(same).toEqual(local);
  const inDollars = { ...args, currency: "USD" };
  const history = await world.answer<History>("get_stock_price_history", inDollars);
  expect(history).toMatchObject({
    currency: "USD",
    dates: local.dates,
    closes: [null, 5, 10, 10, 12.5, 6.25, 8],
    rates: [
      {
        from: "JPY",
        to: "USD",
        rate: 0.008,
        date: "2026-05-06",
        first_rate: 0.005,
        first_date: "2025-05-06",
        begins: "2025-05-06",
      },
    ],
  });
  // Closes of 500 and 1,000 yen; 1.25 dollars a euro.
  const inEuro = { ...args, currency: "EUR", from: "2026-05-01", range: undefined };
  expect(await world.answer<History>("get_stock_price_history", inEuro)).toMatchObject({
    closes: [5, 6.4],
  });
});

test("bars of a month in dollars have the highest of its days in dollars", async () => {
  const args = { country: "JP", symbol: "FLAT", fields: "ohlcv", range: "max" };
  const call = { ...args, interval: "1mo", currency: "USD" };
  const { bars } = await world.answer<History>("get_stock_price_history", call);
  expect(bars?.rows.slice(-2)).toEqual([
    ["2026-04-30", 10, 12.5, 10, 12.5, 3_000],
    ["2026-05-06", 6.25, 8, 6.25, 8, 2_000],
  ]);
  expect(bars?.rows[0]).toEqual(["2021-05-06", null, null, null, null, 1_000]);
});

test("row_rates has the rate of each row with its own date", async () => {
  const args = { country: "JP", symbol: "FLAT", from: "2026-04-28", currency: "USD" };
  const history = await world.answer<History>("get_stock_price_history", args);
  expect(history).not.toHaveProperty("row_rates");
  const more = { ...args, row_rates: true };
  const { row_rates: rates } = await world.answer<History>("get_stock_price_history", more);
  expect(rates).toEqual({
    columns: ["rate", "rate_date"],
    rows: [
      [0.01, "2026-04-06"],
      [0.0125, "2026-04-30"],
      [0.00625, "2026-05-01"],
      [0.008, "2026-05-06"],
    ],
  });
  const operation = OPERATIONS.find(({ name }) => name === "get_stock_price_history");
  const table = operation?.table?.(await world.answer("get_stock_price_history", more), more);
  expect(table?.columns).toEqual(["date", "close", "rate", "rate_date"]);
  expect(table?.rows[0]).toEqual(["2026-04-28", 10, 0.01, "2026-04-06"]);
});

interface Statistics extends Table {
  readonly session: string | null;
  readonly closes: Table | null;
}

test("statistics in dollars have the closes of their days, and nothing before the first rate", async () => {
  const read = async (args: Record<string, unknown>) => {
    const call = { symbols: "JP:FLAT,JP:^N225", dates: "2026-05-01", ...args };
    return world.answer<Statistics>("get_price_statistics", call);
  };
  const table = await read({ range: "max", currency: "USD" });
  const [flat, index] = objectsOf(table);
  // 5 in May 2025 to 8; the lowest after 12.5 is 6.25. The index: 100 to 200.
  expect(flat).toMatchObject({
    currency: "USD",
    from_session: "2025-05-06",
    from_close: 5,
    to_close: 8,
    sessions: 6,
    return: 60,
    max_drawdown: -50,
    peak_session: "2026-04-30",
    trough_session: "2026-05-01",
    recovered_session: null,
  });
  expect(index).toMatchObject({ currency: "USD", from_close: 100, to_close: 200, return: 100 });
  expect(table.closes?.rows[0]).toEqual(["JP", "FLAT", "2026-05-01", "2026-05-01", 6.25, 28]);
  expect(table.rates?.[0]).toMatchObject({ from: "JPY", to: "USD", rate: 0.008 });
  const five = objectsOf(await read({ range: "5y", currency: "USD" }));
  expect(five[0]).toMatchObject({ from_session: "2025-05-06", return: null });
  // In the own currency nothing changes, not a byte.
  expect(JSON.stringify(await read({ currency: "JPY" }))).toBe(JSON.stringify(await read({})));
  const unknown = await read({ currency: "CHF" });
  expect(unknown.rates).toEqual([{ from: "JPY", to: "CHF", rate: null, date: null }]);
  expect(objectsOf(unknown)[0]).toMatchObject({ sessions: 0, return: null, to_close: null });
});

test("dong keep the digits of their rate", async () => {
  put("VN", "VND=X", { "2026-05-04": 25_316, "2026-05-06": 26_123 }, { ...pair, currency: "VND" });
  put("VN", "FPT", { "2026-05-05": 95_800, "2026-05-06": 100_500 });
  const args = { country: "VN", symbol: "FPT", currency: "USD", row_rates: true };
  const { closes, row_rates: rates } = await world.answer<History>("get_stock_price_history", args);
  // 95,800 / 25,316 and 100,500 / 26,123, with seven digits; 1 / 25,316 and 1 / 26,123.
  expect(closes).toEqual([3.784168, 3.847184]);
  expect(rates?.rows).toEqual([
    [0.00003950071, "2026-05-04"],
    [0.00003828044, "2026-05-06"],
  ]);
});

test("raw and total-return prices, dividends and splits are converted after the adjustment", async () => {
  const { market } = world;
  const events = { country: "JP", symbol: "FLAT" } as const;
  const splits = [{ exDate: "2026-05-01", numerator: 2, denominator: 1 }];
  const dividends = [
    { exDate: "2021-06-01", amount: 1 },
    { exDate: "2026-05-06", amount: 100 },
  ];
  // The bars are in the shares of 6 May.
  market.put("splits", [{ ...events, splits }], SAMPLE);
  market.put("dividends", [{ ...events, dividends }], SAMPLE);
  const read = async (args: Record<string, unknown>) =>
    world.answer<History>("get_stock_price_history", { ...events, currency: "USD", ...args });
  // Two old shares of 1,000 yen at 80 yen a dollar; then one of 1,000 at 160 and 125.
  const raw = await read({ from: "2026-04-30", adjust: "none" });
  expect(raw.closes).toEqual([25, 6.25, 8]);
  // Dividends were stored before the split: 50 yen a new share, and 1 − 50 / 1,000 = 0.95 before the ex-date.
  const total = await read({ from: "2026-04-30", adjust: "total", dividends: true });
  expect(total.closes).toEqual([11.875, 5.9375, 8]);
  expect(total.dividends?.rows).toEqual([["2026-05-06", 0.4]]);
  const table = await world.answer<Table>("get_price_statistics", {
    symbols: "JP:FLAT",
    from: "2026-04-30",
    adjust: "none",
    currency: "USD",
  });
  // The closes are raw. The split is no loss: 12.5 to 8; with dividends 11.875 to 8.
  expect(objectsOf(table)[0]).toMatchObject({
    from_close: 25,
    to_close: 8,
    return: -36,
    total_return: -32.63,
  });
  const all = await read({ range: "max", dividends: true });
  expect(all.dividends?.rows[0]).toEqual(["2021-06-01", null]);
});

test("new rates change the figures of a year that were computed before", async () => {
  const high = async () => {
    const args = { symbols: "JP:FLAT", metrics: "high_52w,volatility", currency: "USD" };
    return objectsOf(await world.answer<Table>("compare_stocks", args))[0]?.["high_52w"];
  };
  const screened = async () => {
    const args = { country: "JP", where: "high_52w>20", currency: "USD" };
    return (await world.answer<Table>("screen_stocks", args)).total;
  };
  expect([await high(), await screened()]).toEqual([12.5, 0]);
  const closes = { "2025-05-06": 200, "2026-04-30": 40, "2026-05-06": 124 };
  put("JP", "JPY=X", closes, { ...pair, currency: "JPY" });
  expect([await high(), await screened()]).toEqual([25, 1]);
});

test("the own currency changes nothing", async () => {
  for (const [name, args] of [
    ["compare_stocks", { symbols: "JP:FLAT,JP:SMALL", metrics: "all" }],
    ["screen_stocks", { country: "JP", metrics: METRICS }],
  ] as const) {
    const { rates: _, ...local } = await world.answer<Table>(name, args);
    const { rates, ...same } = await world.answer<Table>(name, { ...args, currency: "JPY" });
    expect([same, rates ?? []]).toEqual([local, []]);
  }
});

test("an index in another currency has the price of its points; in its own it has points", async () => {
  const read = async (currency: string) => {
    const args = { symbols: "JP:^N225", metrics: "price,return_1y", currency };
    return (await world.answer<Table>("compare_stocks", args)).rows[0]?.slice(3, 7);
  };
  expect(await read("JPY")).toEqual([null, "2026-05-06", 25_000, 25]);
  // 25,000 / 124 and 20,000 / 200.
  expect(await read("USD")).toEqual(["USD", "2026-05-06", 201.6129, 101.61]);
});

test("a currency without a rate has no figures of prices", async () => {
  const args = { country: "JP", metrics: METRICS, currency: "CHF" };
  const { rows, rates, total } = await world.answer<Table>("screen_stocks", args);
  expect([total, rates]).toEqual([2, [{ from: "JPY", to: "CHF", rate: null, date: null }]]);
  expect(new Set(rows.flatMap((row) => row.slice(2)))).toEqual(new Set([null]));
});

test.each(["get_stock_price_history", "get_price_statistics", "screen_stocks", "compare_stocks"])(
  "%s fetches the pairs of the currencies that it converts",
  (name) => {
    const operation = OPERATIONS.find((one) => one.name === name);
    const needed = (currency?: string) =>
      operation
        ?.needs?.({ country: "VN", symbol: "FPT", symbols: "VN:FPT", currency } as never)
        .filter(({ kind, symbol }) => kind === "bars" && symbol?.endsWith("=X"))
        .map(({ symbol }) => symbol);
    for (const pairName of ["VND=X", "EURUSD=X"]) expect(needed("EUR")).toContain(pairName);
    if (name !== "compare_stocks") expect(needed()).toEqual([]);
  },
);

test("a currency that is not supported is refused", async () => {
  const { details } = await expectError(
    () => world.answer("screen_stocks", { country: "JP", currency: "XAU" }),
    "invalid_argument",
  );
  expect(details).toMatchObject({ param: "currency" });
});

test("a total return in dollars has the rates of its first and its last session", async () => {
  const closes = {
    "2025-05-06": 1_000,
    "2026-04-30": 1_000,
    "2026-05-01": 1_000,
    "2026-05-06": 1_000,
  };
  put("US", "PAYS", closes, { currency: "JPY" });
  const dividends = [{ exDate: "2026-05-01", amount: 100 }];
  world.market.put("dividends", [{ country: "US", symbol: "PAYS", dividends }], SAMPLE);
  const totalReturn = async (currency?: string) => {
    const args = { symbols: "US:PAYS", metrics: "total_return_1y", ...(currency && { currency }) };
    const [row] = objectsOf(await world.answer<Table>("compare_stocks", args));
    return row?.["total_return_1y"];
  };
  // 1 / (1 − 100 / 1,000) − 1; in dollars times 200 / 124, the newest rate of the test before.
  expect(await totalReturn()).toBe(11.11);
  expect(await totalReturn("USD")).toBe(79.21);
});
