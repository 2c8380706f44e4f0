import type { Database } from "bun:sqlite";
import { priceDateOf } from "#domain/country.ts";
import type { BarHistory, BarSeries, DailyBar } from "#domain/daily-bar.ts";
import { notFound } from "#domain/errors.ts";
import { IMPORT, type Provenance } from "#domain/records.ts";
import { adjustBar, inNewShares, perNewShare } from "#domain/split-adjustment.ts";
import { type BarSum, hashRow, sumRows } from "./bar-checksums.ts";
import { type BarRow, putRow, toBar, toDate, toNumber, toPrice } from "./bar-rows.ts";
import type { KnownDay } from "./known-day.ts";
import { StoredSplits } from "./stored-splits.ts";
import { type AddBar, type AddRun, StagedBars } from "./staged-bars.ts";

/** Dates from `from` (inclusive) to `before` (exclusive); a side that is absent is open. */
interface DateRange {
  readonly from?: string | undefined;
  readonly before?: string | undefined;
}

type CloseRow = [date: number, close: number];

const FIRST_DATE = "0000-00-00";
const LAST_DATE = "9999-99-99";

/** Rows that one statement inserts. One statement per row would take half as long again. */
const ROWS_PER_INSERT = 50;
const VALUES_PER_ROW = 7;

const putBars = (count: number): string =>
  `INSERT INTO scaled_bars (instrument_id, date, open, high, low, close, volume)
   VALUES ${Array.from({ length: count }, () => "(?, ?, ?, ?, ?, ?, ?)").join(", ")}
   ON CONFLICT (instrument_id, date) DO UPDATE SET open = excluded.open, high = excluded.high,
     low = excluded.low, close = excluded.close, volume = excluded.volume`;

/** A statement with a list of values. Bun binds a list without a copy, but its types know only separate values. */
interface ListStatement {
  readonly run: (values: readonly (number | null)[]) => unknown;
}

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
    // The outer loop must be over the days: SQLite cannot know that they are few.
    closesBefore: reader.query<never, [id: number, from: number, days: string]>(
      `SELECT bars.date, bars.close FROM json_each(?3) AS day CROSS JOIN scaled_bars AS bars
       WHERE bars.instrument_id = ?1 AND bars.date = (SELECT date FROM scaled_bars
         WHERE instrument_id = ?1 AND date >= ?2 AND date < day.value ORDER BY date DESC LIMIT 1)`,
    ),
    atOrBefore: reader.query<never, [number, number]>(
      `${bars} AND date <= ? ORDER BY date DESC LIMIT 1`,
    ),
    onOrAfter: reader.query<never, [number, number, number]>(
      `${bars} AND date >= ? AND date < ? ORDER BY date LIMIT 1`,
    ),
    history: reader.query<Provenance, [number]>(
      "SELECT source, stored_at AS storedAt FROM bar_histories WHERE instrument_id = ?",
    ),
    historyUntil: reader.query<Provenance, [id: number, before: number]>(
      `SELECT source, stored_at AS storedAt FROM bar_histories WHERE instrument_id = ?1
       AND EXISTS (SELECT 1 FROM scaled_bars WHERE instrument_id = ?1 AND date < ?2)`,
    ),
    sum: reader.query<{ sum: string }, [number]>(
      `SELECT concat_ws(' ', instrument_id, bars, coalesce(checksum, stored_at)) AS sum
       FROM bar_histories JOIN bar_checksums USING (instrument_id) WHERE instrument_id = ?`,
    ),
    sumUntil: reader.query<{ sum: string }, [number, number]>(
      `SELECT concat_ws(' ', count(*), max(date), total(open), total(high), total(low), total(close)) AS sum
       FROM scaled_bars WHERE instrument_id = ? AND date < ?`,
    ),
    counted: reader.query<{ count: number }, [number, number, number]>(
      "SELECT count(*) AS count FROM scaled_bars WHERE instrument_id = ? AND date >= ? AND date < ?",
    ),
  };
}

function prepareWrites(writer: Database) {
  return {
    instrument: writer.query<
      { id: number; source: string | null; sharesAsOf: string | null; newest: number | null },
      [string, string]
    >(
      `SELECT id, bar_histories.source, bar_histories.shares_as_of AS sharesAsOf, (SELECT max(date) FROM scaled_bars WHERE instrument_id = id) AS newest
       FROM instruments LEFT JOIN bar_histories ON instrument_id = id WHERE country = ? AND symbol = ?`,
    ),
    putHistory: writer.query(
      `INSERT INTO bar_histories (instrument_id, source, stored_at, shares_as_of) VALUES (?, ?, ?, ?)
       ON CONFLICT (instrument_id) DO UPDATE SET source = excluded.source,
         stored_at = excluded.stored_at, shares_as_of = max(shares_as_of, excluded.shares_as_of)`,
    ),
    bars: writer.query<never, [number]>(
      "SELECT date, open, high, low, close, volume FROM scaled_bars WHERE instrument_id = ? ORDER BY date",
    ),
    dropHistory: writer.query("DELETE FROM bar_histories WHERE instrument_id = ?"),
    putBars: writer.query(putBars(ROWS_PER_INSERT)) as unknown as ListStatement,
    addSum: writer.query<unknown, [number, number, number]>(
      `INSERT INTO bar_checksums VALUES (?, ?, ?) ON CONFLICT (instrument_id) DO UPDATE SET
         bars = bars + excluded.bars, checksum = checksum + excluded.checksum`,
    ),
    putSum: writer.query<unknown, [number, number, number]>(
      "INSERT OR REPLACE INTO bar_checksums VALUES (?, ?, ?)",
    ),
  };
}

