import type { Fact } from "./facts.ts";

/** A share split as filings show it: filings from that day on state older periods in new shares. */
export interface ShareSplit {
  readonly from: string;
  /** New shares for an old one; below 1 for a reverse split. */
  readonly factor: number;
}

const TOLERANCE = 0.005;
const FACTORS = [
  ...Array.from({ length: 49 }, (_, i) => i + 2),
  ...Array.from({ length: 99 }, (_, i) => 1 / (i + 2)),
  3 / 2,
  5 / 2,
  4 / 3,
  5 / 4,
];

/**
 * Finds the splits that filings show, oldest first: a filing restates two or more share counts of
 * earlier periods by the same simple ratio. A split since the last filing is not found. Each list
 * holds the facts of one tag.
 */
export function findShareSplits(shareFacts: readonly (readonly Fact[])[]): ShareSplit[] {
  const retold = new Map<string, { ratio: number; since: string }[]>();
  for (const facts of shareFacts) {
    const latest = new Map<string, Fact>();
    for (const fact of facts.toSorted((a, b) =>
      a.filed < b.filed ? -1 : a.filed > b.filed ? 1 : 0,
    )) {
      const period = `${fact.start} ${fact.end}`;
      const before = latest.get(period);
      latest.set(period, fact);
      if (!before || before.filed === fact.filed || before.value <= 0 || fact.value <= 0) continue;
      const pairs = retold.get(fact.filed) ?? [];
      pairs.push({ ratio: fact.value / before.value, since: before.filed });
      retold.set(fact.filed, pairs);
    }
  }

  const splits: ShareSplit[] = [];
  for (const [filed, pairs] of [...retold].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const counts = new Map<number, number>();
    for (const { ratio, since } of pairs) {
      const rest = ratio / splitFactor(splits, since);
      const factor = FACTORS.find((one) => Math.abs(rest / one - 1) <= TOLERANCE);
      if (factor !== undefined) counts.set(factor, (counts.get(factor) ?? 0) + 1);
    }
    for (const [factor, count] of counts) if (count >= 2) splits.push({ from: filed, factor });
  }
  return splits;
}

/** New shares for one of the shares in which a filing of that day counts. */
export function splitFactor(splits: readonly ShareSplit[], filed: string): number {
  return splits.reduce((all, { from, factor }) => (filed < from ? all * factor : all), 1);
}
