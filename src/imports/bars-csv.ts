import { isSession } from "#analytics/sessions.ts";
import type { Country } from "#domain/country.ts";
import type { DailyBar } from "#domain/daily-bar.ts";
import { BourseError } from "#domain/errors.ts";
import type { AssetType } from "#domain/instrument.ts";
import { CsvError, type CsvRow, csvRows } from "#lib/csv.ts";
import { isOnCalendar, quote, readNumber, refuseNoText } from "./cells.ts";

/** The headers of daily bars as people keep them, by the source that writes them so. */
const HEADERS = {
  stooq: "Date,Open,High,Low,Close[,Volume]",
  yfinance: "Date,Close,High,Low,Open,Volume",
  "investing.com": "Date,Price,Open,High,Low,Vol.,Change %",
  vnstock: "time,open,high,low,close,volume",
} as const;

/** The source whose layout a file of daily bars has. */
export type BarShape = keyof typeof HEADERS;

/** What a file of daily bars holds. */
export interface BarsFile {
  readonly shape: BarShape;
  /** Oldest first. */
  readonly bars: DailyBar[];
  /** Rows of days without trades, filled forward, that are no bars. */
  readonly leftOut: number;
}

/** What a file of bars does not say of itself. */
export interface BarsCsvOptions {
  readonly country: Country;
  /** Of the instrument that the bars are of; decides the unit of a vnstock file. */
  readonly assetType: AssetType;
  /** How errors name the file. */
  readonly fileName: string;
  /** Local `YYYY-MM-DD`; a later date is refused. Without it no date is too late. */
  readonly today?: string;
}

/** What has trades of its own, and in Viet Nam a price in thousand VND. */
const SHARES: ReadonlySet<AssetType> = new Set(["etf", "reit", "stock"]);

/** How far, in relation, high or low may miss open or close by rounding, as adjusted prices do. */
const ROUNDING = 1e-6;

/**
 * The same for an index. It is computed, not traded, and files have its high and low from elsewhere
 * than its open and close: one history of the VN-Index has 29 such days in 5,633, by up to 3.01 %.
 */
const INDEX_RANGE_TOLERANCE = 0.05;

/** No share in Viet Nam ever traded near 5 million VND: above this, a price is in VND already. */
const MOST_THOUSAND_VND = 5_000;

/**
 * Reads the daily bars of one instrument from a CSV text: oldest first, no date twice, all of the
 * text or nothing. The header tells the shape, in any letter case; other columns are ignored. The text
 * is taken whole: one history is small, its dates may have to be seen together to tell the day from
 * the month, and its rows in order to tell a close that was filled forward.
 *
 * - Prices are taken as they stand, in the instrument's currency, the close from `Close` and never
 *   from `Adj Close`. A vnstock file of a Vietnamese stock, ETF or REIT is in thousand VND and is
 *   multiplied by 1,000; any other asset type is not (an index is in points).
 * - A date with a time is the local date as written.
 * - A row with a close and no other price is a bar of that one price, without volume. A row without
 *   any price is no bar, and nor is a day without trades that was filled forward, all four prices at
 *   the previous close: with volume 0 (stocks, ETFs and REITs), or while the country's exchanges were
 *   closed (these and indices). Every other volume of 0 stays; an empty one is null.
 * - High and low are widened to hold open and close where these are out by rounding, or in an index
 *   by up to 5 %.
 *
 * Throws `invalid_argument`, one sentence with file, line and reason, on anything else: an unknown
 * header, no bar, a row of another width, a price that is no number above 0, an open or close
 * outside of high and low, a date that is none, lies after `today` or stands twice, HTML, a text
 * that was not UTF-8.
 */
