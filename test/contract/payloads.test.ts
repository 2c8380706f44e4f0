import { afterAll, describe, expect, test } from "bun:test";
import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import { SECTORS } from "#domain/taxonomy.ts";
import { SYMBOLS } from "../support/contract-calls.ts";
import { CATEGORIES } from "../support/contract-exchange.ts";
import { START, startService } from "../support/service.ts";
import { listInstruments } from "../support/market.ts";

/** All fields and types of every payload, from the contract's tables. */

const service = await startService();
const token = service.createToken().token;
afterAll(() => service.stop());

type Fields = Record<string, unknown>;

const DATE = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;
const TODAY = "2026-11-20";
/** The newest completed sessions on Friday, 20 November 2026, 17:30 UTC: New York is still open. */
const NEWEST_SESSION = { US: "2026-11-19", JP: "2026-11-20", VN: "2026-11-20" };

/** The text of a figure, by kind: an ASCII minus, thousands commas, two decimals, or a dash. */
const RATIO = /^(—|-?\d{1,3}(,\d{3})*\.\d{2})$/;
const POSITIVE = /^(—|\d{1,3}(,\d{3})*\.\d{2})$/;
const BIG = /^(—|-?\d{1,3}(,\d{3})*\.\d{2}( [KMBT])? [A-Z]{3})$/;
const CHANGE = /^(—|0\.00%|[+-](?!0\.00%)\d{1,3}(,\d{3})*\.\d{2}%)$/;
const YIELD = /^(—|\d{1,3}(,\d{3})*\.\d{2}%)$/;
const PER_SHARE = /^(—|-?\d{1,3}(,\d{3})*\.\d{2} [A-Z]{3})$/;
const RATING = /^(—|Strong buy|Buy|Neutral|Sell|Strong sell)$/;
const TEXT = /^.+$/;

const OVERVIEW = {
  Name: TEXT,
  "Mkt cap": BIG,
  "P/E": POSITIVE,
  "EPS dilTTM": PER_SHARE,
  "EPS dil growthTTM YoY": CHANGE,
  "Div yield %TTM": YIELD,
  "Analyst rating": RATING,
  "Chg %": CHANGE,
};
const VALUATION = {
  "Mkt cap": BIG,
  EV: BIG,
  "P/E": POSITIVE,
  "P/B": POSITIVE,
  "EV/EBITDATTM": POSITIVE,
  "EV/revenueTTM": POSITIVE,
};
const PERFORMANCE = {
  "Perf %1W": CHANGE,
  "Perf %1M": CHANGE,
  "Perf %1Y": CHANGE,
  "Perf %5Y": CHANGE,
  "Perf %10Y": CHANGE,
};
const STATEMENT_HEAD = {
  Name: TEXT,
  "Fiscal periodCurrent": /^(—|Q[1-4] \d{4})$/,
  "Fiscal period endCurrent": /^(—|\d{4}-\d{2}-\d{2})$/,
};
const ROUNDING = { Rounding: TEXT };
const SOURCE = { Source: /^sample$/ };
const INCOME = {
  ...STATEMENT_HEAD,
  RevenueTTM: BIG,
  "Revenue growthTTM YoY": CHANGE,
  "Gross profitTTM": BIG,
  "Op incomeTTM": BIG,
  EBITDATTM: BIG,
  "Net incomeTTM": BIG,
  "EPS dilTTM": PER_SHARE,
  "EPS dil growthTTM YoY": CHANGE,
  ...ROUNDING,
  ...SOURCE,
};
const BALANCE = {
  ...STATEMENT_HEAD,
  "Total assetsFQ": BIG,
  "Current assetsFQ": BIG,
  "Cash on handFQ": BIG,
  "Total liabilitiesFQ": BIG,
  "Total debtFQ": BIG,
  "Net debtFQ": BIG,
  "Total equityFQ": BIG,
  "Current ratioFQ": RATIO,
  "Quick ratioFQ": RATIO,
  "Debt / equityFQ": RATIO,
  "Cash / debtFQ": RATIO,
  ...ROUNDING,
  ...SOURCE,
};
const CASH_FLOW = {
  ...STATEMENT_HEAD,
  "Operating CFTTM": BIG,
  "Investing CFTTM": BIG,
  "Financing CFTTM": BIG,
  FCFTTM: BIG,
  CAPEXTTM: BIG,
  ...ROUNDING,
  ...SOURCE,
};
const TECHNICALS = {
  Name: TEXT,
  "Price date": /^(—|\d{4}-\d{2}-\d{2})$/,
  "Tech rating": RATING,
  "MA rating": RATING,
  "Os rating": RATING,
  "RSI (14)": POSITIVE,
  "MACD (12,26)Level": RATIO,
  "MACD (12,26)Signal": RATIO,
  "Stoch (14,3,3)%K": POSITIVE,
  "Stoch (14,3,3)%D": POSITIVE,
  "CCI (20)": RATIO,
  "Mom (10)": RATIO,
  AO: RATIO,
  ...SOURCE,
};

