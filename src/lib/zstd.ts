/** Compresses bytes in another thread. `decompress` notices damage, but not a missing end. */
export async function compress(bytes: Uint8Array): Promise<Uint8Array> {
  const { constants, zstdCompress } = await import("node:zlib");
  // With a checksum, so that damaged bytes are noticed.
  const options = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };
  return new Promise((resolve, reject) =>
    zstdCompress(bytes, options, (error, result) => (error ? reject(error) : resolve(result))),
  );
}

/**
 * Decompresses bytes in another thread; null if there would be more than `maxBytes`.
 *
 * @throws Error if they are damaged
 */
export async function decompress(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array | null> {
  const { zstdDecompress } = await import("node:zlib");
  return new Promise((resolve, reject) =>
    zstdDecompress(bytes, { maxOutputLength: maxBytes }, (error, result) => {
      if (error === null) resolve(result);
      else if ("code" in error && error.code === "ERR_BUFFER_TOO_LARGE") resolve(null);
      else reject(error);
    }),
  );
}
