import { type WorkbookCell, WorkbookError, WorksheetRows } from "./workbook-error.ts";
import { readXmlTags, xmlAttributes, XmlError, type XmlTag } from "./xml.ts";
import { ZipFile } from "./zip.ts";

const MAX_ROWS = 200_000;
/** As many as an .xls workbook can have. */
const MAX_COLUMNS = 256;
/** Excel's cells have at most 32,767 characters. Each may be written as a reference such as `&#x9053;`. */
const LONGEST_TEXT = 8 * 32_767;
const LETTER_A = 64;

/**
 * The rows of the first worksheet of an Excel workbook of 2007 or later (`.xlsx`, Office Open XML,
 * ECMA-376), top to bottom. Each row has the cells from the first column to the last filled one. The
 * value of a formula is its stored result, of a date its serial number, of an error null.
 *
 * @throws WorkbookError if the file is not a workbook, or is locked, damaged or too large
 */
export function readXlsx(bytes: Uint8Array): WorkbookCell[][] {
  const zip = new ZipFile(bytes);
  try {
    const sheet = firstSheetPath(zip);
    const strings = zip.read("xl/sharedStrings.xml");
    return readSheet(partOf(zip, sheet), strings ? readStrings(textOf(strings)) : []);
  } catch (error) {
    throw error instanceof XmlError ? new WorkbookError(`it is damaged: ${error.message}`) : error;
  }
}

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function partOf(zip: ZipFile, path: string): string {
  const bytes = zip.read(path);
  if (!bytes) throw new WorkbookError(`it is no Excel workbook, or it has no ${path}`);
  return textOf(bytes);
}

/** The path of the first worksheet. The workbook refers to it by the id of a relationship. */
function firstSheetPath(zip: ZipFile): string {
  const sheet = readXmlTags(partOf(zip, "xl/workbook.xml")).find(({ name }) => name === "sheet");
  if (!sheet) throw new WorkbookError("it holds no worksheet");
  const id = [...xmlAttributes(sheet)].find(([name]) => name.endsWith(":id"))?.[1];
  for (const tag of readXmlTags(partOf(zip, "xl/_rels/workbook.xml.rels"))) {
    const attributes = tag.name === "Relationship" ? xmlAttributes(tag) : null;
    const target = attributes?.get("Id") === id ? attributes?.get("Target") : undefined;
    if (target !== undefined) return target.startsWith("/") ? target.slice(1) : `xl/${target}`;
  }
  throw new WorkbookError("it is damaged");
}

/** The shared strings of all sheets, without the pronunciation of Japanese text (`rPh`). */
function readStrings(xml: string): string[] {
  const strings: string[] = [];
  let text = "";
  let isPronunciation = false;
  for (const { name, kind, textBefore } of readXmlTags(xml, LONGEST_TEXT)) {
    if (name === "rPh") isPronunciation = kind === "start";
    else if (name === "t" && kind === "end" && !isPronunciation) text += textBefore;
    else if (name === "si" && kind !== "start") {
      strings.push(text);
      text = "";
    }
  }
  return strings;
}

/** The cell that is currently read. */
interface OpenCell {
  readonly column: number;
  /** `s` is a shared string, `str` and `inlineStr` text, `n` a number, `b` a boolean, `e` an error. */
  readonly type: string;
}

function readSheet(xml: string, strings: readonly string[]): WorkbookCell[][] {
  const sheet = new WorksheetRows();
  const { rows } = sheet;
  let cell: OpenCell | null = null;
  for (const tag of readXmlTags(xml, LONGEST_TEXT)) {
    const { name, kind, textBefore } = tag;
    const row = rows.at(-1) ?? [];
    if (name === "row" && kind !== "end") openRow(sheet, tag);
    else if (name === "c") cell = kind === "start" ? openCell(tag, row.length) : null;
    else if (cell && kind === "end" && (name === "v" || name === "t")) {
      // Text with several formats is split into several parts.
      const before = name === "t" ? (row[cell.column] ?? "") : "";
      const value = valueOf(cell, textBefore, strings);
      const whole = typeof value === "string" ? `${before}${value}` : value;
      sheet.set(Math.max(0, rows.length - 1), cell.column, whole);
    }
  }
  return rows;
}

/** Adds the row of a tag, and empty rows for the rows that the file omits before it. */
function openRow(sheet: WorksheetRows, tag: XmlTag): void {
  const number = Number(xmlAttributes(tag).get("r") ?? sheet.rows.length + 1);
  const isNext = Number.isInteger(number) && number > sheet.rows.length;
  if (!isNext) throw new WorkbookError("it is damaged");
  if (number > MAX_ROWS) throw new WorkbookError(`it has more than ${MAX_ROWS} rows`);
  sheet.extendTo(number);
}

function openCell(tag: XmlTag, next: number): OpenCell {
  const attributes = xmlAttributes(tag);
  const letters = /^[A-Z]{1,3}/.exec(attributes.get("r") ?? "")?.[0];
  const column = letters === undefined ? next : columnOf(letters);
  if (column >= MAX_COLUMNS) throw new WorkbookError(`it has more than ${MAX_COLUMNS} columns`);
  return { column, type: attributes.get("t") ?? "n" };
}

/** Converts the letters of a column to its index: `A` is 0, `Z` 25, `AA` 26. */
function columnOf(letters: string): number {
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - LETTER_A;
  return column - 1;
}

function valueOf({ type }: OpenCell, written: string, strings: readonly string[]): WorkbookCell {
  if (type === "str" || type === "inlineStr" || type === "d") return written;
  if (type === "e") return null;
  const number = written.trim() === "" ? Number.NaN : Number(written);
  if (!Number.isFinite(number)) throw new WorkbookError("it is damaged");
  if (type !== "s") return number;
  const text = strings[number];
  if (text === undefined) throw new WorkbookError("it is damaged");
  return text;
}
