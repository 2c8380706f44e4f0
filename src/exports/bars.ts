import type { BarSeries } from "#domain/daily-bar.ts";
import { findAdjuster } from "#operations/adjusted-prices.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { firstAtOrAfter } from "#analytics/adjusted-prices.ts";
import { type Batch, COUNTRY_COLUMN, type ExportColumn } from "./columns.ts";

/** More than the sessions of any history. */
const ALL_BARS = 100_000;

const price = (name: string, description: string): ExportColumn => ({
  name,
  type: "number",
  isRequired: true,
  unit: "currency of the instrument",
  description,
});

/** The columns of the file of bars. */
export const BAR_COLUMNS: readonly ExportColumn[] = [
  COUNTRY_COLUMN,
  {
    name: "symbol",
    type: "text",
    isRequired: true,
    unit: "",
    description: "Symbol, as in `instruments`",
  },
  {
    name: "date",
    type: "date",
    isRequired: true,
    unit: "",
    description: "Day of the session in the local time of its exchange",
  },
  price("open", "Open, adjusted for splits"),
  price("high", "High, adjusted for splits"),
  price("low", "Low, adjusted for splits"),
  price("close", "Close, adjusted for splits: `adjust=split` of the API"),
  {
    name: "volume",
    type: "number",
    unit: "shares or units",
    description: "Traded shares or units, adjusted for splits; missing if no source gives it",
  },
  {
    name: "split_factor",
    type: "number",
    unit: "",
    description:
      "Times a price, it is the price as traded, and volume divided by it is the volume as traded: `adjust=none`; missing if the splits are unknown",
  },
  {
    name: "total_return_factor",
    type: "number",
    unit: "",
    description:
      "Times a price, it is the price with reinvested dividends: `adjust=total`; missing if the dividends are unknown, and for an index, whose level has no dividends",
  },
];

/** The bars of an instrument with their factors. */
export interface ExportedBars extends BarSeries {
  readonly instrument: StoredInstrument;
  /** The number of the traded shares for one share of today; null if the splits are unknown. */
  readonly splitFactor: Float64Array | null;
  /** Null if the dividends are unknown. */
  readonly totalReturnFactor: Float64Array | null;
  readonly sources: ReadonlySet<string>;
}

/** What is read of each instrument. */
export interface BarsRequest {
  readonly market: MarketStore;
  /** The UTC date. */
  readonly today: string;
  /** The first date; null for all. */
  readonly since: string | null;
}

/** The bars of an instrument from `since` on; null if it has none. */
export function readBars(
  { market, today, since }: BarsRequest,
  instrument: StoredInstrument,
): ExportedBars | null {
  const provenance = market.bars.findProvenance(instrument.id);
  if (!provenance) return null;
  const all = market.bars.series(instrument.id, ALL_BARS);
  const first = since === null ? 0 : firstAtOrAfter(all.dates, since);
  if (first === all.dates.length) return null;
  const sources = new Set([provenance.source]);
  const ones = new Float64Array(all.dates.length).fill(1);
  // All closes count: a dividend before `since` has no effect, but the closes before a dividend do.
  const factorsOf = (adjustment: "none" | "total") => {
    const found = findAdjuster(adjustment, { market, instrument, allCloses: () => all, today });
    if (!found.adjuster) return null;
    for (const { source } of found.adjuster.from) sources.add(source);
    const { close } = found.adjuster.closes({ dates: all.dates, close: ones });
    return close.slice(first);
  };
  return {
    instrument,
    dates: all.dates.slice(first),
    open: all.open.subarray(first),
    high: all.high.subarray(first),
    low: all.low.subarray(first),
    close: all.close.subarray(first),
    volume: all.volume.subarray(first),
    splitFactor: factorsOf("none") as Float64Array | null,
    totalReturnFactor: factorsOf("total") as Float64Array | null,
    sources,
  };
}

/** The bars of instruments as batches of the columns. */
export function* barBatches(
  request: BarsRequest,
  instruments: Iterable<StoredInstrument>,
): Generator<Batch> {
  for (const instrument of instruments) {
    const bars = readBars(request, instrument);
    if (!bars) continue;
    const rows = bars.dates.length;
    const none = { length: rows };
    const { dates, open, high, low, close, volume, splitFactor, totalReturnFactor } = bars;
    yield {
      values: [
        Array.from(none, () => instrument.country),
        Array.from(none, () => instrument.symbol),
        dates,
        open,
        high,
        low,
        close,
        volume,
        splitFactor ?? none,
        totalReturnFactor ?? none,
      ],
      rows,
      sources: bars.sources,
    };
  }
}
