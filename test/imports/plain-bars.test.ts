import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { PlainBarReader, plainNumber } from "#imports/plain-bars.ts";

describe("plain numbers", () => {
  test("are what Number reads, to the last bit", () => {
    const digits = fc.stringMatching(/^\d{1,14}$/);
    fc.assert(
      fc.property(digits, fc.nat(14), (text, at) => {
        const number = at < text.length ? `${text.slice(0, at)}.${text.slice(at)}` : text;
        expect(plainNumber(number)).toBe(Number(number));
      }),
      { numRuns: 5_000 },
    );
  });

  test.each(["", " 1", ...". 1.2.3 -1 +1 1e5 0x1F 1,5 Infinity 1234567890123456".split(" ")])(
    "%j is none",
    (text) => {
      expect(plainNumber(text)).toBeNaN();
    },
  );
});

describe("rows of bars", () => {
  const header = new Map(
    ["country", "symbol", "date", "open", "high", "low", "close", "volume"].map((name, i) => [
      name,
      i,
    ]),
  );
  const reader = new PlainBarReader<string>(header, 8);
  const row = (text: string) => text.split(",");
  reader.learn(row("US,A,2026-01-05,1,1,1,1,1"), "A", "2026-01-05");

  test("of a known instrument and date are read", () => {
    expect(reader.read(row("US,A,2026-01-05,10,12.5,9,11,"))).toEqual({
      record: "A",
      entry: { date: "2026-01-05", open: 10, high: 12.5, low: 9, close: 11, volume: null },
    });
  });

  test.each([
    ["an unknown instrument", "US,B,2026-01-05,10,12,9,11,5"],
    ["another country", "JP,A,2026-01-05,10,12,9,11,5"],
    ["an unknown date", "US,A,2026-01-06,10,12,9,11,5"],
    ["a cell too many", "US,A,2026-01-05,10,12,9,11,5,"],
    ["a high below the close", "US,A,2026-01-05,10,10.5,9,11,5"],
    ["a low above the open", "US,A,2026-01-05,10,12,10.5,11,5"],
    ["no open", "US,A,2026-01-05,,12,9,11,5"],
    ["a price of 0", "US,A,2026-01-05,0,12,0,11,5"],
    ["a price above 1e12", "US,A,2026-01-05,10,1000000000001,9,11,5"],
    ["a volume above 1e15", "US,A,2026-01-05,10,12,9,11,9999999999999999"],
    ["a word", "US,A,2026-01-05,10,12,9,eleven,5"],
  ])("with %s are left to the general reader", (_, text) => {
    expect(reader.read(row(text))).toBeNull();
  });
});
