import type { Country } from "#domain/country.ts";
import type { Arrival, FetchKey } from "#domain/fetch.ts";
import type { RecordKind } from "#domain/records.ts";
import type { Fetcher } from "#sources/fetcher.ts";
import type { MarketStore } from "#store/index.ts";
import type { LargeCompany } from "#store/instrument-statements.ts";
import { isWanted } from "./due-keys.ts";

/** What decides which records a fetcher gives. */
export type ListedFetcher = Pick<
  Fetcher,
  "kind" | "countries" | "scope" | "complements" | "assetType"
> & {
  readonly source: Pick<Fetcher["source"], "name">;
};

/** What is asked about the records of a kind. */
interface Asked {
  readonly market: MarketStore;
  readonly kind: RecordKind;
  readonly country: Country;
  /** UTC milliseconds. */
  readonly now: number;
}

/** The order in which the state of a list and of its companies become one: what is still to come is first. */
const ORDER: readonly Arrival[] = ["fetching", "waiting", "part", "given", "refused", "empty"];

/**
 * The number of consecutive failures after which a kind is paused for the companies of the country. After
 * each pause one company is tried. If it fails too, the next pause is twice as long, up to the maximum.
 */
export const FAILURES_IN_A_ROW = 4;

/** What has come of a kind, from its lists and its companies. `fetchers` are all that can be called. */
export function arrivalOf(
  asked: Asked,
  fetchers: readonly ListedFetcher[],
  companies: readonly LargeCompany[],
): Arrival {
  const serving = (scope: Fetcher["scope"], kind = asked.kind) =>
    fetchers.filter(
      (one) => one.scope === scope && one.kind === kind && one.countries.includes(asked.country),
    );
  /** Of records that are asked for by company, while no company is known. */
  const unlisted = (): Arrival => {
    const kind = "instruments";
    const listed = arrivalOfList({ ...asked, kind }, serving("country", kind));
    return listed === "given" || listed === "part" ? "waiting" : listed;
  };
  const states: Arrival[] = [];
  const lists = serving("country");
  if (lists.length > 0)
    states.push(isWanted(asked.market, listOf(asked)) ? arrivalOfList(asked, lists) : unlisted());
  const single = serving("instrument");
  if (companies.length > 0 && single.length > 0)
    states.push(arrivalOfCompanies(asked, single, companies));
  const [first, second] = states.toSorted((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));
  if (first === "given" && second === "refused") return "part";
  return first ?? unlisted();
}

const listOf = ({ kind, country }: Asked): FetchKey => ({ kind, country, symbol: null });

function arrivalOfList(asked: Asked, fetchers: readonly ListedFetcher[]): Arrival {
  const { fetches } = asked.market;
  const key = listOf(asked);
  const chain = namesOf(fetchers.filter(({ complements }) => !complements));
  const added = namesOf(fetchers.filter(({ complements }) => complements));
  const hasGiven = (source: string) => fetches.hasDelivered(source, key);
  if (chain.some(hasGiven) || (chain.length === 0 && added.some(hasGiven))) {
    const isPart = fetches
      .listLacks(key)
      .some(({ source, parts }) => parts.length > 0 || added.includes(source));
    return isPart ? "part" : "given";
  }
  // Indices and funds are no listing.
  if (asked.kind !== "instruments" && added.some(hasGiven)) return "part";
  const names = chain.length > 0 ? chain : added;
  if (names.some((source) => fetches.findLastSuccess(source, key) !== null)) return "empty";
  const hasFailed = names.some(
    (source) =>
      fetches.findError(source, key) !== null || fetches.findHealth(source).failingSince !== null,
  );
  return hasFailed || areBlocked(asked, names) ? "refused" : "waiting";
}

const namesOf = (fetchers: readonly ListedFetcher[]) => fetchers.map(({ source }) => source.name);

function arrivalOfCompanies(
  asked: Asked,
  fetchers: readonly ListedFetcher[],
  companies: readonly LargeCompany[],
): Arrival {
  const { market, kind, country } = asked;
  const last = new Map(
    market.fetches.listLast(kind, country).map(({ symbol, succeededAt }) => [symbol, succeededAt]),
  );
  // Imported prices are never fetched.
  const wanted = companies.filter(
    ({ symbol }) => last.has(symbol) || isWanted(market, { kind, country, symbol }),
  );
  const tried = wanted.filter(({ symbol }) => last.has(symbol));
  const hasSome = tried.some(({ symbol }) => last.get(symbol) !== null);
  if (tried.length === wanted.length) return hasSome || tried.length === 0 ? "given" : "refused";
  const isStopped = areBlocked(asked, namesOf(fetchers));
  if (hasSome) return isStopped ? "part" : "fetching";
  return isStopped || tried.length >= FAILURES_IN_A_ROW ? "refused" : "waiting";
}

function areBlocked({ market, now }: Asked, sources: readonly string[]): boolean {
  return sources.every((source) => market.fetches.blockedUntil(source) > now);
}
