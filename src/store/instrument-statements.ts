import type { Database } from "bun:sqlite";
import type { Classification } from "#domain/classification.ts";
import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import type { AssetType, InstrumentKey, Segment, ShareKind } from "#domain/instrument.ts";
import { IMPORT, type Provenance } from "#domain/records.ts";
import type { KnownDay } from "./known-day.ts";

// The SQL of `InstrumentStore`.

/** An instrument as its table has it. */
export interface InstrumentRow {
  id: number;
  country: Country;
  symbol: string;
  name: string;
  assetType: AssetType;
  exchange: string | null;
  currency: string;
  sector: string | null;
  industry: string | null;
  segment: Segment | null;
  localSector: string | null;
  shareKind: ShareKind | null;
  sharesOutstanding: number | null;
  sharesAsOf: string | null;
  employees: number | null;
  summary: string | null;
  aliases: string | null;
  primaryListing: number;
  indexMember: number;
  source: string;
  storedAt: number;
  delistedAt: number | null;
}

/** An instrument with its name and other names. */
export interface NamedInstrument extends InstrumentKey {
  readonly name: string;
  readonly assetType: AssetType;
  /** Separated by `|`; null for none. */
  readonly aliases: string | null;
}

/** A company among the largest of its country. */
export interface LargeCompany {
  readonly symbol: string;
  /** In its currency; null if neither a number of shares with a price nor a quote gives it. */
  readonly marketCap: number | null;
  /** Sector slug; null if no source gave one. */
  readonly sector: string | null;
}

/** A company with what ranks it. */
export interface RankedCompany extends LargeCompany {
  readonly id: number;
  readonly indexMember: 0 | 1;
}

/** Bounds of the symbols that can be close to a mistyped one. */
export interface SymbolBounds {
  /** The number of characters. */
  readonly shortest: number;
  readonly longest: number;
  /** The characters with which the symbols start. */
  readonly first: string;
}

/** The latest change of an instrument's records, or its removal; numbers rise with every change. */
export interface Change extends InstrumentKey {
  readonly number: number;
}

/** A source's list of a whole country; `listedAt` is when it was stored, UTC milliseconds. */
export interface SourceList {
  readonly country: Country;
  readonly source: string;
  readonly listedAt: number;
}

const COLUMNS = `id, country, symbol, name, asset_type AS assetType, exchange, currency, sector, industry,
  segment, local_sector AS localSector, share_kind AS shareKind, shares_outstanding AS sharesOutstanding, shares_as_of AS sharesAsOf, employees, summary, aliases, primary_listing AS primaryListing,
  index_member AS indexMember, source, stored_at AS storedAt, delisted_at AS delistedAt`;

/** The market cap of an instrument; null if neither a number of shares with a price nor a quote gives it. */
const MARKET_CAP = `coalesce(
  shares_outstanding * coalesce(quote.body ->> 'price',
    (SELECT close FROM daily_bars WHERE instrument_id = instruments.id ORDER BY date DESC LIMIT 1)),
  quote.body ->> 'marketCap')`;
const WITH_QUOTE = `LEFT JOIN documents AS quote
  ON quote.kind = 'quotes' AND quote.country = instruments.country AND quote.key = symbol`;

// Literals, so that SQLite can use the index on country and symbol.
const COUNTRY_LIST = COUNTRY_CODES.map((code) => `'${code}'`).join(", ");

// How an upsert updates a column of a known instrument. An imported instrument keeps its values. Null
// never replaces a value. A listing classifies a whole market coarsely, so it changes no sector and ends
// no membership.
const IS_IMPORTED = `(instruments.source = '${IMPORT}' AND excluded.source <> '${IMPORT}')`;
const unlessImported = (column: string) => `iif(${IS_IMPORTED}, ${column}, excluded.${column})`;
const replaced = (column: string) => `${column} = ${unlessImported(column)}`;
const completed = (column: string) =>
  `${column} = iif(${IS_IMPORTED}, coalesce(${column}, excluded.${column}), coalesce(excluded.${column}, ${column}))`;
