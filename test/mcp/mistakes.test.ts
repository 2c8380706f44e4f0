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
const AAPL = { country: "US", symbol: "AAPL" };
const TOYOTA = { country: "JP", symbol: "7203" };
const FPT = { country: "VN", symbol: "FPT" };
const BERKSHIRE = { country: "US", symbol: "BRK.B" };

const UNDERSTOOD: readonly Understood[] = [
  [OVERVIEW, { ...AAPL, symbol: "aapl" }, AAPL],
  [OVERVIEW, { ...AAPL, symbol: " AAPL " }, AAPL],
  [OVERVIEW, { ...AAPL, symbol: "$AAPL" }, AAPL],
  [OVERVIEW, { ...AAPL, symbol: "US:AAPL" }, AAPL],
  [OVERVIEW, { ...AAPL, symbol: "NASDAQ:AAPL" }, AAPL],
  [OVERVIEW, { ...AAPL, symbol: "AAPL.US" }, AAPL],
  [OVERVIEW, { ...AAPL, symbol: "AAPL US Equity" }, AAPL],
  [OVERVIEW, { ...AAPL, symbol: "ＡＡＰＬ" }, AAPL],
  [OVERVIEW, { ...BERKSHIRE, symbol: "BRK-B" }, BERKSHIRE],
  [OVERVIEW, { ...BERKSHIRE, symbol: "BRK/B" }, BERKSHIRE],
  [OVERVIEW, { ...TOYOTA, symbol: 7203 }, TOYOTA],
  [OVERVIEW, { ...TOYOTA, symbol: "7203.T" }, TOYOTA],
  [OVERVIEW, { ...TOYOTA, symbol: "TSE:7203" }, TOYOTA],
  [OVERVIEW, { ...TOYOTA, symbol: "７２０３" }, TOYOTA],
  [OVERVIEW, { ...FPT, symbol: "FPT.VN" }, FPT],
  [OVERVIEW, { ...FPT, symbol: "HOSE:FPT" }, FPT],
  [OVERVIEW, { country: "JP", symbol: "USDJPY" }, { country: "JP", symbol: "JPY=X" }],
  [OVERVIEW, { country: "US", symbol: "EUR/USD" }, { country: "US", symbol: "EURUSD=X" }],
  [OVERVIEW, { country: "US", symbol: "BTC/USD" }, { country: "US", symbol: "BTC-USD" }],
  [STATEMENTS, { ...AAPL, type: "Income" }, { ...AAPL, type: "income" }],
  [STATEMENTS, { ...AAPL, type: "income statement" }, { ...AAPL, type: "income" }],
  [STATEMENTS, { ...AAPL, type: "balance_sheet" }, { ...AAPL, type: "balance" }],
  [STATEMENTS, { ...AAPL, type: "cash_flow" }, { ...AAPL, type: "cashflow" }],
  [
    STATEMENTS,
    { ...AAPL, type: "income", period: "Yearly", limit: "2" },
    { ...AAPL, type: "income", period: "annual", limit: 2 },
  ],
  [HISTORY, { ...AAPL, range: "1Y" }, { ...AAPL, range: "1y" }],
  [HISTORY, { ...AAPL, range: "1 month" }, { ...AAPL, range: "1m" }],
  [HISTORY, { ...AAPL, from: "2026-5-21" }, { ...AAPL, from: "2026-05-21" }],
  [HISTORY, { ...AAPL, limit: "10" }, { ...AAPL, limit: 10 }],
  ["get_macro_calendar", { importance: "HIGH" }, { importance: "high" }],
  ["get_macro_calendar", { importance: ["high", "medium"] }, { importance: "high,medium" }],
  [
    "get_macro_indicators",
    { country: "US", category: "Inflation" },
    { country: "US", category: "prices" },
  ],
  [
    "get_sectors",
    { country: "US", sector: "Information Technology" },
    { country: "US", sector: "technology" },
  ],
  ["get_sector_overview", { level: "Industries" }, { level: "industry" }],
  ["list_symbols", { type: "crypto" }, { type: "cryptocurrency" }],
  ["list_symbols", { sector: "Consumer Staples" }, { sector: "consumer-defensive" }],
  ["list_symbols", { query: "motor toyota" }, { query: "toyota motor" }],
  ["list_symbols", { query: "7203.T" }, { query: "7203" }],
  ["list_symbols", { query: "FB" }, { query: "Facebook" }],
  ["list_symbols", { queries: ["Toyota", "FPT"] }, { queries: "Toyota,FPT" }],
  ["get_earnings_calendar", { tickers: ["AAPL", "BRK-B"] }, { tickers: "AAPL,BRK.B" }],
  ["get_earnings_calendar", { tickers: '["aapl","msft"]' }, { tickers: "AAPL,MSFT" }],
  ["compare_stocks", { symbols: ["aapl", "7203.T"] }, { symbols: "US:AAPL,JP:7203" }],
  ["compare_stocks", { symbols: "AAPL, FPT.VN" }, { symbols: "US:AAPL,VN:FPT" }],
  ["compare_stocks", { symbols: ["US:AAPL", 7203] }, { symbols: "US:AAPL,JP:7203" }],
  [
    "compare_stocks",
    { symbols: '["AAPL"]', metrics: "all" },
    { symbols: "US:AAPL", metrics: "all" },
  ],
  ["compare_stocks", { symbols: "AAPL", currency: "yen" }, { symbols: "AAPL", currency: "JPY" }],
  ["compare_stocks", { symbols: "AAPL", metrics: "P/E ratio" }, { symbols: "AAPL", metrics: "pe" }],
  [SCREEN, { country: "US", where: "pe≤20" }, { country: "US", where: "pe<=20" }],
  [SCREEN, { country: "US", where: "pe<20 AND roe>15" }, { country: "US", where: "pe<20,roe>15" }],
  [SCREEN, { country: "US", where: ["pe<20", "roe>15"] }, { country: "US", where: "pe<20,roe>15" }],
  [
    SCREEN,
    { country: "US", where: "revenueGrowth > 10%" },
    { country: "US", where: "revenue_growth>10" },
  ],
  [
    SCREEN,
    { country: "US", where: "market_cap > 10 billion" },
    { country: "US", where: "market_cap>10B" },
  ],
  [
    SCREEN,
    { country: "JP", sort: "dividend_yield desc" },
    { country: "JP", sort: "-dividend_yield" },
  ],
  [SCREEN, { country: "JP", sort: "-marketCap" }, { country: "JP", sort: "-market_cap" }],
  [SCREEN, { country: "US", metrics: ["P/B", "Beta"] }, { country: "US", metrics: "pb,beta" }],
  [SCREEN, { country: "US", where: null, limit: "3" }, { country: "US", limit: 3 }],
  [STATISTICS, { symbols: "aapl", from: "2026/01/05" }, { symbols: "US:AAPL", from: "2026-01-05" }],
  [STATISTICS, { symbols: "AAPL", from: "20260105" }, { symbols: "AAPL", from: "2026-01-05" }],
  [
    STATISTICS,
    { symbols: "AAPL", from: "2026-01-05T00:00:00Z" },
    { symbols: "AAPL", from: "2026-01-05" },
  ],
  [STATISTICS, { symbols: "AAPL", dates: ["2026-3-2"] }, { symbols: "AAPL", dates: "2026-03-02" }],
  [HISTORY, { ...AAPL, interval: "Weekly" }, { ...AAPL, interval: "1wk" }],
  [
    "get_macro_history",
    { country: "US", series: "unemployment RATE" },
    { country: "US", series: "Unemployment rate" },
  ],
  [
    "get_macro_forecast",
    { country: "US", categories: ["Inflation", "GDP"] },
    { country: "US", categories: "prices,gdp" },
  ],
  [
    "get_macro_indicators",
    { country: "US", category: "interest_rates" },
    { country: "US", category: "money" },
  ],
  ["get_macro_calendar", { countries: ["US", "JP"] }, { countries: "US,JP" }],
  [
    "get_stock_forecast",
    { ...AAPL, sections: ["Price Target"] },
    { ...AAPL, sections: "price_target" },
  ],
  ["get_markets", { random_string: "dummy" }, {}],
];

