import { describe, expect, test } from "bun:test";
import type { ColumnMetaData } from "hyparquet";
import { type ColumnSource, parquetWriteBuffer } from "hyparquet-writer";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { csvRows } from "#lib/csv.ts";
import { ColumnReader, decoderOf } from "#lib/parquet-columns.ts";
import { unpackSnappy } from "#lib/snappy.ts";
import { isParquet, openParquetTable, parquetToCsv, type ReadableFile } from "#lib/parquet.ts";
import { ParquetError } from "#lib/parquet-error.ts";

const fileOf = (bytes: ArrayBuffer): ReadableFile => ({
  byteLength: bytes.byteLength,
  slice: (start, end) => bytes.slice(start, end),
});

async function csvOf(bytes: ArrayBuffer, cells?: number, emptied?: string[]): Promise<string> {
  let text = "";
  for await (const piece of parquetToCsv(fileOf(bytes), cells, emptied)) text += piece;
  return text;
}

/** The cells of the columns that can be read as columns, row by row, and the same cells of the CSV. */
async function cellsOf(bytes: ArrayBuffer): Promise<{ table: string[][]; csv: string[][] }> {
  const { areNumbers, header, slices } = await openParquetTable(fileOf(bytes));
  const wanted = areNumbers.map((one) => one !== null);
  const places = [...wanted.keys()].filter((i) => wanted[i]);
  const table = [places.map((i) => header[i] ?? "")];
  for (const { rows, cellOf } of slices(wanted))
    for (let row = 0; row < rows; row++) table.push(places.map((i) => cellOf(i, row)));
  const csv = [...csvRows(await csvOf(bytes))].map(({ cells }) =>
    places.map((i) => cells[i] ?? ""),
  );
  return { table, csv };
}

const written = (columnData: ColumnSource[], options: object = {}) =>
  parquetWriteBuffer({ columnData, ...options });
const at = (...times: string[]) => times.map((time) => new Date(time));

/** Files of two rows by other tools. */
const PYARROW =
  "UEFSMRUEFRAVIkwVBBUAEgAAKLUv/SAIQQAADk0AAA9NAAAVABUSFSQsFQQVEBUGFQYcAAAAKLUv/SAJSQAAAgAAAAQBAQMC" +
  "FQQVEBUiTBUCFQASAAAotS/9IAhBAAAAYNT+XN6mFxUAFRIVJCwVBBUQFQYVBhwAAAAotS/9IAlJAAACAAAAAwEBAgAVBBUQ" +
  "FSJMFQIVABIAACi1L/0gCEEAAAQAAAA3MjAzFQAVEhUkLBUEFRAVBhUGHAAAACi1L/0gCUkAAAIAAAAEAQEEABUEFRQVJkwV" +
  "BBUAEgAAKLUv/SAKUQAAAAAAADn///+25RUAFRIVJCwVBBUQFQYVBhwAAAAotS/9IAlJAAACAAAABAEBAwIVBBUQFSJMFQIV" +
  "ABIAACi1L/0gCEEAAAEAAAAAACAAFQAVEhUkLBUEFRAVBhUGHAAAACi1L/0gCUkAAAIAAAADAQECABUEFSAVMkwVBBUAEgAA" +
  "KLUv/SAQgQAAAJZ69gcAAABA5/KSDAAAABUAFRIVJCwVBBUQFQYVBhwAAAAotS/9IAlJAAACAAAABAEBAwIVBBUAFRJMFQAV" +
  "ABIAACi1L/0gAAEAABUAFQ4VICwVBBUQFQYVBhwAAAAotS/9IAc5AAACAAAABAAAFQQZjDUAGAZzY2hlbWEVDgAVAiUCGARk" +
  "YXRlJQxMbAAAABUEJQIYAmF0bIwRHDwAAAAAABUMJQIYBnN5bWJvbCUATBwAAAAVDhUKFQIYBWNsb3NlJQoVBBUULFwVBBUU" +
  "AAAAFQQlAhgGdm9sdW1lABUEJQIYBHRpbWVsfBIcLAAAAAAAFQwlAhgEbm90ZSUATBwAAAAWBBkcGXwmABwVAhk1AAYQGRgE" +
  "ZGF0ZRUMFgQWZBaIASZGJggpLBUEFQAVAgAVABUQFQIAPCkGGSYABAAAACYAHBUEGTUABhAZGAJhdBUMFgQWZBaIASbOASaQ" +
  "ASksFQQVABUCABUAFRAVAgA8KQYZJgICAAAAJgAcFQwZNQAGEBkYBnN5bWJvbBUMFgQWZBaIASbWAiaYAiksFQQVABUCABUA" +
  "FRAVAgA8FhAZBhkmAAQAAAAmABwVDhk1AAYQGRgFY2xvc2UVDBYEFmgWjAEm4gMmoAMpLBUEFQAVAgAVABUQFQIAPCkGGSYA" +
  "BAAAACYAHBUEGTUABhAZGAZ2b2x1bWUVDBYEFmQWiAEm6gQmrAQpLBUEFQAVAgAVABUQFQIAPCkGGSYCAgAAACYAHBUEGTUA" +
  "BhAZGAR0aW1lFQwWBBZ0FpgBJoIGJrQFKSwVBBUAFQIAFQAVEBUCADwpBhkmAAQAAAAmABwVDBk1AAYQGRgEbm90ZRUMFgQW" +
  "UBZ0JvoGJswGKSwVBBUAFQIAFQAVEBUCADwWABkGGSYEAAAAABa8BRYEJggWuAcAKCBwYXJxdWV0LWNwcC1hcnJvdyB2ZXJz" +
  "aW9uIDI1LjAuMRl8HAAAHAAAHAAAHAAAHAAAHAAAHAAAAHoCAABQQVIx";
