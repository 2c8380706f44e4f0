import { afterAll, describe, expect, test } from "bun:test";
import type { Country } from "#domain/country.ts";
import type { Instrument } from "#domain/instrument.ts";
import { listReferenceInstruments } from "#domain/reference-instruments.ts";
import { NEWEST_SESSION, STORED_AT } from "../support/contract-market.ts";
import { flatBar, instrument } from "../support/market.ts";
import { expectError } from "../support/error.ts";
import { openHandMade } from "../support/contract-answers.ts";

interface Row {
  country: string;
  symbol: string;
  name: string;
  change_percent: number | null;
  market_cap: number | null;
}
interface Answer {
  symbols: Row[];
  total: number;
  next_cursor: string | null;
  suggestions?: string[];
  matches?: { query: string; symbols: string[]; suggestions?: string[] }[];
}

/** A company with that many millions of shares. */
const company = (
  country: Country,
  symbol: string,
  name: string,
  millions: number,
  aliases?: string,
): Instrument =>
  instrument(country, symbol, {
    name,
    sharesOutstanding: millions * 1e6,
    ...(aliases !== undefined && { aliases }),
  });

const home = openHandMade({ filled: false });
const { market } = home;
const stored = { source: "test", storedAt: STORED_AT };
const reference = listReferenceInstruments().map((one) => ({ ...one, summary: null }));
const companies = [
  company("JP", "3116", "Toyota Boshoku Corporation", 200),
  company("JP", "7203", "Toyota Motor Corporation", 13_000, "トヨタ自動車"),
  company("JP", "8015", "Toyota Tsusho Corporation", 1_000),
  company("JP", "2670", "ABC-Mart, Inc.", 250),
  company("US", "BRK.B", "Berkshire Hathaway Inc. Class B", 2_200),
  company("US", "META", "Meta Platforms, Inc.", 2_500, "Facebook"),
  company("US", "COR", "Cencora, Inc.", 190),
  company("US", "TMO", "Thermo Fisher Scientific Inc.", 380),
  company("US", "AAPL", "Apple Inc.", 15_000),
  company("US", "APLE", "Apple Hospitality REIT", 230),
  company("VN", "FPT", "FPT Corporation", 1_700),
  company("VN", "HPG", "Công ty Cổ phần Tập đoàn Hòa Phát", 7_600, "Hoa Phat Group"),
];
// Each of these costs 100 units of its currency. A close of 80 before is +25 %, one of 125 is -20 %.
const closesBefore = { AAPL: 100, APLE: 100, "7203": 80, "8015": 125, "3116": 100, FPT: 100 };
market.transaction(() => {
  market.instruments.put([...reference, ...companies], stored);
  for (const { country, symbol } of companies) {
    const before = closesBefore[symbol as keyof typeof closesBefore];
    if (before === undefined) continue;
    const bars = [flatBar("2026-11-18", before), flatBar(NEWEST_SESSION, 100)];
    market.bars.replace({ country, symbol, bars }, stored);
  }
  // It was not traded on the newest day.
  market.bars.replace({ country: "JP", symbol: "2670", bars: [flatBar("2026-11-10", 1)] }, stored);
  for (const [country, symbol, rate] of [
    ["JP", "JPY=X", 150],
    ["VN", "VND=X", 25_000],
  ] as const) {
    market.bars.replace({ country, symbol, bars: [flatBar(NEWEST_SESSION, rate)] }, stored);
  }
});
afterAll(() => home.close());

const ask = (args: object) => home.answer<Answer>("list_symbols", { ...args });
const keys = ({ symbols }: Answer) => symbols.map(({ country, symbol }) => `${country}:${symbol}`);

test("a price that is older than the newest session has its own date", async () => {
  const { symbols, sessions } = (await ask({ queries: "7203,2670", country: "JP" })) as Answer & {
    sessions: object;
  };
  expect(sessions).toEqual({ JP: NEWEST_SESSION });
  expect(symbols.map((row) => [row.symbol, (row as { session?: string }).session])).toEqual([
    ["7203", undefined],
    ["2670", "2026-11-10"],
  ]);
});