export function parseBarsCsv(text: string, options: BarsCsvOptions): BarsFile {
  try {
    refuseNoText(text);
    const rows = csvRows(text);
    const header = readHeader(rows);
    const readDate = header.shape === "investing.com" ? slashDateReader(text, header) : readIsoDate;
    const isInThousands =
      header.shape === "vnstock" && options.country === "VN" && SHARES.has(options.assetType);
    const read: ReadBar[] = [];
    for (const row of rows) {
      const bar = readBar(row, header, readDate, options);
      if (bar === null) continue;
      read.push({ line: row.line, bar: isInThousands ? inVnd(row.line, bar) : bar });
    }
    if (read.length === 0) throw new CsvError(1, "no row with a price follows the header");
    const bars = inOrder(read, options);
    return { shape: header.shape, bars, leftOut: read.length - bars.length };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const message = `${options.fileName}, line ${error.line}: ${error.message}`;
    throw new BourseError("invalid_argument", message);
  }
}

interface ReadBar {
  readonly line: number;
  readonly bar: DailyBar;
}

type Column = "date" | "open" | "high" | "low" | "close" | "volume";

interface Header {
  readonly shape: BarShape;
  /** Where each column stands, counted from 0; -1 for a volume that the file does not have. */
  readonly columns: Readonly<Record<Column, number>>;
  readonly width: number;
}

/** Takes the header off `rows`: one row, or the three of yfinance (names, tickers, `Date`). */
function readHeader(rows: Iterator<CsvRow, void>): Header {
  const first = rows.next().value;
  if (first === undefined) throw new CsvError(1, "the file is empty");
  const names = first.cells.map((cell) => cell.trim().toLowerCase());
  if (names[0] === "price" && names.includes("close")) {
    rows.next();
    names[0] = rows.next().value?.cells[0]?.trim().toLowerCase() ?? "";
  }

  if (names.includes("country") && names.includes("symbol")) {
    const advice = "leave --country and --symbol out";
    throw new CsvError(
      first.line,
      `the header has country and symbol, a row may be of any: ${advice}`,
    );
  }
  const shape = shapeOf(names);
  if (shape === null) {
    const known = Object.entries(HEADERS).map(([source, header]) => `${source} (${header})`);
    const seen = quote(first.cells.join(","));
    throw new CsvError(first.line, `the header ${seen} is none of ${known.join(", ")}`);
  }

  const find = (column: Column, ...written: string[]): number => {
    const found = names.filter((name) => written.includes(name));
    if (found.length > 1) {
      const reason = `the header has ${found.length} columns for ${column} (${found.join(", ")})`;
      throw new CsvError(first.line, `${reason}: a file holds the daily bars of one instrument`);
    }
    return names.findIndex((name) => written.includes(name));
  };
  const columns = {
    date: find("date", "date", "time"),
    open: find("open", "open"),
    high: find("high", "high"),
    low: find("low", "low"),
    close: shape === "investing.com" ? find("close", "price", "last") : find("close", "close"),
    volume: find("volume", "volume", "vol."),
  };
  return { shape, columns, width: names.length };
}

/** The shape whose columns are all among `names` (lower case), or null. */
function shapeOf(names: readonly string[]): BarShape | null {
  const has = (name: string) => names.includes(name);
  if (!has("open") || !has("high") || !has("low")) return null;
  if (!has("close")) return has("date") && (has("price") || has("last")) ? "investing.com" : null;
  if (!has("date")) return has("time") ? "vnstock" : null;
  const isYahoo = has("adj close") || has("dividends") || has("stock splits");
  return isYahoo || names.indexOf("close") < names.indexOf("open") ? "yfinance" : "stooq";
}

