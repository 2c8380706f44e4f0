import type { Fact } from "./facts.ts";
import type { FindSpan, FiscalYear, QuarterSpan } from "./fiscal-calendar.ts";
import { SAME } from "./balance-sheet.ts";
import { type Ledger, listFacts } from "./ledger.ts";
import { spanOf } from "./series.ts";

const NET_OF_INTEREST = "RevenuesNetOfInterestExpense";
const NET_OF_TAXES = "RevenueFromContractWithCustomerExcludingAssessedTax";
const WITH_TAXES = "RevenueFromContractWithCustomerIncludingAssessedTax";
const [GOODS, SERVICES] = ["SalesRevenueGoodsNet", "SalesRevenueServicesNet"] as const;
const EXCISE_TAXES = "ExciseAndSalesTaxes";
/** Tags whose definition is all revenue; the others are for contracts, goods, services or rents. */
const TOTALS: readonly string[] = ["Revenues", "SalesRevenueNet", NET_OF_INTEREST, "Revenue"];

/** A profit and the costs before it. */
const LINES = [
  ["GrossProfit", "CostOfRevenue"],
  ["GrossProfit", "CostOfGoodsAndServicesSold"],
  ["OperatingIncomeLoss", "CostsAndExpenses"],
] as const;

/** Revenue that is larger by more than this part is more than the other, not the same with a rounding. */
const MORE = 0.02;
/** A tag with more periods in a year is used beside another that is larger by up to this part and is no total. */
const FAR_MORE = 0.2;
/** Interest expense is at most this part of revenue with interest. */
const MOST_INTEREST = 0.7;
/** A fourth quarter is less than this many times the others, if two tags are for one amount. */
const UNLIKE = 3;
/** A tag that was a part is all revenue once it is nearly as much as all revenue of the year before. */
const NEARLY_ALL = 0.95;

/** The figures of one tag. */
interface TaggedFacts {
  readonly tag: string;
  readonly facts: readonly Fact[];
}

/** A figure of whole quarters. */
interface DatedFact {
  readonly tag: string;
  readonly fact: Fact;
  readonly span: QuarterSpan;
}

/** The years by tag. */
type YearsOfTags = ReadonlyMap<string, Set<FiscalYear>>;

/**
 * The facts of all revenue, one list for each tag, without the years in which the tag is for another amount.
 *
 * If a filing states two amounts for one period, the larger is the revenue, and the smaller is a part: the fees of a
 * broker, contracts without rents or premiums. Revenue before excise taxes or before interest expense is the exception:
 * there the smaller one is. A smaller one with more periods that is nearly as large is a part only of a tag for all
 * revenue, unless other lines add up to the smaller.
 *
 * A part is no revenue in the next year either, until it is as much as all of the year before. Goods and services are
 * added if a filing has both.
 */
