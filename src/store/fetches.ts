import type { Database } from "bun:sqlite";
import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import type { FetchKey, Lack, MissingPart } from "#domain/fetch.ts";
import { type RecordKind, RECORDS } from "#domain/records.ts";
import { nextTurn } from "#lib/next-turn.ts";

/** When records of one kind were last fetched for an instrument, and when a failed fetch is repeated. */
export interface LastFetch {
  readonly symbol: string;
  /** UTC milliseconds; null if no source ever succeeded. */
  readonly succeededAt: number | null;
  /** When a failed fetch is repeated, UTC milliseconds; null if the last one succeeded. */
  readonly nextAttemptAt: number | null;
}

/** A time without answers of a source that has ended, UTC milliseconds. */
export interface Outage {
  readonly from: number;
  readonly to: number;
}

/** The answers and failures of a source, in UTC milliseconds. */
export interface SourceHealth {
  readonly answeredAt: number | null;
  readonly failedAt: number | null;
  /** The first failure since the last answer; null after an answer. */
  readonly failingSince: number | null;
  /** The newest outages that have ended, the last one first. */
  readonly outages: readonly Outage[];
}

/** How a source's host was last found, by the names of `sources/source-host.ts`; times are UTC milliseconds. */
export interface StoredHost {
  readonly host: string;
  /** The end of its block; 0 if it is not blocked. */
  readonly blockedUntil: number;
  /** The word of its last refusal: `403`, `hangs`; null after an answer. */
  readonly refusal: string | null;
  readonly refusedAt: number | null;
  /** The User-Agent to which it last answered; null if none is known. */
  readonly identity: string | null;
}