/** A currency's price moves by less than a cent, so figures in its unit have more decimals. */
const FINE = /^(—|-?\d{1,3}(,\d{3})*\.\d{2,})$/;
const MONEY_TECHNICALS = {
  ...TECHNICALS,
  "MACD (12,26)Level": FINE,
  "MACD (12,26)Signal": FINE,
  "Mom (10)": FINE,
  AO: FINE,
};

/** Checks that a panel has every key of the contract and that each value is text of the right form. */
function expectPanel(panel: unknown, kinds: Record<string, RegExp>): void {
  const fields = panel as Fields;
  expect(Object.keys(fields)).toEqual(expect.arrayContaining(Object.keys(kinds)));
  for (const [key, value] of Object.entries(fields)) {
    if (typeof value !== "string") throw new Error(`${key} is no text: ${JSON.stringify(value)}`);
    // Only plain spaces and the ASCII minus.
    expect(`${key}: ${value}`).not.toMatch(
      /[\p{Cc}\u00a0\u2000-\u200f\u202f\u2212]|NaN|undefined|null|Infinity/u,
    );
    const kind = kinds[key];
    if (kind) expect(`${key}: ${value}`).toMatch(new RegExp(`: ${kind.source.slice(1)}`));
  }
}

async function get(path: string): Promise<{ country?: string; data: Fields; as_of: string }> {
  const response = await service.request(path, token);
  const body = await response.text();
  expect({ path, status: response.status, body: body.slice(0, 200) }).toMatchObject({
    status: 200,
  });
  return JSON.parse(body) as { country?: string; data: Fields; as_of: string };
}

/** Checks the envelope of a payload: exactly its keys, in this order. */
function expectEnvelope(envelope: object, country: Country | null): void {
  expect(Object.keys(envelope)).toEqual([...(country ? ["country"] : []), "data", "as_of"]);
  expect(envelope).toMatchObject({
    ...(country && { country }),
    as_of: new Date(START).toISOString(),
  });
}

const entriesOf = (value: unknown) => Object.entries(value as Fields);
const listOf = (value: unknown) => value as Fields[];
const figuresOf = (event: Fields) =>
  ["previous", "forecast", "consensus", "actual"].filter((key) => event[key] !== null);

