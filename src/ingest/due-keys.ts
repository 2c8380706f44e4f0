import type { FetchKey, Lack } from "#domain/fetch.ts";
import { IMPORT, type RecordKind } from "#domain/records.ts";
import { dateOf } from "#lib/date.ts";
import type { Fetcher } from "#sources/fetcher.ts";
import type { StatefulSourceClient } from "#sources/source-client.ts";
import type { MarketStore } from "#store/index.ts";
import { isDue } from "./freshness.ts";
import { describeLack } from "./lacks.ts";
import { isAmong } from "./outages.ts";

/**
 * Today's prices from any source are better than yesterday's from the best one. For other kinds a
 * worse source would replace the records of a better one, for example with a shorter list.
 */
export const PRICE_KINDS: ReadonlySet<RecordKind> = new Set(["bars", "quotes"]);

/** What decides which keys are due. */
export interface DueKeysParts {
  readonly market: MarketStore;
  /** In order of preference. */
  readonly fetchers: readonly Fetcher[];
  /** The client of a source; null if the source is switched off. */
  readonly clientOf: (source: string) => StatefulSourceClient | null;
  readonly clock: () => number;
}

/** A fetcher with the client of its source. */
export interface BoundFetcher {
  readonly fetcher: Fetcher;
  readonly client: StatefulSourceClient;
}

/** The fetchers of one key. */
interface Candidates {
  /** In order of preference; the first one that gives records is enough. */
  readonly chain: readonly BoundFetcher[];
  /** Each adds its own records to the chain's. */
  readonly complements: readonly BoundFetcher[];
}

/** Decides which keys are due and which sources serve them, from the stored records. It calls no source. */
export class DueKeys {
  readonly #parts: DueKeysParts;

  constructor(parts: DueKeysParts) {
    this.#parts = parts;
  }

  /** True if a source serves that key and it is due. Nothing is due for an unlisted symbol. */
  isDue(key: FetchKey): boolean {
    const { chain, complements } = this.dueCandidates(key);
    return chain.length + complements.length > 0;
  }

  /** The names of all sources that are switched on, in order of preference. */
  sources(): string[] {
    const { fetchers, clientOf } = this.#parts;
    const names = new Set(fetchers.map(({ source }) => source.name));
    return [...names].filter((name) => clientOf(name) !== null);
  }

  /** The source that is called first for such a key; null if no source serves it. */
  sourceOf(key: FetchKey): string | null {
    const { chain, complements } = this.candidates(key);
    return [...chain, ...complements][0]?.fetcher.source.name ?? null;
  }

  /** True if sources serve that key, but none ever gave records or answered that there are none. */
  wasNeverFetched(key: FetchKey): boolean {
    const { chain, complements } = this.candidates(key);
    const fetchers = chain.length > 0 ? chain : complements;
    const { market } = this.#parts;
    return (
      fetchers.every(
        ({ fetcher }) => market.fetches.findLastSuccess(fetcher.source.name, key) === null,
      ) && fetchers.length > 0
    );
  }

  /**
   * What the stored records of the key lack because a source refused, one text for each reason. Sources
   * behind the first one that gave records are not missed.
   */
  listLacks(key: FetchKey): string[] {
    const { fetches } = this.#parts.market;
    const { chain, complements } = this.candidates(key);
    const isGiven = chain.some(({ fetcher }) => fetches.hasDelivered(fetcher.source.name, key));
    const known = new Map(fetches.listLacks(key).map((lack) => [lack.source, lack]));
    const missed = (isGiven ? complements : [...chain, ...complements]).map(
      ({ fetcher }) => fetcher.source.name,
    );
    const lacks = missed.flatMap((source) => known.get(source) ?? this.#untried(source, key) ?? []);
    // A list that is stored in part.
    const inPart = [...known.values()].filter(
      ({ source, parts }) => parts.length > 0 && !missed.includes(source),
    );
    return [...lacks, ...inPart].flatMap((lack) => describeLack(key, lack));
  }

  /** What a source lacks that was not called for the key, because it failed for others; null if it did not fail. */
  #untried(source: string, key: FetchKey): Lack | null {
    const { fetches } = this.#parts.market;
    const isFailing = fetches.findHealth(source).failingSince !== null;
    if (!isFailing || fetches.findLastSuccess(source, key) !== null) return null;
    return { source, parts: [], error: fetches.findLastError(source) };
  }

