import { readFileSync } from "node:fs";
import { zstdDecompressSync } from "node:zlib";
import { parquetReadObjects } from "hyparquet";

/** The rows of a Parquet file, read by hyparquet. Dates are `Date`s. */
export async function readParquet(path: string): Promise<Record<string, unknown>[]> {
  const bytes = readFileSync(path);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  return parquetReadObjects({
    file,
    compressors: { ZSTD: (input: Uint8Array) => new Uint8Array(zstdDecompressSync(input)) },
  });
}
