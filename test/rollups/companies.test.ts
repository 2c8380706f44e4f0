import { expect, test } from "bun:test";
import type { DailyBar } from "#domain/daily-bar.ts";
import { NO_ITEMS } from "#domain/statement.ts";
import { getCompany } from "#rollups/companies.ts";
import { flatBar, instrument, openTestMarket, SAMPLE, stock } from "../support/market.ts";

const NOW = Date.parse("2025-05-01T12:00Z");

const bar = (close: number): DailyBar => flatBar("2025-04-30", close);

test("a depositary receipt has multiples at the newest rate of the statements' currency", () => {
  using home = openTestMarket();
  const { market } = home;
  const put = (symbol: string, close: number, known: Parameters<typeof instrument>[2]) => {
    market.put("instruments", [instrument("US", symbol, known)], SAMPLE);
    market.put("bars", [{ country: "US", symbol, bars: [bar(close)] }], SAMPLE);
  };
  // TSMC 2024: five shares a receipt, 45.25 Taiwan dollars a share.
  put("TSM", 197.49, { sharesOutstanding: 5_186.5e6 });
  market.put(
    "statements",
    [
      {
        country: "US",
        symbol: "TSM",
        span: "year",
        fiscalYear: 2024,
        fiscalQuarter: 4,
        periodEnd: "2024-12-31",
        filedOn: "2025-04-17",
        currency: "TWD",
        items: {
          ...NO_ITEMS,
          epsDiluted: 45.25,
          revenue: 2_894.3e9,
          sharesOutstanding: 25_932.7e6,
        },
      },
    ],
    SAMPLE,
  );
  const company = () => {
    const found = market.instruments.find({ country: "US", symbol: "TSM" });
    if (!found) throw new Error("TSM is not stored");
    return getCompany(market, found, NOW);
  };
  expect(company().fundamentals).toMatchObject({ pe: null, ps: null, revenueTtm: 2_894.3e9 });

  market.put("instruments", [instrument("US", "TWD=X", { assetType: "currency" })], SAMPLE);
  const rate = { source: "yahoo", storedAt: 2_000 };
  market.put("bars", [{ country: "US", symbol: "TWD=X", bars: [bar(32.8)] }], rate);
  // 197.49 · 32.8 / 5 / 45.25, and 197.49 · 5,186.5 million · 32.8 / 2,894.3 billion.
  expect(company().fundamentals.pe).toBeCloseTo(28.63, 2);
  expect(company().fundamentals.ps).toBeCloseTo(11.61, 2);
  expect(company().from).toContainEqual(rate);
});

test("trades of foreigners of another session are neither shown nor a source", () => {
  using home = openTestMarket();
  const { market } = home;
  market.put("instruments", [stock("VN", "FPT")], SAMPLE);
  market.put("bars", [{ country: "VN", symbol: "FPT", bars: [bar(100)] }], SAMPLE);
  const board = { source: "ssi", storedAt: SAMPLE.storedAt };
  const companyOn = (date: string) => {
    const trades = { boughtValue: 5e9, soldValue: 2e9, room: 1_000 };
    market.put("foreignTrades", [{ country: "VN", symbol: "FPT", date, ...trades }], board);
    const found = market.instruments.find({ country: "VN", symbol: "FPT" });
    if (!found) throw new Error("FPT is not stored");
    const { foreign, from } = getCompany(market, found, NOW);
    return [foreign?.room ?? null, from.map(({ source }) => source).includes("ssi")];
  };
  expect(companyOn("2025-04-30")).toEqual([1_000, true]);
  expect(companyOn("2025-04-29")).toEqual([null, false]);
});
