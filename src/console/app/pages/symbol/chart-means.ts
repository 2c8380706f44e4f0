import type { Bar, Point } from "#console/app/parts/chart-data.ts";

/** The arithmetic mean of the last closes at each bar; without a value before there are enough. */
export function meanOfCloses(bars: readonly Bar[], length: number): Point[] {
  let sum = 0;
  return bars.map(({ date, close }, i) => {
    sum += close - (bars[i - length]?.close ?? 0);
    return i < length - 1 ? { date } : { date, value: sum / length };
  });
}
