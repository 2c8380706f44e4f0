import type { Country } from "#domain/country.ts";
import { addDays } from "#lib/date.ts";
import type { DateSpan } from "#sources/fetcher.ts";
import type { MarketStore } from "#store/index.ts";
import type { CheckedBatch } from "./batch.ts";

/** How long past events are stored. The calendar shows events of today and later only. */
const KEEP_PAST_DAYS = 60;

/**
 * Removes events that a stored answer makes obsolete: events that its source gave earlier for the
 * dates that the answer covers and that it no longer has, and past events. Call it within a
 * transaction.
 */
export function removeObsoleteEvents(
  market: MarketStore,
  { records, leftOut }: CheckedBatch<"calendarEvents">,
  answer: { country: Country; source: string; today: string; covered: DateSpan | null },
): void {
  const { country, source, today, covered } = answer;
  // If an event was left out as bad, its id is unknown and it must not be removed.
  if (covered && leftOut === 0) {
    const ids = new Set(records.map(({ id }) => id));
    market.calendar.removeMissing({ country, source, ...covered }, ids);
  }
  market.calendar.prune(country, addDays(today, -KEEP_PAST_DAYS));
}
