import { Type } from "@sinclair/typebox";
import type { BarInterval } from "#analytics/bar-intervals.ts";
import {
  closesOfIntervals,
  intervalsPerYear,
  maxDrawdown,
  volatilityPercent,
} from "#analytics/price-statistics.ts";
import { Nullable, StringEnum, TableOutput } from "#domain/schema.ts";
import { asTyped } from "#lib/as-typed.ts";
import { addDays, addMonths } from "#lib/date.ts";
import type { Cell, Table } from "#lib/table.ts";
import { round2 } from "#panels/format.ts";
import { invalidArgument } from "#domain/errors.ts";
import type { InputKeywords } from "./reading/decode.ts";
import { ListInput } from "./reading/inputs.ts";
import { closesBetween, type History } from "./statistics-history.ts";

const FIRST_YEAR = 1900;
const MAX_YEARS = 30;

/** `2015-2020` for `2015 to 2020`, `2015〜2020` or `2015年から2020年`; null if nothing is to be changed. */
function readYears(written: string): string | null {
  const text = asTyped(written)
    .toLowerCase()
    .replaceAll(/\s*(?:~|〜|から|\.\.|\bto\b|\bthrough\b|đến|-)\s*/g, "-")
    .replaceAll(/年|まで|\bnăm\b|\bfrom\b|từ|\s/g, "");
  return text !== written && /^[\d,-]+$/.test(text) ? text : null;
}

/** The input schema of calendar years: `2022`, `2018-2025` or a list of them. */
export const YearsInput = Type.String({
  minLength: 4,
  maxLength: MAX_YEARS * 5,
  maxItems: MAX_YEARS,
  accepts(text: string) {
    const count = listYears(text).length;
    return count > 0 && count <= MAX_YEARS;
  },
  understands: readYears,
  hint: () => "For the last years use range, such as range=5y.",
  description: "Calendar years instead of range: 2022 or 2018-2025.",
  example: "2018-2025",
  expected: `1 to ${MAX_YEARS} calendar years from ${FIRST_YEAR} on, such as 2022 or 2018-2025`,
} satisfies InputKeywords & Parameters<typeof Type.String>[0]);

const MONTH_NAMES =
  "january february march april may june july august september october november december".split(
    " ",
  );

/** The input schema of months, by number or English name. */
export const MonthsInput = ListInput(
  StringEnum(
    MONTH_NAMES.map((_, i) => String(i + 1)),
    {
      aliases: Object.fromEntries(
        MONTH_NAMES.flatMap((name, i) =>
          [
            name,
            name.slice(0, 3),
            String(i + 1).padStart(2, "0"),
            `${i + 1}月`,
            `tháng ${i + 1}`,
          ].map((one) => [one, String(i + 1)]),
        ),
      ),
    },
  ),
  "Months of all years, or of years: 11.",
);

/** The years in ascending order; empty if the text cannot be read. */
export function listYears(text: string): number[] {
  const years = new Set<number>();
  for (const part of text.split(",")) {
    const [, first = "", last = first] = /^(\d{4})(?:-(\d{4}))?$/.exec(part) ?? [];
    const [from, to] = [Number(first), Number(last)];
    if (first === "" || from < FIRST_YEAR || from > to) return [];
    for (let year = from; year <= to; year++) years.add(year);
  }
  return [...years].toSorted((a, b) => a - b);
}

/** @throws BourseError `invalid_argument` for a year that has not begun */
export function checkYears(years: readonly number[] | undefined, today: string): void {
  const last = years?.at(-1);
  if (last === undefined || last <= yearOf(today)) return;
  throw invalidArgument(`years must not be after ${yearOf(today)}: ${last}.`, { param: "years" });
}

const yearOf = (date: string) => Number(date.slice(0, 4));

/** The fields of a table of years or months. */
export const CalendarOutput = {
  ...TableOutput,
  running: Nullable(
    Type.String({
      description: "The year or month that is not over; null if it is not asked for.",
    }),
  ),
};

const YEAR_FIGURES = ["return", "total_return", "volatility", "max_drawdown"];

