import { afterAll, describe, expect, test } from "bun:test";
import { getEarningsCalendar } from "#operations/get-earnings-calendar.ts";
import { AMONG } from "#operations/portfolio/list-references.ts";
import { INDUSTRIES, SECTORS } from "#domain/taxonomy.ts";
import { openHandMade } from "../support/contract-answers.ts";
import { NEWEST_SESSION, STORED_AT } from "../support/contract-market.ts";
import { flatBar, instrument } from "../support/market.ts";
import { expectError } from "../support/error.ts";
import { START } from "../support/service.ts";

const world = openHandMade();
const empty = openHandMade({ filled: false });
afterAll(() => {
  world.close();
  empty.close();
});

describe("get_markets", () => {
  interface Catalog {
    countries: {
      code: string;
      asset_types: string[];
      asset_counts: object;
      upcoming_holidays: { date: string }[];
      upcoming_half_days: { date: string; name: string; closes_at: string }[];
    }[];
    total_symbols: number;
  }

  test("counts the symbols by asset type and lists only types with symbols", async () => {
    const { countries, total_symbols } = await world.answer<Catalog>("get_markets");
    expect(countries).toMatchObject([
      {
        code: "US",
        asset_types: ["index", "stock"],
        asset_counts: { index: 1, stock: 3 },
        total_symbols: 4,
      },
      { code: "JP", asset_types: ["stock"], asset_counts: { stock: 1 }, total_symbols: 1 },
      { code: "VN", asset_types: ["stock"], asset_counts: { stock: 1 }, total_symbols: 1 },
    ]);
    expect(total_symbols).toBe(6);
  });

  test("lists one country on request, and still counts the symbols of all", async () => {
    const all = await world.answer<Catalog>("get_markets");
    const { countries, total_symbols } = await world.answer<Catalog>("get_markets", {
      country: "JP",
    });
    expect(countries).toEqual(all.countries.filter(({ code }) => code === "JP"));
    expect(total_symbols).toBe(6);
  });

  test("lists the three countries of an empty market", async () => {
    const { countries, total_symbols } = await empty.answer<Catalog>("get_markets");
    expect(
      countries.map(({ code, asset_types, asset_counts }) => [code, asset_types, asset_counts]),
    ).toEqual([
      ["US", [], {}],
      ["JP", [], {}],
      ["VN", [], {}],
    ]);
    expect(total_symbols).toBe(0);
  });

  test("drops a holiday when it is over in the country's local time", async () => {
    const first = async () =>
      (await world.answer<Catalog>("get_markets")).countries[0]?.upcoming_holidays[0]?.date;
    // Thanksgiving 2026 is on 26 November; the next holiday is Christmas.
    world.time.now = Date.parse("2026-11-26T15:00:00Z");
    expect(await first()).toBe("2026-11-26");
    world.time.now = Date.parse("2026-11-27T15:00:00Z");
    expect(await first()).toBe("2026-12-25");
    world.time.now = START;
  });

  test("selects holidays by each country's local date", async () => {
    const dates = async () => {
      const { countries } = await world.answer<Catalog>("get_markets");
      return countries.map(({ upcoming_holidays: [first] }) => first?.date);
    };
    // 31 December 2026, 15:30 UTC: already 1 January in Tokyo, 22:30 of the day before in Ho Chi Minh
    // City, 10:30 in New York.
    world.time.now = Date.parse("2026-12-31T14:30:00Z");
    expect(await dates()).toEqual(["2027-01-01", "2026-12-31", "2027-01-01"]);
    world.time.now = Date.parse("2026-12-31T15:30:00Z");
    expect(await dates()).toEqual(["2027-01-01", "2027-01-01", "2027-01-01"]);
    // 2 January, 03:00 UTC: still 1 January in New York; 4 January is Tokyo's first session.
    world.time.now = Date.parse("2027-01-02T03:00:00Z");
    expect(await dates()).toEqual(["2027-01-01", "2027-01-11", "2027-02-04"]);
    world.time.now = START;
  });

  test("lists the sessions that close early", async () => {
    world.time.now = Date.parse("2026-11-26T15:00:00Z");
    const { countries } = await world.answer<Catalog>("get_markets");
    expect(countries.map((one) => one.upcoming_half_days)).toEqual([
      [
        { date: "2026-11-27", name: "Day after Thanksgiving", closes_at: "13:00" },
        { date: "2026-12-24", name: "Christmas Eve", closes_at: "13:00" },
      ],
      [],
      [],
    ]);
    world.time.now = START;
  });

  test("says if each exchange is open, and until when", async () => {
    // Friday, 20 November 2026, 06:15 UTC: 01:15 in New York, 15:15 in Tokyo, 13:15 in Ho Chi Minh City.
    world.time.now = Date.parse("2026-11-20T06:15:00Z");
    const { countries } = await world.answer<{ countries: { exchange: object }[] }>("get_markets");
    expect(countries.map(({ exchange }) => exchange)).toEqual([
      {
        time_zone: "America/New_York",
        hours: ["09:30-16:00"],
        status: "closed",
        status_until: "2026-11-20T14:30:00.000Z",
      },
      {
        time_zone: "Asia/Tokyo",
        hours: ["09:00-11:30", "12:30-15:30"],
        status: "open",
        status_until: "2026-11-20T06:30:00.000Z",
      },
      {
        time_zone: "Asia/Ho_Chi_Minh",
        hours: ["09:00-11:30", "13:00-14:45"],
        status: "open",
        status_until: "2026-11-20T07:45:00.000Z",
      },
    ]);
    world.time.now = START;
  });

  test("follows stored decrees", async () => {
    const { market } = world;
    market.transaction(() =>
      market.put(
        "holidayOverrides",
        [
          { country: "US", date: "2026-12-01", name: "Day of Mourning", closed: true },
          { country: "US", date: "2026-12-25", name: "Christmas Day", closed: false },
        ],
        { source: "test", storedAt: STORED_AT },
      ),
    );
    const { countries } = await world.answer<Catalog>("get_markets");
    const [us] = countries;
    expect(us?.upcoming_holidays).toContainEqual({
      date: "2026-12-01",
      name: "Day of Mourning",
    } as never);
    expect(us?.upcoming_holidays.map(({ date }) => date)).not.toContain("2026-12-25");
  });
});

