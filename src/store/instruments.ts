import type { Database } from "bun:sqlite";
import type { Classification } from "#domain/classification.ts";
import { type Country, priceDateOf } from "#domain/country.ts";
import type { AssetType, Instrument, InstrumentKey } from "#domain/instrument.ts";
import type { Provenance } from "#domain/records.ts";
import { inNewShares } from "#domain/split-adjustment.ts";
import { nextTurn } from "#lib/next-turn.ts";
import type { KnownDay } from "./known-day.ts";
import type { StoredSplits } from "./stored-splits.ts";
import {
  anyOrderExpression,
  foldedQuery,
  type InstrumentFilter,
  searchExpressions,
  type SearchIndex,
  similarExpression,
  startsExpression,
  trigramsOf,
} from "./instrument-search.ts";

import {
  type Change,
  type InstrumentRow,
  type LargeCompany,
  listedOn,
  type NamedInstrument,
  prepareLookups,
  prepareSearch,
  prepareStatistics,
  prepareWrites,
  type RankedCompany,
  type SourceList,
  type SymbolBounds,
} from "./instrument-statements.ts";

/** An instrument as stored, with its row id and its source. */
export type StoredInstrument = Instrument &
  Provenance & {
    readonly id: number;
    /** When its source's list no longer had it, UTC milliseconds; absent while it is listed. */
    readonly delistedAt?: number;
  };

/** The last instrument of a page: the rank of its match (0 is best) and its id. */
export interface SearchPosition {
  readonly rank: number;
  readonly id: number;
}

interface RankedRow {
  readonly rank: number;
  readonly row: InstrumentRow;
}

const fromRow = (
  { aliases, delistedAt, sharesAsOf, segment, localSector, shareKind, ...row }: InstrumentRow,
  splits: StoredSplits,
): StoredInstrument => ({
  ...row,
  ...(sharesAsOf !== null && {
    sharesOutstanding: inNewShares(row.sharesOutstanding, splits.ratiosOf(row).shares(sharesAsOf)),
  }),
  ...(delistedAt !== null && { delistedAt }),
  ...(aliases !== null && { aliases }),
  ...(segment !== null && { segment }),
  ...(localSector !== null && { localSector }),
  ...(shareKind !== null && { shareKind }),
  primaryListing: row.primaryListing === 1,
  indexMember: row.indexMember === 1,
});

/**
 * The row on a past day. A later number of shares is unknown, and a later delisting too. A profile names no day, so it
 * is known from the moment it was stored.
 */
const rewound = (row: InstrumentRow, { day, endsAt }: KnownDay): InstrumentRow => ({
  ...row,
  ...((row.sharesAsOf ?? "") > day && { sharesOutstanding: null, sharesAsOf: null }),
  ...((row.delistedAt ?? 0) > endsAt && { delistedAt: null }),
  ...(row.storedAt > endsAt && { employees: null, summary: null }),
});

/** The number of names that are compared with a query without a match. */
const SIMILAR_CANDIDATES = 50;
/** The number of instruments whose aliases are looked for in a query. */
const CONTAINED_CANDIDATES = 200;

/** Companies whose market cap is read in one turn of the event loop. */
const COMPANIES_PER_TURN = 1_000;

