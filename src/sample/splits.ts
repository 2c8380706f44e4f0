import type { Split, SplitHistory } from "#domain/split.ts";
import { lazy } from "#lib/lazy.ts";
import { sessionOnOrAfter } from "./dates.ts";
import { listingSeed } from "./profiles.ts";
import { uniformAt } from "./random.ts";
import splitsCsv from "./splits.csv" with { type: "text" };
import { readTable } from "./table.ts";
import type { SampleListing } from "./universe.ts";

/** The real splits of well-known companies since July 2015, by country and symbol. */
const realSplits = lazy(() =>
  Map.groupBy(readTable(splitsCsv), (row) => `${row("country")} ${row("symbol")}`),
);

/** The share of companies outside the indices, and of all in Viet Nam, with an invented split. */
const SPLIT_SHARE = 0.2;
const FIRST_YEAR = 2016;
const YEARS = 9;

/** The splits of a stock, REIT or fund up to today, oldest first; null for other asset types. */
export function splitHistory(listing: SampleListing, today: string): SplitHistory | null {
  const { country, symbol, marketCap, assetType } = listing;
  if (marketCap === null && assetType !== "etf") return null;
  const real = realSplits().get(`${country} ${symbol}`) ?? [];
  const splits = real.map((row): Split => {
    const [numerator, denominator] = [Number(row("new")), Number(row("old"))];
    return { exDate: row("ex_date"), numerator, denominator };
  });
  const all = splits.length > 0 ? splits : inventedSplits(listing);
  return { country, symbol, splits: all.filter(({ exDate }) => exDate <= today) };
}

/** A share dividend of a company in Viet Nam; a split of 2 for 1 elsewhere. */
function inventedSplits(listing: SampleListing): Split[] {
  const { country, marketCap, indexMember, listedOn } = listing;
  const seed = listingSeed(listing);
  if (marketCap === null || uniformAt(seed, 70) >= SPLIT_SHARE) return [];
  if (country !== "VN" && indexMember) return [];
  const year = FIRST_YEAR + Math.floor(YEARS * uniformAt(seed, 71));
  const month = 1 + Math.floor(9 * uniformAt(seed, 72));
  const exDate = sessionOnOrAfter(country, `${year}-0${month}-12`);
  const [numerator, denominator] = country === "VN" ? [23, 20] : [2, 1];
  return exDate > (listedOn ?? "") ? [{ exDate, numerator, denominator }] : [];
}
