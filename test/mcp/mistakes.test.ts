import { afterAll, describe, expect, test } from "bun:test";
import { OPERATIONS } from "#operations/index.ts";
import { startService } from "../support/service.ts";

/**
 * What models write instead of our arguments. No row may give a wrong answer without a word: it has the
 * answer to the right call, or an error that names the fix.
 */

type Arguments = Readonly<Record<string, unknown>>;

/** A call that is understood: its answer is the one to `means`. */
type Understood = readonly [tool: string, written: Arguments, means: Arguments];

const OVERVIEW = "get_stock_overview";
const STATEMENTS = "get_stock_statements";
const HISTORY = "get_stock_price_history";
const SCREEN = "screen_stocks";
const COMPARE = "compare_stocks";
const STATISTICS = "get_price_statistics";
const CALENDAR = "get_macro_calendar";
const EARNINGS = "get_earnings_calendar";
const SYMBOLS = "list_symbols";
const AAPL = { country: "US", symbol: "AAPL" };
const TOYOTA = { country: "JP", symbol: "7203" };
const FPT = { country: "VN", symbol: "FPT" };
const BERKSHIRE = { country: "US", symbol: "BRK.B" };
const US = { country: "US" };
const JP = { country: "JP" };

/** Calls with `base` and what was written, each with what it means. */
const understood = (
  tool: string,
  base: Arguments,
  rows: readonly (readonly [written: Arguments, means: Arguments])[],
) =>
  rows.map(([written, means]): Understood => [
    tool,
    { ...base, ...written },
    { ...base, ...means },
  ]);

