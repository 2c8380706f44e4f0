import { describe, expect, test } from "bun:test";
import { economicCalendar } from "#sources/calendar/calendar-events.ts";
import { forexFactoryReleases } from "#sources/calendar/forex-factory.ts";
import { importanceByTitle } from "#sources/calendar/importance.ts";
import { mergeReleases } from "#sources/calendar/merge.ts";
import { nasdaqReleases } from "#sources/calendar/nasdaq.ts";
import { printedFigure, subjectOf } from "#sources/calendar/release.ts";
import { SourceError } from "#sources/source.ts";
import { answersFrom } from "../support/answers.ts";
import { faultOf, liveQuery, transformed } from "../support/fetcher.ts";
import { hasRecordings, recordedJson } from "../support/recordings.ts";

const query = liveQuery({ today: "2026-09-02" });
const failed = new SourceError("calendar", "unreachable", "HTTP 500");

/** The payrolls of Friday 2026-09-04 in the form of each calendar. */
const ffEvent = (change: Record<string, unknown> = {}) => ({
  title: "Non-Farm Employment Change",
  country: "USD",
  date: "2026-09-04T08:30:00-04:00",
  impact: "High",
  forecast: "75K",
  previous: "73K",
  ...change,
});
const nasdaqRow = (change: Record<string, unknown> = {}) => ({
  gmt: "08:30",
  country: "United States",
  eventName: "Nonfarm Payrolls",
  actual: "&nbsp;",
  consensus: "75K",
  previous: "73K",
  description: "",
  ...change,
});
const nasdaqDay = (date: string, ...rows: unknown[]) => ({ date, answer: { data: { rows } } });
/** Nasdaq's current answer for a Saturday: it has the American events of the Friday. */
const saturday = (...rows: unknown[]) => [nasdaqDay("2026-09-05", ...rows)];
const events = (forexFactory: unknown, nasdaq: unknown, country: "US" | "JP" = "US") =>
  transformed("calendarEvents", economicCalendar, { forexFactory, nasdaq }, { ...query, country });

describe("the dates for which an answer has all events", () => {
  const both = { forexFactory: [], nasdaq: [] as unknown[] };
  const covers = (answer: { forexFactory: unknown; nasdaq: unknown }) =>
    economicCalendar.covers?.(answer, query);

  test("are today and the fourteen days after it", () => {
    // Noon in UTC on 2 September 2026 is the same date in New York.
    expect(covers(both)).toEqual({ from: "2026-09-02", to: "2026-09-16" });
  });

  test("are none if only one of the two calendars answered", () => {
    expect(covers({ ...both, forexFactory: failed })).toBeNull();
    expect(covers({ ...both, nasdaq: failed })).toBeNull();
  });
});

describe("ForexFactory's week", () => {
  test("times are converted to UTC by their offset, in summer and in winter", () => {
    const minutes = forexFactoryReleases([
      ffEvent(),
      ffEvent({ date: "2026-12-04T08:30:00-05:00" }),
      ffEvent({ country: "JPY", date: "2026-08-16T19:50:00-04:00" }),
    ]).map(({ minute }) => minute);
    expect(minutes).toEqual(["2026-09-04T12:30", "2026-12-04T13:30", "2026-08-16T23:50"]);
  });

  test("holidays, other currencies and events without a time are left out", () => {
    const left = [
      ffEvent({ impact: "Holiday" }),
      ffEvent({ country: "EUR" }),
      ffEvent({ country: "All" }),
      ffEvent({ date: "2026-09-04" }),
      ffEvent({ title: " \u0000 " }),
    ];
    expect(forexFactoryReleases(left)).toEqual([]);
  });

  test("its forecast is the consensus; it has no forecast and no actual figure", () => {
    expect(events([ffEvent({ previous: "" })], failed)).toMatchObject([
      { importance: "high", previous: null, forecast: null, consensus: "75K", actual: null },
    ]);
  });
});

