import { describe, expect, test } from "bun:test";
import { depositaryRatio } from "#analytics/depositary-ratio.ts";
import type { Country } from "#domain/country.ts";
import { yahooQuote } from "#sources/yahoo/quotes.ts";
import {
  yahooScreenerInstruments,
  yahooScreenerQuotes,
  yahooSectors,
} from "#sources/yahoo/screener.ts";
import { faultOf, liveQuery, transformed } from "../support/fetcher.ts";
import { answersFrom } from "../support/answers.ts";
import { ask, inJapan, instrument } from "./yahoo-support.ts";
import { quote as playedQuote } from "../support/refresher.ts";
import { hasRecordings, recordedJson } from "../support/recordings.ts";

const AAPL = instrument();
const session = {
  "fc.yahoo.com": { status: 404, body: "", headers: { "Set-Cookie": "A1=d=abc; Path=/" } },
  "/getcrumb": "aB1.xyZ",
};

/*
 * Answers of Yahoo in public repositories: ASML of 2025-07-25 (archie-ju-personal/stock-analyst-llm) and BABA of April
 * 2024 (KennethChilds/yphinance), with the net income TTM of the same answer and the day's rate. In dollars a common
 * share earned 9,415.2 / 393.2 * 1.172 = 28.06 and 99,987 / 20,456 / 7.24 = 0.675. The quoted 28.31 and 5.35 are these
 * times 1 and 8, the shares of a receipt. In euros or yuan they would be 1.18 and 1.09, no simple ratios. Price / book
 * divides dollars by euros (711.25 / 45.478) and by yuan (69.8233 / 404.236).
 */
test.each([
  ["ASML", "EUR", 711.25, 28.31, 15.63943, 9_415.2 / 393.2, 1.172, 1],
  ["BABA", "CNY", 69.8233, 5.35, 0.17272906, 99_987 / 20_456, 1 / 7.24, 8],
] as const)(
  "%s reports in %s: its quoted earnings are of one receipt in dollars",
  (symbol, financialCurrency, price, quotedEps, priceToBook, reportedEps, rate, ratio) => {
    const row = {
      symbol,
      currency: "USD",
      financialCurrency,
      priceToBook,
      regularMarketPrice: price,
      epsTrailingTwelveMonths: quotedEps,
      regularMarketTime: 1_753_473_601,
      exchangeTimezoneName: "America/New_York",
    };
    const query = ask(instrument({ symbol }), "2025-07-26T11:00Z");
    const answer = { quoteResponse: { result: [row] } };
    const [quote] = transformed("quotes", yahooQuote, answer, query);
    expect(quote).toMatchObject({ epsTtm: quotedEps, priceToBook: null });
    const unknown = { shares: null, dilutedShares: null, tradedShares: null };
    const ratioOf = (quoted: number) =>
      depositaryRatio({ ...unknown, eps: reportedEps * rate, quotedEps: quoted }, true);
    expect([ratioOf(quotedEps), ratioOf(quotedEps * rate)]).toEqual([ratio, null]);
    expect(price / quotedEps).toBeCloseTo(symbol === "ASML" ? 25.1236 : 13.0511, 3);
  },
);

