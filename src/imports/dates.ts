import { type Country, COUNTRIES } from "#domain/country.ts";
import { CsvError } from "#lib/csv.ts";
import { dateOf, DAY_MS, daysBetween, isDate, isWeekend } from "#lib/date.ts";
import { isEraDate, parseEraDate } from "#lib/era-date.ts";
import { dateIn as dateInZone } from "#lib/zone.ts";
import { quote } from "./cells.ts";
import { instantOf, TIME_OF_DAY, type TimeZone, ZONE, zoneOf } from "./time-zones.ts";

/** The order of day, month and year in dates of three numbers. */
export const DATE_ORDERS = ["dmy", "mdy", "ymd"] as const;

/** One of `DATE_ORDERS`. */
export type DateOrder = (typeof DATE_ORDERS)[number];

/** How a file writes its dates: as text, or as Unix time. */
export type DateStyle = "text" | "unix";

/** A date cell of a file. */
export interface DateCell {
  readonly line: number;
  readonly text: string;
}

/** How an instrument counts its days. */
export interface DayZone {
  readonly timeZone: string;
  /** The hours before midnight at which a day begins. */
  readonly hoursBefore: number;
}

/** The date of an instant, in UTC milliseconds, in the days of an instrument. */
export const dayAt = ({ timeZone, hoursBefore }: DayZone, utcMs: number): string =>
  dateInZone(timeZone, utcMs + hoursBefore * 3_600_000);

/** The options of `createDateReader`. */
export interface DateOptions {
  readonly country: Country;
  /** The days of the instrument, to which instants belong. Absent: a date with a time is as written. */
  readonly days?: DayZone | undefined;
  /** The order, if the operator gave it. */
  readonly order?: DateOrder | undefined;
  /** Local `YYYY-MM-DD`; no date can be later. */
  readonly today?: string | undefined;
  /** True if the instrument does not trade on weekends, which may decide the order. */
  readonly keepsSessions: boolean;
}

/** Turns date cells of one file into `YYYY-MM-DD`; null if a cell is not a date. */
export interface DateReader {
  readonly style: DateStyle;
  read(text: string): string | null;
}

/** A written date: read, or three numbers in an open order, with a time in a zone; or an instant in UTC milliseconds. */
type WrittenDate =
  | { readonly date: string | null; readonly time?: ZonedTime }
  | {
      readonly numbers: readonly [number, number, number];
      readonly isYearLast: boolean;
      readonly time?: ZonedTime;
    }
  | { readonly utcMs: number };

/** Minutes after midnight, and the zone as written. */
interface ZonedTime {
  readonly minutes: number;
  readonly zone: string;
}

/**
 * Detects how a file writes its dates and returns their reader. Three numbers with the year at the
 * end are day/month or month/day by the first one above 12, else by the only order in which the dates
 * only rise or only fall, else by the only order without weekends and dates after today.
 *
 * Unix time (seconds to nanoseconds) and a time with a zone are instants. Their date is the one in the
 * instrument's zone. There are two exceptions: if every instant is a UTC midnight, it is the date in UTC; and a midnight
 * of the written zone has the date as written. A time without a zone does not count.
 *
 * @throws CsvError if nothing decides the order, or if a zone is not known
 */
export function createDateReader(cells: readonly DateCell[], options: DateOptions): DateReader {
  const open: (DateCell & { numbers: readonly [number, number, number]; isYearLast: boolean })[] =
    [];
  const stamps: { date: (order: DateOrder) => string | null; minutes: number; zone: TimeZone }[] =
    [];
  let isUnix = false;
  let isUtcMidnight = true;
  for (const cell of cells) {
    const written = parseWritten(cell.text);
    if (written === null) continue;
    if ("utcMs" in written) {
      isUnix = true;
      isUtcMidnight &&= written.utcMs % DAY_MS === 0;
      continue;
    }
    if ("numbers" in written) open.push({ ...cell, ...written });
    if (options.days === undefined || !written.time) continue;
    const zone = knownZone(cell, written.time);
    stamps.push({ date: (order) => calendarDateOf(written, order), ...written.time, zone });
  }
  const order = options.order ?? (open.length > 0 ? decideOrder(open, options) : "dmy");
  isUtcMidnight &&= stamps.every(({ date, minutes, zone }) => {
    const day = date(order);
    return day === null || instantOf(day, minutes, zone) % DAY_MS === 0;
  });
  const { timeZone } = COUNTRIES[options.country];
  const { days = { timeZone, hoursBefore: 0 } } = options;
  const dateAt = (utcMs: number) => (isUtcMidnight ? dateOf(utcMs) : dayAt(days, utcMs));
  return {
    style: isUnix ? "unix" : "text",
    read(text) {
      const written = parseWritten(text);
      if (written === null) return null;
      if ("utcMs" in written) return dateAt(written.utcMs);
      const date = calendarDateOf(written, order);
      const { time } = written;
      // A midnight only names its date.
      if (date === null || !time || time.minutes === 0 || options.days === undefined) return date;
      const zone = zoneOf(time.zone);
      return zone === null ? null : dateAt(instantOf(date, time.minutes, zone));
    },
  };
}

