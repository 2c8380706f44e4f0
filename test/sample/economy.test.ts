import { describe, expect, test } from "bun:test";
import { isSession } from "#analytics/sessions.ts";
import { type CalendarEvent, IMPORTANCES } from "#domain/calendar-event.ts";
import { COUNTRIES, COUNTRY_CODES, countryLowerName } from "#domain/country.ts";
import { MACRO_CATEGORIES } from "#domain/macro.ts";
import { addDays, isWeekend } from "#lib/date.ts";
import { formatWithUnit } from "#panels/format.ts";
import { calendarEvents } from "#sample/calendar-events.ts";
import { listEconomicFigures } from "#sample/economy.ts";
import { macroForecasts, macroSeries } from "#sample/macro.ts";
import { createSampleMarket } from "#sample/market.ts";
import { memoize } from "#sample/memoize.ts";
import { barHistory } from "#sample/prices.ts";
import { sampleStamp } from "#sample/provider.ts";
import { listingOf } from "./listings.ts";

/** The market at noon UTC of a date, or at another time. */
const marketAt = (date: string, time = "12:00") =>
  createSampleMarket(Date.parse(`${date}T${time}Z`));

/** The records at noon UTC of a date, which several tests read. */
const seriesAt = memoize((date: string) => macroSeries(marketAt(date)));
const forecastsAt = memoize((date: string) => macroForecasts(marketAt(date)));

/** Every 5th day from 2026 to 2030, which covers every day of the month and of the week. */
const DATES: string[] = [];
for (let date = "2026-01-01"; date < "2031-01-01"; date = addDays(date, 5)) DATES.push(date);
const SOME_DATES = DATES.filter((_, i) => i % 12 === 0);

/** The characters of an answer that keeps both of its copies under 2,000 tokens of 4 characters. */
const MAX_CHARACTERS = 4_000;
const AS_OF = "2026-11-20T06:00:00.000Z";

