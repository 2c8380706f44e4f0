/** Thrown if a workbook cannot be read. The message is a clause with the reason: `it is damaged`. */
export class WorkbookError extends Error {
  override readonly name = "WorkbookError";
}

/** The value of a cell; null if it is empty. */
export type WorkbookCell = string | number | null;
