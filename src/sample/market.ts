import { addMonths, dateOf } from "#lib/date.ts";
import { type FiscalQuarter, fiscalQuarters } from "./fiscal-quarters.ts";
import { createPrices, type Prices } from "./prices.ts";
import { remembered } from "./remembered.ts";
import type { SampleListing } from "./universe.ts";

/**
 * The sample market at one moment: what all of its records are made from.
 *
 * Real names, invented figures. Every figure follows from the instrument's line in the universe, a
 * seed out of its name, and its own date, so that time adds records and changes none:
 *
 * - A company has a profile: its sector's or industry's margins, leverage and payout, varied a
 *   little, and one rate of growth for revenue, earnings, equity, dividends and price alike, so that
 *   its multiples stay about where the universe puts them (`profiles.ts`).
 * - On the anchor date the close is the universe's price, and the twelve months reported until then
 *   earn market cap / P/E. Before and after, prices wander about their trend with the country's
 *   market, the sector and alone (`prices.ts`); revenue and margin wander too (`fiscal-quarters.ts`).
 * - Balance sheets grow with equity; cash flows are what leads from one to the next.
 * - Indices are what their members are worth, funds what they hold, cross rates products (`links.ts`);
 *   past P/E of the indices are those of their members (`index-pe.ts`).
 * - The economies have figures of their own, but for the price of oil (`economy.ts`).
 * - Nothing tells of the future: analysts and the calendar's consensus expect what follows from
 *   figures that are out, and a figure is out from the moment that is announced for it
 *   (`analyst-coverage.ts`, `calendar-events.ts`).
 */
export interface SampleMarket {
  /** UTC milliseconds. */
  readonly now: number;
  /** The UTC date. */
  readonly today: string;
  readonly prices: Prices;
  /** The fiscal quarters of a stock or REIT, oldest first, those to come for two years included. */
  readonly quarters: (listing: SampleListing) => readonly FiscalQuarter[];
}

const MONTHS_AHEAD = 24;

/** The sample market at `now`, UTC milliseconds. */
export function createSampleMarket(now: number): SampleMarket {
  const today = dateOf(now);
  const through = addMonths(today, MONTHS_AHEAD);
  return {
    now,
    today,
    prices: createPrices(now),
    quarters: remembered((listing) => fiscalQuarters(listing, through)),
  };
}
