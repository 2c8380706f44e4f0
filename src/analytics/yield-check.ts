import { isCurveMaturity, type MacroSeries } from "#domain/macro.ts";
import { threshold } from "./plausibility.ts";
import type { Checked } from "./quote-check.ts";

/**
 * The series of a maturity of a yield curve without implausible yields: those that no government pays, and those that
 * are far from both neighbours. The newest one has one neighbour, so a jump is left out until the next day confirms it.
 * Other series stay as they are. `record` is null if no yield is left.
 */
export function checkYields(record: MacroSeries): Checked<MacroSeries> {
  if (!isCurveMaturity(record)) return { record, faults: [] };
  const [highest, farthest] = [threshold("highestYield"), threshold("yieldMove")];
  const faults: string[] = [];
  const possible = record.observations.filter(({ period, value }) => {
    if (Math.abs(value) <= highest) return true;
    faults.push(`${period}, a yield of ${value} %`);
    return false;
  });
  const observations: MacroSeries["observations"] = [];
  for (const [i, one] of possible.entries()) {
    // The first yield has no day before it, so two days after it are its neighbours.
    const before = observations.at(-1) ?? possible[i + 2];
    const neighbours = [before, possible[i + 1]].filter((other) => other !== undefined);
    const isFar = neighbours.every(({ value }) => Math.abs(value - one.value) > farthest);
    if (neighbours.length === 0 || !isFar) observations.push(one);
    else faults.push(`${one.period}, a yield of ${one.value} % beside ${neighbours[0]?.value} %`);
  }
  return { record: observations.length === 0 ? null : { ...record, observations }, faults };
}
