import { describe, expect, test } from "bun:test";
import { isSession } from "#analytics/sessions.ts";
import { type CalendarEvent, IMPORTANCES } from "#domain/calendar-event.ts";
import { COUNTRY_CODES } from "#domain/country.ts";
import { MACRO_CATEGORIES } from "#domain/macro.ts";
import { addDays } from "#lib/date.ts";
import { barHistory } from "#sample/bars.ts";
import { calendarEvents } from "#sample/calendar-events.ts";
import { listEconomicFigures } from "#sample/economy.ts";
import { macroForecasts, macroSeries } from "#sample/macro.ts";
import { createSampleMarket } from "#sample/market.ts";
import { memoize } from "#sample/memoize.ts";
import { listReleases, sampleStamp } from "#sample/releases.ts";
import { getListing } from "#sample/universe.ts";
import { yieldCurves } from "#sample/yield-curves.ts";

/** The market at noon UTC of a date, or at another time. */
const marketAt = (date: string, time = "12:00") =>
  createSampleMarket(Date.parse(`${date}T${time}Z`));
const seriesAt = memoize((date: string) => macroSeries(marketAt(date)));
const forecastsAt = memoize((date: string) => macroForecasts(marketAt(date)));
const eventsAt = memoize((date: string) => calendarEvents(marketAt(date)));

/** Every 37th day from 2026 to 2030: different days of the month and of the week. */
const DATES: string[] = [];
for (let date = "2026-01-01"; date < "2031-01-01"; date = addDays(date, 37)) DATES.push(date);

const find = <T extends { country: string; name: string }>(
  all: readonly T[],
  country: string,
  name: string,
) => all.find((one) => one.country === country && one.name === name);

describe("series", () => {
  test.each(COUNTRY_CODES)("%s has two to five series in each of the ten categories", (country) => {
    const series = seriesAt("2026-11-20").filter((one) => one.country === country);
    for (const category of MACRO_CATEGORIES)
      expect(series.filter((one) => one.category === category).length).toBeWithin(2, 6);
    expect(new Set(series.map(({ id }) => id)).size).toBe(series.length);
  });

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
    for (const { country, name, observations } of seriesAt("2026-11-20")) {
      const newer = find(seriesAt("2027-02-20"), country, name)?.observations ?? [];
      const common = observations.filter(({ period }) => newer.some((o) => o.period === period));
      expect(common.length).toBeGreaterThan(9);
      expect(newer.filter(({ period }) => common.some((o) => o.period === period))).toEqual(common);
    }
  });

  test("the price of oil is the mean of the month's closes", () => {
    const market = marketAt("2026-11-20");
    const { bars } = barHistory(getListing("CL=F"), market.prices, null);
    const { observations = [] } = find(macroSeries(market), "US", "WTI crude oil price") ?? {};
    expect(observations.at(-1)?.period).toBe("2026-10");
    for (const { period, value } of observations) {
      const closes = bars.filter(({ date }) => date.startsWith(period)).map(({ close }) => close);
      const mean = closes.reduce((sum, close) => sum + close, 0) / closes.length;
      expect(Math.abs(value - mean)).toBeLessThan(0.05 + 1e-9);
    }
  });

  test.each([
    ["US", "GDP growth QoQ annualized", 1 / 4],
    ["JP", "GDP growth QoQ", 1],
  ] as const)("%s: GDP growth over a year compounds its four quarters", (country, name, years) => {
    const overYear = (percents: number[]) =>
      percents.reduce((product, percent) => product * (1 + percent / 100) ** years, 1) * 100 - 100;
    for (const date of DATES) {
      const quarters = find(seriesAt(date), country, name)?.observations ?? [];
      const yearly = find(seriesAt(date), country, "GDP growth YoY")?.observations ?? [];
      expect(yearly.map(({ period }) => period)).toEqual(quarters.map(({ period }) => period));
      const growths = quarters.map(({ value }) => value);
      for (const [i, { value }] of yearly.entries())
        if (i >= 3)
          expect(Math.abs(value - overYear(growths.slice(i - 3, i + 1)))).toBeLessThan(0.05 + 1e-9);
    }
  });

  test("figures are in plausible ranges; a policy rate moves by a quarter point", () => {
    for (const date of DATES)
      for (const { country, id, observations } of seriesAt(date))
        for (const [i, { value }] of observations.entries()) {
          if (/unemployment|debt-to/.test(id))
            expect([country, id, value > 0]).toEqual([country, id, true]);
          if (/pmi/.test(id)) expect(value).toBeWithin(40, 65);
          if (!/fed-funds|policy-rate|refinancing/.test(id)) continue;
          expect((value * 4) % 1).toBe(0);
          expect(Math.abs(value - (observations[i - 1]?.value ?? value))).toBeOneOf([0, 0.25]);
        }
  });
});

