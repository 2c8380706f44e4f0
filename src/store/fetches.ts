import type { Database } from "bun:sqlite";
import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import type { FetchKey } from "#domain/fetch.ts";
import { type RecordKind, RECORDS } from "#domain/records.ts";
import { nextTurn } from "#lib/next-turn.ts";

/** When records of one kind were last fetched for an instrument, and when that last failed. */
export interface LastFetch {
  readonly symbol: string;
  /** UTC milliseconds; null if no source ever succeeded. */
  readonly succeededAt: number | null;
  /** UTC milliseconds of the newest failure without a later success of the same source; null if none. */
  readonly failedAt: number | null;
}

/** The last results of a source over all of its fetches. */
export interface SourceRecord {
  readonly source: string;
  /** When it last gave a record, UTC milliseconds; an answer without records does not count. */
  readonly lastSuccessAt: number | null;
  readonly lastErrorAt: number | null;
  readonly lastError: string | null;
  /** The number of keys whose last answer was stored without its faulty records. */
  readonly faulty: number;
}

/** The last results of one source for all keys of one kind and country, in UTC milliseconds. */
export interface FetchSummary {
  readonly source: string;
  readonly kind: RecordKind;
  readonly country: Country;
  /** The number of companies that were tried; null for the records of the whole country. */
  readonly companies: number | null;
  /** The number of keys whose last attempt failed. */
  readonly failed: number;
  /** The number of keys whose last answer was stored without its faulty records. */
  readonly faulty: number;
  /** The records of the last successes that gave any. */
  readonly records: number;
  /** Null if it never succeeded. */
  readonly succeededAt: number | null;
  /** When it last gave a record; null if never. */
  readonly deliveredAt: number | null;
  /** Of the newest attempt that failed or gave faulty records, without a later success; null if none. */
  readonly errorAt: number | null;
  readonly error: string | null;
}

const MAX_ERROR_LENGTH = 300;

type Outcome = { source: string; kind: string; country: string; symbol: string; now: number };

function prepareReads(reader: Database) {
  return {
    fetched: reader.query<
      { succeededAt: number | null; records: number | null; error: string | null },
      { source: string; kind: string; country: string; symbol: string }
    >(
      `SELECT succeeded_at AS succeededAt, records, error FROM fetches
       WHERE kind = $kind AND country = $country AND symbol = $symbol AND source = $source`,
    ),
    lastList: reader.query<{ succeededAt: number | null }, { kind: string; country: string }>(
      `SELECT max(succeeded_at) AS succeededAt FROM fetches
       WHERE kind = $kind AND country = $country AND symbol = ''`,
    ),
    latest: reader.query<LastFetch, { kind: string; country: string }>(
      `SELECT symbol, max(succeeded_at) AS succeededAt,
         max(iif(error IS NULL, NULL, attempted_at)) AS failedAt
       FROM fetches WHERE kind = $kind AND country = $country AND symbol <> '' GROUP BY symbol`,
    ),
    // A column of a row with max() is that of the row with the maximum.
    newestSuccess: reader.query<
      { symbol: string; source: string; succeededAt: number },
      { kind: string; country: string }
    >(
      `SELECT symbol, source, max(succeeded_at) AS succeededAt FROM fetches
       WHERE kind = $kind AND country = $country AND symbol <> '' AND succeeded_at IS NOT NULL GROUP BY symbol`,
    ),
    summaries: reader.query<
      Omit<FetchSummary, "kind" | "country" | "errorAt" | "error">,
      { kind: string; country: string }
    >(
      `SELECT source, iif(symbol = '', NULL, count(*)) AS companies,
         sum(error IS NOT NULL AND attempted_at IS NOT succeeded_at) AS failed,
         sum(error IS NOT NULL AND attempted_at IS succeeded_at) AS faulty,
         sum(coalesce(records, 0)) AS records, max(succeeded_at) AS succeededAt, max(iif(records > 0, succeeded_at, NULL)) AS deliveredAt
       FROM fetches WHERE kind = $kind AND country = $country GROUP BY source, symbol = ''`,
    ),
    // The other columns of a row with max() are those of the row with the maximum.
    errors: reader.query<
      { source: string; isCompany: number; errorAt: number; error: string },
      { kind: string; country: string }
    >(
      `SELECT source, symbol <> '' AS isCompany, max(attempted_at) AS errorAt, error
       FROM fetches WHERE kind = $kind AND country = $country AND error IS NOT NULL
       GROUP BY source, symbol <> ''`,
    ),
    newest: reader.query<{ succeededAt: number | null }, { kind: string; country: string }>(
      `SELECT max(succeeded_at) AS succeededAt FROM fetches
       WHERE kind = $kind AND country = $country AND records > 0`,
    ),
    blocked: reader.query<{ blockedUntil: number }, { source: string }>(
      "SELECT blocked_until AS blockedUntil FROM blocked_sources WHERE source = $source",
    ),
  };
}

function prepareWrites(writer: Database) {
  return {
    block: writer.query<unknown, { source: string; until: number }>(
      `INSERT INTO blocked_sources (source, blocked_until) VALUES ($source, $until)
       ON CONFLICT (source) DO UPDATE SET blocked_until = excluded.blocked_until`,
    ),
    success: writer.query<unknown, Outcome & { records: number; error: string | null }>(
      `INSERT INTO fetches (source, kind, country, symbol, attempted_at, succeeded_at, records, error)
       VALUES ($source, $kind, $country, $symbol, $now, $now, $records, $error)
       ON CONFLICT (kind, country, symbol, source) DO UPDATE SET attempted_at = excluded.attempted_at,
         succeeded_at = excluded.succeeded_at, error = excluded.error,
         records = iif(excluded.records > 0, excluded.records, records)`,
    ),
    failure: writer.query<unknown, Outcome & { error: string }>(
      `INSERT INTO fetches (source, kind, country, symbol, attempted_at, error)
       VALUES ($source, $kind, $country, $symbol, $now, $error)
       ON CONFLICT (kind, country, symbol, source) DO UPDATE SET attempted_at = excluded.attempted_at,
         error = excluded.error`,
    ),
  };
}

