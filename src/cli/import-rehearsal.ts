import type { MarketStore } from "#store/index.ts";

/** Thrown to roll back the transaction of a dry run. */
const REHEARSED = new Error("rehearsed");

/** Runs `work` in one transaction and returns its result; a dry run is rolled back. */
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