const UNDERSTOOD: readonly Understood[] = [
  ...understood(OVERVIEW, AAPL, [
    [{ symbol: "aapl" }, {}],
    [{ symbol: " AAPL " }, {}],
    [{ symbol: "$AAPL" }, {}],
    [{ symbol: "US:AAPL" }, {}],
    [{ symbol: "NASDAQ:AAPL" }, {}],
    [{ symbol: "AAPL.US" }, {}],
    [{ symbol: "AAPL US Equity" }, {}],
    [{ symbol: "ＡＡＰＬ" }, {}],
  ]),
  ...understood(OVERVIEW, BERKSHIRE, [
    [{ symbol: "BRK-B" }, {}],
    [{ symbol: "BRK/B" }, {}],
  ]),
  ...understood(OVERVIEW, TOYOTA, [
    [{ symbol: 7203 }, {}],
    [{ symbol: "7203.T" }, {}],
    [{ symbol: "TSE:7203" }, {}],
    [{ symbol: "７２０３" }, {}],
  ]),
  ...understood(OVERVIEW, FPT, [
    [{ symbol: "FPT.VN" }, {}],
    [{ symbol: "HOSE:FPT" }, {}],
  ]),
  ...understood(OVERVIEW, JP, [[{ symbol: "USDJPY" }, { symbol: "JPY=X" }]]),
  ...understood(OVERVIEW, US, [
    [{ symbol: "EUR/USD" }, { symbol: "EURUSD=X" }],
    [{ symbol: "BTC/USD" }, { symbol: "BTC-USD" }],
  ]),
  ...understood(STATEMENTS, AAPL, [
    [{ type: "Income" }, { type: "income" }],
    [{ type: "income statement" }, { type: "income" }],
    [{ type: "balance_sheet" }, { type: "balance" }],
    [{ type: "cash_flow" }, { type: "cashflow" }],
    [
      { type: "income", period: "Yearly", limit: "2" },
      { type: "income", period: "annual", limit: 2 },
    ],
  ]),
  ...understood(HISTORY, AAPL, [
    [{ range: "1Y" }, { range: "1y" }],
    [{ range: "1 month" }, { range: "1m" }],
    [{ from: "2026-5-21" }, { from: "2026-05-21" }],
    [{ limit: "10" }, { limit: 10 }],
  ]),
  ...understood(CALENDAR, {}, [
    [{ importance: "HIGH" }, { importance: "high" }],
    [{ importance: ["high", "medium"] }, { importance: "high,medium" }],
  ]),
  ...understood("get_macro_indicators", US, [[{ category: "Inflation" }, { category: "prices" }]]),
  ...understood("get_sectors", US, [
    [{ sector: "Information Technology" }, { sector: "technology" }],
  ]),
  ...understood("get_sector_overview", {}, [[{ level: "Industries" }, { level: "industry" }]]),
  ...understood(SYMBOLS, {}, [
    [{ type: "crypto" }, { type: "cryptocurrency" }],
    [{ sector: "Consumer Staples" }, { sector: "consumer-defensive" }],
    [{ query: "motor toyota" }, { query: "toyota motor" }],
    [{ query: "7203.T" }, { query: "7203" }],
    [{ query: "FB" }, { query: "Facebook" }],
    [{ queries: ["Toyota", "FPT"] }, { queries: "Toyota,FPT" }],
  ]),
  ...understood(EARNINGS, {}, [
    [{ tickers: ["AAPL", "BRK-B"] }, { tickers: "AAPL,BRK.B" }],
    [{ tickers: '["aapl","msft"]' }, { tickers: "AAPL,MSFT" }],
  ]),
  ...understood(COMPARE, {}, [
    [{ symbols: ["aapl", "7203.T"] }, { symbols: "US:AAPL,JP:7203" }],
    [{ symbols: "AAPL, FPT.VN" }, { symbols: "US:AAPL,VN:FPT" }],
    [{ symbols: ["US:AAPL", 7203] }, { symbols: "US:AAPL,JP:7203" }],
  ]),
  ...understood(COMPARE, { metrics: "all" }, [[{ symbols: '["AAPL"]' }, { symbols: "US:AAPL" }]]),
  ...understood(COMPARE, { symbols: "AAPL" }, [
    [{ currency: "yen" }, { currency: "JPY" }],
    [{ metrics: "P/E ratio" }, { metrics: "pe" }],
  ]),
  ...understood(SCREEN, US, [
    [{ where: "pe≤20" }, { where: "pe<=20" }],
    [{ where: "pe<20 AND roe>15" }, { where: "pe<20,roe>15" }],
    [{ where: ["pe<20", "roe>15"] }, { where: "pe<20,roe>15" }],
    [{ where: "revenueGrowth > 10%" }, { where: "revenue_growth>10" }],
    [{ where: "market_cap > 10 billion" }, { where: "market_cap>10B" }],
  ]),
  ...understood(SCREEN, JP, [
    [{ sort: "dividend_yield desc" }, { sort: "-dividend_yield" }],
    [{ sort: "-marketCap" }, { sort: "-market_cap" }],
  ]),
  ...understood(SCREEN, US, [
    [{ metrics: ["P/B", "Beta"] }, { metrics: "pb,beta" }],
    [{ where: null, limit: "3" }, { limit: 3 }],
  ]),
  ...understood(STATISTICS, {}, [
    [
      { symbols: "aapl", from: "2026/01/05" },
      { symbols: "US:AAPL", from: "2026-01-05" },
    ],
  ]),
  ...understood(STATISTICS, { symbols: "AAPL" }, [
    [{ from: "20260105" }, { from: "2026-01-05" }],
    [{ from: "2026-01-05T00:00:00Z" }, { from: "2026-01-05" }],
    [{ dates: ["2026-3-2"] }, { dates: "2026-03-02" }],
  ]),
  ...understood(HISTORY, AAPL, [[{ interval: "Weekly" }, { interval: "1wk" }]]),
  ...understood("get_macro_history", US, [
    [{ series: "unemployment RATE" }, { series: "Unemployment rate" }],
  ]),
  ...understood("get_macro_forecast", US, [
    [{ categories: ["Inflation", "GDP"] }, { categories: "prices,gdp" }],
  ]),
  ...understood("get_macro_indicators", US, [
    [{ category: "interest_rates" }, { category: "money" }],
  ]),
  ...understood(CALENDAR, {}, [[{ countries: ["US", "JP"] }, { countries: "US,JP" }]]),
  ...understood("get_stock_forecast", AAPL, [
    [{ sections: ["Price Target"] }, { sections: "price_target" }],
    [{ sections: "Surprises" }, { sections: "surprises" }],
  ]),
  ...understood("get_markets", {}, [[{ random_string: "dummy" }, {}]]),
];

