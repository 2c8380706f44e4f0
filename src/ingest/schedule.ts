import { COUNTRY_CODES } from "#domain/country.ts";
import type { RecordKind } from "#domain/records.ts";
import type { Log } from "#lib/log.ts";
import type { FetchKey } from "#store/fetches.ts";
import type { Refresher } from "./refresh.ts";

/** What is fetched for whole countries without being asked, each before what builds on it. */
const BROAD: readonly RecordKind[] = [
  "instruments",
  "quotes",
  "macroSeries",
  "macroForecasts",
  "calendarEvents",
  "indexPe",
  "earningsDates",
];

/** Everything broad, country by country. */
export function broadKeys(): FetchKey[] {
  return COUNTRY_CODES.flatMap((country) => BROAD.map((kind) => ({ kind, country, symbol: null })));
}

/**
 * Brings everything broad that is due, one after the other. Returns when all of it was tried or
 * `stopped` says so.
 */
export async function refreshBroad(
  refresher: Refresher,
  log: Log,
  stopped: () => boolean,
): Promise<void> {
  for (const key of broadKeys()) {
    if (stopped()) return;
    if (!refresher.isDue(key)) continue;
    const { source, records } = await refresher.refresh(key);
    if (source !== null)
      log.info("refreshed", { kind: key.kind, country: key.country, source, records });
  }
}
