import { type Metric, type MetricName, METRICS } from "#analytics/metrics.ts";
import { percentileOf } from "#analytics/valuation-history.ts";
import { COUNTRIES } from "#domain/country.ts";
import type { Instrument } from "#domain/instrument.ts";
import { nextTurn } from "#lib/next-turn.ts";
import { round2 } from "#panels/format.ts";
import type { CompanyMetrics } from "#rollups/companies.ts";
import type { CompanyRollups } from "#rollups/company-rollups.ts";
import { ConvertedCompanies } from "#rollups/converted-companies.ts";
import type { MarketStore } from "#store/index.ts";

/** With fewer companies that have a value, a rank is null, as a median. */
const MIN_COMPANIES = 5;
/** Own history takes some 2 ms for each company, figures of prices in another currency some 0.3 ms. */
const COMPANIES_PER_SLICE = 5;

/** Does work on each item, in slices between other work of the event loop. */
export async function inSlices<T>(items: readonly T[], work: (item: T) => void): Promise<void> {
  for (let start = 0; start < items.length; start += COMPANIES_PER_SLICE) {
    if (start > 0) await nextTurn();
    for (const item of items.slice(start, start + COMPANIES_PER_SLICE)) work(item);
  }
}

/** True for a metric whose values are ranked: a date or a fiscal quarter is not. */
export function isRanked(name: MetricName): boolean {
  const { unit }: Metric = METRICS[name];
  return unit !== "calendar date" && unit !== "fiscal quarter";
}

type Listing = Pick<Instrument, "country" | "sector">;

/** Ranks the metrics of companies in their sector and country. */
export class MetricRanks {
  readonly #market: MarketStore;
  readonly #rollups: Pick<CompanyRollups, "get">;
  readonly #figures = new Map<string, ConvertedCompanies>();
  readonly #values = new Map<string, readonly number[]>();

  constructor(market: MarketStore, rollups: Pick<CompanyRollups, "get">) {
    this.#market = market;
    this.#rollups = rollups;
  }

  /** The primary listings of a sector in its country; empty without a sector. */
  peersOf({ country, sector }: Listing): readonly CompanyMetrics[] {
    return sector === null ? [] : (this.#rollups.get(country).bySector.get(sector) ?? []);
  }

  /**
   * The percentile of a company's metric among its peers (see `percentileOf`), itself included; null without a value or
   * below 5 peers with one.
   */
  find(name: MetricName, { instrument }: CompanyMetrics): number | null {
    const own = this.#rollups.get(instrument.country).bySymbol.get(instrument.symbol);
    const value = own ? this.#read(name, own) : null;
    const values = this.#valuesOf(name, instrument);
    if (value === null || values.length < MIN_COMPANIES) return null;
    return round2(percentileOf(values, value));
  }

  #valuesOf(name: MetricName, listing: Listing): readonly number[] {
    const key = `${name} ${listing.country} ${listing.sector}`;
    const known = this.#values.get(key);
    if (known) return known;
    const values = this.peersOf(listing).flatMap((one) => this.#read(name, one) ?? []);
    this.#values.set(key, values);
    return values;
  }

  /** In the currency of the country, in which amounts of all peers can be compared. */
  #read(name: MetricName, company: CompanyMetrics): number | null {
    const { currency } = COUNTRIES[company.instrument.country];
    let figures = this.#figures.get(currency);
    if (!figures)
      this.#figures.set(currency, (figures = new ConvertedCompanies(this.#market, currency)));
    return figures.read(METRICS[name], company);
  }
}