/** A call that is refused, words of its error, and the call that the error names, with words of its answer. */
type Refused = readonly [
  tool: string,
  written: Arguments,
  says: string,
  fix: readonly [tool: string, args: Arguments, finds: string],
];

/**
 * Calls with `base` and what was written, words of the error, and the right arguments with words of their answer:
 * beside `base`, or alone if they are of another tool.
 */
const refused = (
  tool: string,
  base: Arguments,
  rows: readonly (readonly [Arguments, string, Arguments, string, otherTool?: string])[],
) =>
  rows.map(([written, says, right, finds, otherTool]): Refused => {
    const fix = otherTool
      ? ([otherTool, right] as const)
      : ([tool, { ...base, ...right }] as const);
    return [tool, { ...base, ...written }, says, [...fix, finds]];
  });

const REFUSED: readonly Refused[] = [
  // The country.
  ...refused(OVERVIEW, AAPL, [
    [{ country: "us" }, "Did you mean US?", {}, "Apple Inc."],
    [{ country: "USA" }, "Did you mean US?", {}, "Apple Inc."],
    [{ country: "United States" }, "Did you mean US?", {}, "Apple Inc."],
    [{ country: ["US"] }, "Did you mean US?", {}, "Apple Inc."],
  ]),
  ...refused(OVERVIEW, TOYOTA, [[{ country: "Japan" }, "Did you mean JP?", {}, "Toyota Motor"]]),
  ...refused(OVERVIEW, FPT, [[{ country: "Vietnam" }, "Did you mean VN?", {}, "FPT"]]),
  ...refused(OVERVIEW, TOYOTA, [
    [{ country: "US" }, "It exists in JP: use that country.", {}, "Toyota Motor"],
    [{ country: "US", symbol: "7203.T" }, "Use country JP.", {}, "Toyota Motor"],
  ]),
  ...refused(OVERVIEW, AAPL, [
    [{ country: "JP" }, "It exists in US: use that country.", {}, "Apple Inc."],
  ]),
  ...refused(OVERVIEW, FPT, [[{ country: "JP", symbol: "VN:FPT" }, "Use country VN.", {}, "FPT"]]),
  ...refused(OVERVIEW, { symbol: "USDJPY" }, [
    [{ country: "US" }, "It exists in JP: use that country.", { country: "JP" }, "USD/JPY"],
  ]),
  ...refused(OVERVIEW, AAPL, [[{ symbol: "AAPL.T" }, "Use symbol AAPL in US.", {}, "Apple Inc."]]),
  // Names, old tickers and mistyped symbols.
  ...refused(OVERVIEW, AAPL, [
    [{ symbol: "Apple" }, "Did you mean AAPL?", {}, "Apple Inc."],
    [{ symbol: "APPL" }, "Did you mean AAPL?", {}, "Apple Inc."],
    [{ symbol: "AAPL:US" }, "Did you mean AAPL?", {}, "Apple Inc."],
  ]),
  ...refused(OVERVIEW, TOYOTA, [
    [{ country: "US", symbol: "Toyota" }, "Did you mean 7203 in country JP?", {}, "Toyota Motor"],
  ]),
  ...refused(OVERVIEW, US, [
    [{ symbol: "FB" }, "Did you mean META?", { symbol: "META" }, "Meta Platforms"],
    [{ symbol: "SPX" }, "Did you mean ^GSPC?", { symbol: "^GSPC" }, "S&P 500"],
  ]),
  ...refused(OVERVIEW, JP, [
    [{ symbol: "Nikkei" }, "Did you mean ^N225?", { symbol: "^N225" }, "Nikkei 225"],
  ]),
  ...refused(OVERVIEW, US, [
    [
      { symbol: "Apple Inc." },
      'Call list_symbols with query "Apple Inc." ',
      { query: "Apple Inc." },
      '"AAPL"',
      SYMBOLS,
    ],
    [
      { symbol: "S&P 500" },
      'Call list_symbols with query "S&P 500" ',
      { query: "S&P 500" },
      '"^GSPC"',
      SYMBOLS,
    ],
  ]),
  ...refused(OVERVIEW, JP, [
    [
      { symbol: "トヨタ自動車" },
      'Call list_symbols with query "トヨタ自動車" ',
      { query: "トヨタ自動車" },
      '"7203"',
      SYMBOLS,
    ],
  ]),
  // Several symbols for one.
  ...refused(OVERVIEW, US, [
    [
      { symbol: "AAPL, MSFT" },
      "For several symbols call compare_stocks",
      { symbols: "AAPL, MSFT" },
      "Microsoft",
      COMPARE,
    ],
    [
      { symbol: ["AAPL", "MSFT"] },
      "For several symbols call compare_stocks",
      { symbols: ["AAPL", "MSFT"] },
      "Microsoft",
      COMPARE,
    ],
  ]),
  ...refused(OVERVIEW, AAPL, [[{ symbol: ["AAPL"] }, "Did you mean AAPL?", {}, "Apple Inc."]]),
  ...refused(COMPARE, {}, [
    [{ symbols: "Toyota" }, "Did you mean JP:7203?", { symbols: "JP:7203" }, "Toyota Motor"],
  ]),
  ...refused(EARNINGS, {}, [
    [{ tickers: "Apple" }, "Did you mean AAPL?", { tickers: "AAPL" }, "Apple Inc."],
    [
      { tickers: "AAPL MSFT" },
      "comma-separated, such as AAPL,MSFT",
      { tickers: "AAPL,MSFT" },
      "Microsoft",
    ],
  ]),
  // Values that have no certain meaning.
  ...refused(STATEMENTS, AAPL, [
    [{ type: "earnings" }, "income, balance, cashflow, ratios", { type: "income" }, "RevenueTTM"],
    [{ type: "cash" }, "Did you mean cashflow?", { type: "cashflow" }, "FCFTTM"],
  ]),
  ...refused(STATEMENTS, US, [
    [
      { symbol: "SPY", type: "income" },
      "Call get_stock_overview",
      { country: "US", symbol: "SPY" },
      "SPDR",
      OVERVIEW,
    ],
  ]),
  ...refused("get_sectors", US, [
    [{ sector: "Tech" }, "Did you mean technology?", { sector: "technology" }, "technology"],
  ]),
  ...refused(HISTORY, AAPL, [
    [
      { range: "4y" },
      "1d, 1w, 1m, 3m, 6m, ytd, 1y, 2y, 3y, 5y, 10y, max",
      { range: "5y" },
      "closes",
    ],
    [{ from: "May 21, 2026" }, "YYYY-MM-DD", { from: "2026-05-21" }, "2026-05-21"],
  ]),
  ...refused(CALENDAR, {}, [[{ limit: "1e2" }, "1 to 200", { limit: 100 }, ""]]),
  ...refused(SYMBOLS, {}, [
    [{ limit: 500 }, "1 to 100", { limit: 100 }, "next_cursor"],
    [{ type: "bond" }, "etf", { type: "etf" }, '"etf"'],
    [{ query: ["Toyota", "FPT"] }, "use queries", { queries: ["Toyota", "FPT"] }, '"FPT"'],
  ]),
  ...refused(SYMBOLS, US, [
    [{ sort: "market_cap" }, "Did you mean -market_cap?", { sort: "-market_cap" }, "NVDA"],
    [
      { sector: "semiconductors" },
      "call screen_stocks with industry",
      { country: "US", industry: "semiconductors" },
      "NVDA",
      SCREEN,
    ],
    [{ cursor: "2" }, "omit it for the first page", {}, "next_cursor"],
  ]),
  // Dates.
  ...refused(STATISTICS, { symbols: "AAPL" }, [
    [{ from: "2020" }, "Did you mean 2020-01-01", { from: "2020-01-01" }, "2019-12-31"],
    [{ from: "Jan 5, 2026" }, "Did you mean 2026-01-05?", { from: "2026-01-05" }, "2026-01-05"],
    [{ from: "05/01/2026" }, "Write it like 2026-05-21.", { from: "2026-01-05" }, "2026-01-05"],
    [{ from: "2026-02-30" }, "a date that exists", { from: "2026-02-28" }, "AAPL"],
    [{ from: "2030-01-01" }, "end on 2026-11-19", { to: "2026-11-19" }, "AAPL"],
    [
      { from: "2026-06-01", to: "2026-01-05" },
      "from must not be after to",
      { from: "2026-01-05", to: "2026-06-01" },
      "AAPL",
    ],
  ]),
  ...refused(STATISTICS, { symbols: "AAPL", range: "1y" }, [
    [{ from: "2026-01-05" }, "Use range, or from and to, not both.", {}, "AAPL"],
  ]),
  ...refused(CALENDAR, US, [
    [
      { from: "2026-01-01" },
      "from must be 2026-09-21 or later",
      { from: "2026-09-21" },
      "united states",
    ],
  ]),
  // Lists.
  ...refused(COMPARE, {}, [
    [{ symbols: "AAPL vs MSFT" }, "AAPL,MSFT", { symbols: "AAPL,MSFT" }, "Microsoft"],
    [{ symbols: "AAPL;MSFT" }, "AAPL,MSFT", { symbols: "AAPL,MSFT" }, "Microsoft"],
    [
      { symbols: [{ country: "US", symbol: "AAPL" }] },
      "US:AAPL",
      { symbols: "US:AAPL" },
      "Apple Inc.",
    ],
    [{ symbols: [] }, "US:AAPL", { symbols: "US:AAPL" }, "Apple Inc."],
    [
      { symbols: "Toyota,Vinamilk" },
      "JP:7203, VN:VNM",
      { symbols: "JP:7203, VN:VNM" },
      "Vietnam Dairy",
    ],
  ]),
  ...refused(STATISTICS, {}, [
    [{ symbols: "SPX" }, "Did you mean US:^GSPC?", { symbols: "US:^GSPC" }, "S&P 500"],
  ]),
  ...refused(EARNINGS, {}, [
    [
      { tickers: "Apple,Microsoft" },
      "Did you mean AAPL,MSFT?",
      { tickers: "AAPL,MSFT" },
      "Microsoft",
    ],
    [
      { tickers: "7203.T" },
      "call get_stock_forecast with country JP and symbol 7203",
      { country: "JP", symbol: "7203" },
      "Toyota Motor",
      "get_stock_forecast",
    ],
  ]),
  ...refused(CALENDAR, {}, [
    [{ country: "US,JP" }, "use countries", { countries: "US,JP" }, "united states"],
    [{ countries: "US,Japan" }, "Did you mean US,JP?", { countries: "US,JP" }, "united states"],
  ]),
  ...refused(SCREEN, US, [[{ country: "US,JP" }, "make one call for each value", {}, "NVDA"]]),
  ...refused("get_sectors", US, [
    [
      { sector: "technology,energy" },
      "make one call for each sector",
      { sector: "technology" },
      "pe_median",
    ],
  ]),
  ...refused(STATEMENTS, AAPL, [
    [
      { type: ["income", "balance"] },
      "make one call for each value",
      { type: "income" },
      "RevenueTTM",
    ],
  ]),
  ...refused("get_macro_history", US, [
    [
      { series: ["Unemployment rate", "Nonfarm payrolls"] },
      "make one call for each series",
      { series: "Unemployment rate" },
      "monthly",
    ],
  ]),
  ...refused("get_stock_forecast", AAPL, [
    [
      { sections: "price_targets,estimate" },
      "Did you mean price_target,estimates?",
      { sections: "price_target,estimates" },
      "next_year",
    ],
  ]),
  // Conditions and metrics.
  ...refused(SCREEN, US, [
    [{ where: "pe lt 20" }, "such as pe<20", { where: "pe<20" }, "total"],
    [{ where: "5<pe<10" }, "pe>5,pe<10", { where: "pe>5,pe<10" }, "total"],
    [{ where: "pe between 5 and 10" }, "pe>=5,pe<=10", { where: "pe>=5,pe<=10" }, "total"],
    [
      { where: "pe<20 or roe>30" },
      "make one call for each alternative",
      { where: "pe<20" },
      "total",
    ],
    [
      { where: { pe: { lt: 20 } } },
      "such as pe<20,revenue_growth>10",
      { where: "pe<20,revenue_growth>10" },
      "total",
    ],
    [{ where: "market_cap>$10B" }, "or 10B", { where: "market_cap>10B" }, "NVDA"],
    [{ where: "sector=technology" }, "give sector", { sector: "technology" }, "NVDA"],
    [
      { where: "divident_yield>3" },
      "Did you mean dividend_yield or",
      { where: "dividend_yield>3" },
      "total",
    ],
    [{ sort: "gainers" }, "change_percent", { sort: "-change_percent" }, "total"],
    [{ sort: "-dividend" }, "Did you mean dividend_yield?", { sort: "-dividend_yield" }, "total"],
  ]),
  // Limits and types.
  ...refused(SCREEN, US, [
    [{ limit: 1000 }, "from 1 to 100", { limit: 100 }, "total"],
    [{ limit: 0 }, "from 1 to 100", { limit: 1 }, "NVDA"],
  ]),
  ...refused(STATEMENTS, AAPL, [
    [
      { type: "income", figures: "yes" },
      "true or false",
      { type: "income", figures: true },
      "RevenueTTM",
    ],
  ]),
  ...refused(OVERVIEW, AAPL, [
    [{ symbol: { ticker: "AAPL" } }, "such as AAPL in US", {}, "Apple Inc."],
    [{ symbol: "" }, "such as AAPL in US", {}, "Apple Inc."],
    [{ symbol: null }, "such as AAPL in US", {}, "Apple Inc."],
  ]),
  ...refused(OVERVIEW, BERKSHIRE, [[{ symbol: "BRK" }, "Did you mean BRK.B?", {}, "Berkshire"]]),
  // Arguments of other services.
  ...refused(SYMBOLS, {}, [
    [{ q: "toyota" }, "did you mean query?", { query: "toyota" }, "Toyota Motor"],
  ]),
  ...refused(SCREEN, US, [
    [
      { where: "profit_margin>10" },
      "Did you mean gross_margin, gross_profit, operating_margin, net_margin or",
      { where: "net_margin>10" },
      "AAPL",
    ],
  ]),
  ...refused(COMPARE, { symbols: "AAPL" }, [
    [{ metrics: "xyzzy" }, "compare_stocks with metrics=all", { metrics: "all" }, "net_margin"],
  ]),
  ...refused(SYMBOLS, {}, [
    [{ ticker: "7203" }, "did you mean query?", { query: "7203" }, "Toyota Motor"],
  ]),
  ...refused(OVERVIEW, US, [
    [{ ticker: "AAPL" }, "did you mean symbol?", { symbol: "AAPL" }, "Apple Inc."],
  ]),
  ...refused(OVERVIEW, { symbol: "AAPL" }, [
    [{ market: "US" }, "did you mean country?", { country: "US" }, "Apple Inc."],
  ]),
  ...refused(OVERVIEW, AAPL, [[{ exchange: "NASDAQ" }, "leave it out", {}, "Apple Inc."]]),
  ...refused(OVERVIEW, US, [
    [
      { tickers: "AAPL,MSFT" },
      "call compare_stocks",
      { symbols: "AAPL,MSFT" },
      "Microsoft",
      COMPARE,
    ],
  ]),
  ...refused(HISTORY, AAPL, [
    [{ start_date: "2026-11-02" }, "did you mean from?", { from: "2026-11-02" }, "2026-11-02"],
    [{ period: "1m" }, "did you mean range?", { range: "1m" }, "closes"],
    [{ interval: "1h" }, "1d, 1wk, 1mo", { interval: "1d" }, "closes"],
  ]),
  ...refused(STATEMENTS, AAPL, [
    [{ type: "income", years: 4 }, "did you mean limit?", { type: "income", limit: 4 }, "FY 2025"],
  ]),
  ...refused("get_stock_technicals", AAPL, [
    [{ indicator: "RSI" }, "leave it out", {}, "RSI (14)"],
  ]),
  ...refused(EARNINGS, {}, [
    [{ symbols: "AAPL" }, "did you mean tickers?", { tickers: "AAPL" }, "Apple Inc."],
  ]),
  ...refused(SCREEN, US, [
    [{ filters: "pe<20" }, "did you mean where?", { where: "pe<20" }, "total"],
  ]),
  ...refused("get_macro_forecast", US, [
    [
      { category: "prices" },
      "did you mean categories?",
      { categories: "prices" },
      "CPI inflation YoY",
    ],
  ]),
  ...refused("get_macro_history", US, [
    [
      { indicator: "Unemployment rate" },
      "did you mean series?",
      { series: "Unemployment rate" },
      "monthly",
    ],
    [
      { series: "inflation" },
      "Did you mean CPI inflation YoY?",
      { series: "CPI inflation YoY" },
      "monthly",
    ],
  ]),
  // The wrong tool for the question.
  ...refused(SCREEN, US, [
    [{ query: "Toyota" }, "call list_symbols", { query: "Toyota" }, "Toyota Motor", SYMBOLS],
    [
      { symbols: "AAPL,MSFT" },
      "call compare_stocks",
      { symbols: "AAPL,MSFT" },
      "Microsoft",
      COMPARE,
    ],
  ]),
  ...refused(SYMBOLS, US, [
    [{ where: "pe<10" }, "call screen_stocks", { country: "US", where: "pe<10" }, "total", SCREEN],
  ]),
  ...refused("get_sector_overview", US, [
    [{}, "call get_sectors", { country: "US" }, "S&P 500", "get_sectors"],
  ]),
  ...refused("get_macro_indicators", US, [
    [
      { series: "Unemployment rate" },
      "call get_macro_history",
      { country: "US", series: "Unemployment rate" },
      "monthly",
      "get_macro_history",
    ],
  ]),
  ...refused(HISTORY, US, [
    [
      { symbols: "AAPL,MSFT" },
      "call get_price_statistics",
      { symbols: "AAPL,MSFT" },
      "correlation",
      STATISTICS,
    ],
  ]),
];

