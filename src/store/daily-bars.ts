import { type Database, SQLiteError } from "bun:sqlite";
import type { BarHistory, BarSeries, DailyBar } from "#domain/daily-bar.ts";
import { BourseError } from "#domain/errors.ts";
import { formatPlace, IMPORT, type Place, type Provenance } from "#domain/records.ts";
import { eachInSlices, runAtOnce, type Slices } from "#lib/slices.ts";

type BarRow = [
  date: number,
  open: number,
  high: number,
  low: number,
  close: number,
  volume: number | null,
];

/** 20261120 for `2026-11-20`. Digit by digit for speed: an import converts a million dates. */
function toNumber(date: string): number {
  let number = 0;
  for (const at of DATE_DIGITS) number = number * 10 + date.charCodeAt(at) - 48;
  return number;
}

const DATE_DIGITS = [0, 1, 2, 3, 5, 6, 8, 9] as const;

/** Dates that were read, because formatting takes half of the time of reading a close. */
const dateTexts = new Map<number, string>();
const MAX_DATES = 50_000;

function toDate(number: number): string {
  const known = dateTexts.get(number);
  if (known !== undefined) return known;
  const text = String(number);
  const date = `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`;
  if (dateTexts.size === MAX_DATES) dateTexts.clear();
  dateTexts.set(number, date);
  return date;
}

/** A price as stored: a whole number of ten-thousandths, else the negative price. */
function toScaled(price: number): number {
  const scaled = Math.round(price * 10_000);
  return scaled / 10_000 === price ? scaled : -price;
}

const toPrice = (scaled: number): number => (scaled < 0 ? -scaled : scaled / 10_000);

function toBar([date, open, high, low, close, volume]: BarRow): DailyBar {
  return {
    date: toDate(date),
    open: toPrice(open),
    high: toPrice(high),
    low: toPrice(low),
    close: toPrice(close),
    volume,
  };
}

/** Dates from `from` (inclusive) to `before` (exclusive); a side that is absent is open. */
interface DateRange {
  readonly from?: string | undefined;
  readonly before?: string | undefined;
}

const FIRST_DATE = "0000-00-00";
const LAST_DATE = "9999-99-99";

const STAGED = `CREATE TEMP TABLE staged_bars (instrument_id INTEGER, date INTEGER, open REAL, high REAL,
  low REAL, close REAL, volume REAL, file INTEGER, number INTEGER)`;

/** Rows that one statement inserts. One statement per row would take half as long again. */
const ROWS_PER_INSERT = 50;

/** The first staged bar whose instrument and date had one already, with the place of the earlier one. */
const FIRST_DUPLICATE = `SELECT date, file, number, earlierFile, earlierNumber FROM (
    SELECT rowid AS position, date, file, number, lag(file) OVER same AS earlierFile,
      lag(number) OVER same AS earlierNumber
    FROM staged_bars WINDOW same AS (PARTITION BY instrument_id, date ORDER BY rowid))
  WHERE earlierFile IS NOT NULL ORDER BY position LIMIT 1`;

const STAGED_COLUMNS = 9;

const stageRows = (count: number): string =>
  `INSERT INTO staged_bars VALUES ${Array.from({ length: count }, () => "(?, ?, ?, ?, ?, ?, ?, ?, ?)").join(", ")}`;

const UPDATE_SAME_DATE = `ON CONFLICT (instrument_id, date) DO UPDATE SET open = excluded.open,
  high = excluded.high, low = excluded.low, close = excluded.close, volume = excluded.volume`;

/** Thrown to undo the transaction of a dry run. */
const DRY_RUN_DONE = new Error("dry run done");

interface StagedDuplicate {
  readonly date: number;
  /** The index of the file's name in the list of the import. */
  readonly file: number;
  readonly number: number | null;
  readonly earlierFile: number;
  readonly earlierNumber: number | null;
}

function columnsOf({ date, open, high, low, close, volume }: DailyBar): BarRow {
  return [toNumber(date), toScaled(open), toScaled(high), toScaled(low), toScaled(close), volume];
}

/** Bars that are written in one slice. */
const BARS_PER_SLICE = 1_000;