/**
 * The daily bars of the market file in today's shares, and the source of each instrument's bars. Or the bars that were
 * known on a day, in the shares of that day.
 */
export class DailyBarStore {
  readonly #reads: ReturnType<typeof prepareReads>;
  readonly #writes: ReturnType<typeof prepareWrites>;
  readonly #writer: Database;
  readonly #splits: StoredSplits;
  /** All splits that are stored, also within the running transaction. */
  readonly #writtenSplits: StoredSplits;
  /** Later rows are not read: the number after the last date. */
  readonly #end: number;
  readonly #isDated: boolean;

  constructor(
    reader: Database,
    writer: Database,
    splits: StoredSplits,
    known: KnownDay | null = null,
  ) {
    this.#end = toNumber(known?.day ?? LAST_DATE) + 1;
    this.#isDated = known !== null;
    this.#splits = splits;
    this.#writtenSplits = new StoredSplits(writer, null);
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
    const ratio = this.#splits.ratioOfBars(instrumentId);
    for (let i = 0; i < count; i++) {
      const row = rows[count - 1 - i] as BarRow;
      dates[i] = toDate(row[0]);
      open[i] = perNewShare(toPrice(row[1]), ratio);
      high[i] = perNewShare(toPrice(row[2]), ratio);
      low[i] = perNewShare(toPrice(row[3]), ratio);
      close[i] = perNewShare(toPrice(row[4]), ratio);
      volume[i] = inNewShares(row[5], ratio) ?? Number.NaN;
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
      .values(instrumentId, toNumber(from), this.#upTo(before), limit)
      .reverse() as CloseRow[];
    return this.#toCloses(instrumentId, rows);
  }

  /** The last close before each of these days, none before `from`; each once, oldest first. */
  closesBefore(
    instrumentId: number,
    from: string,
    days: readonly string[],
  ): Pick<BarSeries, "dates" | "close"> {
    const sorted = Float64Array.from(new Set(days), (day) => this.#upTo(day)).sort();
    const text = `[${sorted.join()}]`;
    const rows = this.#reads.closesBefore.values(instrumentId, toNumber(from), text) as CloseRow[];
    return this.#toCloses(
      instrumentId,
      rows.filter(([date], i) => date !== rows[i - 1]?.[0]),
    );
  }

  #toCloses(instrumentId: number, rows: readonly CloseRow[]): Pick<BarSeries, "dates" | "close"> {
    const ratio = this.#splits.ratioOfBars(instrumentId);
    return {
      dates: rows.map(([date]) => toDate(date)),
      close: Float64Array.from(rows, ([, close]) => perNewShare(toPrice(close), ratio)),
    };
  }

  /** The number of the instrument's bars, or of those since `from` and before `before`. */
  count(instrumentId: number, from = FIRST_DATE, before = LAST_DATE): number {
    const counted = this.#reads.counted.get(instrumentId, toNumber(from), this.#upTo(before));
    return counted?.count ?? 0;
  }

  /** At most `limit` of the newest bars, newest first. */
  listNewest(instrumentId: number, limit: number): DailyBar[] {
    const ratio = this.#splits.ratioOfBars(instrumentId);
    return this.#listRows(instrumentId, limit).map((row) => toNewBar(row, ratio));
  }

  /** The latest bar at or before the date, or null. */
  findAtOrBefore(instrumentId: number, date: string): DailyBar | null {
    const until = Math.min(toNumber(date), this.#end - 1);
    const [row] = this.#reads.atOrBefore.values(instrumentId, until) as BarRow[];
    return row ? toNewBar(row, this.#splits.ratioOfBars(instrumentId)) : null;
  }

  /** The first bar, or the first one at or after a date; null if there is none. */
  findOnOrAfter(instrumentId: number, date = FIRST_DATE): DailyBar | null {
    const [row] = this.#reads.onOrAfter.values(instrumentId, toNumber(date), this.#end) as BarRow[];
    return row ? toNewBar(row, this.#splits.ratioOfBars(instrumentId)) : null;
  }

  /** The source of the instrument's bars, or null if it has none. */
  findProvenance(instrumentId: number): Provenance | null {
    return this.#isDated
      ? this.#reads.historyUntil.get(instrumentId, this.#end)
      : this.#reads.history.get(instrumentId);
  }

  /** A text that is equal only as long as the stored bars of the instrument are; empty without a history. */
  fingerprint(instrumentId: number): string {
    // Later bars change no figure of a past day.
    if (this.#isDated) return this.#reads.sumUntil.get(instrumentId, this.#end)?.sum ?? "";
    return this.#reads.sum.get(instrumentId)?.sum ?? "";
  }

  /**
   * Stores histories; returns the number of bars. Bars that are all newer than the stored ones of the
   * same source are added. Any others are the whole history and replace it. A history stays unchanged
   * if it was imported, or if the new one is from another source and ends before it.
   */
  put(records: Iterable<BarHistory>, provenance: Provenance): number {
    let stored = 0;
    for (const record of records) {
      const { id, source, sharesAsOf, newest } = this.#getInstrument(record);
      if (source === IMPORT && provenance.source !== IMPORT) continue;
      const first = record.bars[0];
      const last = record.bars.at(-1);
      if (source !== provenance.source) {
        const reaches = newest === null || (last && toNumber(last.date) >= newest);
        if (!last || !reaches) continue;
      }
      const adds =
        source === provenance.source &&
        !record.isWhole &&
        (first === undefined || (newest !== null && toNumber(first.date) > newest));
      if (!adds) this.#writes.dropHistory.run(id);
      stored += this.#write(id, record, provenance, { sharesAsOfOthers: adds ? sharesAsOf : null });
    }
    return stored;
  }

  /**
   * Replaces all bars of the instrument, from any source; with `keepsOthers` only bars of the
   * same dates. Returns the number of bars.
   */
  replace(
    record: BarHistory,
    provenance: Provenance,
    { keepsOthers = false }: { keepsOthers?: boolean } = {},
  ): number {
    const { id, sharesAsOf } = this.#getInstrument(record);
    if (!keepsOthers) this.#writes.dropHistory.run(id);
    return this.#write(id, record, provenance, {
      sharesAsOfOthers: keepsOthers ? sharesAsOf : null,
      replaces: keepsOthers,
    });
  }

  /**
   * Collects the bars that `fill` adds, of any instruments in any order, in a temporary table, which is
   * not in memory. The market file is not locked. Adding null adds a history without bars.
   */
  stage(fill: (add: AddBar, addRun: AddRun) => void): StagedBars {
    return new StagedBars(this.#writer, fill);
  }

  /** The number of a date before which rows are read. */
  #upTo(before: string): number {
    return Math.min(toNumber(before), this.#end);
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
      this.#upTo(before),
      limit,
    ) as BarRow[];
  }

  #getInstrument(record: BarHistory) {
    const instrument = this.#writes.instrument.get(record.country, record.symbol);
    if (!instrument) {
      throw notFound(`${record.symbol} is not known in ${record.country}.`);
    }
    return instrument;
  }

  /**
   * Stores bars beside the instrument's other ones. `sharesAsOfOthers` is the day in whose shares those are;
   * null if there are none. `replaces`: some may have the same dates.
   */
  #write(
    id: number,
    record: BarHistory,
    { source, storedAt }: Provenance,
    {
      sharesAsOfOthers: others,
      replaces = false,
    }: { sharesAsOfOthers: string | null; replaces?: boolean },
  ): number {
    const newest = record.bars.at(-1)?.date ?? "";
    const sharesAsOf =
      record.sharesAsOf ?? (source === IMPORT ? priceDateOf(record.country, storedAt) : newest);
    // A split between the two: all bars of a history are in the same shares.
    const ratio =
      others === null ? 1 : this.#writtenSplits.ratiosOf(record, sharesAsOf).prices(others);
    if (ratio !== 1) {
      const rows = this.#writes.bars.values(id) as BarRow[];
      this.#writeBars(
        id,
        rows.map((row) => toNewBar(row, ratio)),
      );
    }
    this.#writes.putHistory.run(id, source, storedAt, sharesAsOf);
    const added = this.#writeBars(id, record.bars);
    if (ratio === 1 && !replaces) this.#writes.addSum.run(id, added.bars, added.checksum);
    else {
      const all = sumRows(this.#writes.bars.values(id) as BarRow[]);
      this.#writes.putSum.run(id, all.bars, all.checksum);
    }
    return added.bars;
  }

  #writeBars(id: number, records: Iterable<DailyBar>): BarSum {
    let [bars, checksum, at] = [0, 0, 0];
    // One list for all statements: a new one for each would be most of the garbage of an import.
    const values: (number | null)[] = Array.from(
      { length: ROWS_PER_INSERT * VALUES_PER_ROW },
      () => 0,
    );
    for (const bar of records) {
      values[at] = id;
      putRow(values, at + 1, bar);
      checksum += hashRow(values, at + 1);
      at += VALUES_PER_ROW;
      bars++;
      if (at < values.length) continue;
      this.#writes.putBars.run(values);
      at = 0;
    }
    if (at > 0) this.#writer.query(putBars(at / VALUES_PER_ROW)).run(...values.slice(0, at));
    return { bars, checksum };
  }
}

/** The bar of a row after a split of `ratio` new shares for one. */
function toNewBar(row: BarRow, ratio: number): DailyBar {
  const bar = toBar(row);
  return ratio === 1 ? bar : adjustBar(bar, ratio);
}
