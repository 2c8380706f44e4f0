import type { Database } from "bun:sqlite";
import { COUNTRY_CODES, type Country, priceDateOf } from "#domain/country.ts";
import { mergeResults } from "#domain/earnings-results.ts";
import { mergeFilings } from "#domain/filings.ts";
import {
  type ForecastVintages,
  forecastOn,
  isEarlierForecast,
  keepEarlierForecast,
  keepForecast,
  keepVintages,
  type MacroVintages,
  mergeVintages,
  seriesOn,
  type StoredForecast,
} from "#domain/macro-vintages.ts";
import type { MacroForecast, MacroSeries } from "#domain/macro.ts";
import {
  COMPUTED,
  IMPORT,
  type Provenance,
  type RecordKind,
  type RecordOf,
} from "#domain/records.ts";
import {
  adjustCloses,
  adjustCoverage,
  adjustDividends,
  adjustEarningsDate,
  adjustForecast,
  adjustPreviousClose,
  adjustQuote,
  adjustResult,
} from "#domain/split-adjustment.ts";
import { addDays } from "#lib/date.ts";
import { importsWin } from "./database.ts";
import { type KnownDay, type Rewind, REWINDS } from "./known-day.ts";
import { keepsForecasts, keepsSeries, type VintageRules } from "./statement-vintages.ts";
import type { SplitRatios, StoredSplits } from "./stored-splits.ts";

/** The kinds of record that are stored as documents, and the key of each within a country. */
const KEYS = {
  quotes: (record) => record.symbol,
  recentCloses: (record) => record.symbol,
  dividends: (record) => record.symbol,
  splits: (record) => record.symbol,
  macroSeries: (record) => record.id,
  macroVintages: (record) => record.id,
  macroForecasts: (record) => `${record.category}/${record.name}`,
  forecastVintages: (record) => record.id,
  indexPe: (record) => record.month,
  calendarEvents: (record) => record.id,
  holidayOverrides: (record) => record.date,
  analystCoverage: (record) => record.symbol,
  earningsDates: (record) => record.symbol,
  earningsResults: (record) => record.symbol,
  companyForecasts: (record) => record.symbol,
  filings: (record) => record.symbol,
  foreignTrades: (record) => record.symbol,
} satisfies { [K in RecordKind]?: (record: RecordOf<K>) => string };

/** The kinds whose fetched records keep what only the stored one has. */
const MERGED: ReadonlySet<RecordKind> = new Set(["earningsResults", "filings", "macroVintages"]);

/** A kind of record that is stored as a document. */
export type DocumentKind = keyof typeof KEYS;

/** A function that brings a record of a kind into today's shares. */
type Adjustments = {
  readonly [K in DocumentKind]?: (
    record: RecordOf<K> & Provenance,
    ratios: SplitRatios,
  ) => RecordOf<K> & Provenance;
};

/** Adjusts a record in the shares of one day. */
const inSharesOf =
  <T>(
    sharesAsOf: (record: T) => string,
    adjust: (record: T, ofPrices: number, ofShares: number) => T,
  ) =>
  (record: T, { prices, shares }: SplitRatios): T => {
    const asOf = sharesAsOf(record);
    const ofPrices = prices(asOf);
    return ofPrices === 1 ? record : adjust(record, ofPrices, shares(asOf));
  };

const storedOn = ({ country, storedAt }: Provenance & { country: Country }) =>
  priceDateOf(country, storedAt);

/** The kinds with figures per share. */
const ADJUSTMENTS: Adjustments = {
  quotes(quote, { prices, shares }) {
    const ratio = prices(quote.date);
    const onItsDay = prices(addDays(quote.date, -1)) / ratio;
    const even = onItsDay === 1 ? quote : adjustPreviousClose(quote, onItsDay);
    return ratio === 1 ? even : adjustQuote(even, ratio, shares(quote.date));
  },
  recentCloses: inSharesOf(({ from, days }) => addDays(from, days.at(-1) ?? 0), adjustCloses),
  dividends: inSharesOf((one) => one.sharesAsOf ?? storedOn(one), adjustDividends),
  analystCoverage: inSharesOf((one) => storedOn(one), adjustCoverage),
  earningsDates: inSharesOf(
    (one) => storedOn(one),
    (one, _, ofShares) => adjustEarningsDate(one, ofShares),
  ),
  earningsResults: (one, { shares }) => ({
    ...one,
    results: one.results.map((result) =>
      adjustResult(result, shares(result.sharesAsOf ?? storedOn(one))),
    ),
  }),
  companyForecasts: (one, { shares }) => ({
    ...one,
    forecasts: one.forecasts.map((forecast) =>
      adjustForecast(forecast, shares(forecast.sharesAsOf ?? storedOn(one))),
    ),
  }),
};

