import { COUNTRIES } from "#domain/country.ts";
import { addDays, dateOf, weekdayOf } from "#lib/date.ts";
import { instantIn } from "#lib/zone.ts";
import { type EconomicFigure, listEconomicFigures } from "./economy.ts";
import { meetingDays, publicationDay, weeklyDay } from "./release-dates.ts";

/** One publication of a figure. */
export interface Release {
  /** The number of the publication in its figure's series. */
  readonly number: number;
  /** 0 for the first print of a period, 1 for the second, and so on. */
  readonly print: number;
  /** UTC date and minute (`13:30`) of the publication. */
  readonly date: string;
  readonly time: string;
  /** The same in UTC milliseconds. */
  readonly at: number;
  /** `2026-10`, `2026-Q3` or a date. */
  readonly period: string;
}

/** The year from which periods are counted. */
export const FIRST_YEAR = 2016;

/** UTC time of figures without an announced time: the same local day in all three countries. */
const UNANNOUNCED_TIME = "06:00";
const WEEK_MS = 7 * 86_400_000;

/** The publications of a figure whose UTC date is from `from` to `to`, both included, oldest first. */
export function listReleases(figure: EconomicFigure, from: string, to: string): Release[] {
  const releases =
    figure.every === "week"
      ? weekly(figure, addDays(from, -14), addDays(to, 7))
      : figure.every === "meeting"
        ? meetings(figure, from, to)
        : periodic(figure, from, to);
  return releases.filter(({ date }) => date >= from && date <= to).sort((a, b) => a.at - b.at);
}

function releaseOn(
  { country, time: localTime }: EconomicFigure,
  localDate: string,
  release: Pick<Release, "number" | "print" | "period">,
): Release {
  const at = localTime
    ? instantIn(COUNTRIES[country].timeZone, localDate, localTime)
    : Date.parse(`${localDate}T${UNANNOUNCED_TIME}Z`);
  const [date = "", time = ""] = new Date(at).toISOString().slice(0, 16).split("T");
  return { ...release, date, time, at };
}

/** The releases of a weekly figure. Its period ended five days before: on Saturday or Friday. */
function weekly(figure: EconomicFigure, from: string, to: string): Release[] {
  const weekday = figure.day === "thu" ? 4 : 3;
  const releases: Release[] = [];
  let nominal = addDays(from, (weekday - weekdayOf(from) + 7) % 7);
  for (; nominal <= to; nominal = addDays(nominal, 7)) {
    const number = Math.floor((Date.parse(nominal) - Date.UTC(FIRST_YEAR, 0)) / WEEK_MS);
    const day = weeklyDay(figure.country, figure.day, nominal);
    releases.push(releaseOn(figure, day, { number, print: 0, period: addDays(nominal, -5) }));
  }
  return releases;
}

function meetings(figure: EconomicFigure, from: string, to: string): Release[] {
  const releases: Release[] = [];
  for (let year = Number(from.slice(0, 4)) - 1; year <= Number(to.slice(0, 4)) + 1; year++) {
    const days = meetingDays(`${figure.day} ${year}`);
    for (const [i, day] of days.entries()) {
      const number = (year - FIRST_YEAR) * days.length + i;
      releases.push(releaseOn(figure, day, { number, print: 0, period: day.slice(0, 7) }));
    }
  }
  return releases;
}

/** The releases of a monthly or quarterly figure, with its revisions. */
function periodic(figure: EconomicFigure, from: string, to: string): Release[] {
  const months = figure.every === "quarter" ? 3 : 1;
  const { prints } = figure;
  const lags = prints.map(({ lag }) => lag);
  // A weekend may move a publication to the next month, and the conversion to UTC to the previous one.
  const first = Math.floor((monthNumber(from) - Math.max(...lags) - 1) / months);
  const last = Math.floor((monthNumber(to) - Math.min(...lags) + 1) / months);
  const releases: Release[] = [];
  for (let count = first; count <= last; count++) {
    const lastMonth = months * (count + 1) - 1;
    const period = months === 3 ? quarterName(count) : monthName(count);
    for (const [print, { lag, day }] of prints.entries()) {
      const number = prints.length * count + print;
      const localDate = localDayOf(figure, day, lastMonth, lag);
      releases.push(releaseOn(figure, localDate, { number, print, period }));
    }
  }
  return releases;
}

/** The Tankan survey is published on the first working day after its quarter, or on 13 December. */
function localDayOf(
  { country }: EconomicFigure,
  day: string,
  lastMonth: number,
  lag: number,
): string {
  const isDecember = lastMonth % 12 === 11;
  const [rule, later] = day !== "tankan" ? [day, lag] : isDecember ? ["13", 0] : ["work1", 1];
  const month = lastMonth + later;
  return publicationDay(country, rule, yearOf(month), monthOf(month));
}

/** The number of the date's month. January of the first year is 0. */
function monthNumber(date: string): number {
  return (Number(date.slice(0, 4)) - FIRST_YEAR) * 12 + Number(date.slice(5, 7)) - 1;
}

/** The year of a month number. */
export function yearOf(month: number): number {
  return FIRST_YEAR + Math.floor(month / 12);
}

/** The month of the year, 1 to 12, of a month number. */
export function monthOf(month: number): number {
  return (((month % 12) + 12) % 12) + 1;
}

function monthName(month: number): string {
  return `${yearOf(month)}-${String(monthOf(month)).padStart(2, "0")}`;
}

function quarterName(quarter: number): string {
  return `${yearOf(3 * quarter)}-Q${Math.ceil(monthOf(3 * quarter) / 3)}`;
}

/** The UTC time of today's newest publication, `13:30`; null before the first one. */
export function newestRelease(now: number): string | null {
  const today = dateOf(now);
  // Many figures have the same schedule: one of each is enough.
  const together = new Map(
    listEconomicFigures().map((figure) => {
      const { country, every, day, prints, time } = figure;
      return [JSON.stringify([country, every, day, prints, time]), figure];
    }),
  );
  const times = [...together.values()].flatMap((figure) =>
    listReleases(figure, today, today).flatMap(({ at, time }) => (at <= now ? [time] : [])),
  );
  return times.toSorted().at(-1) ?? null;
}
