import { expect, test } from "bun:test";
import { METRICS } from "#analytics/metrics.ts";
import type { Country } from "#domain/country.ts";
import { getCompanyMetrics, listIndexCloses } from "#rollups/companies.ts";
import { ConvertedCompanies } from "#rollups/converted-companies.ts";
import { addDays } from "#lib/date.ts";
import { flatBar, instrument, openTestMarket, SAMPLE } from "../support/market.ts";

test("figures of a year follow older rates and closes of the index that arrive later", () => {
  using home = openTestMarket();
  const { market } = home;
  const put = (country: Country, symbol: string, closes: readonly number[]) => {
    market.put("instruments", [instrument(country, symbol)], SAMPLE);
    const bars = closes.map((close, i) => {
      const date = addDays("2026-02-28", i - closes.length);
      return flatBar(date, close, 1);
    });
    market.put("bars", [{ country, symbol, bars }], SAMPLE);
  };
  put("JP", "FLAT", [1_000, 1_000]);
  put("JP", "JPY=X", [100]);
  const found = market.instruments.find({ country: "JP", symbol: "FLAT" });
  if (!found) throw new Error("FLAT is not stored");
  const now = Date.parse("2026-03-01T12:00Z");
  const company = getCompanyMetrics(market, found, now, listIndexCloses(market, "JP"));
  const read = (name: "high_52w" | "beta") =>
    new ConvertedCompanies(market, "USD").read(METRICS[name], company);
  // The day before has no rate.
  expect(read("high_52w")).toBeNull();
  put("JP", "JPY=X", [50, 100]);
  expect(read("high_52w")).toBe(20);

  const swings = (low: number) => Array.from({ length: 61 }, (_, i) => (i % 2 === 0 ? low : 100));
  put("JP", "FLAT", swings(80));
  put("JP", "JPY=X", swings(100));
  expect(read("beta")).toBeNull();
  put("JP", "^N225", swings(80));
  expect(read("beta")).toBeCloseTo(1, 9);
});
