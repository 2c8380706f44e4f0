import { afterAll, describe, expect, test } from "bun:test";
import type { Country } from "#domain/country.ts";
import type { Instrument } from "#domain/instrument.ts";
import { openHandMade } from "../support/contract-answers.ts";
import { expectError } from "../support/error.ts";
import { flatBar, instrument, SAMPLE } from "../support/market.ts";
import { hasRecordings, recordedText } from "../support/recordings.ts";

type Cell = string | number | null;
interface Portfolio {
  currency: string;
  value: number | null;
  session: string;
  columns: string[];
  rows: Cell[][];
  weights: Record<string, Record<string, number>>;
  performance: Record<string, Cell>;
  risk: Record<string, Cell>;
  income: Record<string, Cell>;
  ratios: Record<string, Cell>;
  gain?: Record<string, unknown>;
  course?: { columns: string[]; rows: Cell[][] };
  next: { rows: Cell[][]; total: number };
  rates: { from: string; to: string; rate: number; date: string }[];
  notes?: string[];
}

const world = openHandMade();
afterAll(() => world.close());
const ask = (holdings: unknown, more: object = {}) =>
  world.answer<Portfolio>("analyze_portfolio", { holdings, parts: "all", columns: "all", ...more });
const rowsOf = ({ columns, rows }: Pick<Portfolio, "columns" | "rows">) =>
  rows.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i] ?? null])));

function put(
  country: Country,
  symbol: string,
  closes: Record<string, number>,
  more: Partial<Instrument> = {},
) {
  world.market.put("instruments", [instrument(country, symbol, more)], SAMPLE);
  const bars = Object.entries(closes).map(([day, close]) => {
    const date = day.length === 2 ? `2026-11-${day}` : day;
    return flatBar(date, close);
  });
  world.market.put("bars", [{ country, symbol, bars }], SAMPLE);
}
const pay = (country: Country, symbol: string, paid: Record<string, number>) =>
  world.market.put(
    "dividends",
    [
      {
        country,
        symbol,
        dividends: Object.entries(paid).map(([exDate, amount]) => ({ exDate, amount })),
      },
    ],
    SAMPLE,
  );

// Monday 16 to Thursday 19 November 2026. One dollar is 100, then 125 yen.
put("US", "ONE", { "16": 50, "17": 60, "18": 45, "19": 60 }, { sector: "technology" });
put("JP", "TWO", { "16": 1_000, "17": 1_000, "19": 1_250 }, { sector: "energy" });
put("JP", "JPY=X", { "16": 100, "17": 100, "19": 125 }, { assetType: "currency", currency: "JPY" });
put("US", "LATE", { "18": 10, "19": 11 });
put(
  "US",
  "COIN",
  { "14": 90, "15": 80, "16": 100, "19": 110, "21": 120 },
  { assetType: "cryptocurrency" },
);
put("US", "OLD", { "2026-10-01": 20, "2026-10-02": 25 });
put("US", "^GSPC", { "16": 100, "17": 110, "18": 99, "19": 110 }, { assetType: "index" });
pay("US", "ONE", { "2025-11-01": 9, "2026-05-01": 1, "2026-11-18": 6, "2026-12-10": 1 });
pay("JP", "TWO", { "2026-11-17": 100 });
pay("US", "LATE", {});
const WEEK = { from: "2026-11-16" };

