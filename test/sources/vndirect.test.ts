import { describe, expect, test } from "bun:test";
import type { IndexPe } from "#domain/macro.ts";
import { BadRow } from "#sources/list.ts";
import { vndirectPe } from "#sources/vndirect/index-pe.ts";
import { answersFrom, type PlayedAnswer } from "../support/answers.ts";
import { liveQuery } from "../support/fetcher.ts";
import { fakeJson } from "../support/played-answer.ts";
import { faultOf } from "./macro-support.ts";

const QUERY = liveQuery({ today: "2026-08-21T12:00Z", country: "VN" });

const day = (reportDate: string, value: number | null, fields: object = {}) => ({
  code: "VNINDEX",
  ratioCode: "PRICE_TO_EARNINGS",
  reportDate,
  value,
  ...fields,
});
const page = (...data: readonly object[]) => JSON.stringify({ data });

async function play(table: Readonly<Record<string, PlayedAnswer>>) {
  const client = answersFrom(table);
  const all = [...vndirectPe.transform(await vndirectPe.fetch(QUERY, client), QUERY)];
  return {
    addresses: client.requests.map(({ url }) => url),
    left: all.filter((one) => one instanceof BadRow).map(({ error }) => error.message),
    months: all
      .filter((one): one is IndexPe => !(one instanceof BadRow))
      .map(({ month, pe }) => [month, pe]),
  };
}

describe("the P/E of the VN-Index", () => {
  test("is the last known one of each month", async () => {
    const { months, addresses } = await play({
      "": JSON.stringify(fakeJson("vndirect/ratios.fake.json")),
    });
    expect(addresses).toEqual([
      "https://api-finfo.vndirect.com.vn/v4/ratios?q=code:VNINDEX~ratioCode:PRICE_TO_EARNINGS&sort=reportDate:asc&size=1000&page=1",
    ]);
    expect(months).toEqual([
      ["2026-06", 14],
      ["2026-07", 14.2],
      ["2026-08", 14.5],
    ]);
  });

  test("is read to the last page, in any order", async () => {
    const full = Array.from({ length: 1_000 }, () => day("2026-06-30", 14));
    const { months } = await play({
      "page=1": page(...full),
      "page=2": page(day("2026-07-31", 15), day("2026-07-30", 16), day("2026-08-24", 99)),
    });
    // The days after today are not known yet.
    expect(months).toEqual([
      ["2026-06", 14],
      ["2026-07", 15],
    ]);
    expect(await faultOf(play({ "page=1": page(...full) }))).toBe("unreachable");
    expect(await faultOf(play({ "": page(...full) }))).toBe("invalid_answer");
  });

  test("of a month that is far from the month's others is left out, and named", async () => {
    const days = [day("2026-06-29", 14), day("2026-06-30", 14), day("2026-07-29", 14.1)];
    const { months, left } = await play({
      "": page(...days, day("2026-07-30", 14.2), day("2026-07-31", 1.42)),
    });
    expect(months).toEqual([["2026-06", 14]]);
    expect(left).toEqual([
      "vndirect: the last ratio of 2026-07, 1.42, is far from its others, 14.1",
    ]);
  });

  test("needs rows of the index and of this ratio", async () => {
    for (const fields of [
      { code: "VN30" },
      { ratioCode: "PRICE_TO_BOOK" },
      { reportDate: "31/07/2026" },
    ])
      expect(await faultOf(play({ "": page(day("2026-07-31", 14, fields)) }))).toBe(
        "invalid_answer",
      );
    expect(await faultOf(play({ "": page(day("2026-07-31", -3), day("2026-07-30", null)) }))).toBe(
      "nothing",
    );
  });
});