describe("series", () => {
  test.each(COUNTRY_CODES)(
    "%s has three or four series in each of the ten categories, and PCE in US prices",
    (country) => {
      const series = seriesAt("2026-11-20").filter((one) => one.country === country);
      for (const category of MACRO_CATEGORIES) {
        const count = series.filter((one) => one.category === category).length;
        // CPI, core CPI and producer prices, and two series of PCE prices.
        if (country === "US" && category === "prices") expect(count).toBe(3 + 2);
        // Two fewer elsewhere, so that all series fit into an answer of 1,600 tokens.
        else if (country === "US" && ["trade", "government"].includes(category))
          expect(count).toBe(3 - 1);
        else expect([category, count >= 3 && count <= 4]).toEqual([category, true]);
      }
      expect(new Set(series.map(({ id }) => id)).size).toBe(series.length);
    },
  );

  test("each has 24 observations of successive periods, the newest a recent one", () => {
    const oldest = { week: "2026-11-01", month: "2026-08", quarter: "2026-Q2" };
    for (const { name, observations } of seriesAt("2026-11-20")) {
      const periods = observations.map(({ period }) => period);
      expect([name, periods.length]).toEqual([name, 24]);
      expect(periods).toEqual([...new Set(periods)].sort());
      const newest = periods.at(-1) ?? "";
      const rhythm = newest.includes("Q") ? "quarter" : newest.length > 7 ? "week" : "month";
      expect(newest >= oldest[rhythm]).toBe(true);
      // The third quarter is the newest that can be published by then.
      expect(newest <= (rhythm === "quarter" ? "2026-Q3" : "2026-11-20")).toBe(true);
    }
  });

  test("a later market has the same earlier observations", () => {
    const later = new Map(
      seriesAt("2027-02-20").map((one) => [`${one.country} ${one.id}`, one.observations]),
    );
    const revised = new Set(
      listEconomicFigures().flatMap(({ country, name, prints }) =>
        prints.length > 1 ? [`${country} ${name}`] : [],
      ),
    );
    for (const { country, id, name, observations: all } of seriesAt("2026-11-20")) {
      // GDP of the last quarter will be revised.
      const observations = revised.has(`${country} ${name}`) ? all.slice(0, -1) : all;
      const newer = later.get(`${country} ${id}`) ?? [];
      const common = observations.filter(({ period }) => newer.some((o) => o.period === period));
      expect(common.length).toBeGreaterThan(9);
      expect(newer.filter(({ period }) => common.some((o) => o.period === period))).toEqual(common);
    }
  });

  test("the price of oil is the mean of the month's closes", () => {
    const market = marketAt("2026-11-20");
    for (const [symbol, country, id] of [
      ["CL=F", "US", "wti-crude-oil-price"],
      ["BZ=F", "JP", "crude-oil-import-price"],
    ] as const) {
      const { bars } = barHistory(listingOf(symbol), market.prices, null);
      const { observations = [] } =
        macroSeries(market).find((one) => one.country === country && one.id === id) ?? {};
      expect(observations.at(-1)?.period).toBe("2026-10");
      for (const { period, value } of observations) {
        const closes = bars.filter(({ date }) => date.startsWith(period)).map(({ close }) => close);
        const mean = closes.reduce((sum, close) => sum + close, 0) / closes.length;
        expect(Math.abs(value - mean)).toBeLessThan(0.05 + 1e-9);
      }
    }
  });

  test("policy rates are multiples of a quarter point, and rates and indices are in plausible ranges", () => {
    for (const date of SOME_DATES)
      for (const { country, id, observations } of seriesAt(date))
        for (const { value } of observations) {
          if (/fed-funds|policy-rate|refinancing/.test(id)) expect((value * 4) % 1).toBe(0);
          if (/unemployment|rate|debt/.test(id))
            expect([country, id, value]).toSatisfy(() => value >= 0);
          if (/pmi/.test(id))
            expect([country, id, value]).toSatisfy(() => value > 40 && value < 65);
        }
  });

  test.each([
    ["US", "GDP growth QoQ annualized", 1 / 4],
    ["JP", "GDP growth QoQ", 1],
  ] as const)("%s: GDP growth over a year compounds its four quarters", (country, name, years) => {
    const overYear = (percents: number[]) =>
      percents.reduce((product, percent) => product * (1 + percent / 100) ** years, 1) * 100 - 100;
    const find = <T extends { country: string; name: string }>(all: T[], wanted: string) =>
      all.find((one) => one.country === country && one.name === wanted);
    for (const date of SOME_DATES) {
      const series = seriesAt(date);
      const quarters = find(series, name)?.observations ?? [];
      const yearly = find(series, "GDP growth YoY")?.observations ?? [];
      expect(yearly.map(({ period }) => period)).toEqual(quarters.map(({ period }) => period));
      const growths = quarters.map(({ value }) => value);
      for (const [i, { value }] of yearly.entries()) {
        const off = i < 3 ? 0 : value - overYear(growths.slice(i - 3, i + 1));
        expect(Math.abs(off)).toBeLessThan(0.05 + 1e-9);
      }

      // Four forecast quarters in a row give the forecast of the year that ends with the last one.
      const forecasts = forecastsAt(date);
      const ahead = find(forecasts, name)?.values.map(({ value }) => value ?? NaN) ?? [];
      const yearAhead = find(forecasts, "GDP growth YoY")?.values.map(({ value }) => value);
      for (const end of [4, 5, 6]) {
        const off = (yearAhead?.[end - 1] ?? NaN) - overYear(ahead.slice(end - 4, end));
        expect(Math.abs(off)).toBeLessThan(0.05 + 1e-9);
      }
    }
  });

  test("a figure that is a plain number has no unit, and an annualized one says so in its event", () => {
    const market = marketAt("2026-11-20");
    const ratio = macroSeries(market).find(({ name }) => name === "Jobs-to-applicants ratio");
    expect(ratio?.unit).toBe("");
    for (const { country, name, event } of listEconomicFigures())
      if (event && name.includes("annualized"))
        expect([country, event.title]).toSatisfy(() => event.title.endsWith("annualized"));
  });

  // The Fed's quickest turn since 1994: up on 1 February 1995, down on 6 July, the third meeting after it.
  test("a policy rate moves by a quarter point, and turns no sooner than the third meeting after a step", () => {
    for (const date of ["2018-06-01", "2020-06-01", "2023-06-01", "2026-06-01", "2029-06-01"])
      for (const { country, name, observations } of seriesAt(date)) {
        if (!/Fed funds|policy rate|Refinancing/.test(name)) continue;
        let last = { direction: 0, at: 0 };
        for (const [i, { value }] of observations.entries()) {
          const change = value - (observations[i - 1]?.value ?? value);
          if (change === 0) continue;
          expect(Math.abs(change)).toBe(0.25);
          const direction = Math.sign(change);
          const isTurn = last.direction === -direction;
          expect([country, date, i]).toSatisfy(() => !isTurn || i - last.at >= 3);
          last = { direction, at: i };
        }
      }
  });

  test.each(COUNTRY_CODES)("the answer for %s stays within an agent's budget", (country) => {
    for (const date of SOME_DATES) {
      const data: Record<string, unknown[]> = {};
      for (const one of seriesAt(date)) {
        if (one.country !== country) continue;
        const [previous = 0, latest = 0] = one.observations.slice(-2).map(({ value }) => value);
        (data[one.category] ??= []).push({
          name: one.name,
          latest,
          previous,
          latest_raw: formatWithUnit(latest, one.unit, one.decimals),
          previous_raw: formatWithUnit(previous, one.unit, one.decimals),
        });
      }
      const length = JSON.stringify({ country, data, as_of: AS_OF }).length;
      expect([date, length]).toSatisfy(() => length <= 3_900);
    }
  });
});

