import type { Fact, TaxonomyFacts } from "./facts.ts";
import { type Ledger, listFacts } from "./ledger.ts";
import type { ShareBasis } from "./share-basis.ts";

const COVER_PAGE = "EntityCommonStockSharesOutstanding";
const ON_SHEET = ["CommonStockSharesOutstanding", "NumberOfSharesOutstanding"];
const AVERAGES = [
  "WeightedAverageNumberOfSharesOutstandingBasic",
  "WeightedAverageNumberOfDilutedSharesOutstanding",
  "WeightedAverageNumberOfShareOutstandingBasicAndDiluted",
  "WeightedAverageShares",
  "AdjustedWeightedAverageShares",
];

/**
 * The common shares of all classes by the last day of a fiscal period, in the shares of
 * `basis.sharesAsOf`. They are counted on the cover page of the report, some weeks after the period, or
 * on the balance sheet.
 *
 * Companyfacts have no figures by class. So the count may be of one class only, and must agree with
 * the average of all common shares in the same report: on the cover page it may be up to 10 % below
 * (shares were bought back) and three times as many (shares were issued); on the balance sheet it must be
 * within 3 %. Otherwise, and without an average, the count is unknown.
 */
export function sharesOutstanding(
  ledger: Ledger,
  cover: TaxonomyFacts | undefined,
  basis: ShareBasis,
): ReadonlyMap<string, number> {
  const averages = newestOfFilings(AVERAGES.map((tag) => listFacts(ledger, tag, "shares")));
  const onCover = newestOfFilings([cover?.find(COVER_PAGE).get("shares") ?? []]);
  const onSheet = newestOfFilings(ON_SHEET.map((tag) => listFacts(ledger, tag, "shares")));
  const found = new Map<string, number>();
  const inOrder = [...averages.values()].sort((a, b) => (a.filed < b.filed ? 1 : -1));
  for (const { filing, filed, end, value: average } of inOrder) {
    const factor = basis.factorOf(filed);
    const counted = [
      { count: onCover.get(filing), low: 0.9, high: 3 },
      { count: onSheet.get(filing), low: 0.97, high: 1.03 },
    ].find(
      ({ count, low, high }) =>
        count && count.value >= low * average && count.value <= high * average,
    );
    // The first report of a period comes last, so its count stays.
    if (counted?.count && factor !== null) found.set(end, counted.count.value * factor);
  }
  return found;
}

/**
 * The fact with the latest end of each filing, the shortest of several periods. A filing is left out if it
 * states several values for that end: these are classes.
 */
function newestOfFilings(candidates: readonly (readonly Fact[])[]): Map<string, Fact> {
  const newest = new Map<string, Fact>();
  for (const facts of candidates) {
    const ofTag = new Map<string, Fact | null>();
    for (const fact of facts) {
      const known = ofTag.get(fact.filing);
      if (known === undefined || (known && isNewer(fact, known))) ofTag.set(fact.filing, fact);
      else if (
        known &&
        fact.end === known.end &&
        fact.start === known.start &&
        fact.value !== known.value
      )
        ofTag.set(fact.filing, null);
    }
    for (const [filing, fact] of ofTag) {
      const known = newest.get(filing);
      if (fact && (!known || isNewer(fact, known))) newest.set(filing, fact);
    }
  }
  return newest;
}

function isNewer(a: Fact, b: Fact): boolean {
  return a.end > b.end || (a.end === b.end && (a.start ?? "") > (b.start ?? ""));
}