describe("catalog", () => {
  test("lists the three countries with counts that add up", async () => {
    const envelope = await get("/data/markets");
    expectEnvelope(envelope, null);
    const { countries, supported_countries, total_symbols, ...more } = envelope.data;
    expect(more).toEqual({ source: "sample" });
    expect(supported_countries).toEqual(["US", "JP", "VN"]);
    expect(
      listOf(countries).map(({ code, name, currency, index_name }) => [
        code,
        name,
        currency,
        index_name,
      ]),
    ).toEqual([
      ["US", "United States", "USD", "S&P 500"],
      ["JP", "Japan", "JPY", "Nikkei 225"],
      ["VN", "Viet Nam", "VND", "VN-Index"],
    ]);
    let total = 0;
    for (const country of listOf(countries)) {
      expect(Object.keys(country)).toEqual(
        (
          "code name currency index_name asset_types asset_counts total_symbols " +
          "upcoming_holidays upcoming_half_days exchange"
        ).split(" "),
      );
      const counts = country["asset_counts"] as Record<string, number>;
      expect(Object.keys(counts)).toEqual(country["asset_types"] as string[]);
      for (const [assetType, count] of Object.entries(counts)) {
        expect("commodity cryptocurrency currency etf index reit stock".split(" ")).toContain(
          assetType,
        );
        expect(count).toBeGreaterThan(0);
        expect(Number.isInteger(count)).toBe(true);
      }
      const sum = Object.values(counts).reduce((a, b) => a + b, 0);
      expect(country["total_symbols"]).toBe(sum);
      total += sum;

      const holidays = listOf(country["upcoming_holidays"]);
      expect(holidays.length).toBeGreaterThan(0);
      for (const holiday of holidays) {
        expect(Object.keys(holiday)).toEqual(["date", "name"]);
        expect(String(holiday["date"])).toMatch(DATE);
        expect(String(holiday["date"]) >= TODAY).toBe(true);
        expect(String(holiday["name"])).toMatch(TEXT);
      }
      const dates = holidays.map(({ date }) => String(date));
      expect(dates).toEqual([...new Set(dates)].sort());
    }
    expect(total_symbols).toBe(total);
  });

  test("knows next week's holidays: Thanksgiving in New York, Labor Thanksgiving in Tokyo", async () => {
    const { data } = await get("/data/markets");
    const [us, jp] = listOf(data["countries"]).map(
      (country) => listOf(country["upcoming_holidays"])[0],
    );
    // The fourth Thursday of November 2026, and 23 November, a Monday.
    expect(us?.["date"]).toBe("2026-11-26");
    expect(jp?.["date"]).toBe("2026-11-23");
  });
});

