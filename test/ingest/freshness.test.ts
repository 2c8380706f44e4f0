import { describe, expect, test } from "bun:test";
import type { Country } from "#domain/country.ts";
import { type RecordKind, RECORDS } from "#domain/records.ts";
import { isDue, nextDueAt } from "#ingest/freshness.ts";

const HOUR = 3_600_000;
const at = (text: string) => Date.parse(`2026-11-${text}:00Z`);
const KINDS = Object.keys(RECORDS) as RecordKind[];

describe("the freshness of records", () => {
  test.each(KINDS)("a kind that was never fetched is due: %s", (kind) => {
    expect(isDue(kind, "US", null, at("20T12:00"))).toBe(true);
  });

  test.each(KINDS)("a kind that was fetched just now is not due: %s", (kind) => {
    expect(isDue(kind, "US", at("20T12:00"), at("20T12:00"))).toBe(false);
  });

  const WITH_OWN_AGE = [
    "bars",
    "quotes",
    "foreignTrades",
    "calendarEvents",
    "recentCloses",
    "macroVintages",
  ];
  test.each(KINDS.filter((kind) => !WITH_OWN_AGE.includes(kind)))(
    "a kind is due after a day, also on weekends: %s",
    (kind) => {
      const fetched = at("21T12:00");
      expect(isDue(kind, "VN", fetched, fetched + 24 * HOUR - 1)).toBe(false);
      expect(isDue(kind, "VN", fetched, fetched + 24 * HOUR)).toBe(true);
    },
  );

  test.each(["recentCloses", "macroVintages"] as const)("%s are due after seven days", (kind) => {
    const fetched = at("14T12:00");
    expect(isDue(kind, "US", fetched, fetched + 7 * 24 * HOUR - 1)).toBe(false);
    expect(isDue(kind, "US", fetched, fetched + 7 * 24 * HOUR)).toBe(true);
  });

  test("the calendar is due after three hours", () => {
    const fetched = at("20T12:00");
    expect(isDue("calendarEvents", "US", fetched, fetched + 3 * HOUR - 1)).toBe(false);
    expect(isDue("calendarEvents", "US", fetched, fetched + 3 * HOUR)).toBe(true);
  });

  // 2026-11-20 is a Friday; Tokyo is closed on Monday the 23rd, New York on Thursday the 26th.
  test.each([
    ["US", "20T21:59", "20T22:00", true, "a session of New York is over"],
    ["US", "20T22:00", "23T21:59", false, "there was no session over the weekend"],
    ["US", "20T22:00", "23T22:00", true, "Monday's session is over"],
    ["US", "25T22:00", "27T21:59", false, "there was no session on Thanksgiving"],
    ["JP", "20T06:59", "20T07:00", true, "a session of Tokyo is over"],
    ["JP", "20T07:00", "24T06:59", false, "there was no session on Labour Thanksgiving Day"],
    ["JP", "20T07:00", "24T07:00", true, "Tuesday's session is over"],
    ["VN", "20T08:29", "20T08:30", true, "a session of Ho Chi Minh City is over"],
    ["VN", "20T08:30", "23T08:29", false, "there was no session over the weekend"],
    ["US", "10T12:00", "20T12:00", true, "many sessions are over"],
  ] as const)(
    "prices of %s fetched on %s are due on %s: %p, because %s",
    (country, fetched, now, due) => {
      for (const kind of ["bars", "foreignTrades"] as const)
        expect(isDue(kind, country as Country, at(fetched), at(now))).toBe(due);
      // While a session is open, quotes are due by their age too.
      if (due) expect(isDue("quotes", country as Country, at(fetched), at(now))).toBe(true);
    },
  );

  // New York opens at 14:30 UTC in winter, Tokyo at 0:00, Ho Chi Minh City at 2:00. The 27th is a half-day.
  test.each([
    ["US", "20T14:00", "20T14:29", "20T14:30"],
    ["US", "20T14:30", "20T14:44", "20T14:45"],
    ["US", "27T21:30", "27T21:44", "27T21:45"],
    ["JP", "19T07:00", "19T23:59", "20T00:00"],
    ["JP", "20T00:00", "20T00:14", "20T00:15"],
    ["VN", "20T01:50", "20T02:04", "20T02:05"],
  ] as const)(
    "quotes of %s fetched on %s are due while a session is open: not on %s, but on %s",
    (...times) => {
      const [country, fetched, kept, due] = times;
      expect(isDue("quotes", country, at(fetched), at(kept))).toBe(false);
      expect(isDue("quotes", country, at(fetched), at(due))).toBe(true);
      expect(isDue("bars", country, at(fetched), at(due))).toBe(false);
    },
  );

  test("a list of the statements of all companies is due after a week", () => {
    const isListDue = (days: number) =>
      isDue("statements", "US", 0, days * 24 * 3_600_000, { scope: "country" });
    expect([6, 7].map(isListDue)).toEqual([false, true]);
    expect(isDue("statements", "US", 0, 24 * 3_600_000)).toBe(true);
  });

  test("the quotes of a whole country are due after an hour of an open session", () => {
    const scope = "country";
    expect(isDue("quotes", "US", at("20T15:00"), at("20T15:59"), { scope })).toBe(false);
    expect(isDue("quotes", "US", at("20T15:00"), at("20T16:00"), { scope })).toBe(true);
  });

  test("quotes are due again when the session is complete, then not before the next one", () => {
    expect(isDue("quotes", "US", at("20T21:55"), at("20T21:59"))).toBe(false);
    expect(isDue("quotes", "US", at("20T21:55"), at("20T22:00"))).toBe(true);
    expect(isDue("quotes", "US", at("20T22:00"), at("23T14:29"))).toBe(false);
    expect(isDue("quotes", "US", at("20T22:00"), at("23T14:30"))).toBe(true);
  });

  test("quotes are not due by their age on a day without a session", () => {
    expect(isDue("quotes", "US", at("20T22:00"), at("21T16:00"))).toBe(false);
    expect(isDue("quotes", "US", at("20T22:00"), at("22T16:00"))).toBe(false);
    // Thanksgiving, which a decree may open.
    expect(isDue("quotes", "US", at("25T22:00"), at("26T16:00"))).toBe(false);
    const overrides = [{ country: "US" as const, date: "2026-11-26", name: "Open", closed: false }];
    expect(isDue("quotes", "US", at("25T22:00"), at("26T16:00"), { overrides })).toBe(true);
  });

  test("prices are due after the sessions that remain after decrees", () => {
    const closed = (date: string) => ({
      country: "US" as const,
      date,
      name: "Storm",
      closed: true,
    });
    // Monday the 23rd is closed by decree, so Friday's session is the last one for one more day.
    const overrides = [closed("2026-11-23")];
    expect(isDue("bars", "US", at("20T22:00"), at("23T22:00"), { overrides })).toBe(false);
    expect(isDue("bars", "US", at("20T22:00"), at("24T22:00"), { overrides })).toBe(true);
    // Thanksgiving is opened by decree.
    const open = [{ ...closed("2026-11-26"), closed: false }];
    expect(isDue("quotes", "US", at("25T22:00"), at("26T22:00"), { overrides: open })).toBe(true);
    expect(isDue("quotes", "JP", at("20T07:00"), at("23T22:00"), { overrides })).toBe(false);
  });

  test.each(["statements", "dividends", "instruments"] as const)(
    "a kind is due after a week in the background: %s",
    (kind) => {
      const fetched = at("01T12:00");
      expect(isDue(kind, "US", fetched, fetched + 7 * 24 * HOUR - 1, { inBackground: true })).toBe(
        false,
      );
      expect(isDue(kind, "US", fetched, fetched + 7 * 24 * HOUR, { inBackground: true })).toBe(
        true,
      );
    },
  );

  test("prices are due after a session, also in the background", () => {
    expect(isDue("bars", "US", at("20T21:59"), at("20T22:00"), { inBackground: true })).toBe(true);
    expect(isDue("bars", "US", at("20T22:00"), at("23T21:59"), { inBackground: true })).toBe(false);
  });

  test.each(KINDS)(
    "a kind whose time is in the future, because of a wrong clock, is due: %s",
    (kind) => {
      expect(isDue(kind, "US", at("21T00:00"), at("20T23:59"))).toBe(true);
    },
  );
});

