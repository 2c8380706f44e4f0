import type { HolidayOverride } from "#domain/calendar-event.ts";
import type { Country } from "#domain/country.ts";
import type { DailyBar } from "#domain/daily-bar.ts";
import type { FetchQuery, MissingPart } from "#domain/fetch.ts";
import type { Filing } from "#domain/filings.ts";
import type { AssetType, Instrument } from "#domain/instrument.ts";
import type { RecordKind, RecordOf } from "#domain/records.ts";
import type { Split } from "#domain/split.ts";
import type { BadRow } from "./list.ts";
import type { Source, SourceClient } from "./source.ts";

/** A request for records of one country or of one of its instruments. */
export interface LiveQuery extends FetchQuery {
  readonly country: Country;
  /** The instrument as it is stored now; null for the records of a whole country. */
  readonly instrument: Instrument | null;
  /**
   * The listed companies of the country by their primary shares, the largest first; only for lists that
   * are requested for these companies.
   */
  readonly listed?: readonly Pick<Instrument, "symbol">[];
  /** True if the query only tests the source: a part of the records is sufficient. */
  readonly isProbe?: true;
  /** Reads the stored bars of the instrument, of any source, oldest first; only for bars. */
  readonly storedBars?: () => readonly DailyBar[];
  /** Reads the stored splits of an instrument of the country, oldest first; null if they are unknown. */
  readonly splitsOf?: (symbol: string) => readonly Split[] | null;
  /** Reads the stored reports of a company, oldest first; null if the source never listed all of them. */
  readonly filingsOf?: (symbol: string) => readonly Filing[] | null;
  /** The country's stored changes of the computed exchange holidays; absent if there are no changes. */
  readonly holidayOverrides?: readonly HolidayOverride[];
}

/** All records of a kind that a source has of an instrument. */
type OtherRecords = {
  [K in RecordKind]: { readonly kind: K; readonly records: readonly RecordOf<K>[] };
}[RecordKind];

/** Dates `YYYY-MM-DD`, both included. */
export interface DateSpan {
  readonly from: string;
  readonly to: string;
}

/**
 * One kind of record from one source, in two steps: `fetch` requests it (network only),
 * `transform` reshapes the answer (a pure function). Ingest checks the records and stores them.
 */
export interface Fetcher<K extends RecordKind = RecordKind, Raw = unknown> {
  readonly kind: K;
  readonly source: Source;
  /** The countries for which it has records. */
  readonly countries: readonly Country[];
  /** What one answer covers: the records of one instrument, or of a whole country. */
  readonly scope: "instrument" | "country";
  /** The only type of instruments that it knows, such as currency pairs; absent if it knows companies. */
  readonly assetType?: AssetType;
  /** True if it adds to the records of other fetchers of its kind, so that it is always called. */
  readonly complements?: true;
  /**
   * The UTC dates, both included, for which an answer has every calendar event; null if some
   * may be missing. Events that the source gave earlier for these dates and no longer has are removed. Absent if the
   * fetcher returns whole lists, which replace all earlier ones, or records that are not calendar events.
   */
  covers?(raw: Raw, query: LiveQuery): DateSpan | null;
  /**
   * Records of other kinds in an answer about one instrument: all that the source has of each kind. They
   * are stored as if they were fetched on their own: dividends after the records of `transform`, others before them.
   */
  others?(raw: Raw, query: LiveQuery): readonly OtherRecords[];
  /**
   * The parts of the records that an answer lacks, because a host refused them or gave them in another form.
   * Absent if an answer is whole or none.
   */
  lacks?(raw: Raw, query: LiveQuery): readonly MissingPart[];
  /**
   * Splits a query for many companies into smaller ones. Each is fetched and stored on its own, so that
   * a failure in the middle leaves the records before it. Absent if one query gives all records.
   */
  parts?(query: LiveQuery): readonly LiveQuery[];
  /** @throws SourceError */
  fetch(query: LiveQuery, client: SourceClient): Promise<Raw>;
  /**
   * Yields the records and the bad rows of a long list.
   *
   * @throws SourceError `invalid_answer` or `nothing`
   */
  transform(raw: Raw, query: LiveQuery): Iterable<RecordOf<K> | BadRow>;
}

/** Declares a fetcher; `transform` takes the type that `fetch` returns. */
export function defineFetcher<K extends RecordKind, Raw>(fetcher: Fetcher<K, Raw>): Fetcher {
  return fetcher as unknown as Fetcher;
}