const service = await startService();
const token = service.createToken().token;
afterAll(() => service.stop());

async function call(tool: string, args: Arguments) {
  const { result, error } = await service.callTool(token, tool, args);
  // A missing argument is an error of JSON-RPC.
  if (error?.code === -32602) return { isError: true, text: error.message };
  if (!result) throw new Error(`${tool}: ${JSON.stringify(error)}`);
  return { isError: result.isError ?? false, text: result.content[0]?.text ?? "" };
}

const titled = <T extends readonly [string, Arguments, ...unknown[]]>(rows: readonly T[]) =>
  rows.map((row) => [`${row[0]} ${JSON.stringify(row[1])}`, row] as const);

/** The words of the fix that were not written, which its error must name. */
function newWords(
  [tool, written]: readonly [string, Arguments],
  [fixedTool, args]: readonly [string, Arguments],
): string[] {
  const known = JSON.stringify([tool, written]);
  const texts = Object.values(args).flatMap((value) => (typeof value === "string" ? value : []));
  // A date or a number is within the limits that the error names.
  const words = texts.filter((text) => !/^\d{4}-\d\d-\d\d$/.test(text)).join(" ");
  return [fixedTool, ...words.split(/[ ,<>=]+-?/)].filter((word) => !known.includes(word));
}

