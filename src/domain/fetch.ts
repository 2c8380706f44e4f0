import type { Country } from "./country.ts";
import type { RecordKind } from "./records.ts";

/** What any source is asked for. */
export interface FetchQuery {
  /** The moment to ask for, UTC milliseconds. */
  readonly now: number;
  /**
   * All records up to this date are stored already, so newer ones are enough; null where none are
   * stored. Bars that include earlier dates are taken as the whole history.
   */
  readonly after: string | null;
}

/** The records of one kind of a whole country (symbol null), or of one instrument. */
export interface FetchKey {
  readonly kind: RecordKind;
  readonly country: Country;
  readonly symbol: string | null;
}

/** Records that an answer is made from. An answer can be given without those that are `optional`. */
export interface Need extends FetchKey {
  readonly optional?: true;
  /** The kind whose record of the same instrument is enough where these cannot be fetched. */
  readonly substitute?: RecordKind;
}
