import { Type } from "@sinclair/typebox";
import { COUNTRIES as MARKETS, type Country } from "#domain/country.ts";
import { Nullable } from "#domain/schema.ts";
import { addDays, weekdayOf } from "#lib/date.ts";
import { lookup } from "#lib/lookup.ts";
import { plainText } from "#lib/plain-text.ts";
import { instantIn } from "#lib/zone.ts";
import { answerReader, checkRowCount } from "#sources/check-answer.ts";
import { CALENDAR } from "./source.ts";
import { minuteOf, printedFigure, type Release } from "./release.ts";

/** Nasdaq's answer for one date; null if it does not have the date. */
export interface NasdaqDay {
  readonly date: string;
  readonly answer: unknown;
}

/** The address of the publications of a day; `date` is `YYYY-MM-DD`. */
export function nasdaqEventsAddress(date: string): string {
  return `https://api.nasdaq.com/api/calendar/economicevents?date=${date}`;
}

const Cell = Type.Optional(Nullable(Type.String()));

const readDay = answerReader(
  CALENDAR,
  Type.Object({
    data: Type.Object({
      rows: Nullable(
        Type.Array(
          Type.Object({
            /** Eastern time, despite the name: `08:30`, or a word such as `Tentative`. */
            gmt: Cell,
            country: Type.String(),
            eventName: Type.String(),
            actual: Cell,
            consensus: Cell,
            previous: Cell,
          }),
        ),
      ),
    }),
  }),
);

const COUNTRIES: Readonly<Record<string, Country>> = { "United States": "US", Japan: "JP" };

/** A row with the requested date and the time in New York. */
interface DatedRow extends Omit<Release, "minute"> {
  readonly requestedDate: string;
  readonly time: string;
}

/**
 * The publications of the United States and Japan in the answers for several dates, without those
 * that have no time.
 *
 * @throws SourceError `invalid_answer` if an answer has another form
 */
export function nasdaqReleases(days: readonly NasdaqDay[]): Release[] {
  const rows = days.flatMap(rowsOf);
  checkRowCount(CALENDAR, rows.length);
  const lateDays = daysLate(rows);
  const known = new Set<string>();
  return rows.flatMap(({ requestedDate, time, ...row }) => {
    const release = {
      ...row,
      minute: minuteOf(instantIn(MARKETS.US.timeZone, addDays(requestedDate, -lateDays), time)),
    };
    // The same row can occur twice, in two spellings.
    const key = JSON.stringify({ ...release, title: release.title.toLowerCase() });
    if (known.has(key)) return [];
    known.add(key);
    return release;
  });
}

function rowsOf({ date, answer }: NasdaqDay): DatedRow[] {
  if (answer === null) return [];
  return (readDay(answer).data.rows ?? []).flatMap((row) => {
    const country = lookup(COUNTRIES, row.country);
    const title = plainText(row.eventName, 160);
    const time = (row.gmt ?? "").trim().padStart(5, "0");
    if (!country || title === "" || !/^([01]\d|2[0-3]):[0-5]\d$/.test(time)) return [];
    return {
      country,
      title,
      requestedDate: date,
      time,
      previous: printedFigure(row.previous),
      consensus: printedFigure(row.consensus),
      actual: printedFigure(row.actual),
    };
  });
}

/**
 * The number of days by which events are listed too late: 0 or 1.
 *
 * In 2022, events were listed under their own date. Since 2023 at the latest, they are listed under the
 * next day (the payrolls of Friday 2026-09-04 under 2026-09-05). The weekdays show which rule applies:
 * the US publishes on Fridays and not on Sundays, so its events are listed either on Saturdays or on
 * Mondays. Without answers for these days, the result is 1.
 */
function daysLate(rows: readonly DatedRow[]): 0 | 1 {
  const american = rows.filter(({ country }) => country === "US");
  const on = (weekday: number) =>
    american.filter(({ requestedDate }) => weekdayOf(requestedDate) === weekday).length;
  return on(1) > on(6) ? 0 : 1;
}
