import { addMonths, dateOf } from "#lib/date.ts";
import { type FiscalQuarter, fiscalQuarters } from "./fiscal-quarters.ts";
import { createPrices, type Prices } from "./prices.ts";
import { remembered } from "./remembered.ts";
import type { SampleListing } from "./universe.ts";

/**
 * The sample market at one moment: what all of its records are made from.
 *
 * Names are real, figures are invented. Every figure follows from the instrument's line in the
 * universe, a seed made of its symbol, and its own date. So time adds records and changes none:
 *
 * - A company has a profile: its industry's margins and leverage, varied a little, its own where the
 *   universe has them, and one rate of growth for revenue, earnings and equity. Price and dividends
 *   per share also grow by what it buys back. So its multiples stay near those of the universe
 *   (`profiles.ts`).
 * - On the anchor date the close is the universe's price, and the twelve months reported until then
 *   earn market cap / P/E. Before and after, prices wander about their trend with the country's
 *   market, the sector and alone, and jump on reports (`prices.ts`). Markets crash as they did
 *   (`shocks.ts`). Revenue and margin wander too (`fiscal-quarters.ts`).
 * - Balance sheets grow with equity. Cash flows lead from one to the next.
 * - Indices are what their members are worth, funds what they hold, cross rates products (`links.ts`).
 *   Past P/E of the indices are those of their members (`index-pe.ts`).
 * - The economies have figures of their own, except the price of oil (`economy.ts`), published by the
 *   calendars of their offices (`release-dates.ts`).
 * - No record uses the future: analysts and the calendar's consensus follow from figures that are
 *   published, and a figure is published at the moment that is announced for it
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
