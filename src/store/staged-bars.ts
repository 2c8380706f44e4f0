import type { Database } from "bun:sqlite";
import type { BarHistory, BarRun, DailyBar } from "#domain/daily-bar.ts";
import { invalidArgument } from "#domain/errors.ts";
import type { InstrumentKey } from "#domain/instrument.ts";
import { formatPlace, type Place } from "#domain/records.ts";
import { toDate, toNumber } from "./bar-rows.ts";

type StagedInstrument = InstrumentKey & { readonly id: number };

/** Adds a bar of an instrument; null adds a history without bars. */
export type AddBar = (instrument: StagedInstrument, bar: DailyBar | null, place: Place) => void;

/** Adds the bars of a run from one index to another, which is not included. */
export type AddRun = (instrument: StagedInstrument, run: BarRun, from: number, to: number) => void;

/** The numbers of a staged bar: its date, prices and volume, the file and the place in it, and its position among all. */
const STRIDE = 9;
const [DATE, OPEN, HIGH, LOW, CLOSE, VOLUME, FILE, NUMBER, POSITION] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8,
] as const;
/** The bars of one instrument in a row of the table. A statement per bar would take ten times as long. */
const MOST_PER_ROW = 256;
const FIRST_CAPACITY = 64;
/** The bars in memory before they are written to the table: 18 MB. */
const MOST_WAITING = 250_000;

/** The staged bars of an instrument that are not in the table yet. */
interface Waiting {
  readonly id: number;
  values: Float64Array;
  /** The number of bars in `values`. */
  count: number;
}

const numberAt = (numbers: ArrayLike<number>, at: number): number => numbers[at] as number;

/** Two staged bars of one instrument and date: where their values begin. */
interface Twins {
  readonly values: Float64Array;
  readonly first: number;
  readonly later: number;
}

/**
 * Bars in a temporary table of a connection, many of one instrument in each row. A connection has one at a time;
 * disposing removes it.
 */
export class StagedBars {
  readonly #writer: Database;
  readonly #files: string[] = [];
  readonly #instruments = new Map<number, InstrumentKey>();
  readonly #waiting = new Map<number, Waiting>();
  #waitingBars = 0;
  #position = 0;
  #last: Waiting = { id: Number.NaN, values: new Float64Array(), count: 0 };
  #lastDate = 0;
  /** True if the last bar has the date of the one before. */
  #isTwin = false;
  /** The index of the last file's name. */
  #file = -1;

