import type { HolidayOverride } from "#domain/calendar-event.ts";
import type { Country } from "#domain/country.ts";
import type { DailyBar } from "#domain/daily-bar.ts";
import type { FetchQuery } from "#domain/fetch.ts";
import type { Instrument } from "#domain/instrument.ts";
import type { RecordKind, RecordOf } from "#domain/records.ts";
import type { BadRow } from "./list.ts";
import type { Source, SourceClient } from "./source.ts";

/** What a live source is asked for: one country, or one instrument of it. */
export interface LiveQuery extends FetchQuery {
  readonly country: Country;
  /** As it is stored now; null for the records of a whole country. */
  readonly instrument: Instrument | null;
  /** Reads the stored bars of the instrument, of any source, oldest first; only for bars. */
  readonly storedBars?: () => readonly DailyBar[];
  /** The country's stored changes of the computed exchange holidays; absent where there are none. */
  readonly holidayOverrides?: readonly HolidayOverride[];
}

/** Dates `YYYY-MM-DD`, both included. */
export interface DateSpan {
  readonly from: string;
  readonly to: string;
}

/**
 * One kind of record from one source, in two steps: `fetch` asks (nothing but the network),
 * `transform` reshapes what came (nothing but its arguments). Checking and storing is ingest's.
 */
export interface Fetcher<K extends RecordKind = RecordKind, Raw = unknown> {
  readonly kind: K;
  readonly source: Source;
  /** The countries that it serves. */
  readonly countries: readonly Country[];
  /** Whether it brings the records of one instrument, or those of a whole country at once. */
  readonly scope: "instrument" | "country";
  /** True where it adds to what others bring of that kind, and is asked beside them, always. */
  readonly complements?: true;
  /**
   * The UTC dates, both included, of which an answer names every calendar event; null where it may lack
   * some. What the source gave earlier for these dates and names no more is removed. Absent where the
   * fetcher brings whole lists, which replace all that was given before, or other records.
   */
  covers?(raw: Raw, query: LiveQuery): DateSpan | null;
  /** @throws SourceError */
  fetch(query: LiveQuery, client: SourceClient): Promise<Raw>;
  /**
   * The records, the rows of a long list that are bad, and `undefined` where other work may run.
   *
   * @throws SourceError `invalid_answer` or `nothing`
   */
  transform(raw: Raw, query: LiveQuery): Iterable<RecordOf<K> | BadRow | undefined>;
}

/** Declares a fetcher, with `transform` typed by what `fetch` gives. */
export function defineFetcher<K extends RecordKind, Raw>(fetcher: Fetcher<K, Raw>): Fetcher {
  return fetcher as unknown as Fetcher;
}
