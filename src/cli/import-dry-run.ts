import type { MarketStore } from "#store/index.ts";

/** Thrown to roll back the transaction of a dry run. */
const DRY_RUN = new Error("dry run");

/** Runs `work` in one transaction and returns its result; a dry run is rolled back. */
export function runTransaction<T>(market: MarketStore, isDryRun: boolean, work: () => T): T {
  if (!isDryRun) return market.transaction(work);
  let result: { value: T } | undefined;
  try {
    market.transaction(() => {
      result = { value: work() };
      throw DRY_RUN;
    });
  } catch (error) {
    if (error !== DRY_RUN || !result) throw error;
  }
  return (result as { value: T }).value;
}