interface Row extends Provenance {
  body: string;
}

const COLUMNS = "SELECT body, source, stored_at AS storedAt FROM documents WHERE kind = $kind";

const FIND = `${COLUMNS} AND country = $country AND key = $key`;
type Key = { kind: string; country: string; key: string };

function prepareReads(reader: Database) {
  return {
    list: reader.query<Row, { kind: string; country: string | null }>(
      `${COLUMNS} AND ($country IS NULL OR country = $country) ORDER BY id`,
    ),
    find: reader.query<Row, Key>(FIND),
    ages: reader.query<{ key: string; storedAt: number }, { kind: string; country: string }>(
      "SELECT key, stored_at AS storedAt FROM documents WHERE kind = $kind AND country = $country",
    ),
    any: reader.query<unknown, { kind: string; country: string }>(
      "SELECT 1 FROM documents WHERE kind = $kind AND country = $country LIMIT 1",
    ),
  };
}

function prepareWrites(writer: Database) {
  return {
    /** Sees the writes of this transaction. */
    find: writer.query<Row, Key>(FIND),
    drop: writer.query<unknown, { kind: string; country: string; source: string }>(
      "DELETE FROM documents WHERE kind = $kind AND country = $country AND source = $source",
    ),
    put: writer.query(
      `INSERT INTO documents (kind, country, key, body, source, stored_at)
       VALUES ($kind, $country, $key, $body, $source, $storedAt)
       ON CONFLICT (kind, country, key) DO UPDATE SET body = excluded.body, source = excluded.source,
         stored_at = excluded.stored_at WHERE ${importsWin("documents")}`,
    ),
  };
}

const LIST_KEYS = `SELECT key, body, source, stored_at AS storedAt FROM documents
  WHERE kind = $kind AND country = $country ORDER BY id`;
const prepareList = (database: Database) =>
  database.query<Row & { key: string }, { kind: string; country: string }>(LIST_KEYS);

/** The macro forecasts of a country as they are stored, and as they were known on past days. */
class KeptForecasts {
  readonly #read;
  /** Sees the writes of this transaction. */
  readonly #written;
  readonly #put;

