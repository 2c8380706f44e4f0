import { indexUpTo, tradingDaysOf } from "./dates.ts";
import { type EconomicFigure, listEconomicFigures } from "./economy.ts";
import type { Prices } from "./prices.ts";
import { meanRevertingPath, normalAt, seedOf } from "./random.ts";
import { endOfPeriod } from "./releases.ts";
import { getListing, type SampleListing } from "./universe.ts";

/** Publications after which half of a deviation is left, by frequency. */
const HALF_LIVES: Record<EconomicFigure["every"], number> = {
  week: 10,
  month: 8,
  quarter: 4,
  meeting: 10,
};
/** The same for figures that are changes from one period to the next: they correlate little. */
const CHANGE_HALF_LIFE = 0.6;
const RATE_STEP = 0.25;

/** The published value by release number, up to that number. Values never change. */
export function publishedValues(
  figure: EconomicFigure,
  upTo: number,
  prices: Prices,
): (number: number) => number {
  const { follows, level } = figure;
  const quarterly = quarterlyGrowthOf(figure);
  if (quarterly !== null) {
    const growth = publishedValues(quarterly, upTo, prices);
    return (number) => growthOverYear(figure, quarterly, (ago) => growth(number - ago));
  }
  if (follows !== null) {
    const listing = getListing(follows);
    return (number) => roundFigure(figure, meanOfMonth(listing, number, prices));
  }
  const values = meanRevertingPath(seedOf(`${figure.country} ${figure.name}`), upTo + 1, {
    deviation: figure.deviation,
    halfLife: halfLife(figure),
  });
  const rates = figure.every === "meeting" ? policyRates(values, level) : null;
  return (number) => roundFigure(figure, rates?.[number] ?? level + (values[number] ?? 0));
}

/** The quarterly growth that a growth over a year compounds; null for other figures. */
export function quarterlyGrowthOf({ country, follows }: EconomicFigure): EconomicFigure | null {
  return (
    listEconomicFigures().find((one) => one.country === country && one.name === follows) ?? null
  );
}

/** The growth over a year in percent, compounded of four quarters, the newest 0 quarters ago. */
export function growthOverYear(
  figure: EconomicFigure,
  quarterly: EconomicFigure,
  percentOf: (quartersAgo: number) => number,
): number {
  const years = quarterly.name.endsWith("annualized") ? 1 / 4 : 1;
  const factors = [0, 1, 2, 3].map((ago) => (1 + percentOf(ago) / 100) ** years);
  return roundFigure(figure, 100 * (factors.reduce((product, factor) => product * factor) - 1));
}

function halfLife({ name, every }: EconomicFigure): number {
  return /QoQ|MoM/.test(name) ? CHANGE_HALF_LIFE : HALF_LIVES[every];
}

/**
 * The policy rate after each meeting. It takes a step of a quarter point when its target is a full step
 * away, so it does not go back and forth with every small move of the target.
 */
function policyRates(targets: Float64Array, level: number): Float64Array {
  let rate = Math.round((level + (targets[0] ?? 0)) / RATE_STEP) * RATE_STEP;
  return targets.map((target) => {
    const distance = level + target - rate;
    if (Math.abs(distance) >= RATE_STEP) rate += Math.sign(distance) * RATE_STEP;
    return rate;
  });
}

function meanOfMonth(listing: SampleListing, month: number, prices: Prices): number {
  const sessions = prices.sessions(tradingDaysOf(listing));
  const [before = 0, last = 0] = [month - 1, month].map((one) =>
    indexUpTo(sessions, endOfPeriod(one)),
  );
  const closes = prices.closes(listing).subarray(before + 1, last + 1);
  return closes.reduce((sum, close) => sum + close, 0) / closes.length;
}

/** Rounds to the figure's decimals, and a policy rate to a quarter of a percentage point. */
export function roundFigure({ every, decimals }: EconomicFigure, value: number): number {
  const stepped = every === "meeting" ? Math.round(value / RATE_STEP) * RATE_STEP : value;
  return Number(stepped.toFixed(decimals)) + 0;
}

/** The expected value some publications after the latest one: it reverts to the figure's level. */
export function expectedNext(figure: EconomicFigure, latest: number, publications = 1): number {
  const kept = 2 ** (-publications / halfLife(figure));
  return roundFigure(figure, figure.level + (latest - figure.level) * kept);
}

/** A model's forecast of a number: the expected value with an error of a fifth of the deviation. */
export function modelForecast(figure: EconomicFigure, expected: number, number: number): number {
  const chance = normalAt(seedOf(`${figure.country} ${figure.name} model`), number);
  return roundFigure(figure, expected + 0.2 * figure.deviation * chance);
}