describe.skipIf(!hasRecordings)("recorded quotes (../shared/data/yahoo)", () => {
  const quotesOf = (name: string, about: ReturnType<typeof instrument>) =>
    transformed(
      "quotes",
      yahooQuote,
      recordedJson(`yahoo/${name}`),
      ask(about, "2025-02-17T11:00Z"),
    );

  test("AAPL's quote of Friday 2025-02-14, read on the next Monday", () => {
    expect(quotesOf("quote-AAPL.json", AAPL)).toEqual([
      {
        country: "US",
        symbol: "AAPL",
        date: "2025-02-14",
        price: 244.6,
        previousClose: 241.53,
        volume: 40_896_227,
        marketCap: 3_674_405_863_424,
        epsTtm: 6.31,
        priceToBook: 55.114914,
        dividendYieldPercent: 0.409887,
      },
    ]);
  });

  test("of a company that reports in another currency, earnings are in that of the price: CSN in reais, SID in dollars", () => {
    const raw = recordedJson("yahoo/screener-aggressive_small_caps.json");
    const [row] = raw.finance.result[0].quotes.filter(
      ({ symbol }: { symbol: string }) => symbol === "SID",
    );
    // The loss of 0.18 dollars is that of one share, about one real (loss of 1.4 billion, 1.33 billion shares).
    // Yahoo's price/book is 1.50 USD / 10.119 BRL, and its yield 82.8 %.
    expect([row.currency, row.financialCurrency, row.priceToBook]).toEqual([
      "USD",
      "BRL",
      0.14823599,
    ]);
    const [quote] = transformed(
      "quotes",
      yahooQuote,
      { quoteResponse: { result: [row] } },
      ask(instrument({ symbol: "SID" }), "2025-02-25T11:00Z"),
    );
    expect(quote).toMatchObject({
      price: 1.5,
      epsTtm: -0.18,
      priceToBook: null,
      dividendYieldPercent: null,
    });
    expect(quote?.marketCap).toBe(row.marketCap);
  });

  test("a currency and a commodity have no earnings, and a currency has no volume", () => {
    const euro = instrument({ symbol: "EURUSD=X", assetType: "currency", exchange: "FX" });
    const gold = instrument({ symbol: "GC=F", assetType: "commodity", exchange: "COMEX" });
    const row = (name: string) => recordedJson(`yahoo/${name}`).quoteResponse.result[0];
    const [ofEuro] = quotesOf("quote-EURUSD=X.json", euro);
    expect(ofEuro).toMatchObject({
      symbol: "EURUSD=X",
      price: row("quote-EURUSD=X.json").regularMarketPrice,
      volume: null,
      marketCap: null,
      epsTtm: null,
      dividendYieldPercent: null,
    });
    const [ofGold] = quotesOf("quote-GC=F.json", gold);
    expect(ofGold).toMatchObject({
      price: row("quote-GC=F.json").regularMarketPrice,
      priceToBook: null,
    });
  });

  test("7203.T is found among other symbols; a quote without a time is refused", async () => {
    const raw = recordedJson("yahoo/quote_v7_AAPL_7203.T_BTC-USD_2026-10.json");
    const query = ask(inJapan("7203"), "2026-10-05T08:00Z");
    expect(await faultOf(() => transformed("quotes", yahooQuote, raw, query))).toBe(
      "invalid_answer",
    );
    // This recording lacks the time. The chart that was recorded on the same day has it.
    const chart = recordedJson("yahoo/chart_7203.T_intraday_lunch_nulls.json");
    raw.quoteResponse.result[1].regularMarketTime = chart.chart.result[0].meta.regularMarketTime;
    expect(transformed("quotes", yahooQuote, raw, query)).toEqual([
      playedQuote("7203", 2893.5, {
        country: "JP",
        date: "2026-10-05",
        previousClose: 2856.5,
        volume: 23_901_000,
      }),
    ]);
  });
});

/** An invented row in Yahoo's form. */
const row = (symbol: string, change: Record<string, unknown> = {}) => ({
  symbol,
  quoteType: "EQUITY",
  shortName: `${symbol} short`,
  longName: `${symbol} Corporation`,
  currency: "USD",
  exchangeTimezoneName: "America/New_York",
  regularMarketTime: Date.parse("2026-11-20T21:00Z") / 1000,
  regularMarketPrice: 10,
  regularMarketPreviousClose: 9.5,
  regularMarketVolume: 100,
  marketCap: 1000,
  sharesOutstanding: 100,
  epsTrailingTwelveMonths: -0.5,
  priceToBook: 2,
  trailingAnnualDividendYield: 0,
  ...change,
});

