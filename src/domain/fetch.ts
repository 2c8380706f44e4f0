import type { Country } from "./country.ts";
import type { RecordKind } from "./records.ts";

/** The query that every fetcher gets. */
export interface FetchQuery {
  /** The current time, UTC milliseconds. */
  readonly now: number;
  /**
   * Records up to this date are stored, so newer records are sufficient; null if no record is stored.
   * Bars that include earlier dates replace the whole history.
   */
  readonly after: string | null;
}

/** Identifies the records of one kind: of a whole country (`symbol` is null) or of one instrument. */
export interface FetchKey {
  readonly kind: RecordKind;
  readonly country: Country;
  readonly symbol: string | null;
}

/** A part of records that a source did not give: a series, a list or a file. */
export interface MissingPart {
  /** What is missing, as people call it: `Unemployment rate`. */
  readonly what: string;
  /** The reason, without the name of the source: `fred.stlouisfed.org does not answer: …`. */
  readonly why: string;
}

/** What one source leaves out of the records of a key. */
export interface Lack {
  readonly source: string;
  /** The parts that its last answer lacks; empty if it failed and never gave a record. */
  readonly parts: readonly MissingPart[];
  /** Why it failed; null if it answered. */
  readonly error: string | null;
}

/** Records that an answer needs. The answer is possible without `optional` records. */
export interface Need extends FetchKey {
  readonly optional?: true;
  /** If the fetch fails, a stored record of this kind of the same instrument is sufficient. */
  readonly substitute?: RecordKind;
}

/**
 * What has come of the records of a kind and country: `waiting` before the first call, `fetching` while companies
 * are fetched, `given`, `part` if a source left some out, `empty` if sources answered without a record, `refused`
 * if no source gave any.
 */
export type Arrival = "waiting" | "fetching" | "given" | "part" | "empty" | "refused";
