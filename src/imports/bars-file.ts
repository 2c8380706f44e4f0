import { isSession } from "#analytics/sessions.ts";
import type { HolidayOverride } from "#domain/calendar-event.ts";
import type { Country } from "#domain/country.ts";
import type { DailyBar } from "#domain/daily-bar.ts";
import { BourseError } from "#domain/errors.ts";
import { type AssetType, isShare } from "#domain/instrument.ts";
import type { Split } from "#domain/split.ts";
import { Price, Volume } from "#domain/schema.ts";
import { CsvError } from "#lib/csv.ts";
import { isWeekend, weekdayOf } from "#lib/date.ts";
import { type BarColumn, nameTool } from "./bar-headers.ts";
import { type BarsTable, findBarsTable, type NamedColumns, type TableRow } from "./bars-table.ts";
import { quote } from "./cells.ts";
import { createDateReader, type DateOrder, type DateReader } from "./dates.ts";
import { fitRange, type LeftOutRow, type OnBad } from "./bad-rows.ts";
import {
  type DecimalMark,
  detectDecimalMark,
  type NumberCell,
  readAmount,
  readFigure,
  shiftPoint,
} from "./numbers.ts";
import { refuseOtherUnit } from "./price-unit.ts";

/** The daily bars of one instrument, read from a file. */
export interface BarsFile {
  /** The tool that writes such files, such as `TradingView`; `csv` or `json` if it is unknown. */
  readonly shape: string;
  /** Oldest first. */
  readonly bars: DailyBar[];
  /** The number of rows without trades, filled forward, which are not bars. */
  readonly filledForward: number;
  /** The number of rows of other instruments. */
  readonly otherSymbols: number;
  /** The splits in a column of the file, oldest first. */
  readonly splits: readonly Split[];
  /** The named columns that were not read, as written. */
  readonly unread: readonly string[];
  /** What the places of skipped and widened rows count. */
  readonly unit: BarsTable["unit"];
  /** Rows that were skipped as `onBad` says. */
  readonly skipped: readonly LeftOutRow[];
  /** Rows whose high or low was moved to include open and close, by more than rounding. */
  readonly widened: readonly LeftOutRow[];
}

/** The facts about a file of bars that the file itself may not show. */
export interface BarsFileOptions {
  readonly country: Country;
  /** The asset type of the instrument; decides the unit of a Vietnamese file. */
  readonly assetType: AssetType;
  /** The symbol of the instrument; rows of others are left out. If absent, the file must have one instrument only. */
  readonly symbol?: string;
  /** How errors name the file. */
  readonly fileName: string;
  /** Local `YYYY-MM-DD`; a later date is refused. Without it every date is allowed. */
  readonly today?: string;
  /** Decrees that open or close the exchange. */
  readonly overrides?: readonly HolidayOverride[];
  readonly columns?: NamedColumns;
  readonly dateOrder?: DateOrder;
  readonly decimalMark?: DecimalMark;
  /** The factor that prices are multiplied by; detected from the file if absent. */
  readonly unit?: number;
  readonly onBad?: OnBad;
  /** The known close at or before a date; null if there is none. */
  readonly findClose?: (date: string) => number | null;
}

/** No share in Viet Nam ever traded near 5 million VND: above this, a price is in VND already. */
const MOST_THOUSAND_VND = 5_000;

/** Exchanges held Saturday sessions before these dates: New York to 1952, Tokyo to January 1989. */
const WEEKENDS_CLOSED_SINCE: Readonly<Record<Country, string>> = {
  US: "1952-09-29",
  JP: "1989-02-01",
  VN: "",
};

/**
 * Reads the daily bars of one instrument from a text: oldest first, no date twice, all of the text or
 * nothing. Delimiter, header, decimal mark and form of the dates are detected; see `findBarsTable`,
 * `createDateReader` and `detectDecimalMark`. The whole text is in memory: one history is small, and the
 * order of dates, the decimal mark and filled closes follow from all of its rows.
 *
 * - Prices are in the instrument's currency; adjusted closes are not read. A Vietnamese share in a
 *   file of vnstock or CafeF is in thousand VND and multiplied by 1,000. A file whose closes are about
 *   a hundredth or a thousandth (or 100 or 1,000 times) of the known ones is refused without `unit`.
 * - A date with a time is the local date as written.
 * - A row with a close and no other price is a bar of that one price, without volume. A row without
 *   any price is not a bar, nor is a day without trades that was filled forward, all four prices at
 *   the previous close: with volume 0 (shares), or while the exchange was closed (shares, indices).
 *   Every other volume of 0 stays; an empty one is null.
 * - High and low are widened to include open and close if they differ by rounding, or in an index by
 *   up to 5 %; larger differences follow `onBad`.
 *
 * @throws BourseError `invalid_argument`, one sentence with file, line and reason, for any other fault
 */
