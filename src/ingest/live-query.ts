import type { Country } from "#domain/country.ts";
import type { FetchKey } from "#domain/fetch.ts";
import type { Instrument, InstrumentKey } from "#domain/instrument.ts";
import type { RecordKind } from "#domain/records.ts";
import { addDays, dateOf, daysBetween } from "#lib/date.ts";
import type { LiveQuery } from "#sources/fetcher.ts";
import type { MarketStore } from "#store/index.ts";
import { isDue } from "./freshness.ts";

/** The whole history is requested again if the newest stored bar is older than four weeks. */
const WHOLE_AFTER_DAYS = 28;

/** Sources adjust the bars around a split's date up to five sessions early or late. */
const DAYS_AROUND_SPLIT = 7;

/** The companies of a list, the largest first. Closes are needed only without bars, and once a week. */
export async function listCompanies(
  market: MarketStore,
  kind: RecordKind,
  country: Country,
  now: number,
): Promise<Pick<Instrument, "symbol">[]> {
  const companies = await market.instruments.listLargest(country, Infinity);
  if (kind !== "recentCloses") return companies;
  const known = new Set<string>();
  for (const { symbol, succeededAt } of market.fetches.listLast("bars", country))
    if (succeededAt !== null) known.add(symbol);
  for (const { key, storedAt } of market.documents.listAges(kind, country))
    if (!isDue(kind, country, storedAt, now)) known.add(key);
  return companies.filter(({ symbol }) => !known.has(symbol));
}

/** The query of a fetcher, with the stored records that it needs. */
export function queryFor(
  market: MarketStore,
  source: string,
  { kind, country, symbol }: FetchKey,
  now: number,
): LiveQuery {
  const stored = symbol === null ? null : market.instruments.find({ country, symbol });
  const of = {
    now,
    country,
    holidayOverrides: market.documents.list("holidayOverrides", country),
    splitsOf: (one: string) => market.documents.find("splits", country, one)?.splits ?? null,
    filingsOf(one: string) {
      const isListed =
        market.fetches.findLastSuccess(source, { kind: "filings", country, symbol: null }) !== null;
      return isListed ? (market.documents.find("filings", country, one)?.filings ?? []) : null;
    },
  };
  if (kind === "filings") return { ...of, instrument: null, after: newestFiling(market, country) };
  if (!stored) return { ...of, instrument: null, after: null };
  const { id, source: _, storedAt: __, ...instrument } = stored;
  if (kind !== "bars") return { ...of, instrument, after: null };
  // A source only continues its own bars; another source may adjust them differently.
  const isOwn = market.bars.findProvenance(id)?.source === source;
  const newest = isOwn ? market.bars.listNewest(id, 1)[0]?.date : undefined;
  // Bars may be old because newer ones were refused. The whole history shows which are right.
  const isOld = newest !== undefined && newest < addDays(dateOf(now), -WHOLE_AFTER_DAYS);
  const isWhole = newest === undefined || isOld || lacksBarsBeforeSplit(market, stored);
  const after = isWhole ? null : newest;
  const storedBars = () => market.bars.listNewest(id, Number.MAX_SAFE_INTEGER).reverse();
  return { ...of, instrument, after, storedBars };
}

/** The day of the newest stored report; null if none is stored. */
function newestFiling(market: MarketStore, country: Country): string | null {
  const stored = market.documents.list("filings", country);
  const days = stored.flatMap(({ filings }) => filings.at(-1)?.filedOn ?? []);
  return days.length === 0 ? null : days.reduce((a, b) => (a > b ? a : b));
}

/**
 * True if the stored bars begin at a split that became known after they were stored. Older bars were then left out,
 * because the two levels of prices could not both be right.
 */
function lacksBarsBeforeSplit(
  market: MarketStore,
  { id, country, symbol }: InstrumentKey & { readonly id: number },
): boolean {
  const bars = market.bars.findProvenance(id);
  const known = market.documents.find("splits", country, symbol);
  if (!bars || !known || known.storedAt <= bars.storedAt) return false;
  const first = market.bars.findOnOrAfter(id, "0000-01-01")?.date;
  const isNear = (date: string, exDate: string) =>
    Math.abs(daysBetween(date, exDate)) <= DAYS_AROUND_SPLIT;
  return first !== undefined && known.splits.some(({ exDate }) => isNear(first, exDate));
}
