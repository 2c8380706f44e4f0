import { describe, expect, test } from "bun:test";
import { technicals } from "#analytics/technicals.ts";
import type { AssetType } from "#domain/instrument.ts";
import { formatPrice, formatPriceDifference, MISSING, roundPrice } from "#panels/format.ts";
import { technicalsPanel } from "#panels/technicals-panel.ts";

describe("a price has the decimals of its asset type", () => {
  test.each([
    ["index", 1_704.316, "VND", "1,704.32"],
    ["index", 50_000, "JPY", "50,000.00"],
    ["currency", 1.20341, "USD", "1.2034 USD"],
    ["currency", 160.731, "JPY", "160.73 JPY"],
    ["currency", 26_300, "VND", "26,300.00 VND"],
    ["cryptocurrency", 95_000, "USD", "95,000.00 USD"],
    ["cryptocurrency", 2.2, "USD", "2.2000 USD"],
    ["cryptocurrency", 0.16, "USD", "0.1600 USD"],
    ["cryptocurrency", 0.000012341, "USD", "0.00001234 USD"],
    ["stock", 3.5, "USD", "3.50 USD"],
    ["etf", 2_845.5, "JPY", "2,845.5 JPY"],
    ["reit", 6_000, "VND", "6,000 VND"],
    ["commodity", 4.4, "USD", "4.40 USD"],
  ] as const)("%s %d %s reads %s", (assetType, price, currency, text) => {
    expect(formatPrice(price, currency, assetType)).toBe(text);
  });

  test("a missing price is a dash for every asset type", () => {
    expect(formatPrice(null, "USD", "index")).toBe(MISSING);
    expect(formatPrice(null, "USD", "currency")).toBe(MISSING);
    expect(formatPriceDifference(null, 1.2, "currency")).toBe(MISSING);
  });
});

describe("a difference of prices", () => {
  test.each([
    ["stock", 3.5, "-0.01"],
    ["currency", 1.2, "-0.0123"],
    ["currency", 155, "-0.01"],
    ["currency", null, "-0.01"],
    ["cryptocurrency", 0.00001234, "-0.01230000"],
  ] as const)("of a %s at %d is %s", (assetType, price, text) => {
    expect(formatPriceDifference(-0.0123, price, assetType)).toBe(text);
  });

  test("applies to MACD, momentum and Awesome Oscillator only", () => {
    // 60 closes that rise by 0.001 a day: momentum over ten days is 0.01.
    const close = Float64Array.from({ length: 60 }, (_, i) => 1.1 + i / 1_000);
    const bars = {
      dates: Array.from(close, () => ""),
      open: close,
      high: close,
      low: close,
      close,
      volume: close,
    };
    const panelOf = (assetType: AssetType) =>
      technicalsPanel(
        { name: "X", assetType },
        { date: "2026-11-19", close: close.at(-1) ?? 0 },
        technicals(bars),
      );
    const decimals = (assetType: AssetType) =>
      Object.entries(panelOf(assetType)).flatMap(([label, text]) =>
        /\.\d{4}$/.test(text) ? [label] : [],
      );
    expect(decimals("currency")).toEqual([
      "MACD (12,26)Level",
      "MACD (12,26)Signal",
      "Mom (10)",
      "AO",
    ]);
    expect(panelOf("currency")["Mom (10)"]).toBe("0.0100");
    expect(decimals("stock")).toEqual([]);
    expect(panelOf("stock")["Mom (10)"]).toBe("0.01");
  });
});

test("a price in JSON has seven significant digits, and whole units from a million on", () => {
  expect([310.8500061035156, 0.000012345678, 1_234_567.8].map(roundPrice)).toEqual([
    310.85, 0.00001234568, 1_234_568,
  ]);
  // A MACD can be negative.
  expect([-885_952.0612, -121_838_654.4].map(roundPrice)).toEqual([-885_952.1, -121_838_654]);
});
