import { momentum } from "./momentum.ts";
import { rma } from "./moving-averages.ts";
import type { Series } from "./series.ts";

/**
 * Relative Strength Index, 0..100, after Wilder (1978): 100 − 100 / (1 + U / D), where U and D are
 * Wilder averages of the gains and losses (not the rolling means of Cutler's variant). 100 where
 * there is no loss, flat prices included. First value at bar `period`.
 */
export function rsi(close: Series, period: number): Series {
  const changes = momentum(close, 1);
  const gains = rma(
    changes.map((change) => Math.max(change, 0)),
    period,
  );
  const losses = rma(
    changes.map((change) => Math.max(-change, 0)),
    period,
  );
  return gains.map((gain, i) => {
    const loss = losses[i]!;
    return loss === 0 ? 100 : 100 - 100 / (1 + gain / loss);
  });
}
