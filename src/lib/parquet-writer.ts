import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import type { SchemaElement } from "hyparquet";
import { dayNumberOf } from "./date.ts";

/** The types of columns: a date is `YYYY-MM-DD`, an integer has 32 bits. */
export type ParquetType = "text" | "date" | "number" | "integer" | "boolean";

/** A column of a Parquet file. */
export interface ParquetColumn {
  readonly name: string;
  readonly type: ParquetType;
  /** True if no value is missing. */
  readonly isRequired?: boolean;
}

/** The values of a column. Null, undefined and NaN are missing values. */
export type ColumnValues = ArrayLike<string | number | boolean | null | undefined>;

/**
 * A group is written once it has so many rows, and fewer of many columns, because it is in memory. A query for one
 * symbol reads one group.
 */
const ROWS_PER_GROUP = 100_000;
const VALUES_PER_GROUP = 1_000_000;
/** Level 3 writes as fast as 1, and files that are a tenth smaller. */
const ZSTD_LEVEL = 3;

const PHYSICAL: Readonly<Record<ParquetType, Partial<SchemaElement>>> = {
  text: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  date: { type: "INT32", converted_type: "DATE" },
  number: { type: "DOUBLE" },
  integer: { type: "INT32" },
  boolean: { type: "BOOLEAN" },
};

/**
 * Writes a Parquet file in groups of rows, compressed with zstd. Equal rows in equal parts give equal bytes.
 * One group is in memory.
 */
export class ParquetFileWriter {
  readonly #columns: readonly ParquetColumn[];
  readonly #rowsPerGroup: number;
  readonly #bytes = new ByteWriter();
  readonly #parquet: ParquetWriter;
  readonly #append: (bytes: Uint8Array) => void;
  /** The waiting values of each column. */
  #group: unknown[][];
  #rows = 0;

  /** `append` writes bytes to the end of the file. @param program who writes the file: `bourse 0.1.0` */
  constructor(
    columns: readonly ParquetColumn[],
    append: (bytes: Uint8Array) => void,
    program: string,
  ) {
    this.#columns = columns;
    this.#rowsPerGroup = Math.min(ROWS_PER_GROUP, Math.ceil(VALUES_PER_GROUP / columns.length));
    this.#append = append;
    this.#group = columns.map(() => []);
    this.#parquet = new ParquetWriter({
      writer: this.#bytes,
      schema: schemaOf(columns),
      codec: "ZSTD",
      compressors: { ZSTD: (bytes) => Bun.zstdCompressSync(bytes, { level: ZSTD_LEVEL }) },
      createdBy: program,
    });
  }

  /** Adds rows, which stay in one group: the values of each column, in the order of the columns. */
  write(batch: readonly ColumnValues[], rows: number): void {
    if (this.#rows > 0 && this.#rows + rows > this.#rowsPerGroup) this.#writeGroup();
    for (const [i, column] of this.#columns.entries()) {
      const [waiting, values] = [this.#group[i] ?? [], batch[i] ?? []];
      const { type } = column;
      for (let row = 0; row < rows; row++) waiting.push(physicalValue(type, values[row]));
    }
    this.#rows += rows;
  }

  /** Writes what waits, and the end of the file. */
  finish(): void {
    if (this.#rows > 0) this.#writeGroup();
    void this.#parquet.finish();
    this.#flush();
  }

  #writeGroup(): void {
    void this.#parquet.write({
      columnData: this.#columns.map(({ name, type }, i) => ({
        name,
        data: this.#group[i] ?? [],
        ...(type === "text" && { encoding: "RLE_DICTIONARY" as const }),
      })),
      rowGroupSize: this.#rows,
    });
    this.#group = this.#columns.map(() => []);
    this.#rows = 0;
    this.#flush();
  }

  #flush(): void {
    this.#append(new Uint8Array(this.#bytes.buffer, 0, this.#bytes.index));
    this.#bytes.index = 0;
  }
}

function schemaOf(columns: readonly ParquetColumn[]): SchemaElement[] {
  return [
    { name: "root", num_children: columns.length },
    ...columns.map(({ name, type, isRequired }): SchemaElement => ({
      name,
      repetition_type: isRequired ? "REQUIRED" : "OPTIONAL",
      ...PHYSICAL[type],
    })),
  ];
}

function physicalValue(type: ParquetType, value: ColumnValues[number]) {
  if (value === null || value === undefined || Number.isNaN(value)) return null;
  return type === "date" ? toDay(value as string) : value;
}

/** Dates that were read: parsing takes longer than finding one. */
const days = new Map<string, number>();
const MAX_DAYS = 50_000;

function toDay(date: string): number {
  const known = days.get(date);
  if (known !== undefined) return known;
  const day = dayNumberOf(date);
  if (days.size === MAX_DAYS) days.clear();
  days.set(date, day);
  return day;
}
