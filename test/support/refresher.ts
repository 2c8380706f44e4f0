import type { Country } from "#domain/country.ts";
import type { DailyBar } from "#domain/daily-bar.ts";
import type { FetchKey } from "#domain/fetch.ts";
import type { Instrument } from "#domain/instrument.ts";
import type { Quote } from "#domain/quote.ts";
import type { RecordKind, RecordOf } from "#domain/records.ts";
import { Refresher, type RefreshOutcome } from "#ingest/refresh.ts";
import { createLog } from "#lib/log.ts";
import type { Fetcher, LiveQuery } from "#sources/fetcher.ts";
import type { StatefulSourceClient } from "#sources/source-client.ts";
import { SourceError, type SourceFault } from "#sources/source.ts";
import { openTestMarket } from "./market.ts";
import { playedSource } from "./upstream.ts";

/** A Friday evening: the sessions of all three countries are over. */
export const EVENING = Date.parse("2026-11-20T22:30:00Z");

/** A fetcher made by hand, and what it was asked for. */
export type MadeFetcher = Fetcher & {
  readonly asked: LiveQuery[];
  /** What it does from now on: gives these records, or fails. */
  gives: (query: LiveQuery) => Promise<readonly unknown[]> | readonly unknown[];
};

/** A fetcher of a source of that name, for the US and single instruments unless told otherwise. */
export function madeFetcher<K extends RecordKind>(
  source: string,
  kind: K,
  gives: (query: LiveQuery) => Promise<readonly RecordOf<K>[]> | readonly RecordOf<K>[],
  change: Partial<Pick<Fetcher, "countries" | "scope" | "complements">> = {},
): MadeFetcher {
  const asked: LiveQuery[] = [];
  return {
    kind,
    source: playedSource({ name: source }),
    countries: ["US"],
    scope: "instrument",
    ...change,
    asked,
    gives,
    async fetch(query) {
      asked.push(query);
      return this.gives(query);
    },
    transform: (raw) => raw as RecordOf<K>[],
  };
}

/** Makes a fetcher fail in that way. */
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

const clientBlocked = (until: number, probe: () => void): StatefulSourceClient => ({
  key: null,
  blockedUntil: until,
  probe,
  reportAnswer: () => {},
  request: () => Promise.reject(new Error("a hand-made fetcher makes no request")),
});

/** A refresher over an empty market, with a clock that stands until a test moves it. */
export function openRefresher(fetchers: readonly Fetcher[], switchedOff: readonly string[] = []) {
  const home = openTestMarket();
  const time = { now: EVENING };
  const clock = () => time.now;
  const logLines: Record<string, unknown>[] = [];
  const leftAlone = new Map<string, number>();
  const probed: string[] = [];
  const { market } = home;
  const refresher = new Refresher({
    market,
    fetchers,
    clientOf: (source) =>
      switchedOff.includes(source)
        ? null
        : clientBlocked(leftAlone.get(source) ?? 0, () => probed.push(source)),
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
    time,
    clock,
    refresher,
    /** Until when the client of a source says that it is left alone. */
    leftAlone,
    /** The sources whose breaker was told to let a call through. */
    probed,
    /** What was logged. */
    logLines,
    /** How what is known of a key was fetched: `source, records, error`. */
    async refresh(key: FetchKey): Promise<Pick<RefreshOutcome, "source" | "records" | "error">> {
      const { source, records, error } = await refresher.refresh(key);
      return { source, records, error };
    },
    /** Lists instruments, as their source did a moment ago. */
    list(...instruments: Instrument[]): void {
      market.transaction(() =>
        market.put("instruments", instruments, { source: "lister", storedAt: time.now }),
      );
    },
    [Symbol.dispose]: () => home[Symbol.dispose](),
  };
}

/** The key of one instrument's records, or of a country's where no symbol is given. */
export function keyOf(
  kind: RecordKind,
  symbol: string | null = null,
  country: Country = "US",
): FetchKey {
  return { kind, country, symbol };
}

/** Sessions that close at these prices, from the first date on, day after day. */
export function barsFrom(date: string, ...closes: number[]): DailyBar[] {
  const [year, month, day] = date.split("-").map(Number) as [number, number, number];
  return closes.map((close, i) => ({
    date: new Date(Date.UTC(year, month - 1, day + i)).toISOString().slice(0, 10),
    open: close,
    high: close,
    low: close,
    close,
    volume: null,
  }));
}

/** A quote of which nothing is known but the price. */
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
