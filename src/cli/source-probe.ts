import type { Country } from "#domain/country.ts";
import { type Instrument, NO_PROFILE } from "#domain/instrument.ts";
import type { RecordKind } from "#domain/records.ts";
import { checkBatch } from "#ingest/batch.ts";
import { reasonOf } from "#ingest/refresh.ts";
import { runAtOnce } from "#lib/slices.ts";
import type { Fetcher, LiveQuery } from "#sources/fetcher.ts";
import { type SourceClient, SourceError } from "#sources/source.ts";

/** The instrument of each country that the check fetches. */
const PROBES: Readonly<Record<Country, Pick<Instrument, "symbol" | "name" | "currency">>> = {
  US: { symbol: "AAPL", name: "Apple Inc.", currency: "USD" },
  JP: { symbol: "7203", name: "Toyota Motor", currency: "JPY" },
  VN: { symbol: "FPT", name: "FPT Corporation", currency: "VND" },
};

/** Kinds of which even the probed companies may have no records. */
const MAY_BE_EMPTY: ReadonlySet<RecordKind> = new Set([
  "analystCoverage",
  "dividends",
  "splits",
  "earningsDates",
]);

/** The result of one fetch. */
export type Probe = Awaited<ReturnType<typeof probe>>;

/** Fetches the records of one kind of a country, or of its probed company, and stores nothing. */
export async function probe(fetcher: Fetcher, country: Country, client: SourceClient, now: number) {
  const { source, kind, scope } = fetcher;
  const instrument = scope === "country" ? null : probeInstrument(country);
  const listed = [PROBES[country]];
  const query: LiveQuery = { now, after: null, country, instrument, listed, isProbe: true };
  const row = { source: source.name, kind, country, symbol: instrument?.symbol ?? null };
  try {
    const answer = await fetcher.fetch(query, client);
    const { records } = runAtOnce(checkBatch(kind, fetcher.transform(answer, query)));
    return {
      ...row,
      records: records.length,
      newest: newestDate(records),
      failed: false,
      error: null,
    };
  } catch (error) {
    // A source that needs a contact or a key, or that is blocked, did not fail here.
    const isCalled = !(error instanceof SourceError && error.fault === "not_asked");
    const isBlocked = !isCalled && error.retryAfterMs !== null;
    const knowsNothing =
      error instanceof SourceError && error.fault === "nothing" && MAY_BE_EMPTY.has(kind);
    return {
      ...row,
      records: null,
      newest: null,
      failed: isCalled && !knowsNothing,
      error: isBlocked ? "not called: the source failed before" : reasonOf(error),
    };
  }
}

function probeInstrument(country: Country): Instrument {
  return {
    country,
    ...PROBES[country],
    assetType: "stock",
    exchange: null,
    ...NO_PROFILE,
    primaryListing: true,
    indexMember: true,
  };
}

/**
 * The latest day, month, quarter or year in the records: how old the data is, or how far it
 * reaches into the future. Null if the records have no date, as in lists.
 */
function newestDate(records: readonly unknown[]): string | null {
  const dates = JSON.stringify(records).matchAll(
    /"(?:\w*[dD]ate|month|period|quarter|periodEnd|filedOn)":"(\d{4}(?:-Q\d|-\d{2}(?:-\d{2})?)?)"/g,
  );
  let newest: string | null = null;
  for (const [, date = ""] of dates) if (newest === null || date > newest) newest = date;
  return newest;
}
