import type { MacroVintage, MacroVintages } from "#domain/macro-vintages.ts";
import { addMonths } from "#lib/date.ts";
import {
  growthOverYear,
  publishedValues,
  quarterlyGrowthOf,
  roundFigure,
} from "./economic-values.ts";
import { type EconomicFigure, listEconomicFigures } from "./economy.ts";
import { seriesIdOf } from "./macro.ts";
import type { SampleMarket } from "./market.ts";
import { normalAt, seedOf } from "./random.ts";
import { listReleases } from "./releases.ts";
import { yieldCurves } from "./yield-curves.ts";

/** How far back publications have their day. */
const YEARS = 10;
/** Figures that are published later are never revised, so time adds vintages and changes none. */
const LAST_REVISION = "2026-06-30";
/** Figures of these categories are revised with the next publication, if they are no counts of prices or rates. */
const REVISED: ReadonlySet<string> = new Set(["gdp", "consumer", "business", "trade"]);
/** The standard deviation of a revision, as a share of the deviation of the figure. */
const REVISION = 0.3;

/** Every figure with the day of its publication, and the first one of a revised figure. */
export function* macroVintages(market: SampleMarket): Generator<MacroVintages> {
  for (const figure of listEconomicFigures()) {
    const { country, unit } = figure;
    const vintages = vintagesOf(figure, market);
    if (vintages.length > 0) yield { country, id: seriesIdOf(figure), unit, vintages };
  }
  for (const { country, id, unit, observations } of yieldCurves(market)) {
    // A yield is published in the evening of its day.
    const vintages = observations.map(({ period, value }) => ({ period, since: period, value }));
    yield { country, id, unit, vintages };
  }
}

function vintagesOf(figure: EconomicFigure, market: SampleMarket): MacroVintage[] {
  const { now, today, prices } = market;
  const releases = listReleases(figure, addMonths(today, -12 * YEARS), today).filter(
    ({ at }) => at <= now,
  );
  const last = releases.at(-1)?.number ?? 0;
  const valueOf = publishedValues(figure, last, prices);
  const firstOf = firstFigures(figure, last, market);
  return releases.flatMap(({ period, number, date }, i) => {
    const value = valueOf(number);
    const revisedOn = releases[i + 1]?.date ?? today;
    const first = revisedOn <= LAST_REVISION ? firstOf(number) : value;
    return first === value || revisedOn === date
      ? [{ period, since: date, value }]
      : [
          { period, since: date, value: first },
          { period, since: revisedOn, value },
        ];
  });
}

/** The figures of releases as they were first published, by number, up to that number. */
function firstFigures(
  figure: EconomicFigure,
  upTo: number,
  market: SampleMarket,
): (number: number) => number {
  const { country, category, name, follows, deviation } = figure;
  const valueOf = publishedValues(figure, upTo, market.prices);
  if (!REVISED.has(category)) return valueOf;
  const quarterly = quarterlyGrowthOf(figure);
  if (quarterly !== null) {
    const growth = publishedValues(quarterly, upTo, market.prices);
    const first = firstFigures(quarterly, upTo, market);
    return (number) =>
      growthOverYear(figure, quarterly, (ago) => (ago === 0 ? first : growth)(number - ago));
  }
  if (follows !== null) return valueOf;
  const seed = seedOf(`${country} ${name} revision`);
  return (number) =>
    roundFigure(figure, valueOf(number) - REVISION * deviation * normalAt(seed, number));
}
