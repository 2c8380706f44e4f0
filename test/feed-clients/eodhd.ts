import { describe, expect, test } from "bun:test";
import { openFeedClient } from "../support/feed-client.ts";

// Not part of the suite: it installs the client from the npm registry.

const PROGRAM = `
const { EODHDClient } = await import("eodhd");
const [base, apiToken, method, ...args] = process.argv.slice(2);
const client = new EODHDClient({ apiToken, baseUrl: base + "/eodhd/api/", maxRetries: 0 });
try {
  const [name, part] = method.split(".").reverse();
  const target = part ? client[part] : client;
  console.log(JSON.stringify(await target[name](...args.map((one) => (/^[{[]/.test(one) ? JSON.parse(one) : one)))));
} catch (error) {
  console.log(JSON.stringify({ status: error.statusCode, message: error.message }));
}
`;
const { isInstalled, link, call, stored, expectRefusals } = await openFeedClient(
  { eodhd: "1.1.0" },
  PROGRAM,
);

describe.skipIf(!isInstalled)("the client of EODHD", () => {
  test.each([
    ["AAPL.US", "US", "AAPL"],
    ["7203.TSE", "JP", "7203"],
    ["FPT.VN", "VN", "FPT"],
  ] as const)("reads the prices of %s", async (written, country, symbol) => {
    const period = { from: "2026-10-01", to: "2026-11-18" };
    const rows = await call<{ date: string; close: number }[]>(link, "eod", written, period);
    const { dates, closes } = stored(country, symbol, period.from, "2026-11-19");
    expect(rows.map(({ date }) => date)).toEqual(dates);
    expect(rows.map((row) => row.close)).toEqual(closes);
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
    const read = (token: string) => statusOf(token, "AAPL.US");
    await expectRefusals("eodhd/api/splits/AAPL.US", read, { usedUp: 429, revoked: 401 });
  });
});
