import { SourceError } from "./source.ts";

/** From this size on, single bad rows are left out of a list; a shorter list is accepted or refused whole. */
const LIST_SIZE = 100;
/** The largest share of bad rows that is left out. Above it, the source has changed its form. */
const MAX_BAD_SHARE = 0.1;
/** The maximum of records in one answer. The largest real list has some 15,000. */
export const MAX_RECORDS = 100_000;

/** A row of a list that is not in the documented form, or figures that a source leaves out of its records. */
export class BadRow {
  /** `invalid_answer`: what is wrong with the row. */
  readonly error: SourceError;
  /** The symbol in the row; null if it has none that can be read. */
  readonly symbol: string | null;
  /** False if only figures are left out, so that the answer keeps its form. */
  readonly isRecord: boolean;

  constructor(error: SourceError, symbol: string | null, isRecord = true) {
    this.error = error;
    this.symbol = symbol;
    this.isRecord = isRecord;
  }
}

/** The reading of a list. It yields each bad row and returns the result. */
export type ListReading<T> = Generator<BadRow, T, undefined>;

/**
 * Reads the rows of a list one by one. `read` throws `SourceError` `invalid_answer` for a bad row;
 * `symbolOf` finds its symbol, as instruments are stored, so that a bad row delists nothing.
 *
 * @throws SourceError of the first bad row if the list is short or more than a tenth of it is bad, at the latest after
 * 10,000 bad rows
 */
export function* readList<Row, T>(
  rows: Iterable<Row>,
  read: (row: Row, number: number) => T,
  symbolOf: (row: Row) => string | null = () => null,
): ListReading<T[]> {
  const results: T[] = [];
  let number = 0;
  let first: SourceError | null = null;
  for (const row of rows) {
    number++;
    try {
      results.push(read(row, number));
    } catch (error) {
      if (!(error instanceof SourceError) || error.fault !== "invalid_answer") throw error;
      first ??= error;
      // No list is so long that it keeps its form. Each error takes time.
      if (number - results.length > MAX_RECORDS * MAX_BAD_SHARE) throw first;
      yield new BadRow(error, symbolOf(row));
    }
  }
  if (first && !canLeaveOut(number - results.length, number)) throw first;
  return results;
}

/** The text in a field of any value; null if there is none. */
export function textIn(row: unknown, field: string | number): string | null {
  const value: unknown = typeof row === "object" && row !== null && Reflect.get(row, field);
  return typeof value === "string" ? value : null;
}

/** The result of a reading, without its bad rows. @throws SourceError if too many rows are bad */
export function finishReading<T>(reading: ListReading<T>): T {
  for (;;) {
    const step = reading.next();
    if (step.done) return step.value;
  }
}

/** True if `bad` of `total` rows can be left out: single rows of a long list. */
export function canLeaveOut(bad: number, total: number): boolean {
  return bad === 0 || (total >= LIST_SIZE && bad <= total * MAX_BAD_SHARE);
}
