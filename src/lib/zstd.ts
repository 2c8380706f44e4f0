import { constants, zstdCompress, zstdDecompress } from "node:zlib";

/** With a checksum, so that damaged bytes are noticed. */
const OPTIONS = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };

/** Compresses bytes in another thread. `decompress` notices damage, but not a missing end. */
export function compress(bytes: Uint8Array): Promise<Uint8Array> {
  return new Promise((resolve, reject) =>
    zstdCompress(bytes, OPTIONS, (error, result) => (error ? reject(error) : resolve(result))),
  );
}

/**
 * Decompresses bytes in another thread; null if there would be more than `maxBytes`.
 *
 * @throws Error if they are damaged
 */
export function decompress(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array | null> {
  return new Promise((resolve, reject) =>
    zstdDecompress(bytes, { maxOutputLength: maxBytes }, (error, result) => {
      if (error === null) resolve(result);
      else if ("code" in error && error.code === "ERR_BUFFER_TOO_LARGE") resolve(null);
      else reject(error);
    }),
  );
}
