import {
  countLikeNeighbours,
  describeUnit,
  epsShowsUnit,
  isUsualShift,
  shiftOf,
  unitOfShift,
} from "#analytics/other-units.ts";
import { median } from "#analytics/quantile.ts";
import { daysBetween } from "#lib/date.ts";
import type { Fact, TagFacts, TaxonomyFacts } from "./facts.ts";
import { type Ledger, listFacts } from "./ledger.ts";
import type { FlowPart, InstantPart } from "./tags.ts";

/** A figure is compared with the figures of the nearest periods of other filings: two years of quarters. */
const NEIGHBOURS = 8;
/** Figures of more days before or after it are no neighbours. */
const NEIGHBOUR_DAYS = 1_500;

/** Parts that no company loses from one quarter to the next. */
const STABLE = ["revenue", "costOfRevenue", "totalAssets", "totalLiabilities"] as const;
/** Parts that follow them, and may come near zero. */
const FOLLOWING = ["netIncome", "operatingIncome", "pretaxIncome", "equity"] as const;
type WitnessPart = (typeof STABLE)[number] | (typeof FOLLOWING)[number];
const isStable = (part: WitnessPart) => STABLE.some((one) => one === part);

/** A filing whose amounts are in another unit than the company's other filings. */
interface MisstatedFiling {
  readonly filing: string;
  /** The power of ten by which its amounts differ: −3 for thousands. */
  readonly unit: number;
  /** True if most of its amounts differ, so that those without neighbours do too. */
  readonly isWhole: boolean;
  /** A clause: `Revenues 1002000 of 0000000001-24-110900 is about 1/1,000 of its neighbours`. */
  readonly reason: string;
}

/** A company's facts with one unit for all amounts, and why amounts were left out. */
export interface LedgerInOneUnit {
  readonly ledger: Ledger;
  readonly faults: readonly string[];
}

/**
 * The ledger without the amounts of filings that are in another unit: whole dollars that are written as thousands, or
 * the reverse. Quarters that would be derived from them are unknown then, and comparatives keep the earlier value.
 *
 * A filing is in another unit if its amounts are a thousand, a million or a billion times the other filings' amounts,
 * or that part. This needs a proof:
 * - a filing restates exactly such an amount in the usual unit,
 * - the figures before and after it are usual,
 * - the income or two items show the unit, and EPS confirms it, or
 * - two items show it, nothing is known of EPS, and the company did not really change.
 *
 * A company that really changed repeats the amounts of the year before. Frames name no filings: there, two periods next
 * to the amount have to be as large. If a year has less revenue than its first months, it is in another unit anyway.
 *
 * Amounts of such a filing that are near the other filings' amounts stay. One without neighbours, even
 * under another tag, stays if most of the filing does.
 */
export function inOneUnit(ledger: Ledger): LedgerInOneUnit {
  const known = ledgers.get(ledger.facts) ?? leaveOutUnits(ledger);
  ledgers.set(ledger.facts, known);
  return known;
}

/** The ledgers of companies: their statements and what was left out are asked for one after the other. */
const ledgers = new WeakMap<TaxonomyFacts, LedgerInOneUnit>();

function leaveOutUnits(ledger: Ledger): LedgerInOneUnit {
  const filings = misstatedFilings(ledger);
  if (filings.length === 0) return { ledger, faults: [] };
  const byName = new Map(filings.map((one) => [one.filing, one]));
  const known = new Map<string, TagFacts>();
  const find = (tag: string) => {
    const facts = known.get(tag) ?? withoutUnits(ledger, tag, byName);
    known.set(tag, facts);
    return facts;
  };
  return {
    ledger: { ...ledger, facts: { ...ledger.facts, find } },
    faults: filings.map(({ reason }) => reason),
  };
}

function withoutUnits(
  ledger: Ledger,
  tag: string,
  filings: ReadonlyMap<string, MisstatedFiling>,
): TagFacts {
  return new Map(
    [...ledger.facts.find(tag)].map(([name, facts]) => {
      if (name !== ledger.currency && name !== "shares") return [name, facts];
      const kept = facts.filter((fact) => {
        const misstated = filings.get(filingOf(fact));
        if (!misstated) return true;
        const shiftIn = (all: readonly Fact[]) =>
          shiftOf(yearly(fact, name), near(fact, all, name));
        if (name === "shares") return unitOfShift(shiftIn(facts)) !== misstated.unit;
        const shift = shiftIn(facts) ?? shiftIn(samePart(ledger, tag));
        return shift === null ? !misstated.isWhole : isUsualShift(shift);
      });
      return [name, kept];
    }),
  );
}

/** The facts of a tag and of the other tags for its part: a company may have changed its tag in the filing. */
function samePart(ledger: Ledger, tag: string): Fact[] {
  const { flows, instants } = ledger.tags;
  const parts = [...Object.values(flows), ...Object.values(instants)];
  const tags = new Set(parts.filter((names) => names.includes(tag)).flat());
  return [...tags].flatMap((name) => listFacts(ledger, name));
}

