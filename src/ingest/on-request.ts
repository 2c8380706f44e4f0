import { BourseError } from "#domain/errors.ts";
import type { FetchKey, Need } from "#domain/fetch.ts";
import { Patience } from "#lib/deadline.ts";
import type { MarketStore } from "#store/index.ts";
import { nameOf } from "./due-keys.ts";
import type { Refresher } from "./refresh.ts";

/** The retry time of an answer while its records are being fetched. */
const RETRY_SECONDS = 5;

/** Refreshes the records that an answer needs, while the call has patience; undefined if none is due. */
export type OnRequest = (needs: readonly Need[], patience?: Patience) => Promise<void> | undefined;

/**
 * Creates a function that refreshes the records that a request needs. The listing is fetched before
 * records of symbols that are not listed yet. After 2.5 seconds it stops waiting; the fetches continue. While one of
 * them goes on, no other request waits for it.
 *
 * @throws BourseError `unavailable` if a need that is not optional could not be fetched and neither
 * its record nor its substitute is stored; the error says if it is being fetched and when to retry. The
 * same error as `refresher.refresh` if that rejects then.
 */
export function createOnRequest(parts: {
  market: MarketStore;
  refresher: Pick<Refresher, "isDue" | "wasNeverFetched" | "refresh">;
  sleep: (ms: number) => Promise<void>;
  clock: () => number;
}): OnRequest {
  const { market, refresher, sleep, clock } = parts;
  const isListed = ({ country, symbol }: Need) =>
    symbol === null || market.holds({ kind: "instruments", country, symbol });
  // A symbol that is missing in a list is unknown; without a list it may exist.
  /** The key that must be fetched first for a need: its own, or the listing for an unlisted symbol. */
  const missingKey = ({ kind, country, symbol }: Need): FetchKey =>
    isListed({ kind, country, symbol })
      ? { kind, country, symbol }
      : { kind: "instruments", country, symbol: null };

  const isAnswerable = (need: Need) =>
    need.optional === true ||
    market.holds(need) ||
    (need.substitute !== undefined && market.holds({ ...need, kind: need.substitute }));

  /** The fetches that go on after a request has waited for them in vain. */
  const inVain = new Set<string>();
  const isHopeful = (need: Need) => !inVain.has(nameOf(missingKey(need)));

  const refreshNeeds = async (needs: readonly Need[], patience: Patience): Promise<void> => {
    const unmet = new Set(needs);
    const running = new Set<string>();
    const retryTimes = new Map<string, number>();
    let failure: unknown = null;
    const settle = (some: readonly Need[]) =>
      Promise.all(
        some.filter(isHopeful).map(async (need) => {
          const name = nameOf(need);
          running.add(name);
          try {
            const { error, retryAt } = await refresher.refresh(need, { probe: true });
            if (error === null) unmet.delete(need);
            else retryTimes.set(name, retryAt ?? clock());
          } finally {
            running.delete(name);
            inVain.delete(name);
          }
        }),
      );
    const unlisted = needs.filter((need) => !isListed(need));
    const all = settle(needs.filter(isListed)).then(() => settle(unlisted.filter(isListed)));
    const ended = all.catch((error) => (failure = error));
    await patience.spend(Promise.race([ended, sleep(patience.leftMs)]));
    for (const name of running) inVain.add(name);
    for (const need of unmet) {
      const missing = missingKey(need);
      if (isAnswerable(need) || !refresher.wasNeverFetched(missing)) continue;
      throw failure ?? unavailable(need, retryTimes.get(nameOf(missing)) ?? null, clock());
    }
  };

  return (needs, patience = new Patience(clock)) =>
    needs.some((need) => refresher.isDue(need)) ? refreshNeeds(needs, patience) : undefined;
}

/** The error for a need that is being fetched (`retryAt` is null) or whose sources failed. */
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
      `The ${subject} are being fetched. Retry in ${RETRY_SECONDS} seconds.`,
      { retryAfterSeconds: RETRY_SECONDS },
    );
  }
  const retryAfterSeconds = Math.max(1, Math.ceil((retryAt - now) / 1000));
  return new BourseError(
    "unavailable",
    `The sources of ${subject} cannot be reached and nothing is stored yet. Retry in ${retryAfterSeconds} seconds.`,
    { retryAfterSeconds },
  );
}
