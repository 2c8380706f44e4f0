import { IMPORT } from "#domain/records.ts";
import type { Log } from "#lib/log.ts";
import type { Fetcher, LiveQuery } from "#providers/fetcher.ts";
import { type SourceClient, SourceError } from "#providers/source.ts";
import type { MarketStore } from "#store/index.ts";
import type { FetchKey } from "#store/fetches.ts";
import { isDue } from "./freshness.ts";
import { storeRecords } from "./ingest.ts";

/** After a fetch that failed everywhere, the same is not asked for again so soon. */
const RETRY_AFTER_MS = 60_000;

/** How a fetch ended. */
export interface RefreshOutcome extends FetchKey {
  /** The source that gave the records; null where none did. */
  readonly source: string | null;
  readonly records: number;
  /** Why nothing came, in words; null where something did, or where the sources know of nothing. */
  readonly error: string | null;
}

export interface RefresherParts {
  readonly market: MarketStore;
  /** In order of preference. */
  readonly fetchers: readonly Fetcher[];
  /** The client of a source; null where the source is switched off. */
  readonly clientOf: (source: string) => SourceClient | null;
  readonly clock: () => number;
  readonly log: Log;
}

/** Brings what is due from the sources into the store, each thing once at a time. */
export interface Refresher {
  /** Whether any source serves that, and it is due. */
  isDue(key: FetchKey): boolean;
  /** Fetches, if it is due; whoever asks for the same meanwhile gets the same outcome. */
  refresh(key: FetchKey): Promise<RefreshOutcome>;
}

export function createRefresher(parts: RefresherParts): Refresher {
  const { market, fetchers, clientOf, clock, log } = parts;
  const underWay = new Map<string, Promise<RefreshOutcome>>();
  const failedAt = new Map<string, { at: number; outcome: RefreshOutcome }>();

  const serving = ({ kind, country, symbol }: FetchKey) =>
    fetchers.filter(
      (fetcher) =>
        fetcher.kind === kind &&
        fetcher.countries.includes(country) &&
        fetcher.scope === (symbol === null ? "country" : "instrument"),
    );
  const due = (key: FetchKey) =>
    serving(key).length > 0 &&
    !isImported(market, key) &&
    isDue(key.kind, key.country, market.fetches.findLastSuccess(key), clock());

  const fetchOne = async (fetcher: Fetcher, key: FetchKey): Promise<number> => {
    const { source, kind } = fetcher;
    const client = clientOf(source.name);
    if (!client) throw new SourceError(source.name, "not_asked", "it is switched off");
    const query = queryFor(market, source.name, key, clock());
    const raw = await fetcher.fetch(query, client);
    return market.transaction(() => {
      const records = storeRecords(
        market,
        kind,
        fetcher.transform(raw, query),
        { source: source.name, storedAt: clock() },
        // What complements others may come in part: what it left out this time stays.
        key.symbol === null && !fetcher.complements ? { country: key.country } : undefined,
      );
      market.fetches.recordSuccess(source.name, key, clock(), records);
      return records;
    });
  };

  const run = async (key: FetchKey): Promise<RefreshOutcome> => {
    const givers: { source: string; records: number }[] = [];
    let knowsNothing: string | null = null;
    const errors: string[] = [];
    let isServed = false;
    for (const fetcher of serving(key)) {
      const source = fetcher.source.name;
      if (isServed && !fetcher.complements) continue;
      try {
        givers.push({ source, records: await fetchOne(fetcher, key) });
        isServed ||= !fetcher.complements;
      } catch (error) {
        const fault = error instanceof SourceError ? error.fault : null;
        if (fault === "nothing") {
          knowsNothing = source;
          continue;
        }
        const reason = error instanceof Error ? error.message : String(error);
        errors.push(reason);
        if (fault === "not_asked") continue;
        market.fetches.recordFailure(source, key, clock(), reason);
        log.warn("a source failed", {
          source,
          kind: key.kind,
          country: key.country,
          symbol: key.symbol ?? undefined,
          reason,
        });
      }
    }
    if (givers.length > 0) {
      return {
        ...key,
        source: givers.map((giver) => giver.source).join(", "),
        records: givers.reduce((sum, giver) => sum + giver.records, 0),
        error: null,
      };
    }
    // That a source knows of nothing is an answer too, and holds as long as one.
    if (knowsNothing !== null && errors.length === 0) {
      market.fetches.recordSuccess(knowsNothing, key, clock(), 0);
      return { ...key, source: knowsNothing, records: 0, error: null };
    }
    return { ...key, source: null, records: 0, error: errors.join("; ") || "no source serves it" };
  };

  return {
    isDue: due,
    async refresh(key) {
      const name = `${key.kind} ${key.country} ${key.symbol ?? ""}`;
      const running = underWay.get(name);
      if (running) return running;
      const failure = failedAt.get(name);
      if (failure && clock() - failure.at < RETRY_AFTER_MS) return failure.outcome;
      if (!due(key)) return { ...key, source: null, records: 0, error: null };
      const flight = run(key)
        .then((outcome) => {
          failedAt.delete(name);
          if (outcome.error !== null) failedAt.set(name, { at: clock(), outcome });
          return outcome;
        })
        .finally(() => underWay.delete(name));
      underWay.set(name, flight);
      return flight;
    },
  };
}

/** What a fetcher needs to know of what is stored. */
function queryFor(
  market: MarketStore,
  source: string,
  { kind, country, symbol }: FetchKey,
  now: number,
): LiveQuery {
  const stored = symbol === null ? null : market.instruments.find({ country, symbol });
  if (!stored) return { now, country, instrument: null, after: null };
  const { id, source: _, storedAt: __, ...instrument } = stored;
  // Bars of another source are no beginning that this one could go on from.
  const goesOn = kind === "bars" && market.bars.findProvenance(id)?.source === source;
  const [newest] = goesOn ? market.bars.listNewest(id, 1) : [];
  return { now, country, instrument, after: newest?.date ?? null };
}

/** Imported bars are the whole history of their instrument: nothing is fetched beside them. */
function isImported(market: MarketStore, { kind, country, symbol }: FetchKey): boolean {
  if (kind !== "bars" || symbol === null) return false;
  const instrument = market.instruments.find({ country, symbol });
  return instrument !== null && market.bars.findProvenance(instrument.id)?.source === IMPORT;
}
