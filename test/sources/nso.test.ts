import { describe, expect, test } from "bun:test";
import { nsoMacro } from "#sources/nso/macro.ts";
import { BROKEN_BODIES, faultOf, playMacro, queryOf, shown } from "./macro-support.ts";
import { hasRecordings, recordedText } from "../support/recordings.ts";

const fakeXml = (series: string) =>
  `<?xml version="1.0" encoding="UTF-8"?><message:StructureSpecificData xmlns:message="m"><message:Header><message:ID>I</message:ID></message:Header><message:DataSet COMMENT="a &gt; b">${series}</message:DataSet></message:StructureSpecificData>`;

const TRADE = (observations: string) =>
  fakeXml(
    `<Series REF_AREA="VN" INDICATOR="TXG_FOB_USD" FREQ="M" UNIT_MULT="6">${observations}</Series>`,
  );

const NOTHING = fakeXml('<Series REF_AREA="VN" INDICATOR="OTHER" FREQ="M"></Series>');

const table = (met: string, others = NOTHING) => ({
  METVNM: met,
  GDPVNM: others,
  LMIVNM: others,
  CPIVNM: others,
  IIPVNM: others,
});

const play = (met: string, others?: string) =>
  playMacro("macroSeries", nsoMacro, queryOf("VN", "2024-11-20"), table(met, others));

describe("macro series of the statistics office of Viet Nam", () => {
  test("are read from elements of both forms, in any order", async () => {
    const { records } = await play(
      TRADE(
        `<Obs TIME_PERIOD="2024-10" OBS_VALUE="35587.417147"/><Obs OBS_VALUE='34077.6' TIME_PERIOD='2024-09'></Obs><!-- <Obs TIME_PERIOD="2024-11" OBS_VALUE="1"/> --><Obs TIME_PERIOD="2024-08" OBS_VALUE="na"/>`,
      ),
    );
    expect(records.map(({ observations }) => observations)).toEqual([
      [
        { period: "2024-09", value: 34.08 },
        { period: "2024-10", value: 35.59 },
      ],
    ]);
  });

  test("five files are requested", async () => {
    const { requests } = await play(TRADE('<Obs TIME_PERIOD="2024-10" OBS_VALUE="1"/>'));
    expect(requests.map(({ url }) => url)).toEqual([
      "https://nsdp.nso.gov.vn/GSO-chung/SDMXFiles/GSO/GDPVNM.xml",
      "https://nsdp.nso.gov.vn/GSO-chung/SDMXFiles/GSO/LMIVNM.xml",
      "https://nsdp.nso.gov.vn/GSO-chung/SDMXFiles/GSO/CPIVNM.xml",
      "https://nsdp.nso.gov.vn/GSO-chung/SDMXFiles/GSO/IIPVNM.xml",
      "https://nsdp.nso.gov.vn/GSO-chung/SDMXFiles/GSO/METVNM.xml",
    ]);
  });

  test("a file that is not SDMX-ML or has no end is refused, and no other file", async () => {
    const whole = TRADE('<Obs TIME_PERIOD="2024-10" OBS_VALUE="1"/>');
    const broken = [
      ...Object.values(BROKEN_BODIES),
      whole.slice(0, -20),
      whole.replace('OBS_VALUE="1"', "OBS_VALUE=1"),
      whole.replace("2024-10", "October 2024"),
      whole.replace("2024-10", "2024-Q3"),
      whole.replace("<message:Header>", '<!DOCTYPE x [<!ENTITY y "z">]><message:Header>'),
      fakeXml('<Obs TIME_PERIOD="2024-10" OBS_VALUE="1"/>'),
      whole.replace("<message:Header>", "<!-- <message:Header>"),
    ];
    for (const body of broken) expect(await faultOf(play(body))).toBe("nothing");
    for (const body of Object.values(BROKEN_BODIES)) {
      expect(await faultOf(play(whole, body))).toBe("invalid_answer");
    }
  });

  test("a figure that is too large for a number is missing", async () => {
    const huge = TRADE('<Obs TIME_PERIOD="2024-10" OBS_VALUE="1e308"/>');
    expect(await faultOf(play(huge))).toBe("nothing");
  });

  test("an answer with old figures only is `nothing`", async () => {
    const old = TRADE('<Obs TIME_PERIOD="2021-06" OBS_VALUE="1"/>');
    expect(await faultOf(play(old))).toBe("nothing");
  });
});

describe.skipIf(!hasRecordings)("recorded files of Viet Nam (../shared/data)", () => {
  const file = (name: string) => recordedText(`vn_nso/${name}.xml`);
  const played = (day: string) =>
    playMacro("macroSeries", nsoMacro, queryOf("VN", day), {
      GDPVNM: file("GDPVNM"),
      LMIVNM: file("LMIVNM"),
      CPIVNM: file("CPIVNM"),
      IIPVNM: file("IIPVNM"),
      METVNM: file("METVNM"),
    });

  test("fill all categories but money, which the State Bank has", async () => {
    const { records } = await played("2024-11-20");
    expect(new Set(records.map(({ category }) => category)).size).toBe(9);
    expect(records.length).toBe(19);
  });

  test("growth and inflation are the published ones", async () => {
    const { records } = await played("2024-11-20");
    // NSO, press release on the third quarter of 2024: GDP +7.40%.
    expect(shown(records, "gdp-yoy")?.latest).toEqual({ period: "2024-Q3", value: 7.4 });
    // NSO, consumer prices of October 2024: +2.89% over a year (September +2.63%).
    expect(shown(records, "cpi-yoy")).toMatchObject({
      latest: { period: "2024-10", value: 2.89 },
      previous: { period: "2024-09", value: 2.63 },
    });
  });

  test("levels are in their unit, as read by hand in the recording", async () => {
    const { records } = await played("2024-11-20");
    // 2,849,908.1 thousand million dong
    expect(shown(records, "nominal-gdp")).toMatchObject({
      latest: { period: "2024-Q3", value: 2850 },
      unit: "VND tn",
    });
    // 51,564.2 thousand people; the unemployment rate has the same multiplier, which must not apply
    expect(shown(records, "employment")?.latest).toEqual({ period: "2024-Q3", value: 51.6 });
    expect(shown(records, "unemployment-rate")?.latest).toEqual({ period: "2024-Q3", value: 2.24 });
    expect(shown(records, "trade-balance")?.latest).toEqual({ period: "2024-10", value: 1.99 });
    expect(shown(records, "exports")?.latest).toEqual({ period: "2024-10", value: 35.59 });
    expect(shown(records, "imports")?.latest).toEqual({ period: "2024-10", value: 33.6 });
    // (171.93 / 162.38 - 1) x 100 = 5.88
    expect(shown(records, "industrial-output-yoy")?.latest).toEqual({
      period: "2024-10",
      value: 5.9,
    });
  });

  test("two years later none of them is shown as current", async () => {
    expect(await faultOf(played("2026-11-20"))).toBe("nothing");
  });
});
