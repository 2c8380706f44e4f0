import type { Database } from "bun:sqlite";
import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import type { AssetType, Instrument, InstrumentKey } from "#domain/instrument.ts";
import { IMPORT, type Provenance } from "#domain/records.ts";
import { type InstrumentFilter, searchExpressions, type SearchIndex } from "./instrument-search.ts";

/** An instrument as stored: with its row's id and where it came from. */
export type StoredInstrument = Instrument & Provenance & { readonly id: number };

/** A company among the largest of its country. */
export interface LargeCompany {
  readonly symbol: string;
  /** In its currency; null where neither its shares with a price nor a quote tell it. */
  readonly marketCap: number | null;
}

/** The last instrument of a page: how well it matches, best 0, and its id. */
export interface SearchPosition {
  readonly rank: number;
  readonly id: number;
}

/** That something of the instrument with that id was stored; numbers rise with every change. */
export interface Change {
  readonly number: number;
  readonly id: number;
  readonly country: Country;
}

interface Row {
  id: number;
  country: Country;
  symbol: string;
  name: string;
  assetType: AssetType;
  exchange: string | null;
  currency: string;
  sector: string | null;
  industry: string | null;
  sharesOutstanding: number | null;
  employees: number | null;
  summary: string | null;
  aliases: string | null;
  primaryListing: number;
  indexMember: number;
  source: string;
  storedAt: number;
}

const COLUMNS = `id, country, symbol, name, asset_type AS assetType, exchange, currency, sector, industry,
  shares_outstanding AS sharesOutstanding, employees, summary, aliases, primary_listing AS primaryListing,
  index_member AS indexMember, source, stored_at AS storedAt`;

// The countries are spelled out so that the index on country and symbol serves.
const COUNTRY_LIST = COUNTRY_CODES.map((code) => `'${code}'`).join(", ");

// What becomes of a column where the instrument is known already. An imported one keeps what it has;
// null never takes the place of a value; a listing, which classes a whole market at once and coarsely,
// changes no class and ends no membership.
const IS_HELD = `(instruments.source = '${IMPORT}' AND excluded.source <> '${IMPORT}')`;
const unlessImported = (column: string) => `iif(${IS_HELD}, ${column}, excluded.${column})`;
const replaced = (column: string) => `${column} = ${unlessImported(column)}`;
const completed = (column: string) =>
  `${column} = iif(${IS_HELD}, coalesce(${column}, excluded.${column}), coalesce(excluded.${column}, ${column}))`;
const classed = (column: string) =>
  `${column} = iif($isListing OR ${IS_HELD}, coalesce(${column}, excluded.${column}), coalesce(excluded.${column}, ${column}))`;

const fromRow = ({ aliases, ...row }: Row): StoredInstrument => ({
  ...row,
  ...(aliases !== null && { aliases }),
  primaryListing: row.primaryListing === 1,
  indexMember: row.indexMember === 1,
});

