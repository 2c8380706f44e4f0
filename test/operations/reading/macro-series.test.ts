import { expect, test } from "bun:test";
import type { Country } from "#domain/country.ts";
import { curveMaturity } from "#domain/macro.ts";
import { findMacroSeries } from "#operations/reading/macro-series.ts";
import { expectError } from "../../support/error.ts";

const NAMES: Readonly<Record<Country, readonly string[]>> = {
  US: [
    "CPI inflation YoY",
    "Core CPI inflation YoY",
    "10-year Treasury yield",
    "Fed funds target, upper",
  ],
  JP: ["10-year JGB yield", "BoJ policy rate", "GDP growth QoQ", "GDP growth YoY"],
  VN: ["Core inflation YoY", "Exports YoY", "Refinancing rate"],
};

test.each([
  ["US", "Fed funds rate", "Fed funds target, upper"],
  ["US", " Inflation  rate ", "CPI inflation YoY"],
  ["US", "treasury yield", "10-year Treasury yield"],
  ["US", "S1", "Core CPI inflation YoY"],
  ["JP", "金利", "BoJ policy rate"],
  ["JP", "ＧＤＰ成長率", "GDP growth YoY"],
  ["VN", "lãi suất", "Refinancing rate"],
  ["VN", "Lạm phát cơ bản", "Core inflation YoY"],
  ["VN", "xuất khẩu", "Exports YoY"],
  ["VN", "lam phat co ban", "Core inflation YoY"],
  ["VN", "lai suat", "Refinancing rate"],
] as const)("in %s, %s is %s", (country, text, name) => {
  const series = NAMES[country].map((one, i) => ({ id: `s${i}`, name: one }));
  expect(findMacroSeries(series, country, text).name).toBe(name);
});

test("an exchange rate without a series is the price of a pair", async () => {
  const series = NAMES.VN.map((name) => ({ id: name, name }));
  for (const text of ["tỷ giá", "ty gia", "ドル円"]) {
    const { details } = await expectError(() => findMacroSeries(series, "VN", text), "not_found");
    expect(details.hint).toContain("get_stock_price_history with symbol VND=X");
  }
});

/** The published yield and the curve of each country, with the ids that the sources give. */
const BONDS: Readonly<Record<Country, readonly { readonly id: string; readonly name: string }[]>> =
  {
    US: [
      { id: "10-year-yield", name: "10-year Treasury yield" },
      ...[1, 1.5, 3, 24, 120, 360].map(curveMaturity),
    ],
    JP: [
      { id: "10-year-yield", name: "10-year JGB yield" },
      ...[12, 60, 120, 480].map(curveMaturity),
    ],
    VN: [{ id: "refinancing-rate", name: "Refinancing rate" }],
  };

test.each([
  ["US", "2-year yield", "Yield curve, 2 years"],
  ["US", "US30Y", "Yield curve, 30 years"],
  ["US", "U.S. 2 Year Treasury Note", "Yield curve, 2 years"],
  ["US", "3-month T-bill rate", "Yield curve, 3 months"],
  ["US", "1.5 month treasury bill", "Yield curve, 1.5 months"],
  ["US", "yield curve 10 years", "Yield curve, 10 years"],
  ["US", "US 10Y", "10-year Treasury yield"],
  ["US", "10y treasury", "10-year Treasury yield"],
  ["US", "米国債2年の利回り", "Yield curve, 2 years"],
  ["JP", "40y", "Yield curve, 40 years"],
  ["JP", "5年国債利回り", "Yield curve, 5 years"],
  ["JP", "JGB 1yr", "Yield curve, 1 year"],
  ["JP", "lợi suất trái phiếu chính phủ 5 năm", "Yield curve, 5 years"],
] as const)("a bond in %s, %s is %s", (country, text, name) => {
  expect(findMacroSeries(BONDS[country], country, text).name).toBe(name);
});

test.each([
  // Of another government, of another kind, of two lengths, of a length that is not issued, or a period.
  ["US", "JGB 10 years"],
  ["JP", "US 5y treasury"],
  ["US", "30-year mortgage rate"],
  // People mean the mortgage.
  ["US", "30-year rate"],
  ["US", "10-year breakeven"],
  ["US", "2y10y"],
  ["US", "10y - 2y"],
  ["US", "40-year bond"],
  ["US", "2 years"],
  ["US", "3m"],
  ["VN", "10-year bond"],
] as const)("no bond in %s is %s", async (country, text) => {
  await expectError(() => findMacroSeries(BONDS[country], country, text), "not_found");
});
