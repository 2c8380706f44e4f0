import { addMonths } from "#lib/date.ts";
import { endOfMonth, indexUpTo } from "./dates.ts";
import type { EconomicFigure } from "./economy.ts";
import { other } from "./links.ts";
import type { Prices } from "./prices.ts";
import { normalAt, seedOf, wander } from "./random.ts";
import { listReleases, monthOf, type Release, yearOf } from "./releases.ts";
import { tradingDaysOf } from "./trading-days.ts";
import type { SampleListing } from "./universe.ts";

/** Steps in which a figure forgets half of where it was, by rhythm. */
const HALF_LIVES: Record<EconomicFigure["every"], number> = {
  week: 10,
  month: 8,
  quarter: 4,
  meeting: 10,
};
/** A change from one period to the next remembers little of the change before. */
const CHANGE_HALF_LIFE = 0.6;
const RATE_STEP = 0.25;

/** What a print differs from the last one of its period by, as a share of the figure's swing. */
const REVISION = 0.12;

/** What each of the figure's publications up to the last of these says; none of it ever changes. */
export function publishedValues(
  figure: EconomicFigure,
  releases: readonly Release[],
  prices: Prices,
): (number: number) => number {
  const { follows, prints } = figure;
  if (follows !== null) {
    const listing = other(follows);
    return (number) => roundFigure(figure, meanOfMonth(listing, number, prices));
  }
  const seed = seedOf(`${figure.country} ${figure.name}`);
  const newest = releases.reduce((most, { number }) => Math.max(most, number), -1);
  const values = wander(seed, Math.floor(newest / prints.length) + 1, {
    deviation: figure.swing,
    halfLife: halfLife(figure),
  });
  return (number) => {
    const later = prints.length - 1 - (number % prints.length);
    const revision = later * REVISION * figure.swing * normalAt(seed + 1, number);
    const value = values[Math.floor(number / prints.length)] ?? 0;
    return roundFigure(figure, figure.level + value + revision);
  };
}

function halfLife({ name, every }: EconomicFigure): number {
  return /QoQ|MoM/.test(name) ? CHANGE_HALF_LIFE : HALF_LIVES[every];
}

function meanOfMonth(listing: SampleListing, month: number, prices: Prices): number {
  const sessions = prices.sessions(tradingDaysOf(listing));
  const [before, last] = [0, 1].map((later) =>
    indexUpTo(sessions, endOfMonth(yearOf(month), monthOf(month) - 1 + later)),
  );
  const closes = prices.closes(listing).subarray((before ?? 0) + 1, (last ?? 0) + 1);
  return closes.reduce((sum, close) => sum + close, 0) / closes.length;
}

/** A value as it is published: to the figure's decimals, a policy rate to a quarter of a point. */
function roundFigure({ every, decimals }: EconomicFigure, value: number): number {
  const stepped = every === "meeting" ? Math.round(value / RATE_STEP) * RATE_STEP : value;
  return Number(stepped.toFixed(decimals)) + 0;
}

/** What the newest figure lets expect of one so many publications later: it goes back to its level. */
export function expectedLater(figure: EconomicFigure, latest: number, publications = 1): number {
  const kept = 2 ** (-publications / halfLife(figure));
  return roundFigure(figure, figure.level + (latest - figure.level) * kept);
}

/** What is expected of the next publication: a later print is expected to say what the one before it did. */
export function expectedNext(figure: EconomicFigure, latest: number, print: number): number {
  return print > 0 ? latest : expectedLater(figure, latest);
}

/** What a model makes of a publication to come: what is expected, give or take a fifth of its swing. */
export function modelForecast(
  figure: EconomicFigure,
  latest: number,
  { number, print }: Release,
): number {
  const expected = expectedNext(figure, latest, print);
  if (print > 0) return expected;
  if (figure.every === "meeting") return expected;
  const chance = normalAt(seedOf(`${figure.country} ${figure.name} model`), number);
  return roundFigure(figure, expected + 0.2 * figure.swing * chance);
}

/**
 * What is expected of a figure in a quarter: with each quarter ahead it is nearer to its level. A
 * policy rate stays as it is until its next meeting, of which the calendar's consensus is expected.
 */
export function expectedInQuarter(
  figure: EconomicFigure,
  latest: number,
  quarter: number,
  { now, today }: { now: number; today: string },
): number {
  if (figure.every === "meeting") {
    const next = listReleases(figure, today, addMonths(today, 4)).find(({ at }) => at > now);
    const quartersLater = quarter - quarterNumber(next?.date ?? today);
    return quartersLater < 0 ? latest : expectedLater(figure, latest, 1 + 2 * quartersLater);
  }
  const chance = normalAt(seedOf(`${figure.country} ${figure.name} forecast`), quarter);
  const kept = 0.75 ** (quarter - quarterNumber(today) + 1);
  return roundFigure(
    figure,
    figure.level + (latest - figure.level) * kept + 0.2 * figure.swing * chance,
  );
}

/** Numbers quarters so that neighbours differ by 1. */
export function quarterNumber(date: string): number {
  return Number(date.slice(0, 4)) * 4 + Math.floor((Number(date.slice(5, 7)) - 1) / 3);
}