/** The bar that a row says, in the unit of the file, or null where it has no price. */
function readBar(
  row: CsvRow,
  { columns, width }: Header,
  readDate: DateReader,
  { assetType, today }: BarsCsvOptions,
): DailyBar | null {
  const { line, cells } = row;
  if (cells.length !== width) {
    throw new CsvError(line, `the row has ${cells.length} cells, the header has ${width}`);
  }

  const written = cells[columns.date] ?? "";
  const date = readDate(written.trim());
  if (date === null) throw new CsvError(line, `date is not a calendar date: ${quote(written)}`);
  if (today !== undefined && date > today) {
    throw new CsvError(line, `date ${date} is after today, ${today}`);
  }

  const open = readPrice(row, columns, "open");
  const high = readPrice(row, columns, "high");
  const low = readPrice(row, columns, "low");
  const close = readPrice(row, columns, "close");
  if (open === null && high === null && low === null) {
    if (close === null) return null;
    return { date, open: close, high: close, low: close, close, volume: null };
  }
  if (open === null) throw new CsvError(line, "open is missing");
  if (high === null) throw new CsvError(line, "high is missing");
  if (low === null) throw new CsvError(line, "low is missing");
  if (close === null) throw new CsvError(line, "close is missing");

  const tolerance = assetType === "index" ? INDEX_RANGE_TOLERANCE : ROUNDING;
  const top = Math.max(open, close);
  const bottom = Math.min(open, close);
  if (high < low * (1 - ROUNDING)) throw new CsvError(line, `high ${high} is below low ${low}`);
  if (high < top * (1 - tolerance)) {
    throw new CsvError(line, `high ${high} is below ${top === close ? "close" : "open"} ${top}`);
  }
  if (low > bottom * (1 + tolerance)) {
    throw new CsvError(
      line,
      `low ${low} is above ${bottom === close ? "close" : "open"} ${bottom}`,
    );
  }
  return {
    date,
    open,
    high: Math.max(high, top),
    low: Math.min(low, bottom),
    close,
    volume: readVolume(row, columns),
  };
}

function readPrice(row: CsvRow, columns: Header["columns"], column: Column): number | null {
  const written = row.cells[columns[column]] ?? "";
  const price = readNumber(written);
  if (price === null) return null;
  if (!Number.isFinite(price)) {
    throw new CsvError(row.line, `${column} is not a number: ${quote(written)}`);
  }
  if (price <= 0) throw new CsvError(row.line, `${column} is not above 0: ${quote(written)}`);
  return price;
}

/** The power of ten that a letter behind a volume stands for, as in `791.82K`. */
const VOLUME_SUFFIXES: Readonly<Record<string, number>> = { K: 3, M: 6, B: 9, T: 12 };

function readVolume(row: CsvRow, columns: Header["columns"]): number | null {
  const written = row.cells[columns.volume]?.trim() ?? "";
  const power = VOLUME_SUFFIXES[written.slice(-1).toUpperCase()] ?? 0;
  const figure = readNumber(power === 0 ? written : written.slice(0, -1));
  if (figure === null && power === 0) return null;
  const volume = shiftPoint(figure ?? Number.NaN, power);
  if (!Number.isFinite(volume)) {
    throw new CsvError(row.line, `volume is not a number: ${quote(written)}`);
  }
  if (volume < 0) throw new CsvError(row.line, `volume is below 0: ${quote(written)}`);
  return volume;
}

/** `number` times 10 to `power`, by its digits: 64.1 thousand is 64,100, not 64,099.99…. */
function shiftPoint(number: number, power: number): number {
  if (power === 0) return number;
  const digits = String(number);
  return digits.includes("e") ? number * 10 ** power : Number(`${digits}e${power}`);
}

/** The bar of a line in thousand VND, in VND. */
function inVnd(line: number, bar: DailyBar): DailyBar {
  if (bar.high > MOST_THOUSAND_VND) {
    const reason = `high ${bar.high} is too high for thousand VND, the unit of vnstock files`;
    throw new CsvError(line, `${reason}: divide the prices by 1,000 if they are in VND`);
  }
  return {
    ...bar,
    open: shiftPoint(bar.open, 3),
    high: shiftPoint(bar.high, 3),
    low: shiftPoint(bar.low, 3),
    close: shiftPoint(bar.close, 3),
  };
}

