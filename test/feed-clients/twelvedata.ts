import { afterAll, describe, expect, test } from "bun:test";
import { endChildren } from "../support/child-process.ts";
import { installTools } from "../support/npm-tools.ts";
import { startService, temporaryFolder } from "../support/service.ts";

// Not part of the suite: it installs the client from the npm registry.

const { folder, remove } = temporaryFolder();
const service = await startService();
const { isInstalled, run, write } = await installTools(folder, { twelvedata: "3.0.1" });

afterAll(async () => {
  await endChildren();
  await service.stop();
  remove();
});

/** The client has its address in its source, so the requests that it makes are redirected. */
const PROGRAM = `
const { createRequire } = await import("node:module");
const require = createRequire(import.meta.url);
const send = require("cross-fetch");
const [base, key, method, params] = process.argv.slice(2);
const redirected = (url, init) => send(String(url).replace("https://api.twelvedata.com", base), init);
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
await write("client.mjs", PROGRAM);

/** A new user with that plan and a feed link. */
function createLink(plan: "free" | "max" = "max") {
  const { user } = service.createToken(plan);
  return service.accounts.createToken(user, "twelvedata", null, "feed");
}

interface Series {
  readonly meta: object;
  readonly values: { readonly datetime: string; readonly close: string }[];
}

/** What a method of the client resolves to, or its error. */
async function call<T>(link: string, method: string, params: object = {}) {
  const base = `${service.origin}/feed/twelvedata`;
  const text = JSON.stringify(params);
  const { output } = await run(process.execPath, "client.mjs", base, link, method, text);
  const line = output.split("\n").find((one) => one.startsWith("{"));
  if (line === undefined) throw new Error(output);
  return JSON.parse(line) as { readonly data?: T; readonly error?: string };
}

describe.skipIf(!isInstalled)("the npm client of Twelve Data", () => {
  const { token: link } = createLink();

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
    const instrument = service.market.instruments.find({ country, symbol });
    if (!instrument) throw new Error(`no ${symbol}`);
    const { dates, close } = service.market.bars.series(instrument.id, 99, {
      from: period.start_date,
      before: "2026-11-19",
    });
    expect(data?.meta).toMatchObject({ symbol, currency });
    expect(data?.values.map(({ datetime }) => datetime)).toEqual(dates.toReversed());
    expect(data?.values.map((one) => Number(one.close))).toEqual([...close].toReversed());
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
    const free = createLink("free");
    const url = `${service.origin}/feed/${free.token}/twelvedata/price?symbol=AAPL`;
    for (let i = 0; i < 30; i++) await fetch(url);
    expect(await failure(free.token, "AAPL")).toContain("429");
    service.accounts.revokeToken(free.id);
    expect(await failure(free.token, "AAPL")).toContain("401");
  });
});
