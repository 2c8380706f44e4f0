import { BourseError } from "#domain/errors.ts";
import type { FetchKey, Need } from "#domain/fetch.ts";
import type { Reason } from "#domain/reasons.ts";
import { wordsOf } from "#domain/records.ts";
import { Patience } from "#lib/deadline.ts";
import type { MarketStore } from "#store/index.ts";
import { nameOf } from "./due-keys.ts";
import { withoutSource } from "./lacks.ts";
import type { Refresher } from "./refresh.ts";

/** The retry time of an answer while its records are being fetched. */
const RETRY_SECONDS = 5;
/** The same while its lists were refused. The schedule fetches them again after a minute. */
const EMPTY_RETRY_SECONDS = 60;

/** Refreshes the records that an answer needs, while the call has patience; undefined if none is due. */
export interface OnRequest {
  (needs: readonly Need[], patience?: Patience): Promise<void> | undefined;
  /** What an answer from these records lacks because sources refused, one text for each reason. */
  readonly missing: (needs: readonly Need[]) => readonly string[];
  /** The error of an answer without any of these records; null if the sources answered that there are none. */
  readonly explainEmpty: (needs: readonly Need[]) => BourseError | null;
  /** Why no record of the key is stored. */
  readonly whyAbsent: (key: FetchKey) => Reason;
}

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
  refresher: Pick<Refresher, "isDue" | "wasNeverFetched" | "refresh" | "listLacks" | "sourceOf">;
  sleep: (ms: number) => Promise<void>;
  clock: () => number;
}): OnRequest {
  const { market, refresher, sleep, clock } = parts;
  const isListed = (need: Need) => isListedIn(market, need);
  const missingKey = (need: Need) => missingKeyIn(market, need);

  /** The fetches that go on after a request has waited for them in vain. */
  const inVain = new Set<string>();
  const isHopeful = (need: Need) => !inVain.has(nameOf(missingKey(need)));

  const refreshNeeds = async (needs: readonly Need[], patience: Patience): Promise<void> => {
    const unmet = new Set(needs);
    const running = new Set<string>();
    const failures = new Map<string, Failure>();
    let failure: unknown = null;
    const settle = async (need: Need) => {
      if (!isHopeful(need)) return;
      const name = nameOf(need);
      running.add(name);
      try {
        const { error, retryAt } = await refresher.refresh(need, { probe: true });
        if (error === null) unmet.delete(need);
        else failures.set(name, { error, retryAt: retryAt ?? clock() });
      } finally {
        running.delete(name);
        inVain.delete(name);
      }
    };
    const lists = needs.filter(({ symbol }) => symbol === null);
    const settling = new Map(lists.map((need) => [nameOf(need), settle(need)]));
    const companies = needs.filter(({ symbol }) => symbol !== null);
    const settleCompany = async (need: Need) => {
      // No other list can add the symbol, so no other one is waited for.
      if (!isListed(need)) await settling.get(nameOf(missingKey(need)));
      if (isListed(need)) await settle(need);
    };
    const all = Promise.all([...settling.values(), ...companies.map(settleCompany)]);
    const ended = all.catch((error) => (failure = error));
    await patience.spend(Promise.race([ended, sleep(patience.leftMs)]));
    for (const name of running) inVain.add(name);
    for (const need of unmet) {
      const missing = missingKey(need);
      if (isAnswerable(market, need) || !refresher.wasNeverFetched(missing)) continue;
      throw failure ?? unavailable(need, failures.get(nameOf(missing)) ?? null, clock());
    }
  };

  const refresh = (needs: readonly Need[], patience = new Patience(clock)) =>
    needs.some((need) => refresher.isDue(need)) ? refreshNeeds(needs, patience) : undefined;
  const missing = (needs: readonly Need[]) => [
    ...new Set(needs.flatMap((need) => refresher.listLacks(need))),
  ];
  const explainEmpty = (needs: readonly Need[]) => {
    const lacks = missing(needs);
    if (lacks.length > 0) return emptyMarket(lacks);
    const unknown = needs.find((need) => refresher.wasNeverFetched(need));
    return unknown ? unavailable(unknown, null, clock()) : null;
  };
  const whyAbsent = (key: FetchKey) => whyAbsentFrom(refresher, key);
  return Object.assign(refresh, { missing, explainEmpty, whyAbsent });
}

/** True for a list, and for a symbol that the stored listing has. */
const isListedIn = (market: MarketStore, { country, symbol }: Need): boolean =>
  symbol === null || market.holds({ kind: "instruments", country, symbol });

/**
 * The key that must be fetched first for a need: its own, or the listing for a symbol that it does not have. A symbol that
 * is missing in a list is unknown; without a list it may exist.
 */
const missingKeyIn = (market: MarketStore, need: Need): FetchKey =>
  isListedIn(market, need)
    ? { kind: need.kind, country: need.country, symbol: need.symbol }
    : { kind: "instruments", country: need.country, symbol: null };

/** True if an answer can do without the need, or a stored record meets it. */
const isAnswerable = (market: MarketStore, need: Need): boolean =>
  need.optional === true ||
  market.holds(need) ||
  (need.substitute !== undefined && market.holds({ ...need, kind: need.substitute }));

/** Why a key could not be fetched, and when it is fetched again, UTC milliseconds. */
interface Failure {
  readonly error: string;
  readonly retryAt: number;
}

/** Why no record of a key is stored, by what its sources did for it and for the list of its country. */
function whyAbsentFrom(
  refresher: Pick<Refresher, "wasNeverFetched" | "listLacks" | "sourceOf">,
  key: FetchKey,
): Reason {
  const served = [key, { ...key, symbol: null }].filter((one) => refresher.sourceOf(one) !== null);
  if (served.some((one) => refresher.listLacks(one).length > 0)) return "refused_by_source";
  if (served.some((one) => refresher.wasNeverFetched(one))) return "not_fetched_yet";
  return "not_published";
}

/** The error instead of an empty market. */
function emptyMarket(lacks: readonly string[]): BourseError {
  return new BourseError(
    "unavailable",
    `The market is empty, because sources refused: ${lacks.join("; ")}. Retry in ${EMPTY_RETRY_SECONDS} seconds.`,
    { retryAfterSeconds: EMPTY_RETRY_SECONDS, lack: "refused" },
  );
}

/** The error for a need that is being fetched (`failure` is null) or whose sources failed. */
function unavailable(
  { kind, country, symbol }: Need,
  failure: Failure | null,
  now: number,
): BourseError {
  const subject = `${wordsOf(kind)} for ${symbol ?? country}`;
  if (failure === null) {
    return new BourseError(
      "unavailable",
      `The ${subject} are being fetched. Retry in ${RETRY_SECONDS} seconds.`,
      { retryAfterSeconds: RETRY_SECONDS, lack: "fetching" },
    );
  }
  const retryAfterSeconds = Math.max(1, Math.ceil((failure.retryAt - now) / 1000));
  return new BourseError(
    "unavailable",
    `The sources of ${subject} cannot be reached and nothing is stored yet: ${withoutSource(failure.error)}. Retry in ${retryAfterSeconds} seconds.`,
    { retryAfterSeconds, lack: "refused" },
  );
}