describe("analyze_portfolio", () => {
  test("values cash and amounts at the newest rate, also if the period ends earlier", async () => {
    // On the 19th one dollar is 125 yen: 12,500 yen are 100 dollars. On the 17th they were 125.
    for (const holdings of ["ONE=1,JPY=12500", "ONE=1,TWO=12500JPY"]) {
      const data = await ask(holdings, { ...WEEK, to: "2026-11-17", currency: "USD" });
      expect([data.value, data.session]).toEqual([160, "2026-11-19"]);
      expect(rowsOf(data).map(({ value }) => value)).toEqual([60, 100]);
      // Over the period 12,500 yen are 125 dollars, and TWO does not move.
      expect(rowsOf(data).map(({ end_value: end }) => end)).toEqual([60, 125]);
    }
  });

  test("has values, weights and contributions in one currency, at the rate of each day", async () => {
    // In dollars ONE goes from 50 to 60, TWO from 1,000 / 100 = 10 to 1,250 / 125 = 10.
    const data = await ask("ONE=2,TWO=10", WEEK);
    const [one, two] = rowsOf(data);
    expect(data).toMatchObject({ currency: "USD", value: 220, session: "2026-11-19" });
    expect(one).toMatchObject({
      symbol: "US:ONE",
      shares: 2,
      price: 60,
      value: 120,
      weight: 54.55, // 120 / 220
      start_value: 100,
      start_weight: 50,
      end_weight: 54.55,
      return: 20,
      contribution: 10, // 20 / 200
    });
    expect(two).toMatchObject({ price: 10, value: 100, weight: 45.45, return: 0, contribution: 0 });
    expect(data.weights).toEqual({
      countries: { US: 54.55, JP: 45.45 },
      sectors: { technology: 54.55, energy: 45.45 },
      industries: { unknown: 100 },
      // The US has no further classes.
      local_sectors: { US: 54.55, unknown: 45.45 },
      currencies: { USD: 54.55, JPY: 45.45 },
    });
    expect(data.performance).toMatchObject({
      from_session: "2026-11-16",
      to_session: "2026-11-19",
      return: 10,
      start_value: 200,
      end_value: 220,
    });
    expect(data.rates).toMatchObject([
      { from: "JPY", to: "USD", rate: 0.008, date: "2026-11-19", first_rate: 0.01 },
    ]);
  });

  test("has the course of the value beside its benchmark", async () => {
    // ONE: 50, 60, 45, 60. The index: 100, 110, 99, 110.
    const args = { ...WEEK, parts: "course" };
    const { course } = await ask("ONE=2", args);
    expect(course).toEqual({
      columns: ["date", "value", "benchmark"],
      rows: [
        ["2026-11-16", 100, 100],
        ["2026-11-17", 120, 110],
        ["2026-11-18", 90, 99],
        ["2026-11-19", 120, 110],
      ],
    });
    const weights = await ask("ONE=50%", args);
    expect(weights.course?.rows.map((row) => row[1])).toEqual([100, 110, 95, 110]);
    expect((await ask("ONE=2", WEEK)).course).toBeUndefined();
  });

  test("has the gain on a price of a day at the rate of the day, after the splits since", async () => {
    put("US", "SPLIT", { "16": 10, "18": 11, "19": 12 });
    const splits = [{ exDate: "2026-11-18", numerator: 4, denominator: 1 }];
    world.market.put("splits", [{ country: "US", symbol: "SPLIT", splits }], SAMPLE);
    // 40 dollars for an old share are 10 for one of today. 1,000 yen were 10 dollars then, and 1,250 are 10 now.
    const data = await ask("SPLIT=2@40@2026-11-17,TWO=10@1000JPY@2026-11-16", {
      ...WEEK,
      currency: "USD",
    });
    expect(rowsOf(data)).toMatchObject([
      { cost: 20, gain: 4, gain_percent: 20 },
      { cost: 100, gain: 0, gain_percent: 0 },
    ]);
    // Bought in another currency: 2,000 yen were 20 dollars, before the first rate nothing is known.
    const yen = await ask("ONE=1@2000JPY@2026-11-17,LATE=1@500JPY@2026-11-01", WEEK);
    expect(rowsOf(yen)).toMatchObject([
      { cost: 20, gain: 40, gain_percent: 200 },
      { cost: null, gain: null },
    ]);
    expect(yen.gain).toMatchObject({ cost: 20, without_cost: ["US:LATE"] });
  });

  test("has the gain on the price paid, at the newest rate, of the holdings with one", async () => {
    // ONE: 60 now, 48 paid. TWO: 1,250 yen now, 1,000 paid; one dollar is 125 yen. LATE has no price paid.
    const data = await ask("ONE=2@48,TWO=-10@1000,LATE=1,USD=500", { ...WEEK, currency: "USD" });
    expect(rowsOf(data)).toMatchObject([
      { cost: 96, gain: 24, gain_percent: 25 },
      // Sold short for 80 dollars, worth 100 now.
      { cost: -80, gain: -20, gain_percent: -25 },
      { cost: null, gain: null, gain_percent: null },
      { cost: null, gain: null, gain_percent: null },
    ]);
    expect(data.gain).toEqual({
      cost: 176,
      gain: 4,
      gain_percent: 2.27, // 4 / 176
      without_cost: ["US:LATE"],
    });
    const named = await ask("ONE=2@48USD,TWO=10@1000JPY", WEEK);
    expect(named.gain).toMatchObject({ without_cost: [] });
    const refusal = await expectError(() => ask("ONE=2,TWO=10@8USD"), "invalid_argument");
    expect(refusal.message).toBe("The price paid for JP:TWO is in USD, its prices are in JPY.");
    const future = await expectError(() => ask("ONE=2@48@2062-05-01"), "invalid_argument");
    expect(future.message).toContain("2062-05-01, is in the future");
    // On the 17th, what was bought on the 18th has no price paid yet.
    const past = { from: "2026-11-16", known_on: "2026-11-17" };
    const before = await ask("ONE=2@48@2026-11-18,ONE=1@50@2026-11-16,TWO=1@900", past);
    expect(rowsOf(before)).toMatchObject([{ cost: null }, { cost: expect.any(Number) }]);
    const without = await ask("ONE=2");
    expect(without.gain).toBeUndefined();
    expect(without.columns).not.toContain("gain");
  });

  test("dividends are reinvested in their holding, and are income at the rate of their day", async () => {
    const data = await ask("ONE=2,TWO=10", WEEK);
    // ONE pays 6 on the 18th: 60 / 50 · 1 / (1 − 6 / 60) = 4/3. TWO pays 100 of 1,000: 1 / 0.9.
    expect(rowsOf(data)).toMatchObject([
      { total_return: 33.33, total_contribution: 16.67, income: 14, yield: 11.67 },
      { total_return: 11.11, total_contribution: 5.56, income: 10, yield: 8 },
    ]);
    expect(data.performance).toMatchObject({ total_return: 22.22 }); // 244.44 / 200
    // 2 · (1 + 6), and 10 · 100 yen at 0.01. The dividend of 1 November 2025 is older.
    // Yields: 7 / 60 and 100 / 1,250, weighted by 120 and 100.
    expect(data.income).toEqual({ last_12_months: 24, yield: 10 });
    expect(data.next).toMatchObject({
      rows: [["2026-12-10", "US:ONE", "ex_dividend"]],
      total: 1,
      unknown: 2,
      without_date: ["US:ONE", "JP:TWO"],
    });
  });

  test("has the income by month, and expects announced dividends and the ones of a year before", async () => {
    const months = async (holdings: string, more: object = {}) =>
      (await ask(holdings, { ...WEEK, parts: "income_by_month", ...more })) as unknown as {
        income_by_month: { columns: string[]; rows: Cell[][]; without: string[] };
        reasons: Record<string, string[]>;
      };
    const { income_by_month: all, reasons } = await months("ONE=2,TWO=10,OLD=1,USD=5");
    expect(all.columns).toEqual(["month", "paid", "expected"]);
    expect(all.rows).toHaveLength(25);
    expect([all.rows[0]?.[0], all.rows.at(-1)?.[0]]).toEqual(["2025-11", "2027-11"]);
    expect(all.rows.filter(([, paid, expected]) => paid || expected)).toEqual([
      ["2026-05", 2, null],
      // 2 · 6, and 10 · 100 yen at 0.01.
      ["2026-11", 22, 0],
      ["2026-12", null, 2],
      ["2027-05", null, 2],
      // 2 · 6, and 10 · 100 yen at 1 / 125.
      ["2027-11", null, 20],
    ]);
    expect(all.without).toEqual(["US:OLD"]);
    // Nothing was expected in past months, and nothing is paid in later ones.
    expect(reasons).toMatchObject({ none: expect.arrayContaining(["paid", "expected"]) });
    const { reasons: inYen } = await months("ONE=2", { currency: "JPY" });
    // The dollar of 1 May has no rate.
    expect(inYen["no_rate"]).toContain("paid of 2026-05");
    const { income_by_month: weights } = await months("ONE=60%,TWO=40%");
    expect(weights.rows.every(([, paid, expected]) => paid === null && expected === null)).toBe(
      true,
    );
  });

  test("the yield is the same in each currency, the income has the rates of its days", async () => {
    // ONE pays 7 dollars of 60: 11.67 %. TWO pays 100 yen of 1,250: 8 %. (120 · 7/60 + 100 · 0.08) / 220 = 10 %.
    for (const [currency, value, income] of [
      ["USD", 220, 24],
      // 120 and 100 dollars at 125. The dollar of 1 May has no rate.
      ["JPY", 27_500, null],
    ] as const) {
      const data = await ask("ONE=2,TWO=10", { ...WEEK, currency });
      expect(data).toMatchObject({ value, income: { last_12_months: income, yield: 10 } });
      expect(rowsOf(data).map((row) => row["yield"])).toEqual([11.67, 8]);
      expect(data.notes ?? []).toEqual(
        income === null
          ? ["Income is null: a dividend of US:ONE is older than the exchange rates."]
          : [],
      );
    }
  });

  test("risk is that of the value on the sessions of any holding", async () => {
    const data = await ask("ONE=2,TWO=10", WEEK);
    // Values 200, 220, 190 (TWO has no session), 220: returns 10 %, −13.64 %, 15.79 %.
    expect(data.risk).toMatchObject({
      max_drawdown: -13.64,
      peak_session: "2026-11-17",
      trough_session: "2026-11-18",
      recovered_session: "2026-11-19",
      benchmark: "US:^GSPC",
      benchmark_return: 10,
    });
    const shares = rowsOf(data).map((row) => Number(row["risk_share"]));
    expect(shares).toEqual([100, 0]);
  });

  test("weights are bought at the start and shown as written", async () => {
    const data = await ask("ONE=60%,TWO=30%", WEEK);
    expect(data).toMatchObject({ value: null, performance: { start_value: null } });
    expect(data.notes).toContain("The weights sum to 90 %: the rest is cash in USD.");
    // 0.6 · 20 %
    expect(data.performance["return"]).toBe(12);
    expect(rowsOf(data)).toMatchObject([
      { symbol: "US:ONE", weight: 60, start_weight: 60, end_weight: 64.29, contribution: 12 },
      { symbol: "JP:TWO", weight: 30, value: null, shares: null },
      { symbol: "CASH:USD", weight: 10, return: 0, type: "cash" },
    ]);
    const short = await world.answer<Portfolio>("analyze_portfolio", {
      holdings: "ONE=60%,TWO=40%",
    });
    expect(short.columns).not.toContain("value");
  });

  test("amounts, cash, duplicates and shorts", async () => {
    // 500 USD and 1 share of 60; 12,500 yen are 100 USD; −1 share of LATE.
    const data = await ask("ONE=500USD,ONE=1,cash:JPY=12500,LATE=-1", WEEK);
    expect(rowsOf(data)).toMatchObject([
      { symbol: "US:ONE", value: 560 },
      { symbol: "CASH:JPY", value: 100, country: null, currency: "JPY" },
      { symbol: "US:LATE", value: -11, weight: -1.69 },
    ]);
    expect(data.value).toBe(649);
    // 500 · 60 / 50 + 60, 12,500 yen at 0.008, −11 in place of 550, 125 and −10.
    expect(data.performance).toMatchObject({ start_value: 665, end_value: 749 });
  });

  test("weights beside shares are parts of the whole", async () => {
    // 120 is 60 %, so the whole is 200.
    expect(rowsOf(await ask("ONE=2,TWO=40%"))).toMatchObject([{ value: 120 }, { value: 80 }]);
    await expectError(() => ask("ONE=2,TWO=100%"), "invalid_argument");
    await expectError(() => ask("ONE=60%,TWO=60%"), "invalid_argument");
  });

  // ONE is 60 dollars, TWO 10 dollars, one dollar 125 yen.
  test.each([
    // Zero in any form is nothing: the others are weights alone, and the rest is cash.
    ["ONE=50%,TWO=0USD", [50, 0, 50]],
    ["ONE=50%,TWO=0", [50, 0, 50]],
    ["ONE=50%,TWO=0%", [50, 0, 50]],
    ["ONE=50%,USD=0", [50, 50]],
    ["ONE=50%,JPY=0", [50, 0, 50]],
    ["ONE=50%,TWO=100USD,TWO=-100USD", [50, 0, 50]],
    ["ONE=50%,TWO=3,TWO=-3", [50, 0, 50]],
    // Shorts bring in cash, borrowed money is negative cash.
    ["ONE=-50%", [-50, 150]],
    ["ONE=50%,TWO=-50%", [50, -50, 100]],
    ["ONE=150%,TWO=-50%", [150, -50]],
    ["ONE=130%,USD=-30%", [130, -30]],
    ["ONE=60%,USD=40%", [60, 40]],
    ["ONE=60%,cash=20%", [60, 40]],
    // Fixed parts of 60 dollars are the rest of the weights.
    ["ONE=1,TWO=40%", [60, 40]],
    ["ONE=60USD,TWO=40%", [60, 40]],
    ["ONE=7500JPY,TWO=40%", [60, 40]],
    ["ONE=40%,USD=60", [40, 60]],
    ["ONE=1,TWO=-100%", [200, -100]], // 60 / (1 + 1) = 30
    ["ONE=1,TWO=0%", [100, 0]],
    ["ONE=2,USD=-60", [200, -100]], // 120 of 60
    ["ONE=1,ONE=40%", [100]],
  ] as const)("the weights of %s", async (holdings, weights) => {
    const { currency, rows, columns } = await ask(holdings, { ...WEEK, currency: "USD" });
    expect(currency).toBe("USD");
    expect(rowsOf({ columns, rows }).map(({ weight }) => weight)).toEqual([...weights]);
  });

  test.each([
    ["ONE=0%", "All holdings are zero"],
    ["ONE=0USD,TWO=0,USD=0", "All holdings are zero"],
    ["ONE=5USD,ONE=-5USD", "All holdings are zero"],
    ["ONE=101%", "The weights sum to 101 %, more than 100 %. Borrowed money is negative cash"],
    ["ONE=101%,TWO=0USD", "more than 100 %"],
    ["ONE=1,TWO=100%", "they must sum to less than 100 %"],
    ["ONE=50%,USD=-10", "the holdings are worth -20: "], // −10 is the other half
    ["ONE=1,USD=-60,TWO=50%", "On 2026-11-19 the holdings are worth 0: "],
    // 100 dollars less 12,500 yen, on the newest session.
    ["ONE=50%,TWO=100USD,TWO=-12500JPY", "the holdings are worth 0: "],
    ["SHORT=-1,USD=55", "On 2026-11-16 the holdings are worth zero or less: "],
  ])("%s is refused: %s", async (holdings, says) => {
    put("US", "SHORT", { "16": 60, "19": 50 });
    const error = await expectError(
      () => ask(holdings, { ...WEEK, currency: "USD" }),
      "invalid_argument",
    );
    expect(error.message).toContain(says);
  });

  test("a holding that begins inside the period is cash until then, and says so", async () => {
    const data = await ask("ONE=2,LATE=10", WEEK);
    // 100 + 100 to 120 + 110.
    expect(data.performance).toMatchObject({ from_session: "2026-11-16", return: 15 });
    expect(rowsOf(data)[1]).toMatchObject({ return: null, contribution: 5, begins: "2026-11-18" });
    expect(data.notes?.join()).toContain("US:LATE begins on 2026-11-18: until then");
    const all = await ask("ONE=2,LATE=10", { range: "max" });
    expect(all.performance).toMatchObject({ from_session: "2026-11-18", return: 21.05 }); // 230 / 190
    const alone = await ask("LATE=10", WEEK);
    expect(alone.performance).toMatchObject({ return: null, from_session: "2026-11-18" });
    expect(alone.notes?.join()).toContain("no price is known at 2026-11-16");
  });

  test("weekends of cryptocurrencies are sessions, and others keep their last close", async () => {
    const data = await ask("COIN=1,ONE=1", { from: "2026-11-16" });
    // Saturday 21 November: 120 + 60 in place of 100 + 50.
    expect(data).toMatchObject({ session: "2026-11-21", performance: { return: 20 } });
    expect(data.weights["sectors"]).toMatchObject({ cryptocurrency: 66.67 });
  });

  test("a close that is carried for long is mentioned", async () => {
    const data = await ask("ONE=1,OLD=1", { from: "2026-10-01" });
    expect(data.notes?.join()).toContain("US:OLD: its last close, of 2026-10-02, is carried.");
    expect(rowsOf(data)[1]).toMatchObject({ return: 25, price_session: "2026-10-02" });
  });

  test("an index counts in points, and its dividends are unknown", async () => {
    const data = await ask("^GSPC=1,ONE=1", WEEK);
    expect(data).toMatchObject({
      value: 170,
      performance: { return: 13.33, total_return: null },
      income: { last_12_months: null, yield: null },
    });
    expect(data.notes?.join(" ")).toContain("US:^GSPC is an index: a point counts as one USD.");
    expect(data.notes?.join(" ")).toContain("dividends of an index are not stored");
  });

  test("a currency pair is its base currency: 100 dollars are 12,500 yen", async () => {
    const data = await ask("JPY=X=100", { ...WEEK, currency: "USD" });
    expect(data).toMatchObject({ value: 100, performance: { return: 0 } });
    expect((await ask("JPY=X=100", WEEK)).value).toBe(12_500);
  });

  test("zero shares have a row and no weight; nothing has a refusal", async () => {
    expect(rowsOf(await ask("ONE=1,LATE=0"))[1]).toMatchObject({ value: 0, weight: 0 });
    await expectError(() => ask("ONE=0"), "invalid_argument");
    await expectError(() => ask("ONE=-1"), "invalid_argument");
  });

  test("a value that falls to zero has no risk, and says why", async () => {
    put("US", "SPIKE", { "16": 50, "17": 80, "18": 50 });
    // 70 of cash and −1 share: 20, −10, 20.
    const data = await ask("SPIKE=-1,USD=70", WEEK);
    expect(data.performance).toMatchObject({ return: 0, start_value: 20 });
    expect(data.risk).toMatchObject({ volatility: null, max_drawdown: null, beta: null });
    expect(data.notes?.join()).toContain("the value falls to zero or below");
  });

  test("names all symbols that it does not know", async () => {
    const error = await expectError(() => ask("ONE=1,ONEE=2,NOPES=3"), "not_found");
    expect(error.message).toContain("ONEE");
    expect(error.message).toContain("NOPES");
    await expectError(() => ask("ONE=1,FPT=1", { currency: "EUR" }), "not_found");
    await expectError(() => ask("ONE=1", { to: "2020-01-01" }), "invalid_argument");
    await expectError(() => ask("ONE=1", { to: "2030-01-01" }), "invalid_argument");
    await expectError(() => ask("ONE=1", { from: "2026-12-01" }), "invalid_argument");
  });

  test("cash whose code is a stock's symbol is mentioned", async () => {
    put("US", "JPY", { "19": 1 });
    const { notes } = await ask("ONE=1,JPY=1000");
    expect(notes).toContain("JPY is read as cash. For the stock write US:JPY.");
  });
});

