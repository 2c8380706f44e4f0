import type { SampleListing } from "./universe.ts";

/** Tick sizes by price band, each with its inclusive upper bound. */
type Bands = readonly (readonly [upTo: number, tick: number])[];

/** Tokyo's fine ticks, for the most traded shares and for funds. */
const TSE_FINE: Bands = [
  [1_000, 0.1],
  [3_000, 0.5],
  [10_000, 1],
  [30_000, 5],
  [100_000, 10],
  [Infinity, 50],
];
const TSE: Bands = [
  [3_000, 1],
  [5_000, 5],
  [30_000, 10],
  [50_000, 50],
  [300_000, 100],
  [Infinity, 500],
];
const HOSE: Bands = [
  [9_990, 10],
  [49_950, 50],
  [Infinity, 100],
];
const HOSE_FUNDS: Bands = [[Infinity, 10]];
const HNX_AND_UPCOM: Bands = [[Infinity, 100]];
const CENTS: Bands = [[Infinity, 0.01]];
/** Instruments other than shares have more decimals at low prices. */
const POINTS: Bands = [
  [10, 0.0001],
  [Infinity, 0.01],
];

/** Tick sizes of futures contracts. */
const FUTURES: Readonly<Record<string, number>> = {
  "GC=F": 0.1,
  "SI=F": 0.005,
  "HG=F": 0.0005,
  "PL=F": 0.1,
  "NG=F": 0.001,
  "ZC=F": 0.25,
  "ZW=F": 0.25,
  "ZS=F": 0.25,
  "KC=F": 0.05,
};

function bandsOf({ assetType, exchange, indexMember }: SampleListing): Bands {
  const isShare = assetType === "stock" || assetType === "reit" || assetType === "etf";
  if (!isShare) return POINTS;
  if (exchange === "TSE") return indexMember || assetType === "etf" ? TSE_FINE : TSE;
  if (exchange === "HOSE") return assetType === "stock" ? HOSE : HOSE_FUNDS;
  return exchange === "HNX" || exchange === "UPCOM" ? HNX_AND_UPCOM : CENTS;
}

/** The daily price limits of exchanges, as a share of the previous close. */
const DAILY_LIMITS: Readonly<Record<string, number>> = { HOSE: 0.07, HNX: 0.1, UPCOM: 0.15 };

/**
 * The limit for companies of other exchanges: a larger surprise takes two sessions. New York has no such
 * limit, but a generated move beyond it would have no news behind it.
 */
const COMPANY_LIMIT = 0.135;

/** The tick sizes of an instrument's price, in its currency, and its daily limit. */
export class PriceRules {
  readonly #bands: Bands;
  readonly #limit: number | null;
  /** The tick if it is the same at every price, else null. */
  readonly #only: number | null;

  constructor(listing: SampleListing) {
    const own = FUTURES[listing.symbol];
    this.#bands = own === undefined ? bandsOf(listing) : [[Infinity, own]];
    this.#only = (this.#bands.length === 1 && this.#bands[0]?.[1]) || null;
    const isTraded = listing.assetType !== "index";
    const companyLimit = listing.marketCap === null ? null : COMPANY_LIMIT;
    this.#limit = (isTraded && DAILY_LIMITS[listing.exchange ?? ""]) || companyLimit;
  }

  /** Rounds a price to the nearest tick, to at least one tick. */
  round(price: number): number {
    return onStep(price, this.#tick(price), Math.round);
  }

  /**
   * Clamps a price to the daily limits around the previous close. The limits are at least one
   * tick from it.
   */
  limit(price: number, before: number): number {
    // Most prices are far from the limits.
    if (this.#limit === null || Math.abs(price - before) < 0.8 * this.#limit * before) return price;
    const step = this.#tick(before);
    const low = before * (1 - this.#limit);
    const high = before * (1 + this.#limit);
    const lowest = Math.min(onStep(low, this.#tick(low), Math.ceil), before - step);
    const highest = Math.max(onStep(high, this.#tick(high), Math.floor), before + step);
    return Math.min(Math.max(price, lowest, step), highest);
  }

  #tick(price: number): number {
    if (this.#only !== null) return this.#only;
    for (const [upTo, tick] of this.#bands) if (price <= upTo) return tick;
    return 1;
  }
}

/** Rounds a price to the nearest tick of its instrument, to at least one tick. */
export function roundPrice(listing: SampleListing, price: number): number {
  return new PriceRules(listing).round(price);
}

/** Rounds to a multiple of the tick. It divides if the tick is a fraction, so that 26 cents are 0.26. */
function onStep(price: number, tick: number, round: (steps: number) => number): number {
  if (tick >= 1) return Math.max(1, round(price / tick)) * tick;
  const perUnit = Math.round(1 / tick);
  return Math.max(1, round(price * perUnit)) / perUnit;
}