  constructor(reader: Database, writer: Database) {
    this.#read = prepareList(reader);
    this.#written = prepareList(writer);
    this.#put = writer.query(
      `INSERT INTO documents (kind, country, key, body, source, stored_at)
       VALUES ('forecastVintages', $country, $key, $body, $source, $storedAt)
       ON CONFLICT (kind, country, key) DO UPDATE SET body = excluded.body, stored_at = excluded.stored_at`,
    );
  }

  /** The forecasts of a country that were known at the end of a day, in the order in which they were first stored. */
  listOn(country: string, known: KnownDay): StoredForecast[] {
    const vintages = vintagesIn(this.#read, country);
    const stored = forecastsIn(this.#read, country);
    return [...new Set([...vintages.keys(), ...stored.keys()])].flatMap((key) => {
      const [kept, newest] = [vintages.get(key), stored.get(key)];
      // An older bourse, and the sample market, store forecasts without vintages.
      const then = newest ? REWINDS.macroForecasts(newest, known) : null;
      return then ?? (kept ? forecastOn(kept, known.day) : null) ?? [];
    });
  }

  /**
   * Runs `write` with the records that are stored, and keeps each forecast of these countries that it changes or removes,
   * with its day. An earlier publication than the stored one of the same source is only kept.
   */
  keep(
    countries: ReadonlySet<string>,
    records: readonly MacroForecast[],
    { source, storedAt }: Provenance,
    write: (records: readonly MacroForecast[]) => number,
  ): number {
    const stored = new Map(
      [...countries].map((country) => [country, forecastsIn(this.#written, country)]),
    );
    const earlier = new Map<string, StoredForecast>();
    const newest = records.map((record) => {
      const before = stored.get(record.country)?.get(KEYS.macroForecasts(record));
      if (before?.source !== source || !isEarlierForecast(record, before)) return record;
      earlier.set(`${record.country} ${KEYS.macroForecasts(record)}`, {
        ...record,
        source,
        storedAt,
      });
      const { source: _source, storedAt: _storedAt, ...forecast } = before;
      return forecast;
    });
    const count = write(newest);
    for (const [country, before] of stored) {
      const vintages = vintagesIn(this.#written, country);
      const now = forecastsIn(this.#written, country);
      for (const id of new Set([...before.keys(), ...now.keys()])) {
        const older = vintages.get(id) ?? null;
        const [was, is] = [before.get(id) ?? null, now.get(id) ?? null];
        const late = earlier.get(`${country} ${id}`);
        if (!late && was?.storedAt === is?.storedAt && was?.source === is?.source) continue;
        const current = keepForecast(older, was, is, { id, storedAt });
        const kept = current && late ? keepEarlierForecast(current, late) : current;
        const body = JSON.stringify(kept);
        if (body !== JSON.stringify(older))
          this.#put.run({ country, key: id, body, source: COMPUTED, storedAt });
      }
    }
    return count;
  }
}

type List = ReturnType<typeof prepareList>;

const vintagesIn = (list: List, country: string) =>
  new Map(
    list
      .all({ kind: "forecastVintages", country })
      .map(({ key, body }) => [key, JSON.parse(body) as ForecastVintages]),
  );

const forecastsIn = (list: List, country: string) =>
  new Map(
    list
      .all({ kind: "macroForecasts", country })
      .map(({ key, body, source, storedAt }): [string, StoredForecast] => [
        key,
        { ...(JSON.parse(body) as MacroForecast), source, storedAt },
      ]),
  );

/** The records of the market file that are only read whole, in today's shares or as known on a day. */
export class DocumentStore {
  readonly #splits: StoredSplits;
  readonly #known: KnownDay | null;
  readonly #forecasts: KeptForecasts;
  readonly #reads: ReturnType<typeof prepareReads>;
  readonly #writes: ReturnType<typeof prepareWrites>;

  constructor(
    reader: Database,
    writer: Database,
    splits: StoredSplits,
    known: KnownDay | null = null,
  ) {
    this.#splits = splits;
    this.#known = known;
    this.#forecasts = new KeptForecasts(reader, writer);
    this.#reads = prepareReads(reader);
    this.#writes = prepareWrites(writer);
  }

  /** Every record of a kind, of one country or of all (null), in the order in which they were stored. */
  list<K extends DocumentKind>(kind: K, country: Country | null): (RecordOf<K> & Provenance)[] {
    if (kind === "macroForecasts" && this.#known !== null)
      return this.#listForecasts(country, this.#known) as (RecordOf<K> & Provenance)[];
    return this.#reads.list.all({ kind, country }).flatMap((row) => this.#parse(kind, row) ?? []);
  }

  #listForecasts(country: Country | null, known: KnownDay) {
    const countries = country === null ? COUNTRY_CODES : [country];
    return countries.flatMap((one) => this.#forecasts.listOn(one, known));
  }

  /** The key of every record of a kind and country, and when it was stored (UTC milliseconds). */
  listAges(kind: DocumentKind, country: Country): { key: string; storedAt: number }[] {
    return this.#reads.ages.all({ kind, country });
  }

  /** True if any record of the kind is stored for the country. */
  hasAny(kind: DocumentKind, country: Country): boolean {
    if (this.#known !== null) return this.list(kind, country).length > 0;
    return this.#reads.any.get({ kind, country }) !== null;
  }

  /** The record with that key, or null. */
  find<K extends DocumentKind>(
    kind: K,
    country: Country,
    key: string,
  ): (RecordOf<K> & Provenance) | null {
    const row = this.#reads.find.get({ kind, country, key });
    return row && this.#parse(kind, row);
  }

  #parse<K extends DocumentKind>(
    kind: K,
    { body, ...provenance }: Row,
  ): (RecordOf<K> & Provenance) | null {
    const record = { ...(JSON.parse(body) as RecordOf<K>), ...provenance };
    const adjust = ADJUSTMENTS[kind];
    // Every kind with an adjustment has a symbol.
    const inShares =
      adjust && "symbol" in record ? adjust(record, this.#splits.ratiosOf(record)) : record;
    if (this.#known === null) return inShares;
    if (kind === "macroSeries") {
      const series = inShares as MacroSeries & Provenance;
      return this.#seriesOn(series, this.#known) as (RecordOf<K> & Provenance) | null;
    }
    const rewinds: { readonly [One in DocumentKind]: Rewind<One> } = REWINDS;
    return rewinds[kind](inShares, this.#known);
  }

  /** What was known of a series on a day: its vintages, or the whole series since it was stored. */
  #seriesOn(series: MacroSeries & Provenance, known: KnownDay) {
    const { country, id: key } = series;
    const row = this.#reads.find.get({ kind: "macroVintages", country, key });
    if (!row) return REWINDS.macroSeries(series, known);
    return seriesOn(series, JSON.parse(row.body) as MacroVintages, known.day);
  }

  /**
   * Stores records; returns how many. They replace the records with the same key. With `whole` they
   * replace all records of the kind that the source gave before for that country, or for all (null). By the rules of
   * `vintages`, earlier figures of macro series and earlier macro forecasts are kept.
   */
  put<K extends DocumentKind>(
    kind: K,
    records: Iterable<RecordOf<K>>,
    provenance: Provenance,
    whole?: { country: Country | null },
    vintages: VintageRules = "none",
  ): number {
    if (kind === "macroForecasts" && keepsForecasts(vintages)) {
      const all = [...records];
      const countries = new Set(all.map((one): string => one.country));
      if (whole?.country) countries.add(whole.country);
      return this.#forecasts.keep(countries, all as MacroForecast[], provenance, (newest) =>
        this.put("macroForecasts", newest, provenance, whole),
      );
    }
    const { put } = this.#writes;
    const keyOf = KEYS[kind] as (record: RecordOf<K>) => string;
    const series =
      kind === "macroSeries" && keepsSeries(vintages) ? ([...records] as MacroSeries[]) : null;
    // A whole list removes the stored ones.
    const before = series && this.#storedSeries(series);
    // Vintages that were kept here stay beside the ones of a source, but not beside a sample's.
    if (whole && (kind !== "macroVintages" || whole.country === null)) {
      for (const country of whole.country === null ? COUNTRY_CODES : [whole.country])
        this.#writes.drop.run({ kind, country, source: provenance.source });
    }
    let stored = 0;
    for (const record of (series as RecordOf<K>[] | null) ?? records) {
      const { country } = record;
      const key = keyOf(record);
      const body = JSON.stringify(this.#merged(kind, record, key, provenance));
      const { changes } = put.run({ kind, country, key, body, ...provenance });
      // An imported series stays as it is.
      if (before && changes > 0) {
        const one = record as MacroSeries;
        this.#keepVintages(one, before.get(one) ?? null, provenance.storedAt);
      }
      stored++;
    }
    return stored;
  }

  /** The stored series of the same ids, as this transaction sees them. */
  #storedSeries(
    records: readonly MacroSeries[],
  ): ReadonlyMap<MacroSeries, MacroSeries & Provenance> {
    return new Map(
      records.flatMap((record) => {
        const { country, id: key } = record;
        const row = this.#writes.find.get({ kind: "macroSeries", country, key });
        if (!row) return [];
        const { body, ...provenance } = row;
        return [[record, { ...(JSON.parse(body) as MacroSeries), ...provenance }] as const];
      }),
    );
  }

  /** Keeps the figures of a series that was stored in the place of `before`, with the day of each change. */
  #keepVintages(
    series: MacroSeries,
    before: (MacroSeries & Provenance) | null,
    storedAt: number,
  ): void {
    const { find, put } = this.#writes;
    const key = { kind: "macroVintages", country: series.country, key: series.id };
    const row = find.get(key);
    const older = row && (JSON.parse(row.body) as MacroVintages);
    const body = JSON.stringify(keepVintages(older, before, series, storedAt));
    const source = row?.source ?? COMPUTED;
    if (body !== row?.body) put.run({ ...key, body, source, storedAt });
  }

  /** The record to store: fetched results, filings and vintages keep what only the stored record has. */
  #merged<K extends DocumentKind>(
    kind: K,
    record: RecordOf<K>,
    key: string,
    { source }: Provenance,
  ): RecordOf<DocumentKind> {
    const { country } = record;
    if (!MERGED.has(kind) || source === IMPORT) return record;
    const row = this.#writes.find.get({ kind, country, key });
    if (!row) return record;
    if (kind === "macroVintages")
      return mergeVintages(JSON.parse(row.body) as MacroVintages, record as MacroVintages);
    if (kind === "filings") {
      const older = JSON.parse(row.body) as RecordOf<"filings">;
      return mergeFilings(older, record as RecordOf<"filings">);
    }
    const sharesAsOf = priceDateOf(country as Country, row.storedAt);
    const older = JSON.parse(row.body) as RecordOf<"earningsResults">;
    return mergeResults(older, record as RecordOf<"earningsResults">, sharesAsOf);
  }
}
