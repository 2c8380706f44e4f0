import { addMonths, dateOf } from "#lib/date.ts";
import { memoize } from "./memoize.ts";
import { Prices } from "./prices.ts";
import { type FiscalQuarter, fiscalQuarters } from "./statements.ts";
import { mainListing, type SampleListing } from "./universe.ts";

/**
 * The sample market at one instant. All of its records are generated from it.
 *
 * Names are real, figures are invented. Every figure is a function of the instrument's line in the
 * universe, a seed from its symbol, and the figure's date. So time adds records and changes none:
 *
 * - On the anchor date the close is the universe's price, and the net income of the twelve months reported
 *   until then is market cap / P/E. Before and after, prices revert to a trend (`prices.ts`), which grows
 *   as fast as earnings per share, so multiples stay near the universe's.
 * - A company has a profile: its industry's figures, varied a little, or its own (`profiles.csv`).
 * - An index is the value of its members, a fund follows its holdings, a cross rate is a product.
 * - No record uses the future: estimates and the calendar's consensus follow from published figures, and a
 *   figure is published at its announced instant.
 */
export interface SampleMarket {
  /** UTC milliseconds. */
  readonly now: number;
  /** The UTC date. */
  readonly today: string;
  readonly prices: Prices;
  /** The fiscal quarters of a stock or REIT, the same for all its classes: oldest first, including the next two years. */
  readonly quarters: (listing: SampleListing) => readonly FiscalQuarter[];
}

const MONTHS_AHEAD = 24;

/** The sample market at `now`, UTC milliseconds. */
export function createSampleMarket(now: number): SampleMarket {
  const today = dateOf(now);
  const through = addMonths(today, MONTHS_AHEAD);
  const ofMainClass = memoize((main: SampleListing) => fiscalQuarters(main, through));
  return {
    now,
    today,
    prices: new Prices(now),
    quarters: (listing) => ofMainClass(mainListing(listing)),
  };
}