describe("Nasdaq's days", () => {
  test("events are listed under the next date and in Eastern time", () => {
    expect(nasdaqReleases(saturday(nasdaqRow())).map(({ minute }) => minute)).toEqual([
      "2026-09-04T12:30",
    ]);
  });

  test("if American events are listed under Mondays and not under Saturdays, the dates are right", () => {
    // Monday 2026-08-31; with Saturdays the same row is a day earlier.
    const monday = nasdaqDay("2026-08-31", nasdaqRow());
    expect(nasdaqReleases([monday])[0]?.minute).toBe("2026-08-31T12:30");
    const saturdays = saturday(nasdaqRow(), nasdaqRow({ eventName: "Unemployment Rate" }));
    expect(nasdaqReleases([monday, ...saturdays])[0]?.minute).toBe("2026-08-30T12:30");
  });

  test("each spelling of a missing figure is null", () => {
    for (const empty of ["&nbsp;", "-", "", " ", "\u00a0", "N/A", "—", null, undefined])
      expect(printedFigure(empty)).toBeNull();
    expect(printedFigure("&lt;b&gt;1,385K")).toBe("1,385K");
    expect(printedFigure("-8.7")).toBe("-8.7");
    expect(printedFigure("9".repeat(1_000))).toBe("9".repeat(60));
  });

  test("a row without a time makes no event; a row in two spellings makes one event", () => {
    const rows = [
      nasdaqRow({ gmt: "Tentative" }),
      nasdaqRow({ gmt: "All Day" }),
      nasdaqRow({ gmt: "25:00" }),
      nasdaqRow({ gmt: null }),
      nasdaqRow({ country: "Germany" }),
      nasdaqRow({ eventName: "PCE Price index" }),
      nasdaqRow({ eventName: "PCE price index" }),
    ];
    expect(nasdaqReleases(saturday(...rows)).map(({ title }) => title)).toEqual([
      "PCE Price index",
    ]);
  });

  test("importance follows from the title", () => {
    const of = (...titles: string[]) => titles.map(importanceByTitle);
    expect(
      of("Nonfarm Payrolls", "CPI", "National Core CPI", "Fed Interest Rate Decision", "GDP"),
    ).toEqual(Array(5).fill("high"));
    expect(of("Initial Jobless Claims", "PPI", "Existing Home Sales", "Trade Balance")).toEqual(
      Array(4).fill("medium"),
    );
    expect(
      of("Continuing Jobless Claims", "4-Week Bill Auction", "CPI, n.s.a", "GDP Sales", "?"),
    ).toEqual(Array(5).fill("low"));
  });
});

