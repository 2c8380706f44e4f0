import { expect, test } from "bun:test";
import type { Country } from "#domain/country.ts";
import { findMacroSeries } from "#operations/reading/macro-series.ts";

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
] as const)("in %s, %s is %s", (country, text, name) => {
  const series = NAMES[country].map((one, i) => ({ id: `s${i}`, name: one }));
  expect(findMacroSeries(series, country, text).name).toBe(name);
});
