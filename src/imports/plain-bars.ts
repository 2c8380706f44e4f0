import type { DailyBar } from "#domain/daily-bar.ts";
import { Price, Volume } from "#domain/schema.ts";

const { minimum: LEAST_PRICE = 0, maximum: MOST_PRICE = 0 } = Price;
const { maximum: MOST_VOLUME = 0 } = Volume;
const COLUMNS = ["country", "symbol", "date", "open", "high", "low", "close", "volume"] as const;

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
    this.#at = COLUMNS.map((name) => header.get(name) ?? -1);
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
