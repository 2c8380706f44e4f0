import { describe, expect, test } from "bun:test";
import { openFeedClient } from "../support/feed-client.ts";

// Not part of the suite: it installs the client from the npm registry.

/** The client has its address in its source, so the requests that it makes are redirected. */
const PROGRAM = `
const { createRequire } = await import("node:module");
const require = createRequire(import.meta.url);
const send = require("cross-fetch");
const [base, key, method, params = "{}"] = process.argv.slice(2);
const redirected = (url, init) => send(String(url).replace("https://api.twelvedata.com", base + "/twelvedata"), init);
require.cache[require.resolve("cross-fetch")].exports = redirected;
const { default: twelvedata } = await import("twelvedata");
const create = twelvedata.default ?? twelvedata;
console.error = () => {};
try {
  console.log(JSON.stringify({ data: await create({ key })[method](JSON.parse(params)) }));
} catch (error) {
  console.log(JSON.stringify({ error: String(error) }));
}
`;
const {
  isInstalled,
  link,
  call: run,
  stored,
  expectRefusals,
} = await openFeedClient({ twelvedata: "3.0.1" }, PROGRAM);

interface Series {
  readonly meta: object;
  readonly values: { readonly datetime: string; readonly close: string }[];
}

/** What a method of the client resolves to, or its error. */
const call = <T>(token: string, method: string, params: object = {}) =>
  run<{ readonly data?: T; readonly error?: string }>(token, method, params);

describe.skipIf(!isInstalled)("the npm client of Twelve Data", () => {
  test.each([
    [{ symbol: "AAPL" }, "US", "AAPL", "USD"],
    [{ symbol: "7203", mic_code: "XTKS" }, "JP", "7203", "JPY"],
    [{ symbol: "FPT", mic_code: "XSTC" }, "VN", "FPT", "VND"],
  ] as const)("reads the prices of %j", async (written, country, symbol, currency) => {
    const period = { start_date: "2026-10-01", end_date: "2026-11-18" };
    const { data } = await call<Series>(link, "timeSeries", {
      ...written,
      ...period,
      interval: "1day",
    });
    const { dates, closes } = stored(country, symbol, period.start_date, "2026-11-19");
    expect(data?.meta).toMatchObject({ symbol, currency });
    expect(data?.values.map(({ datetime }) => datetime)).toEqual(dates.toReversed());
    expect(data?.values.map((one) => Number(one.close))).toEqual(closes.toReversed());
  });

  test("reads a price, a quote, a search and the usage", async () => {
    const { data: price } = await call<{ price: string }>(link, "price", { symbol: "AAPL" });
    const { data: quote } = await call<Record<string, string>>(link, "quote", { symbol: "AAPL" });
    expect(price?.price).toBe(quote?.["close"] ?? "");
    const change = Number(quote?.["close"]) - Number(quote?.["previous_close"]);
    expect(Number(quote?.["change"])).toBeCloseTo(change, 5);
    const { data: found } = await call<{ data: object[] }>(link, "symbolSearch", {
      symbol: "toyota",
    });
    expect(found?.data[0]).toMatchObject({ symbol: "7203", currency: "JPY" });
    const { data: usage } = await call<object>(link, "apiUsage");
    expect(usage).toMatchObject({ plan_daily_limit: 50_000 });
  });

  test("reads several symbols, although one is unknown", async () => {
    const symbol = "AAPL,7203:JPX,NONE1";
    const { data } = await call<Record<string, Record<string, unknown>>>(link, "quote", { symbol });
    expect(Object.keys(data ?? {}).sort()).toEqual(["7203:JPX", "AAPL", "NONE1"]);
    expect(data?.["7203:JPX"]).toMatchObject({ currency: "JPY", mic_code: "XJPX" });
    expect(data?.["NONE1"]).toMatchObject({ code: 404, status: "error" });
  });

  test("meets an unknown symbol, a used-up quota and a revoked link by their status", async () => {
    const failure = async (token: string, symbol: string) =>
      (await call(token, "timeSeries", { symbol, interval: "1day" })).error;
    expect(await failure(link, "NONE1")).toContain("404");
    await expectRefusals("twelvedata/price?symbol=AAPL", (token) => failure(token, "AAPL"), {
      usedUp: expect.stringContaining("429"),
      revoked: expect.stringContaining("401"),
    });
  });
});