const DUCKDB =
  "UEFSMRUAFRwVSiwVBBUAFQYVBgAAH4sIAAAAAAAA/wEOAPH/AgAAAAQBDk0AAA9NAAAdATI+DgAAABUAFVoVSCwVBBUAFQYV" +
  "BgAAH4sIAAAAAAAA/1NkYGBwZGQgABacz/aRXC4OAHP0PggtAAAAFQAVLBVELBUEFQAVBhUGAAAfiwgAAAAAAAD/Y2JgYGBh" +
  "ZAGS5kYGxjAaACLTcR8WAAAAFQAVLBVELBUEFQAVBhUGAAAfiwgAAAAAAAD/Y2JgYGBhtGSAgKfb/oMBACQyml4WAAAAFQAV" +
  "WhVALBUEFQAVBhUGAAAfiwgAAAAAAAD/U2RgYHBkZMAPIPIKDACPOUe4LQAAABUAFSwVWiwVBBUAFQYVBgAAH4sIAAAAAAAA" +
  "/wEWAOn/AgAAAAQBAJZ69gcAAABA5/KSDAAAAJLwA4IWAAAAFQAVDBU6LBUEFQAVBhUGAAAfiwgAAAAAAAD/AQYA+f8CAAAA" +
  "BACsxWaYBgAAABUCGYw1ABgNZHVja2RiX3NjaGVtYRUOABUCJQIYBGRhdGUlDAAVBCUCGAJhdGyMEhw8AAAAAAAVDCUCGAZz" +
  "eW1ib2wlAAAVBCUCGAVjbG9zZSUKFQQVFCxcFQQVFAAAABUEJQIYBnZvbHVtZSUkABUEJQIYBHRpbWUlEEx8EhwsAAAAAAAV" +
  "DCUCGARub3RlJQAAFgQZHBl8JgAcFQIZFQAZGARkYXRlFQQWBBY+FmwmCDwYBA9NAAAYBA5NAAAWACgED00AABgEDk0AABER" +
  "AAAAJgAcFQQZFQAZGAJhdBUEFgQWfBZqJnQ8GAgAoM9rTBmnFxgIAKDPa0wZpxcWAigIAKDPa0wZpxcYCACgz2tMGacXEREA" +
  "AAAmABwVDBkVABkYBnN5bWJvbBUEFgQWThZmJt4BPBgENzIwMxgENzIwMxYAKAQ3MjAzGAQ3MjAzEREAAAAmABwVBBkVABkY" +
  "BWNsb3NlFQQWBBZOFmYmxAI8GAg5AAAAAAAAABgI5bb///////8WACgIOQAAAAAAAAAYCOW2////////EREAAAAmABwVBBkV" +
  "ABkYBnZvbHVtZRUEFgQWfBZiJqoDPBgIAQAAAAAAIAAYCAEAAAAAACAAFgIoCAEAAAAAACAAGAgBAAAAAAAgABERAAAAJgAc" +
  "FQQZFQAZGAR0aW1lFQQWBBZOFnwmjAQ8GAhA5/KSDAAAABgIAJZ69gcAAAAWACgIQOfykgwAAAAYCACWevYHAAAAEREAAAAm" +
  "ABwVDBkVABkYBG5vdGUVBBYEFi4WXCaIBTw2BAAAABbOBBYEJggW3AUAKChEdWNrREIgdmVyc2lvbiB2MS41LjYgKGJ1aWxk" +
  "IDA2OWNjOWY5YjUpGXwcAAAcAAAcAAAcAAAcAAAcAAAcAAAAogIAAFBBUjE=";

