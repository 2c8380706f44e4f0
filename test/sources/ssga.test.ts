import { describe, expect, test } from "bun:test";
import { ssgaDow } from "#sources/ssga/classifications.ts";
import { answersFrom } from "../support/answers.ts";
import { faultOf, liveQuery, transformed } from "../support/fetcher.ts";
import { DOW_TICKERS, dowHoldings } from "../support/played-markets.ts";

const query = liveQuery({ today: "2026-08-21", country: "US" });
const membersIn = (workbook: Uint8Array) =>
  transformed("classifications", ssgaDow, workbook, query);

describe("the members of the Dow", () => {
  test("are the tickers among the holdings of its fund, without its cash", async () => {
    const client = answersFrom({ "holdings-daily-us-en-dia.xlsx": dowHoldings(DOW_TICKERS) });
    const members = membersIn((await ssgaDow.fetch(query, client)) as Uint8Array);
    expect(members.map(({ symbol }) => symbol)).toEqual([...DOW_TICKERS]);
    expect(members[0]).toEqual({
      country: "US",
      symbol: "AAPL",
      sector: null,
      replaces: false,
      indexMember: null,
      memberOf: "^DJI",
    });
  });

  test.each([
    ["with a ticker too few", dowHoldings(DOW_TICKERS.slice(1))],
    ["with a ticker too many", dowHoldings([...DOW_TICKERS, "MORE"])],
    ["without a column of tickers", dowHoldings(DOW_TICKERS, "Symbol")],
    ["of HTML", new TextEncoder().encode("<html>Access Denied</html>")],
  ])("a list %s is refused", async (_, workbook) => {
    expect(await faultOf(() => membersIn(workbook))).toBe("invalid_answer");
  });
});