describe("a query", () => {
  test.each([
    ["7203.T", ["JP:7203"]],
    ["TSE:7203", ["JP:7203"]],
    ["BRK-B", ["US:BRK.B"]],
    ["brk/b", ["US:BRK.B"]],
    // The symbols of the other pairs contain JPY=X.
    ["USDJPY", ["JP:JPY=X", "JP:EURJPY=X", "JP:GBPJPY=X", "JP:AUDJPY=X"]],
    ["EUR/USD", ["US:EURUSD=X"]],
    ["$AAPL", ["US:AAPL"]],
    ["FPT.VN", ["VN:FPT"]],
    ["motor toyota", ["JP:7203"]],
    ["とよた自動車", ["JP:7203"]],
    ["ｺﾞｰﾙﾄﾞ", ["US:GC=F"]],
    // Without marks, they begin Vanguard and Bank.
    ["vàng", ["US:GC=F"]],
    ["Bạc", ["US:SI=F"]],
    ["トヨタ自動車", ["JP:7203"]],
    ["hoa phat", ["VN:HPG"]],
    ["Hòa Phát", ["VN:HPG"]],
    ["Phát Hoà", ["VN:HPG"]],
    ["Apple Corporation", ["US:AAPL", "US:APLE"]],
    ["S&P 500", ["US:^GSPC"]],
    ["Nikkei", ["JP:^N225"]],
    ["FB", ["US:META"]],
    // Symbols of other companies begin with TM.
    ["TM", ["JP:7203"]],
    ["giá vàng", ["US:GC=F"]],
    ["金", ["US:GC=F"]],
    ["原油価格", ["US:CL=F"]],
    ["恐怖指数", ["US:^VIX"]],
    ["tỷ giá USD", ["VN:VND=X"]],
    // A query that contains an alias finds it, and a name with other words for a group or a legal form.
    ["トヨタ自動車の決算", ["JP:7203"]],
    ["トヨタ自動車株式会社", ["JP:7203"]],
    ["Tập đoàn Hòa Phát", ["VN:HPG"]],
    ["tap doan hoa phat", ["VN:HPG"]],
    ["facebook shares", ["US:META"]],
    ["72030", ["JP:7203"]],
    ["jp toyota motor", ["JP:7203"]],
    ["Toyota Motor Japan", ["JP:7203"]],
    ["hoa phat viet nam", ["VN:HPG"]],
    ["Việt Nam HPG", ["VN:HPG"]],
    ["usa AAPL", ["US:AAPL"]],
    ["United States of America AAPL", ["US:AAPL"]],
    ["トヨタ自動車 日本", ["JP:7203"]],
    ["AAPL.O", ["US:AAPL"]],
  ])("%j finds %j", async (query, found) => {
    const answer = await ask({ query });
    expect([keys(answer), answer.total]).toEqual([found, found.length]);
    expect(answer).not.toHaveProperty("suggestions");
  });

  test("lists the largest of equally good matches first", async () => {
    // In dollars: 13,000 M, 1,000 M and 200 M shares × 100 yen / 150.
    expect(keys(await ask({ query: "toyota" }))).toEqual(["JP:7203", "JP:8015", "JP:3116"]);
    expect(keys(await ask({ query: "apple" }))).toEqual(["US:AAPL", "US:APLE"]);
  });

  test("that is a former symbol and part of other names finds those names", async () => {
    expect(keys(await ask({ query: "ABC" }))).toEqual(["JP:2670"]);
  });

  test.each([
    [{ query: "Toyta Motors" }, ["JP:7203 Toyota Motor Corporation"]],
    [{ query: "AAPK" }, ["US:AAPL Apple Inc."]],
    [{ query: "7203.T", country: "US" }, ["JP:7203 Toyota Motor Corporation"]],
    [{ query: "hoa phat", country: "JP" }, ["VN:HPG Công ty Cổ phần Tập đoàn Hòa Phát"]],
    [{ query: "apple", type: "etf" }, ["US:AAPL Apple Inc.", "US:APLE Apple Hospitality REIT"]],
    [{ query: "FB", country: "JP" }, ["US:META Meta Platforms, Inc."]],
    [{ query: "Zzyzx Holdings" }, []],
    [
      { query: "電気機器" },
      ["電気機器 is a class of companies: call screen_stocks with sector=電気機器"],
    ],
    [{ query: "半導体" }, ["半導体 is an industry: call screen_stocks with industry=半導体"]],
    [
      { query: "東証グロース" },
      [
        "東証グロース is an exchange or a market segment: call list_symbols with exchange=TSE Growth",
      ],
    ],
    [
      { query: "マザーズ" },
      [
        "マザーズ is a market segment that ended in April 2022: call list_symbols with exchange=TSE Growth",
      ],
    ],
    [
      { query: "グロース250" },
      ["グロース250 is an index that no source gives; ^N225 and ^TOPX are here"],
    ],
    [
      { query: "JPX日経400" },
      ["JPX日経400 is an index that no source gives; ^N225 and ^TOPX are here"],
    ],
    [{ query: "為替" }, ["為替 is an asset type: call list_symbols with type=currency"]],
    [
      { query: "値上がり" },
      ["値上がり is a question about movers: call screen_stocks with sort=both:change_percent"],
    ],
    [
      { query: "khối ngoại" },
      [
        "KHỐI NGOẠI is a figure of companies: call screen_stocks with metrics=foreign_net_value,foreign_room",
      ],
    ],
    [
      { query: "lạm phát" },
      ["lạm phát is a figure of an economy: call get_macro_history with series=lạm phát"],
    ],
    [
      { query: "失業率" },
      ["失業率 is a figure of an economy: call get_macro_history with series=失業率"],
    ],
    [
      { query: "cổ tức" },
      [
        "cổ tức is a figure of companies: call screen_stocks with sort=-dividend_per_share, or compare_stocks with metrics=dividend_per_share",
      ],
    ],
    [
      { query: "高配当" },
      [
        "高配当 is a question about figures: call screen_stocks with a limit in where, such as dividend_yield>=4",
      ],
    ],
  ])("%j without a match suggests %j", async (args, suggestions) => {
    expect(await ask(args)).toMatchObject({
      symbols: [],
      total: 0,
      next_cursor: null,
      suggestions,
    });
  });
});

