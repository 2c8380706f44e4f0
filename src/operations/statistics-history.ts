import { changePercent } from "#analytics/performance.ts";
import { type Closes, NO_CLOSES } from "#analytics/price-statistics.ts";
import type { Provenance } from "#domain/records.ts";
import type { Adjustment } from "#domain/split.ts";
import { addDays } from "#lib/date.ts";
import { lazy } from "#lib/lazy.ts";
import { convertPrices, type CurrencyRates } from "#rollups/currency-rates.ts";
import { type Prices, pricesOf } from "#rollups/prices.ts";
import {
  type AdjusterInputs,
  findAdjuster,
  getAdjuster,
  type PriceAdjuster,
} from "./adjusted-prices.ts";
import { FIRST_DATE, type PriceRange, rangeStart } from "./reading/price-range.ts";

/** The period of statistics: a range, or dates, or whole calendar years. */
export interface StatisticsPeriod {
  readonly range?: PriceRange | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Calendar years in ascending order. */
  readonly years?: readonly number[] | undefined;
}

/** The closes of a period, and their return in percent. */
export interface PeriodCloses {
  readonly closes: Closes;
  /** Null if the prices begin later, or there are none. */
  readonly returnPercent: number | null;
}

/** An instrument with its closes of the period. */
export interface History extends PeriodCloses {
  readonly instrument: AdjusterInputs["instrument"];
  /** The ISO code of the currency of its prices; null for an index in points. */
  readonly currency: string | null;
  /** True if no session is in the period. */
  readonly isEmpty: boolean;
  /** The date of the first close in any period; null without closes. */
  readonly begins: string | null;
  /** The closes of the answer; null if they are unknown. */
  readonly shown: Prices | null;
  /** The closes behind the figures; null if they are unknown. */
  readonly figures: Prices | null;
  /** Reads the closes with dividends once; null if these are unknown. */
  readonly totals: () => Prices | null;
  /** Why figures are null; null if they are known. */
  readonly reason: string | null;
  /** The provenances of the records that were read so far. */
  readonly from: () => readonly Provenance[];
}

/** The adjustment and the currency of prices. */
interface Basis {
  readonly adjustment: Adjustment;
  /** ISO code; the instrument's own currency if absent. */
  readonly currency?: string | undefined;
  readonly rates: CurrencyRates;
}

/**
 * Reads the closes of an instrument in the period. Figures are computed from closes that are adjusted for
 * splits at least: a split is no loss. Closes are converted after the adjustment.
 */
export function readHistory(
  { adjustment, currency, rates }: Basis,
  inputs: Omit<AdjusterInputs, "allCloses">,
  period: StatisticsPeriod,
): History {
  const { market, instrument } = inputs;
  const { country, symbol, assetType } = instrument;
  const to = currency ?? instrument.currency;
  const convert = (one: Prices) => convertPrices(one, instrument, rates, to);
  const quote = market.documents.find("quotes", country, symbol);
  const local = pricesOf(market, instrument, quote);
  const allCloses = () => local.list(FIRST_DATE, local.newest?.date ?? FIRST_DATE);
  const total = lazy(() => findAdjuster("total", { ...inputs, allCloses }));
  let paid: readonly Provenance[] = [];
  const totals = lazy(() => {
    const { adjuster } = total();
    paid = adjuster?.from ?? [];
    return adjuster && convert(adjustPrices(local, adjuster));
  });
  const raw = adjustment === "none" ? getAdjuster("none", { ...inputs, allCloses }) : null;
  const figures = adjustment === "total" ? totals() : convert(local);
  const found = closesOf(figures ?? convert(local), period);
  return {
    instrument,
    currency: assetType === "index" && to === instrument.currency ? null : to,
    begins: market.bars.findOnOrAfter(instrument.id, FIRST_DATE)?.date ?? null,
    isEmpty: isEmpty(found) && isEmpty(closesOf(local, period)),
    ...found,
    figures,
    totals,
    shown: raw ? convert(adjustPrices(local, raw)) : figures,
    reason: adjustment === "total" ? total().reason : null,
    from: () => [...local.from, ...(raw?.from ?? []), ...paid],
  };
}

const isEmpty = ({ closes }: PeriodCloses) => closes.dates.length === 0;

/** The prices after an adjustment. */
function adjustPrices(prices: Prices, { closes }: PriceAdjuster): Prices {
  return {
    ...prices,
    findClose(date) {
      const found = prices.findClose(date);
      if (!found) return null;
      const { close } = closes({ dates: [found.date], close: Float64Array.of(found.close) });
      return { date: found.date, close: close[0] ?? Number.NaN };
    },
    list: (from, to) => closes(prices.list(from, to)),
  };
}

/**
 * The closes of the period, and their return in percent. The first is the last close at or before the start
 * date. The last is the instrument's newest close, or the last close at or before the end.
 */
export function closesOf(prices: Prices, period: StatisticsPeriod): PeriodCloses {
  const { range, years } = period;
  const [firstYear, lastYear] = [years?.[0], years?.at(-1)];
  if (firstYear !== undefined && lastYear !== undefined)
    return closesBetween(prices, `${firstYear}-01-01`, `${lastYear}-12-31`);
  const { from, to } = period;
  const end = to === undefined ? prices.newest : prices.findClose(to);
  if (end === null || (from !== undefined && from > end.date)) return NONE;
  const start = from ?? rangeStart(range ?? "1y", end.date);
  const before = prices.findClose(start);
  const closes = prices.list(before?.date ?? start, end.date);
  const first = start === FIRST_DATE ? closes.close[0] : before?.close;
  return { closes, returnPercent: changePercent(end.close, first ?? null) };
}

const NONE: PeriodCloses = { closes: NO_CLOSES, returnPercent: null };

/**
 * The closes of the calendar days from `first` to `last`, from the last close before them. None without a
 * session on these days.
 */
export function closesBetween(prices: Prices, first: string, last: string): PeriodCloses {
  const end = prices.findClose(last);
  if (end === null || end.date < first) return NONE;
  const before = prices.findClose(addDays(first, -1));
  const closes = prices.list(before?.date ?? first, end.date);
  return { closes, returnPercent: changePercent(end.close, before?.close ?? null) };
}
