import type { Country } from "#domain/country.ts";
import { isShare } from "#domain/instrument.ts";
import { formatCount } from "#lib/table.ts";
import { roundPrice } from "#panels/format.ts";
import { type ExportedBars, readBars } from "./bars.ts";
import type { ExportSource } from "./kinds.ts";

/** The bars of a share as they were traded: prices with seven significant digits, as the API shows them. */
export interface TradedBars extends Omit<ExportedBars, "splitFactor"> {
  readonly splitFactor: Float64Array;
}

/** Counts instruments that cannot be written, by reason. */
export class LeftOut {
  readonly #counts = new Map<string, number>();

  add(reason: string): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
  }

  /** A sentence for each reason. */
  notes(): string[] {
    return [...this.#counts].map(
      ([reason, count]) => `${formatCount(count, "instrument")} left out: ${reason}.`,
    );
  }
}

/** The shares of a country whose prices as traded are known, by symbol. */
export function* listTraded(
  source: ExportSource,
  country: Country,
  leftOut: LeftOut,
): Generator<TradedBars> {
  for (const instrument of source.instrumentsOf(country)) {
    if (!isShare(instrument.assetType)) continue;
    const bars = readBars(source, instrument);
    if (!bars) continue;
    const { splitFactor } = bars;
    if (!splitFactor) {
      leftOut.add("prices as traded need the splits, which are unknown");
      continue;
    }
    const traded = (prices: Float64Array) =>
      prices.map((price, i) => roundPrice(price * (splitFactor[i] ?? Number.NaN)));
    yield {
      ...bars,
      splitFactor,
      open: traded(bars.open),
      high: traded(bars.high),
      low: traded(bars.low),
      close: traded(bars.close),
      volume: bars.volume.map((count, i) => Math.round(count / (splitFactor[i] ?? Number.NaN))),
    };
  }
}