test("there are at least 110 mistakes, of every tool", () => {
  expect(UNDERSTOOD.length + REFUSED.length).toBeGreaterThanOrEqual(110);
  const tools = new Set([...UNDERSTOOD, ...REFUSED].map(([tool]) => tool));
  expect([...tools].toSorted()).toEqual(OPERATIONS.map(({ name }) => name).toSorted());
});

describe("is understood", () => {
  test.each(titled(UNDERSTOOD))("%s", async (_, [tool, written, means]) => {
    const [answer, wanted] = [await call(tool, written), await call(tool, means)];
    expect(wanted.isError).toBe(false);
    expect(answer).toEqual(wanted);
  });
});

describe("is refused, and the call that the error names succeeds", () => {
  test.each(titled(REFUSED))("%s", async (_, [tool, written, says, fix]) => {
    const refusal = await call(tool, written);
    expect(refusal.isError).toBe(true);
    expect(refusal.text).toContain(says);
    const [fixedTool, args, finds] = fix;
    for (const word of newWords([tool, written], [fixedTool, args])) {
      expect(refusal.text).toContain(word);
    }
    const fixed = await call(fixedTool, args);
    expect(fixed.isError).toBe(false);
    expect(fixed.text).toContain(finds);
  });
});

test("a symbol that means nothing gets no wrong suggestion", async () => {
  for (const symbol of ["ZZZZZZ", "LON:VOD", "???"]) {
    const { isError, text } = await call(OVERVIEW, { country: "US", symbol });
    expect(isError).toBe(true);
    expect(text).not.toContain("Did you mean");
    expect(text).toContain("list_symbols");
  }
});