const classified = (column: string) =>
  `${column} = iif($isListing OR ${IS_IMPORTED}, coalesce(${column}, excluded.${column}), coalesce(excluded.${column}, ${column}))`;

// A listing gives an industry only with its own sector.
const INDUSTRY = `industry = iif($isListing OR ${IS_IMPORTED},
  coalesce(industry, iif(coalesce(sector, excluded.sector) IS excluded.sector, excluded.industry, NULL)),
  coalesce(excluded.industry, industry))`;

/** The condition of a listed instrument, and the expression that finds the ids of a search. */
export interface ListedRows {
  readonly isListed: string;
  /** With the parameter `$match`. */
  readonly matching: string;
}

/** The instruments that are listed now. */
const LISTED_NOW: ListedRows = {
  isListed: "delisted_at IS NULL",
  matching: "SELECT rowid FROM instrument_search WHERE instrument_search MATCH $match",
};

/**
 * The instruments that were listed on a day: those with a price or a statement until then that were not delisted yet. The
 * search index has listed instruments only. `FirstKnown` has the temporary tables with the others.
 */
export function listedOn({ day, endsAt }: KnownDay): ListedRows {
  return {
    isListed: `(delisted_at IS NULL OR delisted_at > ${endsAt}) AND EXISTS (SELECT 1
      FROM temp.first_known AS known WHERE known.id = instruments.id AND known.day <= '${day}')`,
    matching: `${LISTED_NOW.matching}
      UNION ALL SELECT rowid FROM temp.delisted_search WHERE delisted_search MATCH $match`,
  };
}

/** The statements that find instruments by key and list them. */
export function prepareLookups(reader: Database, { isListed }: ListedRows = LISTED_NOW) {
  return {
    bySymbol: reader.query<InstrumentRow, { country: string; symbol: string }>(
      `SELECT ${COLUMNS} FROM instruments WHERE country = $country AND symbol = $symbol`,
    ),
    byId: reader.query<InstrumentRow, { id: number }>(
      `SELECT ${COLUMNS} FROM instruments WHERE id = $id`,
    ),
    ofCountry: reader.query<InstrumentRow, { country: string }>(
      `SELECT ${COLUMNS} FROM instruments WHERE country = $country ORDER BY symbol`,
    ),
    names: reader.query<NamedInstrument, { country: string }>(
      `SELECT country, symbol, name, asset_type AS assetType, aliases FROM instruments
         WHERE country = $country AND ${isListed}`,
    ),
    countries: reader.query<{ country: Country }, { symbol: string }>(
      `SELECT country FROM instruments WHERE symbol = $symbol
         AND country IN (${COUNTRY_LIST}) ORDER BY country`,
    ),
    listed: reader.query<unknown, { id: number }>(
      `SELECT 1 FROM instruments WHERE id = $id AND ${isListed}`,
    ),
    symbols: reader.query<never, { country: string }>(
      `SELECT symbol FROM instruments WHERE country = $country AND ${isListed}`,
    ),
    // A range of the index. The plus keeps SQLite from an index without symbols.
    boundedSymbols: reader.query<never, Bound<SymbolBounds & { country: string }>>(
      `SELECT symbol FROM instruments WHERE country = $country
         AND symbol >= $first AND symbol < $first || char(0x10ffff)
         AND length(symbol) BETWEEN $shortest AND $longest AND +${isListed}`,
    ),
    changed: reader.query<Change, { since: number; limit: number }>(
      `SELECT number, country, symbol FROM changes WHERE number > $since ORDER BY number LIMIT $limit`,
    ),
    lastChange: reader.query<{ number: number }, []>(
      "SELECT coalesce(max(number), 0) AS number FROM changes",
    ),
    anyListing: reader.query<unknown, { country: string }>(
      `SELECT 1 FROM instruments WHERE country = $country AND asset_type IN ('stock', 'reit', 'etf')
       LIMIT 1`,
    ),
  };
}