describe("list_symbols", () => {
  interface Page {
    symbols: { country: string; symbol: string }[];
    total: number;
    next_cursor: string | null;
  }
  const list = (args: object = {}) => world.answer<Page>("list_symbols", { ...args });
  const symbols = async (args: object) => (await list(args)).symbols.map(({ symbol }) => symbol);

  test("returns symbol, name, sector, currency and price", async () => {
    const { symbols: rows, total, next_cursor } = await list({ query: "AAPL" });
    expect([rows, total, next_cursor]).toEqual([
      [
        {
          country: "US",
          symbol: "AAPL",
          code: "AAPL",
          name: "Apple Inc.",
          type: "stock",
          sector: "technology",
          exchange: "NASDAQ",
          currency: "USD",
          price: 110,
          change_percent: 10,
          // 110 × 10,000,000,000 shares.
          market_cap: 1_100_000_000_000,
        },
      ] as never,
      1,
      null,
    ]);
    const [unpriced] = (await list({ query: "BRK-B" })).symbols;
    expect(unpriced).toMatchObject({ sector: null, price: null, change_percent: null });
  });

  test("combines the filters country, type, sector and query", async () => {
    expect(await symbols({ country: "JP" })).toEqual(["7203"]);
    expect(await symbols({ type: "index" })).toEqual(["^GSPC"]);
    expect(await symbols({ sector: "technology" })).toEqual(["AAPL"]);
    expect(
      await symbols({ country: "US", type: "stock", sector: "technology", query: "apple" }),
    ).toEqual(["AAPL"]);
    expect(await symbols({ country: "JP", sector: "technology" })).toEqual([]);
  });

  test("ignores case in symbols and names, and lists the exact symbol first", async () => {
    expect(await symbols({ query: "toyota" })).toEqual(["7203"]);
    expect(await symbols({ query: "fpt" })).toEqual(["FPT"]);
    expect(await symbols({ query: "720" })).toEqual(["7203"]);
    expect(await symbols({ query: "ghost" })).toEqual([]);
    const crowd = openHandMade({ filled: false });
    const rows = ["XFORD", "GM", "FORD", "F", "FORDX"].map((symbol) =>
      instrument("US", symbol, { name: symbol === "F" ? "Ford Motor" : "Other" }),
    );
    crowd.market.transaction(() =>
      crowd.market.instruments.put(rows, { source: "test", storedAt: 0 }),
    );
    const found = await crowd.answer<Page>("list_symbols", { query: "Ford" });
    expect(found.symbols.map(({ symbol }) => symbol)).toEqual(["FORD", "FORDX", "F", "XFORD"]);
    crowd.close();
  });

  test("treats wildcards as plain characters", async () => {
    for (const query of ["%", "_", "\\", "A%L", "' OR 1=1 --"])
      expect(await symbols({ query })).toEqual([]);
    expect(await symbols({ query: "S&P" })).toEqual(["^GSPC"]);
    expect(await symbols({ query: "^" })).toEqual(["^GSPC"]);
  });

  test("returns every symbol exactly once on all pages", async () => {
    const seen: string[] = [];
    let cursor: string | null = null;
    let pages = 0;
    do {
      const page: Page = await list({ limit: 4, ...(cursor && { cursor }) });
      expect(page.total).toBe(6);
      seen.push(...page.symbols.map(({ symbol }) => symbol));
      cursor = page.next_cursor;
      pages++;
    } while (cursor !== null);
    expect(pages).toBe(2);
    expect(seen.sort()).toEqual(["7203", "AAPL", "BRK-B", "FPT", "YOUNG", "^GSPC"]);
  });

  test("has no cursor after a full last page", async () => {
    expect((await list({ limit: 6 })).next_cursor).toBeNull();
    expect((await list({ limit: 3 })).next_cursor).toBeString();
  });

  test("refuses a foreign cursor", async () => {
    for (const cursor of ["x", "after:3", "YWZ0ZXI6", "LTE"]) {
      await expectError(() => world.envelope("list_symbols", { cursor }), "invalid_argument");
    }
  });

  test("has the country in the envelope if the arguments have one", async () => {
    expect((await world.envelope("list_symbols", { country: "JP" })).country).toBe("JP");
    expect(await world.envelope("list_symbols")).not.toHaveProperty("country");
  });
});