export function revenueFacts(ledger: Ledger, findSpan: FindSpan): readonly (readonly Fact[])[] {
  const tagged = ledger.tags.flows.revenue.map((tag) => ({ tag, facts: listFacts(ledger, tag) }));
  const stated = [...tagged, goodsAndServices(tagged)].filter(({ facts }) => facts.length > 0);
  if (stated.length < 2) return stated.map(({ facts }) => facts);
  const dated = stated.map(({ tag, facts }) =>
    facts.flatMap((fact): DatedFact[] => {
      const span = spanOf(fact, findSpan);
      return span ? [{ tag, fact, span }] : [];
    }),
  );
  const others = otherAmounts(ledger, dated.flat());
  return dated.map((all) =>
    all.flatMap(({ tag, fact, span }) => (others.get(tag)?.has(span.year) ? [] : fact)),
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
function otherAmounts(ledger: Ledger, dated: readonly DatedFact[]): YearsOfTags {
  const tags = [...new Set(dated.map(({ tag }) => tag))];
  const [parts, gross] = [0, 1].map(
    (): YearsOfTags => new Map(tags.map((tag) => [tag, new Set<FiscalYear>()])),
  ) as [YearsOfTags, YearsOfTags];
  const countOf = countPeriods(dated);
  const taxes = new Map(listFacts(ledger, EXCISE_TAXES).map((fact) => [keyOf(fact), fact.value]));
  for (const same of samePeriods(dated))
    for (const larger of same)
      for (const smaller of same) {
        const [more, less] = [larger.fact.value, smaller.fact.value];
        if (more - less <= MORE * Math.abs(more)) continue;
        const [ofLarger, ofSmaller] = [countOf(larger), countOf(smaller)];
        const isRarer = ofLarger < ofSmaller && more - less <= FAR_MORE * Math.abs(more);
        if (isRarer && !(isTotalOf(larger, smaller) && !addsUp(ledger, smaller.fact))) continue;
        const isBefore =
          (smaller.tag === NET_OF_INTEREST && less >= (1 - MOST_INTEREST) * more) ||
          (smaller.tag === NET_OF_TAXES && larger.tag === WITH_TAXES) ||
          Math.abs(more - less - (taxes.get(keyOf(larger.fact)) ?? 0)) <= (MORE / 2) * more;
        if (!isBefore) parts.get(smaller.tag)?.add(larger.span.year);
        else if (ofSmaller >= ofLarger) gross.get(larger.tag)?.add(larger.span.year);
      }
  addUnlikeYears(dated, parts);
  if ([...parts.values()].some(({ size }) => size > 0)) continueParts(dated, parts);
  return new Map(
    tags.map((tag) => [tag, new Set([...(parts.get(tag) ?? []), ...(gross.get(tag) ?? [])])]),
  );
}

/** The figures of one filing for one period. */
function samePeriods(dated: readonly DatedFact[]): DatedFact[][] {
  const filings = Map.groupBy(dated, ({ fact }) => fact.filing);
  return [...filings.values()].flatMap((inFiling) => [
    ...Map.groupBy(inFiling, ({ span }) => span).values(),
  ]);
}

const isTotalOf = (larger: DatedFact, smaller: DatedFact) =>
  TOTALS.includes(larger.tag) && !TOTALS.includes(smaller.tag);

/** True if two lines of the same filing add up to an amount, so that it is all revenue. */
function addsUp(ledger: Ledger, fact: Fact): boolean {
  const valueOf = (tag: string) =>
    listFacts(ledger, tag).find((one) => keyOf(one) === keyOf(fact))?.value ?? Number.NaN;
  return LINES.some(
    ([profit, costs]) =>
      Math.abs(valueOf(profit) + valueOf(costs) - fact.value) <= SAME * Math.abs(fact.value),
  );
}

/** Finds the number of periods that the tag of a figure states in its year. */
function countPeriods(dated: readonly DatedFact[]): (one: DatedFact) => number {
  const periods = new Map<string, Map<FiscalYear, Set<number>>>();
  for (const { tag, span } of dated) {
    const years = periods.get(tag) ?? new Map<FiscalYear, Set<number>>();
    periods.set(tag, years);
    const spans = years.get(span.year) ?? new Set<number>();
    years.set(span.year, spans.add(5 * span.from + span.to));
  }
  return ({ tag, span }) => periods.get(tag)?.get(span.year)?.size ?? 0;
}

/**
 * Adds the years that one tag states as a whole and another in quarters, if they leave a fourth quarter unlike the
 * others: too large if the quarters are of a part, too small or below zero if the year is.
 */
function addUnlikeYears(dated: readonly DatedFact[], parts: YearsOfTags): void {
  for (const [year, all] of Map.groupBy(dated, ({ span }) => span.year)) {
    const tags = [...Map.groupBy(all, ({ tag }) => tag)].map(([tag, facts]) => {
      const valueOf = (from: number, to: number) =>
        facts.findLast(({ span }) => span.from === from && span.to === to)?.fact.value;
      return { tag, whole: valueOf(0, 4), quarters: [0, 1, 2].map((i) => valueOf(i, i + 1)) };
    });
    for (const { tag, whole, quarters } of tags) {
      if (whole === undefined || quarters.some((one) => one !== undefined)) continue;
      for (const other of tags) {
        const three = other.quarters.filter((one) => one !== undefined);
        if (other.whole !== undefined || three.length < 3) continue;
        const rest = three.reduce((left, one) => left - one, whole);
        if (rest > UNLIKE * Math.max(...three)) parts.get(other.tag)?.add(year);
        else if (rest * UNLIKE < Math.min(...three)) parts.get(tag)?.add(year);
      }
    }
  }
}

/** Adds the years after a year in which a tag was a part, as long as no other tag is stated. */
function continueParts(dated: readonly DatedFact[], parts: YearsOfTags): void {
  const byYear = new Map<FiscalYear, Map<string, number | null>>();
  for (const { tag, fact, span } of dated) {
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
