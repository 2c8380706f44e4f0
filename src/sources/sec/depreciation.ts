import type { Sheets } from "./balance-sheet.ts";
import type { Fact } from "./facts.ts";
import type { FindSpan, FiscalYear } from "./fiscal-calendar.ts";
import { knownOf, largestSeries, type Series, series, spanOf, sumSeries } from "./series.ts";

/** Facts by the tags of one part. */
type Candidates = readonly (readonly Fact[])[];

/** The facts from which depreciation and amortization are found. */
interface DepreciationFacts {
  readonly depreciationAndAmortization: Candidates;
  readonly depreciation: Candidates;
  readonly amortization: Candidates;
}

/**
 * Depreciation and amortization. A company may use the tag of the total for depreciation alone, and may state
 * amortization elsewhere or nowhere, so a year has the first of these figures that is proven:
 *
 * 1. The total, unless it is a part: see `totalRoles`.
 * 2. Depreciation and amortization from two lines, if the first is a line of the cash flow statement. A note
 *    leaves out leased vehicles (Tesla) or finance leases (Microsoft).
 * 3. Depreciation alone, if the company has neither goodwill nor intangible assets (Union Pacific).
 */
export function depreciationSeries(
  facts: DepreciationFacts,
  findSpan: FindSpan,
  sheets: Sheets,
): Series {
  const read = (candidates: Candidates) =>
    candidates.map((tagged) => series([tagged], findSpan, true));
  const total = largestSeries(read(facts.depreciationAndAmortization));
  const depreciation = largestSeries(read(facts.depreciation));
  const amortization = series(facts.amortization, findSpan, true);
  const lines = largestSeries(
    [...facts.depreciationAndAmortization, ...facts.depreciation].map((tagged) =>
      cashFlowYears(tagged, findSpan),
    ),
  );
  const roleOf = totalRoles(total, depreciation, amortization);
  const only = (values: Series, isWanted: (year: FiscalYear) => boolean) =>
    new Map([...values].filter(([year]) => isWanted(year)));
  const isTotal = (year: FiscalYear) => total.has(year) && roleOf(year) === "total";
  return new Map([
    ...only(
      depreciation,
      (year) => !total.has(year) && amortization.size === 0 && hasNoIntangibles(sheets, year),
    ),
    ...only(sumSeries(lines, amortization, true), (year) => !isTotal(year)),
    ...only(total, isTotal),
  ]);
}

/** What the tag of the total is in a year. */
type TotalRole = "total" | "part";

/**
 * What the tag of the total is in each year, by the other lines of that year, else of the year before.
 *
 * - A part, if it is depreciation up to 2 %, and amortization is beside it (Home Depot since fiscal 2022).
 * - A part, if it is more than 10 % below both lines together, and the quarters do not state it.
 * - A part without amortization, if it was a part in another year.
 */
function totalRoles(
  total: Series,
  depreciation: Series,
  amortization: Series,
): (year: FiscalYear) => TotalRole {
  const known = new Map<FiscalYear, TotalRole>();
  for (const [year, figures] of total) {
    const whole = figures.whole;
    const [first, second] = [depreciation.get(year), amortization.get(year)];
    if (whole === null || typeof first?.whole !== "number") continue;
    const both = first.whole + (second?.whole ?? 0);
    const isFirst = Math.abs(whole - first.whole) <= 0.02 * whole && both > 1.02 * whole;
    const isInQuarters = knownOf(figures) > 1 && knownOf(figures) >= knownOf(first);
    known.set(year, isFirst || (whole < 0.9 * both && !isInQuarters) ? "part" : "total");
  }
  const hasPart = [...known.values()].includes("part");
  return (year) => {
    const role = known.get(year);
    if (role === "part") return role;
    const hasAmortization = typeof amortization.get(year)?.whole === "number";
    if (total.get(year)?.whole !== null && hasPart && !hasAmortization) return "part";
    const before = [...known.keys()].filter((one) => one.end < year.end);
    const last = before.sort((a, b) => (a.end < b.end ? -1 : 1)).at(-1);
    return role ?? (last && known.get(last)) ?? "total";
  };
}

/**
 * The years in which a tag is a line of the cash flow statement, which quarterly reports state for the year to
 * date only. Notes and income statements also state a second or third quarter alone, and many notes are annual.
 *
 * Frames have no year to date, so there the first quarter and the whole year show it. A year that shows
 * neither is as the year before.
 */
function cashFlowYears(facts: readonly Fact[], findSpan: FindSpan): Series {
  const spans = new Map<FiscalYear, Set<string>>();
  for (const fact of facts) {
    const span = spanOf(fact, findSpan);
    if (span === null) continue;
    const stated = spans.get(span.year) ?? new Set<string>();
    spans.set(span.year, stated.add(`${span.from} ${span.to}`));
  }
  const values = series([facts], findSpan, true);
  const found = new Map<FiscalYear, NonNullable<ReturnType<Series["get"]>>>();
  let isLine = false;
  for (const year of [...values.keys()].sort((a, b) => (a.end < b.end ? -1 : 1))) {
    const has = (span: string) => spans.get(year)?.has(span) ?? false;
    if (has("1 2") || has("2 3")) isLine = false;
    else if (has("0 2") || has("0 3") || (has("0 1") && has("0 4"))) isLine = true;
    const figures = values.get(year);
    if (isLine && figures) found.set(year, figures);
  }
  return found;
}

/** True if the balance sheets of a year state assets, but neither goodwill nor intangible assets. */
function hasNoIntangibles(sheets: Sheets, year: FiscalYear): boolean {
  const dates = sheets.dates.filter((date) => date >= year.start && date <= year.end);
  return (
    !sheets.isPartial &&
    dates.length > 0 &&
    dates.every((date) => {
      const { goodwill, intangibleAssets } = sheets.at(date);
      return (goodwill ?? 0) === 0 && (intangibleAssets ?? 0) === 0;
    })
  );
}
