import { lazy } from "#lib/lazy.ts";
import { sessionsBetween } from "#analytics/sessions.ts";
import type { Country } from "#domain/country.ts";
import { dateOf } from "#lib/date.ts";
import { PLAYED_AT } from "./played-answer.ts";

/** A session with one price throughout. */
export interface PlayedBar {
  readonly date: string;
  readonly price: number;
  readonly volume: number;
}

interface Listing {
  /** The country whose sessions it has. */
  readonly country: Country;
  readonly from: string;
  /** The price on the first of a month is 1 % above it, on the 31st 31 %. */
  readonly basePrice: number;
}

/** The instruments with prices, by the symbol of their source: shares of Yahoo and of Entrade, indexes, currencies. */
const LISTINGS: Readonly<Record<string, Listing>> = {
  // Longer than the ten years that Nasdaq has.
  AAPL: { country: "US", from: "2014-01-01", basePrice: 250 },
  MSFT: { country: "US", from: "2024-01-01", basePrice: 400 },
  "7203.T": { country: "JP", from: "2014-01-01", basePrice: 2_000 },
  "^N225": { country: "JP", from: "2014-01-01", basePrice: 40_000 },
  FPT: { country: "VN", from: "2014-01-01", basePrice: 60 },
  VNINDEX: { country: "VN", from: "2014-01-01", basePrice: 1_500 },
  "VNM.VN": { country: "VN", from: "2024-01-01", basePrice: 60_000 },
  "JPY=X": { country: "US", from: "2024-01-01", basePrice: 150 },
  "VND=X": { country: "US", from: "2024-01-01", basePrice: 26_000 },
};

const histories = lazy(
  () =>
    new Map(
      Object.entries(LISTINGS).map(([symbol, { country, from, basePrice }]) => [
        symbol,
        sessionsBetween(country, from, dateOf(PLAYED_AT)).map((date): PlayedBar => ({
          date,
          price: (basePrice * (100 + Number(date.slice(8)))) / 100,
          volume: 1_000_000,
        })),
      ]),
    ),
);

/** The bars of a symbol up to the last session before `PLAYED_AT`, oldest first; empty without prices. */
export function historyOf(symbol: string): readonly PlayedBar[] {
  return histories().get(symbol) ?? [];
}
