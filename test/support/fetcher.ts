import type { Instrument } from "#domain/instrument.ts";
import type { RecordKind, RecordOf } from "#domain/records.ts";
import { type CheckedBatch, checkBatch } from "#ingest/batch.ts";
import type { Fetcher, LiveQuery } from "#sources/fetcher.ts";
import { type SourceFault, SourceError } from "#sources/source.ts";
import { instrument } from "./market.ts";

/** The records of an answer. Each one must match its schema. */
export function transformed<K extends RecordKind>(
  kind: K,
  fetcher: Fetcher,
  raw: unknown,
  query: LiveQuery,
): RecordOf<K>[] {
  if (fetcher.kind !== kind) throw new Error(`it brings ${fetcher.kind}, not ${kind}`);
  const { records, leftOut, reason } = ingested(kind, fetcher, raw, query);
  if (leftOut > 0) throw new Error(reason ?? "");
  return [...records];
}

/** The same, without the bad rows that ingest leaves out of a long list. */
export function ingested<K extends RecordKind>(
  kind: K,
  fetcher: Fetcher,
  raw: unknown,
  query: LiveQuery,
): CheckedBatch<K> {
  return checkBatch(kind, fetcher.transform(raw, query) as Iterable<RecordOf<K>>);
}

/** The fault of a step's error, or "none". Throws every error that is not a `SourceError`. */
export async function faultOf(step: () => unknown): Promise<SourceFault | "none"> {
  try {
    await step();
    return "none";
  } catch (error) {
    if (error instanceof SourceError) return error.fault;
    throw error;
  }
}

/** A query about stored records. */
export function liveQuery(change: Partial<LiveQuery> & { today: string }): LiveQuery {
  const { today, ...rest } = change;
  return {
    now: Date.parse(today.length === 10 ? `${today}T23:00Z` : today),
    after: null,
    country: rest.instrument?.country ?? "US",
    instrument: null,
    ...rest,
  };
}

/** A stored instrument of Viet Nam. */
export function vietnamese(symbol: string, change: Partial<Instrument> = {}): Instrument {
  const name = `${symbol} Corporation`;
  return instrument("VN", symbol, { name, exchange: "HOSE", indexMember: true, ...change });
}
