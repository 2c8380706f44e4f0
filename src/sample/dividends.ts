import type { Country } from "#domain/country.ts";
import type { DividendHistory } from "#domain/dividend.ts";
import { addDays } from "#lib/date.ts";
import { ANCHOR, endOfMonth, sessionFrom, sessionUpTo, yearsBetween } from "./dates.ts";
import { yearEndMonth } from "./fiscal-quarters.ts";
import type { SampleMarket } from "./market.ts";
import { companyProfile, listingSeed } from "./profiles.ts";
import { uniformAt } from "./random.ts";
import type { SampleListing } from "./universe.ts";

/** Dividends of a fund over its price, where its country's usual one is not it. */
const FUND_YIELDS: Readonly<Record<string, number>> = {
  QQQ: 0.005,
  IWM: 0.011,
  EEM: 0.024,
  GLD: 0,
  SLV: 0,
  TLT: 0.043,
  HYG: 0.058,
  XLK: 0.006,
  XLE: 0.032,
  VNQ: 0.037,
  ARKK: 0,
  "1343": 0.04,
  "1357": 0,
  "1540": 0,
  "1570": 0,
};
const USUAL_FUND_YIELD: Record<Country, number> = { US: 0.013, JP: 0.018, VN: 0 };

/** A company pays no more in a year than this share of its price at the end of the year before. */
const MOST_YIELD = 0.055;

const FIRST_YEAR = 2016;

/** What a payment is a multiple of, in the country's currency. */
const STEP: Record<Country, number> = { US: 0.01, JP: 0.5, VN: 50 };

/** The ex-dates of a year, oldest first. */
const PAYMENTS: Record<Country, (listing: SampleListing, year: number) => string[]> = {
  US(listing, year) {
    const day = 3 + Math.floor(20 * uniformAt(listingSeed(listing), 50));
    const month = 1 + Math.floor(3 * uniformAt(listingSeed(listing), 51));
    return [0, 3, 6, 9].map((later) =>
      sessionFrom("US", addDays(endOfMonth(year, month + later - 1), day)),
    );
  },
  // The session before the last of each half of the fiscal year.
  JP: (listing, year) =>
    [0, 6]
      .map((later) => endOfMonth(year, ((yearEndMonth(listing) + later - 1) % 12) + 1))
      .sort()
      .map((end) => sessionUpTo("JP", addDays(sessionUpTo("JP", end), -1))),
  VN(listing, year) {
    const day = Math.floor(140 * uniformAt(listingSeed(listing), 50));
    return [`${year}-01-15`, `${year}-07-15`].map((from) => sessionFrom("VN", addDays(from, day)));
  },
};

/**
 * What the stock, REIT or fund has paid since 2016 until the date, set anew each calendar year: a share
 * of the company's earnings as their trend has them, or of a fund's price at the end of the year
 * before. Null for what pays by its nature nothing.
 */
export function dividendHistory(
  listing: SampleListing,
  { today, prices }: SampleMarket,
): DividendHistory | null {
  const { country, symbol } = listing;
  const yearly = yearlyDividend(listing);
  if (yearly === null) return null;
  const dividends: DividendHistory["dividends"] = [];
  const lastYear = Number(today.slice(0, 4));
  for (let year = FIRST_YEAR; year <= lastYear; year++) {
    const dates = PAYMENTS[country](listing, year);
    const priceBefore = prices.closeUpTo(listing, `${year - 1}-12-31`) ?? listing.price;
    const steps = Math.round(yearly(year, priceBefore) / dates.length / STEP[country]);
    // A quotient and not a product, so that 26 cents are 0.26.
    const amount = steps / (1 / STEP[country]);
    for (const exDate of dates)
      if (amount > 0 && exDate <= today) dividends.push({ exDate, amount });
  }
  return { country, symbol, dividends };
}

/** What is paid in a year. */
function yearlyDividend(
  listing: SampleListing,
): ((year: number, priceBefore: number) => number) | null {
  const { country, symbol, assetType, sharesOutstanding } = listing;
  if (assetType === "etf") {
    const fundYield = FUND_YIELDS[symbol] ?? USUAL_FUND_YIELD[country];
    return (_, priceBefore) => fundYield * priceBefore;
  }
  if (sharesOutstanding === null) return null;
  const { netIncome, payout, growth } = companyProfile(listing);
  const atAnchor = (payout * Math.max(netIncome, 0)) / sharesOutstanding;
  return (year, priceBefore) =>
    Math.min(
      atAnchor * Math.exp(growth * yearsBetween(ANCHOR, `${year}-07-01`)),
      MOST_YIELD * priceBefore,
    );
}