describe("a Parquet file as CSV", () => {
  test("has empty cells in columns of numbers that are not read", async () => {
    const columns: ColumnSource[] = [
      { name: "symbol", data: ["A", "B"], type: "STRING" },
      { name: "factor", data: [1, 2], type: "DOUBLE" },
      { name: "note", data: ["x", "y"], type: "STRING" },
      { name: "close", data: [1.25, 0.00001], type: "DOUBLE" },
    ];
    const text = await csvOf(written(columns), undefined, ["factor", "note", "other"]);
    expect(text).toBe("symbol,factor,note,close\nA,,x,1.25\nB,,y,0.00001\n");
  });

  test("has texts, numbers, truth values and missing values", async () => {
    const bytes = written([
      { name: "name", data: ["a", 'b "c", d', null], type: "STRING" },
      { name: "figure", data: [1.5, -2e-7, null], type: "DOUBLE" },
      { name: "count", data: [5n, 9_007_199_254_740_993n, null], type: "INT64" },
      { name: "is", data: [true, false, null], type: "BOOLEAN" },
    ]);
    expect(isParquet(new Uint8Array(bytes))).toBe(true);
    expect(await csvOf(bytes)).toBe(
      'name,figure,count,is\na,1.5,5,true\n"b ""c"", d",-2e-7,9007199254740993,false\n,,,\n',
    );
  });

  test("has a number of 32 bits with its seven digits", async () => {
    const bytes = written([{ name: "x", data: [187.15, 0.1], type: "FLOAT" }]);
    expect(await csvOf(bytes)).toBe("x\n187.15\n0.1\n");
  });

  test("has a midnight as a date, another instant as Unix time", async () => {
    // 2024-01-04 00:00 in Tokyo is 1704294000 seconds.
    const data = at("2024-01-04T00:00Z", "2024-01-03T15:00Z", "1971-01-01T15:00Z");
    const bytes = written([{ name: "Date", data, type: "TIMESTAMP" }]);
    expect(await csvOf(bytes)).toBe("Date\n2024-01-04\n1704294000\n1971-01-01T15:00:00\n");
  });

  test("has the index of pandas first, and the names of one ticker's columns without it", async () => {
    const bytes = written([
      { name: "('Close', 'AAPL')", data: [1] },
      { name: "('Open', 'AAPL')", data: [2] },
      { name: "__index_level_0__", data: ["2024-01-02"] },
    ]);
    expect(await csvOf(bytes)).toBe(",Close,Open\n2024-01-02,1,2\n");
    const two = written([
      { name: "('Close', 'AAPL')", data: [1] },
      { name: "('Close', 'MSFT')", data: [2] },
    ]);
    expect(await csvOf(two)).toBe(`"('Close', 'AAPL')","('Close', 'MSFT')"\n1,2\n`);
  });

  test("has the rows of all groups in order, compressed in any usual way", async () => {
    const data = Array.from({ length: 12_345 }, (_, i) => i);
    const expected = `x\n${data.join("\n")}\n`;
    const ways = {
      SNAPPY: undefined,
      UNCOMPRESSED: undefined,
      GZIP: (bytes: Uint8Array) => new Uint8Array(gzipSync(bytes)),
      ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdCompressSync(bytes)),
    } as const;
    for (const [codec, compress] of Object.entries(ways)) {
      const bytes = written([{ name: "x", data, type: "INT32" }], {
        codec,
        rowGroupSize: 5_000,
        ...(compress && { compressors: { [codec]: compress } }),
      });
      expect([codec, await csvOf(bytes)]).toEqual([codec, expected]);
    }
  });

  test("has the rows of all slices in order, wherever pages and groups end", async () => {
    const data = Array.from({ length: 100 }, (_, i) => i);
    const bytes = written(
      ["x", "y"].map((name) => ({ name, data, type: "INT32" })),
      { rowGroupSize: 30, pageSize: 28 },
    );
    const expected = `x,y\n${data.map((i) => `${i},${i}\n`).join("")}`;
    for (const cells of [2, 14, 30, 59, 60, 61, 1_000])
      expect([cells, await csvOf(bytes, cells)]).toEqual([cells, expected]);
  });

  /** A date, an instant (midnight in Tokyo), a dictionary, a decimal, an INT64, a time of day, and a column of nulls. */
  const WRITTEN_BY = {
    "pyarrow 25 with zstd": PYARROW,
    "DuckDB 1.5 with gzip": DUCKDB,
  };
  test.each(Object.entries(WRITTEN_BY))("as %s writes it", async (_, base64) => {
    const bytes = new Uint8Array(Buffer.from(base64, "base64")).buffer;
    // 2024-01-03 15:00 UTC is 1704294000. The time without a zone in the second file is read as it is written.
    const at = base64 === PYARROW ? "1704294000" : "2024-01-04T09:00:00";
    expect(await csvOf(bytes)).toBe(
      `date,at,symbol,close,volume,time,note\n2024-01-04,${at},7203,0.57,9007199254740993,09:30,\n2024-01-05,,7203,-187.15,,15:00:05,\n`,
    );
  });

  const BYTES = { type: "BYTE_ARRAY" } as const;
  const WIDE = { type: "FIXED_LEN_BYTE_ARRAY", type_length: 32 } as const;
  test.each([BYTES, WIDE])("has decimals in bytes: %p", async (kind) => {
    expect(await csvOf(decimals(kind, [57n, -18_715n, null, 0n]))).toBe("x\n0.57\n-187.15\n\n0\n");
  });

  test.each([
    // 33 bytes hold 2 to the power of 256.
    [BYTES, [1n, 2n ** 256n], 33],
    [{ ...WIDE, type_length: 1_000 }, [1n], 1_000],
  ] as const)(
    "with decimals of more than 32 bytes is refused: %p",
    async (kind, values, length) => {
      const error = await csvOf(decimals(kind, values)).catch((reason: unknown) => reason);
      expect(error).toEqual(
        new ParquetError(`it is damaged or of an unknown kind (a decimal has ${length} bytes)`),
      );
    },
  );

  function decimals(kind: object, data: readonly (bigint | null)[]): ArrayBuffer {
    const decimal = { name: "x", repetition_type: "OPTIONAL", converted_type: "DECIMAL" } as const;
    const column = { ...decimal, scale: 2, precision: 38, ...kind };
    const schema = [{ name: "root", num_children: 1 }, column];
    return parquetWriteBuffer({ schema, columnData: [{ name: "x", data: [...data] }] });
  }

  test("that is compressed as LZ4 is refused with the compressions that are read", async () => {
    const bytes = written([{ name: "x", data: [1] }], {
      codec: "LZ4_RAW",
      compressors: { LZ4_RAW: (page: Uint8Array) => page },
    });
    const error = await csvOf(bytes).catch((reason: unknown) => reason);
    expect(error).toEqual(
      new ParquetError("it is compressed as LZ4_RAW: write it with snappy, gzip, zstd or brotli"),
    );
  });

  test("is refused with a reason if it is damaged or cut off", async () => {
    const bytes = written([{ name: "x", data: [1, 2, 3] }]);
    for (const bad of [
      bytes.slice(0, -9),
      bytes.slice(0, 4),
      new TextEncoder().encode("PAR1 no PAR1").buffer,
    ])
      expect(await csvOf(bad as ArrayBuffer).catch((error: unknown) => error)).toBeInstanceOf(
        ParquetError,
      );
  });
});