describe("yield curves", () => {
  const curvesAt = memoize((date: string) => yieldCurves(marketAt(date)));
  const COUNTRIES = ["US", "JP"] as const;
  const curveOf = (date: string, country: string) =>
    curvesAt(date).filter((one) => one.country === country);

  test("are details of the maturities that the governments publish, on each session of a year", () => {
    const lengths = (country: string) =>
      curveOf("2026-11-20", country).map(({ name }) => name.replace("Yield curve, ", ""));
    expect(lengths("US").join()).toBe(
      "1 month,1.5 months,2 months,3 months,4 months,6 months,1 year,2 years,3 years,5 years,7 years,10 years,20 years,30 years",
    );
    expect(lengths("JP")).toHaveLength(15);
    expect(lengths("VN")).toEqual([]);
    for (const { country, category, isDetail, observations } of curvesAt("2026-11-20")) {
      expect([category, isDetail]).toEqual(["money", true]);
      expect(observations.every(({ period }) => isSession(country, period))).toBe(true);
      expect((observations[0]?.period ?? "") < "2025-11-01").toBe(true);
      // At noon UTC New York's session of the day is still to come.
      expect(observations.at(-1)?.period).toBe(country === "JP" ? "2026-11-20" : "2026-11-19");
    }
  });

  test.each(COUNTRIES)("%s: the published 10-year yield is the mean of the month", (country) => {
    for (const date of DATES) {
      const published = seriesAt(date).find(
        (one) => one.country === country && one.name.startsWith("10-year"),
      );
      const daily = curveOf(date, country).find(({ id }) => id === "yield-curve-10y");
      for (const { period, value } of published?.observations.slice(-12) ?? []) {
        const days = daily?.observations.filter((one) => one.period.startsWith(period)) ?? [];
        expect(days.length).toBeGreaterThan(15);
        const mean = days.reduce((sum, one) => sum + one.value, 0) / days.length;
        expect(Math.abs(mean - value)).toBeLessThan(0.005);
      }
    }
  });

  test.each(COUNTRIES)("%s: the shortest yield follows the policy rate of the day", (country) => {
    for (const date of DATES) {
      const policy = seriesAt(date).find(
        (one) => one.country === country && /fed-funds|policy-rate/.test(one.id),
      );
      const [shortest] = curveOf(date, country);
      const newest = shortest?.observations.at(-1)?.value ?? NaN;
      expect(Math.abs(newest - (policy?.observations.at(-1)?.value ?? NaN))).toBeLessThan(0.5);
    }
  });

  test("a later market has the same earlier yields", () => {
    const later = new Map(curvesAt("2027-02-20").map((one) => [`${one.country} ${one.id}`, one]));
    for (const { country, id, observations } of curvesAt("2026-11-20")) {
      const newer = new Map(
        later.get(`${country} ${id}`)?.observations.map(({ period, value }) => [period, value]),
      );
      const common = observations.filter(({ period }) => newer.has(period));
      expect(common.length).toBeGreaterThan(150);
      expect(common.filter(({ period, value }) => newer.get(period) !== value)).toEqual([]);
    }
  });

  test("the US curve is inverted at times, and usually not", () => {
    const inverted = DATES.filter((date) => {
      const [short, ten] = ["3m", "10y"].map((length) =>
        curveOf(date, "US").find(({ id }) => id === `yield-curve-${length}`),
      );
      return (short?.observations.at(-1)?.value ?? 0) > (ten?.observations.at(-1)?.value ?? 0);
    });
    expect(inverted.length).toBeWithin(1, DATES.length / 2);
  });
});