const LISTS = (Object.keys(RECORDS) as RecordKind[]).flatMap((kind) =>
  COUNTRY_CODES.map((country) => ({ kind, country })),
);

/** The last result of each source for each key. */
export class FetchStore {
  readonly #reads: ReturnType<typeof prepareReads>;
  readonly #writes: ReturnType<typeof prepareWrites>;

  constructor(reader: Database, writer: Database) {
    this.#reads = prepareReads(reader);
    this.#writes = prepareWrites(writer);
  }

  /** True if the source ever gave a record for that key. */
  hasDelivered(source: string, key: FetchKey): boolean {
    return (this.#reads.fetched.get({ source, ...bound(key) })?.records ?? 0) > 0;
  }

  /** When the source last succeeded for the key, UTC milliseconds; null if never. */
  findLastSuccess(source: string, key: FetchKey): number | null {
    return this.#reads.fetched.get({ source, ...bound(key) })?.succeededAt ?? null;
  }

  /** Why the source's last fetch for the key failed, or the faults of its answer; null if there were none. */
  findError(source: string, key: FetchKey): string | null {
    return this.#reads.fetched.get({ source, ...bound(key) })?.error ?? null;
  }

  /** When any source last gave the list of that kind for the country, UTC milliseconds; null if never. */
  findLastList(kind: RecordKind, country: Country): number | null {
    return this.#reads.lastList.get({ kind, country })?.succeededAt ?? null;
  }

  /** When any source last gave a record of that kind and country, UTC milliseconds; null if never. */
  findNewest(kind: RecordKind, country: Country): number | null {
    return this.#reads.newest.get({ kind, country })?.succeededAt ?? null;
  }

  /** The last results of that kind for each instrument of the country that was tried. */
  listLast(kind: RecordKind, country: Country): LastFetch[] {
    return this.#reads.latest.all({ kind, country });
  }

  /** The instruments whose newest success of that kind is of another source, and when it was, UTC milliseconds. */
  listOfOthers(
    kind: RecordKind,
    country: Country,
    source: string,
  ): { readonly symbol: string; readonly succeededAt: number }[] {
    return this.#reads.newestSuccess.all({ kind, country }).filter((one) => one.source !== source);
  }

  /** Stores that the source succeeded for the key at `now`; `warning` describes faults of the answer. */
  recordSuccess(
    source: string,
    key: FetchKey,
    now: number,
    records: number,
    warning: string | null = null,
  ): void {
    const error = warning?.slice(0, MAX_ERROR_LENGTH) ?? null;
    this.#writes.success.run({ source, ...bound(key), now, records, error });
  }

  /** Stores that the source failed for the key at `now`, and why. */
  recordFailure(source: string, key: FetchKey, now: number, error: string): void {
    const text = error.slice(0, MAX_ERROR_LENGTH);
    this.#writes.failure.run({ source, ...bound(key), now, error: text });
  }

  /** The end of the block of a source after failures, UTC milliseconds; 0 if it was never blocked. */
  blockedUntil(source: string): number {
    return this.#reads.blocked.get({ source })?.blockedUntil ?? 0;
  }

  /** Stores that the source is blocked until that time, UTC milliseconds. */
  block(source: string, until: number): void {
    this.#writes.block.run({ source, until });
  }

  /**
   * The last results by kind, country and source, of whole countries and of companies. Reads one kind and
   * country in each turn of the event loop.
   */
  async readSummaries(): Promise<FetchSummary[]> {
    const all: FetchSummary[] = [];
    for (const key of LISTS) {
      all.push(...this.#summarize(key));
      await nextTurn();
    }
    return all;
  }

  #summarize({ kind, country }: (typeof LISTS)[number]): FetchSummary[] {
    const errors = this.#reads.errors.all({ kind, country });
    return this.#reads.summaries.all({ kind, country }).map((summary) => {
      const isCompany = Number(summary.companies !== null);
      const found = errors.find(
        (one) => one.source === summary.source && one.isCompany === isCompany,
      );
      const { errorAt, error } = found ?? { errorAt: null, error: null };
      return { ...summary, kind, country, errorAt, error };
    });
  }
}

/** The last results of each source over all kinds and countries, by name. */
export function summarizeSources(summaries: readonly FetchSummary[]): SourceRecord[] {
  return [...Map.groupBy(summaries, ({ source }) => source)]
    .map(([source, own]) => {
      const failed = own
        .filter(({ errorAt }) => errorAt !== null)
        .toSorted((a, b) => (b.errorAt ?? 0) - (a.errorAt ?? 0))[0];
      const delivered = own.flatMap(({ deliveredAt }) => deliveredAt ?? []);
      return {
        source,
        lastSuccessAt: delivered.length === 0 ? null : Math.max(...delivered),
        lastErrorAt: failed?.errorAt ?? null,
        lastError: failed?.error ?? null,
        faulty: own.reduce((sum, { faulty }) => sum + faulty, 0),
      };
    })
    .toSorted((a, b) => (a.source < b.source ? -1 : 1));
}

function bound({ kind, country, symbol }: FetchKey) {
  return { kind, country, symbol: symbol ?? "" };
}
