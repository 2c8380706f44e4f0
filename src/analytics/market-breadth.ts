import { type MetricInputs, METRICS } from "./metrics.ts";

/** How the companies of a country traded in one session. */
export interface MarketBreadth {
  readonly advancers: number;
  readonly decliners: number;
  readonly unchanged: number;
  /** Companies whose change in the session is not known. */
  readonly unknown: number;
  /** Companies at a limit of the exchange; null if no limit is known. */
  readonly atCeiling: number | null;
  readonly atFloor: number | null;
  /** Of companies with a known volume, in the currency of their prices; null without one. */
  readonly tradedValue: number | null;
  /** The number of companies in `tradedValue`. */
  readonly tradedValueOf: number;
}

/** Counts the companies by their change in a session. @param session a local date; null without prices */
export function marketBreadth(
  companies: readonly (MetricInputs & {
    readonly newest: { readonly date: string } | null;
  })[],
  session: string | null,
): MarketBreadth {
  const traded = companies.filter(({ newest }) => newest !== null && newest.date === session);
  const count = (isOne: (company: MetricInputs) => boolean) => traded.filter(isOne).length;
  const values = traded.flatMap((company) => METRICS.traded_value.valueOf(company) ?? []);
  const hasLimits = traded.some(({ limits }) => limits);
  const known = count(({ changePercent }) => changePercent !== null);
  return {
    advancers: count(({ changePercent }) => (changePercent ?? 0) > 0),
    decliners: count(({ changePercent }) => (changePercent ?? 0) < 0),
    unchanged: count(({ changePercent }) => changePercent === 0),
    unknown: companies.length - known,
    atCeiling: !hasLimits ? null : count(({ limits }) => limits?.belowCeilingPercent === 0),
    atFloor: !hasLimits ? null : count(({ limits }) => limits?.aboveFloorPercent === 0),
    tradedValue: values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0),
    tradedValueOf: values.length,
  };
}