function prepareReads(reader: Database) {
  const bars =
    "SELECT date, open, high, low, close, volume FROM scaled_bars WHERE instrument_id = ?";
  return {
    newest: reader.query<never, [number, number, number, number]>(
      `${bars} AND date >= ? AND date < ? ORDER BY date DESC LIMIT ?`,
    ),
    newestCloses: reader.query<never, [number, number, number, number]>(
      `SELECT date, close FROM scaled_bars WHERE instrument_id = ?
       AND date >= ? AND date < ? ORDER BY date DESC LIMIT ?`,
    ),
    atOrBefore: reader.query<never, [number, number]>(
      `${bars} AND date <= ? ORDER BY date DESC LIMIT 1`,
    ),
    onOrAfter: reader.query<never, [number, number]>(`${bars} AND date >= ? ORDER BY date LIMIT 1`),
    history: reader.query<Provenance, [number]>(
      "SELECT source, stored_at AS storedAt FROM bar_histories WHERE instrument_id = ?",
    ),
    counted: reader.query<{ count: number }, [number, number, number]>(
      "SELECT count(*) AS count FROM scaled_bars WHERE instrument_id = ? AND date >= ? AND date < ?",
    ),
  };
}

function prepareWrites(writer: Database) {
  return {
    instrument: writer.query<
      { id: number; source: string | null; newest: number | null },
      [string, string]
    >(
      `SELECT id, bar_histories.source, (SELECT max(date) FROM scaled_bars WHERE instrument_id = id) AS newest
       FROM instruments LEFT JOIN bar_histories ON instrument_id = id WHERE country = ? AND symbol = ?`,
    ),
    putHistory: writer.query(
      `INSERT INTO bar_histories (instrument_id, source, stored_at) VALUES (?, ?, ?)
       ON CONFLICT (instrument_id) DO UPDATE SET source = excluded.source, stored_at = excluded.stored_at`,
    ),
    dropHistory: writer.query("DELETE FROM bar_histories WHERE instrument_id = ?"),
    putBar: writer.query<unknown, [number, number, number, number, number, number, number | null]>(
      `INSERT INTO scaled_bars (instrument_id, date, open, high, low, close, volume)
       VALUES (?, ?, ?, ?, ?, ?, ?)
       ${UPDATE_SAME_DATE}`,
    ),
  };
}

/** The daily bars of the market file, and the source of each instrument's bars. */
export class DailyBarStore {
  readonly #reads: ReturnType<typeof prepareReads>;
  readonly #writes: ReturnType<typeof prepareWrites>;
  readonly #writer: Database;

  constructor(reader: Database, writer: Database) {
    this.#reads = prepareReads(reader);
    this.#writes = prepareWrites(writer);
    this.#writer = writer;
  }

  /** The newest `limit` bars of a range as columns, oldest first; empty if there are none. */
  series(instrumentId: number, limit: number, range?: DateRange): BarSeries {
    const rows = this.#listRows(instrumentId, limit, range);
    const count = rows.length;
    const dates = Array.from({ length: count }, () => "");
    const [open, high, low, close, volume] = Array.from(
      { length: 5 },
      () => new Float64Array(count),
    ) as [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array];
    for (let i = 0; i < count; i++) {
      const row = rows[count - 1 - i] as BarRow;
      dates[i] = toDate(row[0]);
      open[i] = toPrice(row[1]);
      high[i] = toPrice(row[2]);
      low[i] = toPrice(row[3]);
      close[i] = toPrice(row[4]);
      volume[i] = row[5] ?? Number.NaN;
    }
    return { dates, open, high, low, close, volume };
  }

  /** The dates and closes of `series`, in half the time. */
  closes(
    instrumentId: number,
    limit: number,
    { from = FIRST_DATE, before = LAST_DATE }: DateRange = {},
  ): Pick<BarSeries, "dates" | "close"> {
    const rows = this.#reads.newestCloses
      .values(instrumentId, toNumber(from), toNumber(before), limit)
      .reverse() as [date: number, close: number][];
    return {
      dates: rows.map(([date]) => toDate(date)),
      close: Float64Array.from(rows, ([, close]) => toPrice(close)),
    };
  }

