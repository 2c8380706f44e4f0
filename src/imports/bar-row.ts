import type { DailyBar } from "#domain/daily-bar.ts";
import { Price, Volume } from "#domain/schema.ts";
import { CsvError } from "#lib/csv.ts";
import { fitRange, type OnBad } from "./bad-rows.ts";
import type { BarColumn } from "./bar-headers.ts";
import type { BarsTable, TableRow } from "./bars-table.ts";
import { quote } from "./cells.ts";
import type { DateReader } from "./dates.ts";
import { otherCurrency } from "./price-unit.ts";
import { currencyOfText } from "./units.ts";
import {
  type DecimalMark,
  hasOtherCurrency,
  readAmount,
  readFigure,
  shiftPoint,
} from "./numbers.ts";
import { normalForm } from "#lib/normal-form.ts";

/** How a file writes bars. */
export interface BarFormat {
  readonly dates: DateReader;
  readonly mark: DecimalMark;
  readonly volumeMark: DecimalMark;
  /** The factor that prices are multiplied by. */
  readonly unit: number;
  /** The factor that volumes are multiplied by; null if they are no numbers of shares. */
  readonly volumeUnit: number | null;
  /** The currency that cells may name; null if it does not matter. */
  readonly currency: string | null;
  /** True if the tool of the file writes thousand VND and the operator has not given another unit. */
  readonly isThousandVnd: boolean;
}

/** No share in Viet Nam ever traded near 5 million VND: above this, a price is in VND already. */
const MOST_THOUSAND_VND = 5_000;

/** The text of a cell; empty if the table has no such column. */
export const cellOf = (
  row: TableRow | undefined,
  { columns }: BarsTable,
  column: BarColumn,
): string => row?.cells[columns.get(column) ?? -1]?.trim() ?? "";

/** A time without a zone at the end of a text, and the fraction of a day in a workbook. */
const OPEN_TIME = /\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?[AP]M)?$|^\d{14}$|^\d{5}\.\d+$/i;

/** The date of a row, with a time and a zone that are in columns of their own or in a header. */
export function stampOf(row: TableRow | undefined, table: BarsTable): string {
  const { time, zone, zoneName } = table.clock;
  const cell = (at: number) => row?.cells[at]?.trim() ?? "";
  const written = cellOf(row, table, "date");
  const hasOwnTime = written.includes(":") || !/^\d{1,2}:\d\d/.test(cell(time));
  const text = hasOwnTime ? written : `${written} ${cell(time)}`;
  if (!OPEN_TIME.test(text)) return text;
  const name = cell(zone) || zoneName;
  return name === null ? written : `${text} ${name}`;
}

/** What a spreadsheet writes for a figure that it could not compute, and a page for an event among its prices. */
const NO_PRICE =
  /^#(?:N\/A|REF!|VALUE!|DIV\/0!|NAME\?|NUM!|NULL!|CALC!)|dividend|split|capital gain|分割|併合|配当|cổ tức|thưởng/i;

/** The flag that leaves such rows out, if the cells show that the row is not a bar. */
export function hintOf(cells: readonly string[]): string {
  return cells.some((cell) => NO_PRICE.test(normalForm(cell.trim(), "NFC")))
    ? ": give --on-bad skip to leave such rows out"
    : "";
}

/**
 * The bar of a row, or null if the row has no price; and what was changed in its range by more than rounding (null for
 * nothing).
 *
 * @throws CsvError with the fault of the row
 */
export function readBar(
  row: TableRow,
  table: BarsTable,
  format: BarFormat,
  options: {
    readonly today?: string;
    readonly onBad?: OnBad;
    readonly isIndex: boolean;
  },
): { bar: DailyBar; note: string | null } | null {
  const written = readPrices(row, table, format, options.today);
  if (written === null) return null;
  const { bar, note, fault } = fitRange(written, options.onBad, options.isIndex);
  if (fault !== null) throw new CsvError(row.line, fault);
  if (format.isThousandVnd && bar.high > MOST_THOUSAND_VND) {
    throw new CsvError(
      row.line,
      `high ${bar.high} is too high for thousand VND, the unit of such files: give --unit 1 if the file is in VND`,
    );
  }
  return { bar: boundedBar(row.line, scaled(bar, format.unit)), note };
}