  /** Creates the table and fills it. If `fill` throws, there is no table. */
  constructor(writer: Database, fill: (add: AddBar, addRun: AddRun) => void) {
    this.#writer = writer;
    writer.run("CREATE TEMP TABLE staged_bars (instrument_id INTEGER, bars BLOB)");
    try {
      writer.transaction(() => {
        fill(
          (...bar) => this.#add(...bar),
          (...run) => this.#addRun(...run),
        );
        this.#flush();
      })();
      writer.run("CREATE INDEX temp.staged_instruments ON staged_bars (instrument_id)");
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
    const empty: InstrumentKey[] = [];
    for (const id of [...this.#instruments.keys()].sort((a, b) => a - b)) {
      const key = this.#instruments.get(id) as InstrumentKey;
      const values = this.#read(id);
      if (values.length === 0) empty.push(key);
      else yield { ...key, bars: toBars(values, this.#inOrder(values)) };
    }
    for (const key of empty) yield { ...key, bars: [] };
  }

  #add(instrument: StagedInstrument, bar: DailyBar | null, { within, number }: Place): void {
    const waiting = this.#waitingOf(instrument);
    this.#useFile(within);
    if (bar === null) return;
    const at = this.#place(waiting, toNumber(bar.date), number);
    const { values } = waiting;
    values[at + OPEN] = bar.open;
    values[at + HIGH] = bar.high;
    values[at + LOW] = bar.low;
    values[at + CLOSE] = bar.close;
    values[at + VOLUME] = bar.volume ?? Number.NaN;
    this.#writeFull(waiting);
  }

  #addRun(instrument: StagedInstrument, run: BarRun, from: number, to: number): void {
    this.#useFile(run.within);
    const { dates, open, high, low, close, volume, firstNumber } = run;
    for (let i = from; i < to; i++) {
      // The previous bar may have caused a flush.
      const waiting = this.#waitingOf(instrument);
      const at = this.#place(waiting, numberAt(dates, i), firstNumber + i);
      const { values } = waiting;
      values[at + OPEN] = numberAt(open, i);
      values[at + HIGH] = numberAt(high, i);
      values[at + LOW] = numberAt(low, i);
      values[at + CLOSE] = numberAt(close, i);
      values[at + VOLUME] = numberAt(volume, i);
      this.#writeFull(waiting);
    }
  }

  #waitingOf({ id, country, symbol }: StagedInstrument): Waiting {
    if (id === this.#last.id) return this.#last;
    if (!this.#instruments.has(id)) this.#instruments.set(id, { country, symbol });
    const known = this.#waiting.get(id);
    const waiting = known ?? { id, values: new Float64Array(STRIDE * FIRST_CAPACITY), count: 0 };
    if (!known) this.#waiting.set(id, waiting);
    [this.#last, this.#lastDate] = [waiting, 0];
    return waiting;
  }

  #useFile(within: string): void {
    if (this.#files[this.#file] === within) return;
    this.#file = this.#files.indexOf(within);
    if (this.#file === -1) this.#file = this.#files.push(within) - 1;
  }

  /** Adds a bar with its date and place, without its figures; returns where its values begin. */
  #place(waiting: Waiting, date: number, number: number | null): number {
    if (waiting.count * STRIDE === waiting.values.length) {
      const longer = new Float64Array(2 * waiting.values.length);
      longer.set(waiting.values);
      waiting.values = longer;
    }
    const { values } = waiting;
    const at = waiting.count++ * STRIDE;
    values[at + DATE] = date;
    values[at + FILE] = this.#file;
    values[at + NUMBER] = number ?? Number.NaN;
    values[at + POSITION] = this.#position++;
    this.#waitingBars++;
    this.#isTwin = date === this.#lastDate;
    this.#lastDate = date;
    return at;
  }

  /** Writes what is full after a bar was added. */
  #writeFull(waiting: Waiting): void {
    const isTwin = this.#isTwin;
    if (waiting.count === MOST_PER_ROW) this.#write(waiting);
    if (isTwin || this.#waitingBars === MOST_WAITING) this.#flush();
    // A file of millions of rows of one date is refused before it is read to its end.
    if (isTwin) this.#refuseTwins();
  }

  #flush(): void {
    for (const waiting of this.#waiting.values()) this.#write(waiting);
    this.#waiting.clear();
    this.#last = { ...this.#last, id: Number.NaN };
  }

  #write(waiting: Waiting): void {
    if (waiting.count === 0) return;
    const { id, values, count } = waiting;
    this.#writer
      .query("INSERT INTO staged_bars VALUES (?, ?)")
      .run(id, new Uint8Array(values.buffer, 0, count * STRIDE * values.BYTES_PER_ELEMENT));
    this.#waitingBars -= count;
    waiting.count = 0;
  }

  /** The values of an instrument's bars in the order in which they were added. */
  #read(id: number): Float64Array {
    const rows = this.#writer
      .query<{ bars: Uint8Array }, [number]>(
        "SELECT bars FROM staged_bars WHERE instrument_id = ? ORDER BY rowid",
      )
      .all(id);
    const bytes = new Uint8Array(rows.reduce((sum, { bars }) => sum + bars.length, 0));
    let at = 0;
    for (const { bars } of rows) {
      bytes.set(bars, at);
      at += bars.length;
    }
    return new Float64Array(bytes.buffer);
  }

  /** The places of the bars among the values, by date; null if that is their order. @throws BourseError for twins */
  #inOrder(values: Float64Array): Uint32Array | null {
    let isOrdered = true;
    for (let at = STRIDE; at < values.length && isOrdered; at += STRIDE)
      isOrdered = numberAt(values, at + DATE) > numberAt(values, at - STRIDE + DATE);
    if (isOrdered) return null;
    const order = new Uint32Array(values.length / STRIDE).map((_, i) => i * STRIDE);
    order.sort((a, b) => numberAt(values, a + DATE) - numberAt(values, b + DATE));
    const isTwice = order.some((at, i) => i > 0 && values[at] === values[order[i - 1] ?? 0]);
    if (isTwice) this.#refuseTwins();
    return order;
  }

  /** @throws BourseError for the first bar that was added with the instrument and the date of an earlier one */
  #refuseTwins(): void {
    let found: Twins | null = null;
    for (const id of this.#instruments.keys()) {
      const values = this.#read(id);
      const firsts = new Map<number, number>();
      for (let at = 0; at < values.length; at += STRIDE) {
        const first = firsts.get(numberAt(values, at + DATE));
        if (first === undefined) firsts.set(numberAt(values, at + DATE), at);
        else {
          const isEarlier =
            !found ||
            numberAt(values, at + POSITION) < numberAt(found.values, found.later + POSITION);
          if (isEarlier) found = { values, first, later: at };
          break;
        }
      }
    }
    if (!found) return;
    const { values, first, later } = found;
    const placeOf = (at: number) => {
      const number = numberAt(values, at + NUMBER);
      const within = this.#files[numberAt(values, at + FILE)] ?? "";
      return formatPlace({ within, number: Number.isNaN(number) ? null : number });
    };
    throw invalidArgument(
      `${placeOf(later)}: date ${toDate(numberAt(values, later + DATE))} appears here and in ${placeOf(first)}`,
    );
  }

  [Symbol.dispose](): void {
    this.#writer.run("DROP TABLE temp.staged_bars");
  }
}

/** The bars of staged values, in that order if it is given. */
function toBars(values: Float64Array, order: Uint32Array | null): DailyBar[] {
  const bars: DailyBar[] = [];
  for (let i = 0; i < values.length / STRIDE; i++) {
    const at = order ? numberAt(order, i) : i * STRIDE;
    const volume = numberAt(values, at + VOLUME);
    bars.push({
      date: toDate(numberAt(values, at + DATE)),
      open: numberAt(values, at + OPEN),
      high: numberAt(values, at + HIGH),
      low: numberAt(values, at + LOW),
      close: numberAt(values, at + CLOSE),
      volume: Number.isNaN(volume) ? null : volume,
    });
  }
  return bars;
}
