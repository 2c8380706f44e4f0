import type { AssetType } from "#domain/instrument.ts";
import { companyProfile, listingSeed } from "./profiles.ts";
import { uniformAt, type Wander } from "./random.ts";
import type { SampleListing } from "./universe.ts";

/** What a whole market does, and beside it each sector, a trading day being a step. */
export const MARKET_WANDER: Wander = { deviation: 0.07, halfLife: 60 };
/** What a sector does beside its market. */
export const SECTOR_WANDER: Wander = { deviation: 0.05, halfLife: 90 };

/** How a price moves that follows from no other. */
export interface PriceTraits {
  /** Log per year. */
  readonly growth: number;
  /** Log per year before the anchor date, where it grew at another rate then. */
  readonly pastGrowth?: number;
  /** How much it makes of the moves of the market that it trades with. */
  readonly beta: number;
  /** The same of the falls of `shocks.ts`, where it is another. */
  readonly crashBeta?: number;
  /** What it does alone. */
  readonly own: Wander;
}

const COMPANY_OWN: Wander = { deviation: 0.13, halfLife: 180 };

/** What is no company. */
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

/** What moves unlike others of its type. */
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

/** What companies of a sector make of their market's moves. */
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

/** How the price of a listing moves that follows from no other. */
export function traitsOf(listing: SampleListing): PriceTraits {
  const { symbol, assetType } = listing;
  if (assetType === "stock" || assetType === "reit") {
    const varied = 0.5 * (uniformAt(listingSeed(listing), 40) - 0.5);
    const beta = (SECTOR_BETA[listing.sector ?? ""] ?? 1) + varied;
    const { growth, shareGrowth } = companyProfile(listing);
    return { growth: growth - shareGrowth, beta, own: COMPANY_OWN };
  }
  return { ...OTHER_TRAITS[assetType], ...SPECIAL_TRAITS[symbol] };
}

/** What a linked price does beside what it follows: Brent's premium comes and goes. */
export const LINKED_OWN: Readonly<Record<string, Wander>> = {
  "BZ=F": { deviation: 0.01, halfLife: 30 },
};
