/** How expensive a multiple is compared with its own past, most expensive first. */
export const VERDICTS = ["Very expensive", "Expensive", "Fair", "Cheap", "Very cheap"] as const;
/** One of `VERDICTS`. */
export type Verdict = (typeof VERDICTS)[number];

/** Up to half a standard deviation from the mean, a multiple is `Fair`. */
const FAIR = 0.5;
/** Up to one standard deviation it is `Cheap` or `Expensive`; up to two and beyond, the same with `Very`. */
const USUAL = 1;
/** The percents of a normal distribution between the mean and these distances: Φ(½) − ½ and Φ(1) − ½. */
const FAIR_PERCENT = 19.146;
const USUAL_PERCENT = 34.134;

/**
 * The verdict on a multiple by its distance from the mean of its past, in standard deviations: `Fair` within half of
 * one, `Cheap` or `Expensive` within one, `Very cheap` or `Very expensive` within two and beyond.
 */
export function verdictByDeviation(deviations: number): Verdict {
  return verdictAt(deviations, FAIR, USUAL);
}

/**
 * The verdict on a multiple by its percentile (0 to 100) in its past. The limits are the percentiles that half and
 * one standard deviation have in a normal distribution: 30.9 to 69.1 is `Fair`, 15.9 to 84.1 `Cheap` or `Expensive`.
 */
export function verdictByPercentile(percentile: number): Verdict {
  return verdictAt(percentile - 50, FAIR_PERCENT, USUAL_PERCENT);
}

function verdictAt(distance: number, fair: number, usual: number): Verdict {
  if (Math.abs(distance) <= fair) return "Fair";
  if (Math.abs(distance) <= usual) return distance > 0 ? "Expensive" : "Cheap";
  return distance > 0 ? "Very expensive" : "Very cheap";
}
