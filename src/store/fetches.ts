import type { Database } from "bun:sqlite";
import type { Country } from "#domain/country.ts";
import type { FetchKey } from "#domain/fetch.ts";
import type { RecordKind } from "#domain/records.ts";

/** When anything of one kind was last had of an instrument, and when that last failed. */
export interface LastFetch {
  readonly symbol: string;
  /** UTC milliseconds; null where no source ever gave it. */
  readonly succeededAt: number | null;
  /** UTC milliseconds of the newest failure that the same source did not mend since; null for none. */
  readonly failedAt: number | null;
}

/** How a source fared over all that it was asked for. */
export interface SourceRecord {
  readonly source: string;
  readonly lastSuccessAt: number | null;
  readonly lastErrorAt: number | null;
  readonly lastError: string | null;
}

/** When each source was asked for what, and how that ended. */
export function createFetchStore(reader: Database, writer: Database) {
  const fetched = reader.query<
    { succeededAt: number | null; records: number | null },
    { source: string; kind: string; country: string; symbol: string }
  >(
    `SELECT succeeded_at AS succeededAt, records FROM fetches
     WHERE kind = $kind AND country = $country AND symbol = $symbol AND source = $source`,
  );
  const latest = reader.query<LastFetch, { kind: string; country: string }>(
    `SELECT symbol, max(succeeded_at) AS succeededAt,
       max(iif(error IS NULL, NULL, attempted_at)) AS failedAt
     FROM fetches WHERE kind = $kind AND country = $country AND symbol <> '' GROUP BY symbol`,
  );
  const summary = reader.query<SourceRecord, []>(
    `SELECT source, max(succeeded_at) AS lastSuccessAt,
       max(iif(error IS NULL, NULL, attempted_at)) AS lastErrorAt,
       (SELECT error FROM fetches AS failed WHERE failed.source = fetches.source AND error IS NOT NULL
        ORDER BY attempted_at DESC LIMIT 1) AS lastError
     FROM fetches GROUP BY source`,
  );
  const leftAlone = reader.query<{ until: number }, { source: string }>(
    "SELECT until FROM left_alone WHERE source = $source",
  );
  const leaveAlone = writer.query<unknown, { source: string; until: number }>(
    `INSERT INTO left_alone (source, until) VALUES ($source, $until)
     ON CONFLICT (source) DO UPDATE SET until = excluded.until`,
  );
  type Outcome = { source: string; kind: string; country: string; symbol: string; now: number };
  const success = writer.query<unknown, Outcome & { records: number }>(
    `INSERT INTO fetches (source, kind, country, symbol, attempted_at, succeeded_at, records)
     VALUES ($source, $kind, $country, $symbol, $now, $now, $records)
     ON CONFLICT (kind, country, symbol, source) DO UPDATE SET attempted_at = excluded.attempted_at,
       succeeded_at = excluded.succeeded_at, error = NULL,
       records = iif(excluded.records > 0, excluded.records, records)`,
  );
  const failure = writer.query<unknown, Outcome & { error: string }>(
    `INSERT INTO fetches (source, kind, country, symbol, attempted_at, error)
     VALUES ($source, $kind, $country, $symbol, $now, $error)
     ON CONFLICT (kind, country, symbol, source) DO UPDATE SET attempted_at = excluded.attempted_at,
       error = excluded.error`,
  );
  const bound = ({ kind, country, symbol }: FetchKey) => ({ kind, country, symbol: symbol ?? "" });

  return {
    /** Whether the source ever gave anything of that. */
    hasGiven: (source: string, key: FetchKey): boolean =>
      (fetched.get({ source, ...bound(key) })?.records ?? 0) > 0,
    /** When the source last gave what was asked for, UTC milliseconds; null where it never did. */
    findLastSuccess: (source: string, key: FetchKey): number | null =>
      fetched.get({ source, ...bound(key) })?.succeededAt ?? null,
    /** How fetching that kind ended for each instrument of the country of which it was tried. */
    listLast: (kind: RecordKind, country: Country): LastFetch[] => latest.all({ kind, country }),
    recordSuccess(source: string, key: FetchKey, now: number, records: number): void {
      success.run({ source, ...bound(key), now, records });
    },
    recordFailure(source: string, key: FetchKey, now: number, error: string): void {
      failure.run({ source, ...bound(key), now, error: error.slice(0, 300) });
    },
    /** Until when the source is left alone, UTC milliseconds; 0 where it never was. */
    leftAloneUntil: (source: string): number => leftAlone.get({ source })?.until ?? 0,
    leaveAlone(source: string, until: number): void {
      leaveAlone.run({ source, until });
    },
    /** One row for each source that was ever asked. */
    listSources: (): SourceRecord[] => summary.all(),
  };
}