describe.each([...COUNTRY_CODES])("%s", (country) => {
  const lowerName = { US: "united states", JP: "japan", VN: "viet nam" }[country];
  const currency = { US: "USD", JP: "JPY", VN: "VND" }[country];

  test("macro indicators: all ten categories, numbers and their text", async () => {
    const envelope = await get(`/data/macro/indicators?country=${country}`);
    expectEnvelope(envelope, country);
    expect(Object.keys(envelope.data).sort()).toEqual([...CATEGORIES].sort());
    for (const [, entries] of entriesOf(envelope.data)) {
      expect(listOf(entries).length).toBeGreaterThan(1);
      for (const entry of listOf(entries)) {
        expect(Object.keys(entry)).toEqual([
          "name",
          "latest",
          "previous",
          "latest_raw",
          "previous_raw",
          "unit",
          "period",
          ...("previous_period" in entry ? ["previous_period"] : []),
          "source",
        ]);
        const unit = String(entry["unit"]);
        if (unit !== "index") expect(String(entry["latest_raw"])).toEndWith(unit);
        const period = String(entry["period"]);
        expect(period).toMatch(/^\d{4}(-Q[1-4]|-\d{2}(-\d{2})?)?$/);
        // The previous period of a day cannot be known from the day.
        const isDay = /-\d{2}-\d{2}$/.test(period);
        expect("previous_period" in entry).toBe(isDay);
        if (isDay) expect(String(entry["previous_period"]) < period).toBe(true);
        expect(entry["source"]).toBe("sample");
        for (const [figure, text] of [
          [entry["latest"], entry["latest_raw"]],
          [entry["previous"], entry["previous_raw"]],
        ]) {
          expect(Number.isFinite(figure)).toBe(true);
          // The text begins with its number.
          expect(Number.parseFloat(String(text).replaceAll(",", ""))).toBe(Number(figure));
        }
      }
    }
  });

  test.each(CATEGORIES)("macro indicators of category %s alone", async (category) => {
    const one = await get(`/data/macro/indicators?country=${country}&category=${category}`);
    const all = await get(`/data/macro/indicators?country=${country}`);
    // The maturities of a yield curve are details.
    const isMaturity = ({ name }: Record<string, unknown>) =>
      String(name).startsWith("Yield curve, ");
    const entries = listOf(one.data[category]);
    const maturities = category === "money" ? { US: 14, JP: 15, VN: 0 }[country] : 0;
    expect(entries.filter(isMaturity)).toHaveLength(maturities);
    const others = entries.filter((entry) => !isMaturity(entry));
    expect({ ...one.data, [category]: others }).toEqual({ [category]: all.data[category] });
  });

  test("macro forecast: horizons from the current quarter on, entries, summary, source", async () => {
    const envelope = await get(`/data/macro/forecast?country=${country}`);
    expectEnvelope(envelope, country);
    const { data } = envelope;
    expect(Object.keys(data)).toEqual(
      "country timestamp forecast_horizons categories summary metadata source".split(" "),
    );
    expect(data["source"]).toBe("sample");
    expect(data["country"]).toBe(lowerName.replaceAll(" ", "-"));
    expect(String(data["timestamp"])).toMatch(INSTANT);

    const horizons = data["forecast_horizons"] as string[];
    const expected = ["Q4/26", "Q1/27", "Q2/27", "Q3/27", "Q4/27", "Q1/28", "Q2/28", "Q3/28"];
    expect(horizons).toEqual(expected.slice(0, horizons.length));
    expect(horizons.length).toBeGreaterThanOrEqual(4);

    let indicators = 0;
    for (const [category, entries] of entriesOf(data["categories"])) {
      expect(CATEGORIES).toContain(category);
      for (const entry of listOf(entries)) {
        indicators++;
        const { name, unit, latest, latest_period, ...figures } = entry;
        // Each forecast of the sample continues a series.
        expect(String(latest)).toMatch(/^-?[\d,]+(\.\d+)?$/);
        expect(String(latest_period)).toMatch(/^\d{4}-/);
        expect(String(name)).toMatch(TEXT);
        expect(unit).toBeString();
        expect(horizons).toEqual(expect.arrayContaining(Object.keys(figures)));
        expect(Object.keys(figures).length).toBeGreaterThan(0);
        for (const figure of Object.values(figures))
          expect(String(figure)).toMatch(/^-?[\d,]+(\.\d+)?$/);
      }
    }
    expect(data["summary"]).toEqual({
      indicators_total: indicators,
      categories: entriesOf(data["categories"]).length,
    });
    const { source } = data["metadata"] as Fields;
    expect(String(source)).toMatch(/sample/i);
  });

  test("calendar: events from today on, in order, counted before the limit", async () => {
    const envelope = await get(`/data/macro/calendar?country=${country}&limit=200`);
    expectEnvelope(envelope, null);
    expect(Object.keys(envelope.data)).toEqual(["events", "summary", "source"]);
    expect(envelope.data["source"]).toBe("sample");
    const events = listOf(envelope.data["events"]);
    const published = await get(`/data/macro/indicators?country=${country}`);
    const indicators = entriesOf(published.data).flatMap(([, all]) => listOf(all));
    const pending = new Set<unknown>();
    for (const event of events) {
      expect(Object.keys(event)).toEqual([
        "id",
        "country",
        "event",
        "date",
        "time",
        "local_time",
        "importance",
        "previous",
        "forecast",
        "consensus",
        "actual",
        "currency",
        // Added fields. The unit of the figures, if there are any.
        ...(figuresOf(event).length > 0 ? ["unit"] : []),
        // The name of the series, if it is not the title. Every event of the sample has a series.
        ...(event["series"] === undefined ? [] : ["series"]),
      ]);
      const title = String(event["event"]).replace(/ \(\w+\)$/, "");
      const series = indicators.find(({ name }) => name === (event["series"] ?? title));
      expect(event["series"]).not.toBe(title);
      // Amounts keep the unit of their series, and its currency: Viet Nam's trade balance is in USD.
      const unit = String(series?.["unit"]);
      const money = /^[A-Z]{3}(?=[ /])/.exec(unit)?.[0];
      expect([event["country"], event["currency"]]).toEqual([lowerName, money ?? currency]);
      if (figuresOf(event).length > 0) expect(event["unit"]).toBe(unit);
      if (event["actual"] === null && !pending.has(series)) {
        expect(event["previous"]).toBe(String(series?.["latest_raw"]));
        pending.add(series);
      }
      expect(String(event["date"])).toMatch(DATE);
      expect(String(event["time"])).toMatch(/^([01]\d|2[0-3]):[0-5]\d$/);
      // New York has winter time in these weeks.
      const hours = { US: -5, JP: 9, VN: 7 }[country];
      const local = new Date(
        Date.parse(`${String(event["date"])}T${String(event["time"])}Z`) + hours * 3_600_000,
      );
      const offset = { US: "-05:00", JP: "+09:00", VN: "+07:00" }[country];
      expect(event["local_time"]).toBe(`${local.toISOString().slice(11, 16)}${offset}`);
      expect(["high", "medium", "low"]).toContain(String(event["importance"]));
      for (const key of ["id", "event"]) expect(String(event[key])).toMatch(TEXT);
      for (const key of ["previous", "forecast", "consensus", "actual"]) {
        expect(event[key] === null || typeof event[key] === "string").toBe(true);
      }
    }
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    const moments = events.map(({ date, time }) => `${String(date)} ${String(time)}`);
    expect(moments).toEqual([...moments].sort());
    expect((moments[0] ?? "") >= TODAY).toBe(true);
    // Up to five weeks ahead, with events of every importance.
    expect((moments.at(-1) ?? "") >= "2026-12-18").toBe(true);

    const count = (level: string) => events.filter(({ importance }) => importance === level).length;
    const summary = {
      total: events.length,
      high: count("high"),
      medium: count("medium"),
      low: count("low"),
    };
    expect(Math.min(summary.high, summary.medium, summary.low)).toBeGreaterThan(0);
    expect(envelope.data["summary"]).toEqual(summary);

    const short = await get(`/data/macro/calendar?country=${country}&limit=1`);
    expect(short.data).toEqual({
      events: events.slice(0, 1),
      summary,
      next_cursor: expect.any(String),
      source: "sample",
    });
    const defaulted = await get(`/data/macro/calendar?country=${country}`);
    expect(defaulted.data).toMatchObject({ events: events.slice(0, 20), summary });
    expect("next_cursor" in defaulted.data).toBe(events.length > 20);
    const high = await get(`/data/macro/calendar?country=${country}&importance=high&limit=200`);
    expect(high.data).toEqual({
      events: events.filter(({ importance }) => importance === "high"),
      summary: { total: summary.high, high: summary.high, medium: 0, low: 0 },
      source: "sample",
    });
    const two = await get(`/data/macro/calendar?country=${country}&importance=low,high&limit=200`);
    expect(listOf(two.data["events"])).toEqual(
      events.filter(({ importance }) => importance !== "medium"),
    );
    const all = await get(`/data/macro/calendar?country=${country}&importance=all&limit=200`);
    expect(all.data).toEqual(envelope.data);
  });

  test("sectors: index valuation and eleven sectors with all statistics", async () => {
    const envelope = await get(`/data/sectors?country=${country}`);
    expectEnvelope(envelope, country);
    const { reasons, ...data } = envelope.data;
    // Its banks have no enterprise value, its insurers no gross margin: the US has other financial companies.
    const withoutMedian = country === "US" ? [] : ["all of sectors.financial-services.stats"];
    expect(reasons).toEqual(country === "US" ? undefined : { too_few: withoutMedian });
    expect(Object.keys(data)).toEqual(
      (
        "country_pe country_pe_5y_avg country_pe_of country_index_name " +
        "country_valuation_status country_valuation_window sectors session source"
      ).split(" "),
    );
    expect([data["session"], data["source"]]).toEqual([NEWEST_SESSION[country], "sample"]);
    expect(["index members", "all companies"]).toContain(String(data["country_pe_of"]));
    for (const key of ["country_pe", "country_pe_5y_avg"]) {
      expect(data[key]).toBeNumber();
      expect(Number(data[key])).toBeGreaterThan(0);
    }
    expect(data["country_index_name"]).toBe(
      { US: "S&P 500", JP: "Nikkei 225", VN: "VN-Index" }[country],
    );
    expect(["Very cheap", "Cheap", "Fair", "Expensive", "Very expensive"]).toContain(
      String(data["country_valuation_status"]),
    );
    expect(Object.keys(data["sectors"] as Fields)).toEqual([...SECTORS.keys()]);

    for (const [slug, value] of entriesOf(data["sectors"])) {
      const sector = value as Record<string, Fields>;
      expect(Object.keys(sector)).toEqual(["name", "slug", "overview", "performance", "stats"]);
      expect(sector).toMatchObject({ slug, name: SECTORS.get(slug)?.name ?? "" });
      expectPanel(sector["overview"], {
        Sector: TEXT,
        "Mkt cap": BIG,
        Industries: /^\d+$/,
        Stocks: /^\d+$/,
        "Chg %": CHANGE,
      });
      expect(sector["overview"]?.["Mkt cap"]).toEndWith(` ${currency}`);
      expectPanel(sector["performance"], {
        "Chg %": CHANGE,
        "Perf %1W": CHANGE,
        "Perf %1M": CHANGE,
        "Perf %YTD": CHANGE,
        "Perf %1Y": CHANGE,
      });
      const { sample_size, reliable, updated_at, ...medians } = sector["stats"] ?? {};
      expect(Object.keys(medians)).toEqual(
        (
          "pe_median pe_p25 pe_p75 pb_median ps_median ev_ebitda_median roe_median " +
          "roic_median revenue_growth_median eps_growth_median gross_margin_median " +
          "operating_margin_median net_margin_median fcf_margin_median"
        ).split(" "),
      );
      for (const median of Object.values(medians)) {
        expect(median === null || Number.isFinite(median)).toBe(true);
      }
      const { pe_p25, pe_median, pe_p75 } = medians as Record<string, number | null>;
      if (
        typeof pe_p25 === "number" &&
        typeof pe_median === "number" &&
        typeof pe_p75 === "number"
      ) {
        expect(pe_p25).toBeLessThanOrEqual(pe_median);
        expect(pe_median).toBeLessThanOrEqual(pe_p75);
      }
      expect(Number.isInteger(sample_size)).toBe(true);
      expect(reliable).toBeBoolean();
      expect(String(updated_at)).toMatch(INSTANT);
    }

    const one = await get(`/data/sectors?country=${country}&sector=energy`);
    expect(one.data).toEqual({
      ...data,
      sectors: { energy: (data["sectors"] as Fields)["energy"] },
    });
  });

  test("overview, statements and technicals of its best-known stock have every figure", async () => {
    const stock = SYMBOLS[country].stock;
    const overview = await get(`/data/stocks/${stock}/overview?country=${country}`);
    expectEnvelope(overview, country);
    expect(Object.keys(overview.data)).toEqual(
      "overview valuation business_model listing performance performance_from source".split(" "),
    );
    expect(overview.data["source"]).toBe("sample");
    expectPanel(overview.data["overview"], OVERVIEW);
    expectPanel(overview.data["valuation"], VALUATION);
    expectPanel(overview.data["performance"], PERFORMANCE);
    const { business_summary, employees, sector, industry, fetch_timestamp, ...more } = overview
      .data["business_model"] as Fields;
    expect(more).toEqual({});
    for (const text of [business_summary, sector, industry]) expect(String(text)).toMatch(TEXT);
    expect(Number.isInteger(employees)).toBe(true);
    expect(String(fetch_timestamp)).toMatch(INSTANT);
    for (const panel of ["overview", "valuation", "performance"]) {
      for (const [key, text] of entriesOf(overview.data[panel])) {
        if (key !== "PEGTTM") expect(`${key}: ${String(text)}`).not.toContain("—");
      }
    }
    for (const [type, kinds] of [
      ["income", INCOME],
      ["balance", BALANCE],
      ["cashflow", CASH_FLOW],
    ] as const) {
      const statement = await get(
        `/data/stocks/${stock}/statements?country=${country}&type=${type}`,
      );
      expectEnvelope(statement, country);
      expectPanel(statement.data, kinds);
      expect(Object.keys(statement.data)).toEqual(Object.keys(kinds));
      expect(JSON.stringify(statement.data)).not.toContain("—");
    }
    const technicals = await get(`/data/stocks/${stock}/technicals?country=${country}`);
    expectEnvelope(technicals, country);
    expectPanel(technicals.data, TECHNICALS);
    expect(Object.keys(technicals.data)).toEqual(Object.keys(TECHNICALS));
    expect(JSON.stringify(technicals.data)).not.toContain("—");
  });

  test("overview and technicals of every asset type and every seventh symbol have the right form", async () => {
    const instruments = listInstruments(service.market, country);
    const seen = new Set<string>();
    const chosen = instruments.filter(
      ({ assetType }, i) => i % 7 === 0 || !(seen.has(assetType) || !seen.add(assetType)),
    );
    expect(chosen.length).toBeGreaterThan(20);
    for (const { symbol, assetType } of chosen) {
      const path = `/data/stocks/${encodeURIComponent(symbol)}`;
      const { data } = await get(`${path}/overview?country=${country}`);
      expectPanel(data["overview"], OVERVIEW);
      expectPanel(data["valuation"], VALUATION);
      expectPanel(data["performance"], PERFORMANCE);
      const business = data["business_model"] as Fields;
      expect("employees" in business ? Number.isInteger(business["employees"]) : true).toBe(true);
      for (const key of ["business_summary", "sector", "industry"])
        expect(String(business[key])).toMatch(TEXT);
      const isMoney = assetType === "currency" || assetType === "cryptocurrency";
      expectPanel(
        (await get(`${path}/technicals?country=${country}`)).data,
        isMoney ? MONEY_TECHNICALS : TECHNICALS,
      );
      if (assetType === "stock" || assetType === "reit") {
        expectPanel((await get(`${path}/statements?country=${country}&type=income`)).data, INCOME);
      }
    }
  });
});

describe("global calendar", () => {
  test("holds the events of all countries in one order", async () => {
    const { data } = await get("/data/macro/calendar?limit=200");
    const events = listOf(data["events"]);
    expect(new Set(events.map(({ country }) => country))).toEqual(
      new Set(["united states", "japan", "viet nam"]),
    );
    const moments = events.map(({ date, time }) => `${String(date)} ${String(time)}`);
    expect(moments).toEqual([...moments].sort());
    const totals = await Promise.all(
      COUNTRY_CODES.map(async (country) => {
        const one = await get(`/data/macro/calendar?country=${country}`);
        return Number((one.data["summary"] as Fields)["total"]);
      }),
    );
    expect((data["summary"] as Fields)["total"]).toBe(totals.reduce((a, b) => a + b, 0));
  });
});
