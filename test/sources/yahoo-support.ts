import { existsSync } from "node:fs";
import type { Instrument } from "#domain/instrument.ts";
import type { LiveQuery } from "#sources/fetcher.ts";

const RECORDINGS = new URL("../../../shared/data/yahoo/", import.meta.url).pathname;

/** True where answers that Yahoo really gave are at hand. */
export const hasRecordings = existsSync(RECORDINGS);

/** The text of an answer that Yahoo really gave. */
export const recordedText = (name: string) => Bun.file(RECORDINGS + name).text();

/** An answer that Yahoo really gave; of any form, as tests change it. */
// oxlint-disable-next-line typescript/no-explicit-any
export const recorded = (name: string): Promise<any> => Bun.file(RECORDINGS + name).json();

export function instrument(change: Partial<Instrument> = {}): Instrument {
  return {
    country: "US",
    symbol: "AAPL",
    name: "Apple Inc.",
    assetType: "stock",
    exchange: "NASDAQ",
    currency: "USD",
    sector: null,
    industry: null,
    sharesOutstanding: null,
    employees: null,
    summary: null,
    primaryListing: true,
    indexMember: true,
    ...change,
  };
}

export const inJapan = (symbol: string) =>
  instrument({ country: "JP", symbol, currency: "JPY", exchange: "TSE" });

/** A query about the instrument at a time, such as `2025-02-24T12:00Z`. */
export const ask = (about: Instrument, time: string, after: string | null = null): LiveQuery => ({
  now: Date.parse(time),
  after,
  country: about.country,
  instrument: about,
});

export interface PlayedBar {
  readonly time: number;
  readonly open: number | null;
  readonly high: number | null;
  readonly low: number | null;
  readonly close: number | null;
  readonly volume: number | null;
}

/** A bar at a moment with one price throughout. */
export const flat = (time: string, price: number | null, volume: number | null): PlayedBar => ({
  time: Date.parse(time) / 1000,
  open: price,
  high: price,
  low: price,
  close: price,
  volume,
});

/** A chart in Yahoo's form, written here. */
export function fakeChart(
  bars: readonly PlayedBar[],
  meta: Record<string, unknown> = {},
  events: Record<string, unknown> = {},
) {
  const column = (name: keyof PlayedBar) => bars.map((bar) => bar[name]);
  return {
    chart: {
      result: [
        {
          meta: {
            symbol: "AAPL",
            currency: "USD",
            exchangeTimezoneName: "America/New_York",
            dataGranularity: "1d",
            ...meta,
          },
          ...(bars.length > 0 && { timestamp: column("time") }),
          events,
          indicators: {
            quote: [
              bars.length > 0
                ? {
                    open: column("open"),
                    high: column("high"),
                    low: column("low"),
                    close: column("close"),
                    volume: column("volume"),
                  }
                : {},
            ],
          },
        },
      ],
      error: null,
    },
  };
}
