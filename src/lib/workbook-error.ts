/** A workbook cannot be read; the message is a clause that says why. */
export class WorkbookError extends Error {
  override readonly name = "WorkbookError";
}

/** The value of a cell; null where it is empty. */
export type WorkbookCell = string | number | null;
