import type { RecordKind, RecordOf } from "#domain/records.ts";

/** What a source is asked for. */
export interface FetchQuery {
  /** The moment to ask for, UTC milliseconds. */
  readonly now: number;
  /**
   * A date up to which everything is stored already, so that what is newer will do; null where
   * nothing is. A source that cannot tell may bring more.
   */
  readonly after: string | null;
}

/**
 * One kind of record from one source, in two steps: `fetch` asks (nothing but the network),
 * `transform` reshapes what came (nothing but its arguments). Checking and storing is ingest's.
 */
export interface Fetcher<K extends RecordKind, Raw> {
  readonly kind: K;
  /** The source's name, which every record is stored under: `sample`. */
  readonly source: string;
  fetch(query: FetchQuery): Raw | Promise<Raw>;
  /** Throws where the raw answer is not of the documented form. */
  transform(raw: Raw, query: FetchQuery): Iterable<RecordOf<K>>;
}

/** A source of records. */
export interface Provider {
  readonly source: string;
  /**
   * Its fetchers, each before those whose records refer to its own. They may share what they work
   * out, and are to be let go after use.
   */
  createFetchers(): readonly Fetcher<RecordKind, unknown>[];
}
