/** Thrown if a workbook cannot be read. The message is a clause with the reason: `it is damaged`. */
export class WorkbookError extends Error {
  override readonly name = "WorkbookError";
}

/** The value of a cell; null if it is empty. */
export type WorkbookCell = string | number | null;

/** The most cells of a worksheet, with the empty ones before the last filled cell of each row. */
const MAX_CELLS = 1_000_000;

/** The most characters of all cells. Cells can share one text, so a small file can have any number of them. */
const MAX_CHARACTERS = 32_000_000;

/** The rows of a worksheet while it is read. It limits the cells of all rows together, and their characters. */
export class WorksheetRows {
  readonly rows: WorkbookCell[][] = [];
  #cells = 0;
  #characters = 0;

  /** Adds rows so that there are `count`. */
  extendTo(count: number): void {
    while (this.rows.length < count) this.rows.push([]);
  }

  /** Sets a cell, both positions counted from 0. @throws WorkbookError if there are too many cells or characters */
  set(row: number, column: number, value: WorkbookCell): void {
    this.extendTo(row + 1);
    const cells = this.rows[row] ?? [];
    this.#cells += Math.max(0, column + 1 - cells.length);
    this.#characters += charactersOf(value) - charactersOf(cells[column]);
    if (this.#cells > MAX_CELLS) throw tooMany(MAX_CELLS, "cells");
    if (this.#characters > MAX_CHARACTERS) throw tooMany(MAX_CHARACTERS, "characters");
    while (cells.length < column) cells.push(null);
    cells[column] = value;
  }
}

const charactersOf = (cell: WorkbookCell | undefined): number =>
  typeof cell === "string" ? cell.length : 0;

const tooMany = (most: number, what: string) =>
  new WorkbookError(`it has more than ${most.toLocaleString("en-US")} ${what}`);
