import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readRange } from "#http/byte-range.ts";

describe("a Range header", () => {
  // RFC 9110, 14.1.2: the examples of a file of 10,000 bytes, and what a server may ignore.
  test.each([
    ["bytes=0-499", { first: 0, last: 499 }],
    ["bytes=500-999", { first: 500, last: 999 }],
    ["bytes=-500", { first: 9_500, last: 9_999 }],
    ["bytes=9500-", { first: 9_500, last: 9_999 }],
    ["Bytes= 9999-20000 ", { first: 9_999, last: 9_999 }],
    ["bytes=-20000", { first: 0, last: 9_999 }],
    ["bytes=10000-", "unsatisfiable"],
    ["bytes=-0", "unsatisfiable"],
    [null, null],
    ["bytes=0-0,-1", null],
    ["bytes=9-5", null],
    ["bytes=-", null],
    ["bytes=a-b", null],
    ["lines=1-2", null],
    ["bytes=+1-2", null],
  ] as const)("%p", (header, expected) => {
    expect(readRange(header, 10_000)).toEqual(expected);
  });

  test("never leads out of the file", () => {
    const part = fc.oneof(
      fc.nat().map(String),
      fc.constant(""),
      fc.constant("99999999999999999999"),
    );
    fc.assert(
      fc.property(part, part, fc.nat({ max: 2_000 }), (from, to, size) => {
        const range = readRange(`bytes=${from}-${to}`, size);
        if (range === null || range === "unsatisfiable") return;
        expect(range.first).toBeGreaterThanOrEqual(0);
        expect(range.first).toBeLessThanOrEqual(range.last);
        expect(range.last).toBeLessThan(size);
      }),
    );
  });
});
