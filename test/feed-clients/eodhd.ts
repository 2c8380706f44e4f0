import { afterAll, describe, expect, test } from "bun:test";
import { endChildren } from "../support/child-process.ts";
import { installTools } from "../support/npm-tools.ts";
import { startService, temporaryFolder } from "../support/service.ts";

// Not part of the suite: it installs the client from the npm registry.

const { folder, remove } = temporaryFolder();
const service = await startService();
const { isInstalled, run, write } = await installTools(folder, { eodhd: "1.1.0" });

afterAll(async () => {
  await endChildren();
  await service.stop();
  remove();
});

const PROGRAM = `
const { EODHDClient } = await import("eodhd");
const [base, apiToken, method, ...args] = process.argv.slice(2);
const client = new EODHDClient({ apiToken, baseUrl: base, maxRetries: 0 });
try {
  const [name, part] = method.split(".").reverse();
  const target = part ? client[part] : client;
  console.log(JSON.stringify(await target[name](...args.map((one) => JSON.parse(one)))));
} catch (error) {
  console.log(JSON.stringify({ status: error.statusCode, message: error.message }));
}
`;
await write("client.mjs", PROGRAM);

/** A new user with that plan and a feed link. */
function createLink(plan: "free" | "max" = "max") {
  const { user } = service.createToken(plan);
  return service.accounts.createToken(user, "eodhd", null, "feed");
}

/** Calls a method of the client. */
async function call<T>(link: string, method: string, ...args: unknown[]): Promise<T> {
  const base = `${service.origin}/feed/eodhd/api/`;
  const texts = args.map((one) => JSON.stringify(one));
  const { output } = await run(process.execPath, "client.mjs", base, link, method, ...texts);
  const line = output.split("\n").find((one) => /^[[{]/.test(one));
  if (line === undefined) throw new Error(output);
  return JSON.parse(line) as T;
}

describe.skipIf(!isInstalled)("the client of EODHD", () => {
  const { token: link } = createLink();

  test.each([
    ["AAPL.US", "US", "AAPL"],
    ["7203.TSE", "JP", "7203"],
    ["FPT.VN", "VN", "FPT"],
  ] as const)("reads the prices of %s", async (written, country, symbol) => {
    const period = { from: "2026-10-01", to: "2026-11-18" };
    const rows = await call<{ date: string; close: number }[]>(link, "eod", written, period);
    const instrument = service.market.instruments.find({ country, symbol });
    if (!instrument) throw new Error(`no ${symbol}`);
    const { dates, close } = service.market.bars.series(instrument.id, 99, {
      from: period.from,
      before: "2026-11-19",
    });
    expect(rows.map(({ date }) => date)).toEqual([...dates]);
    expect(rows.map((row) => row.close)).toEqual([...close]);
  });

  test("reads dividends as paid and adjusted, splits, a quote and a search", async () => {
    const paid = await call<{ date: string; value: number; unadjustedValue: number }[]>(
      link,
      "dividends",
      "AAPL.US",
      { from: "2020-06-01", to: "2020-12-31" },
    );
    // Apple split 4:1 on 31 August 2020.
    const [before, after] = [paid.find(({ date }) => date < "2020-08-31"), paid.at(-1)];
    expect((before?.unadjustedValue ?? 0) / (before?.value ?? 1)).toBeCloseTo(4, 2);
    expect(after?.unadjustedValue).toBe(after?.value ?? 0);
    expect(await call<object[]>(link, "splits", "AAPL.US", { from: "2020-01-01" })).toEqual([
      { date: "2020-08-31", split: "4.000000/1.000000" },
    ]);
    const quote = await call<Record<string, number>>(link, "realTime", "7203.TSE", {});
    expect(quote).toMatchObject({ code: "7203.TSE" });
    const { change = 0, previousClose = 1, change_p: percent } = quote;
    expect(percent).toBeCloseTo((change / previousClose) * 100, 2);
    const [found] = await call<object[]>(link, "search", "toyota", {});
    expect(found).toMatchObject({ Code: "7203", Exchange: "TSE", Currency: "JPY" });
  });

  test("reads the symbols of an exchange, its newest session and the usage", async () => {
    const listed = await call<object[]>(link, "exchanges.symbols", "VN", {});
    expect(listed).toContainEqual(expect.objectContaining({ Code: "FPT", Currency: "VND" }));
    const [bulk] = await call<object[]>(link, "bulkEod", "TSE", { symbols: "7203" });
    expect(bulk).toMatchObject({ code: "7203", exchange_short_name: "TSE", date: "2026-11-20" });
    const exchanges = await call<object[]>(link, "exchanges.list");
    expect(exchanges).toContainEqual(expect.objectContaining({ Code: "TSE", Currency: "JPY" }));
    expect(await call<object>(link, "user")).toMatchObject({ dailyRateLimit: 50_000 });
  });

  test("meets an unknown symbol, a used-up quota and a revoked link by their status", async () => {
    const statusOf = async (token: string, symbol: string) =>
      (await call<{ status: number }>(token, "eod", symbol, {})).status;
    expect(await statusOf(link, "NONE1.US")).toBe(404);
    const free = createLink("free");
    for (let i = 0; i < 30; i++)
      await fetch(`${service.origin}/feed/${free.token}/eodhd/api/splits/AAPL.US`);
    expect(await statusOf(free.token, "AAPL.US")).toBe(429);
    service.accounts.revokeToken(free.id);
    expect(await statusOf(free.token, "AAPL.US")).toBe(401);
  });
});
