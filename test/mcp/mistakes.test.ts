import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startService, type TestService } from "../support/service.ts";

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
    { ...AAPL, range: "2y" },
    "1m, 3m, 6m, ytd, 1y, 5y, 10y, max",
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
];

let service: TestService;
let token: string;
beforeAll(async () => {
  service = await startService();
  token = service.createToken().token;
}, 60_000);
afterAll(() => service.stop());

async function call(tool: string, args: Arguments) {
  const { result, error } = await service.callTool(token, tool, args);
  if (!result) throw new Error(`${tool}: ${JSON.stringify(error)}`);
  return { isError: result.isError ?? false, text: result.content[0]?.text ?? "" };
}

const titled = <T extends readonly [string, Arguments, ...unknown[]]>(rows: readonly T[]) =>
  rows.map((row) => [`${row[0]} ${JSON.stringify(row[1])}`, row] as const);

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