/** The instruments of the market file, with today's number of shares. */
export class InstrumentStore {
  readonly #splits: StoredSplits;
  readonly #lookups: ReturnType<typeof prepareLookups>;
  readonly #statistics: ReturnType<typeof prepareStatistics>;
  readonly #search: ReturnType<typeof prepareSearch>;
  readonly #writes: ReturnType<typeof prepareWrites>;
  readonly #searchIndex: SearchIndex = {
    listTrigrams: (beginning) => this.#search.trigrams.all({ beginning }).map(({ term }) => term),
    hasSymbol: (beginning) => this.#search.beginning.get({ beginning }) !== null,
  };

  readonly #known: KnownDay | null;

  /** `known`: instruments are read as known on that day; null for today. */
  constructor(
    reader: Database,
    writer: Database,
    splits: StoredSplits,
    known: KnownDay | null = null,
  ) {
    this.#splits = splits;
    this.#known = known;
    const listed = known === null ? undefined : listedOn(known);
    this.#lookups = prepareLookups(reader, listed);
    this.#statistics = prepareStatistics(reader, listed);
    this.#search = prepareSearch(reader, listed);
    this.#writes = prepareWrites(writer);
  }

  #fromRow(row: InstrumentRow): StoredInstrument {
    return fromRow(this.#known === null ? row : rewound(row, this.#known), this.#splits);
  }

  /** The instrument of that symbol (upper case) in that country, delisted or not, or null. */
  find({ country, symbol }: InstrumentKey): StoredInstrument | null {
    const row = this.#lookups.bySymbol.get({ country, symbol });
    return row && this.#fromRow(row);
  }

  /** The instrument with that id, delisted or not, or null. */
  findById(id: number): StoredInstrument | null {
    const row = this.#lookups.byId.get({ id });
    return row && this.#fromRow(row);
  }

  /**
   * The instruments with a record (itself, bars, statements, quote, dividends) that was stored or
   * removed after the change of that number, removed instruments too; at most `limit`, in the order of
   * their latest changes, each once. After 0: all instruments.
   */
  listChanged(since: number, limit: number): Change[] {
    return this.#lookups.changed.all({ since, limit });
  }

  /** The number of the newest change; 0 before the first. */
  lastChange(): number {
    return this.#lookups.lastChange.get()?.number ?? 0;
  }

  /** Every instrument of a country, delisted or not, by symbol. */
  listAll(country: Country): StoredInstrument[] {
    return this.#lookups.ofCountry.all({ country }).map((row) => this.#fromRow(row));
  }

  /** The names of the listed instruments of a country; unordered. */
  listNames(country: Country): NamedInstrument[] {
    return this.#lookups.names.all({ country });
  }

  /**
   * False for an instrument without stored records until the past day of this market: it was listed later, or its
   * records are not fetched yet. True on today's market.
   */
  wasListed({ id }: Pick<StoredInstrument, "id">): boolean {
    return this.#known === null || this.#lookups.listed.get({ id }) !== null;
  }

  /** The countries that have that symbol. */
  listCountries(symbol: string): Country[] {
    return this.#lookups.countries.all({ symbol }).map((row) => row.country);
  }

  /** True if any share or fund of the country is known. Indices and coins do not count. */
  hasListing(country: Country): boolean {
    return this.#lookups.anyListing.get({ country }) !== null;
  }

  /** The listed symbols of a country, or only those within these bounds; unordered. */
  listSymbols(country: Country, bounds?: SymbolBounds): string[] {
    const { symbols, boundedSymbols } = this.#lookups;
    // Rows of values: thousands of objects would take twice as long.
    const rows = bounds
      ? boundedSymbols.values({ country, ...bounds })
      : symbols.values({ country });
    return rows.map(([symbol]) => String(symbol));
  }

  /**
   * Reads the largest listed companies of a country by market cap, largest first, then companies of
   * unknown size, members of the index first. A company counts once, by its primary listing.
   */
  async listLargest(country: Country, limit: number): Promise<LargeCompany[]> {
    const companies: RankedCompany[] = [];
    for (let after = 0; ; await nextTurn()) {
      const page = this.#statistics.companies.all({ country, after, limit: COMPANIES_PER_TURN });
      const last = page.at(-1);
      if (!last) break;
      companies.push(...page);
      after = last.id;
    }
    return companies
      .toSorted(
        (a, b) => (b.marketCap ?? -1) - (a.marketCap ?? -1) || b.indexMember - a.indexMember,
      )
      .slice(0, limit)
      .map(({ symbol, marketCap, sector }) => ({ symbol, marketCap, sector }));
  }

  /**
   * One page of the listed instruments that pass the filter, and their total number. Order: an exact
   * symbol, an exact name, symbols that start with the query, names that start with it, then those that contain it,
   * each in the order in which they were stored. If no instrument contains the query, the page has those
   * that contain its words in any order. `ranks` has the rank of each instrument of the page, from 0 for an
   * exact symbol. `next` is the position of the next page, null at the end. Instruments that are stored
   * between two calls neither shift nor repeat a result.
   */
  search(
    filter: InstrumentFilter,
    { limit, after }: { limit: number; after: SearchPosition | null },
  ): {
    instruments: StoredInstrument[];
    ranks: number[];
    total: number;
    next: SearchPosition | null;
  } {
    const { found, match } = this.#find(filter, limit + 1, after);
    const last = found.length > limit ? found[limit - 1] : undefined;
    const isComplete = after === null && !last;
    return {
      instruments: found.slice(0, limit).map(({ row }) => this.#fromRow(row)),
      ranks: found.slice(0, limit).map(({ rank }) => rank),
      total: isComplete ? found.length : this.#count(match),
      next: last ? { rank: last.rank, id: last.row.id } : null,
    };
  }

  /** The first `limit` results of a search with their ranks, without their total number. */
  listBest(
    filter: InstrumentFilter,
    limit: number,
  ): { instruments: StoredInstrument[]; ranks: number[] } {
    const { found } = this.#find(filter, limit, null);
    return {
      instruments: found.map(({ row }) => this.#fromRow(row)),
      ranks: found.map(({ rank }) => rank),
    };
  }

  /** At most `limit` results after a position, and the expression that matches all of them. */
  #find(
    filter: InstrumentFilter,
    limit: number,
    after: SearchPosition | null,
  ): { found: RankedRow[]; match: string } {
    const { matches, ranks } = searchExpressions(filter, this.#searchIndex);
    const found = this.#listRanked(ranks, limit, after);
    if (found.length > 0) return { found, match: matches };
    // Later pages of a search of words in any order find nothing as written, or the end of the list.
    const words = anyOrderExpression(filter);
    if (words === null || (after !== null && this.#count(matches) > 0)) {
      return { found, match: matches };
    }
    return { found: this.#listRanked([words], limit, after), match: words };
  }

  #listRanked(ranks: readonly string[], limit: number, after: SearchPosition | null): RankedRow[] {
    const found: RankedRow[] = [];
    for (let rank = after?.rank ?? 0; rank < ranks.length && found.length < limit; rank++) {
      const rows = this.#search.page.all({
        match: ranks[rank] ?? "",
        after: rank === after?.rank ? after.id : 0,
        limit: limit - found.length,
      });
      found.push(...rows.map((row) => ({ rank, row })));
    }
    return found;
  }

  #count(match: string): number {
    return this.#search.total.get({ match })?.total ?? 0;
  }

  /** The expression that matches all results of a search, and their number. */
  #findMatches(filter: InstrumentFilter): { matches: string; total: number } {
    const { matches } = searchExpressions(filter, this.#searchIndex);
    const total = this.#count(matches);
    const words = total === 0 ? anyOrderExpression(filter) : null;
    return words === null ? { matches, total } : { matches: words, total: this.#count(words) };
  }

  /** The market caps of these instruments in their currencies; null if unknown. */
  listMarketCaps(ids: readonly number[]): Map<number, number | null> {
    const rows = this.#search.sizes.all({ ids: JSON.stringify(ids) });
    return new Map(rows.map(({ id, size }) => [id, size]));
  }

  /** One page of the listed instruments that pass the filter, in the order of their names, and their total number. */
  listByName(
    filter: InstrumentFilter,
    { limit, offset }: { limit: number; offset: number },
  ): { instruments: StoredInstrument[]; total: number } {
    const { matches, total } = this.#findMatches(filter);
    const rows = this.#search.byName.all({ match: matches, limit, offset });
    return { instruments: rows.map((row) => this.#fromRow(row)), total };
  }

  /** The ids of all listed instruments that pass the filter, unordered. */
  listIds(filter: InstrumentFilter): number[] {
    const { matches } = this.#findMatches(filter);
    return this.#search.ids.values({ match: matches }).map(([id]) => Number(id));
  }

  /**
   * The listed instruments that pass the other filters and have a name or an alias that is similar to the
   * query, most similar first, at most `limit`. A similar name has at least half of the query's trigrams.
   */
  listSimilar(filter: InstrumentFilter, limit: number): StoredInstrument[] {
    const match = similarExpression(filter);
    if (match === null) return [];
    const wanted = new Set(trigramsOf(` ${filter.query} `));
    const similarity = ({ name, aliases }: InstrumentRow) => {
      const texts = [name, ...(aliases?.split("|") ?? [])];
      return Math.max(...texts.map((text) => share(wanted, trigramsOf(` ${text} `))));
    };
    return this.#search.similar
      .all({ match, limit: SIMILAR_CANDIDATES })
      .map((row) => ({ row, similarity: similarity(row) }))
      .filter((candidate) => candidate.similarity >= 0.5)
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, limit)
      .map(({ row }) => this.#fromRow(row));
  }

  /** The listed instrument that passes the other filters with the longest alias that the query contains; or null. */
  findContained(filter: InstrumentFilter): StoredInstrument | null {
    const match = startsExpression(filter);
    if (match === null) return null;
    const query = ` ${foldedQuery(filter.query ?? "")} `;
    const lengthIn = ({ aliases }: InstrumentRow) =>
      Math.max(
        0,
        ...(aliases?.split("|") ?? []).map((alias) => {
          const text = foldedQuery(alias);
          // A word of Latin letters must stand alone.
          const isContained = query.includes(/^\p{Script=Latin}/u.test(text) ? ` ${text} ` : text);
          return isContained && text.length > 1 ? text.length : 0;
        }),
      );
    const [longest] = this.#search.similar
      .all({ match, limit: CONTAINED_CANDIDATES })
      .map((row) => ({ row, length: lengthIn(row) }))
      .filter(({ length }) => length > 0)
      .sort((a, b) => b.length - a.length);
    return longest ? this.#fromRow(longest.row) : null;
  }

  /** How many listed instruments of each asset type each country has; a type without any is absent. */
  countByAssetType(): { country: Country; assetType: AssetType; count: number }[] {
    return this.#statistics.counts.all();
  }

  /** The sources of the listed instruments, each with the time of its oldest record. */
  listSources(): Provenance[] {
    return this.#statistics.sources.all();
  }

  /** The number of listed instruments of the country that were last listed by that source. */
  countListedBy(source: string, country: Country): number {
    return this.#statistics.listedBy.get({ source, country })?.count ?? 0;
  }

  /**
   * Adds these instruments and updates those whose symbols are known; returns how many. `isListing`:
   * they are a source's list of a whole market and count as listed by that source. Both a list and an
   * import end a delisting.
   */
  put(
    records: Iterable<Instrument>,
    provenance: Provenance,
    { isListing = false }: { isListing?: boolean } = {},
  ): number {
    let stored = 0;
    for (const record of records) {
      this.#writes.put.run({
        ...record,
        sharesAsOf: priceDateOf(record.country, provenance.storedAt),
        aliases: record.aliases ?? null,
        segment: record.segment ?? null,
        localSector: record.localSector ?? null,
        shareKind: record.shareKind ?? null,
        primaryListing: Number(record.primaryListing),
        indexMember: Number(record.indexMember),
        ...provenance,
        isListing: Number(isListing),
      });
      stored++;
    }
    if (isListing) this.#writes.mergeIndex.run();
    return stored;
  }

  /**
   * Sets the sectors of listed companies. If the records name index members, all other companies of
   * the country are no members. Imported instruments stay unchanged. Returns the number of records.
   */
  classify(records: Iterable<Classification>): number {
    const members = new Map<Country, Set<string>>();
    let count = 0;
    for (const record of records) {
      const { country, symbol, sector, replaces, indexMember } = record;
      if (sector !== null)
        this.#writes.classify.run({ country, symbol, sector, replaces: Number(replaces) });
      if (indexMember) members.set(country, (members.get(country) ?? new Set()).add(symbol));
      count++;
    }
    for (const [country, symbols] of members) {
      const changed = this.#writes.members
        .all({ country })
        .filter(({ symbol, isMember }) => symbols.has(symbol) !== (isMember === 1));
      for (const { id, isMember } of changed)
        this.#writes.setMember.run({ id, isMember: 1 - isMember });
    }
    return count;
  }

  /** Keeps an instrument listed whose record in the source's list was rejected. */
  keepListed(symbol: string, list: SourceList): void {
    this.#writes.keepListed.run({ symbol, ...list });
  }

  /** True if the instrument is stored, or was put earlier in the running transaction. */
  has({ country, symbol }: InstrumentKey): boolean {
    return this.#writes.any.get({ country, symbol }) !== null;
  }

  /** The number of instruments in that list; to be called within its transaction. */
  countNamed(list: SourceList): number {
    return this.#writes.named.get({ ...list })?.count ?? 0;
  }

  /**
   * Marks instruments as delisted that an earlier list of the source had and this list does not;
   * returns how many. Imported instruments stay listed.
   */
  delistMissing(list: SourceList): number {
    const missing = this.#writes.unnamed.all({ ...list });
    for (const { id } of missing) this.#writes.delist.run({ id, delistedAt: list.listedAt });
    return missing.length;
  }
}

/** The share of the wanted trigrams that a text has, 0 to 1, minus a little for the length of the text. */
function share(wanted: ReadonlySet<string>, trigrams: readonly string[]): number {
  const common = new Set(trigrams).intersection(wanted).size;
  return common / wanted.size - trigrams.length / 1e5;
}