describe("quotes", () => {
  const quoteOf = (change: Record<string, unknown>, about = AAPL) =>
    transformed(
      "quotes",
      yahooQuote,
      { quoteResponse: { result: [row(about.symbol, change)], error: null } },
      ask(about, "2026-11-20T22:00Z"),
    )[0];

  test("a loss and a yield of 0 are figures; infinite, missing and impossible zeros are null", () => {
    expect(
      quoteOf({ priceToBook: "Infinity", marketCap: 0, regularMarketPreviousClose: 0 }),
    ).toMatchObject({
      epsTtm: -0.5,
      dividendYieldPercent: 0,
      priceToBook: null,
      marketCap: null,
      previousClose: null,
    });
    expect(quoteOf({ trailingAnnualDividendYield: undefined })?.dividendYieldPercent).toBeNull();
  });

  test("prices in US cents become dollars", () => {
    const coffee = instrument({ symbol: "KC=F", assetType: "commodity", exchange: "ICE" });
    expect(quoteOf({ currency: "USX", regularMarketPrice: 380.85 }, coffee)?.price).toBe(3.8085);
  });

  test("after a refused crumb, a new session is opened once; a second refusal is a failure", async () => {
    const error = { code: "Unauthorized", description: "No access" };
    const body = JSON.stringify({ finance: { result: null, error } });
    const client = answersFrom({ ...session, "/v7/": { status: 401, body } });
    const fault = await faultOf(() => yahooQuote.fetch(ask(AAPL, "2026-11-20T22:00Z"), client));
    expect(fault).toBe("unreachable");
    expect(client.requests.filter(({ url }) => url.includes("/v7/"))).toHaveLength(2);
  });

  test("a missing row, a missing price, another currency and figures in words have different faults", async () => {
    const none = { quoteResponse: { result: [], error: null } };
    const query = ask(AAPL, "2026-11-20T22:00Z");
    expect(await faultOf(() => yahooQuote.transform(none, query))).toBe("nothing");
    expect(await faultOf(() => quoteOf({ regularMarketPrice: null }))).toBe("nothing");
    expect(await faultOf(() => quoteOf({ regularMarketTime: null }))).toBe("invalid_answer");
    expect(await faultOf(() => quoteOf({ currency: "EUR" }))).toBe("invalid_answer");
    expect(await faultOf(() => quoteOf({ marketCap: "3.7T" }))).toBe("invalid_answer");
  });
});

const page = (total: number, ...quotes: unknown[]) =>
  JSON.stringify({
    finance: { result: [{ start: 0, count: quotes.length, total, quotes }], error: null },
  });
const ofCountry = (country: Country) => liveQuery({ today: "2026-11-20T22:00Z", country });

/** A page of one sector, as requested. */
const inSector = (pages: readonly unknown[], sector = "technology") =>
  pages.map((one) => ({ sector, page: one }));

