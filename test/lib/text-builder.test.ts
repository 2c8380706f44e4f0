import { expect, test } from "bun:test";
import fc from "fast-check";
import { TextBuilder } from "#lib/text-builder.ts";

test("a built text is the text of its parts", () => {
  const part = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 60 }),
    fc.double(),
    fc.nat(2_000_000_000),
    // Prices with up to five decimals, also the product of two doubles that is near one of them.
    fc
      .tuple(fc.nat(2_000_000_000), fc.constantFrom(10, 100, 1_000, 10_000, 100_000))
      .map(([whole, scale]) => whole / scale),
    fc.tuple(fc.nat(99_999_999), fc.constantFrom(0.01, 0.0001)).map(([whole, by]) => whole * by),
    fc.constantFrom(-0, 9.99995, 1e9, 999_999_999.9999, 1_000, 1e-4, 1e-7, NaN, Infinity, 2 ** 53),
  );
  const builder = new TextBuilder();
  fc.assert(
    fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
      for (const one of parts)
        if (typeof one === "number") builder.putNumber(one);
        else builder.put(one);
      expect(builder.take()).toBe(parts.map(String).join(""));
    }),
    { numRuns: 2_000 },
  );
});

test("a part may be longer than the text before it", () => {
  const builder = new TextBuilder();
  const long = "日本".repeat(100_000);
  for (const one of ["a", long, "b"]) builder.put(one);
  expect(builder.take()).toBe(`a${long}b`);
});