export function parseBars(text: string, options: BarsFileOptions): BarsFile {
  let unit: BarsTable["unit"] = "line";
  try {
    const isWanted = (ticker: string) =>
      options.symbol === undefined || isSameSymbol(ticker, options.symbol);
    const table = findBarsTable(text, { named: options.columns ?? {}, isWanted });
    unit = table.unit;
    return readTable(table, options);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const message = `${options.fileName}, ${unit} ${error.line}: ${error.message}`;
    throw new BourseError("invalid_argument", message);
  }
}

function readTable(table: BarsTable, options: BarsFileOptions): BarsFile {
  const skipped: LeftOutRow[] = [];
  const widened: LeftOutRow[] = [];
  const onFault = (line: number, reason: string) => {
    if (options.onBad !== "skip") throw new CsvError(line, reason);
    skipped.push({ line, reason });
  };
  const { rows, otherSymbols } = chooseRows(table, options, onFault);
  const format = detectFormat(rows, table, options);
  const facts = {
    header: table.names.map((name) => name.trim()).join("|"),
    delimiter: table.delimiter,
    isByColumn: table.isByColumn,
    hasUnixTime: format.dates.style === "unix",
    firstDate: cellOf(rows[0], table, "date"),
  };
  const tool = nameTool(facts, options.country);
  const isInThousands = tool.isThousandVnd && isShare(options.assetType);
  const unit = options.unit ?? (isInThousands ? 1_000 : 1);

  const read: ReadBar[] = [];
  for (const row of rows) {
    try {
      const bar = readBar(row, table, format, { ...options, widened });
      if (bar === null) continue;
      if (isInThousands && options.unit === undefined) refuseInVnd(row.line, bar);
      read.push({ line: row.line, bar: boundedBar(row.line, scaled(bar, unit)) });
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      onFault(error.line, error.message);
    }
  }
  if (read.length === 0)
    throw new CsvError(table.headerLine, "no row with a price follows the header");
  const { bars, filledForward } = inOrder(read, options, onFault);
  if (options.unit === undefined) refuseOtherUnit(table.headerLine, bars, options);
  const shape = tool.name ?? (table.unit === "record" ? "json" : "csv");
  const unread = unreadColumns(table);
  const splits = splitsIn(rows, table, format);
  return {
    shape,
    bars,
    filledForward,
    otherSymbols,
    splits,
    unread,
    unit: table.unit,
    skipped,
    widened,
  };
}

/** The splits of a column with the new shares for an old one, 0 or 1 on other days. */
function splitsIn(rows: readonly TableRow[], table: BarsTable, { dates, mark }: Format): Split[] {
  if (!table.columns.has("split")) return [];
  const splits = rows.flatMap((row) => {
    const ratio = readFigure(cellOf(row, table, "split"), mark);
    const exDate = dates.read(cellOf(row, table, "date"));
    const isSplit = ratio !== null && ratio > 0 && ratio !== 1 && exDate !== null;
    return isSplit ? { exDate, numerator: ratio, denominator: 1 } : [];
  });
  return splits.sort((a, b) => (a.exDate < b.exDate ? -1 : 1));
}

/** The names of the columns that have no meaning, as written. */
function unreadColumns({ headers, columns }: BarsTable): string[] {
  const read = new Set(columns.values());
  return headers.map((name) => name.trim()).filter((name, i) => name !== "" && !read.has(i));
}

interface ReadBar {
  readonly line: number;
  readonly bar: DailyBar;
}

const cellOf = (row: TableRow | undefined, { columns }: BarsTable, column: BarColumn): string =>
  row?.cells[columns.get(column) ?? -1]?.trim() ?? "";

/**
 * The rows of the wanted instrument with a cell for each column, and the number of rows of others. Blank rows
 * are left out, rows of another width are faults.
 *
 * @throws CsvError if the file has other instruments only, or has several and `symbol` is absent
 */
