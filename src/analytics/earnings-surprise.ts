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
