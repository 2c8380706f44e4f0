import { describe, expect, test } from "bun:test";
import { openFeedClient } from "../support/feed-client.ts";

// Not part of the suite: it installs the client from the npm registry.

/** The client has a fixed address, so all requests are redirected to the feed. */
const PROGRAM = `
const [base, key, room, method, ...args] = process.argv.slice(2);
const { default: alphavantage } = await import("alphavantage");
const original = globalThis.fetch;
globalThis.fetch = (url, init) => original(String(url).replace("https://www.alphavantage.co", base + "/alphavantage"), init);
const client = alphavantage({ key });
try {
  const data = await client[room][method](...args);
  console.log(JSON.stringify({ data: client.util.polish(data), raw: data }));
} catch (error) {
  console.log(JSON.stringify({ error: String(error.message ?? error) }));
}
`;
const {
  isInstalled,
  service,
  link,
  call: run,
  expectRefusals,
} = await openFeedClient({ alphavantage: "2.5.0" }, PROGRAM);

interface Result {
  /** With the names of the client. */
  readonly data: Record<string, Record<string, Record<string, string>>>;
  readonly raw: Record<string, unknown>;
  readonly error?: string;
}

const call = (token: string, room: string, method: string, ...args: string[]) =>
  run<Result>(token, room, method, ...args);

describe.skipIf(!isInstalled)("the client of Alpha Vantage", () => {
  test.each([
    ["AAPL", "US", "AAPL"],
    ["7203.T", "JP", "7203"],
    ["FPT.VN", "VN", "FPT"],
  ] as const)("reads the prices and statements of %s", async (written, country, symbol) => {
    const { raw } = await call(link, "data", "daily", written);
    const series = raw["Time Series (Daily)"] as Record<string, Record<string, string>>;
    const instrument = service.market.instruments.find({ country, symbol });
    if (!instrument) throw new Error(`no ${symbol}`);
    // Without a split in the last 100 sessions, prices as traded are the stored ones.
    const { close } = service.market.bars.closes(instrument.id, 100);
    const closes = Object.values(series).map((row) => Number(row["4. close"]));
    expect(closes.toReversed()).toEqual([...close]);
    const income = await call(link, "fundamental", "income_statement", written);
    expect(income.raw).toMatchObject({ symbol: written });
  });

  test("reads dividends and splits, a quote, a search, a company and a rate", async () => {
    const { raw } = await call(link, "data", "daily_adjusted", "AAPL", "full");
    const series = raw["Time Series (Daily)"] as Record<string, Record<string, string>>;
    // Apple split 4:1 on 31 August 2020: 0.13 in today's shares was 0.52.
    expect(series["2020-06-16"]?.["7. dividend amount"]).toBe("0.5200");
    expect(series["2020-08-31"]?.["8. split coefficient"]).toBe("4.0000");
    const quote = await call(link, "data", "quote", "7203.T");
    expect(quote.data["data"]).toMatchObject({ symbol: "7203.T" });
    expect(Number(quote.data["data"]?.["price"])).toBeGreaterThan(0);
    const search = await call(link, "data", "search", "toyota");
    expect(search.raw["bestMatches"]).toContainEqual(
      expect.objectContaining({ "1. symbol": "7203.T" }),
    );
    expect((await call(link, "fundamental", "company_overview", "AAPL")).raw).toMatchObject({
      Name: "Apple Inc.",
    });
    const rate = await call(link, "forex", "rate", "USD", "JPY");
    expect(rate.data["rate"]).toMatchObject({ from_currency: "USD", to_currency: "JPY" });
  });

  test("meets an unknown symbol, a used-up quota and a revoked link as errors", async () => {
    const daily = async (token: string, symbol: string) =>
      (await call(token, "data", "daily", symbol)).error;
    expect(await daily(link, "NONE1")).toContain("Error Message");
    const read = (token: string) => daily(token, "AAPL");
    await expectRefusals("alphavantage/query?function=OVERVIEW&symbol=AAPL", read, {
      // The client reads the sentence of a used-up quota.
      usedUp: expect.stringMatching(/^An AlphaVantage error occurred\. Rate limit exceeded/),
      revoked: expect.stringContaining("revoked"),
    });
  });
});
