import { BourseError } from "#domain/errors.ts";
import type { FetchKey, Need } from "#domain/fetch.ts";
import type { MarketStore } from "#store/index.ts";
import { nameOf, type Refresher } from "./refresh.ts";

/** How long a request waits for its sources; after that, what is stored is served. */
const WAIT_MS = 2_500;
/** When to ask again for what is still being fetched. */
const UNDER_WAY_SECONDS = 5;

/** Makes sure that what an answer needs is stored and fresh, as far as the sources allow. */
export type OnRequest = (needs: readonly Need[]) => Promise<void> | undefined;

/**
 * Refreshes what a request needs; the listing comes before what is not listed yet. It stops waiting
 * after 2.5 seconds, but not fetching.
 *
 * @throws BourseError `unavailable` where something that is not optional could not be fetched and
 * neither it nor its substitute is stored; it says whether it is being fetched, and when to retry
 */
export function createOnRequest(parts: {
  market: MarketStore;
  refresher: Refresher;
  sleep: (ms: number) => Promise<void>;
  clock: () => number;
}): OnRequest {
  const { market, refresher, sleep, clock } = parts;
  const isListed = ({ country, symbol }: Need) =>
    symbol === null || market.holds({ kind: "instruments", country, symbol });
  // A symbol that is missing from a list is unknown; without any list it may exist.
  /** What must be fetched first for a need: itself, or the listing of what is not listed yet. */
  const missingKey = ({ kind, country, symbol }: Need): FetchKey =>
    isListed({ kind, country, symbol })
      ? { kind, country, symbol }
      : { kind: "instruments", country, symbol: null };

  const isAnswerable = (need: Need) =>
    need.optional === true ||
    market.holds(need) ||
    (need.substitute !== undefined && market.holds({ ...need, kind: need.substitute }));

  const bring = async (needs: readonly Need[]): Promise<void> => {
    const unmet = new Set(needs);
    const retryTimes = new Map<string, number>();
    const settle = (some: readonly Need[]) =>
      Promise.all(
        some.map(async (need) => {
          const { error, retryAt } = await refresher.refresh(need, { probe: true });
          if (error === null) unmet.delete(need);
          else retryTimes.set(nameOf(need), retryAt ?? clock());
        }),
      );
    const unlisted = needs.filter((need) => !isListed(need));
    const all = settle(needs.filter(isListed)).then(() => settle(unlisted.filter(isListed)));
    await Promise.race([all, sleep(WAIT_MS)]);
    for (const need of unmet) {
      const missing = missingKey(need);
      if (isAnswerable(need) || !refresher.wasNeverFetched(missing)) continue;
      throw unavailable(need, retryTimes.get(nameOf(missing)) ?? null, clock());
    }
  };

  return (needs) => (needs.some((need) => refresher.isDue(need)) ? bring(needs) : undefined);
}

/** The error for a need that is being fetched (`retryAt` null), or whose sources failed. */
function unavailable(
  { kind, country, symbol }: Need,
  retryAt: number | null,
  now: number,
): BourseError {
  // calendarEvents: calendar events
  const records = kind.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const subject = `${records} for ${symbol ?? country}`;
  if (retryAt === null) {
    return new BourseError(
      "unavailable",
      `The ${subject} are being fetched. Retry in ${UNDER_WAY_SECONDS} seconds.`,
      { retryAfterSeconds: UNDER_WAY_SECONDS },
    );
  }
  const retryAfterSeconds = Math.max(1, Math.ceil((retryAt - now) / 1000));
  return new BourseError(
    "unavailable",
    `The sources of ${subject} cannot be reached and nothing is stored yet. Retry in ${retryAfterSeconds} seconds.`,
    { retryAfterSeconds },
  );
}
