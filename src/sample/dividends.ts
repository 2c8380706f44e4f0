import type { Country } from "#domain/country.ts";
import type { DividendHistory } from "#domain/dividend.ts";
import { addDays } from "#lib/date.ts";
import { ANCHOR, endOfMonth, sessionOnOrAfter, sessionOnOrBefore, yearsBetween } from "./dates.ts";
import type { SampleMarket } from "./market.ts";
import { companyProfile, listingSeed } from "./profiles.ts";
import { uniformAt } from "./random.ts";
import type { Prices } from "./prices.ts";
import { yearEndMonth } from "./reports.ts";
import type { SampleListing } from "./universe.ts";

const FIRST_YEAR = 2016;

/** Payments are multiples of this amount, in the country's currency. */
const STEP: Record<Country, number> = { US: 0.001, JP: 0.5, VN: 50 };

const USUAL_PAYMENTS: Record<Country, number> = { US: 4, JP: 2, VN: 2 };

/** The ex-dates of a year, oldest first. */
function exDates(listing: SampleListing, year: number): string[] {
  const { country } = listing;
  const count = listing.paymentsPerYear ?? USUAL_PAYMENTS[country];
  const apart = 12 / count;
  const seed = listingSeed(listing);
  if (country === "JP") {
    // The session before the last one of the fiscal year, and of each earlier payment period.
    return Array.from({ length: count }, (_, i) => (yearEndMonth(listing) - 1 + apart * i) % 12)
      .map((month) => endOfMonth(year, month + 1))
      .sort()
      .map((end) => sessionOnOrBefore("JP", addDays(sessionOnOrBefore("JP", end), -1)));
  }
  const first = Math.floor(Math.min(apart, 3) * uniformAt(seed, 51));
  const day = (country === "US" ? 4 : 8) + Math.floor(18 * uniformAt(seed, 50));
  // Viet Nam's companies pay after the meetings of their shareholders, in spring.
  const month = country === "VN" ? 4 + first : 1 + first;
  return Array.from({ length: count }, (_, i) => (month - 1 + apart * i) % 12)
    .sort((a, b) => a - b)
    .map((at) => sessionOnOrAfter(country, addDays(endOfMonth(year, at), day)));
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
  const { country, symbol, listedOn } = listing;
  if (listing.marketCap === null && listing.assetType !== "etf") return null;
  const dividends: DividendHistory["dividends"] = [];
  const lastYear = Number(today.slice(0, 4));
  for (let year = FIRST_YEAR; listing.dividendYield > 0 && year <= lastYear; year++) {
    const dates = exDates(listing, year);
    const yearly = listing.dividendYield * dividendBase(listing, year, prices);
    const amount = roundToStep(yearly / dates.length, STEP[country]);
    for (const exDate of dates)
      if (amount > 0 && exDate <= today && exDate > (listedOn ?? ""))
        dividends.push({ exDate, amount });
  }
  return { country, symbol, dividends };
}

/** The price of which the year's dividends are a share. */
function dividendBase(listing: SampleListing, year: number, prices: Prices): number {
  if (listing.marketCap === null)
    return prices.closeUpTo(listing, `${year - 1}-12-31`) ?? listing.price;
  const { growth, shareGrowth } = companyProfile(listing);
  return listing.price * Math.exp((growth - shareGrowth) * yearsBetween(ANCHOR, `${year}-07-01`));
}

/** Rounds an amount to whole steps. It divides instead of multiplying, so that 26 cents are 0.26. */
function roundToStep(amount: number, step: number): number {
  return Math.round(amount / step) / (1 / step);
}
