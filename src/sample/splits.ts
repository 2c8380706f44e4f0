import type { Split, SplitHistory } from "#domain/split.ts";
import type { SampleMarket } from "./market.ts";
import type { SampleListing } from "./universe.ts";

/**
 * Splits since July 2015, when the sample's prices begin, by country and symbol. Those of US and Japanese
 * companies are real: ex-date, new shares, old shares. The share dividends of Viet Nam are invented.
 */
const SPLITS: Readonly<Record<string, readonly (readonly [string, number, number])[]>> = {
  "US AAPL": [["2020-08-31", 4, 1]],
  "US AMZN": [["2022-06-06", 20, 1]],
  "US ANET": [
    ["2021-11-18", 4, 1],
    ["2024-12-04", 4, 1],
  ],
  "US AVGO": [["2024-07-15", 10, 1]],
  "US CMG": [["2024-06-26", 50, 1]],
  "US GE": [["2021-08-02", 1, 8]],
  "US GOOG": [["2022-07-18", 20, 1]],
  "US GOOGL": [["2022-07-18", 20, 1]],
  "US ISRG": [
    ["2017-10-06", 3, 1],
    ["2021-10-05", 3, 1],
  ],
  "US NEE": [["2020-10-27", 4, 1]],
  "US NFLX": [
    ["2015-07-15", 7, 1],
    ["2025-11-17", 10, 1],
  ],
  "US NVDA": [
    ["2021-07-20", 4, 1],
    ["2024-06-10", 10, 1],
  ],
  "US PANW": [
    ["2022-09-14", 3, 1],
    ["2024-12-16", 2, 1],
  ],
  "US SHW": [["2021-04-01", 3, 1]],
  "US TJX": [["2018-11-07", 2, 1]],
  "US TSLA": [
    ["2020-08-31", 5, 1],
    ["2022-08-25", 3, 1],
  ],
  "US WMT": [["2024-02-26", 3, 1]],
  "JP 4063": [["2023-03-30", 5, 1]],
  "JP 6146": [["2023-03-30", 3, 1]],
  "JP 6501": [
    ["2018-09-26", 1, 5],
    ["2024-06-27", 5, 1],
  ],
  "JP 6758": [["2024-09-27", 5, 1]],
  "JP 7203": [["2021-09-29", 5, 1]],
  "JP 7267": [["2023-09-28", 3, 1]],
  "JP 7974": [["2022-09-29", 10, 1]],
  "JP 8035": [["2023-03-30", 3, 1]],
  "JP 8058": [["2023-12-28", 3, 1]],
  "JP 8766": [["2022-09-29", 3, 1]],
  "JP 9432": [
    ["2019-12-27", 2, 1],
    ["2023-06-29", 25, 1],
  ],
  "JP 9983": [["2023-02-27", 3, 1]],
  "VN FPT": [["2024-06-13", 23, 20]],
  "VN HPG": [["2022-06-17", 13, 10]],
};

/** The splits of a stock, REIT or fund up to today, oldest first; null for other asset types. */
export function splitHistory(
  { country, symbol, marketCap, assetType }: SampleListing,
  { today }: SampleMarket,
): SplitHistory | null {
  if (marketCap === null && assetType !== "etf") return null;
  const splits = (SPLITS[`${country} ${symbol}`] ?? [])
    .filter(([exDate]) => exDate <= today)
    .map(([exDate, numerator, denominator]): Split => ({ exDate, numerator, denominator }));
  return { country, symbol, splits };
}