/** A list `x` before numbers `x`, written by PyArrow. */
const LIST_FIRST =
  "UEFSMRUAFUgVSCwVBhUAFQYVBhwAAAACAAAAAwICAAAABgMAAAAAAAD4PwAAAAAAACNAAAAAAAAABEAVABUsFSwsFQQVABUG" +
  "FQYcAAAAAgAAAAQBAAAAAAAAHEAAAAAAAAAgQBUEGVw1ABgGc2NoZW1hFQQANQIYAXgVAhUGTDwAAAA1BBgEbGlzdBUCABUK" +
  "JQIYB2VsZW1lbnQAFQolAhgBeAAWBBkcGSwmABwVChklBgAZOAF4BGxpc3QHZWxlbWVudBUAFgYWbhZuJghJHBUAFQAVAgA8" +
  "KSYEAhlGAAAABgAAACYAHBUKGSUGABkYAXgVABYEFlIWUiZ2SRwVABUAFQIAPCkGGSYABAAAABbAARYEJggWwAEAKCBwYXJx" +
  "dWV0LWNwcC1hcnJvdyB2ZXJzaW9uIDI1LjAuMRksHAAAHAAAAOEAAABQQVIx";

/** The file with other bytes in place of some that it has once. */
function changed(bytes: ArrayBuffer, from: readonly number[], to: readonly number[]): ArrayBuffer {
  const copy = Buffer.from(bytes.slice(0));
  const at = copy.indexOf(Buffer.from(from));
  if (at < 0 || copy.includes(Buffer.from(from), at + 1)) throw new Error("not there once");
  copy.set(to, at);
  return copy.buffer.slice(copy.byteOffset, copy.byteOffset + copy.length);
}

