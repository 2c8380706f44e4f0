import { afterAll, describe, expect, test } from "bun:test";
import { endChildren } from "../support/child-process.ts";
import { installTools } from "../support/npm-tools.ts";
import { startService, temporaryFolder } from "../support/service.ts";

// Not part of the suite: it installs the client from the npm registry.

const { folder, remove } = temporaryFolder();
const service = await startService();
const { isInstalled, run, write } = await installTools(folder, { "yahoo-finance2": "4.0.2" });

afterAll(async () => {
  await endChildren();
  await service.stop();
  remove();
});

/** Calls the client's chart with its own validator, all requests redirected to the feed. */
const PROGRAM = `
const { default: YahooFinance } = await import("yahoo-finance2");
const [base, symbol, options] = process.argv.slice(2);
const yahoo = new YahooFinance({
  fetch: (url, init) => fetch(String(url).replace(/^https:\\/\\/[^/]+/, base), init),
  suppressNotices: ["yahooSurvey", "ripHistorical"],
});
try {
  const { meta, quotes, events } = await yahoo.chart(symbol, JSON.parse(options));
  console.log(JSON.stringify({ meta, quotes, events }));
} catch (error) {
  console.log(JSON.stringify({ error: error.name, message: error.message }));
}
`;
await write("chart.mjs", PROGRAM);

/** A new user with that plan and a feed link. */
function createLink(plan: "free" | "max" = "max") {
  const { user } = service.createToken(plan);
  return service.accounts.createToken(user, "yahoo", null, "feed");
}

async function chart(link: string, symbol: string, options: object) {
  const base = `${service.origin}/feed/${link}/yahoo`;
  const { output } = await run(
    process.execPath,
    "chart.mjs",
    base,
    symbol,
    JSON.stringify(options),
  );
  return JSON.parse(output.split("\n").find((line) => line.startsWith("{")) ?? "null");
}

describe.skipIf(!isInstalled)("yahoo-finance2", () => {
  const link = createLink().token;
  const period1 = "2026-05-01";

  test.each([
    ["AAPL", "US", "AAPL", "USD", "America/New_York"],
    ["7203.T", "JP", "7203", "JPY", "Asia/Tokyo"],
    ["FPT.VN", "VN", "FPT", "VND", "Asia/Ho_Chi_Minh"],
  ] as const)("reads the bars of %s", async (symbol, country, listed, currency, zone) => {
    const { meta, quotes, message } = await chart(link, symbol, { period1 });
    expect(message).toBeUndefined();
    expect(meta).toMatchObject({ symbol, currency, exchangeTimezoneName: zone });
    const instrument = service.market.instruments.find({ country, symbol: listed });
    if (!instrument) throw new Error(`no ${listed}`);
    const { dates, close } = service.market.bars.series(instrument.id, 9_999, { from: period1 });
    const local = (at: string) => new Date(at).toLocaleDateString("sv-SE", { timeZone: zone });
    expect(quotes.map((one: { date: string }) => local(one.date))).toEqual(dates);
    expect(quotes.map((one: { close: number }) => one.close)).toEqual([...close]);
    expect(quotes.at(-1).adjclose).toBeCloseTo(close.at(-1) ?? 0, 2);
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

  test("meets an unknown symbol, a used-up quota and a revoked link as errors with our sentence", async () => {
    expect((await chart(link, "NONE1", { period1 })).message).toContain("Not found");
    const free = createLink("free");
    const url = `${service.origin}/feed/${free.token}/yahoo/v8/finance/chart/AAPL`;
    for (let i = 0; i < 30; i++) await fetch(url);
    expect((await chart(free.token, "AAPL", { period1 })).message).toContain("Rate limit");
    service.accounts.revokeToken(free.id);
    expect((await chart(free.token, "AAPL", { period1 })).message).toContain("revoked");
  });
});
