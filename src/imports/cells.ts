import { CsvError } from "#lib/csv.ts";
import { plainText } from "#lib/plain-text.ts";

/**
 * Inspects a text, or a piece of one that begins on that line.
 *
 * @throws CsvError if it is binary, in an unknown encoding, or a web page
 */
export function refuseNoText(text: string, line = 1): void {
  if (line === 1) refuseContainer(text);
  const damage = text.search(/[\0\uFFFD]/);
  if (damage !== -1) {
    const before = text.slice(0, damage).split(/\r\n|\n|\r/).length - 1;
    throw new CsvError(line + before, "the file is not text in a known encoding: save it as UTF-8");
  }
  if (line === 1 && /^\uFEFF?\s*<(?:!|\?|html|head|body|script)/i.test(text)) {
    throw new CsvError(1, "the file is a web page, not CSV: download it again");
  }
}

/** Refuses workbooks and compressed files, which are not text, and says what to do. */
function refuseContainer(text: string): void {
  if (text.startsWith("PAR1")) {
    throw new CsvError(1, "the file is Parquet, which is not read from a pipe: give the file");
  }
  if (text.startsWith("PK\u0003\u0004") || text.startsWith("\uFFFD\uFFFD\u0011")) {
    throw new CsvError(1, "the file is a workbook or a ZIP archive: save it as CSV, or unpack it");
  }
  if (text.startsWith("\u001F\uFFFD")) {
    throw new CsvError(1, "the file is compressed: unpack it, such as with <(gzip -dc FILE)");
  }
}

/** A cell as errors show it: on one line, cut after 60 characters, without control characters. */
export function quote(written: string): string {
  const line = written.slice(0, 1_000).replaceAll(UNPRINTABLE, " ").replaceAll(/\s+/g, " ");
  return `'${line.length > 60 ? `${line.slice(0, 60)}…` : line}'`;
}

const UNPRINTABLE = /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;
const NEEDS_CLEANING = /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff<&]|\s\s/u;

/**
 * Imported text as data: on one line, without control characters, markup, and marks that are invisible
 * or change the direction of writing.
 */
export function cleanText(written: string): string {
  const text = written.trim();
  return NEEDS_CLEANING.test(text) ? plainText(text, text.length) : text;
}