describe("a Parquet file that says more than it has is refused:", () => {
  const numbers = Array.from({ length: 1_000 }, (_, i) => i);
  const plain = (codec: "UNCOMPRESSED" | "SNAPPY" = "UNCOMPRESSED", encoding = "PLAIN") =>
    written(
      [{ name: "x", data: numbers, type: "INT32", nullable: false, encoding } as ColumnSource],
      {
        codec,
      },
    );
  const equal = () =>
    written([{ name: "x", data: numbers.map(() => "equal"), nullable: false }], {
      codec: "UNCOMPRESSED",
    });
  // Numbers of a header are doubled and written in groups of seven bits: 4000 bytes as 0xc0 0x3e, 1000 as 0xd0 0x0f.
  const CASES: readonly (readonly [string, ArrayBuffer, number[], number[]])[] = [
    [
      "a page is longer than its column",
      plain(),
      [0x15, 0xc0, 0x3e, 0x15, 0xc0, 0x3e],
      [0x15, 0xc0, 0x3e, 0x15, 0xc0, 0x7e],
    ],
    [
      "a page is longer than its column",
      plain(),
      [0x15, 0xc0, 0x3e, 0x15, 0xc0, 0x3e],
      // Minus 4000.
      [0x15, 0xc0, 0x3e, 0x15, 0xbf, 0x3e],
    ],
    [
      "a page has more values than its group",
      plain(),
      [0x5c, 0x15, 0xd0, 0x0f, 0x15, 0x00],
      [0x5c, 0x15, 0xd0, 0x7f, 0x15, 0x00],
    ],
    [
      "a page has other rows than values",
      plain(),
      [0x5c, 0x15, 0xd0, 0x0f, 0x15, 0x00],
      // 936 values in 1000 rows.
      [0x5c, 0x15, 0xd0, 0x0e],
    ],
    // One run of 1000 equal values, whose numbers in the dictionary have no bits.
    ["a run has more values than its page", equal(), [0x00, 0xd0, 0x0f, 0x15], [0x00, 0xd0, 0x7f]],
    // Blocks of 128 differences in 4 parts.
    [
      "a page has blocks of 128 values in 0 parts",
      plain("UNCOMPRESSED", "DELTA_BINARY_PACKED"),
      [0x80, 0x01, 0x04],
      [0x80, 0x01, 0x00],
    ],
  ];
  test.each(CASES)("%s", async (reason, bytes, from, to) => {
    expect(await csvOf(bytes)).toStartWith("x\n");
    const expected = new ParquetError(`it is damaged or of an unknown kind (${reason})`);
    const bad = changed(bytes, from, to);
    expect(await csvOf(bad).catch((one: unknown) => one)).toEqual(expected);
    const { areNumbers, slices } = await openParquetTable(fileOf(bad));
    // Differences are not read as a column.
    if (areNumbers[0] === null) return;
    expect(() => [...slices([true])]).toThrow(expected);
  });

  test("a page with another encoding than its column says", async () => {
    // Encoding 9 of a page, instead of 0, has the first bytes of all values first.
    const bad = changed(plain(), [0xd0, 0x0f, 0x15, 0x00, 0x15, 0x00], [0xd0, 0x0f, 0x15, 0x12]);
    const { slices } = await openParquetTable(fileOf(bad));
    expect(() => [...slices([true])]).toThrow("a page has another encoding than its column says");
  });

  test("a text of more than a million characters", async () => {
    const data = ["a".repeat(1_000_001)];
    const bytes = written([{ name: "x", data, type: "STRING" }]);
    const { slices } = await openParquetTable(fileOf(bytes));
    const expected = new ParquetError("a text has more than 1,000,000 characters");
    expect(() => [...slices([true])]).toThrow(expected);
  });

  test("a page whose values are not in its dictionary", async () => {
    const data = numbers.map((i) => (i % 3) * 1.5);
    const bytes = written([{ name: "x", data, nullable: false }], { codec: "UNCOMPRESSED" });
    // Two bits for each place: 0, 1, 2, 0 as 0b00_10_01_00. Place 3 is none of the dictionary.
    const bad = Buffer.from(bytes.slice(0));
    const at = bad.indexOf(Buffer.from([0x24, 0x49, 0x92, 0x24]));
    expect(at).toBeGreaterThan(0);
    bad[at] = 0xff;
    const { slices } = await openParquetTable(fileOf(bad.buffer.slice(0, bytes.byteLength)));
    expect(() => [...slices([true])]).toThrow("a page has values that are not in its dictionary");
  });
});

