import type { Country } from "#domain/country.ts";
import type { AssetType } from "#domain/instrument.ts";
import type { MarketStore } from "#store/index.ts";
import { flatBar, instrument } from "./market.ts";
import { START } from "./service.ts";

/** The session of their newest prices. */
export const LOOKALIKE_SESSION = "2026-11-19";

/**
 * Instruments that have the name of another one of the sample market, in another country or of another type, and
 * prices that are hard to write: HDBank and HDFC Bank are both HDB, Cleveland-Cliffs and crude oil CLF and CL=F.
 */
const LOOKALIKES: readonly (readonly [Country, string, number, AssetType?])[] = [
  ["US", "HDB", 31.25],
  ["US", "CLF", 12.5],
  ["US", "DJT", 13.4],
  ["US", "^DJT", 17234.56, "index"],
  ["US", "PEPE-USD", 0.00000043, "cryptocurrency"],
  ["US", "HUGE", 1234567890.12],
  // With a decimal comma, a program can take it for 236.
  ["US", "CENT-USD", 0.236, "cryptocurrency"],
  ["US", "NA", 5.5],
  ["US", "NULL", 6.5],
  ["US", "TRUE", 7.5],
  ["JP", "130D", 900],
];

/** Puts the look-alikes into a market, each with prices of two sessions. */
export function putLookalikes(market: MarketStore): void {
  const provenance = { source: "test", storedAt: START - 3_600_000 };
  market.transaction(() => {
    market.instruments.put(
      LOOKALIKES.map(([country, symbol, , assetType = "stock"]) =>
        instrument(country, symbol, { exchange: "NYSE", assetType }),
      ),
      provenance,
    );
    market.put(
      "bars",
      LOOKALIKES.map(([country, symbol, close]) => ({
        country,
        symbol,
        bars: ["2026-11-18", LOOKALIKE_SESSION].map((date) => flatBar(date, close, 1_000)),
      })),
      provenance,
    );
    market.put(
      "splits",
      LOOKALIKES.map(([country, symbol]) => ({ country, symbol, splits: [] })),
      provenance,
    );
  });
}
