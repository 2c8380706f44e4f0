/**
 * The bytes of a raw Snappy block.
 *
 * @param size how many bytes there must be
 * @throws Error if the block is damaged or has another size
 */
export function unpackSnappy(block: Uint8Array, size: number): Uint8Array {
  const output = new Uint8Array(size);
  let [from, to] = [0, 0];
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
  while (from < block.length) {
    const tag = next();
    const upper = tag >> 2;
    const kind = tag & 3;
    if (kind === 0) {
      const length = 1 + (upper < 60 ? upper : number(upper - 59));
      if (length > block.length - from || length > size - to)
        throw new Error("a compressed page has other bytes than it says");
      output.set(block.subarray(from, from + length), to);
      from += length;
      to += length;
      continue;
    }
    const length = kind === 1 ? 4 + (upper & 7) : 1 + upper;
    const back = kind === 1 ? (upper >> 3) * 256 + next() : number(kind === 2 ? 2 : 4);
    if (back === 0 || back > to || length > size - to)
      throw new Error("a compressed page repeats bytes that it does not have");
    // The copy can overlap the bytes that it makes.
    for (const end = to + length; to < end; to++) output[to] = output[to - back] ?? 0;
  }
  if (to !== size) throw new Error(`a page has ${to} bytes, and its header says ${size}`);
  return output;
}