describe("the two calendars together", () => {
  test("an event of both is one event: importance and title from one calendar, figures from the other", () => {
    const [event, ...others] = events(
      [ffEvent({ forecast: "80K", impact: "Medium" })],
      saturday(nasdaqRow({ actual: "22K" })),
    );
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      country: "US",
      event: "Non-Farm Employment Change",
      date: "2026-09-04",
      time: "12:30",
      importance: "medium",
      previous: "73K",
      forecast: null,
      consensus: "75K",
      actual: "22K",
    });
  });

  test("an event keeps its id while first one calendar has it, then both, then the other", () => {
    const idOf = (...both: Parameters<typeof events>) => events(...both).map(({ id }) => id);
    const [both] = idOf([ffEvent()], saturday(nasdaqRow()));
    expect(both).toMatch(/^[0-9a-f]{16}$/);
    expect(idOf([ffEvent()], failed)).toEqual([both ?? ""]);
    expect(idOf(failed, saturday(nasdaqRow({ previous: "79K" })))).toEqual([both ?? ""]);
  });

  test("two rates with one name are paired by their previous figure", () => {
    const merged = events(
      [
        ffEvent({ title: "CPI y/y", previous: "2.9%", forecast: "3.1%" }),
        ffEvent({ title: "CPI m/m", previous: "0.4%", forecast: "0.3%" }),
        ffEvent({ title: "Core CPI m/m", previous: "0.3%" }),
      ],
      saturday(
        nasdaqRow({ eventName: "CPI", previous: "0.4%", consensus: "0.3%", actual: "0.2%" }),
        nasdaqRow({ eventName: "CPI", previous: "2.9%", consensus: "3.1%", actual: "3.0%" }),
      ),
    );
    expect(merged.map(({ event, actual }) => [event, actual])).toEqual([
      ["CPI m/m", "0.2%"],
      ["CPI y/y", "3.0%"],
      ["Core CPI m/m", null],
    ]);
    expect(new Set(merged.map(({ id }) => id)).size).toBe(3);
  });

  test("two names of one thing have the same subject, names of two things have two", () => {
    const same = [
      ["Unemployment Claims", "Initial Jobless Claims"],
      ["Philly Fed Manufacturing Index", "Philadelphia Fed Manufacturing Index"],
      ["National Core CPI y/y", "National Core CPI"],
      ["Prelim UoM Consumer Sentiment", "Michigan Consumer Sentiment"],
      ["CB Leading Index m/m", "US Leading Index"],
      ["Flash Manufacturing PMI", "S&P Global US Manufacturing PMI"],
      ["FOMC Member Cook Speaks", "Fed Governor Cook Speaks"],
      ["Prelim GDP q/q", "GDP (QoQ)"],
    ];
    for (const [a = "", b = ""] of same) expect(subjectOf(a)).toBe(subjectOf(b));
    const apart = [
      "CPI",
      "Core CPI",
      "GDP",
      "GDP Price Index",
      "Continuing Jobless Claims",
      "Jobless Claims 4-Week Avg.",
      "ISM Services PMI",
    ];
    expect(new Set(apart.map(subjectOf)).size).toBe(apart.length);
  });

  test("each country gets its own events; a country without events gets nothing", async () => {
    const both = [
      ffEvent(),
      ffEvent({ country: "JPY", title: "Trade Balance", date: "2026-09-02T19:50:00-04:00" }),
    ];
    expect(events(both, failed, "JP")).toMatchObject([
      { country: "JP", event: "Trade Balance", date: "2026-09-02", time: "23:50" },
    ]);
    expect(await faultOf(() => events([ffEvent()], saturday(), "JP"))).toBe("nothing");
    // A calendar that failed may have an event.
    expect(await faultOf(() => events([ffEvent()], failed, "JP"))).toBe("unreachable");
  });

  test("a calendar that fails or has changed its form is left out; without both, the source fails", async () => {
    const broken = [
      null,
      {},
      "<html>",
      [ffEvent({ title: 7 })],
      [ffEvent(), { title: "no more" }],
      [ffEvent({ forecast: 75 })],
    ];
    for (const answer of broken) {
      expect(events(answer, saturday(nasdaqRow())).map(({ event }) => event)).toEqual([
        "Nonfarm Payrolls",
      ]);
      expect(await faultOf(() => events(answer, failed))).toBe("invalid_answer");
    }
    for (const answer of [
      { data: null, status: { rCode: 400 } },
      { Note: "call frequency" },
      { data: { rows: [nasdaqRow({ gmt: 830 })] } },
    ]) {
      const days = [...saturday(nasdaqRow()), { date: "2026-09-06", answer }];
      expect(events([ffEvent()], days).map(({ event }) => event)).toEqual([
        "Non-Farm Employment Change",
      ]);
      expect(await faultOf(() => events(failed, days))).toBe("unreachable");
    }
  });

  test("both are requested, Nasdaq for 16 days from the date in New York; a missing day is not an error", async () => {
    const client = answersFrom({
      ff_calendar: JSON.stringify([ffEvent()]),
      "date=2026-09-07": { status: 404, body: "" },
      economicevents: JSON.stringify({ data: { rows: null } }),
    });
    const raw = await economicCalendar.fetch(liveQuery({ today: "2026-09-03T03:00Z" }), client);
    expect(
      events((raw as { forexFactory: unknown }).forexFactory, (raw as { nasdaq: unknown }).nasdaq),
    ).toHaveLength(1);
    const urls = client.requests.map(({ url }) => url);
    expect(urls[0]).toBe("https://nfs.faireconomy.media/ff_calendar_thisweek.json");
    expect(urls[1]).toBe("https://api.nasdaq.com/api/calendar/economicevents?date=2026-09-02");
    expect(urls.at(-1)).toBe("https://api.nasdaq.com/api/calendar/economicevents?date=2026-09-17");
    expect(urls).toHaveLength(17);
  });

  test("if one is down or answers with HTML or half of its JSON, the other one is enough; both down is a failure", async () => {
    const good = JSON.stringify({ data: { rows: [nasdaqRow()] } });
    for (const body of ["<html>", "[{", "", { status: 500, body: "" }]) {
      const client = answersFrom({ ff_calendar: body, economicevents: good });
      const raw = await economicCalendar.fetch(query, client);
      expect([...economicCalendar.transform(raw, query)].length).toBeGreaterThan(0);
    }
    const raw = await economicCalendar.fetch(query, answersFrom({}));
    expect(await faultOf(() => economicCalendar.transform(raw, query))).toBe("unreachable");
  });
});

