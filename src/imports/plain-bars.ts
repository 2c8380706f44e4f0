import type { BarRun, DailyBar } from "#domain/daily-bar.ts";
import { Price, Volume } from "#domain/schema.ts";

const { minimum: LEAST_PRICE = 0, maximum: MOST_PRICE = 0 } = Price;
const { maximum: MOST_VOLUME = 0 } = Volume;
/** The names of the columns of bars. */
export const BAR_COLUMNS = [
  "country",
  "symbol",
  "date",
  "open",
  "high",
  "low",
  "close",
  "volume",
] as const;

/** The cells of a row of bars, before the general checks. */
interface PlainBar<R> {
  readonly record: R;
  readonly entry: DailyBar;
}

/**
 * Reads rows of bars that look like rows that were read before: a known instrument, a known date,
 * plain numbers within the bounds of a bar. Most of a million rows do, and the general reader takes three
 * times as long for each. `read` returns null for any other row; if the general reader accepts it, pass it
 * to `learn`. `header` has the positions of the columns; `width` is the number of cells.
 */
export class PlainBarReader<R> {
  readonly #at: readonly number[];
  readonly #width: number;
  readonly #records = new Map<string, R>();
  readonly #dates = new Set<string>();
  /** The instrument of the previous row; the next row usually has the same one. */
  #last: { readonly country: string; readonly symbol: string; readonly record: R } | null = null;

  constructor(header: ReadonlyMap<string, number>, width: number) {
    this.#at = BAR_COLUMNS.map((name) => header.get(name) ?? -1);
    this.#width = width;
  }

