import { afterAll, expect, test } from "bun:test";
import { startService } from "../support/service.ts";

const service = await startService();
const { token } = service.createToken("max");
afterAll(() => service.stop());

type Data = Record<string, unknown> & { next_cursor?: string };

async function ask(name: string, args: object): Promise<Data> {
  const { result } = await service.callTool(token, name, args);
  if (result?.isError !== undefined) throw new Error(result.content[0]?.text);
  return result?.structuredContent?.["data"] as Data;
}

/** The rows of all pages under that key. */
async function readPages(name: string, args: object, key: string): Promise<unknown[]> {
  const rows: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page: Data = await ask(name, { ...args, ...(cursor !== undefined && { cursor }) });
    rows.push(...(page[key] as unknown[]));
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return rows;
}

test.each([
  ["get_macro_calendar", { countries: "US,JP" }, "events"],
  ["get_earnings_calendar", { from: "2027-01-11", to: "2027-01-29" }, "earnings"],
  ["get_earnings_calendar", { tickers: "AAPL,MSFT,NVDA,JPM,XOM" }, "earnings"],
  ["get_earnings_calendar", { from: "2027-01-11", to: "2027-01-29", table: true }, "rows"],
])("the pages of %s %j are the whole list", async (name, args, key) => {
  const whole = (await ask(name, { ...args, limit: 200 }))[key] as unknown[];
  expect(whole.length).toBeGreaterThan(2);
  const limit = Math.ceil(whole.length / 3);
  expect(await readPages(name, { ...args, limit }, key)).toEqual(whole);
});

test("a cursor of another list is refused with what to do", async () => {
  for (const name of ["get_macro_calendar", "get_earnings_calendar"]) {
    const { result } = await service.callTool(token, name, {
      from: "2026-12-01",
      to: "2027-02-20",
      cursor: "bm90aGluZw",
    });
    expect(result?.content[0]?.text).toContain("omit it for the first page");
  }
});

test("a table of sectors has the numbers that the long answer has", async () => {
  const sectors = (await ask("get_sectors", { country: "US" }))["sectors"] as Record<
    string,
    { overview: Record<string, string>; stats: Record<string, number | null> }
  >;
  const columns = "stocks,pe_median,roe_median,sample_size";
  const table = await ask("get_sectors", { country: "US", columns });
  expect(table["sectors"]).toEqual({});
  expect(table["columns"]).toEqual(["slug", ...columns.split(",")]);
  expect(table["rows"]).toEqual(
    Object.entries(sectors).map(([slug, { overview, stats }]) => [
      slug,
      Number(overview["Stocks"]),
      stats["pe_median"] ?? null,
      stats["roe_median"] ?? null,
      stats["sample_size"] ?? null,
    ]),
  );
});