test("lists of prices name the newest session of each country", async () => {
  const sessions = async (name: string, args?: object) =>
    (await world.answer(name, { ...args }))["sessions"];
  const all = { US: NEWEST_SESSION, JP: NEWEST_SESSION, VN: NEWEST_SESSION };
  expect(await sessions("get_sector_overview")).toEqual(all);
  expect(await sessions("list_symbols")).toEqual(all);
  expect(await sessions("list_symbols", { country: "JP" })).toEqual({ JP: NEWEST_SESSION });
  // Without prices.
  expect(await sessions("list_symbols", { query: "BRK-B" })).toEqual({});
});

describe("get_earnings_calendar", () => {
  test("separates tickers with a date (soonest first), without a date and unknown, without duplicates", async () => {
    const data = await world.answer<{ earnings: object[] }>("get_earnings_calendar", {
      tickers: "aapl, NOPE,BRK-B,YOUNG ,AAPL,7203",
    });
    expect(data).toEqual({
      earnings: [
        {
          symbol: "BRK-B",
          name: "Berkshire Hathaway Inc.",
          date: "2026-12-01",
          session: "before_market_open",
          fiscal_period: null,
          eps_estimate: null,
          revenue_estimate: null,
          market_cap: null,
        },
        {
          symbol: "AAPL",
          name: "Apple Inc.",
          date: "2027-01-28",
          session: "after_market_close",
          fiscal_period: "Q1 2027",
          eps_estimate: 2.7,
          revenue_estimate: 130e9,
          // 10 billion shares at 110.
          market_cap: 1.1e12,
        },
      ],
      // Its only date, the 19th, is in the past.
      without_date: ["YOUNG"],
      // It exists, but not in the US.
      not_covered: ["JP:7203"],
      unknown: ["NOPE"],
      total: 2,
      // Its report date is stored, no price and no estimates of analysts.
      reasons: {
        not_published: ["fiscal_period", "eps_estimate"],
        not_stored: ["revenue_estimate", "market_cap"],
      },
      source: "test",
    } as never);
  });

  test("has the reports of another country with dates, in its currency", async () => {
    const home = openHandMade();
    const report = {
      country: "JP" as const,
      symbol: "7203",
      date: "2027-02-05",
      session: "not_supplied" as const,
      fiscalPeriod: "Dec 2026",
      epsEstimate: null,
      revenueEstimate: null,
      analysts: null,
    };
    home.market.transaction(() =>
      home.market.put("earningsDates", [report], { source: "jpx", storedAt: STORED_AT }),
    );
    const answer = (args: Record<string, unknown>) =>
      home.answer<{ earnings: Record<string, unknown>[]; not_covered: string[] }>(
        "get_earnings_calendar",
        args,
      );
    for (const tickers of ["AAPL,7203,FPT", "AAPL,7203.T,VN:FPT", "US:AAPL,JP:7203,FPT"]) {
      const { earnings, not_covered } = await answer({ tickers });
      expect(earnings.map(({ symbol, date, currency }) => [symbol, date, currency])).toEqual([
        ["AAPL", "2027-01-28", undefined],
        ["JP:7203", "2027-02-05", "JPY"],
      ]);
      expect(not_covered).toEqual(["VN:FPT"]);
    }
    const inPeriod = await answer({ country: "JP", from: "2027-02-01", to: "2027-02-28" });
    expect(inPeriod.earnings.map(({ symbol }) => symbol)).toEqual(["JP:7203"]);
    expect((await answer({ from: "2027-02-01", to: "2027-02-28" })).earnings).toEqual([]);
    expect((await answer({ country: "JP", tickers: "7203" })).earnings).toHaveLength(1);
    // No source has a date of any company of Viet Nam.
    expect(await answer({ country: "VN", tickers: "FPT" })).toMatchObject({
      without_date: [],
      not_covered: ["VN:FPT"],
    });
    home.close();
  });

  describe("of a period", () => {
    interface Calendar {
      earnings: { symbol: string; date: string; market_cap: number | null }[];
      total: number;
    }
    const calendar = (args: object) => world.answer<Calendar>("get_earnings_calendar", { ...args });
    const symbols = async (args: object) =>
      (await calendar(args)).earnings.map(({ symbol }) => symbol);

    test("lists all companies from `from` to `to`, both included", async () => {
      expect(await symbols({ from: "2026-11-20" })).toEqual(["BRK-B", "AAPL"]);
      expect(await symbols({ from: "2026-12-01", to: "2026-12-01" })).toEqual(["BRK-B"]);
      expect(await symbols({ to: "2027-01-28" })).toEqual(["BRK-B", "AAPL"]);
      expect(await calendar({ from: "2026-12-02", to: "2026-12-31" })).toEqual({
        earnings: [],
        without_date: [],
        not_covered: [],
        unknown: [],
        total: 0,
        reasons: { no_match: ["earnings"] },
        source: "test",
      } as never);
    });

    test("lists past reports with the surprise, then the next ones", async () => {
      expect(await symbols({ from: "2026-07-31" })).toEqual(["AAPL", "BRK-B", "BRK-B", "AAPL"]);
      expect(await symbols({ from: "2026-07-30", to: "2026-10-28" })).toEqual(["AAPL"]);
      const { earnings, total } = await calendar({ from: "2026-10-29", to: "2026-11-20" });
      expect(total).toBe(2);
      expect(earnings[0]).toEqual({
        symbol: "AAPL",
        name: "Apple Inc.",
        date: "2026-10-29",
        session: "not_supplied",
        fiscal_period: "Sep 2026",
        eps_estimate: 1.2,
        revenue_estimate: null,
        market_cap: expect.any(Number),
        eps_actual: 1.5,
        // 0.3 / 1.2
        surprise_percent: 25,
      } as never);
      expect(earnings[1]).toMatchObject({ eps_actual: 1.5, surprise_percent: null });
      const [next] = (await calendar({ from: "2026-11-20" })).earnings;
      expect(next).not.toHaveProperty("eps_actual");
    });

    test("counts before the limit, and lists the largest company of a day first", async () => {
      const { market } = world;
      const report = {
        country: "US" as const,
        date: "2027-01-28",
        session: "not_supplied" as const,
      };
      const nothing = {
        fiscalPeriod: null,
        epsEstimate: null,
        revenueEstimate: null,
        analysts: null,
      };
      market.transaction(() =>
        market.put("earningsDates", [{ ...report, ...nothing, symbol: "YOUNG" }], {
          source: "test",
          storedAt: 0,
        }),
      );
      // YOUNG, whose number of shares is unknown, has the smaller name, but no market cap.
      expect(await symbols({ from: "2027-01-01" })).toEqual(["AAPL", "YOUNG"]);
      expect(await calendar({ from: "2027-01-01", limit: 1 })).toMatchObject({
        earnings: [{ symbol: "AAPL" }],
        total: 2,
      });
    });

    test("lists a company once, by its primary listing; tickers find the other line", async () => {
      const home = openHandMade();
      const line = instrument("US", "AAPL-B", { primaryListing: false });
      const report = {
        country: "US" as const,
        symbol: "AAPL-B",
        date: "2027-01-28",
        session: "after_market_close" as const,
        fiscalPeriod: null,
        epsEstimate: null,
        revenueEstimate: null,
        analysts: null,
      };
      home.market.transaction(() => {
        const provenance = { source: "test", storedAt: STORED_AT };
        home.market.instruments.put([line], provenance);
        home.market.documents.put("earningsDates", [report], provenance);
      });
      const list = async (args: Record<string, unknown>) => {
        const { earnings, total } = await home.answer<Calendar>("get_earnings_calendar", args);
        return { symbols: earnings.map(({ symbol }) => symbol), total };
      };
      expect(await list({ from: "2027-01-28" })).toEqual({ symbols: ["AAPL"], total: 1 });
      expect(await list({ tickers: "AAPL-B" })).toEqual({ symbols: ["AAPL-B"], total: 1 });
      home.close();
    });

    test.each([
      [{ tickers: "AAPL", from: "2026-12-01" }, "Use tickers, or from and to, not both."],
      [
        { from: "2026-12-02", to: "2026-12-01" },
        "from must not be after to: 2026-12-02 is after 2026-12-01.",
      ],
    ])("refuses %j", async (args, message) => {
      expect((await expectError(() => calendar(args), "invalid_argument")).message).toBe(message);
    });

    test("is a missing argument without tickers and dates", async () => {
      const { message, details } = await expectError(
        () => calendar({ limit: 3 }),
        "missing_argument",
      );
      expect(details.param).toBe("tickers");
      expect(message).toBe(
        "tickers must be 1 to 50 US tickers, comma-separated, such as AAPL,MSFT, or from and to must be dates; all are missing.",
      );
    });
  });

  test("a list with dates asks for the reports of its companies beyond the calendar, as tickers do", () => {
    const symbolsOf = (args: object) =>
      (getEarningsCalendar.needs?.(args) ?? []).flatMap((need) =>
        need.kind === "earningsDates" ? (need.symbol ?? []) : [],
      );
    expect(symbolsOf({ tickers: "AAPL,NVDA" })).toEqual(["AAPL", "NVDA"]);
    const among = ["US:AAPL", "JP:7203", "US:NVDA"];
    expect(symbolsOf({ from: "2026-11-20", [AMONG]: among })).toEqual(["AAPL", "NVDA"]);
    expect(symbolsOf({ from: "2026-11-20" })).toEqual([]);
  });

  test("fills gaps of the earnings calendar from quotes and analysts", async () => {
    const home = openHandMade({ filled: false });
    const told = { country: "US", symbol: "NVDA" } as const;
    home.market.transaction(() => {
      const provenance = { source: "test", storedAt: STORED_AT };
      home.market.instruments.put(
        [instrument("US", "NVDA", { sharesOutstanding: null })],
        provenance,
      );
      home.market.documents.put(
        "earningsDates",
        [
          {
            ...told,
            date: "2026-12-02",
            session: "after_market_close",
            fiscalPeriod: "Oct 2026",
            epsEstimate: 2.24,
            revenueEstimate: null,
            analysts: 11,
          },
        ],
        provenance,
      );
      home.market.documents.put(
        "quotes",
        [
          {
            ...told,
            date: "2026-11-19",
            price: 200,
            previousClose: 199,
            volume: 1e8,
            marketCap: 4.8e12,
            epsTtm: 5,
            priceToBook: 40,
            dividendYieldPercent: 0.02,
          },
        ],
        provenance,
      );
      const none = { low: null, average: null, high: null, analysts: 0 };
      const estimate = { eps: none, epsYearAgo: null };
      home.market.documents.put(
        "analystCoverage",
        [
          {
            ...told,
            ratings: [],
            priceTarget: null,
            actions: [],
            estimates: [
              {
                ...estimate,
                period: "current_quarter",
                periodEnd: "2026-10-31",
                revenue: { ...none, average: 54e9, analysts: 40 },
              },
            ],
          },
        ],
        provenance,
      );
    });
    const { earnings } = await home.answer<{ earnings: object[] }>("get_earnings_calendar", {
      tickers: "NVDA",
    });
    expect(earnings).toMatchObject([
      { session: "after_market_close", revenue_estimate: 54e9, market_cap: 4.8e12 },
    ]);
    home.close();
  });

  test("is not found if all tickers are unknown", async () => {
    const error = await expectError(
      () => world.envelope("get_earnings_calendar", { tickers: "APPL" }),
      "not_found",
    );
    expect(error.details.hint).toContain("AAPL");
  });
});

