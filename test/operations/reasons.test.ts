import { afterAll, describe, expect, test } from "bun:test";
import { openHandMade } from "../support/contract-answers.ts";
import { calendarYear, flatBars, NEWEST_SESSION, STORED_AT } from "../support/contract-market.ts";
import { expectError } from "../support/error.ts";
import { instrument } from "../support/market.ts";
import { quote } from "../support/refresher.ts";
import { expectReasons } from "../support/reasons.ts";

const world = openHandMade();
const { market } = world;
afterAll(() => world.close());
const provenance = { source: "test", storedAt: STORED_AT };

const AAPL = { country: "US", symbol: "AAPL" } as const;

market.transaction(() => {
  market.instruments.put(
    [
      instrument("US", "LOSS", { name: "Loss Corp", sharesOutstanding: 1e6, sector: "technology" }),
      instrument("US", "BANK", {
        name: "Bank Corp",
        sharesOutstanding: 1e6,
        sector: "financial-services",
        industry: "banks-regional",
      }),
      instrument("US", "HALT", { name: "Halt Corp" }),
      instrument("US", "FOREIGN", { name: "Foreign Corp", sharesOutstanding: 1e6 }),
      instrument("US", "EURUSD=X", { assetType: "currency", primaryListing: false }),
    ],
    provenance,
  );
  // Independence Day is on a Saturday, so the market is closed on Friday. AAPL trades on each weekday.
  const bars = flatBars(300).filter(({ date }) => date !== "2026-07-03");
  market.put(
    "bars",
    [
      ...["LOSS", "BANK", "FOREIGN", "^GSPC"].map((symbol) => ({
        country: "US" as const,
        symbol,
        bars,
      })),
      // No trade from Monday to Friday.
      {
        country: "US",
        symbol: "HALT",
        bars: bars.filter(({ date }) => date < "2026-08-03" || date > "2026-08-07"),
      },
    ],
    provenance,
  );
  const profit = { revenue: 100, epsDiluted: 1, netIncome: 10, commonEquity: 50, totalAssets: 90 };
  market.put(
    "statements",
    [
      calendarYear("LOSS", 2024, { ...profit, epsDiluted: -1, netIncome: -10 }),
      calendarYear("LOSS", 2025, { ...profit, epsDiluted: -2, netIncome: -20, commonEquity: -5 }),
      calendarYear("BANK", 2025, profit),
      { ...calendarYear("FOREIGN", 2025, profit), currency: "BRL" },
    ],
    provenance,
  );
});

/** The reasons of a call, by reason. */
async function reasons(name: string, args: object) {
  const data = await world.answer(name, { ...args });
  expectReasons(data);
  return data["reasons"] as Record<string, string[]> | undefined;
}

const compare = (symbols: string, metrics: string, more: object = {}) =>
  reasons("compare_stocks", { symbols, metrics, ...more });

describe("a metric", () => {
  test("has no reason if it has a value", async () => {
    expect(await compare("AAPL", "pe,pb,roe,price,return_1y")).toBeUndefined();
  });

  test.each([
    // Earnings of −2 a share after −1, equity of −5.
    ["LOSS", "pe", "not_meaningful"],
    ["LOSS", "peg", "not_meaningful"],
    ["LOSS", "pb", "not_meaningful"],
    ["LOSS", "roe", "not_meaningful"],
    ["LOSS", "eps_growth", "not_meaningful"],
    ["LOSS", "payout_ratio", "not_meaningful"],
    // No line of them, no year before.
    ["LOSS", "gross_profit", "not_in_statements"],
    ["BANK", "revenue_growth", "not_in_statements"],
    ["BANK", "eps_growth", "not_in_statements"],
    // Customers' money.
    ["BANK", "ev_ebitda", "not_applicable"],
    ["BANK", "roic", "not_applicable"],
    ["BANK", "gross_margin", "not_applicable"],
    ["^GSPC", "pe", "not_applicable"],
    ["^GSPC", "market_cap", "not_applicable"],
    ["^GSPC", "dividend_yield", "not_applicable"],
    ["^GSPC", "employees", "not_applicable"],
    ["EURUSD=X", "roe", "not_applicable"],
    // No rate from reais to dollars.
    ["FOREIGN", "pe", "no_rate"],
    ["FOREIGN", "pb", "no_rate"],
    // Three sessions.
    ["YOUNG", "return_1m", "not_listed_then"],
    ["YOUNG", "rsi", "too_few"],
    ["AAPL", "return_5y", "not_listed_then"],
    ["AAPL", "total_return_5y", "not_listed_then"],
    ["AAPL", "pe_5y_median", "too_few"],
    ["LOSS", "pe_percentile_5y", "not_meaningful"],
    ["AAPL", "next_ex_date", "none"],
    ["AAPL", "dividend_growth_5y", "too_few"],
    ["AAPL", "forward_pe", "not_published"],
    // No record, and no source that could give one.
    ["YOUNG", "pe", "not_stored"],
    ["YOUNG", "dividend_yield", "not_stored"],
    ["YOUNG", "rating", "not_stored"],
    ["BRK-B", "price", "not_stored"],
    ["BRK-B", "return_1y", "not_stored"],
  ])("of %s: %s is %s", async (symbol, metric, reason) => {
    const found = await compare(symbol, metric);
    const mine = Object.entries(found ?? {}).find(([, names]) =>
      names.some((name) => name === metric || name.startsWith("all of ")),
    );
    expect(mine?.[0]).toBe(reason);
  });

  test("in another currency lacks a rate", async () => {
    expect(await compare("AAPL", "price", { currency: "EUR" })).toEqual({
      no_rate: ["price"],
    });
  });

  test("names a row whose reason is another one than most", async () => {
    expect(await compare("LOSS,BANK,AAPL,YOUNG", "eps_growth,revenue_growth")).toEqual({
      not_meaningful: ["eps_growth"],
      not_in_statements: ["eps_growth of US:BANK", "revenue_growth"],
      not_stored: ["eps_growth of US:YOUNG", "revenue_growth of US:YOUNG"],
    });
  });

  test("names a row whose figures have one reason", async () => {
    const names = "pe,pb,ps,roe,eps,revenue";
    expect(await compare("AAPL,^GSPC", names)).toEqual({
      not_applicable: ["all of US:^GSPC"],
    });
  });

  test("of a past fiscal year has the reason of that year", async () => {
    const args = { symbols: "LOSS", metrics: "pe,pb,eps_growth,gross_margin", period: "annual" };
    // In 2024 the equity is positive, and no year is before it. The prices begin in September 2025.
    expect(await reasons("get_metric_history", args)).toEqual({
      not_meaningful: ["pe", "pb of US:LOSS FY 2025", "eps_growth of US:LOSS FY 2025"],
      not_listed_then: ["pb"],
      not_in_statements: ["eps_growth", "gross_margin"],
    });
  });
});

