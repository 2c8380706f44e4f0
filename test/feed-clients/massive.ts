import { afterAll, describe, expect, test } from "bun:test";
import { endChildren } from "../support/child-process.ts";
import { installTools } from "../support/npm-tools.ts";
import { startService, temporaryFolder } from "../support/service.ts";

// Not part of the suite: it installs the client from the npm registry.

const { folder, remove } = temporaryFolder();
const service = await startService();
const { isInstalled, run, write } = await installTools(folder, {
  "@massive.com/client-js": "10.8.0",
});

afterAll(async () => {
  await endChildren();
  await service.stop();
  remove();
});

const PROGRAM = `
const { restClient } = await import("@massive.com/client-js");
const [base, key, method, args] = process.argv.slice(2);
const client = restClient(key, base);
try {
  console.log(JSON.stringify(await client[method](JSON.parse(args))));
} catch (error) {
  console.log(JSON.stringify({ httpStatus: error.response?.status, ...error.response?.data }));
}
`;
await write("client.mjs", PROGRAM);

/** A new user with that plan and a feed link. */
function createLink(plan: "free" | "max" = "max") {
  const { user } = service.createToken(plan);
  return service.accounts.createToken(user, "massive", null, "feed");
}

/** Calls a method of the client, which sends its key as a bearer token or in the query. */
async function call<T>(link: string, method: string, args: object): Promise<T> {
  const base = `${service.origin}/feed/massive`;
  const { output } = await run(
    process.execPath,
    "client.mjs",
    base,
    link,
    method,
    JSON.stringify(args),
  );
  const line = output.split("\n").find((one) => /^[{[]/.test(one));
  if (line === undefined) throw new Error(output);
  return JSON.parse(line) as T;
}

interface Bars {
  readonly ticker: string;
  readonly results: readonly { readonly t: number; readonly c: number }[];
}

describe.skipIf(!isInstalled)("the client of Massive", () => {
  const { token: link } = createLink();

  test.each([
    ["AAPL", "US", "AAPL", "America/New_York"],
    ["7203.T", "JP", "7203", "Asia/Tokyo"],
    ["FPT.VN", "VN", "FPT", "Asia/Ho_Chi_Minh"],
  ] as const)("reads the bars of %s", async (ticker, country, symbol, timeZone) => {
    const bars = await call<Bars>(link, "getStocksAggregates", {
      stocksTicker: ticker,
      multiplier: 1,
      timespan: "day",
      from: "2026-10-01",
      to: "2026-11-18",
      adjusted: true,
      sort: "asc",
      limit: 120,
    });
    const instrument = service.market.instruments.find({ country, symbol });
    if (!instrument) throw new Error(`no ${symbol}`);
    const period = { from: "2026-10-01", before: "2026-11-19" };
    const { dates, close } = service.market.bars.series(instrument.id, 99, period);
    const local = (t: number) => new Date(t).toLocaleDateString("sv-SE", { timeZone });
    expect(bars.results.map(({ t }) => local(t))).toEqual([...dates]);
    expect(bars.results.map(({ c }) => c)).toEqual([...close]);
  });

  test("reads dividends, splits, a search, a company and the newest session", async () => {
    const list = async (method: string, args: object) =>
      (await call<{ results: object[] }>(link, method, args)).results;
    const paid = { ticker: "AAPL", exDividendDateGte: "2020-06-01", limit: 1, order: "asc" };
    // Apple split 4:1 on 31 August 2020: 0.13 in today's shares was 0.52.
    expect(await list("listDividends", paid)).toMatchObject([
      { ex_dividend_date: "2020-06-16", cash_amount: 0.52 },
    ]);
    expect(await list("listStockSplits", { ticker: "AAPL" })).toMatchObject([
      { execution_date: "2020-08-31", split_from: 1, split_to: 4 },
    ]);
    expect(await list("listTickers", { search: "toyota" })).toContainEqual(
      expect.objectContaining({ ticker: "7203.T", market: "stocks" }),
    );
    const { results } = await call<{ results: object }>(link, "getTicker", { ticker: "AAPL" });
    expect(results).toMatchObject({ name: "Apple Inc.", market: "stocks" });
    // Thanksgiving, and the early close after it.
    const holidays = await call<object[]>(link, "getMarketHolidays", {});
    expect(holidays).toContainEqual(
      expect.objectContaining({ date: "2026-11-27", status: "early-close" }),
    );
    expect(await call<object>(link, "getMarketStatus", {})).toMatchObject({ market: "open" });
    const previous = { stocksTicker: "FPT.VN" };
    expect(await list("getPreviousStocksAggregates", previous)).toMatchObject([{ T: "FPT.VN" }]);
  });

  test("meets an unknown symbol, a used-up quota and a revoked link as Massive's", async () => {
    const get = (token: string, ticker: string) => call<object>(token, "getTicker", { ticker });
    expect(await get(link, "NONE1")).toMatchObject({ httpStatus: 404, status: "NOT_FOUND" });
    const free = createLink("free");
    for (let i = 0; i < 30; i++)
      await fetch(`${service.origin}/feed/${free.token}/massive/v3/reference/splits?ticker=AAPL`);
    expect(await get(free.token, "AAPL")).toMatchObject({
      httpStatus: 429,
      status: "ERROR",
      error: expect.stringContaining("Rate limit exceeded"),
    });
    service.accounts.revokeToken(free.id);
    expect(await get(free.token, "AAPL")).toMatchObject({ httpStatus: 401, status: "ERROR" });
  });
});
