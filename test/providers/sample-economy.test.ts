import { describe, expect, test } from "bun:test";
import { isSession } from "#analytics/sessions.ts";
import { type CalendarEvent, IMPORTANCES } from "#domain/calendar-event.ts";
import { COUNTRIES, COUNTRY_CODES, countryLowerName } from "#domain/country.ts";
import { MACRO_CATEGORIES } from "#domain/macro.ts";
import { addDays, isWeekend } from "#lib/date.ts";
import { formatWithUnit } from "#panels/format.ts";
import { calendarEvents } from "#providers/sample/calendar-events.ts";
import { macroForecasts, macroSeries } from "#providers/sample/macro.ts";

/** Every 5th day from 2026 to 2030, which over the years meets every day of a month and a week. */
const DATES: string[] = [];
for (let date = "2026-01-01"; date < "2031-01-01"; date = addDays(date, 5)) DATES.push(date);
const SOME_DATES = DATES.filter((_, i) => i % 12 === 0);

/** What an answer may hold so that both of its copies stay under 2,000 tokens of 4 characters. */
const MOST_CHARACTERS = 4_000;
const AS_OF = "2026-11-20T06:00:00.000Z";

describe("series", () => {
  test.each(COUNTRY_CODES)(
    "%s has three or four series in each of the ten categories",
    (country) => {
      const series = macroSeries("2026-11-20").filter((one) => one.country === country);
      for (const category of MACRO_CATEGORIES) {
        const count = series.filter((one) => one.category === category).length;
        expect([category, count >= 3 && count <= 4]).toEqual([category, true]);
      }
      expect(new Set(series.map(({ id }) => id)).size).toBe(series.length);
    },
  );

  test("each has 24 observations of successive periods, the newest a recent one", () => {
    const oldest = { week: "2026-11-01", month: "2026-08", quarter: "2026-Q2" };
    for (const { name, observations } of macroSeries("2026-11-20")) {
      const periods = observations.map(({ period }) => period);
      expect([name, periods.length]).toEqual([name, 24]);
      expect(periods).toEqual([...new Set(periods)].sort());
      const newest = periods.at(-1) ?? "";
      const rhythm = newest.includes("Q") ? "quarter" : newest.length > 7 ? "week" : "month";
      expect(newest >= oldest[rhythm]).toBe(true);
      // Quarters sort behind months: the third is the newest that can have been published.
      expect(newest <= (rhythm === "quarter" ? "2026-Q3" : "2026-11-20")).toBe(true);
    }
  });

  test("what was published once stays", () => {
    const later = new Map(
      macroSeries("2027-02-20").map((one) => [`${one.country} ${one.id}`, one.observations]),
    );
    for (const { country, id, observations } of macroSeries("2026-11-20")) {
      const newer = later.get(`${country} ${id}`) ?? [];
      const common = observations.filter(({ period }) => newer.some((o) => o.period === period));
      expect(common.length).toBeGreaterThan(9);
      expect(newer.filter(({ period }) => common.some((o) => o.period === period))).toEqual(common);
    }
  });

  test("policy rates stand on quarter points, and no rate or index goes where none was ever", () => {
    for (const date of SOME_DATES)
      for (const { country, id, observations } of macroSeries(date))
        for (const { value } of observations) {
          if (/fed-funds|policy-rate|refinancing/.test(id)) expect((value * 4) % 1).toBe(0);
          if (/unemployment|rate|debt/.test(id))
            expect([country, id, value]).toSatisfy(() => value >= 0);
          if (/pmi/.test(id))
            expect([country, id, value]).toSatisfy(() => value > 40 && value < 65);
        }
  });

  test.each(COUNTRY_CODES)("the answer for %s stays within an agent's budget", (country) => {
    for (const date of SOME_DATES) {
      const data: Record<string, unknown[]> = {};
      for (const one of macroSeries(date)) {
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
  test.each(COUNTRY_CODES)("%s has two or three in each category, for six quarters", (country) => {
    const forecasts = macroForecasts("2026-11-20").filter((one) => one.country === country);
    for (const category of MACRO_CATEGORIES) {
      const count = forecasts.filter((one) => one.category === category).length;
      expect([category, count >= 2 && count <= 3]).toEqual([category, true]);
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
      for (const one of macroForecasts(date)) {
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
      // What the answer has besides: slug, timestamp, horizons, summary, source and envelope.
      const length = JSON.stringify(categories).length + 400;
      expect([date, length]).toSatisfy(() => length <= 3_900);
    }
  });
});

describe("calendar", () => {
  const upcoming = (date: string) =>
    calendarEvents(date)
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

  test("ids are unique and stay with their event from day to day", () => {
    const known = new Map<string, string>();
    for (let date = "2026-11-01"; date < "2027-03-01"; date = addDays(date, 1)) {
      const events = calendarEvents(date);
      expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
      for (const { id, country, event, date: on, time } of events) {
        const described = `${country} ${event} ${on} ${time}`;
        expect(known.get(id) ?? described).toBe(described);
        known.set(id, described);
      }
    }
  });

  test("events fall on weekdays in UTC, and on none of their country's holidays", () => {
    const offsets = { US: -5, JP: 9, VN: 7 };
    for (const date of DATES)
      for (const event of calendarEvents(date)) {
        expect(isWeekend(event.date)).toBe(false);
        const local =
          Date.parse(`${event.date}T${event.time}Z`) + offsets[event.country] * 3_600_000;
        expect(isSession(event.country, new Date(local).toISOString().slice(0, 10))).toBe(true);
      }
  });

  test("what happened has an actual figure, and what comes has none yet", () => {
    for (const { date, actual, previous, forecast } of calendarEvents("2026-11-20")) {
      expect([date, actual !== null]).toEqual([date, date < "2026-11-20"]);
      expect(previous).not.toBeNull();
      expect(forecast).toBeNull();
    }
  });

  test("what the calendar gives as previous and actual are the series' own figures", () => {
    const { observations = [] } =
      macroSeries("2026-11-20").find(
        ({ country, id }) => country === "US" && id === "cpi-inflation-yoy",
      ) ?? {};
    const printed = (i: number) => `${observations.at(i)?.value.toFixed(1)}%`;
    // November 2026: the 12th, a Thursday, is past; December's is to come.
    const [past, next] = ["2026-11-15", "2026-11-20"].map((date) =>
      calendarEvents(date)
        .filter(({ country, event }) => country === "US" && event === "CPI YoY")
        .find((event) => (date === "2026-11-15" ? event.date < date : event.date > date)),
    );
    expect(past).toMatchObject({ date: "2026-11-12", previous: printed(-2), actual: printed(-1) });
    // 12 December 2026 is a Saturday.
    expect(next).toMatchObject({ date: "2026-12-14", previous: printed(-1), actual: null });
  });

  test("twenty events, the default, stay within an agent's budget on any date", () => {
    for (const date of DATES) {
      const events = upcoming(date)
        .slice(0, 20)
        .map(({ id, country, event, date: on, time, importance, ...printed }) => ({
          id,
          country: countryLowerName(country),
          event,
          date: on,
          time,
          importance,
          ...printed,
          currency: COUNTRIES[country].currency,
        }));
      const summary = { total: 80, high: 14, medium: 26, low: 40 };
      const length = JSON.stringify({ data: { events, summary }, as_of: AS_OF }).length;
      expect([date, length]).toSatisfy(() => length < MOST_CHARACTERS);
    }
  });
});
