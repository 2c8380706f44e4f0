import { afterAll, describe, expect, test } from "bun:test";
import { endChildren } from "../support/child-process.ts";
import { installTools } from "../support/npm-tools.ts";
import { startService, temporaryFolder } from "../support/service.ts";

// Not part of the suite: it installs the client from the npm registry.

const { folder, remove } = temporaryFolder();
const service = await startService();
const { isInstalled, run, write } = await installTools(folder, { alphavantage: "2.5.0" });

afterAll(async () => {
  await endChildren();
  await service.stop();
  remove();
});

/** The client has a fixed address, so all requests are redirected to the feed. */
const PROGRAM = `
const [base, key, room, method, ...args] = process.argv.slice(2);
const { default: alphavantage } = await import("alphavantage");
const original = globalThis.fetch;
globalThis.fetch = (url, init) => original(String(url).replace("https://www.alphavantage.co", base), init);
const client = alphavantage({ key });
try {
  const data = await client[room][method](...args);
  console.log(JSON.stringify({ data: client.util.polish(data), raw: data }));
} catch (error) {
  console.log(JSON.stringify({ error: String(error.message ?? error) }));
}
`;
await write("client.mjs", PROGRAM);

/** A new user with that plan and a feed link. */
function createLink(plan: "free" | "max" = "max") {
  const { user } = service.createToken(plan);
  return service.accounts.createToken(user, "alphavantage", null, "feed");
}

interface Result {
  /** With the names of the client. */
  readonly data: Record<string, Record<string, Record<string, string>>>;
  readonly raw: Record<string, unknown>;
  readonly error?: string;
}

async function call(
  link: string,
  room: string,
  method: string,
  ...args: string[]
): Promise<Result> {
  const base = `${service.origin}/feed/alphavantage`;
  const { output } = await run(process.execPath, "client.mjs", base, link, room, method, ...args);
  const line = output.split("\n").find((one) => one.startsWith("{"));
  if (line === undefined) throw new Error(output);
  return JSON.parse(line) as Result;
}

describe.skipIf(!isInstalled)("the client of Alpha Vantage", () => {
  const { token: link } = createLink();

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
    const free = createLink("free");
    const url = `${service.origin}/feed/${free.token}/alphavantage/query?function=OVERVIEW&symbol=AAPL`;
    for (let i = 0; i < 30; i++) await fetch(url);
    // The client reads the sentence of a used-up quota.
    expect(await daily(free.token, "AAPL")).toStartWith(
      "An AlphaVantage error occurred. Rate limit exceeded",
    );
    service.accounts.revokeToken(free.id);
    expect(await daily(free.token, "AAPL")).toContain("revoked");
  });
});
