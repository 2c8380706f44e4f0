import { isSession, lastCompletedSession } from "#analytics/sessions.ts";
import { COUNTRIES, type Country, COUNTRY_CODES } from "#domain/country.ts";
import { addDays, dateOf, DAY_MS, weekdayOf } from "#lib/date.ts";
import { lazy } from "#lib/lazy.ts";
import { instantIn } from "#lib/zone.ts";
import { endOfMonth } from "./dates.ts";
import { type EconomicFigure, listEconomicFigures } from "./economy.ts";
import meetingsCsv from "./meetings.csv" with { type: "text" };
import { sampleDay } from "./stamp.ts";
import { readTable } from "./table.ts";

/** One publication of a figure. */
export interface Release {
  /** The number of the publication in its figure's series. */
  readonly number: number;
  /** UTC date and minute (`13:30`) of the publication. */
  readonly date: string;
  readonly time: string;
  /** The same in UTC milliseconds. */
  readonly at: number;
  /** `2026-10`, `2026-Q3` or a date. */
  readonly period: string;
}

/** The year from which periods are counted. */
const FIRST_YEAR = 2016;
/** UTC time of figures without an announced time: the same local day in all three countries. */
const UNANNOUNCED_TIME = "06:00";
const WEEK_MS = 7 * DAY_MS;
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** The publications of a figure whose UTC date is from `from` to `to`, both included, oldest first. */
export function listReleases(figure: EconomicFigure, from: string, to: string): Release[] {
  const { country, every, time: localTime } = figure;
  const list = every === "week" ? weekly : every === "meeting" ? meetings : periodic;
  // A UTC date differs from the local one by a day at most.
  const [first, last] = [addDays(from, -1), addDays(to, 1)];
  // Holidays move publications.
  return list(figure, addDays(from, -12), addDays(to, 12))
    .filter(({ localDate }) => localDate >= first && localDate <= last)
    .map(({ localDate, ...release }) => {
      const at = localTime
        ? instantIn(COUNTRIES[country].timeZone, localDate, localTime)
        : Date.parse(`${localDate}T${UNANNOUNCED_TIME}Z`);
      const [date = "", time = ""] = new Date(at).toISOString().slice(0, 16).split("T");
      return { ...release, date, time, at };
    })
    .filter(({ date }) => date >= from && date <= to)
    .sort((a, b) => a.at - b.at);
}

type Scheduled = Pick<Release, "number" | "period"> & { readonly localDate: string };

/** The releases of a weekly figure. Its period ended five days before: on Saturday or Friday. */
function weekly({ country, day }: EconomicFigure, from: string, to: string): Scheduled[] {
  const releases: Scheduled[] = [];
  for (let due = weekdayOnOrAfter(day, from); due <= to; due = addDays(due, 7)) {
    const number = Math.floor((Date.parse(due) - Date.UTC(FIRST_YEAR, 0)) / WEEK_MS);
    const localDate = workingDay(country, due, -1);
    releases.push({ number, period: addDays(due, -5), localDate });
  }
  return releases;
}

/** The announced meetings of the central banks; without a year, the usual ones of the others. */
const meetingRows = lazy(() => readTable(meetingsCsv));

function meetings({ day: bank, country }: EconomicFigure, from: string, to: string): Scheduled[] {
  const releases: Scheduled[] = [];
  for (let year = Number(from.slice(0, 4)); year <= Number(to.slice(0, 4)); year++) {
    const row = meetingRows().find(
      (one) => one("bank") === bank && [`${year}`, ""].includes(one("year")),
    );
    for (const [i, day] of (row?.("days") ?? "").split(" ").entries()) {
      const date = `${year}-${day}`;
      const localDate = workingDay(country, date, -1);
      releases.push({ number: (year - FIRST_YEAR) * 8 + i, period: date.slice(0, 7), localDate });
    }
  }
  return releases;
}

/**
 * The releases of a monthly or quarterly figure. `1/13`: the figure of the year's last period comes by the rule behind
 * the stroke in the last month of that period, as the Tankan of December.
 */
function periodic(figure: EconomicFigure, from: string, to: string): Scheduled[] {
  const { country, every, day, lag } = figure;
  const months = every === "quarter" ? 3 : 1;
  const first = Math.floor((monthNumber(from) - lag) / months) - 1;
  const last = Math.floor((monthNumber(to) - lag) / months);
  return Array.from({ length: last - first + 1 }, (_, i) => {
    const lastMonth = months * (first + i + 1) - 1;
    const end = endOfPeriod(lastMonth);
    const period =
      months === 3 ? `${end.slice(0, 4)}-Q${Number(end.slice(5, 7)) / 3}` : end.slice(0, 7);
    const [usual = day, atYearEnd] = day.split("/");
    const localDate =
      atYearEnd !== undefined && lastMonth % 12 === 11
        ? publicationDay(country, atYearEnd, endOfPeriod(lastMonth - 1))
        : publicationDay(country, usual, endOfPeriod(lastMonth + lag - 1));
    return { number: first + i, period, localDate };
  });
}

/**
 * The local date of a publication in the month after the day `before`, by a rule: `12` is the 12th, `fri8`
 * the first Friday from the 8th. A holiday moves it to the next working day.
 */
function publicationDay(country: Country, rule: string, before: string): string {
  const [, word = "", count = ""] = rule.match(/^([a-z]*)(\d+)$/) ?? [];
  const day = addDays(before, Number(count));
  return workingDay(country, word === "" ? day : weekdayOnOrAfter(word, day), 1);
}

/** The first such weekday (`fri`) on or after the date. */
function weekdayOnOrAfter(weekday: string, from: string): string {
  return addDays(from, (WEEKDAYS.indexOf(weekday) - weekdayOf(from) + 7) % 7);
}

/** The first working day from the date on, or back from it if `step` is −1. Offices work on sessions. */
function workingDay(country: Country, date: string, step: 1 | -1): string {
  return isSession(country, date) ? date : workingDay(country, addDays(date, step), step);
}

/** The number of the date's month. January of the first year is 0. */
export function monthNumber(date: string): number {
  return (Number(date.slice(0, 4)) - FIRST_YEAR) * 12 + Number(date.slice(5, 7)) - 1;
}

/** The last day of a month by its number. */
export function endOfPeriod(month: number): string {
  return endOfMonth(FIRST_YEAR, month + 1);
}

/** The UTC time of today's newest publication, `13:30`; null before the first one. */
export function newestRelease(now: number): string | null {
  const today = dateOf(now);
  const times = listEconomicFigures().flatMap((figure) =>
    listReleases(figure, today, today).flatMap(({ at, time }) => (at <= now ? [time] : [])),
  );
  return times.toSorted().at(-1) ?? null;
}

/**
 * Identifies the sample market at `now`, beginning with the version. All records are the same while the
 * stamp is the same.
 */
export function sampleStamp(now: number): string {
  const sessions = COUNTRY_CODES.map((country) => lastCompletedSession(country, now));
  return sampleDay(now) + [newestRelease(now) ?? "", ...sessions].join(" ");
}