function chooseRows(
  table: BarsTable,
  { symbol }: BarsFileOptions,
  onFault: (line: number, reason: string) => void,
): { rows: TableRow[]; otherSymbols: number } {
  const rows: TableRow[] = [];
  const tickers = new Map<string, boolean>();
  let otherSymbols = 0;
  for (const row of table.rows) {
    if (row.cells.every((cell) => cell.trim() === "")) continue;
    if (!hasWidth(row, table.width)) {
      onFault(row.line, `${widthFault(row, table.width)}${hintOf(row.cells)}`);
      continue;
    }
    const ticker = cellOf(row, table, "symbol");
    const isWanted = tickers.get(ticker) ?? (symbol === undefined || isSameSymbol(ticker, symbol));
    if (ticker !== "") tickers.set(ticker, isWanted);
    if (isWanted || ticker === "") rows.push(row);
    else otherSymbols++;
  }
  const some = [...tickers.keys()].slice(0, 3).map(quote).join(", ");
  const list = tickers.size > 3 ? `${some} and ${tickers.size - 3} more` : some;
  if (symbol === undefined && tickers.size > 1) {
    throw new CsvError(table.headerLine, `the file holds several instruments (${list})`);
  }
  if (tickers.size > 0 && ![...tickers.values()].includes(true)) {
    throw new CsvError(
      table.headerLine,
      `the rows belong to ${list}, not to ${symbol}: give --columns symbol=none if they are the same`,
    );
  }
  return { rows, otherSymbols };
}

const widthFault = ({ cells }: TableRow, width: number | null) =>
  `the row has ${cells.length} cells, the header has ${width}`;

/** What a spreadsheet writes for a figure that it could not compute, and a page for an event among its prices. */
const NO_PRICE = /^#(?:N\/A|REF!|VALUE!|DIV\/0!|NAME\?|NUM!|NULL!|CALC!)|dividend|split/i;

/** The flag that leaves such rows out, if the cells show that the row is not a bar. */
function hintOf(cells: readonly string[]): string {
  return cells.some((cell) => NO_PRICE.test(cell.trim()))
    ? ": give --on-bad skip to leave such rows out"
    : "";
}

function hasWidth({ cells }: TableRow, width: number | null): boolean {
  if (width === null || cells.length === width) return true;
  return cells.length > width && cells.slice(width).every((cell) => cell.trim() === "");
}

/** True if a ticker in a file (`AAPL.US`, `TSE:7203`, `BRK/B`, `72030`) means that symbol. */
function isSameSymbol(ticker: string, symbol: string): boolean {
  const plain = (text: string) => text.trim().toUpperCase().replaceAll(/[./ ]/g, "-");
  const written = plain(ticker.replace(/^[A-Za-z]+:/, ""));
  const wanted = plain(symbol);
  if (written === wanted || written === `${wanted}0`) return true;
  return written.replace(/-(?:US|JP|VN|T|HM|HN)$/, "") === wanted;
}

/** How a file writes dates and numbers. */
interface Format {
  readonly dates: DateReader;
  readonly mark: DecimalMark;
}

function detectFormat(
  rows: readonly TableRow[],
  table: BarsTable,
  options: BarsFileOptions,
): Format {
  const dates = rows.map((row) => ({ line: row.line, text: cellOf(row, table, "date") }));
  return {
    dates: createDateReader(dates, {
      country: options.country,
      order: options.dateOrder,
      today: options.today,
      keepsSessions: keepsSessions(options.assetType),
    }),
    mark: options.decimalMark ?? detectDecimalMark(numbersOf(rows, table), table.delimiter),
  };
}

function* numbersOf(rows: readonly TableRow[], table: BarsTable): Generator<NumberCell, void> {
  for (const row of rows) {
    for (const column of ["open", "high", "low", "close", "volume"] as const) {
      const text = cellOf(row, table, column);
      if (text !== "") yield { line: row.line, text, isVolume: column === "volume" };
    }
  }
}

/** The bar of a row, in the unit of the file, or null if it has no price. */
function readBar(
  row: TableRow,
  table: BarsTable,
  format: Format,
  options: BarsFileOptions & { widened: LeftOutRow[] },
): DailyBar | null {
  const date = readDate(row, table, format, options);
  const price = (column: BarColumn) => readPrice(row, table, column, format.mark);
  const [open, high, low, close] = [price("open"), price("high"), price("low"), price("close")];
  if (open === null && high === null && low === null) {
    if (close === null) return null;
    return { date, open: close, high: close, low: close, close, volume: null };
  }
  if (open === null) throw new CsvError(row.line, "open is missing");
  if (high === null) throw new CsvError(row.line, "high is missing");
  if (low === null) throw new CsvError(row.line, "low is missing");
  if (close === null) throw new CsvError(row.line, "close is missing");
  const volume = readVolume(row, table, format.mark);
  const isIndex = options.assetType === "index";
  const { bar, note } = fitRange(
    row.line,
    { date, open, high, low, close, volume },
    { isIndex, onBad: options.onBad ?? "refuse" },
  );
  if (note !== null) options.widened.push({ line: row.line, reason: note });
  return bar;
}

