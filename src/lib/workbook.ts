import { readXls } from "./xls.ts";
import { readXlsx } from "./xlsx.ts";
import type { WorkbookCell } from "./workbook-error.ts";

const COMPOUND_FILE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
const ZIP_FILE = [0x50, 0x4b, 0x03, 0x04];

const begins = (bytes: Uint8Array, mark: readonly number[]) =>
  mark.every((byte, i) => bytes[i] === byte);

/** True if the bytes begin like an Excel workbook, `.xls` or `.xlsx` (or another OLE or ZIP file). */
export function isWorkbook(bytes: Uint8Array): boolean {
  return begins(bytes, COMPOUND_FILE) || begins(bytes, ZIP_FILE);
}

/**
 * The rows of the first worksheet of an Excel workbook (`.xls` or `.xlsx`), top to bottom. Each row
 * begins with the first column. A date is its serial number.
 *
 * @throws WorkbookError if the file is not a workbook, or is locked, damaged or too large
 */
export function readWorkbook(bytes: Uint8Array): WorkbookCell[][] {
  return begins(bytes, ZIP_FILE) ? readXlsx(bytes) : readXls(bytes);
}
