/** Bytes of a file, both included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * The bytes that a `Range` header asks for (RFC 9110): `bytes=0-99`, `bytes=100-`, `bytes=-100`. Null for the whole
 * file: without a header, and for one that a server may ignore, such as several ranges or another unit.
 * `unsatisfiable` if the file has none of these bytes.
 */
export function readRange(header: string | null, size: number): ByteRange | "unsatisfiable" | null {
  const [, from, to] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? "") ?? [];
  if (from === undefined || to === undefined || (from === "" && to === "")) return null;
  if (from === "") {
    const count = Math.min(Number(to), size);
    return count === 0 ? "unsatisfiable" : { first: size - count, last: size - 1 };
  }
  const [first, last] = [Number(from), to === "" ? size - 1 : Number(to)];
  // The last position before the first is no range at all.
  if (to !== "" && last < first) return null;
  return first >= size ? "unsatisfiable" : { first, last: Math.min(last, size - 1) };
}
