import { isSession } from "#analytics/sessions.ts";
import type { HolidayOverride } from "#domain/calendar-event.ts";
import { COUNTRIES, type Country } from "#domain/country.ts";
import type { DailyBar } from "#domain/daily-bar.ts";
import { invalidArgument } from "#domain/errors.ts";
import { type AssetType, type Instrument, isShare } from "#domain/instrument.ts";
import type { Split } from "#domain/split.ts";
import { CsvError } from "#lib/csv.ts";
import { isWeekend, weekdayOf } from "#lib/date.ts";
import type { LeftOutRow, OnBad } from "./bad-rows.ts";
import { nameTool } from "./bar-headers.ts";
import { type BarFormat, cellOf, hintOf, readBar, readDate, stampOf } from "./bar-row.ts";
import {
  type BarsTable,
  findBarsTable,
  listed,
  type NamedColumns,
  type TableRow,
} from "./bars-table.ts";
import { createDateReader, type DateOrder, type DayZone } from "./dates.ts";
import {
  type DecimalMark,
  detectDecimalMark,
  type NumberCell,
  readFigure,
  volumeMark,
} from "./numbers.ts";
import { namedUnits, refuseOtherUnit } from "./price-unit.ts";
import { splitInRow } from "./split-rows.ts";

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
  /** The splits in a column of the file, or in rows among its prices, oldest first. */
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
  /** The currency of its prices; by default the country's. */
  readonly currency?: string;
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

/** The facts about the instrument of a file and about its format. */
export type HistoryOptions = Omit<BarsFileOptions, "fileName" | "today" | "onBad" | "decimalMark">;

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
 * - A date with a time and a zone is an instant, see `createDateReader`; a column or a header may name the zone.
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
    throw invalidArgument(message);
  }
}

function readTable(table: BarsTable, options: BarsFileOptions): BarsFile {
  refuseOther(table, options);
  const skipped: LeftOutRow[] = [];
  const widened: LeftOutRow[] = [];
  const onFault = (line: number, reason: string) => {
    if (options.onBad !== "skip") throw new CsvError(line, reason);
    skipped.push({ line, reason });
  };
  const { rows, splitRows, otherSymbols } = chooseRows(table, options, onFault);
  const { tool, ...format } = detectFormat(rows, table, options);
  const isIndex = options.assetType === "index";
  const read: ReadBar[] = [];
  for (const row of rows) {
    const { line } = row;
    try {
      const found = readBar(row, table, format, { ...options, isIndex });
      if (found === null) continue;
      read.push({ line, bar: found.bar });
      if (found.note !== null) widened.push({ line, reason: found.note });
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      onFault(error.line, error.message);
    }
  }
  if (read.length === 0)
    throw new CsvError(table.headerLine, "no row with a price follows the header");
  const { bars, filledForward } = inOrder(read, options, onFault);
  if (options.unit === undefined) refuseOtherUnit(table.headerLine, bars, options);
  return {
    shape: tool ?? (table.unit === "record" ? "json" : "csv"),
    bars,
    filledForward,
    otherSymbols,
    splits: splitsIn(rows, splitRows, table, format),
    unread: unreadColumns(table, format),
    unit: table.unit,
    skipped,
    widened,
  };
}

/** The splits of rows of their own, and of a column with the new shares for an old one, 0 or 1 on other days. */
function splitsIn(
  rows: readonly TableRow[],
  splitRows: readonly SplitRow[],
  table: BarsTable,
  { dates, mark }: BarFormat,
): Split[] {
  const ofRows = splitRows.map(({ row, ratio }) => ({
    exDate: readDate(row, table, dates),
    ...ratio,
  }));
  const ofColumn = !table.columns.has("split")
    ? []
    : rows.flatMap((row) => {
        const ratio = readFigure(cellOf(row, table, "split"), mark);
        const exDate = dates.read(stampOf(row, table));
        const isSplit = ratio !== null && ratio > 0 && ratio !== 1 && exDate !== null;
        return isSplit ? { exDate, numerator: ratio, denominator: 1 } : [];
      });
  return [...ofRows, ...ofColumn].sort((a, b) => (a.exDate < b.exDate ? -1 : 1));
}

/** The names of the columns that have no meaning, as written. */
function unreadColumns(table: BarsTable, { volumeUnit }: BarFormat): string[] {
  const { headers, columns } = table;
  const { time, zone, zoneName } = table.clock;
  const read = new Set([...columns.values(), zone, ...(zone >= 0 || zoneName ? [time] : [])]);
  read.add(table.currencyColumn);
  if (volumeUnit === null) read.delete(columns.get("volume") ?? -1);
  return headers.map((name) => name.trim()).filter((name, i) => name !== "" && !read.has(i));
}

interface ReadBar {
  readonly line: number;
  readonly bar: DailyBar;
}

/** A row of a split among rows of prices. */
interface SplitRow {
  readonly row: TableRow;
  readonly ratio: Pick<Split, "numerator" | "denominator">;
}

/**
 * The rows of the wanted instrument with a cell for each column, its rows of splits, and the number of other rows. Blank
 * rows are left out, rows of another width are faults.
 *
 * @throws CsvError if the file has other instruments only, or has several and `symbol` is absent
 */