describe("columns of a Parquet file", () => {
  const count = 500;
  const rows = Array.from({ length: count }, (_, i) => i);
  const some = <T>(of: (i: number) => T) => rows.map((i) => (i % 7 === 3 ? null : of(i)));
  const days = rows.map((i) => new Date(Date.UTC(2024, 0, 1 + (i % 40), i % 5 === 0 ? 15 : 0)));
  const columns: ColumnSource[] = [
    { name: "date", data: days, type: "TIMESTAMP" },
    { name: "symbol", data: rows.map((i) => `S${Math.floor(i / 90)}, "x"`), type: "STRING" },
    { name: "text", data: some((i) => `text ${i}`), type: "STRING" },
    { name: "double", data: some((i) => (i % 11) / 7 - 0.3), type: "DOUBLE" },
    { name: "distinct", data: rows.map((i) => i / 3), type: "DOUBLE", nullable: false },
    { name: "single", data: rows.map((i) => 1.01 ** i * 1e-3), type: "FLOAT" },
    { name: "below", data: some((i) => -(1.3 ** i)), type: "FLOAT" },
    { name: "whole", data: some((i) => 7 * i - 900), type: "INT32" },
    { name: "large", data: some((i) => 5_000_000_000n * BigInt(i - 99)), type: "INT64" },
    { name: "none", data: rows.map(() => null), type: "DOUBLE" },
    { name: "is", data: rows.map((i) => i % 2 === 0), type: "BOOLEAN" },
  ];

  test.each([
    {},
    { rowGroupSize: 77, pageSize: 100 },
    { codec: "UNCOMPRESSED", pageSize: 1_000 },
    { rowGroupSize: [1, 2, 497] },
  ])("have the cells of its CSV, wherever pages and groups end: %j", async (options) => {
    const { table, csv } = await cellsOf(written(columns, options));
    expect(table).toHaveLength(count + 1);
    expect(table[0]).toEqual(columns.map(({ name }) => name).filter((name) => name !== "is"));
    expect(table).toEqual(csv);
  });

  test.each([PYARROW, DUCKDB])("have the cells of files by other tools", async (base64) => {
    const { table, csv } = await cellsOf(new Uint8Array(Buffer.from(base64, "base64")).buffer);
    expect(table).toHaveLength(3);
    // Decimals and times of day are read as CSV only. An INT64 above 2 to the power of 53 is not exact.
    expect(table[0]).toEqual(["date", "at", "symbol", "volume", "note"]);
    const isExact = (row: string[]) => row.filter((_, i) => i !== 3);
    expect(table.map(isExact)).toEqual(csv.map(isExact));
  });

  test("are not lists of the same name", async () => {
    const { header, areNumbers, slices } = await openParquetTable(
      fileOf(new Uint8Array(Buffer.from(LIST_FIRST, "base64")).buffer),
    );
    expect({ header, areNumbers }).toEqual({ header: ["x"], areNumbers: [true] });
    const [slice] = slices([true]);
    expect([0, 1].map((row) => slice?.cellOf(0, row))).toEqual(["7", "8"]);
  });

  test("keep their dictionary behind a page without values", () => {
    const element = { name: "x", type: "DOUBLE", repetition_type: "REQUIRED" } as const;
    // A dictionary with 1.5, a page without values, and a page with two places of the dictionary.
    const pages = [
      "15041510151 04c1502150000 00 000000000000f83f",
      "15061500150 05c150015001500151015001500 0000",
      "15061506150 65c150415001504151015001500 0000 01 04 00",
    ];
    const bytes = Uint8Array.fromHex(pages.join("").replaceAll(" ", "")).buffer;
    const decode = decoderOf(element, ["PLAIN", "RLE_DICTIONARY"]);
    if (decode === null) throw new Error("a column of numbers can be read");
    const column = { codec: "UNCOMPRESSED" } as ColumnMetaData;
    const reader = new ColumnReader({ bytes, column, element, rows: 2, compressors: {} }, decode);
    expect(reader.ready()).toBe(2);
    expect(reader.take(2)).toEqual({ values: Float64Array.of(1.5, 1.5), at: 0 });
  });
});

