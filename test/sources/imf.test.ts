import { describe, expect, test } from "bun:test";
import { imfForecast } from "#sources/imf/macro-forecasts.ts";
import { imfMacro } from "#sources/imf/macro.ts";
import { BROKEN_BODIES, faultOf, playMacro, queryOf, shown } from "./macro-support.ts";
import { hasRecordings, recordedText } from "../support/recordings.ts";

const VIET_NAM = queryOf("VN", "2026-11-20");
const values = (indicator: string, years: Record<string, unknown>) =>
  JSON.stringify({ values: { [indicator]: { VNM: years, USA: { "2026": 99 } } } });
/** An indicator that the DataMapper does not know. */
const UNKNOWN = JSON.stringify({ api: { version: "1", "output-method": "json" } });

const play = (table: Record<string, string>, query = VIET_NAM) =>
  playMacro("macroForecasts", imfForecast, query, { ...table, "datamapper/api/v1/": UNKNOWN });

describe("forecasts of the IMF", () => {
  test("a rate is the same in all quarters of its year, for this quarter and eight more", async () => {
    const { records } = await play({
      NGDP_RPCH: values("NGDP_RPCH", {
        "2025": 8,
        "2026": 6.04,
        "2027": 5.8,
        "2028": 5.6,
        "2029": null,
      }),
    });
    expect(records).toEqual([
      {
        country: "VN",
        category: "gdp",
        name: "Real GDP growth YoY",
        unit: "%",
        decimals: 1,
        origin: "IMF WEO (annual, interpolated)",
        values: [
          { year: 2026, quarter: 4, value: 6 },
          ...[1, 2, 3, 4].map((quarter) => ({ year: 2027, quarter, value: 5.8 })),
          ...[1, 2, 3, 4].map((quarter) => ({ year: 2028, quarter, value: 5.6 })),
        ],
      },
    ]);
  });

  test("a level is interpolated between the middles of the years", async () => {
    const { records } = await play({
      GGXWDG_NGDP: values("GGXWDG_NGDP", { "2026": 32, "2027": 40, "2028": 40 }),
    });
    // Q4 2026 is 3/8 of a year after the middle of 2026, Q1 2027 is 3/8 before the middle of 2027.
    expect(records[0]?.values.slice(0, 5)).toEqual([
      { year: 2026, quarter: 4, value: 35 },
      { year: 2027, quarter: 1, value: 37 },
      { year: 2027, quarter: 2, value: 39 },
      { year: 2027, quarter: 3, value: 40 },
      { year: 2027, quarter: 4, value: 40 },
    ]);
    // Nothing is known after the middle of the last year.
    expect(records[0]?.values.at(-1)).toEqual({ year: 2028, quarter: 2, value: 40 });
  });

  test("without the SDMX service, each indicator is a request to the DataMapper", async () => {
    const { requests } = await play({ LUR: values("LUR", { "2026": 2.2, "2027": 2.2 }) });
    const own = requests.filter(({ url }) => url.includes("www.imf.org"));
    expect(own.length).toBe(7);
    expect(own[0]).toMatchObject({
      url: "https://www.imf.org/external/datamapper/api/v1/NGDP_RPCH/VNM",
      headers: { accept: "application/json" },
    });
  });

  const sdmx = (series: string) =>
    `<message:StructureSpecificData xmlns:message="m"><message:DataSet PUBLICATION_DATE="2026-10-13T13:00:00Z"><Group INDICATOR="NGDP_RPCH" COUNTRY="VNM" METHODOLOGY="5 &gt; 4"/>${series}</message:DataSet></message:StructureSpecificData>`;

  const SDMX_ADDRESS =
    "https://api.imf.org/external/sdmx/3.0/data/dataflow/IMF.RES/WEO/+/VNM.NGDP_RPCH+NGDPDPC+LUR+PCPIPCH+BCA_NGDPD+GGXCNL_NGDP+GGXWDG_NGDP.A";
  const FROM_SDMX = [
    {
      name: "Real GDP growth YoY",
      origin: "IMF WEO 2026-10 (annual, interpolated)",
      values: [
        { year: 2026, quarter: 4, value: 6 },
        ...[1, 2, 3, 4].map((quarter) => ({ year: 2027, quarter, value: 5.8 })),
      ],
    },
  ];
  const ROWS =
    "VNM,NGDP_RPCH,A,2027,5.8,2026-10-13\nVNM,NGDP_RPCH,A,2026,6,2026-10-13\nUSA,NGDP_RPCH,A,2026,2,2026-10-13\n";

  test.each([
    [
      "XML",
      sdmx(
        '<Series COUNTRY="VNM" INDICATOR="NGDP_RPCH" FREQUENCY="A" SCALE="0"><Obs TIME_PERIOD="2027" OBS_VALUE="5.8"/><Obs TIME_PERIOD="2026" OBS_VALUE="6"/></Series><Series COUNTRY="USA" INDICATOR="NGDP_RPCH" FREQUENCY="A"><Obs TIME_PERIOD="2026" OBS_VALUE="2"/></Series>',
      ),
    ],
    ["CSV", `COUNTRY,INDICATOR,FREQUENCY,TIME_PERIOD,OBS_VALUE,PUBLICATION_DATE\n${ROWS}`],
  ])("the SDMX service is called first, and only it: %s", async (_, body) => {
    const { records, requests } = await playMacro("macroForecasts", imfForecast, VIET_NAM, {
      datamapper: { status: 403, body: "Access Denied" },
      "sdmx/3.0": body,
    });
    expect(requests.map(({ url, headers }) => [url, headers["accept"]])).toEqual([
      [SDMX_ADDRESS, "application/vnd.sdmx.data+csv"],
    ]);
    expect(records).toMatchObject(FROM_SDMX);
  });

  test.each([
    ["2026-10-13T13:00:00Z", "2026-11-19T21:00:00Z", "2026-11-19"],
    ["2026-10-13T13:00:00Z", "2026-10-13T12:00:00Z", "2026-10-13"],
    ["2026-10-13T13:00:00Z", "", undefined],
    ["2026-10-13", "2026-02-30", undefined],
    ["", "2026-11-19T21:00:00Z", undefined],
  ])("published on %s, changed on %j: known since %p", async (published, updated, known) => {
    const body = `COUNTRY,INDICATOR,FREQUENCY,TIME_PERIOD,OBS_VALUE,PUBLICATION_DATE,UPDATE_DATE
VNM,NGDP_RPCH,A,2026,6,${published},${updated}
VNM,NGDP_RPCH,A,2027,5.8,${published},${updated}
`;
    const { records } = await playMacro("macroForecasts", imfForecast, VIET_NAM, {
      "sdmx/3.0": body,
    });
    expect(records.map(({ publishedOn }) => publishedOn)).toEqual([known]);
  });

  test("a page instead of a table is asked for once more as XML, then the DataMapper is called", async () => {
    const { records, requests } = await play({
      "sdmx/3.0": BROKEN_BODIES["an HTML page"],
      NGDP_RPCH: values("NGDP_RPCH", { "2026": 6, "2027": 5.8 }),
    });
    expect(requests.slice(0, 3).map(({ url, headers }) => [url, headers["accept"]])).toEqual([
      [SDMX_ADDRESS, "application/vnd.sdmx.data+csv"],
      [SDMX_ADDRESS, "application/xml"],
      ["https://www.imf.org/external/datamapper/api/v1/NGDP_RPCH/VNM", "application/json"],
    ]);
    expect(records).toMatchObject([{ origin: "IMF WEO (annual, interpolated)" }]);
  });

  test("if the SDMX service has nothing, the error is that of the DataMapper", async () => {
    const played = playMacro("macroForecasts", imfForecast, VIET_NAM, {
      datamapper: { status: 403, body: "Access Denied" },
      "sdmx/3.0": { status: 404, body: "" },
    });
    expect(await faultOf(played)).toBe("unreachable");
  });

  test("another form is refused; years without a projection are `nothing`", async () => {
    const wrong: unknown[] = [
      [],
      { values: [] },
      { values: { NGDP_RPCH: { VNM: { "2026": "6.0" } } } },
      { values: { NGDP_RPCH: { VNM: { next: 6 } } } },
      { values: { NGDP_RPCH: { VNM: [6] } } },
      { error: "down" },
    ];
    for (const body of wrong) {
      expect(await faultOf(play({ NGDP_RPCH: JSON.stringify(body) }))).toBe("invalid_answer");
    }
    for (const body of Object.values(BROKEN_BODIES)) {
      const played = playMacro("macroForecasts", imfForecast, VIET_NAM, {
        datamapper: { status: 500, body: "" },
        "sdmx/3.0": body,
      });
      expect(await faultOf(played)).toBe("invalid_answer");
    }
    expect(await faultOf(play({}))).toBe("nothing");
    expect(await faultOf(play({ LUR: values("LUR", { "2025": 2.2 }) }))).toBe("nothing");
  });
});