describe("one holding", () => {
  test.each([
    ["ONE", WEEK],
    ["TWO", { ...WEEK, currency: "USD" }],
    ["COIN", { range: "1w" }],
    ["JP:7203", { range: "1y" }],
    ["AAPL", { range: "max" }],
    ["LATE", WEEK],
  ])("%s %j has the figures of get_price_statistics", async (symbol, period) => {
    const statistics = await world.answer<Portfolio>("get_price_statistics", {
      symbols: symbol,
      columns:
        "from_session,to_session,return,total_return,volatility,max_drawdown,peak_session,trough_session,recovered_session,beta",
      ...period,
    });
    const [{ country: _, symbol: __, ...figures } = {}] = rowsOf(statistics);
    expect(Object.keys(figures)).toHaveLength(10);
    const data = await ask(`${symbol}=7`, period);
    expect({ ...data.performance, ...data.risk }).toMatchObject(figures);
  });
});

/*
 * By pandas 1.5.3, with local = the closes of the five files (FPT in dong) and usd = local × the last rate at or before
 * the day: prices = usd reindexed to the union of the days, method="ffill"; v = prices × units (VNINDEX: 1000 / its
 * first price); value = v.sum(axis=1); r = value.pct_change(); parts = v.diff() / value.shift().
 * return value[-1] / value[0] − 1; contribution (v[-1] − v[0]) / value[0]; risk share parts.cov(r) / r.var();
 * volatility r.std() · √252; drawdown (value / value.cummax() − 1).min(); beta cov / var on the days that both have;
 * monthly Π Σ w · last / first price of each month.
 */