  /** The number of the instrument's bars, or of those since `from` and before `before`. */
  count(instrumentId: number, from = FIRST_DATE, before = LAST_DATE): number {
    const counted = this.#reads.counted.get(instrumentId, toNumber(from), toNumber(before));
    return counted?.count ?? 0;
  }

  /** At most `limit` of the newest bars, newest first. */
  listNewest(instrumentId: number, limit: number): DailyBar[] {
    return this.#listRows(instrumentId, limit).map(toBar);
  }

  /** The latest bar at or before the date, or null. */
  findAtOrBefore(instrumentId: number, date: string): DailyBar | null {
    const [row] = this.#reads.atOrBefore.values(instrumentId, toNumber(date)) as BarRow[];
    return row ? toBar(row) : null;
  }

  /** The first bar at or after the date, or null. */
  findOnOrAfter(instrumentId: number, date: string): DailyBar | null {
    const [row] = this.#reads.onOrAfter.values(instrumentId, toNumber(date)) as BarRow[];
    return row ? toBar(row) : null;
  }

  /** The source of the instrument's bars, or null if it has none. */
  findProvenance(instrumentId: number): Provenance | null {
    return this.#reads.history.get(instrumentId);
  }

  /** Like `putInSlices`, in one step. */
  put(records: Iterable<BarHistory>, provenance: Provenance): number {
    return runAtOnce(this.putInSlices(records, provenance));
  }

  /**
   * Stores histories; returns the number of bars. Bars that are all newer than the stored ones of the
   * same source are added. Any others are the whole history and replace it. A history stays unchanged
   * if it was imported, or if the new one is from another source and ends before it.
   */
  *putInSlices(records: Iterable<BarHistory>, provenance: Provenance): Slices<number> {
    let stored = 0;
    for (const record of records) {
      const { id, source, newest } = this.#getInstrument(record);
      if (source === IMPORT && provenance.source !== IMPORT) continue;
      const first = record.bars[0];
      const last = record.bars.at(-1);
      if (source !== provenance.source) {
        const reaches = newest === null || (last && toNumber(last.date) >= newest);
        if (!last || !reaches) continue;
      }
      const adds =
        source === provenance.source &&
        (first === undefined || (newest !== null && toNumber(first.date) > newest));
      if (!adds) this.#writes.dropHistory.run(id);
      stored += yield* this.#write(id, record.bars, provenance);
      yield;
    }
    return stored;
  }

  /** Like `replaceInSlices`, in one step. */
  replace(record: BarHistory, provenance: Provenance, options?: { keepsOthers?: boolean }): number {
    return runAtOnce(this.replaceInSlices(record, provenance, options));
  }

  /**
   * Replaces all bars of the instrument, from any source; with `keepsOthers` only those of the
   * same dates. Returns the number of bars.
   */
  *replaceInSlices(
    record: BarHistory,
    provenance: Provenance,
    { keepsOthers = false }: { keepsOthers?: boolean } = {},
  ): Slices<number> {
    const { id } = this.#getInstrument(record);
    if (!keepsOthers) this.#writes.dropHistory.run(id);
    return yield* this.#write(id, record.bars, provenance);
  }

  /**
   * Replaces all bars of some instruments by the bars that `fill` adds, in any order. Returns the
   * number of histories. Adding null adds a history without bars.
   *
   * The bars are first collected in a temporary table, which is not in memory, and then copied. The
   * market file is locked only during the copy, so this must not be called within `transaction`.
   * With `keepsOthers` only bars of the same dates are replaced. With `isDryRun` the copy is undone.
   *
   * @throws BourseError `invalid_argument` with both places of a date that was added twice
   */
  replaceAll(
    fill: (add: (instrumentId: number, bar: DailyBar | null, place: Place) => void) => void,
    provenance: Provenance,
    { keepsOthers = false, isDryRun = false } = {},
  ): number {
    this.#writer.run(STAGED);
    const files: string[] = [];
    let histories = 0;
    try {
      const { ids, isOrdered } = this.#stage(fill, files);
      histories = ids.size;
      this.#writer
        .transaction(() => {
          if (keepsOthers) this.#refuseDuplicates(files);
          this.#copyStaged(ids, { isOrdered, keepsOthers, provenance });
          if (isDryRun) throw DRY_RUN_DONE;
        })
        .immediate();
      return histories;
    } catch (error) {
      if (error === DRY_RUN_DONE) return histories;
      if (error instanceof SQLiteError && error.code === "SQLITE_CONSTRAINT_PRIMARYKEY") {
        this.#refuseDuplicates(files);
      }
      throw error;
    } finally {
      this.#writer.run("DROP TABLE temp.staged_bars");
    }
  }

