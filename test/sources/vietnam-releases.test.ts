import { describe, expect, test } from "bun:test";
import { vietnamReleases } from "#sources/vietnam-releases/calendar-events.ts";
import { answersFrom } from "../support/answers.ts";
import { liveQuery, transformed } from "../support/fetcher.ts";
import { hasRecordings, recordedText } from "../support/recordings.ts";

const releases = (today: string) =>
  transformed("calendarEvents", vietnamReleases, null, liveQuery({ today, country: "VN" }));

describe("Viet Nam's computed releases", () => {
  test("each month's report is due on the 6th of the next month at 9:00 in Ha Noi, for two months ahead", () => {
    const cpi = releases("2026-11-20").filter(({ event }) => event.startsWith("CPI"));
    expect(cpi.map(({ date, time, event }) => `${date} ${time} ${event}`)).toEqual([
      "2026-12-06 02:00 CPI y/y, November 2026",
      "2027-01-06 02:00 CPI y/y, December 2026",
    ]);
  });

  test("GDP is due in January, April, July and October only, and has high importance", () => {
    const gdp = releases("2026-11-20").filter(({ event }) => event.startsWith("GDP"));
    expect(gdp.map(({ date, event, importance }) => [date, event, importance])).toEqual([
      ["2027-01-06", "GDP y/y, 2026-Q4", "high"],
    ]);
    expect(releases("2026-01-07").filter(({ event }) => event.startsWith("GDP"))).toEqual([]);
  });

  test("a release is listed on its day, and not on the day after", () => {
    expect(releases("2026-12-06")[0]?.date).toBe("2026-12-06");
    expect(releases("2026-12-07")[0]?.date).toBe("2027-01-06");
  });

  test("an event keeps its id from day to day, ids are unique, and no event has figures", () => {
    const early = releases("2026-11-10");
    const late = new Map(releases("2026-12-05").map((event) => [event.id, event]));
    for (const event of early) if (late.has(event.id)) expect(late.get(event.id)).toEqual(event);
    expect(new Set(early.map(({ id }) => id)).size).toBe(early.length);
    expect(late.has("vn-cpi-2026-11")).toBe(true);
    for (const { previous, forecast, consensus, actual } of early)
      expect([previous, forecast, consensus, actual]).toEqual([null, null, null, null]);
  });

  test("each event names the series of the statistics office that it continues, and the period", () => {
    const named = releases("2026-12-20").map(({ id, series, period }) => [id, series, period]);
    expect(named.slice(0, 5)).toEqual([
      ["vn-cpi-2026-12", "cpi-yoy", "2026-12"],
      ["vn-iip-2026-12", "industrial-output-yoy", "2026-12"],
      ["vn-retail-2026-12", undefined, undefined],
      ["vn-trade-2026-12", "trade-balance", "2026-12"],
      ["vn-gdp-2026-q4", "gdp-yoy", "2026-Q4"],
    ]);
  });

  test("no request is made", async () => {
    const client = answersFrom({});
    await vietnamReleases.fetch(liveQuery({ today: "2026-11-20", country: "VN" }), client);
    expect(client.requests).toEqual([]);
  });
});

describe.skipIf(!hasRecordings)("observed releases (../shared/data/vn_listing)", () => {
  test("nine of ten in 2025 were published on the 6th at 02:00 UTC, one a day earlier", () => {
    const observed = recordedText("vn_listing/macro_vietnam_cpi.csv")
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.split(","))
      .filter(([date]) => date?.endsWith("/2025"));
    expect(observed).toHaveLength(10);
    const late: string[] = [];
    for (const [date = "", time = ""] of observed) {
      const [month = "", day = ""] = date.split("/");
      const ours = releases(`2025-${month}-01`).find(({ event }) => event.startsWith("CPI"));
      if (`${month}-${day}` !== ours?.date.slice(5) || time !== ours.time)
        late.push(`${date} ${time}`);
    }
    expect(late).toEqual(["07/05/2025 04:30"]);
  });
});
