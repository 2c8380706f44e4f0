import type { Database } from "bun:sqlite";
import type { Country } from "#domain/country.ts";
import type { FetchKey } from "#domain/fetch.ts";
import type { RecordKind } from "#domain/records.ts";

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
}

const MAX_ERROR_LENGTH = 300;

type Outcome = { source: string; kind: string; country: string; symbol: string; now: number };

function prepareReads(reader: Database) {
  return {
    fetched: reader.query<
      { succeededAt: number | null; records: number | null },
      { source: string; kind: string; country: string; symbol: string }
    >(
      `SELECT succeeded_at AS succeededAt, records FROM fetches
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
    summary: reader.query<SourceRecord, []>(
      `SELECT source, max(iif(records > 0, succeeded_at, NULL)) AS lastSuccessAt,
         max(iif(error IS NULL, NULL, attempted_at)) AS lastErrorAt,
         (SELECT error FROM fetches AS failed WHERE failed.source = fetches.source AND error IS NOT NULL
          ORDER BY attempted_at DESC LIMIT 1) AS lastError
       FROM fetches GROUP BY source`,
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

  /** When any source last gave the list of that kind for the country, UTC milliseconds; null if never. */
  findLastList(kind: RecordKind, country: Country): number | null {
    return this.#reads.lastList.get({ kind, country })?.succeededAt ?? null;
  }

  /** The last results of that kind for each instrument of the country that was tried. */
  listLast(kind: RecordKind, country: Country): LastFetch[] {
    return this.#reads.latest.all({ kind, country });
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

  /** One row for each source that was ever called. */
  listSources(): SourceRecord[] {
    return this.#reads.summary.all();
  }
}

function bound({ kind, country, symbol }: FetchKey) {
  return { kind, country, symbol: symbol ?? "" };
}