function knownZone({ line, text }: DateCell, { zone: written }: ZonedTime): TimeZone {
  const zone = zoneOf(written);
  if (zone !== null) return zone;
  throw new CsvError(
    line,
    `the time zone ${quote(written)} in ${quote(text)} is unknown or means several: write the offset from UTC, such as +09:00, or the date alone`,
  );
}

/** True if the text is a date in any of the known forms. */
export function isDateLike(text: string): boolean {
  return parseWritten(text) !== null;
}

const TIME = `(?:${TIME_OF_DAY}${ZONE}?)?`;
const ISO = /^(\d{4})-(\d{2})-(\d{2})$/;
const YEAR_FIRST = new RegExp(String.raw`^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})${TIME}$`, "iu");
const COMPACT = new RegExp(
  String.raw`^(\d{4})(\d{2})(\d{2})(?:(?:[T-]| {0,2})(?<hour>\d{2}):?(?<minute>\d{2})(?::?(?<second>\d{2}))?${ZONE}?)?$`,
  "iu",
);
const JAPANESE = new RegExp(
  String.raw`^(\d{4})年(\d{1,2})月(\d{1,2})日(?:\(.\)|（.）)?${TIME}$`,
  "iu",
);
const OPEN_ORDER = new RegExp(String.raw`^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})${TIME}$`, "iu");
const DAY_NAME = String.raw`(?:\p{L}{2,10}\.?,? +)?`;
const DAY_MONTH = new RegExp(
  String.raw`^${DAY_NAME}(\d{1,2})\.?[ -](\p{L}{3,9})\.?,?[ -](\d{4}|\d{2})${TIME}$`,
  "iu",
);
const MONTH_DAY = new RegExp(
  String.raw`^${DAY_NAME}(\p{L}{3,9})(?:-|\.? +)(\d{1,2})(?:-|,? +)(\d{4})${TIME}$`,
  "iu",
);
const UNIX = /^(?:\d{9,10}(?:\.\d+)?|-\d{5,10}|\d{12,13}|\d{15,16}|\d{18,19})$/;
const EXCEL = new RegExp(String.raw`^(?<serial>\d{5}(?:\.\d+)?)${ZONE}?$`, "iu");

/** The first three letters of the months, in English and German. */
const MONTHS: ReadonlyMap<string, number> = new Map(
  [
    "jan",
    "feb",
    "mar mär mrz",
    "apr",
    "may mai",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct okt",
    "nov",
    "dec dez",
  ].flatMap((names, i) => names.split(" ").map((name) => [name, i + 1] as const)),
);

/** Longer texts are no date. */
const LONGEST_DATE = 100;

function parseWritten(text: string): WrittenDate | null {
  if (text.length > LONGEST_DATE) return null;
  // Most dates of most files have this form.
  let match = ISO.exec(text);
  if (match) return { date: calendarDate(match[1], match[2], match[3]) };
  if ((match = COMPACT.exec(text)))
    return { date: calendarDate(match[1], match[2], match[3]), ...timeIn(match) };
  if ((match = YEAR_FIRST.exec(text)))
    return { date: calendarDate(match[1], match[3], match[4]), ...timeIn(match) };
  if ((match = OPEN_ORDER.exec(text))) {
    const year = match[4] ?? "";
    return {
      numbers: [Number(match[1]), Number(match[3]), Number(year)],
      isYearLast: year.length === 4,
      ...timeIn(match),
    };
  }
  if (UNIX.test(text)) return { utcMs: unixMs(text) };
  if ((match = EXCEL.exec(text))) return excelDate(match);
  if ((match = JAPANESE.exec(text)))
    return { date: calendarDate(match[1], match[2], match[3]), ...timeIn(match) };
  if (isEraDate(text)) return { date: parseEraDate(text) };
  if ((match = DAY_MONTH.exec(text)))
    return { date: namedDate(match[3], match[2], match[1]), ...timeIn(match) };
  if ((match = MONTH_DAY.exec(text)))
    return { date: namedDate(match[3], match[1], match[2]), ...timeIn(match) };
  return null;
}

/** The time of a match, if it names its zone. */
function timeIn({ groups = {} }: RegExpExecArray): { readonly time?: ZonedTime } {
  const { hour, minute, second = "0", half, zone } = groups;
  if (hour === undefined || zone === undefined) return {};
  const hours =
    half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
  const seconds = Number(second.replace(",", "."));
  return { time: { minutes: hours * 60 + Number(minute) + seconds / 60, zone } };
}

function calendarDateOf(written: Exclude<WrittenDate, { utcMs: number }>, order: DateOrder) {
  return "numbers" in written ? dateIn(written.numbers, order) : written.date;
}

type Part = string | number | undefined;

const EARLIEST = "1800-01-01";

