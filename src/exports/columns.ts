import type { Country } from "#domain/country.ts";
import type { Cell } from "#lib/table.ts";
import type { ColumnValues, ParquetColumn } from "#lib/parquet-writer.ts";

/** A column of an exported file. The Parquet schema, the manifest and the README derive from it. */
export interface ExportColumn extends ParquetColumn {
  /** The unit in words; empty for a text or a plain number. */
  readonly unit: string;
  /** One sentence without a final stop. */
  readonly description: string;
}

/** Rows of a file by column, in the order of its columns. */
export interface Batch {
  readonly values: readonly ColumnValues[];
  readonly rows: number;
  /** The sources of the rows. */
  readonly sources: Iterable<string>;
}

/** A column with its value in a row. */
export interface ReadColumn<Row> extends ExportColumn {
  readonly of: (row: Row) => Cell | undefined;
}

/** The first column of every file, so that files of several countries can be read as one: `bars/*.parquet`. */
export const COUNTRY_COLUMN: ExportColumn = {
  name: "country",
  type: "text",
  isRequired: true,
  unit: "",
  description: "US, JP or VN",
};

/** Creates the functions that declare columns of rows of one kind: `text("symbol", …)`, and the column of the country. */
export function columnsFor<Row extends { readonly country: Country }>() {
  type Of = ReadColumn<Row>["of"];
  const declare =
    (type: ParquetColumn["type"]) =>
    (name: string, description: string, of: Of, unit = ""): ReadColumn<Row> => ({
      name,
      type,
      unit,
      description,
      of,
    });
  const country: ReadColumn<Row> = { ...COUNTRY_COLUMN, of: (row) => row.country };
  const required = (column: ReadColumn<Row>): ReadColumn<Row> => ({ ...column, isRequired: true });
  return {
    country,
    text: declare("text"),
    date: declare("date"),
    number: declare("number"),
    integer: declare("integer"),
    boolean: declare("boolean"),
    required,
  };
}

/** Rows that are held at once. */
const ROWS_PER_BATCH = 5_000;

/** Rows as batches of their columns. */
export function* inBatches<Row extends { readonly source: string }>(
  rows: Iterable<Row>,
  columns: readonly ReadColumn<Row>[],
): Generator<Batch> {
  let waiting: Row[] = [];
  const take = (): Batch => {
    const batch = {
      values: columns.map(({ of }) => waiting.map((row) => of(row) ?? null)),
      rows: waiting.length,
      sources: new Set(waiting.map(({ source }) => source)),
    };
    waiting = [];
    return batch;
  };
  for (const row of rows) {
    waiting.push(row);
    if (waiting.length === ROWS_PER_BATCH) yield take();
  }
  if (waiting.length > 0) yield take();
}
