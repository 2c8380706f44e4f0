import { BourseError } from "#domain/errors.ts";
import type { Need } from "#domain/fetch.ts";
import type { MarketStore } from "#store/index.ts";
import type { Refresher } from "./refresh.ts";

/** How long a request waits for its sources; beyond it, what is stored is served. */
const WAIT_MS = 2_500;
const RETRY_AFTER_SECONDS = 30;

/** Sees to it that what an answer needs is there and fresh, as far as the sources allow. */
export type OnRequest = (needs: readonly Need[]) => Promise<void> | undefined;

/**
 * Refreshes what a request needs; of what is not listed yet the listing comes first. It gives up
 * waiting after 2.5 seconds, but not fetching.
 *
 * @throws BourseError `unavailable` where something that is not optional could not be had and nothing
 * of it is stored
 */
export function createOnRequest(parts: {
  market: MarketStore;
  refresher: Refresher;
  sleep: (ms: number) => Promise<void>;
}): OnRequest {
  const { market, refresher, sleep } = parts;
  const isListed = ({ country, symbol }: Need) =>
    symbol === null || market.holds({ kind: "instruments", country, symbol });
  // A symbol that a list does not have is unknown; without any list nobody can tell.
  const isLacking = (need: Need) =>
    !market.holds(need) &&
    refresher.isLacking(isListed(need) ? need : { ...need, kind: "instruments", symbol: null });

  const bring = async (needs: readonly Need[]): Promise<void> => {
    const unmet = new Set(needs);
    const settle = (some: readonly Need[]) =>
      Promise.all(
        some.map(async (need) => {
          const { error } = await refresher.refresh(need);
          if (error === null) unmet.delete(need);
        }),
      );
    const unlisted = needs.filter((need) => !isListed(need));
    const all = settle(needs.filter(isListed)).then(() => settle(unlisted.filter(isListed)));
    await Promise.race([all, sleep(WAIT_MS)]);
    for (const need of unmet) {
      if (need.optional || !isLacking(need)) continue;
      throw new BourseError(
        "unavailable",
        `The sources of ${need.kind} for ${need.symbol ?? need.country} cannot be reached and nothing is stored yet. Retry shortly.`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    }
  };

  return (needs) => (needs.some((need) => refresher.isDue(need)) ? bring(needs) : undefined);
}
