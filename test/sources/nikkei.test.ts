import { describe, expect, test } from "bun:test";
import { nikkeiConstituents } from "#sources/nikkei/classifications.ts";
import { answersFrom } from "../support/answers.ts";
import { faultOf, liveQuery, transformed } from "../support/fetcher.ts";
import { NIKKEI_CODES, nikkeiLines } from "../support/played-economies.ts";

const query = liveQuery({ today: "2026-08-21", country: "JP" });
const membersIn = (lines: readonly string[], end = "\r\n") =>
  transformed("classifications", nikkeiConstituents, lines.join(end), query);

describe("the members of the Nikkei 225", () => {
  test("are those with a code in the list of weights; the notice at its end is none", () => {
    const members = membersIn(nikkeiLines());
    expect(members).toHaveLength(225);
    expect(members[0]).toEqual({
      country: "JP",
      symbol: "7203",
      sector: null,
      replaces: false,
      indexMember: true,
    });
    // Codes have had letters since 2024.
    expect(members.map(({ symbol }) => symbol)).toContain(NIKKEI_CODES.at(-1) ?? "");
    expect(NIKKEI_CODES.at(-1)).toMatch(/[A-Z]/);
    expect(membersIn(nikkeiLines(), "\n")).toEqual(members);
  });

  test("are found in the column of codes, wherever it is, and with names in any encoding", async () => {
    const moved = nikkeiLines().map((line) => `"",${line}`);
    expect(membersIn(moved)).toHaveLength(225);
    const bytes = new TextEncoder().encode(nikkeiLines().join("\n"));
    const name = bytes.indexOf("C".charCodeAt(0), 60);
    bytes[name] = 0x83;
    const client = answersFrom({ "nikkei_stock_average_weight_en.csv": bytes });
    const raw = await nikkeiConstituents.fetch(query, client);
    expect(transformed("classifications", nikkeiConstituents, raw, query)).toHaveLength(225);
  });

  test.each([
    ["without a column of codes", nikkeiLines().map((line) => line.replace("Code", "Ticker"))],
    ["that is cut off", nikkeiLines().slice(0, 200)],
    [
      "with too many codes",
      nikkeiLines().concat(
        ["2026/08/21,9A99,X,Y,Z,0.1%"].concat(
          Array.from({ length: 9 }, (_, i) => `2026/08/21,9B9${i},X,Y,Z,0.1%`),
        ),
      ),
    ],
    ["of HTML", ["<html><body>Access Denied</body></html>"]],
    ["with an open quote", [...nikkeiLines(), '"open']],
    ["that is empty", [""]],
  ])("a list %s is refused", async (_, lines) => {
    expect(await faultOf(() => membersIn(lines))).toBe("invalid_answer");
  });
});
