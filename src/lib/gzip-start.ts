import { constants, gunzipSync } from "node:zlib";

/** The start of what gzip packed, from the first `inputBytes` of the file; empty if they are damaged. */
export function startOfGzip(bytes: Uint8Array, inputBytes: number): Uint8Array {
  const start = bytes.subarray(0, inputBytes);
  try {
    return gunzipSync(start, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    return new Uint8Array();
  }
}
