import type { Country } from "#domain/country.ts";
import { COUNTRIES } from "#domain/country.ts";
import type { DailyBar } from "#domain/daily-bar.ts";
import { CsvError } from "#lib/csv.ts";

/** Ratios of the file's closes to the known ones that look like another unit. */
const SUSPECTS = [
  { from: 1 / 2_500, to: 1 / 400, words: "a thousandth of", unit: 1_000 },
  { from: 1 / 160, to: 1 / 63, words: "a hundredth of", unit: 100 },
  { from: 63, to: 160, words: "a hundred times", unit: 0.01 },
  { from: 400, to: 2_500, words: "a thousand times", unit: 0.001 },
] as const;

/** The number of bars that are compared, evenly spread. */
const COMPARED = 50;

/**
 * Refuses bars whose closes are about a hundredth, a thousandth, 100 times or 1,000 times the known
 * ones, by the median of up to 50 bars.
 *
 * @throws CsvError with the two closes and the flag that settles it
 */
export function refuseOtherUnit(
  line: number,
  bars: readonly DailyBar[],
  { country, findClose }: { country: Country; findClose?: (date: string) => number | null },
): void {
  if (!findClose) return;
  const step = Math.max(1, Math.ceil(bars.length / COMPARED));
  const compared = bars.flatMap((bar, i) => {
    if ((bars.length - 1 - i) % step !== 0) return [];
    const known = findClose(bar.date);
    return known === null ? [] : [{ bar, known, ratio: bar.close / known }];
  });
  compared.sort((a, b) => a.ratio - b.ratio);
  const middle = compared[compared.length >> 1];
  const suspect =
    middle && SUSPECTS.find(({ from, to }) => middle.ratio >= from && middle.ratio <= to);
  if (!suspect) return;
  const { bar, known } = middle;
  throw new CsvError(
    line,
    `the closes are about ${suspect.words} the known ones (${bar.close} on ${bar.date}, known is ${known}): give --unit ${suspect.unit} to multiply the prices, or --unit 1 if they are in ${COUNTRIES[country].currency}`,
  );
}
