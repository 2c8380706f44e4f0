import {
  createDateReader,
  DATE_ORDERS,
  type DateCell,
  type DateOrder,
  isOneWay,
} from "#imports/dates.ts";
import { CsvError } from "#lib/csv.ts";
import type { HeaderLanguage } from "./headers.ts";
import { remembered } from "./remembered.ts";

/** Reads a date of a file: `YYYY-MM-DD`; null for a text without a certain meaning. */
export type ListDateReader = (text: string) => string | null;

/** How the dates of a file can be read. */
export interface DateReading {
  readonly order: DateOrder;
  readonly read: ListDateReader;
}

/** How messages call an order. */
export const DATE_NAMES: Readonly<Record<DateOrder, string>> = {
  dmy: "day/month/year",
  mdy: "month/day/year",
  ymd: "year/month/day",
};

/** Fewer dates are in order by chance too. */
const ENOUGH_DATES = 6;

const OPEN = /^\d{1,2}([-/.])\d{1,2}\1(?:\d{4}|\d{2})(?!\d)/;

/** The day of a date with a time. */
export const dayOf = (written: string): string =>
  written
    .trim()
    .slice(0, 60)
    .replace(/^(\d{4}-\d\d-\d\d|\d{8})[T; ].*$/, "$1");

/**
 * The ways in which the dates of a file can be read, the most probable one first. The order of day and month is known by a
 * person, by a number above 12, by the language of the header, or because many dates only rise or only fall.
 */
export function listDateOrders(
  cells: readonly DateCell[],
  language: HeaderLanguage,
  given: DateOrder | undefined,
): readonly DateReading[] {
  const readings = (given ? [given] : DATE_ORDERS).map((order) => ({
    order,
    read: readerOf(cells, order),
  }));
  const open = [...new Set(cells.map(({ text }) => text))].filter((text) => OPEN.test(text));
  const dated = readings.map((one) => ({ ...one, dates: open.map(one.read) }));
  const most = Math.max(...dated.map(({ dates }) => dates.filter(Boolean).length));
  const fitting = dated.filter(({ dates }) => dates.filter(Boolean).length === most);
  const [first] = fitting;
  if (!first || new Set(fitting.map(({ dates }) => dates.join())).size < 2)
    return fitting.slice(0, 1);
  const usual = { english: null, continental: "dmy", "east asian": "ymd" }[language];
  // With full stops, the day is first.
  const certain = open.every((text) => text.includes(".")) ? (usual ?? "dmy") : usual;
  const ofLanguage = fitting.filter(({ order }) => order === certain);
  if (ofLanguage.length > 0) return ofLanguage;
  const ordered = fitting.filter(({ dates }) => open.length >= ENOUGH_DATES && isOneWay(dates));
  return ordered.length === 1 ? ordered : fitting;
}

/** The first date whose order is open. */
export const openDateOf = (cells: readonly DateCell[]): DateCell =>
  cells.find(({ text }) => OPEN.test(text)) ?? { line: 1, text: "" };

function readerOf(cells: readonly DateCell[], order: DateOrder): ListDateReader {
  try {
    const reader = createDateReader(cells, { country: "US", order, keepsSessions: false });
    return remembered((text) => reader.read(dayOf(text)));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return (text) => /^\d{4}-\d\d-\d\d/.exec(text)?.[0] ?? null;
  }
}
