import { describe, expect, test } from "bun:test";
import type { MacroSeries } from "#domain/macro.ts";
import { mofYields } from "#sources/mof/macro.ts";
import { treasuryYields } from "#sources/treasury/macro.ts";
import { answersFrom, type PlayedAnswer } from "../support/answers.ts";
import { faultOf, playMacro, queryOf, shown } from "./macro-support.ts";
import { fakeBytes } from "../support/played-answer.ts";

const US = queryOf("US", "2026-11-28");
const HEADER = 'Date,"1 Mo","1.5 Month","2 Mo","3 Mo","10 Yr","30 Yr"';
/** Files of 2024 to 2026, the last one with these lines below the header. */
const years = (...lines: string[]): Record<string, PlayedAnswer> => ({
  "csv/2024/": `Date,"1 Mo","2 Mo","10 Yr"\n11/27/2024,4.76,4.69,4.25\n01/02/2024,5.55,5.54,3.95\n`,
  "csv/2025/": `${HEADER}\n11/26/2025,4.05,4.00,3.95,3.90,4.00,4.65\n01/02/2025,,,,,4.57,4.79\n`,
  "csv/2026/": [HEADER, ...lines, "01/02/2026,3.70,,3.60,,4.10,4.80", ""].join("\n"),
});
const playUs = (table: Record<string, PlayedAnswer>, query = US) =>
  playMacro("macroSeries", treasuryYields, query, table);

describe("the US yield curve", () => {
  test("has a series for each maturity of its three files, in percent", async () => {
    const { records, requests } = await playUs(years("11/27/2026,3.70,,3.60,3.55,4.10,4.70"));
    expect(requests.map(({ url }) => url)).toContain(
      "https://home.treasury.gov/resource-center/data-chart-center/interest-rates/daily-treasury-rates.csv/2026/all?type=daily_treasury_yield_curve&field_tdr_date_value=2026&page&_format=csv",
    );
    expect(records.map(({ id, name }) => [id, name])).toEqual([
      ["yield-curve-1m", "Yield curve, 1 month"],
      ["yield-curve-1-5m", "Yield curve, 1.5 months"],
      ["yield-curve-2m", "Yield curve, 2 months"],
      ["yield-curve-3m", "Yield curve, 3 months"],
      ["yield-curve-10y", "Yield curve, 10 years"],
      ["yield-curve-30y", "Yield curve, 30 years"],
    ]);
    expect(shown(records, "yield-curve-10y")).toEqual({
      latest: { period: "2026-11-27", value: 4.1 },
      previous: { period: "2026-01-02", value: 4.1 },
      unit: "%",
      category: "money",
    });
    expect(records.every(({ isDetail }) => isDetail === true)).toBe(true);
  });

  test("has no yield for an empty cell, and never a zero", async () => {
    const { records } = await playUs(years("11/27/2026,3.70,,3.60,N/A,4.10,4.70"));
    const daysOf = (id: string) =>
      records.find((one) => one.id === id)?.observations.map(({ period }) => period);
    expect(daysOf("yield-curve-1-5m")).toEqual(["2025-11-26"]);
    expect(daysOf("yield-curve-3m")).toEqual(["2025-11-26"]);
    expect(daysOf("yield-curve-2m")?.length).toBe(5);
  });

  test("has no day for a holiday's row, and none of a maturity that is not known yet", async () => {
    const rows = [
      `${HEADER},"12 Wk"`,
      "11/26/2026,,N/A,,,,,",
      "01/02/2026,3.70,,3.60,,4.10,4.80,3.65",
      "",
    ].join("\n");
    const { records } = await playUs({ ...years(), "csv/2026/": rows });
    expect(records).toHaveLength(6);
    expect(shown(records, "yield-curve-10y")?.latest).toEqual({ period: "2026-01-02", value: 4.1 });
  });

  test("keeps a true zero, as bills had in 2020", async () => {
    const { records } = await playUs(years("11/27/2026,0.00,,3.60,0.01,4.10,4.70"));
    expect(shown(records, "yield-curve-1m")?.latest).toEqual({ period: "2026-11-27", value: 0 });
  });

  test("is not stored from a file whose first days are cut off", async () => {
    const table = {
      ...years(),
      "csv/2025/": `${HEADER}\n11/26/2025,4.05,4.00,3.95,3.90,4.00,4.65\n`,
    };
    expect(await faultOf(playUs(table))).toBe("invalid_answer");
  });

  test("is not stored without the file of a year", async () => {
    for (const year of ["2024", "2025", "2026"]) {
      const { [`csv/${year}/`]: _, ...rest } = years("11/27/2026,3.70,,3.60,3.55,4.10,4.70");
      expect(await faultOf(playUs(rest))).toBe("unreachable");
      expect(await faultOf(playUs({ ...rest, [`csv/${year}/`]: `${HEADER}\n` }))).toBe(
        "invalid_answer",
      );
    }
  });

  test("has no day of a new year in its first week", async () => {
    const table = { ...years("11/27/2026,3.70,,3.60,3.55,4.10,4.70"), "csv/2027/": `${HEADER}\n` };
    const { records } = await playUs(table, queryOf("US", "2027-01-03"));
    expect(shown(records, "yield-curve-10y")?.latest?.period).toBe("2026-11-27");
    expect(await faultOf(playUs(table, queryOf("US", "2027-01-08")))).toBe("invalid_answer");
  });

  test.each([
    "11/27/2025,3.70,,3.60,3.55,4.10,4.70",
    "27/11/2026,3.70,,3.60,3.55,4.10,4.70",
    "11/27/2026,3.70,,3.60,3.55,4.10",
    "11/27/2026,3.70,,3.60,high,4.10,4.70",
  ])("refuses %s", async (line) => {
    expect(await faultOf(playUs(years(line)))).toBe("invalid_answer");
  });
});