function readDate(
  row: TableRow,
  table: BarsTable,
  { dates }: Format,
  { today }: BarsFileOptions,
): string {
  const written = cellOf(row, table, "date");
  const date = dates.read(written);
  if (date === null) {
    throw new CsvError(
      row.line,
      `date is not a calendar date: ${quote(written)}${hintOf(row.cells)}`,
    );
  }
  if (today !== undefined && date > today) {
    throw new CsvError(row.line, `date ${date} is after today, ${today}`);
  }
  return date;
}

function readPrice(
  row: TableRow,
  table: BarsTable,
  column: BarColumn,
  mark: DecimalMark,
): number | null {
  const written = cellOf(row, table, column);
  if (written === "") return null;
  const price = readFigure(written, mark);
  if (price === null) return null;
  if (!Number.isFinite(price)) {
    throw new CsvError(
      row.line,
      `${column} is not a number: ${quote(written)}${hintOf([written])}`,
    );
  }
  if (price <= 0) throw new CsvError(row.line, `${column} is not above 0: ${quote(written)}`);
  return price;
}

function readVolume(row: TableRow, table: BarsTable, mark: DecimalMark): number | null {
  const written = cellOf(row, table, "volume");
  if (written === "") return null;
  const volume = readAmount(written, mark);
  if (volume === null) return null;
  if (!Number.isFinite(volume)) {
    throw new CsvError(row.line, `volume is not a number: ${quote(written)}${hintOf([written])}`);
  }
  if (volume < 0) throw new CsvError(row.line, `volume is below 0: ${quote(written)}`);
  // If ticks are counted instead of shares, a volume of 0 means unknown.
  return volume === 0 && table.columns.has("tickVolume") ? null : volume;
}

function refuseInVnd(line: number, bar: DailyBar): void {
  if (bar.high <= MOST_THOUSAND_VND) return;
  throw new CsvError(
    line,
    `high ${bar.high} is too high for thousand VND, the unit of such files: give --unit 1 if the file is in VND`,
  );
}

/** The bar with its prices multiplied by `unit`, exactly if that is a power of ten. */
function scaled(bar: DailyBar, unit: number): DailyBar {
  if (unit === 1) return bar;
  const power = Math.log10(unit);
  const times = (price: number) =>
    Number.isInteger(power) ? shiftPoint(price, power) : price * unit;
  const [open, high, low, close] = [bar.open, bar.high, bar.low, bar.close].map(times) as [
    number,
    number,
    number,
    number,
  ];
  return { ...bar, open, high, low, close };
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

const keepsSessions = (assetType: AssetType): boolean =>
  isShare(assetType) || assetType === "index";

/** Oldest first, without days that had no trades; duplicate dates and bars on a weekend are faults. */
function inOrder(
  read: readonly ReadBar[],
  options: BarsFileOptions,
  onFault: (line: number, reason: string) => void,
): { bars: DailyBar[]; filledForward: number } {
  // A stable sort: of two bars of one date the earlier line stays first.
  const sorted = read.toSorted((a, b) =>
    a.bar.date < b.bar.date ? -1 : a.bar.date > b.bar.date ? 1 : 0,
  );
  const bars: DailyBar[] = [];
  let filledForward = 0;
  let previous: ReadBar | undefined;
  for (const current of sorted) {
    const { line, bar } = current;
    if (bar.date === previous?.bar.date) {
      const reason = `date ${bar.date} appears here and in line ${previous.line}: a file holds one bar a day`;
      onFault(line, reason);
      continue;
    }
    if (isFilledForward(bar, previous?.bar, options)) filledForward++;
    else {
      const reason = closedReason(bar.date, options);
      if (reason === null) bars.push(bar);
      else onFault(line, reason);
    }
    previous = current;
  }
  return { bars, filledForward };
}

function isFilledForward(
  bar: DailyBar,
  previous: DailyBar | undefined,
  { country, assetType, overrides = [] }: BarsFileOptions,
): boolean {
  if (bar.high !== bar.low || bar.close !== previous?.close) return false;
  if (isShare(assetType) && bar.volume === 0) return true;
  return keepsSessions(assetType) && !isSession(country, bar.date, overrides);
}

/** Why there can be no bar of that date, or null: no exchange trades on weekends unless a decree says so. */
export function closedReason(
  date: string,
  {
    country,
    assetType,
    overrides = [],
  }: Pick<BarsFileOptions, "country" | "assetType" | "overrides">,
): string | null {
  if (!keepsSessions(assetType) || !isWeekend(date) || date < WEEKENDS_CLOSED_SINCE[country]) {
    return null;
  }
  if (overrides.some((o) => o.country === country && o.date === date && !o.closed)) return null;
  const day = weekdayOf(date) === 6 ? "Saturday" : "Sunday";
  return `${date} is a ${day}, when ${country} exchanges are closed: check the dates, or give --on-bad skip to leave such rows out`;
}
