import type { Country } from "#domain/country.ts";
import type { FetchKey } from "#domain/fetch.ts";
import { COMPUTED } from "#domain/records.ts";
import { dateOf } from "#lib/date.ts";
import type { MarketStore } from "#store/index.ts";
import type { MarketWriter } from "./changes.ts";
import { isDue } from "./freshness.ts";

/**
 * Stores the P/E of a country's index after each session as the value of the month, so that the last
 * one is the month-end value. It does not replace values of a source or an import.
 */
export async function storeIndexPe(
  { market, writer }: { market: MarketStore; writer: MarketWriter },
  country: Country,
  now: number,
  computePe: () => Promise<number | null>,
): Promise<void> {
  const key: FetchKey = { kind: "indexPe", country, symbol: null };
  const overrides = market.documents.list("holidayOverrides", country);
  // Due after each session, as bars are: the last session of a month is its month-end.
  const fetchedAt = market.fetches.findLastSuccess(COMPUTED, key);
  if (!isDue("bars", country, fetchedAt, now, { overrides })) return;
  const month = dateOf(now).slice(0, 7);
  const known = market.documents.find("indexPe", country, month);
  const pe = known === null || known.source === COMPUTED ? await computePe() : null;
  await writer.write({
    type: "answer",
    ...key,
    kind: "indexPe",
    source: COMPUTED,
    at: now,
    blockedUntil: null,
    isWhole: false,
    isComplete: true,
    covered: null,
    leftOut: 0,
    reason: null,
    rejectedSymbols: [],
    records: pe === null ? [] : [{ country, month, pe }],
  });
}
