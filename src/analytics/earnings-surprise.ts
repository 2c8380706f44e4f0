import type { EarningsResult } from "#domain/earnings-results.ts";
import { percent } from "./ratios.ts";

/**
 * The distance of reported earnings per share from the analysts' estimate before the report, in percent of the
 * estimate's size: positive if the company earned more, or lost less. Null without an estimate, or if it is 0.
 */
export function surprisePercent({
  epsActual,
  epsEstimate,
}: Pick<EarningsResult, "epsActual" | "epsEstimate">): number | null {
  if (epsEstimate === null) return null;
  return percent(epsActual - epsEstimate, Math.abs(epsEstimate));
}

/** How a company's reported earnings compare with the estimates before. */
export interface SurpriseRecord {
  /** Of the newest reported quarter; null without an estimate. */
  readonly lastPercent: number | null;
  /** The number of the last four reported quarters above their estimates; null if one of them is unknown. */
  readonly beatsOfFour: number | null;
}

/** The record of the last four quarters. `results` are oldest first. */
export function surpriseRecord(results: readonly EarningsResult[]): SurpriseRecord {
  const surprises = results.slice(-4).map(surprisePercent);
  const isKnown = surprises.length === 4 && !surprises.includes(null);
  return {
    lastPercent: surprises.at(-1) ?? null,
    beatsOfFour: isKnown ? surprises.filter((percent) => (percent ?? 0) > 0).length : null,
  };
}