/** The instruments of the market file. */
export function createInstrumentStore(reader: Database, writer: Database) {
  const find = reader.query<Row, { country: string; symbol: string }>(
    `SELECT ${COLUMNS} FROM instruments WHERE country = $country AND symbol = $symbol`,
  );
  const countries = reader.query<{ country: Country }, { symbol: string }>(
    `SELECT country FROM instruments WHERE symbol = $symbol
       AND country IN (${COUNTRY_LIST}) ORDER BY country`,
  );
  const all = reader.query<Row, { country: string | null }>(
    `SELECT ${COLUMNS} FROM instruments WHERE $country IS NULL OR country = $country ORDER BY id`,
  );
  const byId = reader.query<Row, { id: number }>(
    `SELECT ${COLUMNS} FROM instruments WHERE id = $id`,
  );
  const changed = reader.query<Change, { since: number; limit: number }>(
    `SELECT number, id, country FROM changes JOIN instruments ON id = instrument_id
     WHERE number > $since ORDER BY number LIMIT $limit`,
  );
  const symbols = reader.query<never, { country: string; shortest: number; longest: number }>(
    `SELECT symbol FROM instruments
     WHERE country = $country AND length(symbol) BETWEEN $shortest AND $longest`,
  );
  const listing = reader.query<unknown, { country: string }>(
    `SELECT 1 FROM instruments WHERE country = $country AND asset_type IN ('stock', 'reit', 'etf')
     LIMIT 1`,
  );
  const page = reader.query<Row, { match: string; after: number; limit: number }>(
    `SELECT ${COLUMNS} FROM instruments WHERE id IN (SELECT rowid FROM instrument_search
       WHERE instrument_search MATCH $match AND rowid > $after ORDER BY rowid LIMIT $limit) ORDER BY id`,
  );
  const total = reader.query<{ total: number }, { match: string }>(
    "SELECT count(*) AS total FROM instrument_search WHERE instrument_search MATCH $match",
  );
  const largest = reader.query<LargeCompany, { country: string; limit: number }>(
    `SELECT symbol, coalesce(
         shares_outstanding * coalesce(quote.body ->> 'price',
           (SELECT close FROM daily_bars WHERE instrument_id = instruments.id ORDER BY date DESC LIMIT 1)),
         quote.body ->> 'marketCap') AS marketCap
     FROM instruments LEFT JOIN documents AS quote
       ON quote.kind = 'quotes' AND quote.country = $country AND quote.key = symbol
     WHERE instruments.country = $country AND asset_type IN ('stock', 'reit') AND primary_listing
     ORDER BY marketCap DESC NULLS LAST, index_member DESC, instruments.id LIMIT $limit`,
  );
  const trigrams = reader.query<{ term: string }, { beginning: string }>(
    "SELECT term FROM instrument_trigrams WHERE term >= $beginning AND term < $beginning || char(0x10ffff)",
  );
  const beginning = reader.query<unknown, { beginning: string }>(
    `SELECT 1 FROM instruments WHERE country IN (${COUNTRY_LIST})
       AND symbol >= $beginning AND symbol < $beginning || char(0x10ffff) LIMIT 1`,
  );
  const index: SearchIndex = {
    listTrigrams: (text) => trigrams.all({ beginning: text }).map(({ term }) => term),
    hasSymbol: (text) => beginning.get({ beginning: text }) !== null,
  };
  const counts = reader.query<{ country: Country; assetType: AssetType; count: number }, []>(
    `SELECT country, asset_type AS assetType, count(*) AS count FROM instruments
     GROUP BY country, asset_type ORDER BY country, asset_type`,
  );
  const sources = reader.query<Provenance, []>(
    // In the order of the index first, so that it is read once and nothing is sorted.
    `SELECT source, min(storedAt) AS storedAt FROM (SELECT source, min(stored_at) AS storedAt
       FROM instruments GROUP BY country, asset_type, source) GROUP BY source`,
  );
  const put = writer.query(
    `INSERT INTO instruments (country, symbol, name, asset_type, exchange, currency, sector, industry,
       shares_outstanding, employees, summary, aliases, primary_listing, index_member, source, stored_at)
     VALUES ($country, $symbol, $name, $assetType, $exchange, $currency, $sector, $industry,
       $sharesOutstanding, $employees, $summary, $aliases, $primaryListing, $indexMember, $source, $storedAt)
     ON CONFLICT (country, symbol) DO UPDATE SET
       ${["name", "asset_type", "currency", "primary_listing", "source", "stored_at"].map(replaced).join(", ")},
       ${["exchange", "shares_outstanding", "employees", "summary", "aliases"].map(completed).join(", ")},
       ${["sector", "industry"].map(classed).join(", ")},
       index_member = iif($isListing, max(index_member, excluded.index_member), ${unlessImported("index_member")})`,
  );
  const optimize = writer.query(
    "INSERT INTO instrument_search (instrument_search) VALUES ('optimize')",
  );

  return {
    /** The instrument of that symbol (upper case) in that country, or null. */
    find(key: InstrumentKey): StoredInstrument | null {
      const row = find.get({ country: key.country, symbol: key.symbol });
      return row && fromRow(row);
    },
    /** The instrument with that id, or null. */
    findById(id: number): StoredInstrument | null {
      const row = byId.get({ id });
      return row && fromRow(row);
    },
    /**
     * The instruments of which a record (itself, bars, statements, quote, dividends) was stored since
     * the change of that number, at most `limit`, in the order of their latest changes. Each occurs
     * once. Since 0: all instruments.
     */
    listChanged(since: number, limit: number): Change[] {
      return changed.all({ since, limit });
    },
    /** The countries in which that symbol is known. */
    listCountries(symbol: string): Country[] {
      return countries.all({ symbol }).map((row) => row.country);
    },
    /** Every instrument, of one country or of all, in the order in which they were stored. */
    list(country: Country | null): StoredInstrument[] {
      return all.all({ country }).map(fromRow);
    },
    /** Whether any of a country's shares or funds is known: that of indices and coins is no listing. */
    hasListing: (country: Country): boolean => listing.get({ country }) !== null,
    /** The symbols of a country, in no order; all of them, or those of a length. */
    listSymbols(
      country: Country,
      { shortest, longest } = { shortest: 0, longest: Number.MAX_SAFE_INTEGER },
    ): string[] {
      // As rows of values: thousands of objects would take twice as long.
      return symbols.values({ country, shortest, longest }).map(([symbol]) => String(symbol));
    },
    /**
     * The largest companies of a country by market cap, the largest first; behind them those of
     * unknown size, members of the index first. A company counts once, by its primary listing.
     */
    listLargest: (country: Country, limit: number): LargeCompany[] =>
      largest.all({ country, limit }),
    /**
     * One page of what the filter lets through and how many there are in all: an exact symbol first,
     * then symbols and names that begin with the query, then those that hold it, each as they were
     * stored. `next` is where the next page begins, null at the end; what is stored meanwhile
     * neither shifts it nor makes it show anything twice.
     */
    search(
      filter: InstrumentFilter,
      { limit, after }: { limit: number; after: SearchPosition | null },
    ): { instruments: StoredInstrument[]; total: number; next: SearchPosition | null } {
      const { matches, ranks } = searchExpressions(filter, index);
      const found: { rank: number; row: Row }[] = [];
      for (let rank = after?.rank ?? 0; rank < ranks.length && found.length <= limit; rank++) {
        const rows = page.all({
          match: ranks[rank] ?? "",
          after: rank === after?.rank ? after.id : 0,
          limit: limit + 1 - found.length,
        });
        found.push(...rows.map((row) => ({ rank, row })));
      }
      const last = found.length > limit ? found[limit - 1] : undefined;
      return {
        instruments: found.slice(0, limit).map(({ row }) => fromRow(row)),
        total: total.get({ match: matches })?.total ?? 0,
        next: last ? { rank: last.rank, id: last.row.id } : null,
      };
    },
    /** How many instruments of each asset type each country has; none of zero. */
    countByAssetType(): { country: Country; assetType: AssetType; count: number }[] {
      return counts.all();
    },
    /** Where the instruments came from: each source once, with the oldest moment at which it gave one. */
    listSources(): Provenance[] {
      return sources.all();
    },
    /**
     * Adds these instruments, or tells more of those that are known by their symbols; returns how
     * many. `isListing` says that they are a whole market's list.
     */
    put(
      records: Iterable<Instrument>,
      provenance: Provenance,
      options: { isListing?: boolean } = {},
    ): number {
      let stored = 0;
      for (const record of records) {
        put.run({
          ...record,
          aliases: record.aliases ?? null,
          primaryListing: Number(record.primaryListing),
          indexMember: Number(record.indexMember),
          ...provenance,
          isListing: Number(options.isListing ?? false),
        });
        stored++;
      }
      // The index grows in pieces, a row or two each, and every search goes through all of them.
      if (options.isListing) optimize.run();
      return stored;
    },
  };
}
