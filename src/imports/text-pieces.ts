import { CsvError } from "#lib/csv.ts";
import { refuseNoText } from "./cells.ts";

/** The maximum number of characters of a text that is read whole: a history of one instrument, a JSON array. */
const LONGEST_TEXT = 268_435_456;

/** The maximum number of characters of a line of JSON; a record with a history of 40 years has 1 million. */
const LONGEST_JSON_LINE = 16_777_216;

/** The first item, and all of them. */
export function peek<T>(items: Iterable<T>): [first: T | undefined, all: Iterable<T>] {
  const rest = items[Symbol.iterator]();
  const first = rest.next();
  if (first.done) return [undefined, []];
  const all = function* () {
    yield first.value;
    yield* { [Symbol.iterator]: () => rest };
  };
  return [first.value, all()];
}

/**
 * Joins a text that comes in pieces. `otherwise` is the advice for a text that is too long.
 *
 * @throws CsvError if it is not text, or longer than the limit
 */
export function joinTexts(texts: Iterable<string>, otherwise: string): string {
  const parts: string[] = [];
  let length = 0;
  for (const text of texts) {
    if (parts.length === 0) refuseNoText(text);
    parts.push(text);
    length += text.length;
    if (length > LONGEST_TEXT) {
      throw new CsvError(
        1,
        `the file has more than ${LONGEST_TEXT >> 20} MiB: split it, or ${otherwise}`,
      );
    }
  }
  const whole = parts.join("");
  refuseNoText(whole);
  return whole;
}

/**
 * The lines of a text in pieces, counted from 1; each piece is searched once.
 *
 * @throws CsvError if it is not text, or if a line has more than 16 million characters
 */
export function* linesOf(texts: Iterable<string>): Generator<{ line: number; text: string }, void> {
  let parts: string[] = [];
  let length = 0;
  let line = 1;
  for (const piece of texts) {
    refuseNoText(piece, line);
    let at = 0;
    for (let end; (end = piece.indexOf("\n", at)) !== -1; at = end + 1) {
      parts.push(piece.slice(at, end));
      yield { line, text: parts.join("") };
      line++;
      parts = [];
      length = 0;
    }
    parts.push(piece.slice(at));
    length += piece.length - at;
    if (length > LONGEST_JSON_LINE) {
      const most = LONGEST_JSON_LINE.toLocaleString("en-US");
      throw new CsvError(line, `the line has more than ${most} characters`);
    }
  }
  yield { line, text: parts.join("") };
}
