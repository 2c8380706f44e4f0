import { BourseError } from "#domain/errors.ts";
import type { MarketStore } from "#store/index.ts";
import type { Need } from "#store/fetches.ts";
import type { Refresher } from "./refresh.ts";

/** How long a request waits for its sources; beyond it, what is stored is served. */
const WAIT_MS = 2_500;
const RETRY_AFTER_SECONDS = 30;

/** Sees to it that what an answer needs is there and fresh, as far as the sources allow. */
export type OnRequest = (needs: readonly Need[]) => Promise<void> | undefined;

/**
 * Refreshes what a request needs, listings before what is listed. It gives up waiting after 2.5
 * seconds, but not fetching.
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

  const bring = async (needs: readonly Need[]): Promise<void> => {
    const listings = needs.filter(({ symbol }) => symbol === null);
    const listed = needs.filter(({ symbol }) => symbol !== null);
    const failed = new Set<Need>();
    const settle = (list: readonly Need[]) =>
      Promise.all(
        list.map(async (need) => {
          failed.add(need);
          const { error } = await refresher.refresh(need);
          if (error === null) failed.delete(need);
        }),
      );
    const all = settle(listings).then(() =>
      // Of an unknown symbol nothing is asked: the answer says that it is unknown.
      settle(
        listed.filter(({ country, symbol }) =>
          market.holds({ kind: "instruments", country, symbol }),
        ),
      ),
    );
    await Promise.race([all, sleep(WAIT_MS)]);
    for (const need of failed) {
      if (need.optional || market.holds(need)) continue;
      throw new BourseError(
        "unavailable",
        `The sources of ${need.kind} for ${need.symbol ?? need.country} cannot be reached and nothing is stored yet. Retry shortly.`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    }
  };

  return (needs) => (needs.some((need) => refresher.isDue(need)) ? bring(needs) : undefined);
}