describe("the next due time", () => {
  const background = { inBackground: true, scope: "country" } as const;

  test.each([
    ["calendarEvents", "US", "20T12:00", "20T12:10", "20T15:00"],
    ["macroSeries", "US", "20T12:05", "20T12:10", "21T12:15"],
    ["instruments", "US", "20T12:00", "20T12:10", "27T12:00"],
    // Friday's session of New York is over at 22:00; the next one opens on Monday at 14:30.
    ["quotes", "US", "20T22:00", "20T22:10", "23T14:30"],
    // While the session is open, after an hour.
    ["quotes", "US", "20T15:00", "20T15:10", "20T16:00"],
  ] as const)("of %s of %s, fetched at %s, is %s → %s", (kind, country, fetched, now, due) => {
    expect(nextDueAt(kind, country, at(fetched), at(now), background)).toBe(at(due));
  });

  test("is now if the records are due or were never fetched", () => {
    expect(nextDueAt("macroSeries", "US", at("01T00:00"), at("20T12:10"))).toBe(at("20T12:10"));
    expect(nextDueAt("bars", "US", null, at("20T12:10"))).toBe(at("20T12:10"));
  });

  test.each(KINDS)("is the first quarter of an hour at which %s is due", (kind) => {
    const [fetched, now] = [at("20T12:00"), at("20T12:01")];
    const due = nextDueAt(kind, "JP", fetched, now, background) ?? 0;
    expect(isDue(kind, "JP", fetched, due, background)).toBe(true);
    expect(isDue(kind, "JP", fetched, due - HOUR / 4, background)).toBe(false);
  });
});

test("splits are due an hour after they were fetched if the newest quote shows one that is unknown", () => {
  const due = (fetched: string, isShown: boolean) =>
    isDue("splits", "US", at(fetched), at("20T12:00"), {
      inBackground: true,
      showsUnknownSplit: () => isShown,
    });
  expect([due("20T11:00", true), due("20T11:01", true), due("20T11:00", false)]).toEqual([
    true,
    false,
    false,
  ]);
});