const JP = queryOf("JP", "2026-08-21");
const HISTORY = fakeBytes("mof/history.fake.csv").body;
const MONTH = Buffer.from(fakeBytes("mof/month.fake.csv").body);
/** The file of this month with other lines. Their ASCII is the same in Shift-JIS. */
const month = (...lines: string[]) => {
  const header = MONTH.subarray(0, MONTH.indexOf("R8.8.3"));
  return Buffer.concat([header, Buffer.from(lines.join("\r\n"))]);
};
const TAIL = "1.21,1.31,1.41,1.51,1.61,1.71,1.81,1.91,2.01,2.51,2.91,3.21,3.41,3.71";

async function playJapan(table: Record<string, PlayedAnswer>) {
  const raw = await mofYields.fetch(JP, answersFrom(table));
  const series = [...mofYields.transform(raw, JP)] as MacroSeries[];
  return { series, missing: mofYields.lacks?.(raw, JP) };
}

describe("Japan's yield curve", () => {
  test("joins both files by the dates of their era", async () => {
    const { series, missing } = await playJapan({ "jgbcm_all.csv": HISTORY, "jgbcm.csv": MONTH });
    expect(missing).toEqual([]);
    expect(series.map(({ id }) => id)).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40].map((years) => `yield-curve-${years}y`),
    );
    // The days before 21 August 2023 are not kept.
    expect(series.find(({ id }) => id === "yield-curve-10y")?.observations).toEqual([
      { period: "2025-08-20", value: 1.55 },
      { period: "2026-07-31", value: 2.01 },
      { period: "2026-08-03", value: 2.02 },
      { period: "2026-08-20", value: 2.03 },
    ]);
  });

  test("has no yield for a dash, and the newer file's yield of a day in both", async () => {
    const { series } = await playJapan({ "jgbcm_all.csv": HISTORY, "jgbcm.csv": MONTH });
    expect(shown(series, "yield-curve-40y")?.latest?.period).toBe("2026-08-03");
    const again = await playJapan({
      "jgbcm_all.csv": HISTORY,
      "jgbcm.csv": month(`R8.7.31,1.02,${TAIL}`),
    });
    expect(shown(again.series, "yield-curve-1y")?.latest).toEqual({
      period: "2026-07-31",
      value: 1.02,
    });
  });

  test("names a month that is in neither file", async () => {
    const { series, missing } = await playJapan({
      "jgbcm_all.csv": HISTORY,
      "jgbcm.csv": month(`R8.9.1,1.02,${TAIL}`),
    });
    expect(missing).toEqual([{ what: "Yields of 2026-08", why: "neither file has them yet" }]);
    expect(shown(series, "yield-curve-1y")?.latest?.period).toBe("2026-07-31");
  });

  test("is not stored without one of the files, nor with a day that it cannot read", async () => {
    const fault = (table: Record<string, PlayedAnswer>) => faultOf(playJapan(table));
    expect(await fault({ "jgbcm_all.csv": HISTORY })).toBe("unreachable");
    expect(await fault({ "jgbcm.csv": MONTH })).toBe("unreachable");
    expect(await fault({ "jgbcm_all.csv": month(), "jgbcm.csv": MONTH })).toBe("invalid_answer");
    for (const line of [
      `R8.8.32,1.02,${TAIL}`,
      `2026/8/3,1.02,${TAIL}`,
      "R8.8.3,1.02,1.21",
      `R8.8.3,1.0.2,${TAIL}`,
    ])
      expect(await fault({ "jgbcm_all.csv": HISTORY, "jgbcm.csv": month(line) })).toBe(
        "invalid_answer",
      );
  });
});