/** The companies of one kind and country that failed since a company was last fetched. */
export interface FailedCompanies {
  readonly failures: number;
  /** The newest failure, UTC milliseconds; null without one. */
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
  /** When the first failed key is fetched again; null if no key failed. */
  readonly nextAttemptAt: number | null;
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

/** A list that failed is fetched again after this time. */
const RETRY_LIST_MS = 60_000;
/** A company that failed is fetched again after this time, because the reason may concern it alone. */
const RETRY_COMPANY_MS = 6 * 3_600_000;

const UNTRIED: SourceHealth = { answeredAt: null, failedAt: null, failingSince: null, outages: [] };

type Outcome = { source: string; kind: string; country: string; symbol: string; now: number };

type HealthRow = Omit<SourceHealth, "outages"> & { source: string; outages: string };
const HEALTH = `SELECT source, answered_at AS answeredAt, failed_at AS failedAt,
  failing_since AS failingSince, outages FROM source_states`;

function healthOf(row: HealthRow): SourceHealth {
  const { answeredAt, failedAt, failingSince } = row;
  return { answeredAt, failedAt, failingSince, outages: JSON.parse(row.outages) as Outage[] };
}

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
    latest: reader.query<LastFetch, { kind: string; country: string; source: string; now: number }>(
      `SELECT symbol, max(succeeded_at) AS succeededAt,
         coalesce(max(iif(source = $source, next, NULL)), max(next)) AS nextAttemptAt
       FROM (SELECT *, iif(attempted_at <= $now, next_attempt_at, NULL) AS next FROM fetches
         WHERE kind = $kind AND country = $country AND symbol <> '')
       GROUP BY symbol`,
    ),
    failedCompanies: reader.query<
      FailedCompanies,
      { kind: string; country: string; source: string; now: number; since: number }
    >(
      `WITH companies AS (SELECT * FROM fetches WHERE kind = $kind AND country = $country
         AND symbol <> '' AND attempted_at BETWEEN $since AND $now)
       SELECT count(*) AS failures, max(attempted_at) AS failedAt FROM companies
       WHERE source = $source AND next_attempt_at > $now
         AND attempted_at >= (SELECT coalesce(max(succeeded_at), 0) FROM companies)`,
    ),
    // Beside max(), a column has the value of the row with the maximum.
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
         sum(failures > 0) AS failed, min(next_attempt_at) AS nextAttemptAt,
         sum(error IS NOT NULL AND failures = 0) AS faulty,
         sum(coalesce(records, 0)) AS records, max(succeeded_at) AS succeededAt, max(iif(records > 0, succeeded_at, NULL)) AS deliveredAt
       FROM fetches WHERE kind = $kind AND country = $country GROUP BY source, symbol = ''`,
    ),
    // Beside max(), the other columns have the values of the row with the maximum.
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
      "SELECT blocked_until AS blockedUntil FROM source_states WHERE source = $source",
    ),
    health: reader.query<HealthRow, { source: string }>(`${HEALTH} WHERE source = $source`),
    allHealth: reader.query<HealthRow, []>(HEALTH),
  };
}

/** What is read of hosts, and of what answers lack. */
function prepareDoorReads(reader: Database) {
  return {
    hosts: reader.query<StoredHost, []>(
      `SELECT host, blocked_until AS blockedUntil, refusal, refused_at AS refusedAt, identity
       FROM source_hosts ORDER BY host`,
    ),
    lacks: reader.query<
      { source: string; missing: string | null; error: string | null; failures: number },
      { kind: string; country: string; symbol: string }
    >(
      `SELECT source, missing, error, failures FROM fetches
       WHERE kind = $kind AND country = $country AND symbol = $symbol
         AND (missing IS NOT NULL OR (failures > 0 AND coalesce(records, 0) = 0)) ORDER BY source`,
    ),
    newestError: reader.query<{ error: string | null }, { source: string }>(
      `SELECT error FROM fetches WHERE source = $source AND failures > 0
       ORDER BY attempted_at DESC LIMIT 1`,
    ),
    allMissing: reader.query<
      { source: string; kind: RecordKind; country: Country; missing: string },
      []
    >(
      `SELECT source, kind, country, missing FROM fetches
       WHERE missing IS NOT NULL AND symbol = '' ORDER BY source, kind, country`,
    ),
  };
}

function prepareWrites(writer: Database) {
  return {
    block: writer.query<unknown, { source: string; until: number }>(
      `INSERT INTO source_states (source, blocked_until) VALUES ($source, $until)
       ON CONFLICT (source) DO UPDATE SET blocked_until = excluded.blocked_until`,
    ),
    health: writer.query<unknown, HealthRow>(
      `INSERT INTO source_states (source, blocked_until, answered_at, failed_at, failing_since, outages)
       VALUES ($source, 0, $answeredAt, $failedAt, $failingSince, $outages)
       ON CONFLICT (source) DO UPDATE SET answered_at = excluded.answered_at, failed_at = excluded.failed_at,
         failing_since = excluded.failing_since, outages = excluded.outages`,
    ),
    retry: writer.query<unknown, { source: string; at: number }>(
      "UPDATE fetches SET next_attempt_at = $at WHERE source = $source AND failures > 0",
    ),
    host: writer.query<unknown, { [K in keyof StoredHost]: StoredHost[K] }>(
      `INSERT OR REPLACE INTO source_hosts (host, blocked_until, refusal, refused_at, identity)
       VALUES ($host, $blockedUntil, $refusal, $refusedAt, $identity)`,
    ),
    success: writer.query<
      unknown,
      Outcome & { records: number; error: string | null; missing: string | null }
    >(
      `INSERT INTO fetches (source, kind, country, symbol, attempted_at, succeeded_at, records, error, missing)
       VALUES ($source, $kind, $country, $symbol, $now, $now, $records, $error, $missing)
       ON CONFLICT (kind, country, symbol, source) DO UPDATE SET attempted_at = excluded.attempted_at,
         succeeded_at = excluded.succeeded_at, error = excluded.error, failures = 0, next_attempt_at = NULL,
         missing = excluded.missing,
         records = iif(excluded.records > 0, excluded.records, records)`,
    ),
    failure: writer.query<unknown, Outcome & { error: string; nextAttemptAt: number }>(
      `INSERT INTO fetches (source, kind, country, symbol, attempted_at, error, failures, next_attempt_at)
       VALUES ($source, $kind, $country, $symbol, $now, $error, 1, $nextAttemptAt)
       ON CONFLICT (kind, country, symbol, source) DO UPDATE SET attempted_at = excluded.attempted_at,
         error = excluded.error, failures = failures + 1, next_attempt_at = excluded.next_attempt_at`,
    ),
  };
}

const LISTS = (Object.keys(RECORDS) as RecordKind[]).flatMap((kind) =>
  COUNTRY_CODES.map((country) => ({ kind, country })),
);

/** The last result of each source for each key. */
export class FetchStore {
  readonly #reads: ReturnType<typeof prepareReads> & ReturnType<typeof prepareDoorReads>;
  readonly #writes: ReturnType<typeof prepareWrites>;

  constructor(reader: Database, writer: Database) {
    this.#reads = { ...prepareReads(reader), ...prepareDoorReads(reader) };
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

  /**
   * The last results of that kind for each instrument of the country that was tried. If `source` failed, its
   * next attempt counts, else any source's. Attempts after `now` come from a wrong clock.
   */
  listLast(
    kind: RecordKind,
    country: Country,
    { source = "", now = Number.MAX_SAFE_INTEGER }: { source?: string; now?: number } = {},
  ): LastFetch[] {
    return this.#reads.latest.all({ kind, country, source, now });
  }

  /**
   * The companies of that kind and country for which the source failed since any source last answered, and
   * which still wait for their next attempt. Failures before `since` do not count.
   */
  findFailedCompanies(
    { kind, country }: Pick<FetchKey, "kind" | "country">,
    source: string,
    { now, since }: { now: number; since: number },
  ): FailedCompanies {
    const none = { failures: 0, failedAt: null };
    return this.#reads.failedCompanies.get({ kind, country, source, now, since }) ?? none;
  }

  /** The instruments whose newest success of that kind is of another source, and when it was, UTC milliseconds. */
  listOfOthers(
    kind: RecordKind,
    country: Country,
    source: string,
  ): { readonly symbol: string; readonly succeededAt: number }[] {
    return this.#reads.newestSuccess.all({ kind, country }).filter((one) => one.source !== source);
  }

  /**
   * Stores that the source succeeded for the key at `now`; `warning` describes faults of the answer, and
   * `missing` has the parts that it lacks.
   */
  recordSuccess(
    source: string,
    key: FetchKey,
    now: number,
    records: number,
    warning: string | null = null,
    missing: readonly MissingPart[] = [],
  ): void {
    const error = warning?.slice(0, MAX_ERROR_LENGTH) ?? null;
    const parts = missing.length === 0 ? null : JSON.stringify(missing);
    this.#writes.success.run({ source, ...bound(key), now, records, error, missing: parts });
  }

  /** Why the last fetch of the source failed that was not followed by a success for its key; null if none did. */
  findLastError(source: string): string | null {
    return this.#reads.newestError.get({ source })?.error ?? null;
  }

  /** What the sources of a key leave out: parts of an answer, or all of a source that never gave a record. */
  listLacks(key: FetchKey): Lack[] {
    return this.#reads.lacks.all(bound(key)).map(({ source, missing, error, failures }) => ({
      source,
      parts: missing === null ? [] : (JSON.parse(missing) as MissingPart[]),
      error: failures > 0 ? error : null,
    }));
  }

  /** The parts that the last answers about whole countries lack. */
  listMissing(): (Pick<FetchKey, "kind" | "country"> & {
    readonly source: string;
    readonly parts: readonly MissingPart[];
  })[] {
    return this.#reads.allMissing.all().map(({ missing, ...list }) => ({
      ...list,
      parts: JSON.parse(missing) as MissingPart[],
    }));
  }

  /** The last state of every host that refused, answered or was blocked, by name. */
  readHosts(): StoredHost[] {
    return this.#reads.hosts.all();
  }

  /** Stores the last state of a host. */
  putHost(host: StoredHost): void {
    this.#writes.host.run({ ...host });
  }

  /** Stores that the source failed for the key at `now`, and why; the schedule tries the key again later. */
  recordFailure(source: string, key: FetchKey, now: number, error: string): void {
    const text = error.slice(0, MAX_ERROR_LENGTH);
    const nextAttemptAt = now + (key.symbol === null ? RETRY_LIST_MS : RETRY_COMPANY_MS);
    this.#writes.failure.run({ source, ...bound(key), now, error: text, nextAttemptAt });
  }

  /** The health of each source that ever answered, failed or was blocked, by name. */
  readHealth(): Map<string, SourceHealth> {
    return new Map(this.#reads.allHealth.all().map((row) => [row.source, healthOf(row)]));
  }

  /** The health of a source. */
  findHealth(source: string): SourceHealth {
    const row = this.#reads.health.get({ source });
    return row ? healthOf(row) : UNTRIED;
  }

  /** Stores the health of a source. */
  putHealth(source: string, health: SourceHealth): void {
    const { answeredAt, failedAt, failingSince } = health;
    const outages = JSON.stringify(health.outages);
    this.#writes.health.run({ source, answeredAt, failedAt, failingSince, outages });
  }

  /** Makes the keys that failed at the source due at `at`, UTC milliseconds. */
  retryFailed(source: string, at: number): void {
    this.#writes.retry.run({ source, at });
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
