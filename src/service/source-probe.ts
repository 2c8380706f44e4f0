import type { Country } from "#domain/country.ts";
import type { MissingPart } from "#domain/fetch.ts";
import { type Instrument, NO_PROFILE } from "#domain/instrument.ts";
import type { RecordKind } from "#domain/records.ts";
import { listReferenceInstruments } from "#domain/reference-instruments.ts";
import { checkBatch } from "#ingest/batch.ts";
import { reasonOf } from "#lib/reason.ts";
import { checkFact } from "#sources/check-facts.ts";
import { FACTS } from "#sources/facts.ts";
import type { Fetcher, LiveQuery } from "#sources/fetcher.ts";
import type { Refusal } from "#sources/refusal.ts";
import { type SourceClient, SourceError } from "#sources/source.ts";

type Company = Pick<Instrument, "symbol" | "name" | "currency">;

/** For this instrument of each country, the check fetches every kind. */
const PROBES: Readonly<Record<Country, Company>> = {
  US: { symbol: "AAPL", name: "Apple Inc.", currency: "USD" },
  JP: { symbol: "7203", name: "Toyota Motor", currency: "JPY" },
  VN: { symbol: "FPT", name: "FPT Corporation", currency: "VND" },
};

/** Other companies of the facts. */
const OTHERS: readonly Company[] = [
  { symbol: "GOOGL", name: "Alphabet Inc.", currency: "USD" },
  { symbol: "9432", name: "NTT", currency: "JPY" },
];

/** Even the probed companies may have no records of these kinds. */
const MAY_BE_EMPTY: ReadonlySet<RecordKind> = new Set([
  "analystCoverage",
  "dividends",
  "splits",
  "earningsDates",
  "earningsResults",
  "companyForecasts",
]);

/** The result of one fetch. */
export interface Probe {
  readonly source: string;
  readonly kind: RecordKind;
  readonly country: Country;
  /** Null for the records of the whole country. */
  readonly symbol: string | null;
  /** Null if there are none. */
  readonly records: number | null;
  /** The newest date in the records; null if they have no date. */
  readonly newest: string | null;
  readonly failed: boolean;
  readonly error: string | null;
  /** True if its host was not called, because it failed before; absent otherwise. */
  readonly isBlocked?: true;
  /** How hosts refused; absent for any other reason. */
  readonly refusals?: readonly Refusal[] | undefined;
  /** The parts that the answer lacks; absent if it is whole. */
  readonly missing?: readonly MissingPart[];
  /** The published figures beside the records; absent without any. */
  readonly facts?: readonly ReturnType<typeof checkFact>[];
}

/** A fetch of a check. */
export interface Target {
  readonly fetcher: Fetcher;
  readonly country: Country;
  /** The company; unused by a list of the whole country. */
  readonly symbol: string;
}

/** The symbols that the check fetches: the country's, and the symbols of other facts of the kind. */
export function listSymbols({ kind, scope, assetType }: Fetcher, country: Country): string[] {
  if (assetType !== undefined)
    return listReferenceInstruments()
      .filter((one) => one.country === country && one.assetType === assetType)
      .slice(0, 1)
      .map((one) => one.symbol);
  const { symbol } = PROBES[country];
  if (scope === "country") return [symbol];
  const facts = FACTS.filter((fact) => fact.kind === kind && fact.country === country);
  return [...new Set([symbol, ...facts.map((fact) => fact.symbol)])];
}

/** Fetches the records of a target, compares them with published figures, and stores nothing. */
export async function probe(target: Target, client: SourceClient, now: number): Promise<Probe> {
  const { fetcher, country, symbol } = target;
  const { kind, scope } = fetcher;
  const instrument = scope === "country" ? null : probeInstrument(country, symbol);
  const listed = [PROBES[country]];
  const query: LiveQuery = { now, after: null, country, instrument, listed, isProbe: true };
  try {
    const answer = await fetcher.fetch(query, client);
    const { records } = checkBatch(kind, fetcher.transform(answer, query));
    const facts = instrument ? compareFacts(target, records) : [];
    const faults = facts.flatMap((one) =>
      one.fault === null ? [] : [`${one.fact} is ${one.found}: ${one.fault}`],
    );
    const missing = fetcher.lacks?.(answer, query) ?? [];
    return {
      ...rowOf(target),
      records: records.length,
      newest: newestDate(records),
      failed: faults.length > 0,
      error: faults.length > 0 ? `${fetcher.source.name}: ${faults.join("; ")}` : null,
      ...(missing.length > 0 && { missing }),
      ...(facts.length > 0 && { facts }),
    };
  } catch (error) {
    return failedProbe(target, error);
  }
}

/** The result of a fetch that gave no records. */
export function failedProbe(target: Target, error: unknown): Probe {
  const {
    fault = null,
    retryAfterMs = null,
    refusals = [],
  } = error instanceof SourceError ? error : {};
  // A source that needs a contact or a key, or that is blocked, did not fail here.
  const isCalled = fault !== "not_asked";
  const isBlocked = !isCalled && retryAfterMs !== null;
  const isEmpty = fault === "nothing" && MAY_BE_EMPTY.has(target.fetcher.kind);
  return {
    ...rowOf(target),
    records: isEmpty ? 0 : null,
    newest: null,
    failed: isCalled && !isEmpty,
    error: isBlocked ? "not called: the source failed before" : reasonOf(error),
    ...(isBlocked && { isBlocked }),
    ...(refusals.length > 0 && { refusals }),
  };
}

function rowOf({ fetcher: { source, kind, scope }, country, symbol }: Target) {
  return { source: source.name, kind, country, symbol: scope === "country" ? null : symbol };
}

function compareFacts({ fetcher, country, symbol }: Target, records: readonly unknown[]) {
  return FACTS.filter(
    (fact) => fact.kind === fetcher.kind && fact.country === country && fact.symbol === symbol,
  ).map((fact) => checkFact(fact, records));
}

function probeInstrument(country: Country, symbol: string): Instrument {
  const known = listReferenceInstruments().find(
    (one) => one.country === country && one.symbol === symbol,
  );
  if (known) return { ...known, summary: null };
  const company = OTHERS.find((one) => one.symbol === symbol) ?? PROBES[country];
  return {
    country,
    ...company,
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
