import type { Country } from "#domain/country.ts";
import type { DividendHistory } from "#domain/dividend.ts";
import { addDays } from "#lib/date.ts";
import { ANCHOR, endOfMonth, sessionOnOrAfter, yearsBetween } from "./dates.ts";
import type { SampleMarket } from "./market.ts";
import { listingSeed, profileOf } from "./profiles.ts";
import { uniformAt } from "./random.ts";
import { yearEndMonth } from "./reports.ts";
import { mainListing, type SampleListing } from "./universe.ts";

const FIRST_YEAR = 2016;
/** Payments are multiples of this amount, in the country's currency. */
const STEP: Record<Country, number> = { US: 0.001, JP: 0.5, VN: 50 };
const USUAL_PAYMENTS: Record<Country, number> = { US: 4, JP: 2, VN: 2 };

/**
 * Real cuts of US companies: the first year of the lower dividend, and the dividend before / after.
 */
const CUTS: Readonly<Record<string, readonly [year: number, before: number]>> = {
  DOW: [2025, 2],
  GE: [2019, 6],
  MMM: [2024, 2.1],
  OXY: [2020, 4],
  SLB: [2020, 3],
  T: [2022, 1.85],
};

/** The ex-dates of a year, oldest first. */
function exDates(listing: SampleListing, year: number): string[] {
  const { country } = listing;
  const count = listing.paymentsPerYear ?? USUAL_PAYMENTS[country];
  const apart = 12 / count;
  const seed = listingSeed(listing);
  // Japanese companies pay for fiscal periods, Vietnamese ones after their meetings in spring.
  const first = Math.floor(Math.min(apart, 3) * uniformAt(seed, 51));
  const month = country === "JP" ? yearEndMonth(listing) : (country === "VN" ? 4 : 1) + first;
  const day = (country === "US" ? 4 : 8) + Math.floor(18 * uniformAt(seed, 50));
  return Array.from({ length: count }, (_, i) => ((month - 1 + apart * i) % 12) + 1)
    .sort((a, b) => a - b)
    .map((at) =>
      country === "JP" ? addDays(endOfMonth(year, at), -4) : addDays(endOfMonth(year, at - 1), day),
    )
    .map((date) => sessionOnOrAfter(country, date));
}

/**
 * The dividends of a stock, REIT or fund since 2016, oldest first; an empty list if it pays none. Null
 * for asset types without dividends. The amount is set for each calendar year: a fund pays a share of
 * its price at the end of the year before, and a company's dividend grows with its earnings per share.
 */
export function dividendHistory(
  listing: SampleListing,
  { today, prices }: SampleMarket,
): DividendHistory | null {
  const { country, symbol, listedOn, marketCap } = listing;
  // All classes of an issuer are paid the same.
  const { dividendYield, price } = mainListing(listing);
  if (marketCap === null && listing.assetType !== "etf") return null;
  const dividends: DividendHistory["dividends"] = [];
  const lastYear = Number(today.slice(0, 4));
  const { growth, shareGrowth } = profileOf(listing);
  const [cutIn, before] = (country === "US" && CUTS[symbol]) || [0, 1];
  for (let year = FIRST_YEAR; dividendYield > 0 && year <= lastYear; year++) {
    const dates = exDates(listing, year);
    const base =
      marketCap === null
        ? (prices.closeUpTo(listing, `${year - 1}-12-31`) ?? price)
        : price * Math.exp((growth - shareGrowth) * yearsBetween(ANCHOR, `${year}-07-01`));
    const yearly = dividendYield * base * (year < cutIn ? before : 1);
    // Divides instead of multiplying, so that 26 cents are 0.26.
    const amount = Math.round(yearly / dates.length / STEP[country]) / (1 / STEP[country]);
    for (const exDate of dates)
      if (amount > 0 && exDate <= today && exDate > (listedOn ?? ""))
        dividends.push({ exDate, amount });
  }
  return { country, symbol, dividends };
}
