import type { AssetType } from "#domain/instrument.ts";
import { companyProfile, listingSeed } from "./profiles.ts";
import { uniformAt, type MeanReversion } from "./random.ts";
import type { SampleListing } from "./universe.ts";

/** The common process of a country's market. A step is a trading day. */
export const MARKET_PROCESS: MeanReversion = { deviation: 0.07, halfLife: 60 };
/** The process of a sector, in addition to its market's. */
export const SECTOR_PROCESS: MeanReversion = { deviation: 0.05, halfLife: 90 };

/** How a price moves that is not computed from others. */
interface PriceTraits {
  /** Log per year. */
  readonly growth: number;
  /** Log per year before the anchor date; `growth` if absent. */
  readonly pastGrowth?: number;
  /** Sensitivity to the moves of its market. */
  readonly beta: number;
  /** Sensitivity to the episodes of `shocks.ts`; `beta` if absent. */
  readonly crashBeta?: number;
  /** The instrument's own process. */
  readonly own: MeanReversion;
}

const COMPANY_PROCESS: MeanReversion = { deviation: 0.13, halfLife: 180 };

/** The traits of instruments that are not companies. */
const OTHER_TRAITS: Record<Exclude<AssetType, "stock" | "reit">, PriceTraits> = {
  index: { growth: 0.06, beta: 1, own: { deviation: 0.02, halfLife: 100 } },
  etf: { growth: 0.06, beta: 1, own: { deviation: 0.03, halfLife: 100 } },
  currency: { growth: 0, beta: 0, own: { deviation: 0.04, halfLife: 200 } },
  commodity: { growth: 0.02, beta: 0.3, own: { deviation: 0.14, halfLife: 150 } },
  cryptocurrency: {
    growth: 0.12,
    pastGrowth: 0.4,
    beta: 2,
    own: { deviation: 0.25, halfLife: 200 },
  },
};

/** Differences of single instruments from their asset type. */
const SPECIAL_TRAITS: Readonly<Record<string, Partial<PriceTraits>>> = {
  "^VIX": { growth: 0, beta: -1.5, crashBeta: -3.6, own: { deviation: 0.16, halfLife: 15 } },
  EEM: { growth: 0.03, beta: 0.8 },
  TLT: { growth: 0, beta: -0.2, own: { deviation: 0.07, halfLife: 200 } },
  HYG: { growth: 0, beta: 0.4 },
  "CL=F": { beta: 0.5, crashBeta: 1.9 },
  "HG=F": { beta: 0.9 },
  "PL=F": { beta: 0.6 },
  "GC=F": { growth: 0.04, pastGrowth: 0.1, beta: 0.1, own: { deviation: 0.1, halfLife: 200 } },
  "SI=F": { growth: 0.03, pastGrowth: 0.09, beta: 0.5 },
  "CNY=X": { own: { deviation: 0.02, halfLife: 200 } },
  "VND=X": { growth: 0.01, own: { deviation: 0.006, halfLife: 200 } },
};

/** The beta of companies by sector. */
const SECTOR_BETA: Readonly<Record<string, number>> = {
  "basic-materials": 1.1,
  "communication-services": 1,
  "consumer-cyclical": 1.15,
  "consumer-defensive": 0.6,
  energy: 0.95,
  "financial-services": 1.05,
  healthcare: 0.7,
  industrials: 1.05,
  "real-estate": 0.95,
  technology: 1.3,
  utilities: 0.55,
};

/** The traits of a listing whose price is not computed from others. */
export function traitsOf(listing: SampleListing): PriceTraits {
  const { symbol, assetType } = listing;
  if (assetType === "stock" || assetType === "reit") {
    const varied = 0.5 * (uniformAt(listingSeed(listing), 40) - 0.5);
    const beta = (SECTOR_BETA[listing.sector ?? ""] ?? 1) + varied;
    const { growth, shareGrowth } = companyProfile(listing);
    return { growth: growth - shareGrowth, beta, own: COMPANY_PROCESS };
  }
  return { ...OTHER_TRAITS[assetType], ...SPECIAL_TRAITS[symbol] };
}

/** The own process of a linked price: Brent's premium over WTI varies. */
export const LINKED_PROCESSES: Readonly<Record<string, MeanReversion>> = {
  "BZ=F": { deviation: 0.01, halfLife: 30 },
};