/** The statements that count and rank the instruments of a country. */
export function prepareStatistics(reader: Database, { isListed }: ListedRows = LISTED_NOW) {
  return {
    companies: reader.query<RankedCompany, { country: string; after: number; limit: number }>(
      `SELECT instruments.id, symbol, ${MARKET_CAP} AS marketCap, sector, index_member AS indexMember
       -- By id: an index would sort all companies of the country for every page.
       FROM instruments NOT INDEXED ${WITH_QUOTE}
       WHERE instruments.country = $country AND asset_type IN ('stock', 'reit') AND primary_listing
         AND delisted_at IS NULL AND instruments.id > $after
       ORDER BY instruments.id LIMIT $limit`,
    ),
    counts: reader.query<{ country: Country; assetType: AssetType; count: number }, []>(
      `SELECT country, asset_type AS assetType, count(*) AS count FROM instruments
       WHERE ${isListed} GROUP BY country, asset_type ORDER BY country, asset_type`,
    ),
    sources: reader.query<Provenance, []>(
      // Grouped in the order of the index first, so that it is read once and nothing is sorted.
      `SELECT source, min(storedAt) AS storedAt FROM (SELECT source, min(stored_at) AS storedAt
         FROM instruments WHERE ${isListed} GROUP BY country, asset_type, source)
       GROUP BY source`,
    ),
    listedBy: reader.query<{ count: number }, { country: string; source: string }>(
      `SELECT count(*) AS count FROM instruments
       WHERE country = $country AND listed_by = $source AND delisted_at IS NULL`,
    ),
  };
}

/** The statements of the search. */
export function prepareSearch(reader: Database, listed?: ListedRows) {
  const { isListed, matching } = listed ?? LISTED_NOW;
  // The index has listed instruments only, so a search of today reads no row to know that.
  const found = listed
    ? `SELECT id FROM instruments WHERE id IN (${matching}) AND ${isListed}`
    : matching;
  return {
    page: reader.query<InstrumentRow, { match: string; after: number; limit: number }>(
      listed
        ? `SELECT ${COLUMNS} FROM instruments WHERE id IN (${matching}) AND id > $after AND ${isListed}
           ORDER BY id LIMIT $limit`
        : `SELECT ${COLUMNS} FROM instruments WHERE id IN (${matching}
             AND rowid > $after ORDER BY rowid LIMIT $limit) ORDER BY id`,
    ),
    ids: reader.query<never, { match: string }>(found),
    byName: reader.query<InstrumentRow, { match: string; limit: number; offset: number }>(
      // Sorts ids alone: sorting 15,000 whole rows takes three times as long.
      `SELECT ${COLUMNS} FROM instruments WHERE id IN (SELECT id FROM instruments
         WHERE id IN (${found}) ORDER BY name COLLATE NOCASE, id LIMIT $limit OFFSET $offset)
       ORDER BY name COLLATE NOCASE, id`,
    ),
    similar: reader.query<InstrumentRow, { match: string; limit: number }>(
      `SELECT ${COLUMNS} FROM instruments WHERE id IN (SELECT rowid FROM instrument_search
         WHERE instrument_search MATCH $match ORDER BY rank LIMIT $limit)
         ${listed ? `AND ${isListed}` : ""} ORDER BY id`,
    ),
    sizes: reader.query<{ id: number; size: number | null }, { ids: string }>(
      `SELECT instruments.id, ${MARKET_CAP} AS size FROM instruments ${WITH_QUOTE}
       WHERE instruments.id IN (SELECT value FROM json_each($ids))`,
    ),
    total: reader.query<{ total: number }, { match: string }>(
      listed
        ? `SELECT count(*) AS total FROM (${found})`
        : "SELECT count(*) AS total FROM instrument_search WHERE instrument_search MATCH $match",
    ),
    trigrams: reader.query<{ term: string }, { beginning: string }>(
      "SELECT term FROM instrument_trigrams WHERE term >= $beginning AND term < $beginning || char(0x10ffff)",
    ),
    beginning: reader.query<unknown, { beginning: string }>(
      `SELECT 1 FROM instruments WHERE country IN (${COUNTRY_LIST})
         AND symbol >= $beginning AND symbol < $beginning || char(0x10ffff) LIMIT 1`,
    ),
  };
}