describe("get_sectors", () => {
  test("has null medians and is not reliable with few companies", async () => {
    const data = await world.answer<{
      sectors: Record<string, { overview: object; stats: Record<string, unknown> }>;
    }>("get_sectors", { country: "US" });
    // Cap 1,100 B over net income 4 × 40 B of the one index member, which YOUNG and BRK-B are not.
    expect(data).toMatchObject({
      country_pe: 6.88,
      country_valuation_status: "insufficient_history",
    });
    expect(Object.keys(data.sectors)).toEqual(["technology"]);
    const technology = data.sectors["technology"];
    expect(technology?.overview).toMatchObject({
      "Mkt cap": "1.10 T USD",
      Stocks: "1",
      "Chg %": "+10.00%",
    });
    const { sample_size, reliable, updated_at, ...medians } = technology?.stats ?? {};
    expect(new Set(Object.values(medians))).toEqual(new Set([null]));
    expect(sample_size).toBeLessThanOrEqual(1);
    expect([reliable, updated_at]).toEqual([false, new Date(STORED_AT).toISOString()]);
  });

  test("has the industries of a sector, which the call must name", async () => {
    const { sectors } = await world.answer<{ sectors: Record<string, { overview: object }> }>(
      "get_sectors",
      { country: "US", sector: "technology", level: "industry" },
    );
    expect(Object.keys(sectors)).toEqual(["consumer-electronics"]);
    expect(sectors["consumer-electronics"]).toMatchObject({
      name: "Consumer Electronics",
      slug: "consumer-electronics",
      overview: { Sector: "Technology", "Mkt cap": "1.10 T USD", Stocks: "1", "Chg %": "+10.00%" },
    });
    const empty = await world.answer("get_sectors", {
      country: "US",
      sector: "energy",
      level: "industry",
    });
    expect(empty["sectors"]).toEqual({});
    const error = await expectError(
      () => world.answer("get_sectors", { country: "US", level: "industry" }),
      "missing_argument",
    );
    expect(error.message).toContain("sector");
  });
});

