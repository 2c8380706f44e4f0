import type { Database } from "bun:sqlite";
import { COUNTRIES, type Country } from "#domain/country.ts";
import type { Classification } from "#domain/classification.ts";
import type { InstrumentKey } from "#domain/instrument.ts";

/** A list shorter than this share of the known members is a part, and changes nothing. */
const MIN_LIST_SHARE = 0.5;

/** The symbols of the members of an index on a day, in order. */
export interface IndexMembers {
  /** Empty if no list was known on that day. */
  readonly symbols: readonly string[];
  /** The UTC date of the first list that was stored; null if none was. */
  readonly knownFrom: string | null;
}

/** An index of a country by its symbol. */
type IndexKey = InstrumentKey;
type Bound = { country: string; index: string };

const OF_INDEX = "country = $country AND index_symbol = $index";

/** The members of indices, by the days on which they were known here. */
export class IndexMemberStore {
  readonly #on;
  readonly #first;
  readonly #open;
  readonly #begin;
  readonly #end;

  constructor(reader: Database, writer: Database) {
    this.#on = reader.query<{ symbol: string }, Bound & { day: string }>(
      `SELECT symbol FROM index_members WHERE ${OF_INDEX}
         AND known_from <= $day AND (known_until IS NULL OR known_until > $day) ORDER BY symbol`,
    );
    this.#first = reader.query<{ day: string | null }, Bound>(
      `SELECT min(known_from) AS day FROM index_members WHERE ${OF_INDEX}`,
    );
    this.#open = writer.query<{ symbol: string }, Bound>(
      `SELECT symbol FROM index_members WHERE ${OF_INDEX} AND known_until IS NULL`,
    );
    this.#begin = writer.query<unknown, Bound & { symbol: string; day: string }>(
      `INSERT INTO index_members VALUES ($country, $index, $symbol, $day, NULL)
       ON CONFLICT DO UPDATE SET known_until = NULL`,
    );
    this.#end = writer.query<unknown, Bound & { symbol: string; day: string }>(
      `UPDATE index_members SET known_until = $day
       WHERE ${OF_INDEX} AND symbol = $symbol AND known_until IS NULL`,
    );
  }

  /** The members of an index by the newest list that was known at the end of a day, YYYY-MM-DD in UTC. */
  listOn({ country, symbol: index }: IndexKey, day: string): IndexMembers {
    return {
      symbols: this.#on.all({ country, index, day }).map(({ symbol }) => symbol),
      knownFrom: this.#first.get({ country, index })?.day ?? null,
    };
  }

  /**
   * Stores lists of members that arrived on a day. Records name the members of each index in full. Call it within a
   * transaction.
   */
  put(
    records: Iterable<InstrumentKey & Pick<Classification, "memberOf"> & { indexMember: unknown }>,
    day: string,
  ): void {
    const lists = new Map<string, { country: Country; index: string; symbols: Set<string> }>();
    const add = (country: Country, index: string, symbol: string) => {
      const key = `${country} ${index}`;
      const list = lists.get(key) ?? { country, index, symbols: new Set() };
      list.symbols.add(symbol);
      lists.set(key, list);
    };
    for (const { country, symbol, indexMember, memberOf } of records) {
      if (indexMember === true) add(country, COUNTRIES[country].indexSymbol, symbol);
      if (memberOf !== undefined) add(country, memberOf, symbol);
    }
    for (const { symbols, ...key } of lists.values()) {
      const open = new Set(this.#open.all(key).map(({ symbol }) => symbol));
      if (symbols.size < open.size * MIN_LIST_SHARE) continue;
      for (const symbol of open.difference(symbols)) this.#end.run({ ...key, symbol, day });
      for (const symbol of symbols.difference(open)) this.#begin.run({ ...key, symbol, day });
    }
  }
}
