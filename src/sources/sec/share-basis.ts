import { changesShares, ratioOf, type Split } from "#domain/split.ts";
import { addDays } from "#lib/date.ts";
import type { Fact } from "./facts.ts";

/**
 * A day from which filings count in other shares: `factor` new shares for an old one; null if the
 * filings show the change but not its exact ratio.
 */
interface ShareChange {
  readonly from: string;
  readonly factor: number | null;
}

/** The facts from which the shares of a filing can be seen. */
export interface ShareFacts {
  /** Earnings per share, one list for each tag. */
  readonly perShare: readonly (readonly Fact[])[];
  /** Average numbers of shares, one list for each tag. */
  readonly counts: readonly (readonly Fact[])[];
  /** Net income, one list for each tag. */
  readonly income: readonly (readonly Fact[])[];
}

/** The shares in which each filing of a company counts. */
export interface ShareBasis {
  /** Figures of filings up to this day are in the shares of its end, after `factorOf`. */
  readonly sharesAsOf: string;
  /**
   * The number of newest shares for one share of a filing of that day; null if it is unknown.
   */
  factorOf(filed: string): number | null;
}

/**
 * Finds the shares in which filings count.
 *
 * Filings show a split: they state figures of an earlier period again, in new shares. Earnings per share
 * of 58.61 became 2.93. Because figures are rounded, a retold figure gives a range of ratios. A split
 * needs two such figures, a simple ratio in their ranges, and ranges that together are narrow. Two
 * figures that the same filing repeats unchanged refute it. A figure does not count if the net income of
 * its period changed too: that is a restatement. So a small restatement (2.93, later 2.95) is no split.
 *
 * A recorded split decides the day: filings since its ex-date count in new shares, unless they repeat
 * old figures. Some filings retell figures before the ex-date (SAB Topic 4.C). Then the split applies
 * from that filing on, and `sharesAsOf` is the ex-date, so that the split is not applied twice. A
 * recorded split that filings of a later quarter refute is ignored. So is a spin-off (see
 * `changesShares`) if filings do not show its ratio.
 *
 * @param splits the recorded splits, oldest first; null if they are unknown
 * @param newest the day of the newest filing
 */
export function findShareBasis(
  facts: ShareFacts,
  splits: readonly Split[] | null,
  newest: string,
): ShareBasis {
  const retellings = listRetellings(facts);
  const found = findChanges(retellings);
  const changes: ShareChange[] = [];
  const matched = new Set<Split>();
  let sharesAsOf = newest;
  for (const change of found) {
    const { from, factor, lastOld } = change;
    const split = splits?.find((one) => !matched.has(one) && isOf(one, change));
    if (!split) {
      changes.push({ from, factor });
      // If the split is only announced, its ex-date comes later, and is not to be applied again.
      if (factor !== null) sharesAsOf = later(sharesAsOf, addDays(from, ANNOUNCED_DAYS));
      continue;
    }
    matched.add(split);
    const { exDate } = split;
    sharesAsOf = later(sharesAsOf, exDate);
    const isBetween = exDate > lastOld && exDate < from;
    changes.push({ from: isBetween ? exDate : from, factor: ratioOf(split) });
  }
  for (const split of splits ?? []) {
    if (matched.has(split) || split.exDate > newest || !changesShares(split, "US")) continue;
    const { exDate } = split;
    const refutedOn = refutations(retellings, split, changes);
    if (refutedOn === null) changes.push({ from: exDate, factor: ratioOf(split) });
    // Filings soon after the ex-date may still count in old shares.
    else if (refutedOn <= addDays(exDate, QUARTER_DAYS) && !found.some((one) => isNear(split, one)))
      sharesAsOf = addDays(exDate, -1);
  }
  return { sharesAsOf, factorOf: (filed) => factorSince(changes, filed) };
}

/** Days from a filing that retells figures for an announced split to its ex-date, at most. */
const ANNOUNCED_DAYS = 60;
/** Days after an ex-date in which a filing may still count in old shares, such as an amended one. */
const QUARTER_DAYS = 100;
/** Days by which an ex-date may be before the last filing in old shares. */
const LATE_DAYS = 45;
/** Days by which an ex-date may differ from the filings that show its split: two quarters. */
const NEAR_DAYS = 200;

