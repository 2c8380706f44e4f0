import { describe, expect, test } from "bun:test";
import { type ColumnSource, parquetWriteBuffer } from "hyparquet-writer";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { isParquet, ParquetError, type ParquetFile, parquetToCsv } from "#lib/parquet.ts";

const fileOf = (bytes: ArrayBuffer): ParquetFile => ({
  byteLength: bytes.byteLength,
  slice: (start, end) => bytes.slice(start, end),
});

async function csvOf(bytes: ArrayBuffer, cells?: number): Promise<string> {
  let text = "";
  for await (const piece of parquetToCsv(fileOf(bytes), cells)) text += piece;
  return text;
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
