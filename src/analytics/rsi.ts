import { momentum } from "./momentum.ts";
import { rma } from "./moving-averages.ts";
import type { Series } from "./series.ts";

/**
 * Relative Strength Index (Wilder, 1978), 0 to 100: 100 − 100 / (1 + U / D), where U and D are the
 * Wilder averages of the gains and losses (not the rolling means of Cutler's variant). It is 100 if
 * there is no loss, also for flat prices. The first value is at bar `period`.
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
