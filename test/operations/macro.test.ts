import { afterAll, describe, expect, test } from "bun:test";
import { getMacroIndicators } from "#operations/get-macro-indicators.ts";
import { openHandMade } from "../support/contract-answers.ts";
import {
  calendarEvent,
  macroForecast,
  macroSeries,
  STORED_AT,
} from "../support/contract-market.ts";
import { expectError } from "../support/error.ts";
import { openTestMarket } from "../support/market.ts";
import { START } from "../support/service.ts";

const world = openHandMade();
const empty = openHandMade({ filled: false });
afterAll(() => {
  world.close();
  empty.close();
});

describe("macro figures as they were known on a day", () => {
  const own = openHandMade({ filled: false });
  afterAll(() => own.close());
  const store = (day: string, values: readonly number[]) => {
    const observations = values.map((value, i) => ({ period: `2026-0${7 + i}`, value }));
    const series = { ...macroSeries("JP", "gdp", "gdp", [1]), observations };
    const provenance = { source: "test", storedAt: Date.parse(`${day}T06:00Z`) };
    own.market.transaction(() => own.market.put("macroSeries", [series], provenance));
  };
  store("2026-11-02", [1, 2]);
  store("2026-11-10", [1, 2, 3]);
  store("2026-11-16", [1, 2.2, 3.3]);
  const args = { country: "JP", series: "gdp of JP" };
  const history = (more: object) =>
    own.answer<{ columns: string[]; rows: unknown[]; revisions?: { rows: unknown[] } }>(
      "get_macro_history",
      { ...args, ...more },
    );

  test("are the figures of that day, and unknown before the first one", async () => {
    expect((await history({ known_on: "2026-11-02" })).rows).toEqual([
      ["2026-07", 1],
      ["2026-08", 2],
    ]);
    for (const known_on of ["2026-11-10", "2026-11-15"])
      expect((await history({ known_on })).rows).toEqual([
        ["2026-07", 1],
        ["2026-08", 2],
        ["2026-09", 3],
      ]);
    await expectError(() => history({ known_on: "2026-11-01" }), "not_found");
    const indicators = await own.answer("get_macro_indicators", {
      country: "JP",
      known_on: "2026-11-12",
    });
    expect(indicators).toMatchObject({ gdp: [{ latest: 3, previous: 2 }] });
  });

  test("have their first figure, their day and every revision", async () => {
    const { columns, rows, revisions } = await history({ revisions: true });
    expect(columns).toEqual(["period", "value", "first", "first_known_on"]);
    expect(rows).toEqual([
      ["2026-07", 1, null, null],
      ["2026-08", 2.2, null, null],
      ["2026-09", 3.3, 3, "2026-11-10"],
    ]);
    const all = [
      ["2026-07", "2026-11-02", 1, false],
      ["2026-08", "2026-11-02", 2, false],
      ["2026-08", "2026-11-16", 2.2, false],
      ["2026-09", "2026-11-10", 3, true],
      ["2026-09", "2026-11-16", 3.3, false],
    ];
    expect(revisions?.rows).toEqual(all);
    const earlier = await history({ revisions: true, known_on: "2026-11-10" });
    expect(earlier.revisions?.rows).toEqual(all.filter(([, day]) => String(day) <= "2026-11-10"));
  });
});

