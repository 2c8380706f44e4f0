import type { Country } from "#domain/country.ts";
import { listingSeed } from "./profiles.ts";
import { uniformAt } from "./random.ts";
import type { SampleListing } from "./universe.ts";

/** Units traded on a usual day: shares of funds, contracts of futures. */
const USUAL_UNITS: Readonly<Record<string, number>> = {
  SPY: 70e6,
  VOO: 7e6,
  QQQ: 48e6,
  VTI: 4e6,
  IWM: 32e6,
  DIA: 4.5e6,
  EEM: 30e6,
  GLD: 10e6,
  SLV: 22e6,
  TLT: 38e6,
  HYG: 40e6,
  XLK: 7e6,
  XLF: 40e6,
  XLE: 28e6,
  XLV: 9e6,
  VNQ: 4e6,
  ARKK: 8e6,
  "1306": 2e6,
  "1321": 350_000,
  "1343": 250_000,
  "1357": 25e6,
  "1540": 300_000,
  "1570": 8e6,
  "2558": 60_000,
  E1VFVN30: 1.2e6,
  FUEVFVND: 1.5e6,
  FUESSV50: 40_000,
  FUESSVFL: 300_000,
  FUEVN100: 50_000,
  FUEMAV30: 60_000,
  "GC=F": 200_000,
  "SI=F": 70_000,
  "HG=F": 65_000,
  "PL=F": 25_000,
  "CL=F": 300_000,
  "BZ=F": 250_000,
  "NG=F": 150_000,
  "ZC=F": 170_000,
  "ZW=F": 75_000,
  "ZS=F": 120_000,
  "KC=F": 22_000,
  "BTC-USD": 450_000,
  "ETH-USD": 6.5e6,
  "SOL-USD": 36e6,
  "XRP-USD": 2.3e9,
  "DOGE-USD": 12e9,
  "BTC-JPY": 9_000,
  "ETH-JPY": 90_000,
};

/** Usual daily volume / shares outstanding: lower in countries where states and families hold many. */
const TURNOVER: Record<Country, number> = { US: 0.006, JP: 0.003, VN: 0.0025 };

/**
 * US companies that are unprofitable or have a P/E above this have three times the volume. P/E up to
 * 170 also come from the depreciation of acquisitions and buildings: AbbVie, Broadcom, Welltower.
 */
const SPECULATIVE_PE = 200;

/** Units traded on a usual day; null for instruments without a volume. */
export function usualVolumeOf(listing: SampleListing): number | null {
  const { symbol, country, sharesOutstanding, pe } = listing;
  const units = USUAL_UNITS[symbol];
  if (units !== undefined) return units;
  if (sharesOutstanding === null) return null;
  const varied = Math.exp(1.4 * (uniformAt(listingSeed(listing), 41) - 0.5));
  const isSpeculative = country === "US" && (pe === null || pe > SPECULATIVE_PE);
  return sharesOutstanding * TURNOVER[country] * varied * (isSpeculative ? 3 : 1);
}
