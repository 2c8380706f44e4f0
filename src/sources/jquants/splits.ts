import type { Instrument } from "#domain/instrument.ts";
import type { Split, SplitHistory } from "#domain/split.ts";
import { defineFetcher, type LiveQuery } from "#sources/fetcher.ts";
import { figureOf } from "./answer.ts";
import { type DayRow, readDays, requestDays, tradedOf } from "./days.ts";
import { JQUANTS } from "./source.ts";

/** The largest denominator of a split. */
const MAX_DENOMINATOR = 200;
/** The relative error of a factor's digits: 0.333333 is 1 / 3. */
const FACTOR_ERROR = 1e-5;

/** Splits and rights issues within the span of the plan, after the stored splits that are older. */
export const jquantsSplits = defineFetcher({
  kind: "splits",
  source: JQUANTS,
  countries: ["JP"],
  scope: "instrument",
  fetch: requestDays,
  transform(pages: readonly unknown[], query) {
    const instrument = tradedOf(query.instrument);
    return [splitsIn(readDays(pages, instrument.symbol), instrument, query)];
  },
});

/** The stored splits that are older than the first row, and those that daily rows show. */
export function splitsIn(
  rows: readonly DayRow[],
  { country, symbol }: Instrument,
  { splitsOf }: LiveQuery,
): SplitHistory {
  const first = rows.reduce((date, row) => (row.Date < date ? row.Date : date), "9999-12-31");
  const stored = splitsOf?.(symbol) ?? [];
  const splits = rows.flatMap(({ Date, AdjFactor }): Split[] => {
    const factor = figureOf(AdjFactor) ?? 1;
    return factor === 1 || !(factor > 0) ? [] : [{ exDate: Date, ...sharesOf(factor) }];
  });
  const earlier = stored.filter(({ exDate }) => exDate < first);
  return {
    country,
    symbol,
    splits: [...earlier, ...splits.sort((a, b) => a.exDate.localeCompare(b.exDate))],
  };
}

/** New shares for old ones by a factor of prices: 5 for 1 by 0.2, 11 for 10 by 0.909091. */
function sharesOf(factor: number): Pick<Split, "numerator" | "denominator"> {
  for (let denominator = 1; denominator <= MAX_DENOMINATOR; denominator++) {
    const numerator = Math.round(denominator / factor);
    if (numerator > 0 && Math.abs((numerator / denominator) * factor - 1) < FACTOR_ERROR)
      return { numerator, denominator };
  }
  return { numerator: 1 / factor, denominator: 1 };
}