/** Oldest first, without days that had no trades; refuses a date that stands twice. */
function inOrder(read: ReadBar[], { country, assetType }: BarsCsvOptions): DailyBar[] {
  const isShare = SHARES.has(assetType);
  const keepsSessions = isShare || assetType === "index";
  // A stable sort: of two bars of one date the earlier line stays first.
  read.sort((a, b) => (a.bar.date < b.bar.date ? -1 : a.bar.date > b.bar.date ? 1 : 0));
  const bars: DailyBar[] = [];
  let previous: ReadBar | undefined;
  for (const current of read) {
    const { line, bar } = current;
    if (bar.date === previous?.bar.date) {
      throw new CsvError(line, `date ${bar.date} stands here and in line ${previous.line}`);
    }
    const isFlat = bar.high === bar.low && bar.close === previous?.bar.close;
    const isFilledForward =
      isFlat && ((isShare && bar.volume === 0) || (keepsSessions && !isSession(country, bar.date)));
    if (!isFilledForward) bars.push(bar);
    previous = current;
  }
  return bars;
}

/** Turns a written date into `YYYY-MM-DD`; null where it is none. */
type DateReader = (written: string) => string | null;

const ISO_DATE =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)? ?(?:Z|UTC|[+-]\d{2}:?\d{2})?)?$/;

function readIsoDate(written: string): string | null {
  const match = ISO_DATE.exec(written);
  if (match === null) return null;
  const [, year, month, day] = match;
  return isOnCalendar(Number(year), Number(month), Number(day)) ? written.slice(0, 10) : null;
}

/** `03/04/2025`, whose first two numbers are day and month or month and day. */
interface SlashDate {
  readonly first: number;
  readonly second: number;
  readonly year: number;
}

const SLASH_DATE = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})$/;

function parseSlashDate(written: string): SlashDate | null {
  const match = SLASH_DATE.exec(written);
  if (match === null) return null;
  const [, first, second, year] = match;
  return { first: Number(first), second: Number(second), year: Number(year) };
}

/** Reads `DD/MM/YYYY` or `MM/DD/YYYY`, whichever the whole of the text has, and ISO dates. */
function slashDateReader(text: string, { columns }: Header): DateReader {
  const dayFirst = isDayFirst(text, columns.date);
  return (written) => {
    const date = parseSlashDate(written);
    if (date === null) return readIsoDate(written);
    const { first, second, year } = date;
    const [month, day] = dayFirst ? [second, first] : [first, second];
    if (!isOnCalendar(year, month, day)) return null;
    return `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
  };
}

/**
 * Whether the day stands before the month in the dates of a text. The first number above 12
 * decides; where there is none, the one reading by which the rows never turn round in time. Refused
 * where that fits both readings, or neither.
 */
function isDayFirst(text: string, dateColumn: number): boolean {
  const dates: SlashDate[] = [];
  let doubtful: CsvRow | undefined;
  for (const row of csvRows(text)) {
    const date = parseSlashDate(row.cells[dateColumn]?.trim() ?? "");
    if (date === null) continue;
    if (date.first > 12 || date.second > 12) return date.first > 12;
    if (date.first !== date.second) doubtful ??= row;
    dates.push(date);
  }
  if (doubtful === undefined) return true;

  const asDayFirst = isOneWay(dates.map((date) => [date.year, date.second, date.first]));
  const asMonthFirst = isOneWay(dates.map((date) => [date.year, date.first, date.second]));
  if (asDayFirst !== asMonthFirst) return asDayFirst;
  const written = quote(doubtful.cells[dateColumn] ?? "");
  const reason = `nothing in the file tells whether ${written} is day/month or month/day`;
  throw new CsvError(doubtful.line, `${reason}: write the dates as YYYY-MM-DD`);
}

/** True where the dates (year, month, day) never go back in time, or never forward. */
function isOneWay(dates: readonly (readonly [number, number, number])[]): boolean {
  const days = dates.map(([year, month, day]) => (year * 12 + month) * 31 + day);
  const steps = days.slice(1).map((day, i) => day - (days[i] ?? day));
  return steps.every((step) => step >= 0) || steps.every((step) => step <= 0);
}
