import type { PayloadOf } from "#operations/index.ts";

/** The yields of a government's bonds on one day. */
export interface Curve {
  readonly day: string;
  /** The id of the source: `treasury`. */
  readonly source: string;
  /** Percent by maturity in months, the shortest first. */
  readonly yields: ReadonlyMap<number, number>;
  /** The series of each maturity. */
  readonly names: ReadonlyMap<number, string>;
}

/** The maturities whose yields are compared, in months. */
export const [SHORT, LONG] = [24, 120];

/** The length of a maturity in months, from the name of its series; null for another series. */
export function maturityOf(name: string): number | null {
  const [, length, unit] = /^Yield curve, ([\d.]+) (month|year)s?$/.exec(name) ?? [];
  return length === undefined ? null : Number(length) * (unit === "year" ? 12 : 1);
}

/**
 * The curve of the day on which most maturities have their newest yield; null if no day has two of them. A maturity
 * without a yield of that day is left out.
 */
export function curveOf(indicators: PayloadOf<"get_macro_indicators"> | undefined): Curve | null {
  const all = (indicators?.["money"] ?? [])
    .map((one) => ({ ...one, months: maturityOf(one.name) ?? 0 }))
    .filter(({ months }) => months > 0)
    .toSorted((a, b) => a.months - b.months);
  const [found] = [...Map.groupBy(all, ({ period }) => period)].toSorted(
    ([day, own], [other, others]) => others.length - own.length || (day < other ? 1 : -1),
  );
  if (!found) return null;
  const [day] = found;
  const own = all.flatMap(({ latest, previous, period, previous_period: before, ...one }) =>
    period === day || before === day
      ? [{ ...one, percent: period === day ? latest : previous }]
      : [],
  );
  const [first] = own;
  if (!first || own.length < 2) return null;
  return {
    day,
    source: first.source,
    yields: new Map(own.map(({ months, percent }) => [months, percent])),
    names: new Map(own.map(({ months, name }) => [months, name])),
  };
}

/** How many points bonds of 10 years yield more than bonds of 2 years; null if one has no yield. */
export function spreadOf({ yields }: Curve): number | null {
  const [short, long] = [yields.get(SHORT), yields.get(LONG)];
  return short === undefined || long === undefined ? null : Number((long - short).toFixed(3));
}