test("what sources publish today is no reason on a past day", async () => {
  // The shares of AAPL were stored after that day, and so were its analysts.
  const known_on = "2026-06-01";
  expect(await compare("AAPL", "market_cap,forward_pe,rating", { known_on })).toEqual({
    not_stored: ["all of US:AAPL"],
  });
  expect(await reasons("get_sectors", { country: "US", known_on })).toMatchObject({
    not_stored: ["sectors"],
  });
});

test("an unknown split contradicts figures per share", async () => {
  // The newest bar closes at 110; four for one shows as 27.5 after 27.5.
  const live = { date: "2026-11-20", previousClose: 27.5 };
  market.transaction(() => market.put("quotes", [quote("HALT", 28, live)], provenance));
  expect(await compare("HALT", "beta,high_52w,eps")).toEqual({ contradicted: ["all of US:HALT"] });
});

describe("a period without a session", () => {
  const history = (symbol: string, from: string, to = from) =>
    expectError(
      () => world.answer("get_stock_price_history", { country: "US", symbol, from, to }),
      "invalid_argument",
    );
  test.each([
    ["AAPL", "2026-11-14", "2026-11-15", "no_session"],
    ["BANK", "2026-07-03", "2026-07-05", "no_session"],
    ["HALT", "2026-08-04", "2026-08-06", "suspended"],
    ["AAPL", "1990-01-01", "1990-12-31", "not_listed_then"],
    ["AAPL", "2027-02-01", "2027-02-28", "beyond_horizon"],
    // Today's session is not over.
    ["AAPL", "2026-11-20", "2026-11-20", "beyond_horizon"],
  ])("%s from %s to %s: %s", async (symbol, from, to, reason) => {
    const { details } = await history(symbol, from, to);
    expect(details.reason).toBe(reason as never);
  });

  test("on the weekend after the newest session, it is that weekend", async () => {
    const own = openHandMade();
    own.time.now += 2 * 86_400_000;
    const call = { ...AAPL, from: "2026-11-21", to: "2026-11-22" };
    const asked = () => own.answer("get_stock_price_history", call);
    expect((await expectError(asked, "invalid_argument")).details.reason).toBe("no_session");
    own.close();
  });

  test("has the reason in each row of statistics", async () => {
    const args = { symbols: "AAPL,HALT", from: "2026-08-04", to: "2026-08-06", columns: "return" };
    const found = await reasons("get_price_statistics", args);
    expect(found?.["suspended"]).toEqual(["return"]);
  });
});

describe("an empty list", () => {
  test.each([
    ["screen_stocks", { country: "US", where: "pe>1000" }, { no_match: ["rows"] }],
    ["list_symbols", { query: "zzzyx" }, { no_match: ["symbols"] }],
    ["get_macro_calendar", { from: "2026-12-07", country: "VN" }, { beyond_horizon: ["events"] }],
    [
      "get_macro_calendar",
      { from: "2026-11-25", to: "2026-11-26", country: "US" },
      { beyond_horizon: ["events"] },
    ],
    ["get_macro_calendar", { importance: "low", country: "JP" }, { no_match: ["events"] }],
    ["get_earnings_calendar", { tickers: "YOUNG" }, { none: ["earnings"] }],
    [
      "get_earnings_calendar",
      { from: "2027-06-01", to: "2027-06-30" },
      { beyond_horizon: ["earnings"] },
    ],
  ])("of %s %p: %p", async (name, args, expected) => {
    expect(await reasons(name, args)).toEqual(expected as never);
  });

  test("of dividends is none, or no record", async () => {
    const ask = (symbol: string) =>
      reasons("get_stock_price_history", {
        country: "US",
        symbol,
        range: "1m",
        dividends: true,
        splits: true,
      });
    expect(await ask("YOUNG")).toEqual({ not_stored: ["dividends", "splits"] });
    expect(await ask("^GSPC")).toEqual({ not_applicable: ["dividends", "splits"] });
    const short = { from: NEWEST_SESSION, to: NEWEST_SESSION, dividends: true };
    expect(await reasons("get_stock_price_history", { ...AAPL, ...short })).toEqual({
      none: ["dividends"],
    });
  });
});