describe("get_sector_overview", () => {
  interface Rows {
    rows: { slug: string; stocks: number; market_cap: number | null; change_1d: number | null }[];
    currency: string;
    coverage: string;
  }

  test("has a row for each of 11 sectors and 145 industries, also without companies", async () => {
    const sectors = await world.answer<Rows>("get_sector_overview");
    expect(sectors.rows.map(({ slug }) => slug)).toEqual([...SECTORS.keys()]);
    expect(sectors.rows).toHaveLength(11);
    const industries = await world.answer<Rows>("get_sector_overview", { level: "industry" });
    expect(industries.rows.map(({ slug }) => slug)).toEqual([...INDUSTRIES.keys()]);
    expect(industries.rows).toHaveLength(145);
    for (const { rows, currency, coverage } of [sectors, industries]) {
      expect(currency).toBe("USD");
      expect(coverage).toBe(
        "Stored companies listed in the US, Japan and Viet Nam, with foreign companies listed in the US.",
      );
      const known = rows.filter(({ stocks }) => stocks > 0);
      expect(known).toMatchObject([{ stocks: 1, market_cap: 1.1e12, change_1d: 10 }]);
      for (const row of rows.filter(({ stocks }) => stocks === 0)) {
        expect([row.market_cap, row.change_1d]).toEqual([null, null]);
      }
    }
  });

  test("converts companies of all countries to US dollars at the newest close of the pair", async () => {
    const { market } = world;
    const provenance = { source: "test", storedAt: STORED_AT };
    const pair = { assetType: "currency" as const, currency: "JPY" };
    market.transaction(() => {
      market.instruments.put(
        [
          instrument("US", "JPY=X", pair),
          instrument("JP", "6758", {
            sector: "technology",
            industry: "consumer-electronics",
            sharesOutstanding: 1e9,
          }),
          // No pair is known for the dong, so this company is not in the totals.
          instrument("VN", "CMG", {
            sector: "technology",
            industry: "consumer-electronics",
            sharesOutstanding: 1e9,
          }),
        ],
        provenance,
      );
      const bar = (close: number) => flatBar("2026-11-19", close);
      market.put(
        "bars",
        [
          { country: "US", symbol: "JPY=X", bars: [bar(150)] },
          { country: "JP", symbol: "6758", bars: [bar(3_000)] },
          { country: "VN", symbol: "CMG", bars: [bar(40_000)] },
        ],
        provenance,
      );
    });
    const { rows } = await world.answer<Rows>("get_sector_overview");
    const technology = rows.find(({ slug }) => slug === "technology");
    // 1,100 B of Apple, and 1 B shares × 3,000 yen / 150 yen a dollar.
    expect(technology).toMatchObject({ stocks: 2, market_cap: 1.1e12 + 20e9 });
  });
});
