/** A Parquet file cannot be read. The message is a clause with the reason: `it is damaged`. */
export class ParquetError extends Error {
  override readonly name = "ParquetError";
}

/** The longest row of a CSV file has as many. */
const MAX_TEXT = 1_000_000;

/** The text. @throws ParquetError if it is longer than a row may be */
export function checkedText(value: string): string {
  if (value.length <= MAX_TEXT) return value;
  throw new ParquetError(`a text has more than ${MAX_TEXT.toLocaleString("en-US")} characters`);
}
