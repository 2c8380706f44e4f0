import type { SampleListing } from "./universe.ts";

/** Up to and with a price, what a tick is; the last one has no end. */
type Bands = readonly (readonly [upTo: number, tick: number])[];

/** Tokyo's fine steps, of the most traded shares and of funds. */
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
/** What is no share: more decimals where it costs little. */
const POINTS: Bands = [
  [10, 0.0001],
  [Infinity, 0.01],
];

/** The steps of futures contracts. */
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

/** What a price may change by in a day, as a share of the close before it. */
const DAILY_LIMITS: Readonly<Record<string, number>> = { HOSE: 0.07, HNX: 0.1, UPCOM: 0.15 };

/** The steps in which an instrument's price moves, in its currency, and how far it may move in a day. */
export class PriceSteps {
  readonly #bands: Bands;
  readonly #limit: number | null;
  /** The one tick of what has the same at any price. */
  readonly #only: number | null;

  constructor(listing: SampleListing) {
    const own = FUTURES[listing.symbol];
    this.#bands = own === undefined ? bandsOf(listing) : [[Infinity, own]];
    this.#only = (this.#bands.length === 1 && this.#bands[0]?.[1]) || null;
    const isTraded = listing.assetType !== "index";
    this.#limit = (isTraded && DAILY_LIMITS[listing.exchange ?? ""]) || null;
  }

  /** A price to the nearest step, one step at least. */
  round(price: number): number {
    return onStep(price, this.#tick(price), Math.round);
  }

  /**
   * A price, kept between the lowest and the highest that the exchange allows after a close: one step
   * from it at least.
   */
  limit(price: number, before: number): number {
    // Most prices are far from it.
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

/** A price to the nearest step of its instrument, one step at least. */
export function roundPrice(listing: SampleListing, price: number): number {
  return new PriceSteps(listing).round(price);
}

/** Divides where a step is a fraction, so that 26 cents are 0.26. */
function onStep(price: number, tick: number, round: (steps: number) => number): number {
  if (tick >= 1) return Math.max(1, round(price / tick)) * tick;
  const perUnit = Math.round(1 / tick);
  return Math.max(1, round(price * perUnit)) / perUnit;
}
