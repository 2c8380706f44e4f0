import type { Country } from "#domain/country.ts";
import type { DividendHistory } from "#domain/dividend.ts";
import { addDays } from "#lib/date.ts";
import { ANCHOR, endOfMonth, sessionFrom, sessionUpTo, yearsBetween } from "./dates.ts";
import type { SampleMarket } from "./market.ts";
import { companyProfile, listingSeed } from "./profiles.ts";
import { uniformAt } from "./random.ts";
import type { Prices } from "./prices.ts";
import { yearEndMonth } from "./reports.ts";
import type { SampleListing } from "./universe.ts";

const FIRST_YEAR = 2016;

/** What a payment is a multiple of, in the country's currency. */
const STEP: Record<Country, number> = { US: 0.001, JP: 0.5, VN: 50 };

const USUAL_PAYMENTS: Record<Country, number> = { US: 4, JP: 2, VN: 2 };

/** The ex-dates of a year, oldest first. */
function exDates(listing: SampleListing, year: number): string[] {
  const { country } = listing;
  const count = listing.paymentsPerYear ?? USUAL_PAYMENTS[country];
  const apart = 12 / count;
  const seed = listingSeed(listing);
  if (country === "JP") {
    // The session before the last of the fiscal year, and as often before it as is paid.
    return Array.from({ length: count }, (_, i) => (yearEndMonth(listing) - 1 + apart * i) % 12)
      .map((month) => endOfMonth(year, month + 1))
      .sort()
      .map((end) => sessionUpTo("JP", addDays(sessionUpTo("JP", end), -1)));
  }
  const first = Math.floor(Math.min(apart, 3) * uniformAt(seed, 51));
  const day = (country === "US" ? 4 : 8) + Math.floor(18 * uniformAt(seed, 50));
  // Viet Nam's companies pay after the meetings of their shareholders, in spring.
  const month = country === "VN" ? 4 + first : 1 + first;
  return Array.from({ length: count }, (_, i) => (month - 1 + apart * i) % 12)
    .sort((a, b) => a - b)
    .map((at) => sessionFrom(country, addDays(endOfMonth(year, at), day)));
}

/**
 * What the stock, REIT or fund has paid since 2016 until the date, set anew each calendar year; an
 * empty list where it pays none. A fund pays a share of its price at the end of the year before, a
 * company as much as grows with its earnings per share. Null for what pays by its nature nothing.
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
    const amount = inSteps(yearly / dates.length, STEP[country]);
    for (const exDate of dates)
      if (amount > 0 && exDate <= today && exDate > (listedOn ?? ""))
        dividends.push({ exDate, amount });
  }
  return { country, symbol, dividends };
}

/** The price that a year's dividends are a share of. */
function dividendBase(listing: SampleListing, year: number, prices: Prices): number {
  if (listing.marketCap === null)
    return prices.closeUpTo(listing, `${year - 1}-12-31`) ?? listing.price;
  const { growth, shareGrowth } = companyProfile(listing);
  return listing.price * Math.exp((growth - shareGrowth) * yearsBetween(ANCHOR, `${year}-07-01`));
}

/** An amount in whole steps: a quotient and not a product, so that 26 cents are 0.26. */
function inSteps(amount: number, step: number): number {
  return Math.round(amount / step) / (1 / step);
}
