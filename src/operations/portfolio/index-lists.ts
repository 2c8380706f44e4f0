import type { Country } from "#domain/country.ts";
import { BourseError, isUnavailable, notFound } from "#domain/errors.ts";
import type { InstrumentKey } from "#domain/instrument.ts";
import { listReferenceInstruments } from "#domain/reference-instruments.ts";
import type {
  NamedKind,
  OwnDocuments,
  StoredDocument,
  UserDocuments,
} from "#domain/user-documents.ts";
import { slugOf, type UserList } from "#domain/user-list.ts";
import { lazy } from "#lib/lazy.ts";
import { findSuccessor } from "#operations/reading/symbol-meaning.ts";
import type { MarketStore } from "#store/index.ts";

/** The members of an index in the form of a list of a user. */
interface IndexList extends UserList {
  /** What the list is: `S&P 500, members known since 2026-11-29`. */
  readonly about: string;
}

/** An index with its name. */
type Index = InstrumentKey & { readonly name: string };

const lettersOf = (text: string) => slugOf(text).replaceAll("-", "");

/** The indices by the letters of their symbols, names and aliases. */
const indices = lazy((): ReadonlyMap<string, Index> => {
  const all = listReferenceInstruments().filter(({ assetType }) => assetType === "index");
  return new Map(
    all.flatMap(({ country, symbol, name, aliases }) =>
      [symbol, name, ...(aliases?.split("|") ?? [])].flatMap((text): [string, Index][] =>
        isLatin(text) ? [[lettersOf(text), { country, symbol, name }]] : [],
      ),
    ),
  );
});

const isLatin = (text: string) => /^[\p{Script=Latin}\p{M}\d\s^&.-]+$/u.test(text);

/**
 * The members of an index on a day, by its symbol, its name or another name of it, with the first day from which they are
 * known; null for another name.
 *
 * @param day YYYY-MM-DD in UTC
 * @throws BourseError `not_found` for an index whose members were not known on that day
 */
export function findIndexList(market: MarketStore, name: string, day: string): IndexList | null {
  const index = indices().get(lettersOf(name));
  if (!index) return null;
  const { country } = index;
  const { symbols, knownFrom } = market.indexMembers.listOn(index, day);
  if (knownFrom === null || symbols.length === 0) {
    const when = knownFrom === null ? "not known" : `known here since ${knownFrom}, not on ${day}`;
    throw notFound(`The members of the index ${index.name} are ${when}.`, {
      hint: "screen_stocks has the largest companies of a country.",
    });
  }
  return {
    name,
    items: [...new Set(symbols.map((one) => listedNow(market, country, one)))].map((symbol) => ({
      country,
      symbol,
    })),
    about: `${index.name}, members known since ${knownFrom}`,
  };
}

/** The symbol that a member has today: META for FB, which it was when it was listed. */
function listedNow(market: MarketStore, country: Country, symbol: string): string {
  const found = market.instruments.find({ country, symbol });
  if (found && found.delistedAt === undefined) return symbol;
  return findSuccessor(market, symbol, country)?.instrument.symbol ?? symbol;
}

/** The lists of a caller, and the members of indices under the names that the caller has no list of. */
export class IndexLists implements OwnDocuments {
  readonly #own: () => OwnDocuments;
  readonly #market: MarketStore;
  readonly #day: string;

  /**
   * @param own throws BourseError for a call without a user, and for a token that reads no lists
   * @param day of the members
   */
  constructor(own: () => OwnDocuments, market: MarketStore, day: string) {
    this.#own = own;
    this.#market = market;
    this.#day = day;
  }

  list(kind: NamedKind): ReturnType<OwnDocuments["list"]> {
    return this.#own().list(kind);
  }

  async get<K extends NamedKind>(kind: K, name: string): Promise<StoredDocument<UserDocuments[K]>> {
    try {
      return await this.#own().get(kind, name);
    } catch (thrown) {
      // A list that cannot be read now may have the name.
      const isAbsent = thrown instanceof BourseError && !isUnavailable(thrown);
      const members =
        isAbsent && kind === "list" ? findIndexList(this.#market, name, this.#day) : null;
      if (members === null) throw thrown;
      const value = members as unknown as UserDocuments[K];
      return { value, changedAt: Date.parse(this.#day) };
    }
  }

  save: OwnDocuments["save"] = (...args) => this.#own().save(...args);
  replace: OwnDocuments["replace"] = (...args) => this.#own().replace(...args);
  remove: OwnDocuments["remove"] = (...args) => this.#own().remove(...args);
}
