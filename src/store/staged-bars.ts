import type { Database } from "bun:sqlite";
import type { BarHistory, DailyBar } from "#domain/daily-bar.ts";
import { invalidArgument } from "#domain/errors.ts";
import type { InstrumentKey } from "#domain/instrument.ts";
import { formatPlace, type Place } from "#domain/records.ts";
import { type BarRow, columnsOf, toBar, toDate } from "./bar-rows.ts";

/** Rows that one statement inserts. One statement per row would take half as long again. */
export const ROWS_PER_INSERT = 50;

/** The placeholders of that many rows in `INSERT INTO … VALUES`. */
export function valuesOf(rows: number, columns: number): string {
  const row = `(${Array.from({ length: columns }, () => "?").join(", ")})`;
  return Array.from({ length: rows }, () => row).join(", ");
}

/** Adds a bar of an instrument; null adds a history without bars. */
export type AddBar = (
  instrument: InstrumentKey & { readonly id: number },
  bar: DailyBar | null,
  place: Place,
) => void;

const STAGED = `CREATE TEMP TABLE staged_bars (instrument_id INTEGER, date INTEGER, open REAL, high REAL,
  low REAL, close REAL, volume REAL, file INTEGER, number INTEGER)`;

const STAGED_COLUMNS = 9;

const stageRows = (count: number): string =>
  `INSERT INTO staged_bars VALUES ${valuesOf(count, STAGED_COLUMNS)}`;

/** The first staged bar whose instrument and date had one already, with the place of the earlier one. */
const FIRST_DUPLICATE = `SELECT later.date, later.file, later.number, earlier.file AS earlierFile,
    earlier.number AS earlierNumber
  FROM staged_bars AS later
  JOIN (SELECT instrument_id, date, min(rowid) AS position FROM staged_bars
        GROUP BY instrument_id, date HAVING count(*) > 1) AS first USING (instrument_id, date)
  JOIN staged_bars AS earlier ON earlier.rowid = first.position
  WHERE later.rowid > first.position ORDER BY later.rowid LIMIT 1`;

interface StagedDuplicate {
  readonly date: number;
  /** The index of the file's name in the list of the import. */
  readonly file: number;
  readonly number: number | null;
  readonly earlierFile: number;
  readonly earlierNumber: number | null;
}

interface StagedRow {
  readonly instrument_id: number;
  readonly date: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number | null;
}

/** Bars in a temporary table of a connection. A connection has one at a time; disposing removes it. */
export class StagedBars {
  readonly #writer: Database;
  readonly #files: string[] = [];
  readonly #instruments = new Map<number, InstrumentKey>();
  /** Sorting rows that are already in order would take a tenth of the whole import. */
  #isOrdered = true;

  /** Creates the table and fills it. If `fill` throws, there is no table. */
  constructor(writer: Database, fill: (add: AddBar) => void) {
    this.#writer = writer;
    writer.run(STAGED);
    try {
      writer.transaction(() => this.#fill(fill))();
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  /** The number of instruments. */
  get instruments(): number {
    return this.#instruments.size;
  }

  /**
   * The histories, each with its bars oldest first, one at a time in memory.
   *
   * @throws BourseError `invalid_argument` with both places of a date that was added twice
   */
  *histories(): Generator<BarHistory> {
    const empty = new Map(this.#instruments);
    let [id, bars, newest]: [number, DailyBar[], number] = [0, [], 0];
    for (const { instrument_id, date, open, high, low, close, volume } of this.#writer
      .query<StagedRow, []>(
        `SELECT instrument_id, date, open, high, low, close, volume FROM staged_bars
         ORDER BY ${this.#isOrdered ? "rowid" : "instrument_id, date"}`,
      )
      .iterate()) {
      if (instrument_id !== id) {
        if (id !== 0) yield this.#history(id, bars);
        [id, bars, newest] = [instrument_id, [], 0];
        empty.delete(id);
      }
      if (date === newest) this.#refuseDuplicates();
      newest = date;
      const row: BarRow = [date, open, high, low, close, volume];
      bars.push(toBar(row));
    }
    if (id !== 0) yield this.#history(id, bars);
    for (const key of empty.values()) yield { ...key, bars: [] };
  }

  #history(id: number, bars: DailyBar[]): BarHistory {
    return { ...(this.#instruments.get(id) as InstrumentKey), bars };
  }

  #fill(fill: (add: AddBar) => void): void {
    const stage = this.#writer.query(stageRows(ROWS_PER_INSERT));
    let waiting: (number | null)[] = [];
    let [lastId, lastDate, file] = [0, 0, -1];
    const flush = () => {
      if (waiting.length > 0)
        this.#writer.query(stageRows(waiting.length / STAGED_COLUMNS)).run(...waiting);
      waiting = [];
    };
    fill(({ id, country, symbol }, bar, { within, number }) => {
      if (id !== lastId && !this.#instruments.has(id))
        this.#instruments.set(id, { country, symbol });
      if (this.#files[file] !== within) {
        file = this.#files.indexOf(within);
        if (file === -1) file = this.#files.push(within) - 1;
      }
      if (!bar) return;
      const columns = columnsOf(bar);
      const [date] = columns;
      const isTwin = id === lastId && date === lastDate;
      this.#isOrdered &&= id > lastId || (id === lastId && date > lastDate);
      [lastId, lastDate] = [id, date];
      waiting.push(id, ...columns, file, number);
      // A file of millions of rows of one date is refused before it is read to its end.
      if (isTwin) {
        flush();
        this.#refuseDuplicates();
      }
      if (waiting.length < ROWS_PER_INSERT * STAGED_COLUMNS) return;
      stage.run(...waiting);
      waiting = [];
    });
    flush();
  }

  #refuseDuplicates(): void {
    const twice = this.#writer.query<StagedDuplicate, []>(FIRST_DUPLICATE).get();
    if (!twice) return;
    const place = { within: this.#files[twice.file] ?? "", number: twice.number };
    const earlier = {
      within: this.#files[twice.earlierFile] ?? "",
      number: twice.earlierNumber,
    };
    throw invalidArgument(
      `${formatPlace(place)}: date ${toDate(twice.date)} appears here and in ${formatPlace(earlier)}`,
    );
  }

  [Symbol.dispose](): void {
    this.#writer.run("DROP TABLE temp.staged_bars");
  }
}