test.skipIf(!hasRecordings)("eight holdings have the figures that pandas computes", async () => {
  const own = openHandMade({ filled: false });
  const series = (file: string, date: number, close: number, factor = 1) =>
    recordedText(`prices/${file}`)
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.split(","))
      .map((cells) => ({
        date: (cells[date] ?? "").slice(0, 10),
        close: Number(cells[close]) * factor,
      }))
      .filter((one) => one.date >= "2026-05-01");
  const rate = (first: number, second: number) => [
    { date: "2026-05-01", close: first },
    { date: "2026-07-01", close: second },
  ];
  for (const [country, symbol, assetType, closes] of [
    ["US", "AAPL", "stock", series("AAPL_yfinance.csv", 0, 1)],
    ["JP", "7203", "stock", series("7203.csv", 0, 4)],
    ["VN", "FPT", "stock", series("FPT_vci.csv", 0, 4, 1000)],
    ["JP", "^N225", "index", series("nkx.csv", 0, 4)],
    ["VN", "VNINDEX", "index", series("VNINDEX.csv", 0, 4)],
    ["JP", "JPY=X", "currency", rate(150, 160)],
    ["VN", "VND=X", "currency", rate(25_000, 26_000)],
  ] as const) {
    own.market.put("instruments", [instrument(country, symbol, { assetType })], SAMPLE);
    const bars = closes.map(({ date, close }) => flatBar(date, close));
    own.market.put("bars", [{ country, symbol, bars }], SAMPLE);
  }
  const call = (more: object) =>
    own.answer<Portfolio>("analyze_portfolio", {
      holdings:
        "AAPL=10,7203=300,FPT=1000,^N225=0.1,VNINDEX=1000USD,JPY=200000,VND=10000000,USD=500",
      from: "2026-05-27",
      to: "2026-08-07",
      currency: "USD",
      benchmark: "JP:^N225",
      columns: "contribution,risk_share",
      parts: "all",
      ...more,
    });
  const data = await call({});
  expect(data.rows).toEqual([
    ["US:AAPL", 0.14, 18.41],
    ["JP:7203", -2.8, 69.83],
    ["VN:FPT", -1.18, 5.89],
    ["JP:^N225", -0.02, 0.01],
    ["VN:VNINDEX", -0.61, 2.43],
    ["CASH:JPY", -0.54, 2.89],
    ["CASH:VND", -0.1, 0.53],
    ["CASH:USD", 0, 0],
  ]);
  expect(data.performance).toMatchObject({
    from_session: "2026-05-27",
    to_session: "2026-08-07",
    return: -5.11,
    start_value: 15_305,
    end_value: 14_524,
  });
  expect(data.risk).toMatchObject({
    volatility: 16.91,
    max_drawdown: -8.79,
    peak_session: "2026-05-29",
    trough_session: "2026-07-01",
    recovered_session: null,
    benchmark_return: -5.37,
    beta: -0.01,
    correlation: -0.02,
  });
  expect((await call({ rebalance: "monthly" })).performance["return"]).toBe(-4.8);
  own.close();
});
