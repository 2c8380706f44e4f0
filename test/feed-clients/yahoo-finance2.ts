import { describe, expect, test } from "bun:test";
import { openFeedClient } from "../support/feed-client.ts";

// Not part of the suite: it installs the client from the npm registry.

/** Calls a method of the client with its own validator, all requests redirected to the feed. */
const PROGRAM = `
const { default: YahooFinance } = await import("yahoo-finance2");
const [base, link, method, symbol, options] = process.argv.slice(2);
const yahoo = new YahooFinance({
  fetch: (url, init) => fetch(String(url).replace(/^https:\\/\\/[^/]+/, base + "/" + link + "/yahoo"), init),
  suppressNotices: ["yahooSurvey", "ripHistorical"],
});
try {
  console.log(JSON.stringify({ answer: await yahoo[method](JSON.parse(symbol), JSON.parse(options)) }));
} catch (error) {
  console.log(JSON.stringify({ error: error.name, message: error.message }));
}
`;
const {
  isInstalled,
  service,
  link,
  call: run,
  stored,
  expectRefusals,
} = await openFeedClient({ "yahoo-finance2": "4.0.2" }, PROGRAM);

/** What a method of the client resolves to; `message` if it fails. */
async function call(token: string, method: string, asked: unknown, options: object = {}) {
  type Reply = Readonly<Record<string, ReturnType<typeof JSON.parse>>>;
  const { answer, ...failure } = await run<Reply>(token, method, JSON.stringify(asked), options);
  return answer ?? failure;
}

const chart = (link: string, symbol: string, options: object) =>
  call(link, "chart", symbol, options);

describe.skipIf(!isInstalled)("yahoo-finance2", () => {
  const period1 = "2026-05-01";

  test.each([
    ["AAPL", "US", "AAPL", "USD", "America/New_York"],
    ["7203.T", "JP", "7203", "JPY", "Asia/Tokyo"],
    ["FPT.VN", "VN", "FPT", "VND", "Asia/Ho_Chi_Minh"],
  ] as const)("reads the bars of %s", async (symbol, country, listed, currency, zone) => {
    const { meta, quotes, message } = await chart(link, symbol, { period1 });
    expect(message).toBeUndefined();
    expect(meta).toMatchObject({ symbol, currency, exchangeTimezoneName: zone });
    const { dates, closes } = stored(country, listed, period1);
    const local = (at: string) => new Date(at).toLocaleDateString("sv-SE", { timeZone: zone });
    expect(quotes.map((one: { date: string }) => local(one.date))).toEqual(dates);
    expect(quotes.map((one: { close: number }) => one.close)).toEqual(closes);
    expect(quotes.at(-1).adjclose).toBeCloseTo(closes.at(-1) ?? 0, 2);
  });

  test("reads dividends, splits, an index and a currency pair", async () => {
    const { events } = await chart(link, "AAPL", { period1: "2020-01-01" });
    expect(events.dividends.length).toBeGreaterThan(20);
    // Apple split 4:1 on 31 August 2020.
    expect(events.splits).toContainEqual({
      date: "2020-08-31T13:30:00.000Z",
      numerator: 4,
      denominator: 1,
      splitRatio: "4:1",
    });
    for (const [symbol, type] of [
      ["^N225", "INDEX"],
      ["JPY=X", "CURRENCY"],
    ]) {
      const { meta, quotes } = await chart(link, symbol ?? "", { period1, interval: "1wk" });
      expect(meta.instrumentType).toBe(type);
      expect(quotes.length).toBeGreaterThan(20);
    }
  });

  test("reads quotes of every type of instrument, and leaves out an unknown symbol", async () => {
    const symbols = ["AAPL", "7203.T", "FPT.VN", "SPY", "^GSPC", "JPY=X", "BTC-USD", "GC=F"];
    const quotes = await call(link, "quote", [...symbols, "NONE1"]);
    expect(quotes.message).toBeUndefined();
    expect(quotes.map((one: { symbol: string }) => one.symbol)).toEqual(symbols);
    const toyota = service.market.instruments.find({ country: "JP", symbol: "7203" });
    const { close, volume } = service.market.bars.series(toyota?.id ?? 0, 1);
    expect(quotes[1]).toMatchObject({
      currency: "JPY",
      regularMarketPrice: close[0],
      regularMarketVolume: volume[0],
      regularMarketTime: "2026-11-20T06:30:00.000Z",
      fiftyTwoWeekRange: { low: quotes[1].fiftyTwoWeekLow, high: quotes[1].fiftyTwoWeekHigh },
    });
    expect((await call(link, "quote", "AAPL")).longName).toBe("Apple Inc.");
  });

  test.each(["AAPL", "7203.T", "SPY", "^N225", "JPY=X", "BTC-USD"])(
    "reads all modules of the summary of %s that are here",
    async (symbol) => {
      const summary = await call(link, "quoteSummary", symbol, { modules: "all" });
      expect(summary.message).toBeUndefined();
      expect(Object.keys(summary)).toContain("summaryDetail");
      expect(summary.price.symbol).toBe(symbol);
    },
  );

  test("finds a company by its name", async () => {
    const { quotes, message } = await call(link, "search", "toyota");
    expect(message).toBeUndefined();
    expect(quotes[0]).toMatchObject({ symbol: "7203.T", longname: "Toyota Motor Corporation" });
  });

  test("meets an unknown symbol, a used-up quota and a revoked link as errors with our sentence", async () => {
    expect((await chart(link, "NONE1", { period1 })).message).toContain("Not found");
    expect((await call(link, "quoteSummary", "NONE1")).message).toContain("Not found");
    const read = async (token: string) => (await chart(token, "AAPL", { period1 })).message;
    await expectRefusals("yahoo/v8/finance/chart/AAPL", read, {
      usedUp: expect.stringContaining("Rate limit"),
      revoked: expect.stringContaining("revoked"),
    });
  });
});
