import { addMonths, dateOf } from "#lib/date.ts";
import { type FiscalQuarter, fiscalQuarters } from "./fiscal-quarters.ts";
import { Prices } from "./prices.ts";
import { memoize } from "./memoize.ts";
import type { SampleListing } from "./universe.ts";

/**
 * The sample market at one instant. All of its records are generated from it.
 *
 * Names are real, figures are invented. Every figure is a function of the instrument's line in the
 * universe, a seed from its symbol, and the figure's date. So time adds records and changes none:
 *
 * - A company has a profile: its industry's margins and leverage, varied a little, or its own if the
 *   universe has them. Revenue, earnings and equity have one growth rate. Price and dividends per
 *   share also grow by buy-backs. So multiples stay near those of the universe (`profiles.ts`).
 * - On the anchor date the close is the universe's price, and the net income of the twelve months
 *   reported until then is market cap / P/E. Before and after, a price reverts to its trend. It moves
 *   with the country's market, with its sector and on its own, and jumps on reports (`prices.ts`).
 *   Markets fall in the real episodes (`shocks.ts`). Revenue and margin are mean-reverting
 *   (`fiscal-quarters.ts`).
 * - Balance sheets grow with equity. Cash flows reconcile them.
 * - An index is the value of its members, a fund that of its holdings, a cross rate a product
 *   (`links.ts`). The past P/E of an index is that of its members (`index-pe.ts`).
 * - Economic figures do not depend on the markets, except the price of oil (`economy.ts`). They are
 *   published by the calendars of the statistical offices (`release-dates.ts`).
 * - No record uses the future. Analysts' estimates and the calendar's consensus follow from published
 *   figures, and a figure is published at its announced instant (`analyst-coverage.ts`,
 *   `calendar-events.ts`).
 */
export interface SampleMarket {
  /** UTC milliseconds. */
  readonly now: number;
  /** The UTC date. */
  readonly today: string;
  readonly prices: Prices;
  /** The fiscal quarters of a stock or REIT, oldest first, including the next two years. */
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
    prices: new Prices(now),
    quarters: memoize((listing) => fiscalQuarters(listing, through)),
  };
}
