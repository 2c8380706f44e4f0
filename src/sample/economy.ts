import { isSession } from "#analytics/sessions.ts";
import { type Importance, IMPORTANCES } from "#domain/calendar-event.ts";
import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import { MACRO_CATEGORIES, type MacroCategory } from "#domain/macro.ts";
import { csvRows } from "#lib/csv.ts";
import { addDays, addMonths, dateOf, isWeekend, weekdayOf } from "#lib/date.ts";
import { lazy } from "#lib/lazy.ts";
import { endOfMonth, indexUpTo } from "./dates.ts";
import economyCsv from "./economy.csv" with { type: "text" };
import { other } from "./links.ts";
import type { Prices } from "./prices.ts";
import { normalAt, seedOf, wander } from "./random.ts";
import { tradingDaysOf } from "./trading-days.ts";
import type { SampleListing } from "./universe.ts";

/** How often a figure is published: `meeting` stands for the eight of a central bank in a year. */
const RHYTHMS = ["week", "month", "quarter", "meeting"] as const;

/** A published figure of a country's economy, as the sample market's table has it. */
export interface EconomicFigure {
  /** Its line in the table, counted from 0. */
  readonly line: number;
  readonly country: Country;
  readonly category: MacroCategory;
  readonly name: string;
  readonly unit: string;
  readonly decimals: number;
  /** What it wanders about, and the standard deviation of that. */
  readonly level: number;
  readonly swing: number;
  readonly every: (typeof RHYTHMS)[number];
  /** A day of the month (`12`), a weekday of it (`fri1`, its first Friday) or of each week (`thu`). */
  readonly day: string;
  /** Months from the period, or its end, to the publication. */
  readonly lag: number;
  /** How the calendar announces it; null for a figure that it does not announce. */
  readonly event: {
    readonly title: string;
    readonly time: string;
    readonly importance: Importance;
  } | null;
  readonly isForecast: boolean;
  /** What trades at this price: a month's figure is the mean of its closes. */
  readonly follows: SampleListing | null;
}

/** One publication of a figure. */
export interface Release {
  /** Counts the publications of one figure. */
  readonly number: number;
  /** The UTC date that the rule gives. */
  readonly dueOn: string;
  /** The same, moved to the next working day. */
  readonly date: string;
  /** When it is out, UTC milliseconds: on that day, at the time that the calendar announces. */
  readonly at: number;
  /** `2026-10`, `2026-Q3` or a date. */
  readonly period: string;
}

/** Every figure of the table, US first, then JP and VN. */
export const listEconomicFigures = lazy((): readonly EconomicFigure[] =>
  [...csvRows(economyCsv)].slice(1).map(({ cells }, line) => readFigure(cells, line)),
);

function readFigure(cells: readonly string[], line: number): EconomicFigure {
  const [country, category, name, unit, decimals, level, swing, every] = cells;
  const [day, lag, time, title, importance, isForecast, follows] = cells.slice(8);
  const oneOf = <T extends string>(values: readonly T[], text: string | undefined): T => {
    const found = values.find((value) => value === text);
    if (found === undefined)
      throw new Error(`economy.csv, line ${line + 2}: "${text}" is no value.`);
    return found;
  };
  return {
    line,
    country: oneOf(COUNTRY_CODES, country),
    category: oneOf(MACRO_CATEGORIES, category),
    name: name ?? "",
    unit: unit ?? "",
    decimals: Number(decimals),
    level: Number(level),
    swing: Number(swing),
    every: oneOf(RHYTHMS, every),
    day: day ?? "",
    lag: Number(lag),
    event: title ? { title, time: time ?? "", importance: oneOf(IMPORTANCES, importance) } : null,
    isForecast: isForecast === "1",
    follows: follows ? other(follows) : null,
  };
}

