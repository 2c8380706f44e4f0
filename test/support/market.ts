import type { Country } from "#domain/country.ts";
import type { DailyBar } from "#domain/daily-bar.ts";
import { type Instrument, NO_PROFILE } from "#domain/instrument.ts";
import type { Provenance } from "#domain/records.ts";
import { summarizeSources } from "#store/fetches.ts";
import { type MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { openFolder } from "./access.ts";
import { openCopiedMarket } from "./empty-files.ts";

export const SAMPLE: Provenance = { source: "sample", storedAt: 1_000 };

/** An empty market in a real file. */
export function openTestMarket() {
  const folder = openFolder();
  const market = openCopiedMarket(folder.path);
  return {
    folder: folder.path,
    market,
    [Symbol.dispose]() {
      market.close();
      folder[Symbol.dispose]();
    },
  };
}

/** Every instrument of a country, or of all (null), delisted or not, in the order in which they were stored. */
export function listInstruments(
  { instruments }: Pick<MarketStore, "instruments">,
  country: Country | null,
): StoredInstrument[] {
  return instruments
    .listChanged(0, 1_000_000)
    .filter((key) => country === null || key.country === country)
    .flatMap((key) => instruments.find(key) ?? [])
    .toSorted((a, b) => a.id - b.id);
}

/** The last results of each source that was ever called. */
export async function listResults({ fetches }: Pick<MarketStore, "fetches">) {
  return summarizeSources(await fetches.readSummaries());
}

/** A session with one price. */
export const flatBar = (date: string, close: number, volume: number | null = null): DailyBar => ({
  date,
  open: close,
  high: close,
  low: close,
  close,
  volume,
});

/** An instrument with only the given fields. */
export function instrument(
  country: Country,
  symbol: string,
  known: Partial<Instrument> = {},
): Instrument {
  return {
    country,
    symbol,
    name: `${symbol} Name`,
    assetType: "stock",
    exchange: null,
    currency: { US: "USD", JP: "JPY", VN: "VND" }[country],
    ...NO_PROFILE,
    primaryListing: true,
    indexMember: false,
    ...known,
  };
}

/** A stock with that symbol. Its name is `… Inc` by default. */
export const stock = (country: Country, symbol: string, details: Partial<Instrument> = {}) =>
  instrument(country, symbol, {
    name: `${symbol} Inc`,
    exchange: "X",
    currency: "USD",
    sector: "technology",
    industry: "consumer-electronics",
    sharesOutstanding: 1_000,
    employees: 10,
    ...details,
  });
