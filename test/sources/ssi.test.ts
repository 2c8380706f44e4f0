import { describe, expect, test } from "bun:test";
import { ssiVn30 } from "#sources/ssi/classifications.ts";
import { ssiForeignTrades } from "#sources/ssi/foreign-trades.ts";
import { ssiInstruments } from "#sources/ssi/instruments.ts";
import { ssiQuotes } from "#sources/ssi/quotes.ts";
import { answersFrom, type PlayedAnswer } from "../support/answers.ts";
import { faultOf, liveQuery, transformed } from "../support/fetcher.ts";

const row = (stockSymbol: string, change: object = {}) => ({
  stockSymbol,
  stockType: "s",
  companyNameEn: `${stockSymbol} Corp`,
  matchedPrice: 25_300,
  nmTotalTradedQty: 1_200,
  tradingDate: "20260821",
  ...change,
});
const body = (...data: object[]) => JSON.stringify({ code: "SUCCESS", data });
const query = liveQuery({ today: "2026-08-21T12:00Z", country: "VN" });
const boards = (hose: PlayedAnswer): Record<string, PlayedAnswer> => ({
  "/hose": hose,
  "/hnx": body(row("PVS")),
  "/upcom": body(row("BSR")),
});

const FETCHERS = {
  instruments: ssiInstruments,
  quotes: ssiQuotes,
  foreignTrades: ssiForeignTrades,
} as const;

async function play<K extends keyof typeof FETCHERS>(kind: K, hose: PlayedAnswer) {
  const fetcher = FETCHERS[kind];
  const client = answersFrom(boards(hose), { source: "ssi" });
  return transformed(kind, fetcher, await fetcher.fetch(query, client), query);
}

describe("the boards of SSI", () => {
  test("list shares and funds with their exchange; a warrant and a second row are left out", async () => {
    const list = body(
      row("FPT"),
      row("E1VFVN30", { stockType: "e" }),
      row("CFPT1", { stockType: "w" }),
      row("FPT"),
    );
    const records = await play("instruments", list);
    expect(
      records.map((one) => [one.symbol, one.assetType, one.exchange, one.indexMember]),
    ).toEqual([
      ["FPT", "stock", "HOSE", true],
      ["E1VFVN30", "etf", "HOSE", false],
      ["PVS", "stock", "HNX", false],
      ["BSR", "stock", "UPCOM", false],
    ]);
  });

  test("have prices in dong on the date of their session", async () => {
    const list = body(
      row("FPT"),
      row("NONE", { matchedPrice: 0 }),
      row("LATE", { tradingDate: "20260824" }),
      row("WHEN", { tradingDate: "yesterday" }),
    );
    const records = await play("quotes", list);
    expect(records.map(({ symbol, price, date, volume }) => [symbol, price, date, volume])).toEqual(
      ["FPT", "PVS", "BSR"].map((symbol) => [symbol, 25_300, "2026-08-21", 1_200]),
    );
  });

  test("have the limits of the session, unless one is missing or the price contradicts them", async () => {
    const limits = { refPrice: 25_000, ceiling: 26_750, floor: 23_250 };
    const list = body(
      row("FPT", limits),
      row("HALF", { ...limits, floor: 0 }),
      row("LATE", { ...limits, ceiling: 25_250 }),
      row("ODD", { refPrice: 23_000, ceiling: 26_750, floor: 23_250 }),
    );
    const records = await play("quotes", list);
    const [first, ...others] = records.map((one) => one.limits);
    expect(first).toEqual({ reference: 25_000, ceiling: 26_750, floor: 23_250 });
    expect(others).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });

  test("have the trades of foreigners in completed sessions; what is missing is null, and a row without any is left out", async () => {
    const trades = { buyForeignValue: 3e9, sellForeignValue: 0, remainForeignQtty: 382_909_157 };
    const list = body(
      row("VRE", trades),
      row("ACB", { ...trades, remainForeignQtty: 0 }),
      row("NEG", { ...trades, sellForeignValue: -1 }),
      // The session of Monday is not over.
      row("LATE", { ...trades, tradingDate: "20260824" }),
      row("CVRE", { ...trades, stockType: "w" }),
    );
    const records = await play("foreignTrades", list);
    expect(records.map((one) => [one.symbol, one.boughtValue, one.soldValue, one.room])).toEqual([
      ["VRE", 3e9, 0, 382_909_157],
      ["ACB", 3e9, 0, 0],
      ["NEG", 3e9, null, 382_909_157],
    ]);
    expect(new Set(records.map(({ date }) => date))).toEqual(new Set(["2026-08-21"]));
  });

  test.each<[string, PlayedAnswer]>([
    [
      "in thousands of dong",
      body(...["A1", "B1", "C1"].map((one) => row(one, { matchedPrice: 25.3 }))),
    ],
    ["of another form", '{"data":[]}'],
    ["that are a page", "<html>Security Check</html>"],
  ])("%s are refused", async (_, hose) => {
    expect(await faultOf(() => play("quotes", hose))).toBe("invalid_answer");
  });

  test("are whole, or none is used", async () => {
    expect(await faultOf(() => play("instruments", { status: 403, body: "" }))).toBe("unreachable");
  });
});

test("the group VN30 names the members of the index, all of them or none", async () => {
  const play = async (...rows: object[]) => {
    const client = answersFrom({ "/group/VN30": body(...rows) }, { source: "ssi" });
    return transformed("classifications", ssiVn30, await ssiVn30.fetch(query, client), query);
  };
  const rows = Array.from({ length: 30 }, (_, i) => row(`V${10 + i}`));
  const members = await play(...rows, row("CV10", { stockType: "w" }));
  expect(members).toHaveLength(30);
  expect(members[0]).toEqual({
    country: "VN",
    symbol: "V10",
    sector: null,
    replaces: false,
    indexMember: null,
    memberOf: "VN30",
  });
  expect(await faultOf(() => play(...rows.slice(0, 20)))).toBe("invalid_answer");
});
