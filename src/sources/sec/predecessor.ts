import type { Fact, TagFacts, TaxonomyFacts } from "./facts.ts";

/** The tags by which two histories are compared, of both taxonomies. */
const COMPARED = [
  "Assets",
  "Liabilities",
  "StockholdersEquity",
  "Equity",
  "NetIncomeLoss",
  "ProfitLoss",
  "Revenues",
  "RevenueFromContractWithCustomerExcludingAssessedTax",
  "Revenue",
  "IncomeTaxExpenseBenefit",
  "NetCashProvidedByUsedInOperatingActivities",
];
/** Equal figures that prove one company: a stranger may share one by chance. */
const PROOFS = 3;

/**
 * The CIK that may belong to the predecessor of a company with facts: the one that filed its first
 * report, as the accession number shows; null if the company filed it itself, or has no figures.
 *
 * After a holding reorganisation the old company often files for the new one. Most other filers are agents,
 * which have no facts of their own.
 */
export function findFirstFiler(taxonomies: readonly TaxonomyFacts[], cik: number): number | null {
  const filer = /^(\d{10})-/.exec(firstFact(taxonomies)?.filing ?? "")?.[1];
  return filer === undefined || Number(filer) === cik ? null : Number(filer);
}

/** The day of a company's first report with figures; empty if it has none. */
export function firstFiledOn(taxonomies: readonly TaxonomyFacts[]): string {
  return firstFact(taxonomies)?.filed ?? "";
}

function firstFact(taxonomies: readonly TaxonomyFacts[]): Fact | null {
  let first: Fact | null = null;
  for (const [, fact] of comparedFacts(taxonomies))
    if (first === null || fact.filed < first.filed) first = fact;
  return first;
}

/**
 * The facts of both companies, if they are one: at least three figures that the new one states for earlier
 * periods are the old one's, and none in ten differs. Otherwise the facts of the new one.
 */
export function joinPredecessor(
  own: readonly TaxonomyFacts[],
  other: readonly TaxonomyFacts[],
): readonly TaxonomyFacts[] {
  const known = Map.groupBy(comparedFacts(other), ([period]) => period);
  const compared = comparedFacts(own).filter(([period]) => known.has(period));
  const equal = compared.filter(([period, { value }]) =>
    known.get(period)?.some(([, fact]) => fact.value === value),
  );
  const isSame =
    new Set(equal.map(([period]) => period)).size >= PROOFS &&
    equal.length >= 0.9 * compared.length;
  if (!isSame) return own;
  const names = new Set([...other, ...own].map(({ name }) => name));
  return [...names].map((name) => {
    const parts = [other, own].map((all) => all.find((one) => one.name === name));
    return { name, find: (tag: string) => joinUnits(parts.map((part) => part?.find(tag))) };
  });
}

function joinUnits(parts: readonly (TagFacts | undefined)[]): TagFacts {
  const joined = new Map<string, readonly Fact[]>();
  for (const part of parts)
    for (const [unit, facts] of part ?? [])
      joined.set(unit, [...(joined.get(unit) ?? []), ...facts]);
  return joined;
}

/** The compared facts with their tag, unit and period. */
function comparedFacts(taxonomies: readonly TaxonomyFacts[]): [string, Fact][] {
  return taxonomies.flatMap((facts) =>
    COMPARED.flatMap((tag) =>
      [...facts.find(tag)].flatMap(([unit, list]) =>
        list.map((fact): [string, Fact] => [
          [facts.name, tag, unit, fact.start, fact.end].join(" "),
          fact,
        ]),
      ),
    ),
  );
}
