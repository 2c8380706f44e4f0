import { CsvError, type CsvRow } from "#lib/csv.ts";
import {
  type BarColumn,
  type BarColumns,
  type ClockColumns,
  clockColumns,
  findCurrencyColumn,
  isTradingFlow,
  mapColumns,
  withoutTicker,
} from "./bar-headers.ts";
import { quote, refuseNoText } from "./cells.ts";
import { cutCells, cutRows } from "./cut-cells.ts";
import { isDateLike } from "./dates.ts";
import { jsonExcess, jsonTable } from "./json-table.ts";
import { zoneInHeader, zoneInNote } from "./time-zones.ts";
import { announcedUnits } from "./units.ts";

/** The columns that an operator named: a header or a position from 1, by column; null for "none". */
export type NamedColumns = Partial<Record<BarColumn, string | null>>;

/** A row of the table and where it is. */
export interface TableRow {
  /** The line of a CSV file, or the record of a JSON file, counted from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** A file of bars as a table. */
export interface BarsTable {
  /** The unit in which errors count: `line` or `record`. */
  readonly unit: "line" | "record";
  /** The header as written; empty if there is none. */
  readonly names: readonly string[];
  /** The names by position: as written, or one of several rows. */
  readonly headers: readonly string[];
  readonly headerLine: number;
  readonly delimiter: string;
  /** True for JSON that has an array for each column. */
  readonly isByColumn: boolean;
  readonly columns: BarColumns;
  /** What the time of a date depends on beside its own cell. */
  readonly clock: ClockColumns;
  /** The units that lines before the header name. */
  readonly notes: readonly string[];
  /** The currencies that fields around the rows of JSON name. */
  readonly currencies: readonly string[];
  /** The tickers beside the rows: in fields around the rows of JSON, or above the columns. */
  readonly tickers: readonly string[];
  /** The position of a column with the currency of each row; -1 if there is none. */
  readonly currencyColumn: number;
  /** The cells of a row; null if rows may have any number. */
  readonly width: number | null;
  readonly rows: Iterable<TableRow>;
}

/** The options of `findBarsTable`. */
export interface TableOptions {
  readonly named: NamedColumns;
  /** True if a ticker in the file means the wanted instrument. */
  readonly isWanted: (ticker: string) => boolean;
}

/** Characters of a line above the header that can name a unit. */
const LONGEST_NOTE = 1_000;
const DELIMITERS = [",", ";", "\t", "|"] as const;
/** The number of first rows among which the header is searched; titles and notes may come before it. */
const ROWS_BEFORE_DATA = 20;

/**
 * Finds the table of daily bars in a text: delimiter, header (or none), and what its columns mean. JSON
 * is read as well: an array of objects, arrays by column, or objects by date.
 *
 * @throws CsvError if there is no such table, with what to do next
 */
export function findBarsTable(text: string, options: TableOptions): BarsTable {
  refuseNoText(text);
  const start = /^[\uFEFF\s]*(.)/s.exec(text)?.[1];
  if (start === undefined) throw new CsvError(1, "the file is empty");
  if (start === "{" || start === "[") return readJsonTable(text, options);
  const declared = /^\uFEFF?sep=(.)\r?\n/.exec(text)?.[1];
  const delimiters = declared === undefined ? DELIMITERS : [declared];
  const samples = delimiters.map((delimiter) => ({ delimiter, rows: sampleOf(text, delimiter) }));
  let best: BarsTable | undefined;
  for (const { delimiter, rows } of samples) {
    const table = tableIn(rows, text, delimiter, options);
    if (table && table.columns.size > (best?.columns.size ?? 0)) best = table;
  }
  if (best) return best;
  for (const { delimiter, rows } of samples) {
    const table = tableWithoutHeader(rows, text, delimiter, options.named);
    if (table) return table;
  }
  throw unknownHeader(samples, options.named);
}

function sampleOf(text: string, delimiter: string): CsvRow[] {
  const rows: CsvRow[] = [];
  try {
    for (const row of cutRows(text, delimiter)) {
      if (rows.push(row) === ROWS_BEFORE_DATA) break;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
  }
  return rows;
}

/** The table whose header is among the first rows, or null. */
function tableIn(
  sample: readonly CsvRow[],
  text: string,
  delimiter: string,
  options: TableOptions,
): BarsTable | null {
  for (const [i, row] of sample.entries()) {
    const stacked = stackedHeader(sample.slice(i, i + 3), options);
    const names = stacked?.names ?? row.cells;
    const found = resolveColumns(names, sample[i + 1]?.cells, options.named);
    const date = found.columns.get("date");
    if (date === undefined || !found.columns.has("close")) continue;
    // Columns that were named by position fit a row of data as well.
    if (isDateLike(names[date]?.trim() ?? "")) continue;
    const headerLine = row.line;
    if (!found.columns.has("open") && isTradingFlow(names))
      throw tradingFlow(headerLine, quote(names.join(delimiter)));
    if (
      names.some((name) => name.trim().toLowerCase() === "country") &&
      found.columns.has("symbol")
    ) {
      throw new CsvError(
        headerLine,
        "the header has country and symbol, so each row names its instrument: leave out --country and --symbol",
      );
    }
    for (const [column, doubled] of found.doubled) {
      if (column === "volume" || column === "date") continue;
      throw new CsvError(
        headerLine,
        `the header has ${doubled.length} columns for ${column} (${doubled.join(", ").slice(0, LONGEST_NOTE)}): name the right one with --columns ${column}=NAME, or the instrument with --symbol`,
      );
    }
    refuseHalfRange(headerLine, found.columns);
    const last = stacked ? stacked.lastLine : headerLine;
    const lines = sample
      .slice(0, i)
      .map(({ cells }) => cells.join(delimiter).slice(0, LONGEST_NOTE));
    return {
      unit: "line",
      names: stacked ? stacked.shape : row.cells,
      headers: names,
      headerLine,
      delimiter,
      isByColumn: false,
      columns: found.columns,
      clock: clockColumns(names, found.columns.get("date") ?? -1, lines.map(zoneInNote)),
      currencyColumn: findCurrencyColumn(names),
      notes: lines.flatMap(announcedUnits),
      currencies: [],
      tickers: stacked?.tickers ?? [],
      width: row.cells.length,
      rows: rowsAfter(text, delimiter, last),
    };
  }
  return null;
}

function* rowsAfter(text: string, delimiter: string, line: number): Generator<TableRow, void> {
  for (const row of cutRows(text, delimiter)) if (row.line > line) yield row;
}

const RANGE = ["open", "high", "low"] as const;

/** The columns that bars lack: date and close, and the rest of open, high and low if one of them is there. */
function missingColumns(columns: BarColumns): BarColumn[] {
  const needed = RANGE.some((column) => columns.has(column)) ? RANGE : [];
  return (["date", "close", ...needed] as const).filter((column) => !columns.has(column));
}

function refuseHalfRange(line: number, columns: BarColumns): void {
  const missing = missingColumns(columns);
  if (missing.length === 0) return;
  throw new CsvError(
    line,
    `the header has no column for ${missing.join(" and ")}: name it with --columns ${missing.map((column) => `${column}=NAME`).join(",")}`,
  );
}

/** The columns of a header: first as the operator named them, then by the known names. */
function resolveColumns(
  names: readonly string[],
  firstRow: readonly string[] | undefined,
  named: NamedColumns,
): ReturnType<typeof mapColumns> {
  const known = mapColumns(names.map(withoutTicker));
  const columns = new Map(known.columns);
  const doubled = new Map(known.doubled);
  for (const [column, wanted] of Object.entries(named) as [BarColumn, string | null][]) {
    columns.delete(column);
    doubled.delete(column);
    const at = wanted === null ? -1 : positionOf(wanted, names);
    if (at !== -1) columns.set(column, at);
    // A column that the operator named has no second meaning.
    for (const [other, position] of columns) {
      if (other !== column && position === at) columns.delete(other);
    }
    if (wanted !== null && at === -1) return { columns: new Map(), doubled: new Map() };
  }
  // The index of a data frame has no name.
  if (!columns.has("date") && names[0]?.trim() === "" && isDateLike(firstRow?.[0]?.trim() ?? "")) {
    columns.set("date", 0);
  }
  return { columns, doubled };
}

function positionOf(wanted: string, names: readonly string[]): number {
  const exact = names.findIndex((name) => name.trim() === wanted);
  if (exact !== -1) return exact;
  const lower = wanted.toLowerCase();
  const near = names.findIndex((name) => name.trim().toLowerCase() === lower);
  if (near !== -1) return near;
  const number = /^\d{1,3}$/.test(wanted) ? Number(wanted) : 0;
  return number >= 1 && number <= names.length ? number - 1 : -1;
}

/**
 * The header of yfinance in several rows: fields above tickers, or tickers above fields, then
 * `Date`. Only the columns of the wanted ticker keep their name.
 *
 * @throws CsvError if several tickers are all other instruments
 */
function stackedHeader(
  rows: readonly CsvRow[],
  { isWanted }: TableOptions,
): { names: string[]; shape: string[]; lastLine: number; tickers: string[] } | null {
  const [first, second, third] = rows;
  if (!first || !second || !third) return null;
  const mark = (row: CsvRow) => row.cells[0]?.trim().toLowerCase() ?? "";
  const isIndex =
    ["date", "datetime"].includes(mark(third)) && third.cells.slice(1).every((c) => c === "");
  if (!isIndex || !["", "price", "ticker", "attributes"].includes(mark(first))) return null;
  const isFieldFirst = mapColumns(first.cells.slice(1)).columns.has("close");
  const [fields, tickers] = isFieldFirst ? [first, second] : [second, first];
  const all = [...new Set(tickers.cells.slice(1).map((ticker) => ticker.trim()))];
  const isOne = all.length === 1;
  if (!isOne && !all.some(isWanted)) {
    const reason = `the columns belong to ${listed(all)}, not to the instrument`;
    throw new CsvError(tickers.line, reason);
  }
  const names = fields.cells.map((field, i) => {
    if (i === 0) return third.cells[0] ?? "Date";
    return isOne || isWanted(tickers.cells[i] ?? "") ? field : "";
  });
  const shape = ["Date", "Close", "High", "Low", "Open", "Volume"];
  return { names, shape, lastLine: third.line, tickers: isOne ? all : [] };
}

/** The first three tickers, quoted, and how many more there are. */
export function listed(tickers: readonly string[]): string {
  const some = tickers.slice(0, 3).map(quote).join(", ");
  return tickers.length > 3 ? `${some} and ${tickers.length - 3} more` : some;
}

/** A table whose first row is a bar: a ticker if any, the date, a time if any, the prices, the volume. */
function tableWithoutHeader(
  [first, second]: readonly CsvRow[],
  text: string,
  delimiter: string,
  named: NamedColumns,
): BarsTable | null {
  if (!first) return null;
  const cells = first.cells.map((cell) => cell.trim());
  const isNumber = (at: number) => /^[.,]*\d[\d.,]*$/.test(cells[at] ?? "");
  const columns = new Map<BarColumn, number>();
  if (Object.keys(named).length > 0) {
    for (const [column, wanted] of Object.entries(named) as [BarColumn, string | null][]) {
      if (wanted !== null) columns.set(column, /^\d{1,3}$/.test(wanted) ? Number(wanted) - 1 : -1);
    }
    if (!isDateLike(cells[columns.get("date") ?? -1] ?? "")) return null;
    if (!isNumber(columns.get("close") ?? -1)) return null;
  } else {
    const date = cells.slice(0, 2).findIndex((cell) => isDateLike(cell) && cell.length >= 8);
    if (date === -1 || cells.length < date + 5) return null;
    if (date === 1) columns.set("symbol", 0);
    columns.set("date", date);
    const open = /^\d{1,2}:\d{2}(:\d{2})?$/.test(cells[date + 1] ?? "") ? date + 2 : date + 1;
    for (const [i, column] of (["open", "high", "low", "close"] as const).entries()) {
      if (!isNumber(open + i)) return null;
      columns.set(column, open + i);
    }
    if (isNumber(open + 4)) columns.set("volume", open + 4);
  }
  return {
    unit: "line",
    names: [],
    headers: [],
    headerLine: first.line,
    delimiter,
    isByColumn: false,
    columns,
    clock: clockColumns([], -1, []),
    notes: [],
    currencies: [],
    tickers: [],
    currencyColumn: -1,
    width: second ? first.cells.length : null,
    rows: cutRows(text, delimiter),
  };
}

function unknownHeader(
  samples: readonly { delimiter: string; rows: readonly CsvRow[] }[],
  named: NamedColumns,
): CsvError {
  const widest = samples.reduce((a, b) =>
    (b.rows[0]?.cells.length ?? 0) > (a.rows[0]?.cells.length ?? 0) ? b : a,
  );
  const header = widest.rows[0];
  if (!header) return new CsvError(1, "the file is empty");
  const seen = quote(header.cells.map((cell) => cell.trim()).join(widest.delimiter));
  if (isTradingFlow(header.cells)) return tradingFlow(header.line, seen);
  const absent = Object.values(named).find(
    (wanted) => wanted !== null && positionOf(wanted, header.cells) === -1,
  );
  if (absent !== undefined) {
    return new CsvError(header.line, `the header ${seen} has no column ${quote(absent ?? "")}`);
  }
  const missing = missingColumns(mapColumns(header.cells).columns);
  return new CsvError(
    header.line,
    `the header ${seen} has no known name for ${missing.join(" and ") || "its columns"}: name the columns with --columns date=NAME,open=NAME,high=NAME,low=NAME,close=NAME,volume=NAME`,
  );
}

function tradingFlow(line: number, seen: string): CsvError {
  return new CsvError(
    line,
    `the header ${seen} is of shares that investors bought and sold, not of prices: import a file with the prices`,
  );
}

function readJsonTable(text: string, options: TableOptions): BarsTable {
  const excess = jsonExcess(text);
  if (excess !== null) throw new CsvError(1, `the JSON ${excess}`);
  let flow: readonly string[] | null = null;
  const table = jsonTable(text, (names) => {
    if (isTradingFlow(names)) flow = names;
    const { columns } = resolveColumns(names, undefined, options.named);
    return columns.has("date") && columns.has("close");
  });
  if (table === null) {
    if (flow !== null) throw tradingFlow(1, quote((flow as readonly string[]).join(", ")));
    throw new CsvError(
      1,
      "the JSON has no list with a date and a close: name its fields with --columns date=NAME,open=NAME,high=NAME,low=NAME,close=NAME,volume=NAME",
    );
  }
  const { columns } = resolveColumns(table.names, undefined, options.named);
  refuseHalfRange(1, columns);
  return {
    unit: "record",
    names: table.names,
    headers: table.names,
    headerLine: 1,
    delimiter: ",",
    isByColumn: table.isByColumn,
    columns,
    clock: clockColumns(table.names, columns.get("date") ?? -1, table.zones.map(zoneInHeader)),
    notes: [],
    currencies: table.currencies.filter(Boolean),
    tickers: table.tickers,
    currencyColumn: findCurrencyColumn(table.names),
    width: null,
    rows: table.rows.map((cells, i) => ({ line: i + 1, cells: cutCells(cells) })),
  };
}