function calendarDate(year: Part, month: Part, day: Part): string | null {
  const date = `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
  return date >= EARLIEST && isDate(date) ? date : null;
}

function namedDate(year: string = "", name: string = "", day: Part): string | null {
  const month = MONTHS.get(name.slice(0, 3).toLowerCase());
  return month === undefined ? null : calendarDate(fullYear(Number(year)), month, day);
}

/** Years of two digits above 69 are in the 20th century, as in POSIX. */
function fullYear(year: number): number {
  if (year > 99) return year;
  return year > 69 ? 1_900 + year : 2_000 + year;
}

/** UTC milliseconds of Unix time in seconds, milli-, micro- or nanoseconds, by its number of digits. */
function unixMs(text: string): number {
  const digits = text.replace("-", "").split(".")[0]?.length ?? 0;
  const perMs = digits < 12 ? 0.001 : digits < 15 ? 1 : digits < 18 ? 1_000 : 1_000_000;
  return Math.floor(Number(text) / perMs);
}

/** A day of a workbook, counted from 30 December 1899, with its time if a zone follows; null before 1927 or after 2119. */
function excelDate({ groups = {} }: RegExpExecArray): WrittenDate {
  const serial = Number(groups["serial"]);
  if (serial < 10_000 || serial > 80_000) return { date: null };
  const day = Math.floor(serial);
  const date = dateOf((day - 25_569) * DAY_MS);
  const { zone } = groups;
  if (zone === undefined) return { date };
  return { date, time: { minutes: Math.round((serial - day) * 86_400) / 60, zone } };
}

function dateIn(numbers: readonly [number, number, number], order: DateOrder): string | null {
  const [first, second, third] = numbers;
  if (order === "ymd" && third > 31) return null;
  if (order === "ymd") return calendarDate(fullYear(first), second, third);
  const [month, day] = order === "dmy" ? [second, first] : [first, second];
  return calendarDate(fullYear(third), month, day);
}

interface OpenCell extends DateCell {
  readonly numbers: readonly [number, number, number];
  readonly isYearLast: boolean;
}

/** A possible order, with the dates that the cells have in it. */
interface Reading {
  readonly order: DateOrder;
  readonly dates: readonly (string | null)[];
}

function decideOrder(cells: readonly OpenCell[], options: DateOptions): DateOrder {
  const isYearLast = cells.some((cell) => cell.isYearLast);
  const readings: Reading[] = DATE_ORDERS.filter((order) => !isYearLast || order !== "ymd").map(
    (order) => ({ order, dates: cells.map(({ numbers }) => dateIn(numbers, order)) }),
  );
  // The order that fits most of the file; a date that contradicts it is refused later.
  const reach = ({ dates }: Reading) => {
    const fault = dates.indexOf(null);
    return fault === -1 ? dates.length : fault;
  };
  const farthest = Math.max(...readings.map(reach));
  let left = readings.filter((reading) => reach(reading) === farthest);
  const rules: ((reading: Reading) => boolean)[] = [
    ({ dates }) => !dates.some((date) => date !== null && date > (options.today ?? "9999")),
    ({ dates }) => !isYearly(dates),
    ({ dates }) => isOneWay(dates),
    ({ dates }) =>
      !options.keepsSessions || !dates.some((date) => date !== null && isWeekend(date)),
  ];
  for (const rule of rules) {
    if (new Set(left.map(({ dates }) => dates.join())).size === 1) break;
    const fitting = left.filter(rule);
    if (fitting.length > 0) left = fitting;
  }
  const [best, other] = left;
  if (best && (!other || best.dates.join() === other.dates.join())) return best.order;
  throw undecided(cells, left);
}

function undecided(cells: readonly OpenCell[], left: readonly Reading[]): CsvError {
  const doubtful = cells.findIndex((_, i) => new Set(left.map(({ dates }) => dates[i])).size > 1);
  const { line, text } = cells[doubtful] ?? { line: 1, text: "" };
  const names = { dmy: "day/month", mdy: "month/day", ymd: "year/month/day" };
  const orders = left.map(({ order }) => names[order]).join(" or ");
  const flags = left.map(({ order }) => order).join(" or ");
  return new CsvError(
    line,
    `nothing in the file shows whether ${quote(text)} is ${orders}: give --date-order ${flags}`,
  );
}

/** True if the dates never go back in time, or never forward. */
export function isOneWay(dates: readonly (string | null)[]): boolean {
  const known = dates.filter((date) => date !== null);
  return (
    known.every((date, i) => i === 0 || date >= (known[i - 1] ?? "")) ||
    known.every((date, i) => i === 0 || date <= (known[i - 1] ?? ""))
  );
}

/** True if most dates are about a year apart, which never happens in a file of daily bars. */
function isYearly(dates: readonly (string | null)[]): boolean {
  const known = dates.filter((date) => date !== null);
  if (known.length < 3) return false;
  const far = known.filter((date, i) => {
    const before = known[i - 1];
    return before !== undefined && Math.abs(daysBetween(before, date)) > 200;
  });
  return far.length > (known.length - 1) / 2;
}
