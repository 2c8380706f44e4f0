import { adjustStatement } from "#domain/split-adjustment.ts";
import { type Split, splitRatio } from "#domain/split.ts";
import {
  PER_SHARE_ITEMS,
  SHARE_COUNT_ITEMS,
  type Statement,
  type StatementItem,
  type StatementVintage,
} from "#domain/statement.ts";
import { companyCalendar, companyStatements } from "./company-statements.ts";
import type { Fact, TagFacts, TaxonomyFacts } from "./facts.ts";

/**
 * What was known of each period after each filing, oldest filing first: the statements as `companyStatements` makes them
 * of the facts that were filed by then, and of the splits in force. A period has a vintage for its first report, and
 * one for each later filing that changed a figure. Only the numbers of fiscal years come from all filings.
 *
 * Figures per share are in the shares of `sharesAsOf` of their vintage. A split alone gives no vintage, except if the
 * filing states the rounded figure anew.
 *
 * @param current the statements of all facts
 */
export function statementVintages(
  taxonomies: readonly TaxonomyFacts[],
  current: readonly Statement[],
  splits: readonly Split[] | null,
): StatementVintage[] {
  const calendar = companyCalendar(taxonomies);
  const [first] = current;
  if (!calendar || !first) return [];
  const byDay = Map.groupBy(calendar.stated, ({ filed }) => filed);
  const nowOf = new Map(current.map((one) => [keyOf(one), one]));
  const found = new Map<string, Statement[]>();
  for (const day of [...byDay.keys()].sort()) {
    const inForce = splits && splits.filter(({ exDate }) => exDate <= day);
    const known = companyStatements(upTo(taxonomies, day), first.symbol, inForce, calendar);
    for (const statement of known) {
      const now = nowOf.get(keyOf(statement));
      if (!now) continue;
      const vintages = found.get(keyOf(now)) ?? [];
      const last = vintages.at(-1);
      if (last && isSame(last, statement, splits)) continue;
      found.set(keyOf(now), [
        ...vintages,
        { ...statement, filedOn: day, periodEnd: now.periodEnd },
      ]);
    }
  }
  return [...found].flatMap(([key, vintages]) =>
    vintages.map((vintage) => ({
      ...vintage,
      accession: accessionOf(byDay.get(vintage.filedOn) ?? [], vintage.periodEnd),
      items: isCurrent(vintage, nowOf.get(key), splits) ? null : vintage.items,
    })),
  );
}

const keyOf = ({ span, fiscalYear, fiscalQuarter }: Statement) =>
  `${span} ${fiscalYear} ${fiscalQuarter}`;

/** The facts that were filed by the end of a day. */
function upTo(taxonomies: readonly TaxonomyFacts[], day: string): TaxonomyFacts[] {
  return taxonomies.map((all) => {
    const known = new Map<string, TagFacts>();
    return {
      ...all,
      find(tag) {
        const facts = known.get(tag) ?? filedBy(all.find(tag), day);
        known.set(tag, facts);
        return facts;
      },
    };
  });
}

const filedBy = (facts: TagFacts, day: string): TagFacts =>
  new Map([...facts].map(([unit, list]) => [unit, list.filter(({ filed }) => filed <= day)]));

/** The filing of a day that states the period; otherwise the one with the most figures. */
function accessionOf(facts: readonly Fact[], periodEnd: string): string | null {
  const ofPeriod = facts.filter(({ end }) => end === periodEnd);
  const counts = new Map<string, number>();
  for (const { filing } of ofPeriod.length > 0 ? ofPeriod : facts)
    counts.set(filing, (counts.get(filing) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}

const OF_SHARES: ReadonlySet<StatementItem> = new Set([...PER_SHARE_ITEMS, ...SHARE_COUNT_ITEMS]);
/** Earnings per share are rounded to four decimals after a split. */
const ROUNDING = 1e-4;

/** True if the later statement has the figures of the earlier one, in its own shares. */
function isSame(earlier: Statement, later: Statement, splits: readonly Split[] | null): boolean {
  const [since = "", through = ""] = [earlier.sharesAsOf, later.sharesAsOf];
  const ratio = splitRatio(splits ?? [], since, through);
  const { items } = ratio === 1 ? earlier : adjustStatement(earlier, ratio);
  return (Object.keys(items) as StatementItem[]).every((item) => {
    const [a, b] = [items[item], later.items[item]];
    if (a === b) return true;
    if (a === null || b === null || ratio === 1 || !OF_SHARES.has(item)) return false;
    return Math.abs(a - b) <= ROUNDING * Math.max(1, Math.abs(b));
  });
}

/** True if the vintage has exactly the stored figures, and no split lies between their shares. */
function isCurrent(
  vintage: Statement,
  now: Statement | undefined,
  splits: readonly Split[] | null,
): boolean {
  if (!now || !isSame(vintage, now, null)) return false;
  return splitRatio(splits ?? [], vintage.sharesAsOf ?? "", now.sharesAsOf ?? "") === 1;
}
