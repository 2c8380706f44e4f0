import {
  castVotes,
  ratingLabel,
  type RatingInputs,
  type TechnicalVotes,
  type Vote,
} from "#analytics/technical-rating.ts";
import { ratingInputs, type Technicals, TECHNICALS_MIN_BARS } from "#analytics/technicals.ts";
import type { BarSeries, DailyBar } from "#domain/daily-bar.ts";
import type { Instrument } from "#domain/instrument.ts";
import type { Panel } from "#domain/schema.ts";
import type { Cell } from "#lib/table.ts";
import { formatPriceDifference, formatRatio, MISSING, roundPrice } from "./format.ts";

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

/** The name of each oscillator, and the value that is shown for it. */
const OSCILLATORS: Readonly<
  Record<
    keyof TechnicalVotes["oscillators"],
    readonly [name: string, valueOf: (inputs: RatingInputs) => number]
  >
> = {
  rsi: ["RSI (14)", ({ rsi }) => rsi[0]],
  stochastic: ["Stochastic %K (14,3,3)", ({ stochastic }) => stochastic.k],
  cci: ["CCI (20) of the close", ({ cci }) => cci[0]],
  adx: ["ADX (14)", ({ adx }) => adx[0]],
  awesomeOscillator: ["Awesome Oscillator (5,34)", (inputs) => inputs.awesomeOscillator[0]],
  momentum: ["Momentum (10)", ({ momentum }) => momentum[0]],
  macd: ["MACD (12,26)", ({ macd }) => macd.level],
  stochasticRsi: ["Stochastic RSI %K (14,14,3,3)", (inputs) => inputs.stochasticRsi.k],
  williamsR: ["Williams %R (14)", ({ williamsR }) => williamsR[0]],
  bullBearPower: [
    "Bull Bear Power (13)",
    ({ bullPower, bearPower }) => bullPower[0] + bearPower[0],
  ],
  ultimateOscillator: ["Ultimate Oscillator (7,14,28)", (inputs) => inputs.ultimateOscillator],
};

/**
 * The 26 votes of an instrument's technical ratings at its last bar: group (`moving average` or
 * `oscillator`), item, value, vote (`buy`, `sell` or `neutral`). A row has null for a missing value or vote.
 * No rows with too few bars for ratings.
 */
export function votesTable(bars: BarSeries): { columns: string[]; rows: Cell[][] } {
  const columns = ["group", "item", "value", "vote"];
  if (bars.close.length < TECHNICALS_MIN_BARS) return { columns, rows: [] };
  const inputs = ratingInputs(bars);
  const { movingAverages, oscillators } = castVotes(inputs);
  const { ichimoku, ...averages } = movingAverages;
  const rowOf =
    (group: string) =>
    (item: string, value: number, vote: Vote): Cell[] => [
      group,
      item,
      Number.isFinite(value) ? roundPrice(value) : null,
      voteText(vote),
    ];
  const averageRow = rowOf("moving average");
  const oscillatorRow = rowOf("oscillator");
  const averageNames = Object.keys(averages) as (keyof typeof averages)[];
  const oscillatorNames = Object.keys(oscillators) as (keyof typeof oscillators)[];
  return {
    columns,
    rows: [
      ...averageNames.map((name) => {
        const item = name.replace(/\d+/, " ($&)").toUpperCase();
        return averageRow(item, inputs.averages[name], averages[name]);
      }),
      averageRow("Ichimoku base line (9,26,52,26)", inputs.ichimoku.base, ichimoku),
      ...oscillatorNames.map((name) => {
        const [item, valueOf] = OSCILLATORS[name];
        return oscillatorRow(item, valueOf(inputs), oscillators[name]);
      }),
    ],
  };
}

function voteText(vote: Vote): Cell {
  if (vote === null) return null;
  return vote > 0 ? "buy" : vote < 0 ? "sell" : "neutral";
}