/** The figures of each history in each year. `running` is the year of today, if it is one of them. */
export function yearTable(
  histories: readonly History[],
  years: readonly number[],
  {
    interval,
    today,
    columns,
  }: {
    readonly interval: BarInterval;
    readonly today: string;
    /** Figures to leave out all others; all if absent or if none of them is a figure of a year. */
    readonly columns?: string | undefined;
  },
) {
  const chosen = YEAR_FIGURES.filter((name) => columns?.split(",").includes(name));
  const names = chosen.length > 0 ? chosen : YEAR_FIGURES;
  const rowOf = (
    { instrument: { country, symbol, assetType }, figures, totals }: History,
    year: number,
  ): Cell[] => {
    const [first, last] = [`${year}-01-01`, `${year}-12-31`];
    const own = figures && closesBetween(figures, first, last);
    const isKnown = own !== null && own.returnPercent !== null;
    const closes = isKnown ? own.closes : null;
    const dividends = names.includes("total_return") ? totals() : null;
    const regular = closes && closesOfIntervals(closes, interval).close;
    const values: Readonly<Record<string, number | null>> = {
      return: own?.returnPercent ?? null,
      total_return: dividends && closesBetween(dividends, first, last).returnPercent,
      volatility: regular && volatilityPercent(regular, intervalsPerYear(interval, assetType)),
      max_drawdown: (closes && maxDrawdown(closes)?.percent) ?? null,
    };
    return [country, symbol, year, ...names.map((name) => round2(values[name] ?? null))];
  };
  return {
    running: years.includes(yearOf(today)) ? String(yearOf(today)) : null,
    columns: ["country", "symbol", "year", ...names],
    rows: histories.flatMap((history) => years.map((year) => rowOf(history, year))),
  };
}

/** The years whose months are asked for, and the period within them. */
interface MonthsPeriod {
  readonly years: readonly number[] | undefined;
  /** The first date; every one if absent. */
  readonly start?: string | undefined;
  /** The last date; today if absent. */
  readonly end?: string | undefined;
  readonly today: string;
}

const endOfMonth = (first: string) => addDays(addMonths(first, 1), -1);

/**
 * The return of months in each year, if the period has the whole month or it is running: from the last close before the month to its own last close. The mean
 * and the counts leave out `running`, the month of today.
 */
export function monthTable(
  histories: readonly History[],
  months: readonly string[],
  { years, today, start = "", end = today }: MonthsPeriod,
) {
  const current = today.slice(0, 7);
  const isWithin = (year: number, month: string) => {
    const first = `${year}-${month.padStart(2, "0")}-01`;
    const isRunning = first.slice(0, 7) === current;
    return first >= start && (isRunning ? today : endOfMonth(first)) <= end;
  };
  const all = (years ?? yearsOf(histories, today)).filter((year) =>
    months.some((month) => isWithin(year, month)),
  );
  const rowOf = ({ instrument: { country, symbol }, figures }: History, month: string): Cell[] => {
    const found = all.map((year) => {
      const first = `${year}-${month.padStart(2, "0")}-01`;
      const last = endOfMonth(first);
      return {
        isRunning: first.slice(0, 7) === current,
        percent:
          figures && isWithin(year, month)
            ? closesBetween(figures, first, last).returnPercent
            : null,
      };
    });
    const over = found.flatMap(({ isRunning, percent }) => (isRunning ? [] : (percent ?? [])));
    const mean = over.reduce((sum, one) => sum + one, 0) / over.length;
    const counts = [over.filter((one) => one > 0).length, over.length];
    return [
      country,
      symbol,
      Number(month),
      over.length === 0 ? null : round2(mean),
      ...counts,
      ...found.map(({ percent }) => round2(percent)),
    ];
  };
  const month = String(Number(today.slice(5, 7)));
  const isRunning =
    all.includes(yearOf(today)) && months.includes(month) && isWithin(yearOf(today), month);
  return {
    running: isRunning ? current : null,
    columns: ["country", "symbol", "month", "mean", "positive", "count", ...all.map(String)],
    rows: histories.flatMap((history) => months.map((month) => rowOf(history, month))),
  };
}

/** All years from the first close of the histories to today. */
function yearsOf(histories: readonly History[], today: string): number[] {
  const first = histories.flatMap(({ begins }) => begins ?? []).toSorted()[0];
  const years = [];
  for (let year = yearOf(first ?? today); year <= yearOf(today); year++) years.push(year);
  return years;
}

/** The rows of a table of years or months as columns of each symbol, for CSV: `return_2018`, `11_2018`. */
export function calendarColumns(
  { columns, rows, running }: Table & { readonly running: string | null },
  isMonth: boolean,
): { readonly names: string[]; readonly cellsOf: (country: Cell, symbol: Cell) => Cell[] } {
  const periods = [...new Set(rows.map((row) => String(row[2])))];
  const nameOf = (period: string, column: string) => {
    const name = isMonth ? `month_${period}_${column}` : `${column}_${period}`;
    const isOf = isMonth
      ? running?.slice(0, 4) === column && Number(running.slice(5)) === Number(period)
      : running === period;
    return isOf ? `${name}_running` : name;
  };
  return {
    names: periods.flatMap((period) => columns.slice(3).map((column) => nameOf(period, column))),
    cellsOf: (country, symbol) =>
      rows.flatMap((row) => (row[0] === country && row[1] === symbol ? row.slice(3) : [])),
  };
}