const FIRST_YEAR = 2016;
const MEETING_MONTHS = [1, 3, 4, 6, 7, 9, 10, 12];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** The publications of a figure whose date lies from `from` to `to`, both included, oldest first. */
export function listReleases(figure: EconomicFigure, from: string, to: string): Release[] {
  // A holiday moves a publication by some days: begin early enough to meet it.
  const nominal =
    figure.every === "week"
      ? weekly(figure, addDays(from, -14), to)
      : monthly(figure, addDays(from, -45), to);
  return nominal
    .map((release) => {
      const time = figure.event?.time ?? UNANNOUNCED_TIME;
      const date = workingDay(figure.country, time, release.dueOn);
      return { ...release, date, at: Date.parse(`${date}T${time}Z`) };
    })
    .filter(({ date }) => date >= from && date <= to);
}

function weekly(figure: EconomicFigure, from: string, to: string): Omit<Release, "date" | "at">[] {
  const releases = [];
  const weekday = WEEKDAYS.indexOf(figure.day);
  let dueOn = addDays(from, (weekday - weekdayOf(from) + 7) % 7);
  for (; dueOn <= to; dueOn = addDays(dueOn, 7)) {
    const number = Math.floor((Date.parse(dueOn) - Date.UTC(FIRST_YEAR, 0)) / (7 * 86_400_000));
    releases.push({ number, dueOn, period: dueOn });
  }
  return releases;
}

function monthly(figure: EconomicFigure, from: string, to: string): Omit<Release, "date" | "at">[] {
  const releases = [];
  const last = monthNumber(to);
  for (let month = monthNumber(from); month <= last; month++) {
    const meeting = MEETING_MONTHS.indexOf((month % 12) + 1);
    if (figure.every === "meeting" && meeting < 0) continue;
    const reported = month - figure.lag;
    const endsQuarter = reported % 3 === 2;
    if (figure.every === "quarter" && !endsQuarter) continue;
    const number =
      figure.every === "meeting"
        ? Math.floor(month / 12) * MEETING_MONTHS.length + meeting
        : figure.every === "quarter"
          ? Math.floor(reported / 3)
          : reported;
    const dueOn = dayOfMonth(yearOf(month), (month % 12) + 1, figure.day);
    releases.push({ number, dueOn, period: periodName(figure.every, reported) });
  }
  return releases;
}

function periodName(every: EconomicFigure["every"], month: number): string {
  return every === "quarter"
    ? `${yearOf(month)}-Q${Math.floor((month % 12) / 3) + 1}`
    : `${yearOf(month)}-${String((month % 12) + 1).padStart(2, "0")}`;
}

/** Months are counted from January of the first year, which is 0. */
function monthNumber(date: string): number {
  return (Number(date.slice(0, 4)) - FIRST_YEAR) * 12 + Number(date.slice(5, 7)) - 1;
}

function yearOf(month: number): number {
  return FIRST_YEAR + Math.floor(month / 12);
}

function dayOfMonth(year: number, month: number, rule: string): string {
  const before = endOfMonth(year, month - 1);
  const weekday = WEEKDAYS.indexOf(rule.slice(0, 3));
  if (weekday < 0) return addDays(before, Number(rule));
  const first = addDays(before, 1 + ((weekday - weekdayOf(before) + 6) % 7));
  return addDays(first, 7 * (Number(rule.slice(3)) - 1));
}

/** UTC, while it is the same day in all three countries. */
const UNANNOUNCED_TIME = "06:00";
const UTC_OFFSET_HOURS: Record<Country, number> = { US: -5, JP: 9, VN: 7 };

/** The date, or the next, that is a weekday in UTC and a session in the country's own time. */
function workingDay(country: Country, time: string, date: string): string {
  const localMs = Date.parse(`${date}T${time}Z`) + UTC_OFFSET_HOURS[country] * 3_600_000;
  return !isWeekend(date) && isSession(country, dateOf(localMs))
    ? date
    : workingDay(country, time, addDays(date, 1));
}

/** Steps in which a figure forgets half of where it was, by rhythm. */
const HALF_LIVES: Record<EconomicFigure["every"], number> = {
  week: 10,
  month: 8,
  quarter: 4,
  meeting: 10,
};
/** A change from one period to the next remembers little of the change before. */
const CHANGE_HALF_LIFE = 0.6;
const RATE_STEP = 0.25;

