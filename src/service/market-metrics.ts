import { lastCompletedSession } from "#analytics/sessions.ts";
import type { Config } from "#config.ts";
import { type Country, COUNTRY_CODES } from "#domain/country.ts";
import { type RecordKind, RECORDS } from "#domain/records.ts";
import type { Sample } from "#lib/metrics.ts";
import { nextTurn } from "#lib/next-turn.ts";
import type { CompanyRollups } from "#rollups/company-rollups.ts";
import type { MarketStore } from "#store/index.ts";
import type { SamplesOf } from "./metric-list.ts";
import { readProgress } from "./state.ts";

/** What the metrics of the market read. */
export interface MarketMetricsParts {
  readonly config: Config;
  readonly market: MarketStore;
  readonly rollups: Pick<CompanyRollups, "get" | "areComplete">;
}

/** The samples of the metrics of the market. */
export type MarketSamples = SamplesOf<
  | "bourse_newest_close_timestamp_seconds"
  | "bourse_completed_session_timestamp_seconds"
  | "bourse_newest_record_timestamp_seconds"
  | "bourse_scheduled_fetches"
  | "bourse_overdue_fetches"
>;

/** The kinds of records with closes. */
const PRICES: readonly string[] = ["bars", "quotes"] satisfies RecordKind[];

/** How old the stored market is: its sessions, records and what the schedule has not fetched yet. */
export async function readMarketMetrics(
  { config, market, rollups }: MarketMetricsParts,
  now: number,
): Promise<MarketSamples> {
  const newest = await listNewest(market);
  const progress = config.market === "live" ? await readProgress({ config, market }, now) : [];
  await nextTurn();
  const sampleOf = (count: (one: (typeof progress)[number]) => number) =>
    progress.map((one) => ({
      labels: { kind: one.kind, country: one.country },
      value: count(one),
    }));
  // Prices that were only imported have no schedule, so no session is missing.
  const isKept = (of: Country) =>
    config.market === "sample" ||
    progress.some(({ kind, country }) => country === of && PRICES.includes(kind));
  const ofCountries = (dateOf: (country: Country) => string | null) =>
    COUNTRY_CODES.flatMap((country) => {
      const date = dateOf(country);
      return date === null ? [] : { labels: { country }, value: Date.parse(date) / 1000 };
    });
  return {
    bourse_newest_close_timestamp_seconds: ofCountries((country) =>
      rollups.areComplete ? rollups.get(country).session : null,
    ),
    bourse_completed_session_timestamp_seconds: ofCountries((country) =>
      isKept(country)
        ? lastCompletedSession(country, now, market.documents.list("holidayOverrides", country))
        : null,
    ),
    bourse_newest_record_timestamp_seconds: newest,
    bourse_scheduled_fetches: sampleOf(({ total }) => total),
    bourse_overdue_fetches: sampleOf(({ done, total }) => total - done),
  };
}

async function listNewest(market: MarketStore): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (const kind of Object.keys(RECORDS) as RecordKind[]) {
    for (const country of COUNTRY_CODES) {
      const succeededAt = market.fetches.findNewest(kind, country);
      if (succeededAt !== null)
        samples.push({ labels: { kind, country }, value: succeededAt / 1000 });
      await nextTurn();
    }
  }
  return samples;
}