function factorSince(changes: readonly ShareChange[], after: string): number | null {
  let all: number | null = 1;
  for (const { from, factor } of changes)
    if (after < from) all = factor === null || all === null ? null : all * factor;
  return all;
}

const later = (a: string, b: string) => (a > b ? a : b);

/** True if the record may be the split that filings show. */
function isOf(split: Split, change: FoundChange): boolean {
  const ratio = ratioOf(split);
  return (
    isNear(split, change) && change.low <= ratio * (1 + SAME) && ratio <= change.high * (1 + SAME)
  );
}

function isNear({ exDate }: Split, { lastOld, from }: FoundChange): boolean {
  return exDate > addDays(lastOld, -LATE_DAYS) && exDate <= addDays(from, NEAR_DAYS);
}

/** The last filing since the ex-date that repeats an older figure unchanged; null if there is none. */
function refutations(
  retellings: readonly Retelling[],
  split: Split,
  changes: readonly ShareChange[],
): string | null {
  const ratio = ratioOf(split);
  let last: string | null = null;
  for (const { since, filed, low, high } of retellings) {
    if (since >= split.exDate || filed < split.exDate) continue;
    const others =
      (factorSince(changes, since) ?? Number.NaN) / (factorSince(changes, filed) ?? Number.NaN);
    const isSame = low / others <= 1 + SAME && high / others >= 1 - SAME;
    const isSplit = low / others <= ratio * (1 + SAME) && high / others >= ratio * (1 - SAME);
    if (isSame && !isSplit && (last === null || filed > last)) last = filed;
  }
  return last;
}

/** A figure that a later filing states again, with the possible numbers of new shares for an old one. */
interface Retelling {
  readonly period: string;
  /** The days of the two filings. */
  readonly since: string;
  readonly filed: string;
  readonly low: number;
  readonly high: number;
  readonly isCount: boolean;
}

/** By how much the net income of a period may differ if it was not restated. */
const SAME = 0.005;

function listRetellings({ perShare, counts, income }: ShareFacts): Retelling[] {
  const incomes = income.map(valuesByFiling);
  const isRestated = (period: string, since: string, filed: string) =>
    incomes.some((values) => {
      const before = values.get(`${period} ${since}`);
      const after = values.get(`${period} ${filed}`);
      if (before === undefined || after === undefined) return false;
      return Math.abs(after - before) > SAME * Math.abs(before);
    });
  return [
    ...perShare.flatMap((facts) =>
      retold(facts, (old, latest) => {
        if (old.value * latest.value <= 0) return null;
        const [a, b] = [centsRange(old.value), centsRange(latest.value)];
        return b.low <= 0 ? null : { low: a.low / b.high, high: a.high / b.low };
      }).filter(({ period, since, filed }) => !isRestated(period, since, filed)),
    ),
    ...counts.flatMap((facts) =>
      retold(facts, (old, latest) => {
        if (old.value <= 0 || latest.value <= 0) return null;
        const ratio = latest.value / old.value;
        return { low: ratio * (1 - SAME), high: ratio * (1 + SAME) };
      }).map((one) => ({ ...one, isCount: true })),
    ),
  ];
}

function valuesByFiling(facts: readonly Fact[]): ReadonlyMap<string, number> {
  return new Map(facts.map(({ start, end, filed, value }) => [`${start} ${end} ${filed}`, value]));
}

function retold(
  facts: readonly Fact[],
  rangeOf: (old: Fact, latest: Fact) => { low: number; high: number } | null,
): Retelling[] {
  const latest = new Map<string, Fact>();
  const found: Retelling[] = [];
  for (const fact of facts.toSorted((a, b) =>
    a.filed < b.filed ? -1 : a.filed > b.filed ? 1 : 0,
  )) {
    const period = `${fact.start} ${fact.end}`;
    const old = latest.get(period);
    latest.set(period, fact);
    if (!old || old.filed === fact.filed) continue;
    const range = rangeOf(old, fact);
    if (range)
      found.push({ period, since: old.filed, filed: fact.filed, ...range, isCount: false });
  }
  return found;
}

/** The amounts that are rounded to this one: to cents, or to the decimals that it has beyond them. */
function centsRange(value: number): { low: number; high: number } {
  const amount = Math.abs(value);
  const decimals = String(amount).split(".")[1]?.length ?? 0;
  const half = 0.5 * 10 ** -Math.max(2, decimals);
  return { low: amount - half, high: amount + half };
}