/** What each of the figure's publications up to the last of these says; none of it ever changes. */
export function publishedValues(
  figure: EconomicFigure,
  releases: readonly Release[],
  prices: Prices,
): (number: number) => number {
  const { follows } = figure;
  if (follows) return (number) => roundFigure(figure, meanOfMonth(follows, number, prices));
  const count = (releases.at(-1)?.number ?? -1) + 1;
  const values = wander(seedOf(`${figure.country} ${figure.name}`), count, {
    deviation: figure.swing,
    halfLife: halfLife(figure),
  });
  return (number) => roundFigure(figure, figure.level + (values[number] ?? 0));
}

function halfLife({ name, every }: EconomicFigure): number {
  return /QoQ|MoM/.test(name) ? CHANGE_HALF_LIFE : HALF_LIVES[every];
}

function meanOfMonth(listing: SampleListing, month: number, prices: Prices): number {
  const sessions = prices.sessions(tradingDaysOf(listing));
  const [before, last] = [0, 1].map((later) =>
    indexUpTo(sessions, endOfMonth(yearOf(month), (month % 12) + later)),
  );
  const closes = prices.closes(listing).subarray((before ?? 0) + 1, (last ?? 0) + 1);
  return closes.reduce((sum, close) => sum + close, 0) / closes.length;
}

/** A value as it is published: to the figure's decimals, a policy rate to a quarter of a point. */
function roundFigure({ every, decimals }: EconomicFigure, value: number): number {
  const stepped = every === "meeting" ? Math.round(value / RATE_STEP) * RATE_STEP : value;
  return Number(stepped.toFixed(decimals)) + 0;
}

/** What the newest figure lets expect of one so many publications later: it goes back to its level. */
export function expectedLater(figure: EconomicFigure, latest: number, publications = 1): number {
  const kept = 2 ** (-publications / halfLife(figure));
  return roundFigure(figure, figure.level + (latest - figure.level) * kept);
}

/** What a model makes of a publication to come: what is expected, give or take a fifth of its swing. */
export function modelForecast(figure: EconomicFigure, latest: number, number: number): number {
  const expected = expectedLater(figure, latest);
  if (figure.every === "meeting") return expected;
  const chance = normalAt(seedOf(`${figure.country} ${figure.name} model`), number);
  return roundFigure(figure, expected + 0.2 * figure.swing * chance);
}

/**
 * What is expected of a figure in a quarter: with each quarter ahead it is nearer to its level. A
 * policy rate stays as it is until its next meeting, of which the calendar's consensus is expected.
 */
export function expectedInQuarter(
  figure: EconomicFigure,
  latest: number,
  quarter: number,
  { now, today }: { now: number; today: string },
): number {
  if (figure.every === "meeting") {
    const next = listReleases(figure, today, addMonths(today, 4)).find(({ at }) => at > now);
    const quartersLater = quarter - quarterNumber(next?.date ?? today);
    return quartersLater < 0 ? latest : expectedLater(figure, latest, 1 + 2 * quartersLater);
  }
  const chance = normalAt(seedOf(`${figure.country} ${figure.name} forecast`), quarter);
  const kept = 0.75 ** (quarter - quarterNumber(today) + 1);
  return roundFigure(
    figure,
    figure.level + (latest - figure.level) * kept + 0.2 * figure.swing * chance,
  );
}

/** Numbers quarters so that neighbours differ by 1. */
export function quarterNumber(date: string): number {
  return Number(date.slice(0, 4)) * 4 + Math.floor((Number(date.slice(5, 7)) - 1) / 3);
}

/** The time of the newest publication of today, `13:30`; null before the first. */
export function newestRelease(now: number): string | null {
  const today = dateOf(now);
  const times = listEconomicFigures().flatMap((figure) =>
    listReleases(figure, today, today).flatMap(({ at }) =>
      at <= now ? [new Date(at).toISOString().slice(11, 16)] : [],
    ),
  );
  return times.toSorted().at(-1) ?? null;
}