describe("public finances of the IMF", () => {
  test("end with the last complete year: projections are not observations", async () => {
    const { records } = await playMacro("macroSeries", imfMacro, VIET_NAM, {
      GGXWDG_NGDP: values("GGXWDG_NGDP", { "2024": 33.2, "2025": 33.86, "2026": 34, "2027": 34 }),
      datamapper: UNKNOWN,
    });
    expect(shown(records, "public-debt-to-gdp")).toEqual({
      latest: { period: "2025", value: 33.9 },
      previous: { period: "2024", value: 33.2 },
      unit: "%",
      category: "government",
    });
    expect(
      await faultOf(playMacro("macroSeries", imfMacro, VIET_NAM, { datamapper: UNKNOWN })),
    ).toBe("nothing");
  });
});

describe.skipIf(!hasRecordings)("recorded answers of the IMF (../shared/data)", () => {
  test("SDMX-ML 3.0 is read as SDMX-ML 2.1 is", async () => {
    const { records } = await playMacro("macroForecasts", imfForecast, VIET_NAM, {
      "sdmx/3.0": recordedText("doors/imf-weo-sdmx3.fake.xml"),
    });
    expect(records[0]).toMatchObject({
      origin: "IMF WEO 2026-10 (annual, interpolated)",
      values: [
        { year: 2026, quarter: 4, value: 6.1 },
        ...[1, 2, 3, 4].map((quarter) => ({ year: 2027, quarter, value: 6 })),
        ...[1, 2, 3, 4].map((quarter) => ({ year: 2028, quarter, value: 5.9 })),
      ],
    });
  });

  const body = () => recordedText("imf/sdmx_WEO-data.xml");
  const played = (text: string) =>
    playMacro("macroForecasts", imfForecast, queryOf("VN", "2018-11-20"), {
      datamapper: { status: 403, body: "" },
      "sdmx/3.0": text,
    });

  test("an SDMX answer of April 2026 is read; it has no figures of Viet Nam", async () => {
    const { records } = await play({
      "sdmx/3.0": body(),
      NGDP_RPCH: values("NGDP_RPCH", { "2026": 6 }),
    });
    expect(records).toMatchObject([{ origin: "IMF WEO (annual, interpolated)" }]);
    expect(await faultOf(play({ "sdmx/3.0": body() }))).toBe("nothing");
  });

  test("its series under another name gives its value and its edition", async () => {
    // The one observation recorded: Slovakia's real GDP of 2018, 94,669 million.
    const text = body().replace(
      '<Series COUNTRY="SVK" INDICATOR="NGDP_R"',
      '<Series COUNTRY="VNM" INDICATOR="NGDP_RPCH"',
    );
    expect((await played(text)).records).toMatchObject([
      {
        origin: "IMF WEO 2025-10 (annual, interpolated)",
        values: [{ year: 2018, quarter: 4, value: 94_669_000_000 }],
      },
    ]);
  });

  test("the WEO of October 2023 interpolates to quarters", async () => {
    const rows = recordedText("imf/WEOOct2023_USA_JPN_VNM.csv")
      .split("\n")
      .map((row) => row.split(","));
    const growth = Object.fromEntries(
      rows
        .filter(([, country]) => country === "Vietnam" || country === "Viet Nam")
        .map(([year = "", , , value]) => [year, Number(value)]),
    );
    expect(Object.keys(growth).length).toBeGreaterThan(40);
    const { records } = await play(
      { NGDP_RPCH: values("NGDP_RPCH", growth) },
      queryOf("VN", "2023-11-20"),
    );
    expect(records[0]?.values[0]?.value).toBe(Number(growth["2023"]?.toFixed(1)));
    expect(records[0]?.values.length).toBe(9);
  });
});
