import { PER_SHARE_ITEMS, SHARE_COUNT_ITEMS, type Statement } from "./statement.ts";

/** Rounds to twelve significant digits, which removes the noise of binary fractions: 1.2 / 3 is 0.4. */
const round = (value: number) => Number(value.toPrecision(12));

/** An amount per share, after a split of `ratio` new shares for one. Null stays null. */
export function perNewShare<T extends number | null>(amount: T, ratio: number): T {
  return (amount === null ? null : round(amount / ratio)) as T;
}

/** A number of shares after such a split. Null stays null. */
export function inNewShares<T extends number | null>(count: T, ratio: number): T {
  return (count === null ? null : round(count * ratio)) as T;
}

/** A statement after such a split; itself if the ratio is 1. */
export function adjustStatement<T extends Statement>(statement: T, ratio: number): T {
  if (ratio === 1) return statement;
  const items = { ...statement.items };
  for (const item of PER_SHARE_ITEMS) items[item] = perNewShare(items[item], ratio);
  for (const item of SHARE_COUNT_ITEMS) items[item] = inNewShares(items[item], ratio);
  return { ...statement, items };
}
