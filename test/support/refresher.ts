import type { Country } from "#domain/country.ts";
import type { DailyBar } from "#domain/daily-bar.ts";
import type { FetchKey } from "#domain/fetch.ts";
import type { Instrument } from "#domain/instrument.ts";
import type { Quote } from "#domain/quote.ts";
import type { RecordKind, RecordOf } from "#domain/records.ts";
import { createLocalWriter } from "#ingest/changes.ts";
import { Refresher, type FetchRoute } from "#ingest/refresh.ts";
import type { RefreshOutcome } from "#ingest/source-chain.ts";
import { createLog } from "#lib/log.ts";
import type { Fetcher, LiveQuery } from "#sources/fetcher.ts";
import type { StatefulSourceClient } from "#sources/source-client.ts";
import { SourceError, type SourceFault } from "#sources/source.ts";
import { flatBar, openTestMarket } from "./market.ts";
import { playedSource } from "./upstream.ts";

/** A Friday evening: the sessions of all three countries are over. */
export const EVENING = Date.parse("2026-11-20T22:30:00Z");

/** A hand-made fetcher with the queries that it received. */
export type FakeFetcher = Fetcher & {
  readonly queries: LiveQuery[];
  /** Returns the records, or throws. Tests may replace it. */
  respond: (query: LiveQuery) => Promise<readonly unknown[]> | readonly unknown[];
};

/** A fetcher of a source of that name. By default, it is for the US and for single instruments. */
export function fakeFetcher<K extends RecordKind>(
  source: string,
  kind: K,
  respond: (query: LiveQuery) => Promise<readonly RecordOf<K>[]> | readonly RecordOf<K>[],
  change: Partial<Pick<Fetcher, "countries" | "scope" | "complements">> = {},
): FakeFetcher {
  const queries: LiveQuery[] = [];
  return {
    kind,
    source: playedSource({ name: source }),
    countries: ["US"],
    scope: "instrument",
    ...change,
    queries,
    respond,
    async fetch(query) {
      queries.push(query);
      return this.respond(query);
    },
    transform: (raw) => raw as RecordOf<K>[],
  };
}

/** A function that throws a `SourceError`. */
export function failing(
  source: string,
  fault: SourceFault,
  reason = "HTTP 500",
  retryAfterMs: number | null = null,
): () => never {
  return () => {
    throw new SourceError(source, fault, reason, retryAfterMs);
  };
}

/** A client of a source that is blocked until then. */
export const clientBlocked = (until: number, probe: () => void): StatefulSourceClient => ({
  counts: { answered: 0, failed: 0 },
  unusable: 0,
  key: null,
  blockedUntil: until,
  probe() {
    probe();
    return this;
  },
  reportAnswer: () => {},
  request: () => Promise.reject(new Error("a hand-made fetcher makes no request")),
});

/** A refresher with an empty market and a clock that only the test moves. */
export function openRefresher(
  fetchers: readonly Fetcher[],
  switchedOff: readonly string[] = [],
  route?: FetchRoute,
) {
  const home = openTestMarket();
  const time = { now: EVENING };
  const clock = () => time.now;
  const logLines: Record<string, unknown>[] = [];
  const blockedUntil = new Map<string, number>();
  const probed: string[] = [];
  const { market } = home;
  const writer = createLocalWriter(market);
  const refresher = new Refresher({
    market,
    writer,
    fetchers,
    route,
    clientOf: (source) =>
      switchedOff.includes(source)
        ? null
        : clientBlocked(blockedUntil.get(source) ?? 0, () => probed.push(source)),
    clock,
    log: createLog({
      format: "json",
      write: (line) => logLines.push(JSON.parse(line) as Record<string, unknown>),
      clock,
    }),
  });
  return {
    folder: home.folder,
    market,
    writer,
    time,
    clock,
    refresher,
    /** The end of each source's pause, UTC milliseconds. */
    blockedUntil,
    /** The sources whose breaker had to allow one call. */
    probed,
    /** The log, one object a line. */
    logLines,
    /** Refreshes a key: `source, records, error` of the outcome. */
    async refresh(key: FetchKey): Promise<Pick<RefreshOutcome, "source" | "records" | "error">> {
      const { source, records, error } = await refresher.refresh(key);
      return { source, records, error };
    },
    /** Stores instruments as just listed by their source. */
    list(...instruments: Instrument[]): void {
      market.transaction(() =>
        market.put("instruments", instruments, { source: "lister", storedAt: time.now }),
      );
    },
    [Symbol.dispose]: () => home[Symbol.dispose](),
  };
}

/** The key of the records of an instrument, or of a country without a symbol. */
export function keyOf(
  kind: RecordKind,
  symbol: string | null = null,
  country: Country = "US",
): FetchKey {
  return { kind, country, symbol };
}

/** Sessions with these closes, one a day from the given date on. */
export function barsFrom(date: string, ...closes: number[]): DailyBar[] {
  const [year, month, day] = date.split("-").map(Number) as [number, number, number];
  return closes.map((close, i) =>
    flatBar(new Date(Date.UTC(year, month - 1, day + i)).toISOString().slice(0, 10), close),
  );
}

/** A quote with a price only. */
export function quote(symbol: string, price: number, change: Partial<Quote> = {}): Quote {
  return {
    country: "US",
    symbol,
    date: "2026-11-20",
    price,
    previousClose: null,
    volume: null,
    marketCap: null,
    epsTtm: null,
    priceToBook: null,
    dividendYieldPercent: null,
    ...change,
  };
}