describe("forecasts", () => {
  test.each(COUNTRY_CODES)("%s has one to three in each category, for six quarters", (country) => {
    const forecasts = forecastsAt("2026-11-20").filter((one) => one.country === country);
    for (const category of MACRO_CATEGORIES) {
      const count = forecasts.filter((one) => one.category === category).length;
      expect([category, count >= 1 && count <= 3]).toEqual([category, true]);
    }
    for (const { origin, values } of forecasts) {
      expect(origin).toContain("sample");
      expect(values.map(({ year, quarter }) => `${year} Q${quarter}`)).toEqual([
        "2026 Q4",
        "2027 Q1",
        "2027 Q2",
        "2027 Q3",
        "2027 Q4",
        "2028 Q1",
      ]);
    }
  });

  test.each(COUNTRY_CODES)("the answer for %s stays within an agent's budget", (country) => {
    for (const date of SOME_DATES) {
      const categories: Record<string, unknown[]> = {};
      for (const one of forecastsAt(date)) {
        if (one.country !== country) continue;
        const values = one.values.map(({ year, quarter, value }) => [
          `Q${quarter}/${year % 100}`,
          formatWithUnit(value, "", one.decimals),
        ]);
        (categories[one.category] ??= []).push({
          name: one.name,
          unit: one.unit,
          ...Object.fromEntries(values),
        });
      }
      // 400 characters for slug, timestamp, horizons, summary, source and envelope.
      const length = JSON.stringify(categories).length + 400;
      expect([date, length]).toSatisfy(() => length <= 3_900);
    }
  });
});

