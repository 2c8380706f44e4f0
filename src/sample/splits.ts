import type { SplitHistory } from "#domain/split.ts";
import { lazy } from "#lib/lazy.ts";
import splitsCsv from "./splits.csv" with { type: "text" };
import { readTable } from "./table.ts";
import type { SampleListing } from "./universe.ts";

/** The splits since July 2015: real ones of well-known companies, and invented ones of others. */
const splitRows = lazy(() =>
  Map.groupBy(readTable(splitsCsv), (row) => `${row("country")} ${row("symbol")}`),
);

/** The splits of a stock, REIT or fund up to today, oldest first; null for other asset types. */
export function splitHistory(listing: SampleListing, today: string): SplitHistory | null {
  const { country, symbol, marketCap, assetType } = listing;
  if (marketCap === null && assetType !== "etf") return null;
  const splits = (splitRows().get(`${country} ${symbol}`) ?? []).map((row) => ({
    exDate: row("ex_date"),
    numerator: Number(row("new")),
    denominator: Number(row("old")),
  }));
  return { country, symbol, splits: splits.filter(({ exDate }) => exDate <= today) };
}
