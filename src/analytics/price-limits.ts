import { isShare } from "#domain/instrument.ts";
import { type Limited, tokyoLimitInYen } from "./daily-limits.ts";
import { threshold } from "./plausibility.ts";
import { percent } from "./ratios.ts";

/** The lowest and the highest price of one session, in the currency of the price. */
export interface PriceLimits {
  /** The price from which both are counted. */
  readonly reference: number;
  /** Null if its tick is not known for certain. */
  readonly ceiling: number | null;
  readonly floor: number | null;
}

/** The limits of a session with the distance of its price. */
export interface SessionLimits extends PriceLimits {
  /** 1 − price / ceiling, in percent; 0 at the ceiling. */
  readonly belowCeilingPercent: number | null;
  /** price / floor − 1, in percent; 0 at the floor. */
  readonly aboveFloorPercent: number | null;
}

/** The ticks of prices: up to 3,000 yen 1 yen, and so on. Source: JPX, "Tick size". */
type Ticks = readonly (readonly [upTo: number, tick: number])[];
/** Of the shares in the TOPIX 500. */
const FINE_TICKS: Ticks = [
  [1_000, 0.1],
  [3_000, 0.5],
  [10_000, 1],
  [30_000, 5],
  [100_000, 10],
  [300_000, 50],
  [1_000_000, 100],
  [3_000_000, 500],
  [10_000_000, 1_000],
  [30_000_000, 5_000],
  [Infinity, 10_000],
];
/** Of all others. Each is a multiple of the fine tick at the same price. */
const TOKYO_TICKS: Ticks = [
  [3_000, 1],
  [5_000, 5],
  [30_000, 10],
  [50_000, 50],
  [300_000, 100],
  [500_000, 500],
  [3_000_000, 1_000],
  [5_000_000, 5_000],
  [30_000_000, 10_000],
  [50_000_000, 50_000],
  [Infinity, 100_000],
];

/**
 * The limits of an ordinary session. Null where the exchange has none, and for UPCoM, whose reference is an average
 * price. Days on which an exchange moves the reference or widens the limits are the caller's.
 *
 * Tokyo: reference ± the yen of its table. A limit between two ticks is null, because no list has the members of the
 * TOPIX 500, whose ticks are finer. HOSE and HNX: reference ± 7 % and 10 %, rounded towards it to a tick, and at least
 * one tick away. Sources: JPX, "Daily price limits"; trading rules of HOSE and HNX.
 *
 * @param reference the close of the session before, as traded; null is returned if it is no price of the exchange
 */
export function priceLimits(instrument: Limited, reference: number): PriceLimits | null {
  const { country, exchange, assetType } = instrument;
  if (!isShare(assetType) || country === "US") return null;
  if (country === "JP") return tokyoLimits(reference);
  const isFund = assetType === "etf";
  if (exchange === "HOSE")
    return vietnamLimits(reference, 100 * threshold("hoChiMinhCity"), (price) =>
      isFund || price < 10_000 ? 10 : price < 50_000 ? 50 : 100,
    );
  if (exchange === "HNX")
    return vietnamLimits(reference, 100 * threshold("haNoi"), () => (isFund ? 1 : 100));
  return null;
}

function tokyoLimits(reference: number): PriceLimits | null {
  const isFine = !isOnTick(reference, TOKYO_TICKS);
  const ticks = isFine ? FINE_TICKS : TOKYO_TICKS;
  if (!isOnTick(reference, ticks)) return null;
  const certain = (price: number) => (isOnTick(price, ticks) ? price : null);
  const yen = tokyoLimitInYen(reference);
  return {
    reference,
    ceiling: certain(reference + yen),
    // No share trades below one yen.
    floor: certain(Math.max(reference - yen, 1)),
  };
}

function isOnTick(price: number, ticks: Ticks): boolean {
  const count = price / (ticks.find(([upTo]) => price <= upTo)?.[1] ?? Number.NaN);
  return Math.abs(count - Math.round(count)) < 1e-6;
}

function vietnamLimits(
  reference: number,
  limitPercent: number,
  tickAt: (price: number) => number,
): PriceLimits | null {
  const tick = tickAt(reference);
  if (reference % tick !== 0) return null;
  const [highest, lowest] = [1, -1].map(
    (sign) => (reference * Math.round(100 + sign * limitPercent)) / 100,
  ) as [number, number];
  const [up, down] = [tickAt(highest), tickAt(lowest)];
  const floor = Math.min(Math.ceil(lowest / down) * down, reference - tick);
  return {
    reference,
    ceiling: Math.max(Math.floor(highest / up) * up, reference + tick),
    floor: floor > 0 ? floor : null,
  };
}

/** A close this near to the end of its range was at the limit, which can be rounded to a tick. */
const NEARLY = 0.99;

/**
 * The limits without the side that Tokyo may have widened to four times the yen. It widens the limit at which a share closed
 * on two sessions in a row, and a fund on one. Source: JPX, "Daily price limits".
 *
 * @param closes of the sessions before, newest first; a missing one was at no limit
 */
export function withoutWidened(
  limits: PriceLimits,
  { country, assetType }: Limited,
  closes: readonly number[],
): PriceLimits {
  if (country !== "JP") return limits;
  const sessions = assetType === "etf" ? [0] : [0, 1];
  const wereAt = (sign: 1 | -1) =>
    sessions.every((ago) => {
      const [close = Number.NaN, before = Number.NaN] = closes.slice(ago, ago + 2);
      const yen = tokyoLimitInYen(before);
      return sign * (close - before) >= NEARLY * (sign === 1 ? yen : Math.min(yen, before - 1));
    });
  return {
    ...limits,
    ceiling: wereAt(1) ? null : limits.ceiling,
    floor: wereAt(-1) ? null : limits.floor,
  };
}

/** The limits with the distance of a price; null if the price is beyond one, which disproves both. */
export function withDistances(limits: PriceLimits, price: number): SessionLimits | null {
  const { ceiling, floor } = limits;
  if (price > (ceiling ?? Infinity) || price < (floor ?? 0)) return null;
  const ofCeiling = percent(price, ceiling);
  const ofFloor = percent(price, floor);
  return {
    ...limits,
    belowCeilingPercent: ofCeiling === null ? null : 100 - ofCeiling,
    aboveFloorPercent: ofFloor === null ? null : ofFloor - 100,
  };
}