describe("forecasts", () => {
  test.each(COUNTRY_CODES)("%s has some in each category, for six quarters", (country) => {
    const forecasts = forecastsAt("2026-11-20").filter((one) => one.country === country);
    for (const category of MACRO_CATEGORIES)
      expect(forecasts.filter((one) => one.category === category).length).toBeWithin(1, 4);
    for (const { origin, values } of forecasts) {
      expect(origin).toContain("sample");
      expect(values.map(({ year, quarter }) => `${year} Q${quarter}`)).toEqual(
        "2026 Q4,2027 Q1,2027 Q2,2027 Q3,2027 Q4,2028 Q1".split(","),
      );
      // Some figures are forecast for a shorter time, but for four quarters at least.
      expect(values.slice(0, 4).every(({ value }) => value !== null)).toBe(true);
    }
    expect(forecasts.some(({ values }) => values.at(-1)?.value === null)).toBe(true);
    expect(forecasts.some(({ values }) => values.at(-1)?.value !== null)).toBe(true);
  });
});

describe("calendar", () => {
  const upcoming = (date: string) =>
    eventsAt(date)
      .filter((event) => event.date >= date)
      .sort((a, b) => (`${a.date} ${a.time}` < `${b.date} ${b.time}` ? -1 : 1));
  /** Country and title without the period. */
  const keyOf = ({ country, event }: CalendarEvent) =>
    `${country} ${event.replace(/ \(.*\)$/, "")}`;

  test("on every date each country has events of all importances within five weeks", () => {
    for (const date of DATES) {
      const events = upcoming(date);
      for (const country of COUNTRY_CODES)
        for (const importance of IMPORTANCES)
          expect(events.some((e) => e.country === country && e.importance === importance)).toBe(
            true,
          );
      expect(events.at(-1)?.date).toSatisfy((last) => (last ?? "") <= addDays(date, 35));
    }
  });

  // federalreserve.gov/monetarypolicy/fomccalendars.htm and boj.or.jp/en/mopo/mpmsche_minu
  test.each([
    ["US", "Fed funds target (upper)", "01-28 03-18 04-29 06-17 07-29 09-16 10-28 12-09"],
    ["JP", "BoJ policy rate", "01-23 03-19 04-28 06-16 07-31 09-18 10-30 12-18"],
  ] as const)("%s: the decisions of 2026 are on the announced dates", (country, name, days) => {
    const figure = find(listEconomicFigures(), country, name);
    if (!figure) throw new Error(name);
    const dates = listReleases(figure, "2026-01-01", "2026-12-31").map(({ date }) => date.slice(5));
    expect(dates.join(" ")).toBe(days);
    for (let year = 2027; year < 2032; year++)
      expect(listReleases(figure, `${year}-01-01`, `${year}-12-31`)).toHaveLength(8);
  });

  // boj.or.jp/en/statistics/tk: the survey of December is out in the middle of that month.
  test("the Tankan is published four times a year, in December before the quarter ends", () => {
    const figure = find(listEconomicFigures(), "JP", "Tankan large manufacturers");
    if (!figure) throw new Error("no Tankan");
    const releases = listReleases(figure, "2025-01-01", "2026-12-31");
    expect(releases.map(({ period, date }) => `${period} ${date}`)).toEqual([
      "2025-Q1 2025-03-31",
      "2025-Q2 2025-06-30",
      "2025-Q3 2025-09-30",
      "2025-Q4 2025-12-14",
      "2026-Q1 2026-03-31",
      "2026-Q2 2026-06-30",
      "2026-Q3 2026-09-30",
      "2026-Q4 2026-12-13",
    ]);
    // At 8:50 in Tokyo, so on the day before in UTC. 13 December is a weekend in both years.
    expect(new Set(releases.map(({ time }) => time))).toEqual(new Set(["23:50"]));
  });

  test("events fall on working days of their country, in its own time", () => {
    const zones = { US: "America/New_York", JP: "Asia/Tokyo", VN: "Asia/Ho_Chi_Minh" };
    for (const date of DATES)
      for (const event of eventsAt(date)) {
        const format = new Intl.DateTimeFormat("sv-SE", { timeZone: zones[event.country] });
        const local = format.format(Date.parse(`${event.date}T${event.time}Z`));
        expect([event.event, local, isSession(event.country, local)]).toEqual([
          event.event,
          local,
          true,
        ]);
      }
  });

  test("ids and titles are unique, and identify the same event from day to day", () => {
    const known = new Map<string, string>();
    for (let date = "2026-11-01"; date < "2027-02-01"; date = addDays(date, 3)) {
      const events = eventsAt(date);
      expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
      for (const { id, country, event, date: on, time } of events) {
        const described = `${country} ${event} ${on} ${time}`;
        expect(known.get(id) ?? described).toBe(described);
        known.set(id, described);
      }
    }
  });

  test("past events have an actual figure and coming events have none, to the minute", () => {
    // Friday, 6 November 2026: Viet Nam's statistics at 02:00, US jobs at 13:30.
    for (const time of ["01:59", "02:00", "13:29", "13:30"]) {
      const events = calendarEvents(marketAt("2026-11-06", time));
      const times = events.filter(({ date }) => date === "2026-11-06").map((one) => one.time);
      expect(new Set(times)).toEqual(new Set(["02:00", "13:30"]));
      for (const event of events) {
        const isOver = `${event.date} ${event.time}` <= `2026-11-06 ${time}`;
        expect([event.event, time, event.actual !== null]).toEqual([event.event, time, isOver]);
      }
    }
  });

  test("only the next publication of a figure has a previous figure and a consensus", () => {
    for (const date of DATES) {
      const seen = new Set<string>();
      for (const event of upcoming(date).filter(({ actual }) => actual === null)) {
        const isNext = !seen.has(keyOf(event));
        seen.add(keyOf(event));
        expect([date, keyOf(event), event.previous !== null]).toEqual([date, keyOf(event), isNext]);
        expect(event.consensus !== null).toBe(isNext && event.importance !== "low");
        if (!isNext) expect(event.forecast).toBeNull();
      }
      for (const country of COUNTRY_CODES)
        expect(upcoming(date).some((e) => e.country === country && e.consensus)).toBe(true);
    }
  });

  test("a figure is in its series from the instant of its event", () => {
    const nameOf = new Map(
      listEconomicFigures().map(({ country, event, name }) => [`${country} ${event}`, name]),
    );
    /** The newest figure of an event's series, without the unit. */
    const newest = (market: ReturnType<typeof marketAt>) => {
      const series = macroSeries(market);
      return (event: CalendarEvent) => {
        const one = find(series, event.country, nameOf.get(keyOf(event)) ?? "");
        return one?.observations.at(-1)?.value.toFixed(one.decimals) ?? "none";
      };
    };
    const withoutUnit = (printed: string | null) =>
      printed?.replace(/%$| .*/, "").replaceAll(",", "") ?? "none";
    const moments = Map.groupBy(
      upcoming("2026-11-20").filter(({ date }) => date < "2026-12-04"),
      ({ date, time }) => Date.parse(`${date}T${time}Z`),
    );
    expect(moments.size).toBeGreaterThan(10);
    for (const [at, events] of moments) {
      const [before, after] = [createSampleMarket(at - 60_000), createSampleMarket(at)];
      const [newestBefore, newestAfter] = [newest(before), newest(after)];
      const [then, now] = [before, after].map(
        (market) => new Map(calendarEvents(market).map((event) => [event.id, event])),
      );
      for (const { id } of events) {
        const [earlier, later] = [then?.get(id), now?.get(id)];
        if (!earlier || !later) throw new Error(`${id} is not in the calendar at its time`);
        expect([id, withoutUnit(earlier.previous)]).toEqual([id, newestBefore(earlier)]);
        expect([id, withoutUnit(later.actual)]).toEqual([id, newestAfter(later)]);
        expect<CalendarEvent>({ ...later, actual: null }).toEqual(earlier);
      }
    }
  });

  test("the figures of an event are in the unit of its series, with its words", () => {
    const byId = new Map(seriesAt("2026-11-20").map((one) => [`${one.country} ${one.id}`, one]));
    const units = new Set<string>();
    for (const event of eventsAt("2026-11-20")) {
      const { unit = "none", decimals = 0 } = byId.get(`${event.country} ${event.series}`) ?? {};
      expect([event.event, event.unit ?? ""]).toEqual([event.event, unit]);
      units.add(unit);
      const number = `-?\\d{1,3}(,\\d{3})*${decimals > 0 ? `\\.\\d{${decimals}}` : ""}`;
      const words = unit === "" || unit === "index" ? "" : unit === "%" ? "%" : ` ${unit}`;
      for (const figure of [event.previous, event.forecast, event.consensus, event.actual])
        if (figure !== null) expect(figure).toMatch(new RegExp(`^${number}${words}$`));
    }
    for (const unit of ["USD bn", "VND tn", "million bbl", "million t", "thousand", "TWh"])
      expect(units).toContain(unit);
  });

  test("calendar, series and forecasts are the same while the stamp is the same", () => {
    const known = new Map<string, string>();
    for (let hour = 0; hour < 30; hour++) {
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
});