describe("several queries", () => {
  test("have their best matches, each row once", async () => {
    const answer = await ask({ queries: "Toyota,7203.T,FB,Toyta Motors,AAPL" });
    expect(answer.matches).toEqual([
      { query: "Toyota", symbols: ["JP:7203", "JP:8015", "JP:3116"] },
      { query: "7203.T", symbols: ["JP:7203"] },
      { query: "FB", symbols: ["US:META"] },
      { query: "Toyta Motors", symbols: [], suggestions: ["JP:7203 Toyota Motor Corporation"] },
      { query: "AAPL", symbols: ["US:AAPL"] },
    ]);
    expect(keys(answer)).toEqual(["JP:7203", "JP:8015", "JP:3116", "US:META", "US:AAPL"]);
    expect([answer.total, answer.next_cursor]).toEqual([5, null]);
  });

  test("share the limit, and each has at least one", async () => {
    const matches = async (args: object) => (await ask(args)).matches?.map((one) => one.symbols);
    expect(await matches({ queries: "toyota,apple", limit: 4 })).toEqual([
      ["JP:7203", "JP:8015"],
      ["US:AAPL", "US:APLE"],
    ]);
    expect(await matches({ queries: "toyota,apple", limit: 1 })).toEqual([
      ["JP:7203"],
      ["US:AAPL"],
    ]);
    expect(await matches({ queries: "corporation", limit: 100 })).toEqual([
      ["JP:7203", "JP:8015", "JP:3116", "VN:FPT"],
    ]);
  });

  test("can be a JSON list, with legal forms behind commas, and are filtered", async () => {
    for (const queries of [["Apple, Inc.", "ABC-Mart, Inc."], "Apple, Inc.,ABC-Mart, Inc."]) {
      const { matches } = await ask({ queries });
      expect(matches?.map(({ query }) => query)).toEqual(["Apple", "ABC-Mart"]);
    }
    expect(keys(await ask({ queries: ["Toyota", "Apple"], country: "US" }))).toEqual([
      "US:AAPL",
      "US:APLE",
    ]);
  });

  test("are not left out because they begin with letters of a legal form", async () => {
    for (const [queries, expected] of [
      [
        ["Co-Diagnostics", "Incyte"],
        ["Co-Diagnostics", "Incyte"],
      ],
      [
        ["Apple", "Inc. Class A", "Inc Research"],
        ["Apple", "Inc Research"],
      ],
      ["CO", ["CO"]],
    ] as const) {
      const { matches } = await ask({ queries });
      expect(matches?.map(({ query }) => query)).toEqual([...expected]);
    }
  });

  test("are refused beside query, and beyond 20", async () => {
    const many = Array.from({ length: 21 }, (_, i) => `q${i}`);
    for (const args of [{ query: "a", queries: "b" }, { queries: many }, { queries: "a,,b" }]) {
      const error = await expectError(() => ask(args), "invalid_argument");
      expect(error.details.param).toBe("queries");
    }
  });
});

describe("sort", () => {
  const sorted = async (args: object) =>
    keys(await ask({ type: "stock", limit: 6, ...args })).map((key) => key.slice(3));

  test("by market cap in dollars, of unknown size last", async () => {
    // 1,500,000 M; 23,000 M; 1,300,000 M / 150; 100,000 M / 150; 20,000 M / 150; 170,000 M / 25,000.
    const bySize = ["AAPL", "APLE", "7203", "8015", "3116", "FPT"];
    expect(await sorted({ sort: "-market_cap" })).toEqual(bySize);
    expect(await sorted({ sort: "-market_cap", country: "JP", limit: 3 })).toEqual([
      "7203",
      "8015",
      "3116",
    ]);
  });

  test("by change in both directions", async () => {
    expect((await sorted({ sort: "-change_percent" })).at(0)).toBe("7203");
    expect((await sorted({ sort: "change_percent" })).at(0)).toBe("8015");
  });

  test("by name", async () => {
    expect(await sorted({ sort: "Name" })).toEqual(["2670", "APLE", "AAPL", "BRK.B", "COR", "HPG"]);
  });

  test.each(["name", "-market_cap", "change_percent"])(
    "by %s: the pages have every symbol once",
    async (sort) => {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Answer = await ask({
          sort,
          limit: 4,
          type: "stock",
          ...(cursor && { cursor }),
        });
        expect(page.total).toBe(12);
        seen.push(...keys(page));
        cursor = page.next_cursor;
      } while (cursor !== null);
      expect([seen.length, new Set(seen).size]).toEqual([12, 12]);
    },
  );

  test("refuses the cursor of another order", async () => {
    const { next_cursor: cursor } = await ask({ limit: 2 });
    await expectError(() => ask({ limit: 2, sort: "name", cursor }), "invalid_argument");
  });
});