describe("get_macro_indicators", () => {
  test("returns latest and previous as numbers and as text, also zero", async () => {
    expect(await world.answer("get_macro_indicators", { country: "US" })).toEqual({
      prices: [
        {
          name: "cpi-yoy of US",
          latest: 2.5,
          previous: 3,
          latest_raw: "2.5%",
          previous_raw: "3.0%",
          unit: "%",
          period: "2026-10",
          source: "test",
        },
      ],
      labor: [
        {
          name: "Unemployment rate",
          latest: 0,
          previous: 4.4,
          latest_raw: "0.0%",
          previous_raw: "4.4%",
          unit: "%",
          period: "2026-10",
          source: "test",
        },
      ],
    });
  });

  test("leaves out a series with one observation, which has no previous figure", async () => {
    const data = await world.answer("get_macro_indicators", { country: "US", category: "labor" });
    expect(JSON.stringify(data)).not.toContain("brand-new");
  });

  test("has details, such as maturities of a yield curve, only with their category", async () => {
    const own = openHandMade({ filled: false });
    const m2 = macroSeries("JP", "money", "m2-yoy", [1.4, 1.5]);
    const detail = { ...macroSeries("JP", "money", "yield-curve-2y", [1.2, 1.3]), isDetail: true };
    const provenance = { source: "test", storedAt: STORED_AT };
    const namesOf = async (args: object) =>
      Object.values(
        await own.answer<Record<string, { name: string }[]>>("get_macro_indicators", {
          country: "JP",
          ...args,
        }),
      )
        .flat()
        .map(({ name }) => name);
    own.market.transaction(() => own.market.put("macroSeries", [detail], provenance));
    // They are better than nothing.
    expect(await namesOf({})).toEqual([detail.name]);
    own.market.transaction(() => own.market.put("macroSeries", [m2], provenance));
    expect(await namesOf({})).toEqual([m2.name]);
    expect(await namesOf({ category: "money" })).toEqual([detail.name, m2.name]);
    own.close();
  });

  test("to ends each series with a period that begins by then", async () => {
    const own = openHandMade({ filled: false });
    const m2 = macroSeries("JP", "money", "m2-yoy", [1.4, 1.5, 1.6]);
    own.market.transaction(() =>
      own.market.put("macroSeries", [m2], { source: "test", storedAt: STORED_AT }),
    );
    const answer = (to: string) => own.answer("get_macro_indicators", { country: "JP", to });
    const [, second, third] = m2.observations.map(({ period }) => period);
    expect(await answer(`${third}-01`)).toMatchObject({ money: [{ latest: 1.6, previous: 1.5 }] });
    expect(await answer(`${second}-28`)).toMatchObject({ money: [{ latest: 1.5, previous: 1.4 }] });
    // One figure has no previous one.
    const { message } = await expectError(() => answer("2000-01-01"), "invalid_argument");
    expect(message).toBe("No macro indicators of Japan are stored until 2000-01-01.");
    own.close();
  });

  test("puts the same figure of several countries together, and names countries without it", async () => {
    const own = openHandMade({ filled: false });
    const series = (country: "US" | "JP" | "VN", category: "money" | "prices", name: string) => ({
      ...macroSeries(country, category, name.toLowerCase().replaceAll(" ", "-"), [1, 2]),
      name,
    });
    own.market.transaction(() =>
      own.market.put(
        "macroSeries",
        [
          series("US", "money", "Fed funds target (upper)"),
          series("US", "money", "10-year Treasury yield"),
          series("US", "prices", "PCE inflation YoY"),
          series("JP", "money", "BoJ policy rate"),
          series("VN", "money", "Refinancing rate"),
          series("JP", "money", "10-year JGB yield"),
        ],
        { source: "test", storedAt: STORED_AT },
      ),
    );
    const answer = async (args: Record<string, unknown>) =>
      Object.values(
        await own.answer<Record<string, { country: string; name: string; without?: string }[]>>(
          "get_macro_indicators",
          args,
        ),
      )
        .flat()
        .map(({ country, name, without }) => [country, name, ...(without ? [without] : [])]);
    const money = [
      ["US", "Fed funds target (upper)"],
      ["JP", "BoJ policy rate"],
      ["VN", "Refinancing rate"],
      ["US", "10-year Treasury yield", "VN"],
      ["JP", "10-year JGB yield"],
    ];
    expect(await answer({ country: "US", countries: "VN,JP" })).toEqual(money);
    expect(await answer({ countries: "US,JP,VN", category: "money" })).toEqual(money);
    const columnsOf = (args: object) =>
      getMacroIndicators.table?.({}, args as never).columns.join();
    const figures =
      "name,latest,previous,latest_raw,previous_raw,unit,period,previous_period,source";
    expect(columnsOf({ countries: "JP,VN" })).toBe(`category,country,${figures},without`);
    expect(columnsOf({ country: "JP" })).toBe(`category,${figures}`);
    const prices = { countries: "US,JP", category: "prices" };
    expect(await answer(prices)).toEqual([["US", "PCE inflation YoY", "JP"]]);
    const missing = { countries: "JP,VN", category: "prices" };
    await expectError(() => answer(missing), "not_found");
    own.close();
  });

  test("is not found for an unknown category, an empty category or an empty market", async () => {
    for (const [{ envelope }, args] of [
      [world, { country: "US", category: "weather" }],
      [world, { country: "US", category: "energy" }],
      [empty, { country: "US" }],
    ] as const) {
      await expectError(() => envelope("get_macro_indicators", args), "not_found");
    }
  });
});

