import type { Fact } from "./facts.ts";
import type { FindSpan, FiscalYear } from "./fiscal-calendar.ts";
import { type Ledger, listFacts } from "./ledger.ts";
import { spanOf } from "./series.ts";

const NET_OF_INTEREST = "RevenuesNetOfInterestExpense";
const NET_OF_TAXES = "RevenueFromContractWithCustomerExcludingAssessedTax";
const WITH_TAXES = "RevenueFromContractWithCustomerIncludingAssessedTax";
const [GOODS, SERVICES] = ["SalesRevenueGoodsNet", "SalesRevenueServicesNet"] as const;
const EXCISE_TAXES = "ExciseAndSalesTaxes";

/** Revenue that is larger by more than this part is more than the other, not the same with a rounding. */
const MORE = 0.02;
/** A tag with more periods in a year is used unless the other is larger by more than this part. */
const FAR_MORE = 0.2;
/** Interest expense is at most this part of revenue with interest. */
const MOST_INTEREST = 0.7;
/** A tag that was a part is all revenue once it is nearly as much as all revenue of the year before. */
const NEARLY_ALL = 0.95;

/** The figures of one tag. */
interface TaggedFacts {
  readonly tag: string;
  readonly facts: readonly Fact[];
}

/**
 * The facts of all revenue, one list for each tag, without the years in which the tag is for another amount.
 *
 * If a filing states two amounts for one period, the larger is the revenue, and the smaller is a part: the fees of a
 * broker, contracts without rents or premiums. Revenue before excise taxes or before interest expense is the exception:
 * there the smaller one is. A part is no revenue in the next year either, until it is as much as all of the year before.
 * Goods and services are added if a filing has both.
 */
export function revenueFacts(ledger: Ledger, findSpan: FindSpan): readonly (readonly Fact[])[] {
  const tagged = ledger.tags.flows.revenue.map((tag) => ({ tag, facts: listFacts(ledger, tag) }));
  const stated = [...tagged, goodsAndServices(tagged)].filter(({ facts }) => facts.length > 0);
  if (stated.length < 2) return stated.map(({ facts }) => facts);
  const taxes = new Map(listFacts(ledger, EXCISE_TAXES).map((fact) => [keyOf(fact), fact.value]));
  const others = otherAmounts(stated, taxes, findSpan);
  return stated.map(({ tag, facts }) =>
    facts.filter((fact) => {
      const year = spanOf(fact, findSpan)?.year;
      return !year || !others.get(tag)?.has(year);
    }),
  );
}

const keyOf = ({ filing, start, end }: Fact) => `${filing} ${start} ${end}`;

function goodsAndServices(tagged: readonly TaggedFacts[]): TaggedFacts {
  const listOf = (name: string) => tagged.find(({ tag }) => tag === name)?.facts ?? [];
  const services = new Map(listOf(SERVICES).map((fact) => [keyOf(fact), fact.value]));
  const facts = listOf(GOODS).flatMap((fact) => {
    const value = services.get(keyOf(fact));
    return value === undefined ? [] : [{ ...fact, value: fact.value + value }];
  });
  return { tag: `${GOODS} ${SERVICES}`, facts };
}

/** The years in which a tag is not for all revenue. */
function otherAmounts(
  stated: readonly TaggedFacts[],
  taxes: ReadonlyMap<string, number>,
  findSpan: FindSpan,
): ReadonlyMap<string, ReadonlySet<FiscalYear>> {
  const parts = new Map(stated.map(({ tag }) => [tag, new Set<FiscalYear>()]));
  const gross = new Map(stated.map(({ tag }) => [tag, new Set<FiscalYear>()]));
  const all = stated.flatMap(({ tag, facts }) =>
    facts.flatMap((fact) => {
      const year = spanOf(fact, findSpan)?.year;
      return year ? [{ tag, fact, year }] : [];
    }),
  );
  const periods = Map.groupBy(all, ({ tag, year }) => `${tag} ${year.start}`);
  const countOf = ({ tag, year }: (typeof all)[number]) =>
    new Set(periods.get(`${tag} ${year.start}`)?.map(({ fact }) => `${fact.start} ${fact.end}`))
      .size;
  for (const [key, same] of Map.groupBy(all, ({ fact }) => keyOf(fact)))
    for (const larger of same)
      for (const smaller of same) {
        const [more, less] = [larger.fact.value, smaller.fact.value];
        if (more - less <= MORE * Math.abs(more)) continue;
        const isRarer = countOf(larger) < countOf(smaller);
        if (isRarer && more - less <= FAR_MORE * Math.abs(more)) continue;
        const isBefore =
          (smaller.tag === NET_OF_INTEREST && less >= (1 - MOST_INTEREST) * more) ||
          (smaller.tag === NET_OF_TAXES && larger.tag === WITH_TAXES) ||
          Math.abs(more - less - (taxes.get(key) ?? 0)) <= (MORE / 2) * more;
        if (!isBefore) parts.get(smaller.tag)?.add(larger.year);
        else if (countOf(smaller) >= countOf(larger)) gross.get(larger.tag)?.add(larger.year);
      }
  continueParts(stated, parts, findSpan);
  return new Map(
    stated.map(({ tag }) => [tag, new Set([...(parts.get(tag) ?? []), ...(gross.get(tag) ?? [])])]),
  );
}

/** Adds the years after a year in which a tag was a part, as long as no other tag is stated. */
function continueParts(
  stated: readonly TaggedFacts[],
  parts: ReadonlyMap<string, Set<FiscalYear>>,
  findSpan: FindSpan,
): void {
  const byYear = new Map<FiscalYear, Map<string, number | null>>();
  for (const { tag, facts } of stated)
    for (const fact of facts) {
      const span = spanOf(fact, findSpan);
      if (!span) continue;
      const tags = byYear.get(span.year) ?? new Map<string, number | null>();
      byYear.set(span.year, tags);
      const isWhole = span.from === 0 && span.to === 4;
      tags.set(tag, isWhole ? fact.value : (tags.get(tag) ?? null));
    }
  const years = [...byYear].sort(([a], [b]) => a.year - b.year);
  for (const [i, [year, tags]] of years.entries()) {
    const [before, wholes] = years[i - 1] ?? [];
    if (!before || !wholes || [...tags.keys()].some((tag) => !parts.get(tag)?.has(before)))
      continue;
    const total = Math.max(...[...wholes.values()].map((whole) => whole ?? 0));
    for (const [tag, whole] of tags)
      if (whole === null || whole < NEARLY_ALL * total) parts.get(tag)?.add(year);
  }
}