describe.skipIf(!hasRecordings)("recorded answers (../shared/data)", () => {
  test("ForexFactory's week of 2026-08-16 has 22 American and 8 Japanese events", () => {
    const releases = forexFactoryReleases(
      recordedJson("forexfactory/ff_calendar_thisweek_2026-08-16.json"),
    );
    const count = (country: string) =>
      releases.filter((release) => release.country === country).length;
    expect([count("US"), count("JP")]).toEqual([22, 8]);
    // {"title":"FOMC Meeting Minutes","date":"2026-08-19T14:00:00-04:00","impact":"High"}
    expect(releases.find(({ title }) => title === "FOMC Meeting Minutes")).toMatchObject({
      country: "US",
      minute: "2026-08-19T18:00",
      importance: "high",
      previous: null,
      consensus: null,
    });
    // {"title":"Trade Balance","country":"JPY","date":"2026-08-19T19:50:00-04:00",...}
    expect(
      releases.find(({ title, country }) => title === "Trade Balance" && country === "JP"),
    ).toMatchObject({ minute: "2026-08-19T23:50", previous: "-0.88T", consensus: "-0.44T" });
  });

  test("Nasdaq's 2022-10-20, when dates were right, is in Eastern time", () => {
    const day = {
      date: "2022-10-20",
      answer: recordedJson("nasdaq/api_calendar_economicevents__date=2022-10-20.json"),
    };
    // The next Monday shows that American events were listed under their own dates then.
    const monday = nasdaqDay("2022-10-24", nasdaqRow());
    const releases = nasdaqReleases([day, monday]).filter(({ minute }) => minute < "2022-10-24");
    // 21 American rows less the tentative budget balance, 3 Japanese ones.
    expect(releases).toHaveLength(23);
    // Published by the Department of Labor on 2022-10-20 at 8:30 Eastern: 214,000 claims.
    expect(releases.find(({ title }) => title === "Initial Jobless Claims")).toEqual({
      country: "US",
      title: "Initial Jobless Claims",
      minute: "2022-10-20T12:30",
      previous: "226K",
      consensus: "230K",
      actual: "214K",
    });
    // Published in Tokyo on 2022-10-21 at 8:30.
    expect(releases.find(({ title }) => title === "National Core CPI")).toMatchObject({
      country: "JP",
      minute: "2022-10-20T23:30",
      consensus: "3.0%",
      actual: null,
    });
    const merged = mergeReleases([], releases);
    expect(new Set(merged.map(({ id }) => id)).size).toBe(23);
  });
});