describe("a Snappy block", () => {
  const unpack = (block: number[], size: number) =>
    Buffer.from(unpackSnappy(Uint8Array.from(block), size)).toString();
  const [A, B] = [97, 98];

  test("has its literals and copies", () => {
    // 10 bytes: the literal `ab`, and a copy of 8 bytes from 2 bytes before.
    expect(unpack([10, 0x04, A, B, 0x11, 2], 10)).toBe("ababababab");
    // The same with a distance of two and of four bytes.
    expect(unpack([10, 0x04, A, B, 0x1e, 2, 0], 10)).toBe("ababababab");
    expect(unpack([10, 0x04, A, B, 0x1f, 2, 0, 0, 0], 10)).toBe("ababababab");
    // A literal whose length is in a byte behind its tag.
    expect(unpack([2, 0xf0, 1, A, B], 2)).toBe("ab");
  });

  test.each([
    ["cut off", [10, 0x04, A, B, 0x11], 10],
    ["too short", [10, 0x04, A, B], 10],
    ["too long", [10, 0x04, A, B, 0x11, 2], 9],
    ["a literal of 4 GiB", [2, 0xfc, 0xff, 0xff, 0xff, 0xff, A, B], 2],
    ["a copy from before its start", [10, 0x04, A, B, 0x11, 3], 10],
    ["a copy of itself", [10, 0x04, A, B, 0x11, 0], 10],
  ])("is refused: %s", (_, block, size) => {
    expect(() => unpack(block, size)).toThrow(/^a (?:compressed )?page /);
  });
});
