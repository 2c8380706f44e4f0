import { lastCompletedSession, sessionsBetween } from "#analytics/sessions.ts";
import { curveMaturity, type MacroSeries } from "#domain/macro.ts";
import { addMonths, DAY_MS } from "#lib/date.ts";
import { endOfMonth } from "./dates.ts";
import { publishedValues } from "./economic-values.ts";
import { type EconomicFigure, listEconomicFigures } from "./economy.ts";
import type { SampleMarket } from "./market.ts";
import { normalAt, seedOf } from "./random.ts";
import { listReleases, monthNumber } from "./releases.ts";

/** The days of a curve begin with this many months before today's month, so that a year ago has a yield. */
const MONTHS = 13;
/** The longest time between two meetings of a central bank, in months. */
const MEETINGS_APART = 3;

/** The curves, with their maturities in months. `longPremium`: how much more the longest bonds pay, in points. */
const CURVES = [
  {
    country: "US",
    maturities: [1, 1.5, 2, 3, 4, 6, 12, 24, 36, 60, 84, 120, 240, 360],
    decimals: 2,
    longPremium: 0.6,
  },
  {
    country: "JP",
    maturities: [...Array.from({ length: 10 }, (_, i) => 12 * (i + 1)), 180, 240, 300, 360, 480],
    decimals: 3,
    longPremium: 1.6,
  },
] as const;

/**
 * The yields of governments by maturity, on each session of more than a year. They begin near the policy rate of
 * the day, and the mean of a month's 10-year yields is the published 10-year yield of the month.
 */
export function yieldCurves(market: SampleMarket): MacroSeries[] {
  return CURVES.flatMap(({ country, maturities, decimals, longPremium }) => {
    const figures = listEconomicFigures().filter((one) => one.country === country);
    const [policy] = figures.filter(({ every }) => every === "meeting");
    const [tenYear] = figures.filter(({ name }) => name.startsWith("10-year"));
    if (!policy || !tenYear) throw new Error(`economy.csv has no rates of ${country}`);
    const last = lastCompletedSession(country, market.now);
    const rateOn = policyRateOf(policy, last, market);
    const days = tenYearYields(tenYear, last, market).map(([period, ten]) => ({
      period,
      ten,
      // Bills pay a little less than the upper bound of the policy rate.
      short: rateOn(period) - 0.12,
    }));
    return maturities.map((months) => ({
      country,
      ...curveMaturity(months),
      decimals,
      observations: days.map(({ period, short, ten }) => {
        const value = yieldAt(months / 12, short, ten, longPremium);
        return { period, value: Number(value.toFixed(decimals)) };
      }),
    }));
  });
}

/** The yield of a maturity: from the rate of bills to the 10-year yield, and above it for longer bonds. */
function yieldAt(years: number, short: number, ten: number, longPremium: number): number {
  const fall = (time: number) => Math.exp(-time / 4);
  const share = (fall(years) - fall(10)) / (1 - fall(10));
  const premium = longPremium * Math.max(0, 1 - Math.exp((10 - years) / 10));
  return ten + (short - ten) * share + premium;
}

/** The policy rate on a day of the curve. */
function policyRateOf(policy: EconomicFigure, last: string, market: SampleMarket) {
  const decisions = listReleases(policy, addMonths(firstDay(last), -MEETINGS_APART), last);
  const valueOf = publishedValues(policy, decisions.at(-1)?.number ?? 0, market.prices);
  return (day: string) => valueOf(decisions.findLast(({ date }) => date <= day)?.number ?? 0);
}

/** The first day of a curve whose last one is given. */
const firstDay = (last: string) => `${addMonths(last, -MONTHS).slice(0, 7)}-01`;

/**
 * The 10-year yield of each session until `last`, oldest first. It moves from the middle of a month to the middle
 * of the next one, with a chance of each day, and each month has the published mean.
 */
function tenYearYields(
  figure: EconomicFigure,
  last: string,
  { prices }: SampleMarket,
): [day: string, percent: number][] {
  const meanOf = publishedValues(figure, monthNumber(last) + 1, prices);
  const seed = seedOf(`${figure.country} yield curve`);
  const monthEnd = endOfMonth(Number(last.slice(0, 4)), Number(last.slice(5, 7)));
  const byMonth = Map.groupBy(sessionsBetween(figure.country, firstDay(last), monthEnd), (day) =>
    monthNumber(day),
  );
  return [...byMonth]
    .flatMap(([month, days]) => {
      const rough = days.map((day, i) => {
        // From −0.5 to 0.5 within the month.
        const place = (i + 0.5) / days.length - 0.5;
        const slope = meanOf(month + Math.sign(place)) - meanOf(month);
        const chance = normalAt(seed, Math.floor(Date.parse(day) / DAY_MS));
        return Math.abs(place) * slope + 0.15 * figure.deviation * chance;
      });
      const excess = rough.reduce((sum, one) => sum + one) / days.length;
      return days.map((day, i): [string, number] => [
        day,
        meanOf(month) + (rough[i] ?? 0) - excess,
      ]);
    })
    .filter(([day]) => day <= last);
}
