import type { Instrument } from "#domain/instrument.ts";
import { liveQuery } from "../support/fetcher.ts";
import { instrument as knownInstrument } from "../support/market.ts";

/** Apple, or another instrument. */
export const instrument = ({
  country = "US",
  symbol = "AAPL",
  ...change
}: Partial<Instrument> = {}) =>
  knownInstrument(country, symbol, {
    name: "Apple Inc.",
    exchange: "NASDAQ",
    currency: "USD",
    indexMember: true,
    ...change,
  });

export const inJapan = (symbol: string) =>
  instrument({ country: "JP", symbol, currency: "JPY", exchange: "TSE" });

/** A query about the instrument at a time, such as `2025-02-24T12:00Z`. */
export const ask = (instrument: Instrument, today: string, after: string | null = null) =>
  liveQuery({ today, instrument, after });

export interface PlayedBar {
  readonly time: number;
  readonly open: number | null;
  readonly high: number | null;
  readonly low: number | null;
  readonly close: number | null;
  readonly volume: number | null;
}

/** A bar with four equal prices. */
export const flat = (time: string, price: number | null, volume: number | null): PlayedBar => ({
  time: Date.parse(time) / 1000,
  open: price,
  high: price,
  low: price,
  close: price,
  volume,
});

/** An invented chart in Yahoo's form. */
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