describe("get_macro_history", () => {
  const history = (args: object) => world.answer("get_macro_history", { country: "US", ...args });

  test("has the figures of several countries side by side, each with its unit and length", async () => {
    const own = openHandMade({ filled: false });
    const of = (country: "US" | "JP" | "VN", name: string, unit: string, periods: object) => ({
      ...macroSeries(country, "trade", name.toLowerCase().replaceAll(" ", "-"), []),
      name,
      unit,
      observations: Object.entries(periods).map(([period, value]) => ({ period, value })),
    });
    const us = { "2026-07": 1, "2026-08": 2, "2026-09": 3, "2026-10": 4 };
    own.market.transaction(() =>
      own.market.put(
        "macroSeries",
        [
          of("US", "Trade balance", "USD bn", us),
          of("JP", "Goods trade balance", "JPY bn", { "2026-Q2": 50, "2026-Q3": 60 }),
          of("VN", "Exports YoY", "%", { "2026-10": 5 }),
        ],
        { source: "test", storedAt: STORED_AT },
      ),
    );
    const answer = (args: Record<string, unknown>) => own.answer<object>("get_macro_history", args);
    const all = { countries: "US,JP,VN", series: "Trade balance" };
    expect(await answer(all)).toEqual({
      name: "Trade balance / Goods trade balance",
      category: "trade",
      unit: "USD bn / JPY bn",
      frequency: "irregular",
      series: {
        columns: ["country", "name", "unit", "frequency", "first", "last"],
        rows: [
          ["US", "Trade balance", "USD bn", "monthly", "2026-07", "2026-10"],
          ["JP", "Goods trade balance", "JPY bn", "quarterly", "2026-Q2", "2026-Q3"],
        ],
      },
      columns: ["period", "US", "JP"],
      rows: [
        ["2026-Q2", null, 50],
        ["2026-07", 1, null],
        ["2026-08", 2, null],
        ["2026-09", 3, null],
        ["2026-Q3", null, 60],
        ["2026-10", 4, null],
      ],
      total: 6,
      without: {
        VN: 'Series "Trade balance" not found in Viet Nam. get_macro_indicators has all names.',
      },
      // The fourth quarter of Japan is to come; months are no quarters.
      reasons: { not_published: ["US", "JP"], not_released: ["JP of 2026-10"] },
      source: "test",
    });
    const us2 = of("US", "Exports YoY", "%", { "2026-09": 3 });
    own.market.transaction(() =>
      own.market.put("macroSeries", [us2], { source: "test", storedAt: STORED_AT }),
    );
    // October of the United States is not released yet.
    expect(await answer({ countries: "US,VN", series: "Exports YoY" })).toMatchObject({
      rows: [
        ["2026-09", 3, null],
        ["2026-10", null, 5],
      ],
      reasons: { not_released: ["US"], not_published: ["VN"] },
    });
    // The name of one country finds the figure of another, in whichever order.
    expect(await answer({ ...all, series: "Goods trade balance", limit: 1 })).toMatchObject({
      columns: ["period", "US", "JP"],
      rows: [["2026-10", 4, null]],
      total: 6,
    });
    expect(await answer({ ...all, from: "2026-10-01" })).toMatchObject({
      columns: ["period", "US"],
      without: { JP: expect.stringContaining("its figures are from 2026-Q2 to 2026-Q3") },
    });
    // One country answers as it always did.
    expect(await answer({ countries: "US", series: "Trade balance" })).toEqual(
      await answer({ country: "US", series: "Trade balance" }),
    );
    await expectError(() => answer({ ...all, series: "Rainfall" }), "not_found");
    own.close();
  });

  test("returns the figures of the series with that name or id, in any letter case", async () => {
    const unemployment = {
      name: "Unemployment rate",
      category: "labor",
      unit: "%",
      frequency: "monthly",
      columns: ["period", "value"],
      rows: [
        ["2026-09", 4.4],
        ["2026-10", 0],
      ],
      total: 2,
      source: "test",
    };
    expect(await history({ series: "unemployment RATE" })).toEqual(unemployment);
    expect(await history({ series: "unemployment" })).toEqual(unemployment);
    for (const series of ["Jobless rate", "失業率", "Tỷ lệ thất nghiệp"])
      expect(await history({ series })).toEqual(unemployment);
  });

  test("is narrowed by dates, which may lie within a period, and by limit", async () => {
    const series = "unemployment";
    const rows = async (args: object) => (await history({ series, ...args }))["rows"];
    expect(await rows({ from: "2026-10-15" })).toEqual([["2026-10", 0]]);
    expect(await rows({ to: "2026-09-01" })).toEqual([["2026-09", 4.4]]);
    expect(await rows({ from: "2026-09-30", to: "2026-10-01" })).toHaveLength(2);
    expect(await history({ series, limit: 1 })).toMatchObject({
      rows: [["2026-10", 0]],
      total: 2,
      more: "The newest 1 of 2 figures. Older ones: a higher limit, or to=2026-09-30.",
    });
  });

  test.each([
    ["unemploymet", "The nearest names: Unemployment rate. get_macro_indicators has all names."],
    ["CPI", "The nearest names: cpi-yoy of US. get_macro_indicators has all names."],
    ["weather", "get_macro_indicators has all names."],
  ])("is not found for %s, with the nearest names", async (series, hint) => {
    const { message, details } = await expectError(() => history({ series }), "not_found");
    expect([message, details.hint]).toEqual([
      `Series ${JSON.stringify(series)} not found in United States.`,
      hint,
    ]);
  });

  test.each([
    [
      { to: "2026-08-31" },
      "Unemployment rate has no figure in this period: its figures are from 2026-09 to 2026-10.",
    ],
    [
      { from: "2026-11-02", to: "2026-11-01" },
      "from must not be after to: 2026-11-02 is after 2026-11-01.",
    ],
  ])("refuses %j", async (args, message) => {
    const refused = () => history({ series: "unemployment", ...args });
    expect((await expectError(refused, "invalid_argument")).message).toBe(message);
  });
});