/** Frames do not name filings, so figures of one day count as one. */
const filingOf = ({ filing, end }: Fact) => filing || end;
const periodOf = ({ start, end }: Fact) => `${start} ${end}`;

/** The amount for a year, so that flows of all spans compare; a balance or a number of shares as it is. */
function yearly({ start, end, value }: Fact, unit = ""): number {
  return start === null || unit === "shares"
    ? value
    : (value * 365) / (daysBetween(start, end) + 1);
}

/** The newest amounts of other filings for each other period near a fact's, for a year. */
function near(fact: Fact, facts: readonly Fact[], unit = ""): number[] {
  const amounts = new Map<string, { days: number; amount: number }>();
  for (const other of facts) {
    if (filingOf(other) === filingOf(fact) || periodOf(other) === periodOf(fact)) continue;
    const days = Math.abs(daysBetween(other.end, fact.end));
    if (days <= NEIGHBOUR_DAYS) amounts.set(periodOf(other), { days, amount: yearly(other, unit) });
  }
  return [...amounts.values()]
    .sort((a, b) => a.days - b.days)
    .slice(0, NEIGHBOURS)
    .map(({ amount }) => amount);
}

/** A fact that is in another unit than its neighbours. */
interface OffFact {
  readonly part: WitnessPart;
  readonly tag: string;
  readonly fact: Fact;
  readonly unit: number;
  /** True if another filing states exactly this amount in the usual unit, or usual figures surround it. */
  readonly isProven: boolean;
}

function misstatedFilings(ledger: Ledger): MisstatedFiling[] {
  const off = [...STABLE, ...FOLLOWING].flatMap((part) =>
    tagsOf(ledger, part).flatMap((tag) => offFacts(ledger, part, tag)),
  );
  return [...Map.groupBy(off, ({ fact }) => filingOf(fact))].flatMap(([filing, facts]) => {
    const [first] = facts.toSorted((a, b) => b.fact.end.localeCompare(a.fact.end));
    if (!first) return [];
    const { unit, tag, fact } = first;
    const same = facts.filter((one) => one.unit === unit);
    const parts = new Set(same.map(({ part }) => part));
    const shown = epsShows(ledger, filing, fact.end, unit);
    const isLikely = parts.size > 1 && [...parts].some(isStable);
    const isConfirmed = () =>
      fact.filing ? agrees(ledger, filing) : same.every((one) => isLasting(ledger, one));
    const isShown =
      shown === null
        ? isLikely && (!isConfirmed() || same.some((one) => contradictsYear(ledger, one)))
        : shown && (isLikely || parts.has("netIncome"));
    if (!isShown && !same.some(({ isProven }) => isProven)) return [];
    const reason = `${tag} ${fact.value} of ${fact.end}${fact.filing && ` in ${fact.filing}`} is about ${describeUnit(unit)} its neighbours`;
    return [{ filing, unit, isWhole: isWhole(ledger, filing), reason }];
  });
}

/** True if most of a filing's amounts with neighbours differ from them. */
function isWhole(ledger: Ledger, filing: string): boolean {
  const { flows, instants } = ledger.tags;
  const tags = new Set([...Object.values(flows), ...Object.values(instants)].flat());
  const shifts = [...tags].flatMap((tag) => {
    const facts = listFacts(ledger, tag);
    const own = facts.filter((fact) => filingOf(fact) === filing);
    return own.flatMap((fact) => shiftOf(yearly(fact), near(fact, facts)) ?? []);
  });
  return 2 * shifts.filter(isUsualShift).length < shifts.length;
}

function tagsOf({ tags }: Ledger, part: WitnessPart): readonly string[] {
  return part in tags.flows ? tags.flows[part as FlowPart] : tags.instants[part as InstantPart];
}

function offFacts(ledger: Ledger, part: WitnessPart, tag: string): OffFact[] {
  const facts = listFacts(ledger, tag);
  const inOrder = facts
    .filter(({ value }) => value !== 0)
    .sort((a, b) => (a.end < b.end ? -1 : a.end > b.end ? 1 : 0));
  const powers = inOrder.map((fact) => Math.log10(Math.abs(yearly(fact))));
  return inOrder.flatMap((fact, i) => {
    // Facts of a period and the next one are rarely a hundred times apart, and nothing more is to be done.
    const around = powers.slice(Math.max(0, i - FEW_FACTS), i + FEW_FACTS);
    const own = powers[i] ?? 0;
    if (Math.max(...around) - own < 2 && own - Math.min(...around) < 2) return [];
    const nearby = inOrder.slice(Math.max(0, i - MANY_FACTS), i + MANY_FACTS);
    const unit = unitOfShift(shiftOf(yearly(fact), near(fact, nearby)));
    if (unit === null) return [];
    const isProven =
      isRetold(fact, unit, facts) ||
      (isStable(part) && isSurrounded(fact, facts) && !hasIncomeFollowed(ledger, fact, facts));
    return [{ part, tag, fact, unit, isProven }];
  });
}

/** The facts of a filing and of the filings before and after it, in the order of their last days. */
const FEW_FACTS = 12;
/** The facts that have the nearest periods of other filings. */
const MANY_FACTS = 50;