/** Ratios of splits: n for 1, 1 for n, and the usual small ones, stock dividends of 5 and 10 % included. */
const SIMPLE_RATIOS = [
  ...Array.from({ length: 49 }, (_, i) => i + 2),
  ...Array.from({ length: 99 }, (_, i) => 1 / (i + 2)),
  3 / 2,
  5 / 2,
  4 / 3,
  5 / 3,
  5 / 4,
  6 / 5,
  11 / 10,
  21 / 20,
];
/** A range is narrow if its ends differ by less than this: 5 and 6 for 1 differ by 20 %. */
const NARROW = 0.04;
/** A figure that changed by less is a correction, no change of the shares. */
const SMALL_CHANGE = 0.03;

/** A change without a simple ratio is at least this large: 10 %. */
const LARGE_CHANGE = 0.1;

interface FoundChange extends ShareChange {
  /** The last filing that is known to count in old shares. */
  readonly lastOld: string;
  /** The possible numbers of new shares for an old one. */
  readonly low: number;
  readonly high: number;
}

/** The changes that filings show, oldest first. */
function findChanges(retellings: readonly Retelling[]): FoundChange[] {
  const byDay = Map.groupBy(retellings, ({ filed }) => filed);
  const days = [...byDay.keys()].sort();
  const changes: FoundChange[] = [];
  for (const day of days) {
    const rest = (byDay.get(day) ?? []).flatMap((one) => {
      const known = factorSince(changes, one.since);
      return known === null ? [] : [{ ...one, low: one.low / known, high: one.high / known }];
    });
    const change = findChange(rest);
    if (!change) continue;
    // A filing in between may have retold one figure, which alone proves nothing.
    const isFirst = (one: Retelling) =>
      isChanged(one) && one.low <= change.high && one.high >= change.low;
    const from = days.find((one) => one > change.lastOld && byDay.get(one)?.some(isFirst)) ?? day;
    changes.push({ ...change, from });
  }
  return changes;
}

function isChanged({ low, high }: Retelling): boolean {
  return low > 1 + SMALL_CHANGE || high < 1 - SMALL_CHANGE;
}

/** The change of the shares that figures of one filing show; null if they show none. */
function findChange(rest: readonly Retelling[]): Omit<FoundChange, "from"> | null {
  const changed = rest.filter(isChanged);
  // A wide range with 1 in it says nothing.
  const repeated = rest.filter(({ low, high }) => low <= 1 && high >= 1 && high / low < 1.5);
  if (changed.length < 2 || repeated.length >= 2) return null;
  const lastOld = changed.map(({ since }) => since).reduce(later);
  let ratio = 1;
  let supporters: readonly Retelling[] = [];
  for (const simple of SIMPLE_RATIOS) {
    const having = changed.filter(({ low, high }) => low <= simple && simple <= high);
    if (having.length > supporters.length) [ratio, supporters] = [simple, having];
  }
  const { low, high } = intersection(supporters);
  const opposed = changed.length - supporters.length;
  if (supporters.length >= 2 && high / low < 1 + NARROW && opposed * 3 <= supporters.length)
    return { factor: ratio, lastOld, low, high };
  return oddChange(changed, lastOld);
}

/** The change of a recapitalisation: the same ratio, simple or not, for figures of two periods. */
function oddChange(
  changed: readonly Retelling[],
  lastOld: string,
): Omit<FoundChange, "from"> | null {
  const { low, high } = intersection(changed);
  const isLarge = low > 1 + LARGE_CHANGE || high < 1 - LARGE_CHANGE;
  if (low > high || !isLarge || new Set(changed.map(({ period }) => period)).size < 2) return null;
  // Average numbers of shares give the ratio exactly, earnings per share do not.
  const isExact = changed.filter(({ isCount }) => isCount).length >= 2;
  return { factor: isExact ? Math.sqrt(low * high) : null, lastOld, low, high };
}

function intersection(ranges: readonly Retelling[]): { low: number; high: number } {
  return {
    low: Math.max(...ranges.map(({ low }) => low)),
    high: Math.min(...ranges.map(({ high }) => high)),
  };
}