describe("macro forecasts as they were known on a day", () => {
  const own = openHandMade({ filled: false });
  afterAll(() => own.close());
  const store = (day: string, value: number | null, publishedOn?: string) => {
    const one = {
      ...macroForecast("US", "GDP growth", 3, [value, 2]),
      ...(publishedOn !== undefined && { publishedOn }),
    };
    const other = macroForecast("US", "Prices", 3, [7]);
    const records = value === null ? [other] : [one, other];
    const provenance = { source: "imf", storedAt: Date.parse(`${day}T06:00Z`) };
    own.market.transaction(() =>
      own.market.put("macroForecasts", records, provenance, { country: "US" }),
    );
  };
  store("2026-09-15", 1);
  store("2026-10-20", 3, "2026-10-14");
  store("2026-10-25", 3, "2026-10-14");
  store("2026-11-02", null);
  store("2026-11-04", 5);
  // A correction on the same day.
  store("2026-11-04", 6);
  // A publication before the newest vintage counts from the day on which it was stored.
  store("2026-11-10", 8, "2026-10-30");
  const on = (known_on: string) =>
    own.answer<{ timestamp: string }>("get_macro_forecast", { country: "US", known_on });

  test("a newer publication counts from its day, and a removal from the day after", async () => {
    const first = async (day: string) =>
      own.market
        .asKnownOn(day)
        .documents.list("macroForecasts", "US")
        .map(({ name, values }) => `${name} ${values[0]?.value}`);
    expect(await first("2026-09-14")).toEqual([]);
    expect(await first("2026-10-13")).toEqual(["GDP growth 1", "Prices 7"]);
    expect(await first("2026-10-14")).toEqual(["GDP growth 3", "Prices 7"]);
    expect(await first("2026-11-01")).toEqual(["GDP growth 3", "Prices 7"]);
    expect(await first("2026-11-02")).toEqual(["Prices 7"]);
    expect(await first("2026-11-04")).toEqual(["GDP growth 6", "Prices 7"]);
    expect(await first("2026-11-09")).toEqual(["GDP growth 6", "Prices 7"]);
    expect(await first("2026-11-10")).toEqual(["GDP growth 8", "Prices 7"]);
    // The record of a publication was stored later.
    expect((await on("2026-10-14")).timestamp).toStartWith("2026-10-14");
  });

  test("of a write that keeps none are known from the time at which they were stored", async () => {
    using home = openTestMarket();
    const { market } = home;
    const put = (day: string, names: readonly string[], value: number, country: "US" | null) =>
      market.transaction(() =>
        market.put(
          "macroForecasts",
          names.map((name) => macroForecast("US", name, 4, [value])),
          { source: "sample", storedAt: Date.parse(day) },
          { country },
        ),
      );
    const on = (day: string) =>
      market
        .asKnownOn(day)
        .documents.list("macroForecasts", "US")
        .map(({ name, values }) => `${name} ${values[0]?.value}`);
    put("2026-11-01", ["A", "B"], 1, null);
    put("2026-11-03", ["A", "B"], 2, "US");
    put("2026-11-05", ["A", "B"], 3, null);
    // As an import of one forecast, beside which the others stay.
    market.transaction(() =>
      market.put("macroForecasts", [macroForecast("US", "A", 4, [4])], {
        source: "import",
        storedAt: Date.parse("2026-11-07"),
      }),
    );
    expect(on("2026-10-31")).toEqual([]);
    expect(on("2026-11-02")).toEqual(["A 1", "B 1"]);
    expect(on("2026-11-04")).toEqual(["A 2", "B 2"]);
    expect(on("2026-11-06")).toEqual(["A 3", "B 3"]);
    expect(on("2026-11-07")).toEqual(["A 4", "B 3"]);
  });

  test("keep an earlier publication of the same source beside the newest one, in any order", () => {
    using home = openTestMarket();
    const { market } = home;
    const put = (source: string, day: string, publishedOn: string, value: number) =>
      market.transaction(() =>
        market.put(
          "macroForecasts",
          [{ ...macroForecast("US", "A", 4, [value]), publishedOn }],
          { source, storedAt: Date.parse(day) },
          { country: "US" },
        ),
      );
    const on = (day: string) =>
      market
        .asKnownOn(day)
        .documents.list("macroForecasts", "US")
        .map(({ values }) => values[0]?.value)
        .join();
    const days = ["2025-12-31", "2026-01-20", "2026-04-20", "2026-10-20", "2026-11-20"];
    const all = () => [
      ...days.map(on),
      market.documents.list("macroForecasts", "US")[0]?.values[0]?.value,
    ];
    put("imf", "2026-11-01", "2026-02-01", 9);
    put("import", "2026-11-20", "2026-10-14", 3);
    put("import", "2026-11-21", "2026-01-15", 1);
    put("import", "2026-11-22", "2026-04-15", 2);
    expect(all()).toEqual(["", "1", "2", "3", "3", 3]);
    put("import", "2026-11-22", "2026-01-15", 0);
    expect(all()).toEqual(["", "0", "2", "3", "3", 3]);
    // Without its import, what the source gave counts again.
    const key = { kind: "macroForecasts", country: "US", key: "gdp/A" } as const;
    market.transaction(() => market.imported.remove([key]));
    expect(days.map(on)).toEqual(["", "", "9", "9", "9"]);
  });

  test("are not found before the first day, which is not named", async () => {
    const refused = () => on("2026-09-14");
    expect((await expectError(refused, "not_found")).message).toBe(
      "No macro forecasts of United States are stored. With known_on, a forecast counts from the day of its publication or of its first fetch.",
    );
  });
});

