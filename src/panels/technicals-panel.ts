import { ratingLabel } from "#analytics/technical-rating.ts";
import type { Technicals } from "#analytics/technicals.ts";
import type { DailyBar } from "#domain/daily-bar.ts";
import type { Instrument } from "#domain/instrument.ts";
import type { Panel } from "#domain/schema.ts";
import { formatPriceDifference, formatRatio, MISSING } from "./format.ts";

/**
 * The panel of an instrument's technical indicators at its newest bar (null without bars). MACD, momentum and Awesome Oscillator are differences of prices: for a currency or a
 * cryptocurrency they have as many decimals as the close.
 */
export function technicalsPanel(
  { name, assetType }: Pick<Instrument, "name" | "assetType">,
  newest: Pick<DailyBar, "date" | "close"> | null,
  t: Technicals,
): Panel {
  const difference = (value: number | null) =>
    formatPriceDifference(value, newest?.close ?? null, assetType);
  return {
    Name: name,
    "Price date": newest?.date ?? MISSING,
    "Tech rating": ratingLabel(t.ratings.technical) ?? MISSING,
    "MA rating": ratingLabel(t.ratings.movingAverages) ?? MISSING,
    "Os rating": ratingLabel(t.ratings.oscillators) ?? MISSING,
    "RSI (14)": formatRatio(t.rsi),
    "MACD (12,26)Level": difference(t.macdLevel),
    "MACD (12,26)Signal": difference(t.macdSignal),
    "Stoch (14,3,3)%K": formatRatio(t.stochK),
    "Stoch (14,3,3)%D": formatRatio(t.stochD),
    "CCI (20)": formatRatio(t.cci),
    "Mom (10)": difference(t.momentum),
    AO: difference(t.awesomeOscillator),
  };
}
