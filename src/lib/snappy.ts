/** A view of fewer bytes takes longer than the bytes. */
const SHORT = 64;

/**
 * The bytes of a raw Snappy block.
 *
 * @param size how many bytes there must be
 * @throws Error if the block is damaged or has another size
 */
export function unpackSnappy(block: Uint8Array, size: number): Uint8Array {
  const output = new Uint8Array(size);
  const end = block.length;
  let from = 0;
  let to = 0;
  const next = (): number => {
    const byte = block[from++];
    if (byte === undefined) throw new Error("a compressed page is cut off");
    return byte;
  };
  const number = (bytes: number): number => {
    let value = 0;
    for (let i = 0; i < bytes; i++) value += next() * 256 ** i;
    return value;
  };
  // The size is written first, in groups of seven bits.
  while (next() > 127);
  // A page has millions of parts of some bytes, so the usual ones are read without a call.
  while (from < end) {
    const tag = block[from++] as number;
    const upper = tag >> 2;
    const kind = tag & 3;
    let length = upper + 1;
    if (kind === 0) {
      if (upper >= 60) length = 1 + number(upper - 59);
      if (length > end - from || length > size - to)
        throw new Error("a compressed page has other bytes than it says");
      if (length > SHORT) output.set(block.subarray(from, from + length), to);
      else for (let i = 0; i < length; i++) output[to + i] = block[from + i] as number;
      from += length;
      to += length;
      continue;
    }
    let back = 0;
    if (kind === 2 && from + 2 <= end) {
      back = (block[from] as number) | ((block[from + 1] as number) << 8);
      from += 2;
    } else if (kind === 1) {
      length = 4 + (upper & 7);
      back = ((upper >> 3) << 8) | next();
    } else back = number(kind === 2 ? 2 : 4);
    if (back === 0 || back > to || length > size - to)
      throw new Error("a compressed page repeats bytes that it does not have");
    // The copy can overlap the bytes that it makes.
    const stop = to + length;
    let source = to - back;
    while (to < stop) output[to++] = output[source++] as number;
  }
  if (to !== size) throw new Error(`a page has ${to} bytes, and its header says ${size}`);
  return output;
}