describe("get_macro_forecast", () => {
  test("has the forecasts of several countries, each with its code, and names a country without any", async () => {
    const own = openHandMade({ filled: false });
    const gdp = (country: "US" | "VN") => macroForecast(country, "GDP growth", 4, [2, 3]);
    own.market.transaction(() =>
      own.market.put("macroForecasts", [gdp("US"), gdp("VN")], {
        source: "oecd",
        storedAt: STORED_AT,
      }),
    );
    const ask = (args: Record<string, unknown>) =>
      own.answer<{ categories: Record<string, object[]> }>("get_macro_forecast", args);
    const answer = await ask({ country: "VN", countries: "US,JP" });
    expect(answer).toMatchObject({
      country: "united-states, japan, viet-nam",
      without: { JP: expect.stringContaining("No macro forecasts of Japan are stored.") },
      summary: { indicators_total: 2, categories: 1 },
    });
    const of = async (country: string) => Object.values((await ask({ country })).categories)[0];
    expect(Object.values(answer.categories).flat()).toEqual([
      { country: "US", ...(await of("US"))?.[0] },
      { country: "VN", ...(await of("VN"))?.[0] },
    ]);
    own.close();
  });

  test("has only the wanted categories, and the latest figure of the series of the same name", async () => {
    const own = openHandMade({ filled: false });
    const gdp = macroForecast("US", "Real GDP growth", 4, [2, 3]);
    const provenance = { source: "oecd", storedAt: STORED_AT };
    own.market.transaction(() => {
      own.market.put(
        "macroForecasts",
        [
          gdp,
          { ...gdp, name: "CPI inflation", category: "prices" },
          { ...gdp, name: "House prices", category: "housing", unit: "index" },
        ],
        provenance,
      );
      own.market.put(
        "macroSeries",
        [
          { ...macroSeries("US", "gdp", "gdp", [1.4, 1.5]), name: "GDP growth" },
          // The same name in another unit is another figure.
          { ...macroSeries("US", "housing", "house-prices", [4]), name: "House prices" },
        ],
        { ...provenance, source: "fred" },
      );
    });
    const answer = (categories?: string) =>
      own.answer<{ categories: Record<string, object[]>; source: string }>("get_macro_forecast", {
        country: "US",
        ...(categories && { categories }),
      });
    const all = await answer();
    expect(Object.keys(all.categories)).toEqual(["gdp", "prices", "housing"]);
    expect(all.categories["gdp"]).toMatchObject([{ latest: "1.5", latest_period: "2026-10" }]);
    expect(all.categories["housing"]).toMatchObject([{ latest: "—", latest_period: "—" }]);
    expect(all.source).toBe("fred, oecd");
    const two = await answer("prices,gdp");
    expect(Object.keys(two.categories)).toEqual(["gdp", "prices"]);
    expect(two).toMatchObject({ summary: { indicators_total: 2, categories: 2 } });
    for (const [categories, message] of [
      ["labor", "No labor forecasts of United States are stored."],
      [
        "gdp,weather",
        'categories must be one or more of gdp, labor, prices, money, consumer, housing, business, trade, government, energy, comma-separated, not "gdp,weather".',
      ],
    ] as const) {
      expect((await expectError(() => answer(categories), "not_found")).message).toBe(message);
    }
    own.close();
  });

  test("begins with the current quarter and leaves out missing figures", async () => {
    const data = await world.answer("get_macro_forecast", { country: "US" });
    // Stored in the third quarter of 2026; now is the fourth.
    expect(data).toEqual({
      country: "united-states",
      timestamp: new Date(STORED_AT).toISOString(),
      forecast_horizons: ["Q4/26", "Q1/27", "Q2/27", "Q3/27"],
      categories: {
        gdp: [
          {
            name: "GDP growth",
            unit: "%",
            // No series has this name.
            latest: "—",
            latest_period: "—",
            "Q4/26": "2.0",
            "Q1/27": "3.0",
            "Q2/27": "4.0",
            "Q3/27": "5.0",
          },
          {
            name: "GDP per capita growth",
            unit: "%",
            latest: "—",
            latest_period: "—",
            "Q4/26": "1.5",
            "Q2/27": "2.5",
          },
        ],
      },
      summary: { indicators_total: 2, categories: 1 },
      metadata: { source: "by hand" },
      reasons: { not_published: ["latest", "latest_period"] },
      source: "test",
    });
  });

  test("has at most eight quarters", async () => {
    const data = await world.answer("get_macro_forecast", { country: "VN" });
    expect(data["forecast_horizons"]).toEqual(
      "Q4/26 Q1/27 Q2/27 Q3/27 Q4/27 Q1/28 Q2/28 Q3/28".split(" "),
    );
    expect(data["country"]).toBe("viet-nam");
  });

  test("begins with the next quarter when a quarter ends", async () => {
    world.time.now = Date.parse("2027-01-01T00:00:00Z");
    const { forecast_horizons } = await world.answer("get_macro_forecast", { country: "JP" });
    expect(forecast_horizons).toEqual(["Q1/27", "Q2/27", "Q3/27"]);
    world.time.now = START;
  });

  test("is not found without forecasts or if all are in the past", async () => {
    world.time.now = Date.parse("2031-01-01T00:00:00Z");
    await expectError(() => world.envelope("get_macro_forecast", { country: "US" }), "not_found");
    world.time.now = START;
    await expectError(() => empty.envelope("get_macro_forecast", { country: "US" }), "not_found");
  });

  test("writes the year with two digits", async () => {
    const far = openHandMade({ filled: false });
    const forecast = macroForecast("US", "GDP", 1, [1, 2]);
    const values = forecast.values.map((value) => ({ ...value, year: value.year + 80 }));
    far.market.transaction(() =>
      far.market.put("macroForecasts", [{ ...forecast, values }], { source: "test", storedAt: 0 }),
    );
    const { forecast_horizons } = await far.answer("get_macro_forecast", { country: "US" });
    expect(forecast_horizons).toEqual(["Q1/06", "Q2/06"]);
    far.close();
  });
});