/** The bar of a row as written, or null if it has no price. */
function readPrices(
  row: TableRow,
  table: BarsTable,
  format: BarFormat,
  today: string | undefined,
): DailyBar | null {
  const date = readDate(row, table, format.dates, today);
  const named = row.cells[table.currencyColumn]?.trim();
  if (named) refuseOtherCurrency(row.line, "currency", currencyOfText(named) ?? named, format);
  const price = (column: BarColumn) => readPrice(row, table, column, format);
  const [open, high, low, close] = [price("open"), price("high"), price("low"), price("close")];
  if (open === null && high === null && low === null) {
    if (close === null) return null;
    return { date, open: close, high: close, low: close, close, volume: null };
  }
  const known = (value: number | null, column: BarColumn): number => {
    if (value === null) throw new CsvError(row.line, `${column} is missing`);
    return value;
  };
  return {
    date,
    open: known(open, "open"),
    high: known(high, "high"),
    low: known(low, "low"),
    close: known(close, "close"),
    volume: readVolume(row, table, format),
  };
}

/** The date of a row. @throws CsvError if it is none, or after `today` */
export function readDate(
  row: TableRow,
  table: BarsTable,
  dates: DateReader,
  today?: string,
): string {
  const written = stampOf(row, table);
  const date = dates.read(written);
  if (date === null) {
    const hint = hintOf(row.cells);
    throw new CsvError(row.line, `date is not a calendar date: ${quote(written)}${hint}`);
  }
  if (today !== undefined && date > today) {
    throw new CsvError(row.line, `date ${date} is after today, ${today}`);
  }
  return date;
}

/** The number in a cell, read by `parse`; null in an empty one. */
function readNumberCell(
  row: TableRow,
  written: string,
  column: BarColumn,
  parse: () => number | null,
): number | null {
  const number = written === "" ? null : parse();
  if (number === null || Number.isFinite(number)) return number;
  throw new CsvError(row.line, `${column} is not a number: ${quote(written)}${hintOf([written])}`);
}

/** Refuses a cell with another currency than the instrument's. */
function refuseOtherCurrency(
  line: number,
  column: string,
  named: string | null,
  { currency }: BarFormat,
): void {
  const isSame = named === null || currency === null || named.toUpperCase() === currency;
  if (isSame) return;
  throw new CsvError(line, otherCurrency(column, named, currency));
}

function readPrice(
  row: TableRow,
  table: BarsTable,
  column: BarColumn,
  format: BarFormat,
): number | null {
  const written = cellOf(row, table, column);
  const price = readNumberCell(row, written, column, () => readFigure(written, format.mark));
  if (price !== null && /[^\d.,+-]/.test(written))
    refuseOtherCurrency(row.line, column, currencyOfText(written), format);
  if (price === null || price > 0) return price;
  throw new CsvError(row.line, `${column} is not above 0: ${quote(written)}`);
}

function readVolume(
  row: TableRow,
  table: BarsTable,
  { volumeMark, volumeUnit }: BarFormat,
): number | null {
  if (volumeUnit === null) return null;
  const written = cellOf(row, table, "volume");
  // A turnover is money.
  if (!/^\d*$/.test(written) && hasOtherCurrency(written, "")) return null;
  const volume = readNumberCell(row, written, "volume", () => readAmount(written, volumeMark));
  if (volume !== null && volume < 0)
    throw new CsvError(row.line, `volume is below 0: ${quote(written)}`);
  // If ticks are counted instead of shares, a volume of 0 means unknown.
  if (volume === 0 && table.columns.has("tickVolume")) return null;
  return volume === null ? null : shiftPoint(volume, Math.log10(volumeUnit));
}

/** The bar with its prices multiplied by `unit`, exactly if that is a power of ten. */
function scaled(bar: DailyBar, unit: number): DailyBar {
  if (unit === 1) return bar;
  const power = Math.log10(unit);
  const times = (price: number) =>
    Number.isInteger(power) ? shiftPoint(price, power) : price * unit;
  const { open, high, low, close } = bar;
  return { ...bar, open: times(open), high: times(high), low: times(low), close: times(close) };
}

/** The same bar. @throws CsvError if a figure is out of the bounds of a record */
function boundedBar(line: number, bar: DailyBar): DailyBar {
  const { minimum = 0, maximum = Number.MAX_VALUE } = Price;
  if (bar.low < minimum || bar.high > maximum) {
    throw new CsvError(line, `a price must be from ${minimum} to ${maximum}`);
  }
  if (bar.volume !== null && bar.volume > (Volume.maximum ?? Number.MAX_VALUE)) {
    throw new CsvError(line, `volume ${bar.volume} is above ${Volume.maximum}`);
  }
  return bar;
}
