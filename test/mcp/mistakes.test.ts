import { afterAll, describe, expect, test } from "bun:test";
import { OPERATIONS } from "#operations/index.ts";
import { startService } from "../support/service.ts";

/**
 * What models write instead of our arguments. No row may give a wrong answer without a word: it has the
 * answer to the right call, or an error that names the fix.
 */

type Arguments = Readonly<Record<string, unknown>>;

/**
 * A call that is understood: its answer is the one to `means`. `told` is its `understood_as`; without it, the answer has
 * none, because only letter case, spaces or the notation differ.
 */
type Understood = readonly [tool: string, written: Arguments, means: Arguments, told?: string];

const OVERVIEW = "get_stock_overview";
const STATEMENTS = "get_stock_statements";
const HISTORY = "get_stock_price_history";
const SCREEN = "screen_stocks";
const COMPARE = "compare_stocks";
const STATISTICS = "get_price_statistics";
const CALENDAR = "get_macro_calendar";
const EARNINGS = "get_earnings_calendar";
const PORTFOLIO = "analyze_portfolio";
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
  rows: readonly (readonly [written: Arguments, means: Arguments, told?: string])[],
) =>
  rows.map(([written, means, ...told]): Understood => [
    tool,
    { ...base, ...written },
    { ...base, ...means },
    ...told,
  ]);

