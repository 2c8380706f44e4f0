import type { Awaitable } from "#lib/awaitable.ts";
import type { CountedCalls, Usage } from "#store/usage.ts";
import type { PlanName } from "./plans.ts";

/** Counts the calls of tokens against their plans. */
export interface CallCounter {
  /** Counts one call and returns the counters after it, or null if a ceiling is reached or the token has ended. */
  charge(tokenId: number, plan: PlanName): Awaitable<Usage | null>;
  /** The counters at this moment, without counting a call. */
  usage(tokenId: number): Awaitable<Usage>;
  /** The calls of a token that this process has counted in advance and not served yet; null if there are none. */
  unused(tokenId: number): CountedCalls | null;
  /** Counts a refused call for the history, in that UTC hour. `settle` stores it. */
  countDenied(tokenId: number, hour: number): void;
  /**
   * Gives back calls that were counted in advance and not used in time; with `all`, all unused calls. Stores the
   * refused calls. False if the store cannot be written now; the rest is kept for the next call.
   */
  settle(options?: { all?: boolean }): Awaitable<boolean>;
}
