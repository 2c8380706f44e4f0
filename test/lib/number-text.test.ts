import { expect, test } from "bun:test";
import fc from "fast-check";
import { numberText } from "#lib/number-text.ts";

test.each([
  [0, "0"],
  [-0, "0"],
  [342.06, "342.06"],
  [1_234_567_890.12, "1234567890.12"],
  [0.000001, "0.000001"],
  [4.3e-7, "0.00000043"],
  [-4.3e-7, "-0.00000043"],
  [1e-7, "0.0000001"],
  [1.25e-10, "0.000000000125"],
  [5e-324, `0.${"0".repeat(323)}5`],
  [1e21, "1000000000000000000000"],
  [-1.5e21, "-1500000000000000000000"],
  [1.2345678901234568e22, "12345678901234568000000"],
  [Number.MAX_VALUE, `17976931348623157${"0".repeat(292)}`],
])("%p is written %s", (value, text) => {
  expect(numberText(value)).toBe(text);
});

test("a missing number is empty, because unknown is not zero", () => {
  const missing = [null, undefined, Number.NaN, Number.POSITIVE_INFINITY];
  expect(missing.map(numberText)).toEqual(["", "", "", ""]);
});

test("any number is digits with at most one full stop, and the same number again", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const text = numberText(value);
      expect(text).toMatch(/^-?\d+(\.\d+)?$/);
      // `+ 0`: minus zero is written 0.
      expect(Number(text)).toBe(value + 0);
    }),
  );
});
