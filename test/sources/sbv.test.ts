import { describe, expect, test } from "bun:test";
import { parseArticles } from "#sources/sbv/articles.ts";
import { sbvMacro } from "#sources/sbv/macro.ts";
import { SourceError } from "#sources/source.ts";
import { hasRecordings, recordedText } from "../support/recordings.ts";
import { BROKEN_BODIES, faultOf, playMacro, queryOf } from "./macro-support.ts";

const FIGURE = /tongphuongtienthanhtoan/i;
const QUERY = queryOf("VN", "2026-11-20");

const article = (
  fields: Record<string, unknown>,
  articleId = "1",
  datePublished = "2026-09-30",
) => ({
  articleId,
  title: "M2",
  datePublished,
  fields,
});
const body = (articles: readonly object[], totalCount = articles.length) =>
  JSON.stringify({ totalCount, articles });
const month = (date: string, figure: string, published = date) =>
  article(
    { Date48362898: date, tongPhuongTienThanhToan91: figure },
    `${date} ${figure}`,
    published,
  );
const faultIn = (text: string) => {
  try {
    return parseArticles(text, FIGURE);
  } catch (error) {
    return error instanceof SourceError ? error.fault : String(error);
  }
};

describe("articles of the State Bank of Viet Nam", () => {
  test("give one figure a month, in any order, once for both languages, the newest publication last", () => {
    const july = month("2026-07-31", "20000000");
    const text = body([
      month("2026-08-31T00:00:00Z", "20.400.000", "2026-10-30"),
      july,
      { ...july, title: "M2 (English)" },
      month("2026-08-31", "20,300,000", "2026-09-30"),
    ]);
    expect(parseArticles(text, FIGURE)).toEqual([
      { period: "2026-07", value: 20_000_000 },
      { period: "2026-08", value: 20_400_000 },
    ]);
  });

  test("need no name of the figure if there is one number", () => {
    const text = body([article({ Date1: "2026-07-31", a: "20000000", note: "so bo", b: null })]);
    expect(parseArticles(text, FIGURE)).toEqual([{ period: "2026-07", value: 20_000_000 }]);
  });

  test.each([
    ["with two numbers and no name", body([article({ d: "2026-07-31", a: "1", b: "2" })])],
    ["with two months", body([article({ d: "2026-07-31", e: "2026-08-31", a: "1" })])],
    ["without a month", body([article({ a: "1" })])],
    ["without a number", body([article({ d: "2026-07-31", a: "not yet" })])],
    [
      "in other units from a month on",
      body([month("2026-07-31", "20000"), month("2026-08-31", "20100000")]),
    ],
    ["with some missing", body([month("2026-07-31", "1")], 3)],
    ...Object.entries(BROKEN_BODIES).map(([name, text]) => [name, text] as const),
  ])("%s are refused", (_, text) => {
    expect(faultIn(text)).toBe("invalid_answer");
  });
});

const ROWS = (indicator: string, value: string) =>
  `COUNTRY,INDICATOR,FREQUENCY,TIME_PERIOD,OBS_VALUE\nVNM,${indicator},M,2026-M09,${value}\nVNM,${indicator},A,2025,9\nTHA,${indicator},M,2026-M10,9\n`;

describe("macro series of the State Bank", () => {
  test("have rates from the IMF and money from its own site", async () => {
    const months = Array.from({ length: 13 }, (_, i) =>
      month(
        `${2025 + Math.floor((i + 8) / 12)}-${String(((i + 8) % 12) + 1).padStart(2, "0")}-28`,
        i === 12 ? "110" : "100",
      ),
    );
    const { records, requests } = await playMacro("macroSeries", sbvMacro, QUERY, {
      contentStructureId: body(months),
      MFS_IR: ROWS("MFS166_RT_PT_A_PT", "4.5"),
      "IMF.STA/ER": ROWS("XDC_USD", "25123.4"),
    });
    expect(records[0]).toMatchObject({
      id: "m2-yoy",
      observations: [{ period: "2026-09", value: 10 }],
    });
    expect(records.slice(1).map(({ id, unit, observations }) => [id, unit, observations])).toEqual([
      ["refinancing-rate", "%", [{ period: "2026-09", value: 4.5 }]],
      ["usd-vnd", "VND", [{ period: "2026-09", value: 25_123 }]],
    ]);
    expect(requests.map(({ url }) => url)).toEqual([
      "https://sbv.gov.vn/o/article/v1.0/articles?scopeKey=20117&contentStructureId=10038520",
      "https://api.imf.org/external/sdmx/3.0/data/dataflow/IMF.STA/MFS_IR/+/VNM.MFS166_RT_PT_A_PT.M?startPeriod=2021-11",
      "https://api.imf.org/external/sdmx/3.0/data/dataflow/IMF.STA/ER/+/VNM.XDC_USD.PA_RT.M?startPeriod=2021-11",
    ]);
  });

  test("go on without the site, which often answers within Viet Nam only, and say so", async () => {
    const table = {
      MFS_IR: ROWS("MFS166_RT_PT_A_PT", "4.5"),
      "IMF.STA/ER": ROWS("XDC_USD", "25123"),
    };
    const refused = { ...table, contentStructureId: { status: 403, body: "" } };
    const { records } = await playMacro("macroSeries", sbvMacro, QUERY, refused);
    expect(records.map(({ id }) => id)).toEqual(["refinancing-rate", "usd-vnd"]);
    expect(await faultOf(playMacro("macroSeries", sbvMacro, QUERY, {}))).toBe("unreachable");
  });
});

test.skipIf(!hasRecordings)(
  "articles in the form of the site's API are read (../shared/data)",
  () => {
    expect(parseArticles(recordedText("doors/sbv-articles.fake.json"), FIGURE)).toEqual([
      { period: "2026-07", value: 20_000_000 },
    ]);
  },
);
