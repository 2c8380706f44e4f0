import { quoteCell } from "#lib/csv.ts";
import { numberText } from "#lib/number-text.ts";
import { type ColumnValues, ParquetFileWriter } from "#lib/parquet-writer.ts";
import type { Batch, ExportColumn } from "./columns.ts";

/** Writes batches of rows in one format. */
export interface TableWriter {
  write(batch: Batch): void;
  finish(): void;
}

type Append = (bytes: Uint8Array) => void;

/** The formats in which every kind can be written, by the ending of their files. */
export const TABLE_FORMATS = {
  parquet: (columns: readonly ExportColumn[], append: Append, program: string): TableWriter => {
    const writer = new ParquetFileWriter(columns, append, program);
    return {
      write: ({ values, rows }) => writer.write(values, rows),
      finish: () => writer.finish(),
    };
  },
  csv: (columns: readonly ExportColumn[], append: Append): TableWriter => {
    const add = lineWriter(append);
    add(`${columns.map(({ name }) => name).join(",")}\n`);
    return {
      write: ({ values, rows }) => {
        for (let row = 0; row < rows; row++)
          add(`${values.map((column) => csvCell(column[row])).join(",")}\n`);
      },
      finish: () => add(null),
    };
  },
  jsonl: (columns: readonly ExportColumn[], append: Append): TableWriter => {
    const add = lineWriter(append);
    return {
      write: ({ values, rows }) => {
        for (let row = 0; row < rows; row++) {
          const cells = columns.map(({ name }, i) => [name, known(values[i]?.[row])]);
          add(`${JSON.stringify(Object.fromEntries(cells))}\n`);
        }
      },
      finish: () => add(null),
    };
  },
} as const;

export type TableFormat = keyof typeof TABLE_FORMATS;

/** The characters that are written at once. */
const PIECE = 2 ** 18;

/** Collects lines; null writes what waits. */
function lineWriter(append: Append): (line: string | null) => void {
  let waiting = "";
  return (line) => {
    waiting += line ?? "";
    if (line !== null && waiting.length < PIECE) return;
    append(Buffer.from(waiting));
    waiting = "";
  };
}

/** The value; null if it is missing. */
function known(value: ColumnValues[number]) {
  return value === undefined || Number.isNaN(value) ? null : value;
}

function csvCell(value: ColumnValues[number]): string {
  if (typeof value === "number") return numberText(value);
  const cell = known(value);
  return cell === null ? "" : quoteCell(String(cell));
}
