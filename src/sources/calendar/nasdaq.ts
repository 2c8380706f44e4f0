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

/** What Nasdaq answered for one date; null if it has no such date. */
export interface NasdaqDay {
  readonly date: string;
  readonly answer: unknown;
}

/** Where the publications of a day are asked for; `date` is `YYYY-MM-DD`. */
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
  readonly askedDate: string;
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
  return rows.flatMap(({ askedDate, time, ...row }) => {
    const release = {
      ...row,
      minute: minuteOf(instantIn(MARKETS.US.timeZone, addDays(askedDate, -lateDays), time)),
    };
    // The same row in two spellings occurs.
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
      askedDate: date,
      time,
      previous: printedFigure(row.previous),
      consensus: printedFigure(row.consensus),
      actual: printedFigure(row.actual),
    };
  });
}

/**
 * By how many days the answers run behind the dates that they were asked for: 0 or 1.
 *
 * In 2022 the events of a date came under that date; since 2023 at the latest, observers find them
 * under the day after (the payrolls of Friday 2026-09-04 under 2026-09-05). The weekdays show
 * which case holds: the US publishes on Fridays and not on Sundays, so its events appear under Saturdays
 * or under Mondays. Where neither day was asked for, one day.
 */
function daysLate(rows: readonly DatedRow[]): 0 | 1 {
  const american = rows.filter(({ country }) => country === "US");
  const on = (weekday: number) =>
    american.filter(({ askedDate }) => weekdayOf(askedDate) === weekday).length;
  return on(1) > on(6) ? 0 : 1;
}