function chooseRows(
  table: BarsTable,
  { symbol }: BarsFileOptions,
  onFault: (line: number, reason: string) => void,
): { rows: TableRow[]; splitRows: SplitRow[]; otherSymbols: number } {
  const rows: TableRow[] = [];
  const splitRows: SplitRow[] = [];
  const notInRow = [table.columns.get("date"), table.columns.get("symbol")];
  const tickers = new Map<string, boolean>();
  let otherSymbols = 0;
  for (const row of table.rows) {
    if (row.cells.every((cell) => cell.trim() === "")) continue;
    const ratio = splitInRow(row.cells.filter((_, i) => !notInRow.includes(i)));
    if (ratio !== null) {
      splitRows.push({ row, ratio });
      continue;
    }
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
  const list = listed([...tickers.keys()]);
  if (symbol === undefined && tickers.size > 1) {
    throw new CsvError(table.headerLine, `the file holds several instruments (${list})`);
  }
  if (tickers.size > 0 && ![...tickers.values()].includes(true)) {
    throw new CsvError(
      table.headerLine,
      `the rows belong to ${list}, not to ${symbol}: give --columns symbol=none if they are the same`,
    );
  }
  return { rows, splitRows, otherSymbols };
}

const widthFault = ({ cells }: TableRow, width: number | null) =>
  `the row has ${cells.length} cells, the header has ${width}`;

function hasWidth({ cells }: TableRow, width: number | null): boolean {
  if (width === null || cells.length === width) return true;
  return cells.length > width && cells.slice(width).every((cell) => cell.trim() === "");
}

/** Refuses a share or fund if the tickers beside the rows are others. Other types have too many notations. */
function refuseOther({ tickers, headerLine }: BarsTable, options: BarsFileOptions): void {
  const { symbol, assetType, columns } = options;
  if (symbol === undefined || columns?.symbol === null) return;
  if (!["stock", "etf", "reit"].includes(assetType)) return;
  const parts = (text: string) => ` ${(text.toUpperCase().match(/[A-Z0-9]+/g) ?? []).join(" ")} `;
  const wanted = parts(symbol).trimEnd();
  const isIt = (ticker: string) => /^0? /.test(parts(ticker).split(wanted)[1] ?? "");
  const named = tickers.filter((ticker) => /[a-z0-9]/i.test(ticker));
  if (named.length === 0 || named.some(isIt)) return;
  throw new CsvError(
    headerLine,
    `the file is of ${listed(named)}, not of ${symbol}: give --columns symbol=none if they are the same`,
  );
}

/** True if a ticker in a file (`AAPL.US`, `TSE:7203`, `BRK/B`, `72030`) means that symbol. */
function isSameSymbol(ticker: string, symbol: string): boolean {
  const plain = (text: string) => text.trim().toUpperCase().replaceAll(/[./ ]/g, "-");
  const written = plain(ticker.replace(/^[A-Za-z]+:/, ""));
  const wanted = plain(symbol);
  // Yahoo writes `USDJPY=X` for `JPY=X`.
  if (written === wanted || written === `${wanted}0`) return true;
  return written.replace(/-(?:US|JP|VN|T|HM|HN)$/, "") === wanted;
}

/** How the file writes bars, by all of its rows, and its tool. */
function detectFormat(
  rows: readonly TableRow[],
  table: BarsTable,
  options: BarsFileOptions,
): BarFormat & { tool: string | null } {
  const dates = createDateReader(
    rows.map((row) => ({ line: row.line, text: stampOf(row, table) })),
    {
      country: options.country,
      days: dayZone(options),
      order: options.dateOrder,
      today: options.today,
      keepsSessions: keepsSessions(options.assetType),
    },
  );
  const facts = {
    header: table.names.map((name) => name.trim()).join("|"),
    delimiter: table.delimiter,
    isByColumn: table.isByColumn,
    hasUnixTime: dates.style === "unix",
    firstDate: cellOf(rows[0], table, "date"),
  };
  const tool = nameTool(facts, options.country);
  const { country, assetType, currency = COUNTRIES[country].currency } = options;
  // An index has points, and the operator knows better than the file.
  const ofPrices = assetType === "index" || options.unit !== undefined ? null : currency;
  const named = namedUnits(table, { ...options, currency: ofPrices });
  const isThousandVnd = tool.isThousandVnd && isShare(assetType) && named.prices === null;
  const mark = options.decimalMark ?? detectDecimalMark(numbersOf(rows, table), table.delimiter);
  return {
    dates,
    mark,
    volumeMark:
      isShare(assetType) && table.delimiter !== ","
        ? volumeMark(numbersOf(rows, table), mark)
        : mark,
    unit: named.prices ?? (isThousandVnd ? 1_000 : 1),
    volumeUnit: named.volume,
    currency: ofPrices,
    isThousandVnd,
    tool: tool.name,
  };
}

/** The days of an instrument: its exchange's, of UTC for coins, from the evening in New York for currencies and futures of the US. */
export function dayZone({
  country,
  assetType,
}: Pick<Instrument, "country" | "assetType">): DayZone {
  if (assetType === "cryptocurrency") return { timeZone: "UTC", hoursBefore: 0 };
  const { timeZone } = COUNTRIES[country];
  // A day of currencies begins at 17:00. Futures close at 17:00, and the next day begins at 18:00.
  const hours: Partial<Record<AssetType, number>> = { currency: 7, commodity: 6 };
  return { timeZone, hoursBefore: country === "US" ? (hours[assetType] ?? 0) : 0 };
}

function* numbersOf(rows: readonly TableRow[], table: BarsTable): Generator<NumberCell, void> {
  for (const row of rows) {
    for (const column of ["open", "high", "low", "close", "volume"] as const) {
      const text = cellOf(row, table, column);
      if (text !== "") yield { line: row.line, text, isVolume: column === "volume" };
    }
  }
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