const UNDERSTOOD: readonly Understood[] = [
  ...understood(STATEMENTS, AAPL, [
    [{ type: "profit and loss" }, { type: "income" }, "type=income"],
    [{ type: "P&L" }, { type: "income" }, "type=income"],
    [{ type: "báo cáo thu nhập" }, { type: "income" }, "type=income"],
    [
      { type: "貸借対照表", period: "四半期決算" },
      { type: "balance", period: "quarterly" },
      "type=balance; period=quarterly",
    ],
  ]),
  ...understood("get_valuation_history", AAPL, [
    [{ metric: "P/E ratio" }, { metric: "pe" }, "metric=pe"],
    [{ metric: "PER,PBR" }, { metric: "pe,pb" }, "metric=pe,pb"],
  ]),
  ...understood("get_macro_indicators", JP, [
    [{ category: "inflation rate" }, { category: "prices" }],
    [{ category: "インフレ率" }, { category: "prices" }],
    [{ category: "lạm phát" }, { category: "prices" }],
  ]),
  ...(
    [
      [[{ symbol: "AAPL", figure: "pe", value: "35.1", on: "FY2025" }]],
      [{ claims: [{ ticker: "AAPL", metric: "P/E", value: "35.1", period: "FY2025" }] }],
      ['[{"symbol":"US:AAPL","figure":"PER","value":"35.1","on":"2025-09-30"}]'],
      [
        "| symbol | figure | on | value |\n|---|---|---|---|\n| AAPL | P/E ratio | FY 2025 | 35.1x |",
      ],
      ["AAPL\tpe\t35.1\tfiscal 2025"],
    ] as const
  ).map(([claims]): Understood => [
    "check_figures",
    { claims },
    { claims: "US:AAPL|pe|35.1|FY2025" },
  ]),
  // Amounts, dates and names as people write them.
  ...understood(SCREEN, { country: "JP" }, [
    [
      { where: "market_cap>1兆5000億円" },
      { where: "market_cap>1500000000000" },
      "where=market_cap>JPY1500000000000",
    ],
    [
      { where: "market_cap>3億5000万" },
      { where: "market_cap>350000000" },
      "where=market_cap>350000000",
    ],
  ]),
  ...understood(SCREEN, { country: "VN" }, [
    [{ where: "market_cap>1 nghìn tỷ đồng" }, { where: "market_cap>1T" }, "where=market_cap>VND1T"],
    [{ where: "giá dưới 25000 đồng" }, { where: "price<25000" }, "where=giá<VND25000"],
  ]),
  ...understood("get_macro_calendar", { country: "JP" }, [
    [{ from: "令和8年11月20日" }, { from: "2026-11-20" }, "from=2026-11-20"],
  ]),
  ...understood(OVERVIEW, { country: "JP" }, [
    [
      { symbol: "ファストリ" },
      { symbol: "9983" },
      "symbol=9983 (ファストリ is 9983, Fast Retailing Co., Ltd.)",
    ],
    [
      { symbol: "ＪＲ東海" },
      { symbol: "9022" },
      "symbol=9022 (JR東海 is 9022, Central Japan Railway Company)",
    ],
  ]),
  ...understood(PORTFOLIO, {}, [
    [{ holdings: "AAPL=¥100万,7203=1万株" }, { holdings: "AAPL=1000000JPY,7203=10000" }],
  ]),
  // Dashes, digits and words of other scripts and languages.
  ...["2015–2020", "2015—2020", "2015〜2020", "2015 to 2020", "２０１５－２０２０"].map(
    (years): Understood => [
      STATISTICS,
      { symbols: "US:AAPL", years },
      { symbols: "US:AAPL", years: "2015-2020" },
      "years=2015-2020",
    ],
  ),
  ...(
    [
      ["ゴールドマン・サックス", "GS"],
      ["ゴールドマン", "GS"],
      ["アップル", "AAPL"],
      ["エヌビディア", "NVDA"],
      ["コカコーラ", "KO"],
      ["マイクロソフト社", "MSFT"],
      ["アルファベット", "GOOGL"],
      ["JPモルガン", "JPM"],
    ] as const
  ).map(([query, symbol]): Understood => [
    SYMBOLS,
    { query, country: "US", limit: 1 },
    { query: symbol, country: "US", limit: 1 },
  ]),
  [
    PORTFOLIO,
    { holdings: "アップル 10株、トヨタ 300株" },
    { holdings: "US:AAPL=10,JP:7203=300" },
    "holdings=US:AAPL=10,JP:7203=300 (アップル is AAPL, Apple Inc.; トヨタ is 7203, Toyota Motor Corporation)",
  ],
  [
    PORTFOLIO,
    { holdings: "AAPL 10 cổ phiếu, 7203 300 cp" },
    { holdings: "US:AAPL=10,JP:7203=300" },
  ],
  // Holdings of a portfolio.
  ...[
    "AAPL 10 shares, 7203.T 300",
    "10 shares of AAPL and 300 shares of 7203",
    "AAPL: 10; JP:7203: 300",
    ["US:AAPL=10", "7203: 300"],
    { AAPL: 10, "JP:7203": "300 shares" },
    '{"AAPL": 10, "7203.T": 300}',
    [
      { symbol: "AAPL", shares: 10 },
      { ticker: "7203", country: "JP", quantity: 300 },
    ],
    [
      ["AAPL", 10],
      ["7203.T", "300"],
    ],
    "AAPL=6,AAPL=4,7203=300",
  ].map((holdings): Understood => [
    PORTFOLIO,
    { holdings },
    { holdings: "US:AAPL=10,JP:7203=300" },
  ]),
  ...understood(STATISTICS, { symbols: "US:AAPL" }, [
    [{ years: "2019年から2020年" }, { years: "2019-2020" }, "years=2019-2020"],
    [{ years: "năm 2019" }, { years: "2019" }, "years=2019"],
    [{ years: "từ 2019 đến 2020" }, { years: "2019-2020" }, "years=2019-2020"],
    [{ months: "11月" }, { months: "11" }, "months=11"],
    [{ months: "tháng 2, tháng 11" }, { months: "2,11" }, "months=2,11"],
    [{ range: "５年" }, { range: "5y" }, "range=5y"],
    [{ range: "過去3年間" }, { range: "3y" }, "range=3y"],
    [{ range: "6ヶ月" }, { range: "6m" }, "range=6m"],
    [{ range: "年初来" }, { range: "ytd" }, "range=ytd"],
    [{ range: "1 năm" }, { range: "1y" }, "range=1y"],
    [{ range: "6 tháng qua" }, { range: "6m" }, "range=6m"],
    [{ columns: "max_drawdown,drawdown" }, { columns: "max_drawdown" }, "columns=max_drawdown"],
    [{ columns: "return,return" }, { columns: "return" }],
  ]),
  ...understood(HISTORY, AAPL, [
    [{ from: "2026–11–02" }, { from: "2026-11-02" }, "from=2026-11-02"],
    [{ from: "２０２６年１１月２日" }, { from: "2026-11-02" }, "from=2026-11-02"],
    [{ range: "1w", limit: "５" }, { range: "1w", limit: 5 }, "limit=5"],
    [{ range: "1w", order: "asc" }, { range: "1w" }],
    [{ range: "1Y" }, { range: "1y" }],
    [{ range: "1 month" }, { range: "1m" }, "range=1m"],
    [{ range: "12mo" }, { range: "1y" }, "range=1y"],
    [{ range: "18 months" }, { from: "2025-05-19" }, "range=18m"],
    [{ range: "90d" }, { from: "2026-08-21" }, "range=90d"],
    [{ range: "4y" }, { from: "2022-11-18" }, "range=4y"],
    [{ from: "2026-5-21" }, { from: "2026-05-21" }],
    [{ from: "May 21, 2026" }, { from: "2026-05-21" }, "from=2026-05-21"],
    [{ from: "21 May 2026" }, { from: "2026-05-21" }, "from=2026-05-21"],
    [{ from: "2026年5月21日" }, { from: "2026-05-21" }, "from=2026-05-21"],
    [
      { from: "2025-11", to: "2026-02" },
      { from: "2025-11-01", to: "2026-02-28" },
      "from=2025-11-01; to=2026-02-28",
    ],
    [
      { from: "Nov 2025", to: "2025Q4" },
      { from: "2025-11-01", to: "2025-12-31" },
      "from=2025-11-01; to=2025-12-31",
    ],
    [{ from: "30 days ago" }, { from: "2026-10-21" }, "from=2026-10-21"],
    [{ limit: "10" }, { limit: 10 }],
    [{ interval: "Weekly" }, { interval: "1wk" }, "interval=1wk"],
  ]),
  ...understood(SCREEN, US, [
    [{ where: "return_1y<−5" }, { where: "return_1y<-5" }, "where=return_1y<-5"],
    [{ where: "ｐｅ＜１５" }, { where: "pe<15" }, "where=pe<15"],
    [{ sort: "−market_cap" }, { sort: "-market_cap" }],
    [{ where: "not pe>15" }, { where: "pe<=15" }, "where=pe<=15"],
    [{ where: "!(pe>15),roe>10" }, { where: "pe<=15,roe>10" }, "where=pe<=15,roe>10"],
    [{ where: "pe!>15" }, { where: "pe<=15" }, "where=pe<=15"],
    [{ where: "not pe>15 or roe>30" }, { where: "pe<=15 or roe>30" }, "where=pe<=15 or roe>30"],
    ...["pe<sector_median", "pe is below the sector median", "pe < the sector's PE median"].map(
      (where) =>
        [{ where }, { where: "pe<sector.pe_median" }, "where=pe<sector.pe_median"] as const,
    ),
    [
      { where: "roe>industry_roe_median" },
      { where: "roe>industry.roe_median" },
      "where=roe>industry.roe_median",
    ],
    [{ sort: "pe", order: "desc" }, { sort: "-pe" }, "sort=-pe"],
    [{ sort: "pe", order: "ascending" }, { sort: "pe" }, "sort=pe"],
    [{ sort: "pe", sort_order: "DESC" }, { sort: "-pe" }, "sort=-pe"],
    [{ order: "desc" }, {}],
    [{ sector: "công nghệ" }, { sector: "technology" }, "sector=technology"],
    // An empty text of an optional argument is left out.
    [{ sector: "", where: "", industry: null, foo: "" }, {}],
    [{ where: "pe≤20" }, { where: "pe<=20" }],
    [{ where: "pe<20 AND roe>15" }, { where: "pe<20,roe>15" }],
    [{ where: "pe<20 || roe>30" }, { where: "pe<20 or roe>30" }],
    [{ where: "pe<Industry.PE" }, { where: "pe<industry.pe_median" }],
    [{ country: ["US", "JP"] }, { country: "US,JP" }],
    [{ country: "US, Japan" }, { country: "US,JP" }, "country=US,JP"],
    [{ where: ["pe<20", "roe>15"] }, { where: "pe<20,roe>15" }],
    [{ where: "revenueGrowth > 10%" }, { where: "revenue_growth>10" }],
    [{ where: "market_cap > 10 billion" }, { where: "market_cap>10B" }],
    [{ where: "pe between 10 and 15" }, { where: "pe>=10,pe<=15" }, "where=pe>=10,pe<=15"],
    [
      { where: "pb<5 and pe between 10 and 15" },
      { where: "pb<5,pe>=10,pe<=15" },
      "where=pb<5 and pe>=10,pe<=15",
    ],
    [{ where: "pe lt 20" }, { where: "pe<20" }, "where=pe<20"],
    [{ where: "roe at least 15; pe under 30" }, { where: "roe>=15,pe<30" }, "where=roe>=15,pe<30"],
    [{ where: "market_cap>10bn" }, { where: "market_cap>10B" }, "where=market_cap>10B"],
    [{ where: "market_cap > $10B" }, { where: "market_cap>10B" }, "where=market_cap >USD10B"],
    [{ where: { pe: { lt: 15 } } }, { where: "pe<15" }, "where=pe<15"],
    [{ where: '{"pe":{"lt":15,"$gt":5}}' }, { where: "pe<15,pe>5" }, "where=pe<15,pe>5"],
    [{ where: { pe: "<15" } }, { where: "pe<15" }, "where=pe<15"],
    [{ metrics: ["P/B", "Beta"] }, { metrics: "pb,beta" }],
    [{ where: null, limit: "3" }, { limit: 3 }],
  ]),
  ...understood(SCREEN, JP, [
    [{ industry: "銀行" }, { industry: "bank" }],
    [{ industry: "半導体" }, { industry: "semicon" }],
    [{ industry: "自動車業" }, { industry: "auto" }],
    [{ sector: "金融" }, { sector: "financial-services" }, "sector=financial-services"],
    [{ where: "PER<15,PBR<1" }, { where: "pe<15,pb<1" }],
    [{ where: "PBR1倍割れ" }, { where: "pb<1" }, "where=PBR<1"],
    [{ where: "ストップ高" }, { where: "below_ceiling<=0" }, "where=below_ceiling<=0"],
    [
      { where: "時価総額>1兆円,配当利回り>2" },
      { where: "market_cap>1T,dividend_yield>2" },
      "where=時価総額>JPY1T,配当利回り>2",
    ],
    [{ where: "market_cap>1兆" }, { where: "market_cap>1T" }, "where=market_cap>1T"],
    [{ where: "PBR1倍割れ" }, { where: "pb<1" }, "where=PBR<1"],
    [{ where: "PER15倍以下、ROE10%以上" }, { where: "pe<=15,roe>=10" }, "where=PER<=15,ROE>=10%"],
    [{ where: "時価総額1兆円以上" }, { where: "market_cap>=1T" }, "where=時価総額>=JPY1T"],
    [{ exchange: "東証プライム" }, { exchange: "TSE Prime" }, "exchange=TSE Prime"],
    [
      { where: "market_cap>5000億円" },
      { where: "market_cap>500B" },
      "where=market_cap>JPY500000000000",
    ],
    [{ where: "market_cap>￥2兆" }, { where: "market_cap>2T" }, "where=market_cap>JPY2T"],
    [{ sort: "dividend_yield desc" }, { sort: "-dividend_yield" }],
    [{ sort: "-marketCap" }, { sort: "-market_cap" }],
  ]),
  ...understood(SCREEN, { country: "VN" }, [
    [{ industry: "ngân hàng" }, { industry: "bank" }],
    [{ industry: "Bất động sản" }, { industry: "real estate" }],
    [{ industry: "ngành thép" }, { industry: "steel" }],
    [{ industry: "Chứng khoán" }, { industry: "capital markets" }],
    [{ where: "vốn hóa>10000 tỷ" }, { where: "market_cap>10000B" }, "where=vốn hóa>10000B"],
  ]),
  ...understood(STATEMENTS, FPT, [
    [{ type: "bảng cân đối kế toán" }, { type: "balance" }, "type=balance"],
    [
      { type: "損益計算書", period: "quý" },
      { type: "income", period: "quarterly" },
      "type=income; period=quarterly",
    ],
  ]),
  ...understood(HISTORY, FPT, [
    [{ interval: "週足", range: "6m" }, { interval: "1wk", range: "6m" }, "interval=1wk"],
  ]),
  ...understood(CALENDAR, {}, [
    [{ importance: "高" }, { importance: "high" }, "importance=high"],
    [{ importance: "HIGH" }, { importance: "high" }],
    [{ importance: ["high", "medium"] }, { importance: "high,medium" }],
    [{ countries: ["US", "JP"] }, { countries: "US,JP" }],
    [{ countries: "US,Japan" }, { countries: "US,JP" }, "countries=US,JP"],
  ]),
  ...understood(PORTFOLIO, {}, [
    [
      {
        holdings: [
          { symbol: "AAPL", weight: 0.6 },
          { symbol: "FPT", weight: 0.4 },
        ],
      },
      { holdings: "US:AAPL=60%,VN:FPT=40%" },
    ],
    [{ holdings: "60% AAPL, 40% FPT" }, { holdings: "US:AAPL=60%,VN:FPT=40%" }],
    [{ holdings: "$5000 AAPL, USD 1000" }, { holdings: "US:AAPL=5000USD,USD=1000" }],
    [
      { holdings: "AAPL=10", rebalance: "buy and hold" },
      { holdings: "AAPL=10", rebalance: "none" },
      "rebalance=none",
    ],
  ]),
  ...understood(OVERVIEW, AAPL, [
    [{ symbol: "aapl" }, {}],
    [{ symbol: " AAPL " }, {}],
    [{ symbol: "$AAPL" }, {}],
    [{ symbol: "US:AAPL" }, {}],
    [{ symbol: "NASDAQ:AAPL" }, {}],
    [{ symbol: "AAPL.US" }, {}],
    [{ symbol: "AAPL US Equity" }, {}],
    [{ symbol: "ＡＡＰＬ" }, {}, "symbol=AAPL (written ＡＡＰＬ)"],
    // The country in words.
    [{ country: "us" }, {}, "country=US"],
    [{ country: "USA" }, {}, "country=US"],
    [{ country: "U.S." }, {}, "country=US"],
    [{ country: "United States" }, {}, "country=US"],
    // Symbols of other services.
    [{ symbol: '"AAPL"' }, {}],
    [{ symbol: "XNAS:AAPL" }, {}],
    [{ symbol: "AAPL.O" }, {}, "symbol=AAPL (AAPL.O is AAPL, Apple Inc.)"],
    [{ symbol: "AAPL UW Equity" }, {}, "symbol=AAPL (AAPL UW EQUITY is AAPL, Apple Inc.)"],
    [{ symbol: "AAPL:US" }, {}, "symbol=AAPL (AAPL:US is AAPL, Apple Inc.)"],
    [{ symbol: "AAPL-US" }, {}, "symbol=AAPL (AAPL-US is AAPL, Apple Inc.)"],
    [{ symbol: "AAPL stock" }, {}, "symbol=AAPL (AAPL STOCK is AAPL, Apple Inc.)"],
    [{ symbol: "Apple share price" }, {}, "symbol=AAPL (APPLE SHARE PRICE is AAPL, Apple Inc.)"],
    [{ symbol: "Apple" }, {}, "symbol=AAPL (APPLE is AAPL, Apple Inc.)"],
    [{ symbol: "Apple Inc." }, {}, "symbol=AAPL (APPLE INC. is AAPL, Apple Inc.)"],
    [{ symbol: "apple incorporated" }, {}, "symbol=AAPL (APPLE INCORPORATED is AAPL, Apple Inc.)"],
  ]),
  ...understood(OVERVIEW, BERKSHIRE, [
    [{ symbol: "BRK-B" }, {}],
    [{ symbol: "BRK/B" }, {}, "symbol=BRK.B (written BRK/B)"],
  ]),
  ...understood(OVERVIEW, TOYOTA, [
    [{ symbol: 7203 }, {}],
    [{ symbol: "7203.T" }, {}],
    [{ symbol: "TSE:7203" }, {}],
    [{ symbol: "７２０３" }, {}, "symbol=7203 (written ７２０３)"],
    [{ country: "Japan" }, {}, "country=JP"],
    [{ country: "日本" }, {}, "country=JP"],
    [{ country: "Nhật Bản" }, {}, "country=JP"],
    [{ symbol: "72030" }, {}, "symbol=7203 (72030 is 7203, Toyota Motor Corporation)"],
    [
      { symbol: "7203 JT Equity" },
      {},
      "symbol=7203 (7203 JT EQUITY is 7203, Toyota Motor Corporation)",
    ],
    [{ symbol: "XTKS:7203" }, {}],
    [
      { symbol: "トヨタ自動車" },
      {},
      "symbol=7203 (トヨタ自動車 is 7203, Toyota Motor Corporation)",
    ],
    [
      { symbol: "トヨタ自動車株式会社" },
      {},
      "symbol=7203 (トヨタ自動車株式会社 is 7203, Toyota Motor Corporation)",
    ],
    [
      { symbol: "Toyota Motor Corporation" },
      {},
      "symbol=7203 (TOYOTA MOTOR CORPORATION is 7203, Toyota Motor Corporation)",
    ],
    [
      { symbol: "TM" },
      {},
      "symbol=7203 (TM is the depositary receipt of JP:7203, Toyota Motor Corporation)",
    ],
  ]),
  ...understood(OVERVIEW, FPT, [
    [{ symbol: "FPT.VN" }, {}],
    [{ symbol: "HOSE:FPT" }, {}],
    [{ country: "vietnam" }, {}, "country=VN"],
    [{ country: "Viet Nam" }, {}, "country=VN"],
    [{ country: "Việt Nam" }, {}, "country=VN"],
    [{ country: "ベトナム" }, {}, "country=VN"],
    [{ symbol: "VN000000FPT1" }, {}, "symbol=FPT (VN000000FPT1 is FPT, FPT Corporation)"],
    [{ symbol: "XSTC:FPT" }, {}],
  ]),
  ...understood(OVERVIEW, JP, [
    [{ symbol: "USDJPY" }, { symbol: "JPY=X" }],
    [{ symbol: "N225" }, { symbol: "^N225" }, "symbol=^N225 (N225 is ^N225, Nikkei 225)"],
    [{ symbol: "Nikkei" }, { symbol: "^N225" }, "symbol=^N225 (NIKKEI is ^N225, Nikkei 225)"],
    [{ symbol: "日経平均" }, { symbol: "^N225" }, "symbol=^N225 (日経平均 is ^N225, Nikkei 225)"],
    [{ symbol: "USDJPY=" }, { symbol: "JPY=X" }, "symbol=JPY=X (USDJPY= is JPY=X, USD/JPY)"],
    [
      { symbol: "ソニーグループ" },
      { symbol: "6758" },
      "symbol=6758 (ソニーグループ is 6758, Sony Group Corporation)",
    ],
  ]),
  ...understood(OVERVIEW, US, [
    [{ symbol: "EUR/USD" }, { symbol: "EURUSD=X" }],
    [{ symbol: "BTC/USD" }, { symbol: "BTC-USD" }],
    [{ ticker: "AAPL" }, { symbol: "AAPL" }],
    [{ symbols: ["AAPL"] }, { symbol: "AAPL" }],
    [
      { symbol: "IBM.N" },
      { symbol: "IBM" },
      "symbol=IBM (IBM.N is IBM, International Business Machines Corporation)",
    ],
    [
      { symbol: "BRKB" },
      { symbol: "BRK.B" },
      "symbol=BRK.B (BRKB is BRK.B, Berkshire Hathaway Inc. Class B)",
    ],
    [
      { symbol: "FB" },
      { symbol: "META" },
      "symbol=META (FB is META since 2022-06-09: Meta Platforms, Inc.)",
    ],
    [
      { symbol: "Facebook" },
      { symbol: "META" },
      "symbol=META (FACEBOOK is META, Meta Platforms, Inc.)",
    ],
    [{ symbol: "SPX" }, { symbol: "^GSPC" }, "symbol=^GSPC (SPX is ^GSPC, S&P 500)"],
    [{ symbol: ".SPX" }, { symbol: "^GSPC" }, "symbol=^GSPC (.SPX is ^GSPC, S&P 500)"],
    [{ symbol: "I:SPX" }, { symbol: "^GSPC" }, "symbol=^GSPC (I:SPX is ^GSPC, S&P 500)"],
    [{ symbol: "S&P 500" }, { symbol: "^GSPC" }, "symbol=^GSPC (S&P 500 is ^GSPC, S&P 500)"],
    [
      { symbol: "INDEXSP:.INX" },
      { symbol: "^GSPC" },
      "symbol=^GSPC (INDEXSP:.INX is ^GSPC, S&P 500)",
    ],
    [
      { symbol: "BTCUSD" },
      { symbol: "BTC-USD" },
      "symbol=BTC-USD (BTCUSD is BTC-USD, Bitcoin in US dollars)",
    ],
    [
      { symbol: "oil" },
      { symbol: "CL=F" },
      "symbol=CL=F (OIL is CL=F, WTI crude oil futures (USD per barrel); not VN:OIL PetroVietnam Oil Corporation)",
    ],
    [
      { symbol: "gold" },
      { symbol: "GC=F" },
      "symbol=GC=F (GOLD is GC=F, Gold futures (USD per troy ounce))",
    ],
    [{ symbol: "EUR" }, { symbol: "EURUSD=X" }, "symbol=EURUSD=X (EUR is EURUSD=X, EUR/USD)"],
    [
      { symbol: "EUR-USD" },
      { symbol: "EURUSD=X" },
      "symbol=EURUSD=X (EUR-USD is EURUSD=X, EUR/USD)",
    ],
    [
      { symbol: "FX:EURUSD" },
      { symbol: "EURUSD=X" },
      "symbol=EURUSD=X (FX:EURUSD is EURUSD=X, EUR/USD)",
    ],
  ]),
  ...understood(STATEMENTS, AAPL, [
    [{ type: "Income" }, { type: "income" }],
    [{ type: "income statement" }, { type: "income" }, "type=income"],
    [{ type: "balance_sheet" }, { type: "balance" }, "type=balance"],
    [{ type: "cash_flow" }, { type: "cashflow" }],
    [
      { type: "income", period: "Yearly", limit: "2" },
      { type: "income", period: "annual", limit: 2 },
      "period=annual",
    ],
    [{ type: "income", period: "FY" }, { type: "income", period: "annual" }, "period=annual"],
  ]),
  ...understood("get_macro_indicators", US, [
    // A payload of categories has no place for `understood_as`. Only `_meta` has it.
    [{ category: "Inflation" }, { category: "prices" }],
    [{ category: "interest_rates" }, { category: "money" }],
  ]),
  ...understood("get_macro_indicators", { category: "prices" }, [
    [{ country: ["US", "JP"] }, { countries: "US,JP" }],
    [{ country: "US,JP" }, { country: "US", countries: "JP" }],
    [{ country: "US", countries: "US" }, { country: "US" }],
    [{ countries: ["US"] }, { country: "US" }],
  ]),
  ...understood("get_valuation_history", {}, [
    [{ country: "US", symbol: "AAPL,MSFT" }, { symbols: "US:AAPL,US:MSFT" }],
    [{ tickers: ["US:AAPL", "JP:7203"] }, { symbols: "US:AAPL,JP:7203" }],
    [
      { country: "US", ticker: "AAPL" },
      { country: "US", symbol: "AAPL" },
    ],
    [
      { country: "US", symbol: "Apple, Inc." },
      { country: "US", symbol: "AAPL" },
      "symbol=AAPL (APPLE, INC. is AAPL, Apple Inc.)",
    ],
  ]),
  ...understood("get_sectors", US, [
    [{ sector: "Information Technology" }, { sector: "technology" }, "sector=technology"],
    // Other names for the same argument.
    [{ metrics: "pe_median" }, { columns: "pe_median" }],
  ]),
  ...understood("get_sector_overview", {}, [
    [{ level: "Industries" }, { level: "industry" }, "level=industry"],
  ]),
  ...understood(SYMBOLS, {}, [
    [{ type: "crypto" }, { type: "cryptocurrency" }, "type=cryptocurrency"],
    [{ sector: "Consumer Staples" }, { sector: "consumer-defensive" }, "sector=consumer-defensive"],
    [{ query: "motor toyota" }, { query: "toyota motor" }],
    [{ query: "7203.T" }, { query: "7203" }],
    [{ query: "FB" }, { query: "Facebook" }],
    [{ queries: ["Toyota", "FPT"] }, { queries: "Toyota,FPT" }],
  ]),
  ...understood("get_valuation_history", AAPL, [
    [{ metrics: "pb" }, { metric: "pb" }],
    [{ metric: ["P/E", "Price to book"] }, { metric: "pe,pb" }, "metric=pe,pb"],
    [{ metric: "EV/EBITDA" }, { metric: "ev_ebitda" }, "metric=ev_ebitda"],
  ]),
  ...understood(COMPARE, {}, [
    [
      { tickers: ["AAPL", "MSFT"], columns: "pe" },
      { symbols: "AAPL,MSFT", metrics: "pe" },
    ],
    [{ tickers: "AAPL,JP:7203", country: "us" }, { symbols: "US:AAPL,JP:7203" }],
    [{ symbols: "AAPL, MSFT", country: "US" }, { symbols: "US:AAPL,US:MSFT" }],
    [{ symbols: 7203, country: "JP" }, { symbols: "JP:7203" }],
    [{ symbols: "US: AAPL" }, { symbols: "US:AAPL" }],
    [
      { symbols: ["Apple Inc", "Microsoft"], country: "US" },
      { symbols: "US:AAPL,US:MSFT" },
      "symbols=US:AAPL,US:MSFT (APPLE INC is AAPL, Apple Inc.; MICROSOFT is MSFT, Microsoft Corporation)",
    ],
    [{ symbols: ["aapl", "7203.T"] }, { symbols: "US:AAPL,JP:7203" }],
    [{ symbols: "AAPL, FPT.VN" }, { symbols: "US:AAPL,VN:FPT" }],
    [{ symbols: ["US:AAPL", 7203] }, { symbols: "US:AAPL,JP:7203" }],
    [{ symbols: "AAPL;MSFT" }, { symbols: "AAPL,MSFT" }, "symbols=US:AAPL,US:MSFT"],
    [
      { symbols: "Toyota Motor、Vinamilk" },
      { symbols: "JP:7203,VN:VNM" },
      "symbols=JP:7203,VN:VNM (TOYOTA MOTOR is 7203, Toyota Motor Corporation; VINAMILK is VNM, Vietnam Dairy Products Joint Stock Company)",
    ],
    [
      { symbols: "US:FB,TM" },
      { symbols: "US:META,JP:7203" },
      "symbols=US:META,JP:7203 (FB is META since 2022-06-09: Meta Platforms, Inc.; TM is the depositary receipt of JP:7203, Toyota Motor Corporation)",
    ],
  ]),
  ...understood(EARNINGS, {}, [
    [{ symbols: "AAPL" }, { tickers: "AAPL" }],
    [{ tickers: ["AAPL", "BRK-B"] }, { tickers: "AAPL,BRK.B" }],
    [{ tickers: '["aapl","msft"]' }, { tickers: "AAPL,MSFT" }],
    [
      { tickers: "Apple,Microsoft" },
      { tickers: "AAPL,MSFT" },
      "tickers=AAPL,MSFT (APPLE is AAPL, Apple Inc.; MICROSOFT is MSFT, Microsoft Corporation)",
    ],
    [{ from: "tomorrow" }, { from: "2026-11-21" }, "from=2026-11-21"],
  ]),
  ...understood(COMPARE, { metrics: "all" }, [[{ symbols: '["AAPL"]' }, { symbols: "US:AAPL" }]]),
  ...understood(COMPARE, { symbols: "AAPL" }, [
    [{ currency: "yen" }, { currency: "JPY" }, "currency=JPY"],
    [{ currency: "円" }, { currency: "JPY" }, "currency=JPY"],
    [{ currency: "đồng" }, { currency: "VND" }, "currency=VND"],
    [{ metrics: "P/E ratio" }, { metrics: "pe" }],
  ]),
  ...understood(STATISTICS, {}, [
    [
      { symbols: "aapl", from: "2026/01/05" },
      { symbols: "US:AAPL", from: "2026-01-05" },
    ],
    [{ symbols: "SPX" }, { symbols: "US:^GSPC" }, "symbols=US:^GSPC (SPX is ^GSPC, S&P 500)"],
  ]),
  ...understood(STATISTICS, { symbols: "AAPL" }, [
    [{ from: "20260105" }, { from: "2026-01-05" }],
    [{ from: "2026-01-05T00:00:00Z" }, { from: "2026-01-05" }],
    [{ dates: ["2026-3-2"] }, { dates: "2026-03-02" }],
    [{ years: 2025 }, { years: "2025" }],
    [{ years: [2024, 2025] }, { years: "2024,2025" }],
    [{ months: "November" }, { months: "11" }, "months=11"],
    [{ months: [1, "feb"] }, { months: "1,2" }, "months=1,2"],
    [{ interval: "weekly" }, { interval: "1wk" }, "interval=1wk"],
    [
      { columns: ["Drawdown", "sharpe"] },
      { columns: "max_drawdown,sharpe_without_rf" },
      "columns=max_drawdown,sharpe_without_rf",
    ],
    [{ currency: "euro" }, { currency: "EUR" }, "currency=EUR"],
    [{ from: "Jan 5, 2026" }, { from: "2026-01-05" }, "from=2026-01-05"],
    [{ from: "2020" }, { from: "2020-01-01" }, "from=2020-01-01"],
    [
      { dates: "5 Jan 2026;6 Jan 2026" },
      { dates: "2026-01-05,2026-01-06" },
      "dates=2026-01-05,2026-01-06",
    ],
  ]),
  ...understood("get_macro_history", US, [
    [{ series: "unemployment RATE" }, { series: "Unemployment rate" }],
  ]),
  ...understood("get_macro_forecast", US, [
    [{ categories: ["Inflation", "GDP"] }, { categories: "prices,gdp" }, "categories=prices,gdp"],
  ]),
  ...understood("get_stock_forecast", AAPL, [
    [{ sections: ["Price Target"] }, { sections: "price_target" }],
    [{ sections: "Surprises" }, { sections: "surprises" }],
  ]),
  ...understood("get_markets", {}, [[{ random_string: "dummy" }, {}]]),
  ...understood(OVERVIEW, { country: "VN" }, [
    [
      { symbol: "Tập đoàn Hòa Phát" },
      { symbol: "HPG" },
      "symbol=HPG (TẬP ĐOÀN HÒA PHÁT is HPG, Hoa Phat Group Joint Stock Company)",
    ],
    [
      { symbol: "VN Index" },
      { symbol: "VNINDEX" },
      "symbol=VNINDEX (VN INDEX is VNINDEX, VN-Index)",
    ],
  ]),
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
  ...refused(CALENDAR, US, [
    [{ date: "2026-11-25" }, "did you mean from?", { from: "2026-11-25" }, "events"],
  ]),
  ...refused(EARNINGS, {}, [
    [{ date: "2026-12-01" }, "did you mean from?", { from: "2026-12-01" }, "earnings"],
  ]),
  ...refused(COMPARE, {}, [
    [{ symbols: "FPT và VNM" }, "commas: FPT,VNM", { symbols: "FPT,VNM" }, "FPT Corporation"],
    [
      { symbols: "AAPL", year: 2025 },
      "did you mean fiscal_year?",
      { symbols: "AAPL", fiscal_year: 2025 },
      "FY 2025",
    ],
  ]),
  ...refused("check_figures", {}, [
    [
      { claims: Array.from({ length: 51 }, () => "US:AAPL|pe|35") },
      "50 claims in one call",
      { claims: "US:AAPL|revenue|391.04B USD|FY2024" },
      "verdict",
    ],
  ]),
  ...refused("get_metric_history", { symbols: "AAPL" }, [
    [
      { metrics: "zzyzx" },
      "Usual ones are market_cap, pe, pb, ev_ebitda, revenue_growth, net_margin, roe and debt_to_equity.",
      { metrics: "debt_to_equity" },
      "FY 2025",
    ],
    [{ metrics: "rsi" }, "For prices call get_price_statistics", { metrics: "roe" }, "FY 2025"],
    [{ period: "monthly" }, "annual, quarterly", { period: "quarterly" }, "Q3 2026"],
  ]),
  ...refused(SCREEN, US, [
    [{ where: "symbol in (AAPL,MSFT)" }, "call compare_stocks", { where: "pe<20" }, "rows"],
    [{ where: "pe is null" }, "meets no condition", { where: "pe<20" }, "rows"],
    [
      { where: "market_cap>1.5兆5000億" },
      "market_cap with a number",
      { where: "market_cap>10B" },
      "rows",
    ],
    [{ where: "pe<12,5" }, "write 12.5 with a point", { where: "pe<12.5" }, "rows"],
    [
      { where: "return_1y>S&P 500" },
      "get it by get_price_statistics",
      { symbols: "S&P 500" },
      "rows",
      STATISTICS,
    ],
    [{ where: "market_cap>1 tỷ đồng" }, "Add currency=VND", { currency: "VND" }, "rows"],
    [{ where: "perks>3" }, "Usual ones are price, market_cap", { where: "pe<3" }, "rows"],
  ]),
  ...refused(SCREEN, { country: "VN" }, [
    [{ where: "vốn hóa>10T" }, "Write 10 tỷ for 10 billion", { where: "vốn hóa>10 tỷ" }, "rows"],
  ]),
  ...refused(SCREEN, US, [
    [{ where: "not (pe>15 and roe<10)" }, "no parentheses", { where: "pe<=15 or roe>=10" }, "rows"],
    [{ order: "asc" }, "part of sort", { sort: "market_cap" }, "rows"],
    [{ sort: "-pe", order: "asc" }, "sort=pe begins with the lowest", { sort: "pe" }, "rows"],
    [
      { sort: "pe", order: "up" },
      "order must be asc or desc",
      { sort: "pe", order: "desc" },
      "rows",
    ],
    [{ where: "pe<sector average" }, "averages are not", { where: "pe<sector.pe_median" }, "rows"],
    // Conditions and metrics.
    [{ where: "pe lower 20" }, "such as pe<20", { where: "pe<20" }, "total"],
    [{ where: "5<pe<10" }, "pe>5,pe<10", { where: "pe>5,pe<10" }, "total"],
    [
      { where: "(pe<20 or pb<1),roe>30" },
      "as pe<10,roe>15 or pb<1,roe>15",
      { where: "pe<20,roe>30 or pb<1,roe>30" },
      "total",
    ],
    [
      { where: "pe<pe_5y_medain" },
      "Did you mean pe_5y_median?",
      { where: "pe<pe_5y_median" },
      "pe_5y_median",
    ],
    [
      { where: "pe<industry.pb_median" },
      "such as pe<industry.pe_median",
      { where: "pe<industry.pe_median" },
      "industry.pe_median",
    ],
    [
      { where: "price>50.000" },
      "Write 50.000 as 50000 if its points separate thousands",
      { where: "price>50000" },
      "total",
    ],
    [
      { where: "market_cap>10.000" },
      "Write 10.000 as 10000",
      { where: "market_cap>10000" },
      "total",
    ],
    [
      { where: "pe<market.pe_median" },
      "a median such as industry.pe_median",
      { where: "pe<industry.pe_median" },
      "industry.pe_median",
    ],
    [
      { where: "pe<30", metrics: "industry.pe_median" },
      "such as pe<industry.pe_median",
      { where: "pe<industry.pe_median" },
      "industry.pe_median",
    ],
    [
      { where: { pe: 20 } },
      "such as pe<20,revenue_growth>10",
      { where: "pe<20,revenue_growth>10" },
      "total",
    ],
    [
      { where: "market_cap>¥1兆" },
      "where names an amount in JPY, but the screen compares in USD. Add currency=JPY.",
      { where: "market_cap>¥1兆", currency: "JPY" },
      "NVDA",
    ],
    [{ where: "sector=technology" }, "give sector", { sector: "technology" }, "NVDA"],
    [
      { where: "divident_yield>3" },
      "Did you mean dividend_yield, ",
      { where: "dividend_yield>3" },
      "total",
    ],
    [{ sort: "gainers" }, "change_percent", { sort: "-change_percent" }, "total"],
    [{ sort: "-dividend" }, "Did you mean dividend_yield, ", { sort: "-dividend_yield" }, "total"],
    // Limits and types.
    [{ limit: 1000 }, "from 1 to 100", { limit: 100 }, "total"],
    [{ limit: 0 }, "from 1 to 100", { limit: 1 }, "NVDA"],
    [
      { where: "profit_margin>10" },
      "Did you mean gross_margin, gross_profit, operating_margin, net_margin or",
      { where: "net_margin>10" },
      "AAPL",
    ],
    [{ filters: "pe<20" }, "did you mean where?", { where: "pe<20" }, "total"],
    // The wrong tool for the question.
    [{ query: "Toyota" }, "call list_symbols", { query: "Toyota" }, "Toyota Motor", SYMBOLS],
    [
      { symbols: "AAPL,MSFT" },
      "call compare_stocks",
      { symbols: "AAPL,MSFT" },
      "Microsoft",
      COMPARE,
    ],
  ]),
  ...refused(HISTORY, AAPL, [
    [{ range: "1m", order: "desc" }, "oldest first", { range: "1m" }, "dates"],
    [
      { range: "forever" },
      "1d, 1w, 1m, 3m, 6m, ytd, 1y, 2y, 3y, 5y, 10y, max",
      { range: "5y" },
      "closes",
    ],
    [{ interval: "1m" }, "no intraday bars: use 1d", { interval: "1d" }, "closes"],
    [{ interval: "15min" }, "no intraday bars: use 1d", { interval: "1d" }, "closes"],
    [{ start_date: "2026-11-02" }, "did you mean from?", { from: "2026-11-02" }, "2026-11-02"],
    [{ period: "1m" }, "did you mean range?", { range: "1m" }, "closes"],
    [{ interval: "1h" }, "1d, 1wk, 1mo", { interval: "1d" }, "closes"],
  ]),
  ...refused(STATEMENTS, AAPL, [
    [{ type: "income", order: "asc" }, "newest first", { type: "income" }, "RevenueTTM"],
    [
      { type: "income", figures: "raw" },
      "true or false, or only",
      { type: "income", figures: "only" },
      "periods_total",
    ],
    // Values that have no certain meaning.
    [{ type: "earnings" }, "income, balance, cashflow, ratios", { type: "income" }, "RevenueTTM"],
    [{ type: "cash" }, "Did you mean cashflow?", { type: "cashflow" }, "FCFTTM"],
    [
      { type: ["income", "balance"] },
      "make one call for each value",
      { type: "income" },
      "RevenueTTM",
    ],
    [
      { type: "income", figures: "yes" },
      "true or false, or only",
      { type: "income", figures: true },
      "RevenueTTM",
    ],
    [
      { type: "income", period: "ttm" },
      "Without period and limit the answer has the trailing twelve months",
      { type: "income" },
      "RevenueTTM",
    ],
    [
      { type: "income", period: "Q3 2024" },
      "Use quarterly, with a limit",
      { type: "income", period: "quarterly", limit: 12 },
      "Q3 2024",
    ],
    [{ type: "income", years: 4 }, "did you mean limit?", { type: "income", limit: 4 }, "FY 2025"],
    [
      { type: "income", as_of: "2025-06-01" },
      "did you mean known_on?",
      { type: "income", known_on: "2025-06-01" },
      "as stored now",
    ],
    [
      { type: "income", known_on: "2031-01-01" },
      "must be today",
      { type: "income", known_on: "2026-11-20" },
      "RevenueTTM",
    ],
  ]),
  ...refused(COMPARE, {}, [
    [
      { symbols: "US:AAPL,US:MSFT", order: "desc" },
      "in the order of what was asked",
      { symbols: "US:AAPL,US:MSFT" },
      "rows",
    ],
    // Lists.
    [{ symbols: "AAPL vs MSFT" }, "AAPL,MSFT", { symbols: "AAPL,MSFT" }, "Microsoft"],
    [
      { symbols: [{ country: "US", symbol: "AAPL" }] },
      "US:AAPL",
      { symbols: "US:AAPL" },
      "Apple Inc.",
    ],
    [{ symbols: [] }, "US:AAPL", { symbols: "US:AAPL" }, "Apple Inc."],
    [{ symbols: "VIX" }, "Several countries have it: VN:VIX", { symbols: "US:^VIX" }, "Volatility"],
    [
      { symbols: "BTC" },
      "US:BTC-USD Bitcoin in US dollars, JP:BTC-JPY Bitcoin in yen",
      { symbols: "US:BTC-USD" },
      "Bitcoin",
    ],
  ]),
  ...refused(STATISTICS, {}, [
    [
      { symbols: "US:AAPL", years: "last 5 years" },
      "years must be",
      { symbols: "US:AAPL", range: "5y" },
      "rows",
    ],
  ]),
  ...refused("get_sectors", US, [
    // Tables, pages and raw figures.
    [
      { columns: "pe_medain" },
      "pe_median",
      { columns: "pe_median" },
      '"columns":["slug","pe_median"]',
    ],
    [{ sector: "Tech" }, "Did you mean technology?", { sector: "technology" }, "technology"],
    [
      { sector: "technology,energy" },
      "make one call for each sector",
      { sector: "technology" },
      "pe_median",
    ],
  ]),
  ...refused(CALENDAR, {}, [
    [{ cursor: "2" }, "omit it for the first page", { limit: 1 }, "next_cursor"],
    [{ limit: "1e2" }, "1 to 200", { limit: 100 }, ""],
    [{ country: "US,JP" }, "use countries", { countries: "US,JP" }, "united states"],
  ]),
  ...refused(EARNINGS, {}, [
    [
      { tickers: "AAPL", cursor: "MSFT" },
      "omit it for the first page",
      { tickers: "AAPL" },
      "AAPL",
    ],
    [
      { tickers: "AAPL MSFT" },
      "Separate symbols with commas: AAPL,MSFT.",
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
    [{ companies: "AAPL" }, "did you mean tickers?", { tickers: "AAPL" }, "Apple Inc."],
  ]),
  ...refused(PORTFOLIO, {}, [
    // Holdings of a portfolio.
    [{ holdings: "AAPL,MSFT" }, "How much of AAPL?", { holdings: "AAPL=10,MSFT=40%" }, "US:MSFT"],
    [{ holdings: "AAPL=1,000" }, "without a comma: 1000", { holdings: "AAPL=1000" }, "US:AAPL"],
    [{ holdings: { AAPL: 0.6, MSFT: 0.4 } }, "AAPL=60%", { holdings: "AAPL=60%,MSFT=40%" }, "60"],
    [
      { holdings: "AAPL=80%,MSFT=40%" },
      "USD=-20%",
      { holdings: "AAPL=80%,MSFT=40%,USD=-20%" },
      "80",
    ],
    [{ holdings: "AAPL=10,ZZZYX=5" }, "needs all of its holdings", { holdings: "AAPL=10" }, "AAPL"],
    [{ holdings: "AAPL=-10" }, "such as USD=10000", { holdings: "AAPL=-10,USD=10000" }, "US:AAPL"],
    [
      { holdings: "USD=1000" },
      "a holding that is no cash",
      { holdings: "USD=1000,AAPL=1" },
      "CASH",
    ],
    [
      { holdings: "AAPL=10", benchmark: "ZZZYX" },
      "Indices are US:^GSPC",
      { holdings: "AAPL=10", benchmark: "US:^GSPC" },
      "US:^GSPC",
    ],
  ]),
  ...refused(OVERVIEW, AAPL, [
    // The country.
    [{ country: ["US"] }, "Did you mean US?", {}, "Apple Inc."],
    [{ country: "JP" }, "It exists in US: use that country.", {}, "Apple Inc."],
    [{ symbol: "AAPL.T" }, "Use symbol AAPL in US.", {}, "Apple Inc."],
    // Names, old tickers and mistyped symbols.
    [{ symbol: "APPL" }, "Did you mean AAPL?", {}, "Apple Inc."],
    [{ symbol: ["AAPL"] }, "Did you mean AAPL?", {}, "Apple Inc."],
    [{ symbol: { ticker: "AAPL" } }, "such as AAPL in US", {}, "Apple Inc."],
    [{ symbol: "" }, "such as AAPL in US", {}, "Apple Inc."],
    [{ symbol: null }, "such as AAPL in US", {}, "Apple Inc."],
    [{ exchange: "NASDAQ" }, "leave it out", {}, "Apple Inc."],
  ]),
  ...refused(OVERVIEW, TOYOTA, [
    [{ country: "US" }, "It exists in JP: use that country.", {}, "Toyota Motor"],
    [{ country: "US", symbol: "7203.T" }, "Use country JP.", {}, "Toyota Motor"],
    [{ country: "US", symbol: "Toyota" }, "Did you mean 7203 in country JP?", {}, "Toyota Motor"],
  ]),
  ...refused(OVERVIEW, FPT, [[{ country: "JP", symbol: "VN:FPT" }, "Use country VN.", {}, "FPT"]]),
  ...refused(OVERVIEW, { symbol: "USDJPY" }, [
    [{ country: "US" }, "It exists in JP: use that country.", { country: "JP" }, "USD/JPY"],
  ]),
  ...refused(OVERVIEW, US, [
    // Symbols that ended, and shares of other exchanges.
    [
      { symbol: "TWTR" },
      "TWTR (Twitter, Inc.) was delisted on 2022-10-27. Call list_symbols",
      { query: "TWTR" },
      "TWTR (Twitter, Inc.) was delisted on 2022-10-27",
      SYMBOLS,
    ],
    [
      { symbol: "VOD.L" },
      "VOD.L is listed in London, and only US, JP and VN are covered. Call list_symbols",
      { query: "VOD.L" },
      "next_cursor",
      SYMBOLS,
    ],
    [
      { symbol: "TM" },
      "TM is the depositary receipt of JP:7203, Toyota Motor Corporation. Use country JP and symbol 7203.",
      TOYOTA,
      "Toyota Motor",
    ],
    [
      { symbol: "JPYUSD" },
      "The opposite pair is JPY=X in country JP, USD/JPY.",
      { country: "JP", symbol: "JPY=X" },
      "USD/JPY",
    ],
    // Several symbols for one.
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
    [{ tickr: "AAPL" }, "did you mean symbol?", { symbol: "AAPL" }, "Apple Inc."],
    [
      { tickers: "AAPL,MSFT" },
      "call compare_stocks",
      { symbols: "AAPL,MSFT" },
      "Microsoft",
      COMPARE,
    ],
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
  ...refused(SYMBOLS, {}, [
    [{ limit: 500 }, "1 to 100", { limit: 100 }, "next_cursor"],
    [{ type: "bond" }, "etf", { type: "etf" }, '"etf"'],
    [{ query: ["Toyota", "FPT"] }, "use queries", { queries: ["Toyota", "FPT"] }, '"FPT"'],
    // Arguments of other services.
    [{ q: "toyota" }, "did you mean query?", { query: "toyota" }, "Toyota Motor"],
    [{ ticker: "7203" }, "did you mean query?", { query: "7203" }, "Toyota Motor"],
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
    [{ where: "pe<10" }, "call screen_stocks", { country: "US", where: "pe<10" }, "total", SCREEN],
  ]),
  ...refused(STATISTICS, { symbols: "AAPL" }, [
    // Dates.
    [{ range: "60m" }, "write 60mo for months", { range: "60mo" }, "AAPL"],
    // Every wrong argument is named at once.
    [{ range: "soon", interval: "1s" }, "interval must be", { range: "1y" }, "AAPL"],
    [{ rnge: "1y", interval: "1s" }, "interval must be", { range: "1y" }, "AAPL"],
    [{ from: "05/01/2026" }, "2026-01-05 or 2026-05-01?", { from: "2026-01-05" }, "2026-01-05"],
    [{ from: "2026-02-30" }, "a date that exists", { from: "2026-02-28" }, "AAPL"],
    [{ from: "2030-01-01" }, "end on 2026-11-19", { to: "2026-11-19" }, "AAPL"],
    [
      { from: "2026-06-01", to: "2026-01-05" },
      "from must not be after to",
      { from: "2026-01-05", to: "2026-06-01" },
      "AAPL",
    ],
    [{ years: "25" }, "such as 2022 or 2018-2025", { years: "2025" }, "AAPL"],
    [{ years: "2027" }, "must not be after 2026", { years: "2026" }, "AAPL"],
    [{ years: "2025", range: "1y" }, "Use years, or range", { years: "2025" }, "AAPL"],
  ]),
  ...refused(STATISTICS, { symbols: "AAPL", range: "1y" }, [
    [{ from: "2026-01-05" }, "Use range, or from and to, not both.", {}, "AAPL"],
    [{ currency: "bitcoin" }, "USD, JPY, VND", { currency: "USD" }, "AAPL"],
    [{ columns: "returns" }, "Did you mean return?", { columns: "return" }, "AAPL"],
    [{ months: "13" }, "one or more of 1, 2", { months: "12" }, "AAPL"],
  ]),
  ...refused(CALENDAR, US, [
    [
      { from: "2026-01-01" },
      "from must be 2026-09-21 or later",
      { from: "2026-09-21" },
      "united states",
    ],
  ]),
  ...refused("get_macro_history", US, [
    [
      { series: ["Unemployment rate", "Nonfarm payrolls"] },
      "make one call for each series",
      { series: "Unemployment rate" },
      "monthly",
    ],
    [
      { indicator: "Unemployment rate" },
      "did you mean series?",
      { series: "Unemployment rate" },
      "monthly",
    ],
    [
      { series: "inflaton" },
      "The nearest names: CPI inflation YoY;",
      { series: "CPI inflation YoY" },
      "monthly",
    ],
  ]),
  ...refused("get_valuation_history", AAPL, [
    [{ metric: "peg" }, "pe, pb, ps, ev_ebitda, dividend_yield", { metric: "pe" }, "percentile"],
    [{ interval: "1d" }, "1wk, 1mo", { interval: "1wk" }, "percentile"],
  ]),
  ...refused("get_stock_forecast", AAPL, [
    [
      { sections: "price_targets,estimate" },
      "Did you mean price_target,estimates?",
      { sections: "price_target,estimates" },
      "next_year",
    ],
  ]),
  ...refused(OVERVIEW, BERKSHIRE, [[{ symbol: "BRK" }, "Did you mean BRK.B?", {}, "Berkshire"]]),
  ...refused(COMPARE, { symbols: "AAPL" }, [
    [{ metrics: "xyzzy" }, "Usual ones are price,", { metrics: "net_margin" }, "net_margin"],
  ]),
  ...refused(OVERVIEW, { symbol: "AAPL" }, [
    [{ market: "US" }, "did you mean country?", { country: "US" }, "Apple Inc."],
  ]),
  ...refused("get_stock_technicals", AAPL, [
    [{ indicator: "RSI" }, "leave it out", {}, "RSI (14)"],
  ]),
  ...refused("get_macro_forecast", US, [
    [
      { category: "prices" },
      "did you mean categories?",
      { categories: "prices" },
      "CPI inflation YoY",
    ],
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

/** The payload of an answer. */
const dataOf = ({ text }: { text: string }) =>
  (JSON.parse(text) as { data: Record<string, unknown> }).data;

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
  // Those about the user's own lists are in test/operations/lists.test.ts.
  const all = OPERATIONS.filter(({ own }) => !own).map(({ name }) => name);
  expect([...tools].toSorted()).toEqual(all.toSorted());
});

describe("is understood", () => {
  test.each(titled(UNDERSTOOD))("%s", async (_, [tool, written, means, told]) => {
    const [answer, wanted] = [await call(tool, written), await call(tool, means)];
    expect(wanted.isError).toBe(false);
    const { understood_as, ...payload } = dataOf(answer);
    expect(understood_as).toBe(told);
    expect(payload).toEqual(dataOf(wanted));
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