describe("calendar", () => {
  /** The events at noon UTC of a date, or at an instant such as 2026-11-20T23:59. */
  const eventsAt = memoize((instant: string) => {
    const [date = "", time] = instant.split("T");
    return calendarEvents(marketAt(date, time));
  });
  const upcoming = (date: string, time?: string) =>
    eventsAt(time === undefined ? date : `${date}T${time}`)
      .filter((event) => event.date >= date)
      .sort((a, b) => (moment(a) < moment(b) ? -1 : 1));
  const moment = ({ date, time, id }: CalendarEvent) => `${date} ${time} ${id}`;

  test("on every date each country has events of all importances within five weeks", () => {
    for (const date of DATES) {
      const events = upcoming(date);
      expect(events.length).toBeGreaterThanOrEqual(25);
      for (const country of COUNTRY_CODES)
        for (const importance of IMPORTANCES) {
          const there = events.some((e) => e.country === country && e.importance === importance);
          expect([date, country, importance, there]).toEqual([date, country, importance, true]);
        }
      expect(events.at(-1)?.date).toSatisfy((last) => (last ?? "") <= addDays(date, 35));
    }
  });

  test.each([
    ["Electricity output", / TWh$/],
    ["Average income", /M$/],
    ["Budget revenue", /T$/],
    ["Foreign visitors", /K$/],
  ])("figures of Viet Nam's %s have their unit", (title, unit) => {
    // Quarterly figures are due in January.
    const figures = calendarEvents(marketAt("2026-12-28"))
      .filter(({ country, event }) => country === "VN" && event.startsWith(title))
      .flatMap(({ previous, actual }) => [previous, actual])
      .filter((text) => text !== null);
    expect(figures.length).toBeGreaterThan(0);
    for (const text of figures) expect(text).toMatch(unit);
  });

  test("ids are unique and identify the same event from day to day", () => {
    const known = new Map<string, string>();
    for (let date = "2026-11-01"; date < "2027-03-01"; date = addDays(date, 1)) {
      const events = eventsAt(date);
      expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
      for (const { id, country, event, date: on, time } of events) {
        const described = `${country} ${event} ${on} ${time}`;
        expect(known.get(id) ?? described).toBe(described);
        known.set(id, described);
      }
    }
  });

  test("events fall on working days of their country, in its own time", () => {
    const zones = { US: "America/New_York", JP: "Asia/Tokyo", VN: "Asia/Ho_Chi_Minh" };
    const formats = Object.fromEntries(
      Object.entries(zones).map(([country, timeZone]) => [
        country,
        new Intl.DateTimeFormat("sv-SE", { timeZone }),
      ]),
    );
    for (const date of DATES)
      for (const event of eventsAt(date)) {
        const local = formats[event.country]?.format(Date.parse(`${event.date}T${event.time}Z`));
        // US statistics offices work on Good Friday: payrolls were published on 3 April 2026.
        const isOpen =
          isSession(event.country, local ?? "") ||
          (event.country === "US" && isGoodFriday(local ?? ""));
        expect([event.event, local, isOpen]).toEqual([event.event, local, true]);
        // Monday morning in Japan is Sunday in UTC: GDP of 17 November 2025 at 08:50 was at 23:50 on the 16th.
        const isJapansMonday =
          event.country === "JP" && event.time >= "15:00" && isWeekend(addDays(event.date, -1));
        expect(isWeekend(event.date) && !isJapansMonday).toBe(false);
      }
  });

  /** True for the Good Fridays of the tested years. */
  const isGoodFriday = (date: string) =>
    "2026-04-03 2027-03-26 2028-04-14 2029-03-30 2030-04-19 2031-04-11".split(" ").includes(date);

  test("past events have an actual figure and coming events have none, to the minute", () => {
    // Friday, 6 November 2026: Viet Nam's statistics at 02:00, US jobs at 13:30.
    for (const time of ["01:59", "02:00", "13:29", "13:30"]) {
      const events = eventsAt(`2026-11-06T${time}`);
      const today = events.filter(({ date }) => date === "2026-11-06");
      expect(new Set(today.map((event) => event.time))).toEqual(new Set(["02:00", "13:30"]));
      for (const event of events) {
        const isOver = `${event.date} ${event.time}` <= `2026-11-06 ${time}`;
        expect([event.event, time, event.actual !== null]).toEqual([event.event, time, isOver]);
      }
    }
  });

  /** Country and title without the period. */
  const keyOf = ({ country, event }: CalendarEvent) =>
    `${country} ${event.replace(/ \(.*\)$/, "")}`;

  test("only the next publication of a figure has a previous figure", () => {
    for (const date of SOME_DATES) {
      const seen = new Set<string>();
      for (const event of upcoming(date).filter(({ actual }) => actual === null)) {
        const isNext = !seen.has(keyOf(event));
        seen.add(keyOf(event));
        expect([date, keyOf(event), event.previous !== null]).toEqual([date, keyOf(event), isNext]);
        if (isNext) continue;
        expect([event.forecast, event.consensus]).toEqual([null, null]);
      }
    }
  });

  test("a figure is in its series from the instant of its event", () => {
    const nameOf = new Map(
      listEconomicFigures().map(({ country, event, name }) => [`${country} ${event?.title}`, name]),
    );
    /** The newest figure of an event's series, without the unit. */
    const newest = (market: ReturnType<typeof marketAt>) => {
      const series = new Map(macroSeries(market).map((one) => [`${one.country} ${one.name}`, one]));
      return (event: CalendarEvent) => {
        const one = series.get(`${event.country} ${nameOf.get(keyOf(event))}`);
        return one?.observations.at(-1)?.value.toFixed(one.decimals) ?? "none";
      };
    };
    const withoutUnit = (printed: string | null) =>
      printed?.replace(/ TWh$|[%KMBT]$/, "") ?? "none";
    const moments = Map.groupBy(
      upcoming("2026-11-20", "00:00").filter(({ date }) => date < "2026-12-11"),
      ({ date, time }) => Date.parse(`${date}T${time}Z`),
    );
    expect(moments.size).toBeGreaterThan(20);
    for (const [at, events] of moments) {
      const [before, after] = [createSampleMarket(at - 60_000), createSampleMarket(at)];
      const [newestBefore, newestAfter] = [newest(before), newest(after)];
      const eventsBefore = new Map(calendarEvents(before).map((event) => [event.id, event]));
      const eventsAfter = new Map(calendarEvents(after).map((event) => [event.id, event]));
      for (const { id } of events) {
        const [then, now] = [eventsBefore.get(id), eventsAfter.get(id)];
        if (!then || !now) throw new Error(`${id} is not in the calendar at its time`);
        expect([id, withoutUnit(then.previous)]).toEqual([id, newestBefore(then)]);
        expect([id, withoutUnit(now.actual)]).toEqual([id, newestAfter(now)]);
        expect({ ...now, actual: then.actual }).toEqual(then);
      }
    }
  });

  test("calendar, series and forecasts are the same while the stamp is the same", () => {
    const known = new Map<string, string>();
    for (let hour = 0; hour < 36; hour++) {
      const now = Date.parse("2026-11-05T00:10:00Z") + hour * 3_600_000;
      const market = createSampleMarket(now);
      const made = JSON.stringify([
        calendarEvents(market),
        macroSeries(market),
        macroForecasts(market),
      ]);
      const stamp = sampleStamp(now);
      expect([stamp, known.get(stamp) ?? made]).toEqual([stamp, made]);
      known.set(stamp, made);
    }
    expect(known.size).toBeGreaterThan(6);
  });

  test("policy rates have a forecast, which is the consensus, as is that of their quarter", () => {
    let compared = 0;
    for (const date of DATES.filter((_, i) => i % 3 === 0)) {
      const forecasts = forecastsAt(date);
      for (const event of eventsAt(date)) {
        if (
          !/^(Fed|BoJ) interest rate decision$/.test(event.event) ||
          event.actual ||
          !event.consensus
        )
          continue;
        const quarter = Math.ceil(Number(event.date.slice(5, 7)) / 3);
        const name = event.country === "US" ? "Fed funds target (upper)" : "BoJ policy rate";
        const expected = forecasts
          .find((one) => one.country === event.country && one.name === name)
          ?.values.find(
            (value) => value.year === Number(event.date.slice(0, 4)) && value.quarter === quarter,
          )?.value;
        expect([date, `${expected?.toFixed(2)}%`]).toEqual([date, event.consensus]);
        expect(event.forecast).toBe(event.consensus);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(80);
  });

  test("a policy rate is forecast to stay in a quarter without another meeting", () => {
    // December's meetings of 2026 are over on the 21st.
    const market = marketAt("2026-12-21");
    for (const [country, name] of [
      ["US", "Fed funds target (upper)"],
      ["JP", "BoJ policy rate"],
      ["VN", "Refinancing rate"],
    ] as const) {
      const is = (one: { country: string; name: string }) =>
        one.country === country && one.name === name;
      const latest = macroSeries(market).find(is)?.observations.at(-1)?.value;
      expect(macroForecasts(market).find(is)?.values[0]).toEqual({
        year: 2026,
        quarter: 4,
        value: latest ?? null,
      });
    }
  });

  test("only policy rates and quarterly figures of high importance have a forecast", () => {
    const titles = new Set<string>();
    for (const date of SOME_DATES)
      for (const event of upcoming(date)) if (event.forecast !== null) titles.add(keyOf(event));
    expect([...titles].sort()).toEqual([
      "JP BoJ interest rate decision",
      "JP GDP growth QoQ",
      "JP Tankan large manufacturers",
      "US Fed interest rate decision",
      "US GDP growth QoQ annualized",
      "VN GDP growth YoY",
    ]);
  });

  test("titles are unique in a country", () => {
    const titles = listEconomicFigures().flatMap(({ country, event }) =>
      event ? [`${country} ${event.title}`] : [],
    );
    expect(titles).toEqual([...new Set(titles)]);
  });

  test("previous and actual figures of the calendar are those of the series", () => {
    const { observations = [] } =
      macroSeries(marketAt("2026-11-20")).find(
        ({ country, id }) => country === "US" && id === "cpi-inflation-yoy",
      ) ?? {};
    const printed = (i: number) => `${observations.at(i)?.value.toFixed(1)}%`;
    // November's is due on Veterans Day, the 11th, and published a day later; December's is not published.
    const [past, next] = ["2026-11-15", "2026-11-20"].map((date) =>
      calendarEvents(marketAt(date))
        .filter(({ country, event }) => country === "US" && event.startsWith("CPI YoY"))
        .find((event) => (date === "2026-11-15" ? event.date < date : event.date > date)),
    );
    expect(past).toMatchObject({ date: "2026-11-12", previous: printed(-2), actual: printed(-1) });
    expect(next).toMatchObject({ date: "2026-12-16", previous: printed(-1), actual: null });
  });

  // Titles are descriptive and name their month. All else of 20 events fits with titles such as "Trade".
  test.each([
    [20, () => "Trade"],
    [15, (title: string) => title],
  ])("%d events stay within an agent's budget on any date", (count, titleOf) => {
    for (const date of DATES) {
      // At the end of the day, when all of its actual figures are present.
      const events = upcoming(date, "23:59")
        .slice(0, count)
        .map(({ id, country, event, date: on, time, importance, ...printed }) => ({
          id,
          country: countryLowerName(country),
          event: titleOf(event),
          date: on,
          time,
          importance,
          ...printed,
          currency: COUNTRIES[country].currency,
        }));
      const summary = { total: 80, high: 14, medium: 26, low: 40 };
      const length = JSON.stringify({ data: { events, summary }, as_of: AS_OF }).length;
      expect([date, length]).toSatisfy(() => length < MAX_CHARACTERS);
    }
  });
});
