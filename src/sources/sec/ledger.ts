import type { Fact, TaxonomyFacts } from "./facts.ts";
import { TAGS, type TagTable } from "./tags.ts";

/** The facts of a company in the taxonomy and the currency in which it reports. */
export interface Ledger {
  readonly facts: TaxonomyFacts;
  readonly tags: TagTable;
  readonly currency: string;
}

/** The facts of a tag in a unit; in the ledger's currency by default. */
export function listFacts(
  { facts, currency }: Ledger,
  tag: string,
  unit = currency,
): readonly Fact[] {
  return facts.find(tag).get(unit) ?? [];
}

/** The taxonomy and currency of the company's most recent balance sheets. */
export function chooseLedger(taxonomies: readonly TaxonomyFacts[]): Ledger | null {
  let best: Ledger | null = null;
  let bestRank = "";
  for (const facts of taxonomies) {
    const tags = TAGS.get(facts.name);
    if (!tags) continue;
    for (const [unit, assets] of tags.instants.totalAssets.flatMap((tag) => [...facts.find(tag)])) {
      if (!/^[A-Z]{3}$/.test(unit) || assets.length === 0) continue;
      const newest = assets.reduce((latest, { end }) => (end > latest ? end : latest), "");
      // A convenience translation has the same dates but fewer figures.
      const rank = `${newest} ${String(assets.length).padStart(9, "0")}`;
      if (rank > bestRank) [best, bestRank] = [{ facts, tags, currency: unit }, rank];
    }
  }
  return best;
}
