import { ratingLabel } from "#analytics/technical-rating.ts";
import type { Technicals } from "#analytics/technicals.ts";
import type { Panel } from "#domain/schema.ts";
import { formatRatio, MISSING } from "./format.ts";

/** The technical indicators of an instrument at its newest bar. */
export function technicalsPanel(name: string, t: Technicals): Panel {
  return {
    Name: name,
    "Tech rating": ratingLabel(t.ratings.technical) ?? MISSING,
    "MA rating": ratingLabel(t.ratings.movingAverages) ?? MISSING,
    "Os rating": ratingLabel(t.ratings.oscillators) ?? MISSING,
    "RSI (14)": formatRatio(t.rsi),
    "MACD (12,26)Level": formatRatio(t.macdLevel),
    "MACD (12,26)Signal": formatRatio(t.macdSignal),
    "Stoch (14,3,3)%K": formatRatio(t.stochK),
    "Stoch (14,3,3)%D": formatRatio(t.stochD),
    "CCI (20)": formatRatio(t.cci),
    "Mom (10)": formatRatio(t.momentum),
    AO: formatRatio(t.awesomeOscillator),
  };
}