  #stage(fill: Parameters<DailyBarStore["replaceAll"]>[0], files: string[]) {
    const stage = this.#writer.query(stageRows(ROWS_PER_INSERT));
    const ids = new Set<number>();
    let waiting: (number | null)[] = [];
    // Sorting rows that are already in order would take a tenth of the whole import.
    let isOrdered = true;
    let [lastId, lastDate, file] = [0, 0, -1];
    this.#writer.transaction(() => {
      fill((id, bar, { within, number }) => {
        if (id !== lastId) ids.add(id);
        if (files[file] !== within) {
          file = files.indexOf(within);
          if (file === -1) file = files.push(within) - 1;
        }
        if (!bar) return;
        const [date, open, high, low, close, volume] = columnsOf(bar);
        isOrdered &&= id > lastId || (id === lastId && date > lastDate);
        [lastId, lastDate] = [id, date];
        waiting.push(id, date, open, high, low, close, volume, file, number);
        if (waiting.length < ROWS_PER_INSERT * STAGED_COLUMNS) return;
        stage.run(...waiting);
        waiting = [];
      });
      if (waiting.length > 0) {
        this.#writer.query(stageRows(waiting.length / STAGED_COLUMNS)).run(...waiting);
      }
    })();
    return { ids, isOrdered };
  }

  #copyStaged(
    ids: ReadonlySet<number>,
    how: { isOrdered: boolean; keepsOthers: boolean; provenance: Provenance },
  ): void {
    const { isOrdered, keepsOthers, provenance } = how;
    for (const id of ids) {
      if (!keepsOthers) this.#writes.dropHistory.run(id);
      this.#writes.putHistory.run(id, provenance.source, provenance.storedAt);
    }
    // Without `WHERE true` SQLite reads ON CONFLICT as the condition of a join.
    this.#writer.run(
      `INSERT INTO scaled_bars SELECT instrument_id, date, open, high, low, close, volume
       FROM staged_bars WHERE true ORDER BY ${isOrdered ? "rowid" : "instrument_id, date"}
       ${keepsOthers ? UPDATE_SAME_DATE : ""}`,
    );
  }

  /** @throws BourseError with both places of a date that was staged twice for one instrument */
  #refuseDuplicates(files: readonly string[]): void {
    const twice = this.#writer.query<StagedDuplicate, []>(FIRST_DUPLICATE).get();
    if (!twice) return;
    const place = { within: files[twice.file] ?? "", number: twice.number };
    const earlier = { within: files[twice.earlierFile] ?? "", number: twice.earlierNumber };
    throw new BourseError(
      "invalid_argument",
      `${formatPlace(place)}: date ${toDate(twice.date)} appears here and in ${formatPlace(earlier)}`,
    );
  }

  /** Newest first. */
  #listRows(
    instrumentId: number,
    limit: number,
    { from = FIRST_DATE, before = LAST_DATE }: DateRange = {},
  ): BarRow[] {
    return this.#reads.newest.values(
      instrumentId,
      toNumber(from),
      toNumber(before),
      limit,
    ) as BarRow[];
  }

  #getInstrument(record: BarHistory) {
    const instrument = this.#writes.instrument.get(record.country, record.symbol);
    if (!instrument) {
      throw new BourseError("not_found", `${record.symbol} is not known in ${record.country}.`);
    }
    return instrument;
  }

  *#write(id: number, bars: Iterable<DailyBar>, provenance: Provenance): Slices<number> {
    this.#writes.putHistory.run(id, provenance.source, provenance.storedAt);
    return yield* eachInSlices(bars, BARS_PER_SLICE, (bar) =>
      this.#writes.putBar.run(id, ...columnsOf(bar)),
    );
  }
}