describe("the screener", () => {
  test.skipIf(!hasRecordings)("has recorded rows in the form of quotes", async () => {
    const raw = recordedJson("yahoo/screener-aggressive_small_caps.json");
    const quotes = transformed("quotes", yahooScreenerQuotes, inSector([raw]), ofCountry("US"));
    expect(quotes).toHaveLength(5);
    expect(quotes.find(({ symbol }) => symbol === "ATUS")).toEqual({
      country: "US",
      symbol: "ATUS",
      date: "2025-02-24",
      price: 2.81,
      previousClose: 2.76,
      volume: 2_727_010,
      marketCap: 1_301_606_016,
      epsTtm: -0.22,
      priceToBook: -2.7739387,
      dividendYieldPercent: 0,
    });
  });

  const bodiesOf = (client: ReturnType<typeof answersFrom>) =>
    client.requests
      .filter(({ url }) => url.includes("/screener"))
      .map(({ body }) => JSON.parse(body ?? ""));

  test("is requested sector by sector, in pages of 250, until all are read", async () => {
    const client = answersFrom({ ...session, "/screener": page(501, row("AAA")) });
    await yahooScreenerQuotes.fetch(ofCountry("JP"), client);
    const bodies = bodiesOf(client);
    expect(bodies.map(({ offset }) => offset)).toEqual(
      Array.from({ length: 11 }, () => [0, 250, 500]).flat(),
    );
    // The 11 sectors as Yahoo names them.
    const sectors = bodies.map(({ query }) => String(query.operands[1].operands[1]));
    expect([...new Set(sectors)].sort()).toEqual([
      "Basic Materials",
      "Communication Services",
      "Consumer Cyclical",
      "Consumer Defensive",
      "Energy",
      "Financial Services",
      "Healthcare",
      "Industrials",
      "Real Estate",
      "Technology",
      "Utilities",
    ]);
    expect(client.requests.find(({ url }) => url.includes("/screener"))).toMatchObject({
      url: "https://query1.finance.yahoo.com/v1/finance/screener?formatted=false&crumb=aB1.xyZ",
      method: "POST",
      headers: { "Content-Type": "application/json", Cookie: "A1=d=abc" },
      maxAgeMs: 600_000,
    });
    expect(bodies[0].query.operands[0]).toEqual({ operator: "EQ", operands: ["region", "jp"] });
  });

  test("needs the same requests for quotes, listings and sectors", async () => {
    const client = answersFrom({ ...session, "/screener": page(1, row("AAA.T")) });
    for (const fetcher of [yahooScreenerQuotes, yahooScreenerInstruments, yahooSectors])
      await fetcher.fetch(ofCountry("JP"), client);
    const bodies = bodiesOf(client).map((body) => JSON.stringify(body));
    expect([bodies.length, new Set(bodies).size]).toEqual([33, 11]);
  });

  test("an empty page ends a sector, and a sector has at most 40 pages", async () => {
    const empty = answersFrom({ ...session, "/screener": page(9_999_999) });
    await yahooScreenerQuotes.fetch(ofCountry("VN"), empty);
    expect(bodiesOf(empty)).toHaveLength(11);
    const endless = answersFrom({ ...session, "/screener": page(9_999_999, row("AAA")) });
    await yahooScreenerQuotes.fetch(ofCountry("US"), endless);
    expect(bodiesOf(endless)).toHaveLength(11 * 40);
  });

  test("has the sector of each stock, which replaces a coarser one", () => {
    const yen = { currency: "JPY", exchangeTimezoneName: "Asia/Tokyo" };
    const raw = [
      ...inSector([JSON.parse(page(1, row("7203.T", yen)))], "consumer-cyclical"),
      ...inSector([JSON.parse(page(1, row("6758.T", yen)))], "technology"),
    ];
    expect(transformed("classifications", yahooSectors, raw, ofCountry("JP"))).toEqual([
      {
        country: "JP",
        symbol: "7203",
        sector: "consumer-cyclical",
        replaces: true,
        indexMember: null,
      },
      { country: "JP", symbol: "6758", sector: "technology", replaces: true, indexMember: null },
    ]);
  });

  test("stocks have our symbols; other exchanges, kinds and currencies are left out", () => {
    const yen = { currency: "JPY", exchangeTimezoneName: "Asia/Tokyo" };
    const raw = [
      page(
        6,
        row("130A.T", yen),
        row("8951.T", { ...yen, longName: "Nippon Building Fund Investment Corporation" }),
        row("1301.F", yen),
        row("1302.T", { ...yen, quoteType: "ETF" }),
        row("1303.T", { ...yen, currency: "USD" }),
      ),
      page(6, row("130A.T", yen)),
    ].map((text) => JSON.parse(text));
    const records = transformed(
      "instruments",
      yahooScreenerInstruments,
      inSector(raw, "real-estate"),
      ofCountry("JP"),
    );
    expect(records.map(({ symbol, assetType }) => [symbol, assetType])).toEqual([
      ["130A", "stock"],
      ["8951", "reit"],
    ]);
    expect(records[0]).toMatchObject({
      name: "130A.T Corporation",
      exchange: "TSE",
      currency: "JPY",
      sharesOutstanding: 100,
      sector: "real-estate",
      industry: null,
    });
  });

  test("a class of shares has a dot in our symbols, a preferred share keeps its hyphen", () => {
    const raw = [JSON.parse(page(2, row("BRK-B"), row("BAC-PL")))];
    expect(
      transformed("quotes", yahooScreenerQuotes, inSector(raw), ofCountry("US")).map(
        ({ symbol }) => symbol,
      ),
    ).toEqual(["BRK.B", "BAC-PL"]);
  });

  test("an answer without stocks of the country is `nothing`; a changed page refuses the whole list", async () => {
    const faultFor = (...pages: string[]) =>
      faultOf(() =>
        transformed(
          "quotes",
          yahooScreenerQuotes,
          inSector(pages.map((text) => JSON.parse(text))),
          ofCountry("US"),
        ),
      );
    expect(await faultFor(page(0))).toBe("nothing");
    expect(await faultFor(page(2, row("AAA")), page(2, { symbol: 5 }))).toBe("invalid_answer");
  });
});
