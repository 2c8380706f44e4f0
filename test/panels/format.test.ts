import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  formatChange,
  formatFiscalPeriod,
  formatLarge,
  formatPerShare,
  formatPrice,
  formatPriceDifference,
  formatRatio,
  formatShare,
  formatWithUnit,
  MISSING,
  round2,
} from "#panels/format.ts";
import { parseDisplay } from "../support/display.ts";

describe("a recorded screener row has the same texts", () => {
  // The NVDA row of TradingView's screener on 2026-04-04, with ASCII minus and spaces.
  test.each([
    [formatPrice(177.39, "USD"), "177.39 USD"],
    [formatChange(0.93), "+0.93%"],
    [formatLarge(143_140_000), "143.14 M"],
    [formatLarge(4.31e12, "USD"), "4.31 T USD"],
    [formatRatio(36.19), "36.19"],
    [formatPerShare(4.9, "USD"), "4.90 USD"],
    [formatChange(66.75), "+66.75%"],
    [formatShare(0.02), "0.02%"],
    [formatRatio(-37.31), "-37.31"],
    [formatChange(-6.56), "-6.56%"],
    [formatChange(1_207.01), "+1,207.01%"],
    [formatChange(405_361), "+405,361.00%"],
  ])("%s", (text, expected) => expect(text).toBe(expected));
});

describe("a large amount", () => {
  test.each([
    [0, "0.00"],
    [999, "999.00"],
    [999.994, "999.99"],
    [999.996, "1.00 K"],
    [1_000, "1.00 K"],
    [999_994_999, "999.99 M"],
    [999_999_999, "1.00 B"],
    [999_995_000_000, "1.00 T"],
    [1_234_567_890_123_456, "1,234.57 T"],
    [-999_999_999, "-1.00 B"],
    [-0.001, "0.00"],
  ])("%d uses the scale of its rounded value", (value, expected) =>
    expect(formatLarge(value)).toBe(expected),
  );
});

describe("prices", () => {
  // Ticks: TSE 0.1 to 1,000 yen and 0.5 to 3,000 (TOPIX 500), HOSE 10 dong, US 0.0001 below a dollar.
  test.each([
    [25_000, "VND", "25,000 VND"],
    [25_000.4, "VND", "25,000 VND"],
    [191.8, "JPY", "191.8 JPY"],
    [192, "JPY", "192 JPY"],
    [2_845.5, "JPY", "2,845.5 JPY"],
    // A price before a split is not a multiple of the tick size.
    [191.83333, "JPY", "191.8 JPY"],
    [3_012.5, "JPY", "3,013 JPY"],
    [9_434, "JPY", "9,434 JPY"],
    [177.39, "USD", "177.39 USD"],
    [177.394, "USD", "177.39 USD"],
    [0.5, "USD", "0.50 USD"],
    [0.1234, "USD", "0.1234 USD"],
    [0.004, "USD", "0.004 USD"],
  ])("%d %s has the decimals of its tick size: %s", (price, currency, text) => {
    expect(formatPrice(price, currency)).toBe(text);
  });

  test("figures per share always have two decimals", () => {
    expect(formatPerShare(4_812.333, "VND")).toBe("4,812.33 VND");
  });
});

describe("a value that is not a figure", () => {
  test.each([Infinity, -Infinity, Number.NaN, 1e22])("%d is missing in every format", (value) => {
    const types = ["stock", "index", "currency"] as const;
    for (const text of [
      formatLarge(value, "USD"),
      ...types.map((type) => formatPrice(value, "USD", type)),
      ...types.map((type) => formatPriceDifference(value, 1, type)),
      formatPerShare(value, "USD"),
      formatChange(value),
      formatShare(value),
      formatRatio(value),
      formatWithUnit(value, "%", 1),
    ]) {
      expect(text).toBe(MISSING);
    }
    expect(round2(value)).toBeNull();
  });

  test("a price near zero is formatted like others", () => {
    expect(formatPrice(1e-150, "USD", "cryptocurrency")).toBe("0.000000000000000 USD");
    expect(formatPrice(1e-12, "USD", "cryptocurrency")).toBe("0.000000000001000 USD");
    expect(formatPriceDifference(1e-150, 1e-150, "currency")).toBe("0.000000000000000");
  });
});

describe("signs", () => {
  test("a change that rounds to zero has no sign, and a negative zero is zero", () => {
    expect(formatChange(0)).toBe("0.00%");
    expect(formatChange(0.004)).toBe("0.00%");
    expect(formatChange(-0.004)).toBe("0.00%");
    expect(formatRatio(-0)).toBe("0.00");
    expect(formatShare(-0.001)).toBe("0.00%");
    expect(Object.is(round2(-0.001), 0)).toBe(true);
  });
});

test("a missing figure is a dash, never zero", () => {
  for (const text of [
    formatLarge(null, "USD"),
    formatPrice(null, "USD"),
    formatPerShare(null, "USD"),
    formatPerShare(1, null),
    formatChange(null),
    formatShare(null),
    formatRatio(null),
    formatWithUnit(null, "%", 1),
    formatFiscalPeriod(null, null),
  ]) {
    expect(text).toBe(MISSING);
  }
  expect(round2(null)).toBeNull();
});

test("macro figures and fiscal periods have their unit", () => {
  expect(formatWithUnit(3.14, "%", 1)).toBe("3.1%");
  expect(formatWithUnit(104.25, "index", 1)).toBe("104.3");
  expect(formatWithUnit(-73.1, "USD bn", 1)).toBe("-73.1 USD bn");
  expect(formatWithUnit(159_540, "thousand", 0)).toBe("159,540 thousand");
  expect(formatFiscalPeriod(2026, 3)).toBe("Q3 2026");
  expect(formatFiscalPeriod(2026, null)).toBe("FY 2026");
});

test("every display value parses back to its number, within its rounding", () => {
  const figure = fc.double({ min: -1e16, max: 1e16, noNaN: true });
  const formats = [
    (value: number) => formatLarge(value, "JPY"),
    (value: number) => formatPrice(value, "USD"),
    (value: number) => formatPrice(value, "VND"),
    (value: number) => formatPerShare(value, "VND"),
    formatChange,
    formatShare,
    formatRatio,
  ];
  fc.assert(
    fc.property(figure, fc.constantFrom(...formats), (value, format) => {
      const text = format(value);
      const parsed = parseDisplay(text);
      expect(Math.abs(parsed.value - value)).toBeLessThanOrEqual(parsed.tolerance);
      expect(text).not.toMatch(/^[+-]0(\.0+)?(?![\d.])/);
    }),
    { numRuns: 2_000 },
  );
});
