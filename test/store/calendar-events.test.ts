import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { CalendarEvent } from "#domain/calendar-event.ts";
import { addDays } from "#lib/date.ts";
import { openTestMarket, SAMPLE } from "../support/market.ts";

const event = (id: string, date: string, country: CalendarEvent["country"] = "US") => ({
  id,
  country,
  event: "CPI y/y",
  date,
  time: "13:30",
  importance: "high" as const,
  previous: "3.0%",
  forecast: null,
  consensus: null,
  actual: null,
});

describe("the calendar", () => {
  test("is read from a date on, soonest first, by country", () => {
    using home = openTestMarket();
    const { calendar } = home.market;
    home.market.put(
      "calendarEvents",
      [
        event("late", "2026-12-10"),
        event("past", "2026-11-19"),
        event("today", "2026-11-20"),
        event("japan", "2026-11-20", "JP"),
      ],
      SAMPLE,
    );
    expect(calendar.listFrom("US", "2026-11-20")).toEqual([
      { ...event("today", "2026-11-20"), ...SAMPLE },
      { ...event("late", "2026-12-10"), ...SAMPLE },
    ]);
    expect(calendar.listFrom("JP", "2026-11-20").map(({ id }) => id)).toEqual(["japan"]);
    expect(calendar.listFrom("VN", "2026-11-20")).toEqual([]);
    expect(calendar.findLast("US")?.id).toBe("late");
    expect(calendar.findLast("VN")).toBeNull();
  });

  test("is read by its index, which skips past events", () => {
    using home = openTestMarket();
    const reader = new Database(join(home.folder, "market.db"), { readonly: true });
    const plan = (sql: string) =>
      reader
        .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => detail);
    const table = "FROM documents WHERE kind = 'calendarEvents' AND country = 'US'";
    expect(
      plan(`SELECT body ${table} AND body ->> 'date' >= '2026-11-20' ORDER BY body ->> 'date', id`),
    ).toEqual(["SEARCH documents USING INDEX calendar_events_by_date (country=? AND <expr>>?)"]);
    reader.close();
  });

  test("loses events that are missing in a source's answer, on the dates that it covers", () => {
    using home = openTestMarket();
    const { market } = home;
    const ids = (...list: string[]) => new Set(list);
    const remaining = () => market.calendar.listFrom("US", "0000-00-00").map(({ id }) => id);
    market.put(
      "calendarEvents",
      [
        event("before", "2026-11-19"),
        event("first", "2026-11-20"),
        event("moved", "2026-11-24"),
        event("kept", "2026-11-24"),
        event("last", "2026-12-04"),
        event("after", "2026-12-05"),
        event("japan", "2026-11-24", "JP"),
      ],
      SAMPLE,
    );
    market.put("calendarEvents", [event("other", "2026-11-24")], { source: "beta", storedAt: 1 });
    const covered = {
      country: "US",
      source: "sample",
      from: "2026-11-20",
      to: "2026-12-04",
    } as const;
    expect(market.calendar.removeMissing(covered, ids("kept"))).toBe(3);
    expect(remaining()).toEqual(["before", "kept", "other", "after"]);
    expect(market.calendar.listFrom("JP", "2026-11-24")).toHaveLength(1);
  });

  test("loses past events except imported ones", () => {
    using home = openTestMarket();
    const { market } = home;
    const days = Array.from({ length: 10 }, (_, back) => addDays("2026-11-20", -back));
    market.put(
      "calendarEvents",
      days.map((date) => event(date, date)),
      SAMPLE,
    );
    market.put("calendarEvents", [event("own", "2020-01-01")], { source: "import", storedAt: 1 });
    market.put("calendarEvents", [event("japan", "2020-01-01", "JP")], SAMPLE);
    // 11 to 20 November are ten days; seven of them are before the 18th.
    expect(market.calendar.prune("US", "2026-11-18")).toBe(7);
    expect(market.calendar.listFrom("US", "0000-00-00").map(({ id }) => id)).toEqual([
      "own",
      "2026-11-18",
      "2026-11-19",
      "2026-11-20",
    ]);
    expect(market.calendar.listFrom("JP", "0000-00-00")).toHaveLength(1);
  });
});
