import { describe, expect, test } from "bun:test";
import type { LiveQuery } from "#sources/fetcher.ts";
import { nasdaqBars } from "#sources/nasdaq/bars.ts";
import { liveQuery, transformed } from "../support/fetcher.ts";
import { answersFrom } from "../support/answers.ts";
import { flatBar, stock } from "../support/market.ts";

type Row = Record<string, string | null>;

/** A row in the form of nasdaq.com, with invented prices. */
const row = (date: string, close: string, more: Row = {}): Row => ({
  date,
  close,
  volume: "45,647,200",
  open: "$410.00",
  high: "$415.25",
  low: "$1,399.5".replace("1,", ""),
  ...more,
});
const history = (...rows: Row[]) => ({
  data: { symbol: "BRK.B", totalRecords: rows.length, tradesTable: { asOf: null, rows } },
  message: null,
  status: { rCode: 200 },
});
const WEEK = history(
  row("08/21/2026", "$412.50"),
  row("08/20/2026", "$411.00"),
  row("08/19/2026", "$409.75"),
);

// A Saturday: the last completed session is Friday, 2026-08-21.
const QUERY = liveQuery({ today: "2026-08-22T12:00Z", instrument: stock("US", "BRK.B") });
/** The stored bars, and the requested addresses. */
async function barsOf(answer: unknown, change: Partial<LiveQuery> = {}) {
  const query = { ...QUERY, ...change };
  const client = answersFrom({ "/historical": JSON.stringify(answer) });
  const raw = await nasdaqBars.fetch(query, client);
  const [record] = transformed("bars", nasdaqBars, raw, query);
  return { bars: record?.bars ?? [], requests: client.requests.map(({ url }) => url) };
}
const faultOf = (answer: unknown, change?: Partial<LiveQuery>) =>
  barsOf(answer, change).then(
    () => null,
    (error: { fault?: string }) => error.fault,
  );

describe("daily bars of nasdaq.com", () => {
  test("are requested for ten years and returned oldest first", async () => {
    const { bars, requests } = await barsOf(WEEK);
    expect(requests).toEqual([
      "https://api.nasdaq.com/api/quote/BRK%25sl%25B/historical?assetclass=stocks&fromdate=2016-08-22&todate=2026-08-22&limit=9999",
    ]);
    expect(bars.map(({ date, close }) => [date, close])).toEqual([
      ["2026-08-19", 409.75],
      ["2026-08-20", 411],
      ["2026-08-21", 412.5],
    ]);
    expect(bars[2]).toEqual({
      date: "2026-08-21",
      open: 410,
      high: 415.25,
      low: 399.5,
      close: 412.5,
      volume: 45_647_200,
    });
  });

  test("of a fund are requested as those of an ETF; an index has none", async () => {
    const { requests } = await barsOf(WEEK, {
      instrument: stock("US", "SPY", { assetType: "etf" }),
    });
    expect(requests[0]).toContain("/SPY/historical?assetclass=etf&");
    const index = stock("US", "^GSPC", { assetType: "index" });
    expect(await faultOf(WEEK, { instrument: index })).toBe("nothing");
  });

  test("continue a stored history with the same newest close", async () => {
    const older = [flatBar("1999-01-04", 1), flatBar("2026-08-19", 409.7)];
    const { bars, requests } = await barsOf(WEEK, { storedBars: () => older });
    expect(requests.map((url) => /fromdate=[\d-]+/.exec(url)?.[0])).toEqual([
      "fromdate=2026-08-18",
    ]);
    expect(bars.slice(0, 2)).toEqual(older);
    expect(bars.slice(2).map(({ date }) => date)).toEqual(["2026-08-20", "2026-08-21"]);
  });

  test("are all requested again after a split changed the stored prices", async () => {
    const { bars, requests } = await barsOf(WEEK, {
      storedBars: () => [flatBar("2026-08-19", 2 * 409.75)],
    });
    expect(requests).toHaveLength(2);
    expect(requests[1]).toContain("fromdate=2016-08-22");
    expect(bars).toHaveLength(3);
  });

  test("exclude an open session and rows without prices; high and low include open and close", async () => {
    const answer = history(
      row("08/21/2026", "$412.50"),
      row("08/20/2026", "$420.00", { volume: "N/A" }),
      row("08/19/2026", "N/A"),
      row("08/18/2026", "$409.00", { open: null }),
    );
    const { bars } = await barsOf(answer, { now: Date.parse("2026-08-21T17:00:00Z") });
    expect(bars).toEqual([
      { date: "2026-08-20", open: 410, high: 420, low: 399.5, close: 420, volume: null },
    ]);
  });

  test.each([
    ["an unknown symbol", { data: null, status: { rCode: 400 } }, "nothing"],
    ["no row", history(), "nothing"],
    ["no table", { data: { tradesTable: null } }, "nothing"],
    ["another shape", { rows: [] }, "invalid_answer"],
    [
      "numbers for texts",
      { data: { tradesTable: { rows: [{ date: 20_260_821 }] } } },
      "invalid_answer",
    ],
    ["another form of date", history(row("2026-08-21", "$1")), "invalid_answer"],
  ])("%s is %s", async (_, answer, fault) => {
    expect(await faultOf(answer)).toBe(fault);
  });
});