/** True if another filing states exactly the amount of the same period in the usual unit. */
function isRetold(fact: Fact, unit: number, facts: readonly Fact[]): boolean {
  return facts.some(
    (one) =>
      periodOf(one) === periodOf(fact) &&
      Math.abs(fact.value / one.value / 10 ** unit - 1) < 0.005 &&
      isUsualShift(shiftOf(yearly(one), near(one, facts))),
  );
}

/** True if other filings state much more for the beginning of its period, or much less for a longer one. */
function contradictsYear(ledger: Ledger, { part, tag, fact, unit }: OffFact): boolean {
  const facts = listFacts(ledger, tag);
  return (
    isStable(part) &&
    facts.some((one) => {
      if (one.start === null || one.start !== fact.start || filingOf(one) === filingOf(fact))
        return false;
      const [shorter, longer] = unit < 0 ? [one, fact] : [fact, one];
      return (
        shorter.end < longer.end &&
        shorter.value > 10 * Math.abs(longer.value) &&
        isUsualShift(shiftOf(yearly(one), near(one, facts)))
      );
    })
  );
}

/** True if the amounts of other filings before and after it are usual ones. */
function isSurrounded(fact: Fact, facts: readonly Fact[]): boolean {
  const others = facts.filter((one) => filingOf(one) !== filingOf(fact));
  return [
    others.filter(({ end }) => end < fact.end).slice(-2),
    others.filter(({ end }) => end > fact.end).slice(0, 2),
  ].every(
    (side) =>
      side.length > 0 && side.every((one) => isUsualShift(shiftOf(yearly(one), near(one, facts)))),
  );
}

/** True if the income changed by a tenth of a change of revenue or costs: then the change is true. */
function hasIncomeFollowed(ledger: Ledger, fact: Fact, facts: readonly Fact[]): boolean {
  const change = (one: Fact, all: readonly Fact[]) => {
    const usual = median(near(one, all).sort((a, b) => a - b));
    return usual === null ? 0 : Math.abs(yearly(one) - usual);
  };
  return ledger.tags.flows.netIncome.some((tag) => {
    const incomes = listFacts(ledger, tag);
    const own = incomes.find(
      (one) => filingOf(one) === filingOf(fact) && periodOf(one) === periodOf(fact),
    );
    return own !== undefined && change(own, incomes) >= change(fact, facts) / 10;
  });
}

/**
 * True if the EPS for a day in a filing shows an income in a unit, false if it shows one in dollars. Null if it shows
 * neither, or if the number of shares is in another unit too.
 */
function epsShows(ledger: Ledger, filing: string, end: string, unit: number): boolean | null {
  const { tags, currency } = ledger;
  const list = (names: readonly string[], name?: string) =>
    names.flatMap((tag) => listFacts(ledger, tag, name));
  const counts = list(tags.sharesDiluted, "shares");
  const isOwn = (fact: Fact) => filingOf(fact) === filing && fact.end === end;
  const [incomes, ownCounts] = [list(tags.flows.netIncome).filter(isOwn), counts.filter(isOwn)];
  for (const eps of list(tags.epsDiluted, `${currency}/shares`).filter(isOwn)) {
    const [income, count] = [incomes, ownCounts].map((facts) =>
      facts.find((one) => one.start === eps.start),
    );
    if (!income || !count) continue;
    if (unitOfShift(shiftOf(count.value, near(count, counts, "shares"))) !== null) return null;
    const figures = { income: income.value, eps: eps.value, shares: count.value };
    const shown = epsShowsUnit(unit, figures);
    if (shown !== null) return shown;
  }
  return null;
}

/** True if the amounts of a tag are as large in two periods next to a fact's: then the company changed. */
function isLasting(ledger: Ledger, { part, tag, fact }: OffFact): boolean {
  const others = listFacts(ledger, tag).filter(({ value }) => value !== 0);
  const ends = [...new Set(others.map(({ end }) => end))];
  const isLike = (end: string) =>
    others.every(
      (one) => one.end !== end || isUsualShift(Math.log10(Math.abs(yearly(one) / yearly(fact)))),
    );
  return !isStable(part) || countLikeNeighbours(fact.end, ends, isLike) >= 2;
}

/** True if a report of another period repeats an amount of a filing, so that both are in one unit. */
function agrees(ledger: Ledger, filing: string): boolean {
  const facts = [...STABLE, ...FOLLOWING].flatMap((part) =>
    tagsOf(ledger, part).map((tag) => listFacts(ledger, tag)),
  );
  const newest = new Map<string, string>();
  for (const fact of facts.flat())
    if (fact.end > (newest.get(filingOf(fact)) ?? "")) newest.set(filingOf(fact), fact.end);
  return facts.some((all) =>
    all.some(
      (fact) =>
        fact.value !== 0 &&
        filingOf(fact) === filing &&
        all.some(
          (one) =>
            one.value === fact.value &&
            periodOf(one) === periodOf(fact) &&
            newest.get(filingOf(one)) !== newest.get(filing),
        ),
    ),
  );
}
