import type { DailyBar } from "#domain/daily-bar.ts";
import type { MarketStore } from "#store/index.ts";
import { stock } from "../support/market.ts";
import { START } from "../support/service.ts";

/** A session that opens and closes at the same price, with a range of 1 on both sides. */
export const bar = (date: string, close: number, volume: number | null = 100): DailyBar => ({
  date,
  open: close,
  high: close + 1,
  low: close - 1,
  close,
  volume,
});

/** The bars of SPLT, in shares after the split. */
export const SPLIT_BARS = [
  bar("2026-11-17", 49),
  bar("2026-11-18", 50, null),
  bar("2026-11-19", 51),
];

/** SPLT split 2 for 1 on 18 November and paid a dividend of 1 on the 19th. */
export function putSplitShare(market: MarketStore): void {
  const stored = (source: string) => ({ source, storedAt: START - 1_000 });
  const key = { country: "US", symbol: "SPLT" } as const;
  market.instruments.put([stock("US", "SPLT")], stored("nasdaq"));
  market.put("bars", [{ ...key, bars: SPLIT_BARS }], stored("yahoo"));
  const splits = [{ exDate: "2026-11-18", numerator: 2, denominator: 1 }];
  market.documents.put("splits", [{ ...key, splits }], stored("yahoo"));
  const dividends = [{ exDate: "2026-11-19", amount: 1 }];
  market.documents.put("dividends", [{ ...key, dividends }], stored("sec"));
}
