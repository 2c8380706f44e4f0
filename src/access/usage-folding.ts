import type { AccessStore } from "#store/index.ts";
import { findHour, firstHourOf, KEPT_DAYS, windowsAt } from "#store/usage.ts";
import { MAX_DAYS_BY_HOUR } from "./usage-history.ts";

export { KEPT_DAYS } from "#store/usage.ts";

/** Rows in one transaction, which takes some 2 ms. */
const ROWS = 100;

/** Folds the hours of earlier days into one row a day and token, which saves 94 % of a full history. */
export class UsageFolding {
  readonly #access: Pick<AccessStore, "run" | "foldHour">;
  /** All hours up to this one are folded. */
  #foldedTo: number | null = null;

  /** Folds in this store. */
  constructor(access: Pick<AccessStore, "run" | "foldHour">) {
    this.#access = access;
  }

  /**
   * Folds what is due at `now`, UTC milliseconds, in small transactions, until `isStopped`. `rest` runs after
   * each of them. A repetition after an error goes on where it was, because a transaction moves its rows.
   */
  async run(now: number, isStopped: () => boolean, rest: () => Promise<void>): Promise<void> {
    const { day, hour: current } = windowsAt(now);
    // One day more than a history by hour has, because that includes today.
    const end = (day - MAX_DAYS_BY_HOUR) * 24;
    let at = this.#foldedTo ?? current - 24 * KEPT_DAYS - 1;
    while (!isStopped()) {
      const hour = await this.#access.run(findHour(at, end));
      if (hour === null) break;
      const isDay = hour === firstHourOf(hour);
      // A row that another transaction locks is found again.
      if (isDay || (await this.#access.foldHour(hour, ROWS)) === 0) at = hour;
      await rest();
      this.#foldedTo = at;
    }
  }
}
