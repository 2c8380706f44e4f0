import type { MarketStore } from "#store/index.ts";

/** Thrown to undo the transaction of a rehearsal. */
const REHEARSED = new Error("rehearsed");

/** Runs `work` in one transaction, and undoes it if it is a rehearsal; returns what it returns. */
export function rehearse<T>(market: MarketStore, isRehearsal: boolean, work: () => T): T {
  if (!isRehearsal) return market.transaction(work);
  let result: { value: T } | undefined;
  try {
    market.transaction(() => {
      result = { value: work() };
      throw REHEARSED;
    });
  } catch (error) {
    if (error !== REHEARSED || !result) throw error;
  }
  return (result as { value: T }).value;
}