  /** The bar of a row, or null if the general reader must read the row. */
  read(cells: readonly string[]): PlainBar<R> | null {
    const [country = -1, symbol = -1, at = -1, o = -1, h = -1, l = -1, c = -1, v = -1] = this.#at;
    if (cells.length !== this.#width) return null;
    const date = cells[at] ?? "";
    const record = this.#recordOf(cells[country] ?? "", cells[symbol] ?? "");
    if (record === undefined || !this.#dates.has(date)) return null;
    const open = plainNumber(cells[o] ?? "");
    const high = plainNumber(cells[h] ?? "");
    const low = plainNumber(cells[l] ?? "");
    const close = plainNumber(cells[c] ?? "");
    const written = cells[v] ?? "";
    const volume = written === "" ? null : plainNumber(written);
    // Every comparison with NaN is false.
    const isBar =
      low >= LEAST_PRICE &&
      high <= MOST_PRICE &&
      high >= open &&
      high >= close &&
      low <= open &&
      low <= close &&
      (volume === null || volume <= MOST_VOLUME);
    return isBar ? { record, entry: { date, open, high, low, close, volume } } : null;
  }

  #recordOf(country: string, symbol: string): R | undefined {
    if (this.#last?.symbol === symbol && this.#last.country === country) return this.#last.record;
    const record = this.#records.get(`${country} ${symbol}`);
    if (record !== undefined) this.#last = { country, symbol, record };
    return record;
  }

  /** Remembers the instrument and the date of a row that the general reader accepted. */
  learn(cells: readonly string[], record: R, date: string): void {
    const [country = -1, symbol = -1, at = -1] = this.#at;
    this.#records.set(`${cells[country]} ${cells[symbol]}`, record);
    if (cells[at] === date) this.#dates.add(date);
  }
}

/** The bars of a run at most. */
export const MOST_IN_RUN = 4_096;

/** A run without rows, whose columns a reader overwrites with each run. */
export function createRun(within: string) {
  const column = () => new Float64Array(MOST_IN_RUN);
  return {
    within,
    firstNumber: 0,
    count: 0,
    dates: new Int32Array(MOST_IN_RUN),
    open: column(),
    high: column(),
    low: column(),
    close: column(),
    volume: column(),
  };
}

/** True if the figures of a run at that index are within the bounds of a bar; it may have no volume. */
export function isPlainBar({ open, high, low, close, volume }: BarRun, i: number): boolean {
  const least = low[i] as number;
  const most = high[i] as number;
  const traded = volume[i] as number;
  // Every comparison with NaN is false.
  return (
    least >= LEAST_PRICE &&
    most <= MOST_PRICE &&
    most >= (open[i] as number) &&
    most >= (close[i] as number) &&
    least <= (open[i] as number) &&
    least <= (close[i] as number) &&
    !(traded < 0 || traded > MOST_VOLUME)
  );
}
/** A longer row is no plain one. */
const LONGEST_ROW = 1_000;
const [DIGIT_0, DIGIT_9, POINT, QUOTE, LINE_FEED, CARRIAGE_RETURN] = [
  0x30, 0x39, 0x2e, 0x22, 0x0a, 0x0d,
] as const;
/** What `#number` returns for an empty cell. No price is below zero. */
const EMPTY = -1;

/**
 * Reads rows as `PlainBarReader` does, from the text itself and as columns: a run is consecutive rows of one
 * instrument. It makes no object for a row.
 */
export class PlainRunReader<R> {
  /** The name of each column of the file; null for one that is not read. */
  readonly #columns: readonly ((typeof BAR_COLUMNS)[number] | null)[];
  readonly #delimiter: number;
  readonly #records = new Map<string, R>();
  readonly #dates = new Set<number>();
  readonly #run;
  /** The instrument of the run. */
  #country = "";
  #symbol = "";
  #record: R | null = null;
  /** The position in the text, and the values of the row that is read. */
  #at = 0;
  readonly #row = { date: 0, open: 0, high: 0, low: 0, close: 0, volume: 0 };

  /** `header` has the positions of the columns; `width` is the number of cells. */
  constructor(
    header: ReadonlyMap<string, number>,
    { width, delimiter, within }: { width: number; delimiter: string; within: string },
  ) {
    this.#columns = Array.from(
      { length: width },
      (_, at) => BAR_COLUMNS.find((name) => header.get(name) === at) ?? null,
    );
    this.#delimiter = delimiter.charCodeAt(0);
    this.#run = createRun(within);
  }

  /** The rows that were taken last, and the record of their instrument. */
  get taken(): { readonly run: BarRun; readonly record: R } {
    return { run: this.#run, record: this.#record as R };
  }

  /** Remembers the instrument and the date of a row that the general reader accepted. */
  learn(cells: readonly string[], record: R, date: string): void {
    const cellOf = (name: (typeof BAR_COLUMNS)[number]) => cells[this.#columns.indexOf(name)] ?? "";
    this.#records.set(`${cellOf("country")} ${cellOf("symbol")}`, record);
    if (cellOf("date") === date) this.#dates.add(Number(date.replaceAll("-", "")));
  }

  /** Takes plain rows from a position on, the first one on that line. Null if the row there is not a plain one. */
  take(text: string, at: number, line: number): { end: number; lines: number } | null {
    const run = this.#run;
    run.firstNumber = line;
    run.count = 0;
    this.#at = at;
    let end = at;
    while (run.count < MOST_IN_RUN && this.#readRow(text)) {
      const { date, open, high, low, close, volume } = this.#row;
      const i = run.count++;
      run.dates[i] = date;
      run.open[i] = open;
      run.high[i] = high;
      run.low[i] = low;
      run.close[i] = close;
      run.volume[i] = volume === EMPTY ? Number.NaN : volume;
      end = this.#at;
    }
    return run.count === 0 ? null : { end, lines: run.count };
  }

  /** Reads the row at the position and its line break; false if the general reader must read it. */
  #readRow(text: string): boolean {
    const row = this.#row;
    const start = this.#at;
    row.volume = EMPTY;
    for (let i = 0; i < this.#columns.length; i++) {
      const name = this.#columns[i] ?? null;
      if (i > 0 && text.charCodeAt(this.#at++) !== this.#delimiter) return false;
      if (name === null) {
        if (!this.#skip(text, start)) return false;
      } else if (name === "date") {
        row.date = this.#date(text);
        if (!this.#dates.has(row.date)) return false;
      } else if (name === "country" || name === "symbol") {
        if (this.#isSame(text, name === "country" ? this.#country : this.#symbol)) continue;
        if (this.#run.count > 0 || !this.#useInstrument(text, start)) return false;
        this.#at = start;
        return this.#readRow(text);
      } else {
        const value = this.#number(text);
        if (Number.isNaN(value) || (value === EMPTY && name !== "volume")) return false;
        row[name] = value;
      }
    }
    const { open, high, low, close, volume } = row;
    return (
      this.#endLine(text) &&
      low >= LEAST_PRICE &&
      high <= MOST_PRICE &&
      high >= open &&
      high >= close &&
      low <= open &&
      low <= close &&
      volume <= MOST_VOLUME
    );
  }

  /** Goes to the end of a cell that is not read; false if that is none of a plain row. */
  #skip(text: string, start: number): boolean {
    for (; this.#at < start + LONGEST_ROW; this.#at++) {
      const code = text.charCodeAt(this.#at);
      if (code === this.#delimiter || code === LINE_FEED || code === CARRIAGE_RETURN) return true;
      if (code === QUOTE || Number.isNaN(code)) return false;
    }
    return false;
  }

  /** Passes a cell that has that text. */
  #isSame(text: string, wanted: string): boolean {
    if (this.#record === null || !text.startsWith(wanted, this.#at)) return false;
    const code = text.charCodeAt(this.#at + wanted.length);
    if (code !== this.#delimiter && code !== LINE_FEED && code !== CARRIAGE_RETURN) return false;
    this.#at += wanted.length;
    return true;
  }

  /** Finds the instrument of the row that begins at `start`; false if it is not known yet. */
  #useInstrument(text: string, start: number): boolean {
    const cells = new Map<string, string>();
    this.#at = start;
    for (const name of this.#columns) {
      const from = this.#at;
      if (!this.#skip(text, start)) return false;
      if (name) cells.set(name, text.slice(from, this.#at));
      this.#at++;
    }
    const [country = "", symbol = ""] = [cells.get("country"), cells.get("symbol")];
    const record = this.#records.get(`${country} ${symbol}`);
    if (record === undefined) return false;
    [this.#country, this.#symbol, this.#record] = [country, symbol, record];
    return true;
  }

  /** 20261120 for `2026-11-20` at the position; NaN for another form. */
  #date(text: string): number {
    let date = 0;
    for (let i = 0; i < 10; i++) {
      const code = text.charCodeAt(this.#at++);
      if (i === 4 || i === 7) {
        if (code !== 0x2d) return Number.NaN;
      } else if (code >= DIGIT_0 && code <= DIGIT_9) date = date * 10 + code - DIGIT_0;
      else return Number.NaN;
    }
    return date;
  }

  /** The number at the position as `plainNumber` reads it; EMPTY without a character of one. */
  #number(text: string): number {
    const from = this.#at;
    let digits = 0;
    let point = -1;
    let at = from;
    for (; ; at++) {
      const code = text.charCodeAt(at);
      if (code >= DIGIT_0 && code <= DIGIT_9) digits = digits * 10 + code - DIGIT_0;
      else if (code === POINT && point === -1) point = at;
      else break;
    }
    this.#at = at;
    const length = at - from;
    if (length === 0) return EMPTY;
    if (length > 15 || (length === 1 && point !== -1)) return Number.NaN;
    return point === -1 ? digits : digits / (POWERS[at - 1 - point] ?? Number.NaN);
  }

  /** Passes a line break. The next piece may have its second half, so more text must follow. */
  #endLine(text: string): boolean {
    if (text.charCodeAt(this.#at) === CARRIAGE_RETURN) this.#at++;
    if (text.charCodeAt(this.#at) !== LINE_FEED) return false;
    return ++this.#at < text.length;
  }
}

const POWERS = Array.from({ length: 16 }, (_, power) => 10 ** power);

/**
 * The number in up to 15 digits with at most one point, NaN in any other text. Its digits and the power
 * of ten are exact, so their quotient is the nearest double, as `Number` gives it.
 */
export function plainNumber(text: string): number {
  const { length } = text;
  if (length === 0 || length > 15) return Number.NaN;
  let digits = 0;
  let point = -1;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x30 && code <= 0x39) digits = digits * 10 + code - 0x30;
    else if (code === 0x2e && point === -1 && length > 1) point = at;
    else return Number.NaN;
  }
  return point === -1 ? digits : digits / (POWERS[length - 1 - point] ?? Number.NaN);
}