/** A call that is refused, words of its error, and the call that the error names, with words of its answer. */
type Refused = readonly [
  tool: string,
  written: Arguments,
  says: string,
  fix: readonly [tool: string, args: Arguments, finds: string],
];

const apple = [OVERVIEW, AAPL, "Apple Inc."] as const;
const toyota = [OVERVIEW, TOYOTA, "Toyota Motor"] as const;
const search = (query: string, finds: string) => ["list_symbols", { query }, finds] as const;

const REFUSED: readonly Refused[] = [
  // The country.
  [OVERVIEW, { ...AAPL, country: "us" }, "Did you mean US?", apple],
  [OVERVIEW, { ...AAPL, country: "USA" }, "Did you mean US?", apple],
  [OVERVIEW, { ...AAPL, country: "United States" }, "Did you mean US?", apple],
  [OVERVIEW, { ...AAPL, country: ["US"] }, "Did you mean US?", apple],
  [OVERVIEW, { ...TOYOTA, country: "Japan" }, "Did you mean JP?", toyota],
  [OVERVIEW, { ...FPT, country: "Vietnam" }, "Did you mean VN?", [OVERVIEW, FPT, "FPT"]],
  [OVERVIEW, { country: "US", symbol: "7203" }, "It exists in JP: use that country.", toyota],
  [OVERVIEW, { country: "US", symbol: "7203.T" }, "Use country JP.", toyota],
  [OVERVIEW, { country: "JP", symbol: "AAPL" }, "It exists in US: use that country.", apple],
  [OVERVIEW, { country: "JP", symbol: "VN:FPT" }, "Use country VN.", [OVERVIEW, FPT, "FPT"]],
  [
    OVERVIEW,
    { country: "US", symbol: "USDJPY" },
    "It exists in JP: use that country.",
    [OVERVIEW, { country: "JP", symbol: "USDJPY" }, "USD/JPY"],
  ],
  [OVERVIEW, { ...AAPL, symbol: "AAPL.T" }, "Use symbol AAPL in US.", apple],
  // Names, old tickers and mistyped symbols.
  [OVERVIEW, { ...AAPL, symbol: "Apple" }, "Did you mean AAPL?", apple],
  [OVERVIEW, { ...AAPL, symbol: "APPL" }, "Did you mean AAPL?", apple],
  [OVERVIEW, { ...AAPL, symbol: "AAPL:US" }, "Did you mean AAPL?", apple],
  [OVERVIEW, { country: "US", symbol: "Toyota" }, "Did you mean 7203 in country JP?", toyota],
  [
    OVERVIEW,
    { country: "US", symbol: "FB" },
    "Did you mean META?",
    [OVERVIEW, { country: "US", symbol: "META" }, "Meta Platforms"],
  ],
  [
    OVERVIEW,
    { country: "US", symbol: "SPX" },
    "Did you mean ^GSPC?",
    [OVERVIEW, { country: "US", symbol: "^GSPC" }, "S&P 500"],
  ],
  [
    OVERVIEW,
    { country: "JP", symbol: "Nikkei" },
    "Did you mean ^N225?",
    [OVERVIEW, { country: "JP", symbol: "^N225" }, "Nikkei 225"],
  ],
  [
    OVERVIEW,
    { country: "US", symbol: "Apple Inc." },
    'Call list_symbols with query "Apple Inc." ',
    search("Apple Inc.", '"AAPL"'),
  ],
  [
    OVERVIEW,
    { country: "US", symbol: "S&P 500" },
    'Call list_symbols with query "S&P 500" ',
    search("S&P 500", '"^GSPC"'),
  ],
  [
    OVERVIEW,
    { country: "JP", symbol: "トヨタ自動車" },
    'Call list_symbols with query "トヨタ自動車" ',
    search("トヨタ自動車", '"7203"'),
  ],
  // Several symbols for one.
  [
    OVERVIEW,
    { country: "US", symbol: "AAPL, MSFT" },
    "For several symbols call compare_stocks",
    ["compare_stocks", { symbols: "AAPL, MSFT" }, "Microsoft"],
  ],
  [
    OVERVIEW,
    { country: "US", symbol: ["AAPL", "MSFT"] },
    "For several symbols call compare_stocks",
    ["compare_stocks", { symbols: ["AAPL", "MSFT"] }, "Microsoft"],
  ],
  [OVERVIEW, { country: "US", symbol: ["AAPL"] }, "Did you mean AAPL?", apple],
  [
    "compare_stocks",
    { symbols: "Toyota" },
    "Did you mean JP:7203?",
    ["compare_stocks", { symbols: "JP:7203" }, "Toyota Motor"],
  ],
  [
    "get_earnings_calendar",
    { tickers: "Apple" },
    "Did you mean AAPL?",
    ["get_earnings_calendar", { tickers: "AAPL" }, "Apple Inc."],
  ],
  [
    "get_earnings_calendar",
    { tickers: "AAPL MSFT" },
    "comma-separated, such as AAPL,MSFT",
    ["get_earnings_calendar", { tickers: "AAPL,MSFT" }, "Microsoft"],
  ],
  // Values that have no certain meaning.
  [
    STATEMENTS,
    { ...AAPL, type: "earnings" },
    "income, balance, cashflow, ratios",
    [STATEMENTS, { ...AAPL, type: "income" }, "RevenueTTM"],
  ],
  [
    STATEMENTS,
    { ...AAPL, type: "cash" },
    "Did you mean cashflow?",
    [STATEMENTS, { ...AAPL, type: "cashflow" }, "FCFTTM"],
  ],
  [
    STATEMENTS,
    { country: "US", symbol: "SPY", type: "income" },
    "Call get_stock_overview",
    [OVERVIEW, { country: "US", symbol: "SPY" }, "SPDR"],
  ],
  [
    "get_sectors",
    { country: "US", sector: "Tech" },
    "Did you mean technology?",
    ["get_sectors", { country: "US", sector: "technology" }, "technology"],
  ],
  [
    HISTORY,
    { ...AAPL, range: "4y" },
    "1d, 1w, 1m, 3m, 6m, ytd, 1y, 2y, 3y, 5y, 10y, max",
    [HISTORY, { ...AAPL, range: "5y" }, "closes"],
  ],
  [
    HISTORY,
    { ...AAPL, from: "May 21, 2026" },
    "YYYY-MM-DD",
    [HISTORY, { ...AAPL, from: "2026-05-21" }, "2026-05-21"],
  ],
  ["get_macro_calendar", { limit: "1e2" }, "1 to 200", ["get_macro_calendar", { limit: 100 }, ""]],
  ["list_symbols", { limit: 500 }, "1 to 100", ["list_symbols", { limit: 100 }, "next_cursor"]],
  ["list_symbols", { type: "bond" }, "etf", ["list_symbols", { type: "etf" }, '"etf"']],
  [
    "list_symbols",
    { query: ["Toyota", "FPT"] },
    "use queries",
    ["list_symbols", { queries: ["Toyota", "FPT"] }, '"FPT"'],
  ],
  [
    "list_symbols",
    { country: "US", sort: "market_cap" },
    "Did you mean -market_cap?",
    ["list_symbols", { country: "US", sort: "-market_cap" }, "NVDA"],
  ],
  [
    "list_symbols",
    { country: "US", sector: "semiconductors" },
    "call screen_stocks with industry",
    [SCREEN, { country: "US", industry: "semiconductors" }, "NVDA"],
  ],
  [
    "list_symbols",
    { country: "US", cursor: "2" },
    "omit it for the first page",
    ["list_symbols", { country: "US" }, "next_cursor"],
  ],
  // Dates.
  [
    STATISTICS,
    { symbols: "AAPL", from: "2020" },
    "Did you mean 2020-01-01",
    [STATISTICS, { symbols: "AAPL", from: "2020-01-01" }, "2019-12-31"],
  ],
  [
    STATISTICS,
    { symbols: "AAPL", from: "Jan 5, 2026" },
    "Did you mean 2026-01-05?",
    [STATISTICS, { symbols: "AAPL", from: "2026-01-05" }, "2026-01-05"],
  ],
  [
    STATISTICS,
    { symbols: "AAPL", from: "05/01/2026" },
    "Write it like 2026-05-21.",
    [STATISTICS, { symbols: "AAPL", from: "2026-01-05" }, "2026-01-05"],
  ],
  [
    STATISTICS,
    { symbols: "AAPL", from: "2026-02-30" },
    "a date that exists",
    [STATISTICS, { symbols: "AAPL", from: "2026-02-28" }, "AAPL"],
  ],
  [
    STATISTICS,
    { symbols: "AAPL", from: "2030-01-01" },
    "end on 2026-11-19",
    [STATISTICS, { symbols: "AAPL", to: "2026-11-19" }, "AAPL"],
  ],
  [
    STATISTICS,
    { symbols: "AAPL", from: "2026-06-01", to: "2026-01-05" },
    "from must not be after to",
    [STATISTICS, { symbols: "AAPL", from: "2026-01-05", to: "2026-06-01" }, "AAPL"],
  ],
  [
    STATISTICS,
    { symbols: "AAPL", range: "1y", from: "2026-01-05" },
    "Use range, or from and to, not both.",
    [STATISTICS, { symbols: "AAPL", range: "1y" }, "AAPL"],
  ],
  [
    CALENDAR,
    { country: "US", from: "2026-01-01" },
    "from must be 2026-09-21 or later",
    [CALENDAR, { country: "US", from: "2026-09-21" }, "united states"],
  ],
  [
    EARNINGS,
    { from: "2026-11-01" },
    "from must be today, 2026-11-20, or later",
    [EARNINGS, { from: "2026-11-20" }, "earnings"],
  ],
  // Lists.
  [
    COMPARE,
    { symbols: "AAPL vs MSFT" },
    "AAPL,MSFT",
    [COMPARE, { symbols: "AAPL,MSFT" }, "Microsoft"],
  ],
  [
    COMPARE,
    { symbols: "AAPL;MSFT" },
    "AAPL,MSFT",
    [COMPARE, { symbols: "AAPL,MSFT" }, "Microsoft"],
  ],
  [
    COMPARE,
    { symbols: [{ country: "US", symbol: "AAPL" }] },
    "US:AAPL",
    [COMPARE, { symbols: "US:AAPL" }, "Apple Inc."],
  ],
  [COMPARE, { symbols: [] }, "US:AAPL", [COMPARE, { symbols: "US:AAPL" }, "Apple Inc."]],
  [
    COMPARE,
    { symbols: "Toyota,Vinamilk" },
    "JP:7203, VN:VNM",
    [COMPARE, { symbols: "JP:7203, VN:VNM" }, "Vietnam Dairy"],
  ],
  [
    STATISTICS,
    { symbols: "SPX" },
    "Did you mean US:^GSPC?",
    [STATISTICS, { symbols: "US:^GSPC" }, "S&P 500"],
  ],
  [
    EARNINGS,
    { tickers: "Apple,Microsoft" },
    "Did you mean AAPL,MSFT?",
    [EARNINGS, { tickers: "AAPL,MSFT" }, "Microsoft"],
  ],
  [
    EARNINGS,
    { tickers: "7203.T" },
    "call get_stock_forecast with country JP and symbol 7203",
    ["get_stock_forecast", TOYOTA, "Toyota Motor"],
  ],
  [
    CALENDAR,
    { country: "US,JP" },
    "use countries",
    [CALENDAR, { countries: "US,JP" }, "united states"],
  ],
  [
    CALENDAR,
    { countries: "US,Japan" },
    "Did you mean US,JP?",
    [CALENDAR, { countries: "US,JP" }, "united states"],
  ],
  [
    SCREEN,
    { country: "US,JP" },
    "make one call for each value",
    [SCREEN, { country: "US" }, "NVDA"],
  ],
  [
    "get_sectors",
    { country: "US", sector: "technology,energy" },
    "make one call for each sector",
    ["get_sectors", { country: "US", sector: "technology" }, "pe_median"],
  ],
  [
    STATEMENTS,
    { ...AAPL, type: ["income", "balance"] },
    "make one call for each value",
    [STATEMENTS, { ...AAPL, type: "income" }, "RevenueTTM"],
  ],
  [
    "get_macro_history",
    { country: "US", series: ["Unemployment rate", "Nonfarm payrolls"] },
    "make one call for each series",
    ["get_macro_history", { country: "US", series: "Unemployment rate" }, "monthly"],
  ],
  [
    "get_stock_forecast",
    { ...AAPL, sections: "price_targets,estimate" },
    "Did you mean price_target,estimates?",
    ["get_stock_forecast", { ...AAPL, sections: "price_target,estimates" }, "next_year"],
  ],
  // Conditions and metrics.
  [
    SCREEN,
    { country: "US", where: "pe lt 20" },
    "such as pe<20",
    [SCREEN, { country: "US", where: "pe<20" }, "total"],
  ],
  [
    SCREEN,
    { country: "US", where: "5<pe<10" },
    "pe>5,pe<10",
    [SCREEN, { country: "US", where: "pe>5,pe<10" }, "total"],
  ],
  [
    SCREEN,
    { country: "US", where: "pe between 5 and 10" },
    "pe>=5,pe<=10",
    [SCREEN, { country: "US", where: "pe>=5,pe<=10" }, "total"],
  ],
  [
    SCREEN,
    { country: "US", where: "pe<20 or roe>30" },
    "make one call for each alternative",
    [SCREEN, { country: "US", where: "pe<20" }, "total"],
  ],
  [
    SCREEN,
    { country: "US", where: { pe: { lt: 20 } } },
    "such as pe<20,revenue_growth>10",
    [SCREEN, { country: "US", where: "pe<20,revenue_growth>10" }, "total"],
  ],
  [
    SCREEN,
    { country: "US", where: "market_cap>$10B" },
    "or 10B",
    [SCREEN, { country: "US", where: "market_cap>10B" }, "NVDA"],
  ],
  [
    SCREEN,
    { country: "US", where: "sector=technology" },
    "give sector",
    [SCREEN, { country: "US", sector: "technology" }, "NVDA"],
  ],
  [
    SCREEN,
    { country: "US", where: "divident_yield>3" },
    "Did you mean dividend_yield or",
    [SCREEN, { country: "US", where: "dividend_yield>3" }, "total"],
  ],
  [
    SCREEN,
    { country: "US", sort: "gainers" },
    "change_percent",
    [SCREEN, { country: "US", sort: "-change_percent" }, "total"],
  ],
  [
    SCREEN,
    { country: "US", sort: "-dividend" },
    "Did you mean dividend_yield?",
    [SCREEN, { country: "US", sort: "-dividend_yield" }, "total"],
  ],
  // Limits and types.
  [
    SCREEN,
    { country: "US", limit: 1_000 },
    "from 1 to 100",
    [SCREEN, { country: "US", limit: 100 }, "total"],
  ],
  [
    SCREEN,
    { country: "US", limit: 0 },
    "from 1 to 100",
    [SCREEN, { country: "US", limit: 1 }, "NVDA"],
  ],
  [
    STATEMENTS,
    { ...AAPL, type: "income", figures: "yes" },
    "true or false",
    [STATEMENTS, { ...AAPL, type: "income", figures: true }, "RevenueTTM"],
  ],
  [OVERVIEW, { country: "US", symbol: { ticker: "AAPL" } }, "such as AAPL in US", apple],
  [OVERVIEW, { country: "US", symbol: "" }, "such as AAPL in US", apple],
  [OVERVIEW, { country: "US", symbol: null }, "such as AAPL in US", apple],
  [
    OVERVIEW,
    { country: "US", symbol: "BRK" },
    "Did you mean BRK.B?",
    [OVERVIEW, BERKSHIRE, "Berkshire"],
  ],
  // Arguments of other services.
  ["list_symbols", { q: "toyota" }, "did you mean query?", search("toyota", "Toyota Motor")],
  [
    "screen_stocks",
    { country: "US", where: "profit_margin>10" },
    "Did you mean gross_margin, gross_profit, operating_margin, net_margin or",
    ["screen_stocks", { country: "US", where: "net_margin>10" }, "AAPL"],
  ],
  [
    "compare_stocks",
    { symbols: "AAPL", metrics: "xyzzy" },
    "compare_stocks with metrics=all",
    ["compare_stocks", { symbols: "AAPL", metrics: "all" }, "net_margin"],
  ],
  ["list_symbols", { ticker: "7203" }, "did you mean query?", search("7203", "Toyota Motor")],
  [OVERVIEW, { country: "US", ticker: "AAPL" }, "did you mean symbol?", apple],
  [OVERVIEW, { market: "US", symbol: "AAPL" }, "did you mean country?", apple],
  [OVERVIEW, { ...AAPL, exchange: "NASDAQ" }, "leave it out", apple],
  [
    OVERVIEW,
    { country: "US", tickers: "AAPL,MSFT" },
    "call compare_stocks",
    [COMPARE, { symbols: "AAPL,MSFT" }, "Microsoft"],
  ],
  [
    HISTORY,
    { ...AAPL, start_date: "2026-11-02" },
    "did you mean from?",
    [HISTORY, { ...AAPL, from: "2026-11-02" }, "2026-11-02"],
  ],
  [
    HISTORY,
    { ...AAPL, period: "1m" },
    "did you mean range?",
    [HISTORY, { ...AAPL, range: "1m" }, "closes"],
  ],
  [
    HISTORY,
    { ...AAPL, interval: "1h" },
    "1d, 1wk, 1mo",
    [HISTORY, { ...AAPL, interval: "1d" }, "closes"],
  ],
  [
    STATEMENTS,
    { ...AAPL, type: "income", years: 4 },
    "did you mean limit?",
    [STATEMENTS, { ...AAPL, type: "income", limit: 4 }, "FY 2025"],
  ],
  [
    "get_stock_technicals",
    { ...AAPL, indicator: "RSI" },
    "leave it out",
    ["get_stock_technicals", AAPL, "RSI (14)"],
  ],
  [
    EARNINGS,
    { symbols: "AAPL" },
    "did you mean tickers?",
    [EARNINGS, { tickers: "AAPL" }, "Apple Inc."],
  ],
  [
    SCREEN,
    { country: "US", filters: "pe<20" },
    "did you mean where?",
    [SCREEN, { country: "US", where: "pe<20" }, "total"],
  ],
  [
    "get_macro_forecast",
    { country: "US", category: "prices" },
    "did you mean categories?",
    ["get_macro_forecast", { country: "US", categories: "prices" }, "CPI inflation YoY"],
  ],
  [
    "get_macro_history",
    { country: "US", indicator: "Unemployment rate" },
    "did you mean series?",
    ["get_macro_history", { country: "US", series: "Unemployment rate" }, "monthly"],
  ],
  [
    "get_macro_history",
    { country: "US", series: "inflation" },
    "Did you mean CPI inflation YoY?",
    ["get_macro_history", { country: "US", series: "CPI inflation YoY" }, "monthly"],
  ],
  // The wrong tool for the question.
  [
    SCREEN,
    { country: "US", query: "Toyota" },
    "call list_symbols",
    search("Toyota", "Toyota Motor"),
  ],
  [
    SCREEN,
    { country: "US", symbols: "AAPL,MSFT" },
    "call compare_stocks",
    [COMPARE, { symbols: "AAPL,MSFT" }, "Microsoft"],
  ],
  [
    "list_symbols",
    { country: "US", where: "pe<10" },
    "call screen_stocks",
    [SCREEN, { country: "US", where: "pe<10" }, "total"],
  ],
  [
    "get_sector_overview",
    { country: "US" },
    "call get_sectors",
    ["get_sectors", { country: "US" }, "S&P 500"],
  ],
  [
    "get_macro_indicators",
    { country: "US", series: "Unemployment rate" },
    "call get_macro_history",
    ["get_macro_history", { country: "US", series: "Unemployment rate" }, "monthly"],
  ],
  [
    HISTORY,
    { country: "US", symbols: "AAPL,MSFT" },
    "call get_price_statistics",
    [STATISTICS, { symbols: "AAPL,MSFT" }, "correlation"],
  ],
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