  /** The fetchers that serve that key. */
  protected candidates({ kind, country, symbol }: FetchKey): Candidates {
    const { fetchers, clientOf } = this.#parts;
    const all = fetchers.flatMap((fetcher): BoundFetcher[] => {
      const serves =
        fetcher.kind === kind &&
        fetcher.countries.includes(country) &&
        fetcher.scope === (symbol === null ? "country" : "instrument");
      const client = serves ? clientOf(fetcher.source.name) : null;
      const isUsable = client && (client.key !== null || !fetcher.source.key?.required);
      return isUsable ? [{ fetcher, client }] : [];
    });
    return {
      chain: all.filter(({ fetcher }) => !fetcher.complements),
      complements: all.filter(({ fetcher }) => fetcher.complements),
    };
  }

  /** The candidates that are due. */
  protected dueCandidates(key: FetchKey): Candidates {
    if (!isWanted(this.#parts.market, key)) return { chain: [], complements: [] };
    const { chain, complements } = this.candidates(key);
    const needed = chain.filter((one) => this.#isNeeded(one, key));
    return {
      chain: this.#areDue(needed, key) ? needed : [],
      complements: complements.filter((one) => this.#areDue([one], key)),
    };
  }

  /** False for an upcoming earnings date from another source: the calendar of a country is more reliable. */
  #isNeeded({ fetcher }: BoundFetcher, { kind, country, symbol }: FetchKey): boolean {
    if (kind !== "earningsDates" || symbol === null) return true;
    const { market, clock } = this.#parts;
    const stored = market.documents.find(kind, country, symbol);
    return !stored || stored.source === fetcher.source.name || stored.date < dateOf(clock());
  }

  #areDue(fetchers: readonly BoundFetcher[], key: FetchKey): boolean {
    if (fetchers.length === 0) return false;
    const { market, clock } = this.#parts;
    const { kind, country, symbol } = key;
    return isDue(kind, country, this.#lastSuccess(fetchers, key), clock(), {
      showsUnknownSplit: () => showsUnknownSplit(market, key),
      scope: symbol === null ? "country" : "instrument",
      overrides: market.documents.list("holidayOverrides", country),
    });
  }

  /**
   * The last success of one of the fetchers, the better ones first; null if there was none. What a worse one
   * gave during an outage of a better one counts until the better one answers again, except for prices.
   */
  #lastSuccess(fetchers: readonly BoundFetcher[], key: FetchKey): number | null {
    const { market } = this.#parts;
    const sources = fetchers.map(({ fetcher }) => fetcher.source.name);
    const times = sources.flatMap((source, i) => {
      const at = market.fetches.findLastSuccess(source, key);
      const isStandIn = (time: number) =>
        !PRICE_KINDS.has(key.kind) &&
        sources.slice(0, i).some((one) => isAmong(market.fetches.findHealth(one).outages, time));
      return at === null || isStandIn(at) ? [] : [at];
    });
    return times.length === 0 ? null : Math.max(...times);
  }
}

/** True if the key is of splits, and the newest quote shows a split that is not stored. */
export function showsUnknownSplit(
  market: MarketStore,
  { kind, country, symbol }: FetchKey,
): boolean {
  if (kind !== "splits" || symbol === null) return false;
  const instrument = market.instruments.find({ country, symbol });
  return instrument !== null && market.showsUnknownSplit(instrument);
}

/** A unique text for a key. */
export function nameOf({ kind, country, symbol }: FetchKey): string {
  return `${kind} ${country} ${symbol ?? ""}`;
}

/** The kinds whose lists are requested for the listed companies, and stored in parts. */
const LISTED_KINDS: ReadonlySet<RecordKind> = new Set(["statements", "recentCloses", "filings"]);

/** True for a list that is requested for the listed companies and stored in parts. */
export function isLongList({ kind, symbol }: FetchKey): boolean {
  return symbol === null && LISTED_KINDS.has(kind);
}

/**
 * False for an unknown or delisted instrument, and for bars if the stored ones were imported, because
 * imported bars are the whole history.
 */
export function isWanted(market: MarketStore, { kind, country, symbol }: FetchKey): boolean {
  // Only listed instruments can be classified.
  if (symbol === null)
    return (
      (kind !== "classifications" && !LISTED_KINDS.has(kind)) ||
      market.instruments.hasListing(country)
    );
  const instrument = market.instruments.find({ country, symbol });
  if (!instrument || instrument.delistedAt !== undefined) return false;
  return kind !== "bars" || market.bars.findProvenance(instrument.id)?.source !== IMPORT;
}
