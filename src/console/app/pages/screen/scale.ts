import type { Bounds, Limit } from "./conditions.ts";

/** The range of a metric that the handles cross, in steps of one round number. */
export interface Scale {
  readonly low: number;
  readonly high: number;
  readonly step: number;
}

/** A handle crosses its range in 40 to 100 steps. */
const LEAST_STEPS = 40;
/** Units whose values are whole numbers, or are read as such. */
const WHOLE_UNITS = ["count", "index", "percentile"];

/** 1, 2 or 5 times a power of ten, at most `size`. */
function roundStep(size: number): number {
  const power = 10 ** Math.floor(Math.log10(size));
  const digit = [5, 2, 1].find((one) => one * power <= size) ?? 1;
  return Number((digit * power).toPrecision(1));
}

/** The scale around a range of figures. Its ends are steps too. Null without a range. @param unit of the metric: `count` */
export function scaleOf(range: Pick<Scale, "low" | "high">, unit: string): Scale | null {
  const size = range.high - range.low;
  if (!(size > 0)) return null;
  const round = roundStep(size / LEAST_STEPS);
  const step = WHOLE_UNITS.includes(unit) ? Math.max(1, round) : round;
  return {
    low: exact(Math.floor(exact(range.low / step)) * step),
    high: exact(Math.ceil(exact(range.high / step)) * step),
    step,
  };
}

/** Without the error of sums of decimals. */
const exact = (value: number) => Number(value.toPrecision(12));

const SIZES = [
  [1e12, "T"],
  [1e9, "B"],
  [1e6, "M"],
] as const;

/** A limit as conditions write it: `20`, `-1.5`, `20B`. */
export function writeLimit(value: number): string {
  const [size, unit] = SIZES.find(([one]) => Math.abs(value) >= one) ?? [1, ""];
  return `${exact(value / size)}${unit}`;
}

/**
 * The places of a handle, from left to right. Null is no limit: the first place of the lower handle, the last one of
 * the upper handle. The limit of the filter has a place of its own, so the handle begins there, and what is chosen is
 * as strict as the filter was.
 */
export function stopsOf(scale: Scale, bounds: Bounds, side: keyof Bounds): (Limit | null)[] {
  const { low, high, step } = scale;
  const own = bounds[side];
  const isStrict = own?.isStrict ?? false;
  const first = side === "low" ? 1 : 0;
  const count = Math.round((high - low) / step);
  const limits = Array.from({ length: count }, (_, i): Limit => {
    const value = exact(low + (first + i) * step);
    return { value, text: writeLimit(value), isStrict };
  });
  const others = limits.filter(({ value }) => value !== own?.value);
  const sorted = [...others, ...(own ? [own] : [])].toSorted((a, b) => a.value - b.value);
  return side === "low" ? [null, ...sorted] : [...sorted, null];
}

/** The place nearest to `place` at which the lower limit stays below the upper one. */
export function placeWithin(
  stops: readonly (Limit | null)[],
  bounds: Bounds,
  side: keyof Bounds,
  place: number,
): number {
  const fits = (limit: Limit | null | undefined) =>
    !limit ||
    (side === "low"
      ? limit.value < (bounds.high?.value ?? Infinity)
      : limit.value > (bounds.low?.value ?? -Infinity));
  const step = side === "low" ? -1 : 1;
  let at = place;
  while (!fits(stops[at])) at += step;
  return at;
}
