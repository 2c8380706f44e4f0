import type { Country } from "#domain/country.ts";
import type { FetchKey } from "#domain/fetch.ts";
import { COMPUTED } from "#domain/records.ts";
import { dateOf } from "#lib/date.ts";
import type { MarketStore } from "#store/index.ts";
import { isDue } from "./freshness.ts";

/**
 * Keeps the P/E of a country's index after each session as that of the month, so that the last one of
 * a month stays as its month-end. What a source or an import gave for the month stays.
 */
export async function noteIndexPe(
  market: MarketStore,
  country: Country,
  now: number,
  computePe: () => Promise<number | null>,
): Promise<void> {
  const key: FetchKey = { kind: "indexPe", country, symbol: null };
  // Of each session, as prices are: the last session of a month is its month-end.
  if (!isDue("quotes", country, market.fetches.findLastSuccess(COMPUTED, key), now)) return;
  const month = dateOf(now).slice(0, 7);
  const known = market.documents.find("indexPe", country, month);
  const pe = known === null || known.source === COMPUTED ? await computePe() : null;
  await market.transactionWhenFree(() => {
    const records = pe === null ? [] : [{ country, month, pe }];
    market.put("indexPe", records, { source: COMPUTED, storedAt: now });
    market.fetches.recordSuccess(COMPUTED, key, now, records.length);
  });
}
