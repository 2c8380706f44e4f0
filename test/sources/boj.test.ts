import { describe, expect, test } from "bun:test";
import type { MacroSeries } from "#domain/macro.ts";
import { bojMacro } from "#sources/boj/macro.ts";
import { answersFrom, type PlayedAnswer } from "../support/answers.ts";
import { fakeJson } from "../support/played-answer.ts";
import { faultOf, queryOf, shown } from "./macro-support.ts";

const QUERY = queryOf("JP", "2026-08-21");

/** One answer; each series is a code, a unit, dates and values. */
type Row = [code: string, unit: string, dates: readonly unknown[], values: readonly unknown[]];
const body = (rows: readonly Row[], fields: object = {}) =>
  JSON.stringify({
    ...fakeJson("boj/call-rate.fake.json"),
    RESULTSET: rows.map(([SERIES_CODE, UNIT, SURVEY_DATES, VALUES]) => ({
      SERIES_CODE,
      UNIT,
      VALUES: { SURVEY_DATES, VALUES },
    })),
    ...fields,
  });

const MONTHS = [202506, 202507, 202606, 202607];
const ANSWERS: Readonly<Record<string, string>> = {
  "db=FM01": JSON.stringify(fakeJson("boj/call-rate.fake.json")),
  "db=IR01": body([["MADR1Z@D", "percent per annum", [20260817, 20260818], [1.25, 1.25]]]),
  "db=MD01": body([
    ["MABS1AN11", "100 million yen", MONTHS, [6_000_000, 5_000_000, 5_400_000, 4_500_000]],
  ]),
  "db=MD02": body([
    ["MAM1YAM2M2MO", "%", MONTHS, [1, 1.1, 2.1, 2.2]],
    ["MAM1YAM3M3MO", "%", MONTHS, [0.5, 0.6, 1.5, 1.6]],
  ]),
  "db=PR01": body([["PRCG20_2200000000", "CY2020=100", MONTHS, [125, null, 130, 131]]]),
  "db=CO": body([
    ["TK99F1000601GCQ01000", "% points", [202504, 202601, 202602], [15, 17, 13]],
    ["TK99F2000601GCQ01000", "% points", [202504, 202601, 202602], [34, 36, "-3"]],
  ]),
};

async function play(changes: Readonly<Record<string, PlayedAnswer>> = {}) {
  const client = answersFrom({ ...ANSWERS, ...changes });
  const raw = await bojMacro.fetch(QUERY, client);
  return {
    addresses: client.requests.map(({ url }) => url),
    series: [...bojMacro.transform(raw, QUERY)] as MacroSeries[],
    missing: bojMacro.lacks?.(raw, QUERY),
  };
}

describe("macro series of the Bank of Japan", () => {
  test("are requested by database, from a period of their frequency", async () => {
    const { addresses, missing } = await play();
    expect(missing).toEqual([]);
    expect(addresses).toContain(
      "https://www.stat-search.boj.or.jp/api/v1/getDataCode?format=json&lang=en&db=IR01&code=MADR1Z%40D&startDate=202508",
    );
    // Twelve years before August 2026, a quarter as YYYYQQ.
    expect(addresses).toContain(
      "https://www.stat-search.boj.or.jp/api/v1/getDataCode?format=json&lang=en&db=CO&code=TK99F1000601GCQ01000%2CTK99F2000601GCQ01000&startDate=201403",
    );
  });

  test("have days, months and quarters; a null is no value", async () => {
    const { series } = await play();
    expect(shown(series, "call-rate-daily")).toEqual({
      latest: { period: "2026-08-18", value: 0.979 },
      previous: { period: "2026-08-17", value: 0.978 },
      unit: "%",
      category: "money",
    });
    expect(shown(series, "tankan-large-non-manufacturers")).toMatchObject({
      latest: { period: "2026-Q2", value: -3 },
      previous: { period: "2026-Q1", value: 36 },
    });
    expect(shown(series, "m2-yoy")?.latest).toEqual({ period: "2026-07", value: 2.2 });
  });

  test("have growth over a year of the months that both years have", async () => {
    const { series } = await play();
    // 5,400,000 / 6,000,000 and 4,500,000 / 5,000,000.
    expect(shown(series, "monetary-base-yoy")).toMatchObject({
      latest: { period: "2026-07", value: -10 },
      previous: { period: "2026-06", value: -10 },
    });
    // 130 / 125; July 2025 has no index.
    const prices = series.find(({ id }) => id === "producer-prices-yoy");
    expect(prices?.observations).toEqual([{ period: "2026-06", value: 4 }]);
  });

  test("name the series of databases without an answer; the others are stored", async () => {
    const refusal = { STATUS: 400, MESSAGEID: "M181013E", RESULTSET: null };
    const { series, missing } = await play({ "db=PR01": body([], refusal), "db=CO": "<html>" });
    expect(missing?.map(({ what }) => what)).toEqual([
      "Producer prices YoY",
      "Tankan large manufacturers",
      "Tankan large non-manuf.",
    ]);
    expect(missing?.[0]?.why).toBe("PR01: its message is M181013E");
    expect(series.map(({ id }) => id)).toContain("m3-yoy");
    expect(series.map(({ category }) => category)).not.toContain("prices");
  });

  test.each([
    ["another unit", body([["MABS1AN11", "billion yen", MONTHS, [1, 2, 3, 4]]])],
    [
      "more pages",
      body([["MABS1AN11", "100 million yen", MONTHS, [1, 2, 3, 4]]], { NEXTPOSITION: 2 }),
    ],
    ["dates without values", body([["MABS1AN11", "100 million yen", MONTHS, [1, 2, 3]]])],
    ["days instead of months", body([["MABS1AN11", "100 million yen", [20260701], [1]]])],
    ["a month 13", body([["MABS1AN11", "100 million yen", [202613], [1]]])],
    ["a text as a value", body([["MABS1AN11", "100 million yen", [202607], ["n.a."]]])],
    ["another series", body([["OTHER", "100 million yen", MONTHS, [1, 2, 3, 4]]])],
    ["no data", body([], { MESSAGEID: "M181030I" })],
  ])("leave out a database with %s", async (_, answer) => {
    const { missing } = await play({ "db=MD01": answer });
    expect(missing?.map(({ what }) => what)).toEqual(["Monetary base YoY"]);
  });

  test("fail if more than half of the databases do", async () => {
    const failing = (count: number) =>
      Object.fromEntries(
        Object.keys(ANSWERS)
          .slice(0, count)
          .map((key) => [key, "{}"]),
      );
    expect(await faultOf(play(failing(3)))).toBeNull();
    expect(await faultOf(play(failing(4)))).toBe("invalid_answer");
  });
});
