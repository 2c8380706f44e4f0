import type { BarRun } from "#domain/daily-bar.ts";
import type { CsvRow } from "#lib/csv.ts";
import { NO_PART, type ParquetTable, type TableSlice } from "#lib/parquet.ts";
import { refuseNoText } from "./cells.ts";
import { csvRowReader, readHeader } from "./csv-rows.ts";
import { BAR_COLUMNS, createRun, isPlainBar, MOST_IN_RUN } from "./plain-bars.ts";
import {
  type Fields,
  lineOf,
  type Reading,
  refuse,
  type Row,
  type RowsOfFile,
  unlessSkipped,
} from "./reading.ts";
import { plainName } from "./record-values.ts";

/** The line of the first row in a file of CSV, after the header. Errors name rows by it. */
const FIRST_LINE = 2;

/** True if all columns of the table can be read, and the columns of bars are texts and numbers as they should be. */
export function hasBarColumns({ header, areNumbers }: ParquetTable): boolean {
  if (areNumbers.includes(null)) return false;
  const names = header.map((name) => plainName(name.trim()));
  return BAR_COLUMNS.every((name) => {
    const at = names.indexOf(name);
    if (at === -1) return name === "volume";
    if (name === "date") return true;
    return areNumbers[at] === (name !== "country" && name !== "symbol");
  });
}

/**
 * Reads the bars of a table as runs. Rows that are no plain ones are read cell by cell, as rows of CSV are, with the
 * same errors.
 */
export function* readBarColumns(reading: Reading, file: string, table: ParquetTable): RowsOfFile {
  const top: CsvRow = { line: 1, cells: table.header };
  const header = readHeader(reading, top, file);
  const width = table.header.length;
  const rowOf = csvRowReader(reading, header, width, "point");
  const within = `${file}, line`;
  const reader = new BarColumnReader(header, within);
  const read = new Set(header.values());
  let rows = 0;
  for (const slice of table.slices(table.header.map((_, i) => read.has(i)))) {
    for (let next = 0; next < slice.rows;) {
      const at = next;
      const place = { within, number: FIRST_LINE + rows };
      const taken = reader.take(slice, at, place.number);
      rows += Math.max(taken, 1);
      next += Math.max(taken, 1);
      if (taken > 0) {
        yield { place, entry: null, ...reader.taken };
        continue;
      }
      const cells = table.header.map((_, i) => slice.cellOf(i, at));
      const row = unlessSkipped(reading, place, () => {
        for (const cell of cells) refuseNoText(cell, place.number);
        return rowOf(cells, place);
      });
      if (!row) continue;
      reader.learn(slice, at, row);
      yield row;
    }
  }
  if (rows === 0) refuse(lineOf(file, 1), "no row follows the header");
  return { shape: "csv", rows };
}

type Part = TableSlice["columns"][number];
const NO_NUMBERS = new Float64Array();

/** Reads rows as `PlainRunReader` does, from columns. */
class BarColumnReader {
  /** The place of each column of bars in the table; -1 without it. */
  readonly #places: readonly number[];
  readonly #records = new Map<string, Fields>();
  /** Accepted dates by their value in the table: 20261120 for 20777 days, for UTC milliseconds or for a text. */
  readonly #dates = new Map<unknown, number>();
  readonly #run;
  #record: Fields = {};

  constructor(header: ReadonlyMap<string, number>, within: string) {
    this.#places = BAR_COLUMNS.map((name) => header.get(name) ?? -1);
    this.#run = createRun(within);
  }

  /** The rows that were taken last, and the record of their instrument. */
  get taken(): { readonly run: BarRun; readonly record: Fields } {
    return { run: this.#run, record: this.#record };
  }

  /** Remembers the instrument and the date of a row that the general reader accepted. */
  learn(slice: TableSlice, row: number, { record, entry }: Row): void {
    const [country, symbol, date] = this.#partsOf(slice);
    const valueOf = ({ values, at }: Part = NO_PART) => values[at + row];
    this.#records.set(`${String(valueOf(country))} ${String(valueOf(symbol))}`, record);
    const text = String(entry?.["date"]);
    if (slice.cellOf(this.#places[2] ?? -1, row) === text)
      this.#dates.set(valueOf(date), Number(text.replaceAll("-", "")));
  }

  /** Takes plain rows from one on, which is on that line; returns how many. */
  take(slice: TableSlice, from: number, line: number): number {
    const run = this.#run;
    const [country = NO_PART, symbol = NO_PART, date = NO_PART, ...figures] = this.#partsOf(slice);
    const [open, high, low, close, volume] = figures.map(({ values, at }) =>
      values instanceof Float64Array ? values.subarray(at) : NO_NUMBERS,
    ) as [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array];
    const [ofCountry, ofSymbol] = [
      country.values[country.at + from],
      symbol.values[symbol.at + from],
    ];
    const record = this.#records.get(`${String(ofCountry)} ${String(ofSymbol)}`);
    if (record === undefined) return 0;
    this.#record = record;
    run.firstNumber = line;
    run.count = 0;
    const end = Math.min(slice.rows, from + MOST_IN_RUN);
    for (let row = from; row < end; row++) {
      if (symbol.values[symbol.at + row] !== ofSymbol) break;
      if (country.values[country.at + row] !== ofCountry) break;
      const day = this.#dates.get(date.values[date.at + row]);
      if (day === undefined) break;
      const i = run.count;
      run.dates[i] = day;
      run.open[i] = open[row] ?? Number.NaN;
      run.high[i] = high[row] ?? Number.NaN;
      run.low[i] = low[row] ?? Number.NaN;
      run.close[i] = close[row] ?? Number.NaN;
      run.volume[i] = volume[row] ?? Number.NaN;
      if (!isPlainBar(run, i)) break;
      run.count++;
    }
    return run.count;
  }

  #partsOf({ columns }: TableSlice): readonly Part[] {
    return this.#places.map((place) => columns[place] ?? NO_PART);
  }
}