/** The same type with an index signature, which bun:sqlite requires and an interface does not have. */
type Bound<T> = { [K in keyof T]: T[K] };

/** The statements that change instruments. */
export function prepareWrites(writer: Database) {
  return {
    put: writer.query(
      `INSERT INTO instruments (country, symbol, name, asset_type, exchange, currency, sector, industry,
         segment, local_sector, share_kind, shares_outstanding, shares_as_of, employees, summary, aliases, primary_listing, index_member, source,
         stored_at, listed_by, listed_at)
       VALUES ($country, $symbol, $name, $assetType, $exchange, $currency, $sector, $industry,
         $segment, $localSector, $shareKind, $sharesOutstanding, iif($sharesOutstanding IS NULL, NULL, $sharesAsOf), $employees, $summary, $aliases, $primaryListing, $indexMember, $source,
         $storedAt, iif($isListing, $source, NULL), iif($isListing, $storedAt, NULL))
       ON CONFLICT (country, symbol) DO UPDATE SET
         ${["name", "asset_type", "currency", "primary_listing", "source", "stored_at"].map(replaced).join(", ")},
         ${["exchange", "segment", "local_sector", "share_kind", "shares_outstanding", "shares_as_of", "employees", "summary", "aliases"].map(completed).join(", ")},
         ${classified("sector")}, ${INDUSTRY},
         index_member = iif($isListing, max(index_member, excluded.index_member), ${unlessImported("index_member")}),
         listed_by = coalesce(excluded.listed_by, listed_by),
         listed_at = coalesce(excluded.listed_at, listed_at),
         delisted_at = iif($isListing OR $source = '${IMPORT}', NULL, delisted_at)`,
    ),
    any: writer.query<unknown, Bound<InstrumentKey>>(
      "SELECT 1 FROM instruments WHERE country = $country AND symbol = $symbol",
    ),
    keepListed: writer.query<unknown, Bound<InstrumentKey & SourceList>>(
      `UPDATE instruments SET listed_at = $listedAt
       WHERE country = $country AND symbol = $symbol AND listed_by = $source`,
    ),
    unnamed: writer.query<{ id: number }, Bound<SourceList>>(
      `SELECT id FROM instruments WHERE country = $country AND listed_by = $source
         AND listed_at <> $listedAt AND delisted_at IS NULL AND source <> '${IMPORT}'`,
    ),
    named: writer.query<{ count: number }, Bound<SourceList>>(
      `SELECT count(*) AS count FROM instruments WHERE country = $country AND listed_by = $source
         AND listed_at = $listedAt AND delisted_at IS NULL`,
    ),
    delist: writer.query<unknown, { id: number; delistedAt: number }>(
      "UPDATE instruments SET delisted_at = $delistedAt WHERE id = $id",
    ),
    // Updates only rows that change, because every update recomputes the company in the roll-ups. A
    // new sector clears the industry.
    classify: writer.query<
      unknown,
      Pick<Classification, "country" | "symbol" | "sector"> & { replaces: number }
    >(
      `UPDATE instruments SET industry = iif(sector IS $sector, industry, NULL), sector = $sector
       WHERE country = $country AND symbol = $symbol AND asset_type IN ('stock', 'reit')
         AND source <> '${IMPORT}' AND (sector IS NULL OR ($replaces AND sector <> $sector))`,
    ),
    setMember: writer.query<unknown, { id: number; isMember: number }>(
      "UPDATE instruments SET index_member = $isMember WHERE id = $id",
    ),
    members: writer.query<{ id: number; symbol: string; isMember: number }, { country: string }>(
      `SELECT id, symbol, index_member AS isMember FROM instruments
       WHERE country = $country AND source <> '${IMPORT}'`,
    ),
    // The index grows in segments of a few rows each, and every search reads all of them.
    mergeIndex: writer.query<unknown, []>(
      "INSERT INTO instrument_search (instrument_search) VALUES ('optimize')",
    ),
  };
}