describe("get_macro_calendar", () => {
  const ids = async (args: Record<string, unknown>) => {
    const data = await world.answer<{ events: { id: string }[]; summary: object }>(
      "get_macro_calendar",
      args,
    );
    return { ids: data.events.map(({ id }) => id), summary: data.summary };
  };

  test("lists events of all countries dated today or later, soonest first", async () => {
    // The event of the 20th was four hours before 05:30, but it is on today's date.
    expect(await ids({})).toEqual({
      ids: [
        "US-2026-11-20-13:30-medium",
        "JP-2026-11-24-09:00-medium",
        "US-2026-11-24-09:00-low",
        "US-2026-11-24-13:30-high",
        "VN-2026-12-06-02:00-high",
      ],
      summary: { total: 5, high: 2, medium: 2, low: 1 },
    });
  });

  test("filters by country and importance, and counts before the limit", async () => {
    expect(await ids({ country: "US", limit: 1 })).toEqual({
      ids: ["US-2026-11-20-13:30-medium"],
      summary: { total: 3, high: 1, medium: 1, low: 1 },
    });
    expect(await ids({ importance: "high,low" })).toEqual({
      ids: ["US-2026-11-24-09:00-low", "US-2026-11-24-13:30-high", "VN-2026-12-06-02:00-high"],
      summary: { total: 3, high: 2, medium: 0, low: 1 },
    });
    expect((await ids({ importance: "all" })).ids).toHaveLength(5);
  });

  test("filters by dates and by several countries, also in the past", async () => {
    expect((await ids({ from: "2026-11-19", to: "2026-11-20" })).ids).toEqual([
      "US-2026-11-19-13:30-high",
      "US-2026-11-20-13:30-medium",
    ]);
    expect((await ids({ countries: "VN,JP" })).ids).toEqual([
      "JP-2026-11-24-09:00-medium",
      "VN-2026-12-06-02:00-high",
    ]);
    expect((await ids({ to: "2026-11-20" })).summary).toMatchObject({ total: 1 });
    for (const [args, message] of [
      [
        { to: "2026-11-19" },
        "to (2026-11-19) is before today, 2026-11-20. For past events, give from, too.",
      ],
      [
        { from: "2026-12-02", to: "2026-12-01" },
        "from must not be after to: 2026-12-02 is after 2026-12-01.",
      ],
      [{ country: "US", countries: "JP" }, "Use country or countries, not both."],
      [
        { countries: "US,us" },
        'countries must be one or more of US, JP, VN, comma-separated, not "US,us".',
      ],
    ] as const) {
      expect((await expectError(() => ids(args), "invalid_argument")).message).toBe(message);
    }
  });

  test("uses the UTC date as today", async () => {
    world.time.now = Date.parse("2026-11-20T23:59:59.999Z");
    expect((await ids({})).ids[0]).toBe("US-2026-11-20-13:30-medium");
    world.time.now = Date.parse("2026-11-21T00:00:00.000Z");
    expect((await ids({})).ids[0]).toBe("JP-2026-11-24-09:00-medium");
    world.time.now = START;
  });

  test("has the fields of the contract, null if not available", async () => {
    const { events } = await world.answer<{ events: object[] }>("get_macro_calendar", {
      country: "VN",
    });
    expect(events).toEqual([
      {
        id: "VN-2026-12-06-02:00-high",
        country: "viet nam",
        event: "GDP growth rate",
        date: "2026-12-06",
        time: "02:00",
        local_time: "09:00+07:00",
        importance: "high",
        previous: "2.1%",
        forecast: null,
        consensus: null,
        actual: null,
        currency: "VND",
        unit: "%",
      },
    ]);
  });

  // [unit of the event, unit of its series, title, previous, then the unit and the currency of the answer]
  test.each([
    // A column of an import.
    ["USD bn", null, "Trade balance", "2.2B", "USD bn", "USD"],
    ["VND/L", null, "Petrol price", "20,500", "VND/L", "VND"],
    ["million t", null, "Coal output", "3.9M", "million t", "VND"],
    ["€ mn", null, "Exports to Germany", "912", "€ mn", "EUR"],
    // The stored series.
    [null, "USD bn", "FDI disbursed", "2.3B", "USD bn", "USD"],
    [null, "USD bn", "FDI disbursed", "2.3", "USD bn", "USD"],
    [null, "thousand", "Foreign visitors", "1,750K", "thousand", "VND"],
    [null, "JPY bn", "Loans of JICA", "-68.2 JPY bn", "JPY bn", "JPY"],
    // A figure that is not in the unit of the series.
    [null, "USD bn", "FDI disbursed", "2,300M", undefined, "VND"],
    [null, "thousand", "Foreign visitors", "12%", "%", "VND"],
    [null, "VND tn", "Foreign reserves", "$82B", undefined, "USD"],
    // The text alone.
    [null, null, "CPI y/y", "3.2%", "%", "VND"],
    [null, null, "Foreign reserves (USD)", "82.1B", undefined, "USD"],
    [null, null, "Natural gas storage", "15B", undefined, "VND"],
    [null, null, "CFTC JPY net positions", "15K", undefined, "VND"],
  ] as const)(
    "an event in %p with a series in %p, %p %p, is in %p and %p",
    async (unit, ofSeries, event, previous, answered, currency) => {
      const own = openHandMade({ filled: false });
      const { id, ...series } = macroSeries("VN", "trade", "some-series", [1, 2]);
      const publication = {
        ...calendarEvent("VN", "2026-12-06", "02:00", "high"),
        ...(unit !== null && { unit }),
        event,
        previous,
        series: id,
      };
      const at = { source: "test", storedAt: 5 };
      own.market.transaction(() => {
        own.market.put("calendarEvents", [publication], at, { country: null });
        if (ofSeries === null) return;
        own.market.put("macroSeries", [{ ...series, id, unit: ofSeries }], at);
      });
      const { events } = await own.answer<{ events: { unit?: string }[] }>("get_macro_calendar");
      expect(events).toMatchObject([{ previous, currency }]);
      expect(events[0]?.unit).toBe(answered);
      own.close();
    },
  );

  test("fills the figures of a publication from its stored series", async () => {
    const own = openHandMade({ filled: false });
    const publication = (date: string, period: string, more: object = {}) => ({
      ...calendarEvent("VN", date, "02:00", "high"),
      previous: null,
      series: "cpi-yoy",
      period,
      ...more,
    });
    const put = (...events: ReturnType<typeof publication>[]) =>
      own.market.transaction(() =>
        own.market.put(
          "calendarEvents",
          events,
          { source: "test", storedAt: 5 },
          { country: null },
        ),
      );
    // Of September and October 2026.
    const series = macroSeries("VN", "prices", "cpi-yoy", [3.1, 3.2]);
    own.market.transaction(() =>
      own.market.put("macroSeries", [series], { source: "office", storedAt: 3 }),
    );
    const figures = async () => {
      const { body, source, storedAt } = await own.execute("get_macro_calendar");
      const { data } = JSON.parse(body) as {
        data: { events: { previous: unknown; actual: unknown }[]; source: string };
      };
      const { events } = data;
      expect(data.source).toBe(source ?? "");
      return { source, storedAt, told: events.map(({ previous, actual }) => [previous, actual]) };
    };
    put(publication("2026-12-06", "2026-11"), publication("2027-01-06", "2026-12"));
    // The figure before December is not published yet.
    expect(await figures()).toEqual({
      source: "office, test",
      storedAt: 3,
      told: [
        ["3.2%", null],
        [null, null],
      ],
    });
    // On its day, after the series has the figure. Figures of the calendar's source take precedence.
    put(publication("2026-11-20", "2026-10"), publication("2026-11-21", "2026-11"));
    // The event after a published one knows its previous figure.
    expect((await figures()).told).toEqual([
      ["3.1%", "3.2%"],
      ["3.2%", null],
    ]);
    put(publication("2026-12-06", "2026-11", { previous: "3.3%" }));
    expect((await figures()).told).toEqual([["3.3%", null]]);
    put(publication("2026-12-06", "2026-11", { series: "unheard-of" }));
    expect(await figures()).toEqual({ source: "test", storedAt: 5, told: [[null, null]] });
    own.close();
  });

  test("returns 20 events by default and at most 200", async () => {
    const many = openHandMade({ filled: false });
    const events = Array.from({ length: 250 }, (_, i) => ({
      ...calendarEvent("US", "2026-12-01", "13:30", "low"),
      id: `event-${String(i).padStart(3, "0")}`,
    }));
    many.market.transaction(() =>
      many.market.put("calendarEvents", events, { source: "test", storedAt: 0 }),
    );
    const shown = async (args: object) =>
      (await many.answer<{ events: object[] }>("get_macro_calendar", { ...args })).events.length;
    expect(await shown({})).toBe(20);
    expect(await shown({ limit: 200 })).toBe(200);
    const { summary } = await many.answer("get_macro_calendar", { limit: 5 });
    expect(summary).toEqual({ total: 250, high: 0, medium: 0, low: 250 });
    many.close();
  });

  test("is an empty list without upcoming events", async () => {
    expect(await empty.answer("get_macro_calendar")).toEqual({
      events: [],
      summary: { total: 0, high: 0, medium: 0, low: 0 },
      reasons: { not_stored: ["events"] },
      source: null,
    });
  });
});
