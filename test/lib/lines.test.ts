import { expect, test } from "bun:test";
import fc from "fast-check";
import { readLines } from "#lib/lines.ts";

async function* chunksOf(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let start = 0;
  for (let i = 0; start < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    yield bytes.subarray(start, start + size);
    start += size;
  }
}

async function read(text: string, maxBytes: number, sizes: readonly number[] = [3]) {
  const lines: (string | null)[] = [];
  for await (const line of readLines(chunksOf(new TextEncoder().encode(text), sizes), maxBytes)) {
    lines.push(line && new TextDecoder().decode(line));
  }
  return lines;
}

test("readLines gives the lines of any chunks, as `split` does", async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 });
  const text = fc.string({ unit: fc.constantFrom("a", "é", "\n", "\r", "😀") });
  await fc.assert(
    fc.asyncProperty(text, sizes, async (written, chunks) => {
      const expected = written.split("\n");
      // A newline at the end begins no further line.
      if (expected.at(-1) === "") expected.pop();
      expect(await read(written, 1_000, chunks)).toEqual(expected);
    }),
  );
});

test.each<[string, number, (string | null)[]]>([
  ["abc\nabcd\nab", 3, ["abc", null, "ab"]],
  ["abcdefgh", 3, [null]],
  ["abcdefgh\n\nabc\n", 3, [null, "", "abc"]],
  ["", 3, []],
])("a line of more bytes than allowed is null: %j", async (text, maxBytes, expected) => {
  for (const size of [1, 2, 100]) expect(await read(text, maxBytes, [size])).toEqual(expected);
});
