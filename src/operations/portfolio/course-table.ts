import type { Closes } from "#analytics/price-statistics.ts";
import type { Cell } from "#lib/table.ts";
import { round2 } from "#panels/format.ts";
import { roundValue } from "./today.ts";

/** The most rows of a course: of a year, each second session. */
const MAX_ROWS = 130;

/**
 * The value of a portfolio over its period, and what its value at the start would be in the benchmark, a row for evenly
 * spaced sessions with the first and the last. Without a known value both begin at 100.
 *
 * @param values on the dates
 */
export function courseTable(
  dates: readonly string[],
  values: ArrayLike<number>,
  benchmark: Closes | null,
  isKnown: boolean,
): { columns: string[]; rows: Cell[][] } {
  const step = Math.max(1, Math.ceil((dates.length - 1) / (MAX_ROWS - 1)));
  const last = dates.length - 1;
  const shown = dates
    .map((_, i) => i)
    .filter((i) => i === last || (last - i) % step === 0 || i === 0);
  const start = isKnown ? 1 : 100 / (values[0] ?? Number.NaN);
  const round = (value: number) => (isKnown ? roundValue(value) : (round2(value) ?? 0));
  const first = benchmark?.close[0];
  let at = -1;
  const rows = shown.map((i): Cell[] => {
    const [date = "", value = Number.NaN] = [dates[i], values[i]];
    while (benchmark && (benchmark.dates[at + 1] ?? "9999") <= date) at++;
    const close = benchmark?.close[at];
    const own = (values[0] ?? Number.NaN) * start;
    return [
      date,
      round(value * start),
      close === undefined || first === undefined ? null : round((own * close) / first),
    ];
  });
  return { columns: ["date", "value", "benchmark"], rows };
}
