import { halfDays } from "#analytics/exchange-holidays.ts";
import type { Country } from "#domain/country.ts";
import type { BarHistory, DailyBar } from "#domain/daily-bar.ts";
import { tradingDaysOf } from "./dates.ts";
import { memoize } from "./memoize.ts";
import { firstSession, type Prices, roundingOf, withinLimit } from "./prices.ts";
import { listingSeed } from "./profiles.ts";
import { normalAt, uniformAt } from "./random.ts";
import type { SampleListing } from "./universe.ts";

/** After every date: prices of the sample never change, so they are in the shares of all splits. */
const SHARES_OF_ALL_SPLITS = "9999-12-31";

/** The weight of the newest day in the usual move, and the usual move at the beginning. */
const NEWEST = 0.04;
const FIRST_MOVE = 0.012;

/** Usual daily volume / shares outstanding: lower in countries where states and families hold many. */
const TURNOVER: Record<Country, number> = { US: 0.006, JP: 0.003, VN: 0.0025 };
/** The volume of a session that ends at 13:00 / the volume of a whole one. */
const HALF_DAY = 0.45;
const NO_YEAR = "none";

/** The instrument's bars of the sessions after a date, or all of them. */
export function barHistory(
  listing: SampleListing,
  prices: Prices,
  after: string | null,
): BarHistory {
  const days = tradingDaysOf(listing);
  const sessions = prices.sessions(days);
  const closes = prices.closes(listing);
  const first = firstSession(listing, sessions);
  const usualVolume = usualVolumeOf(listing);
  const seed = listingSeed(listing) + 5;
  const round = roundingOf(listing);
  const price = (value: number, before: number) => round(withinLimit(listing, value, before));
  const bars: DailyBar[] = [];
  let [year, halves]: [string, readonly string[]] = [NO_YEAR, []];
  let variance = FIRST_MOVE ** 2;
  for (let i = Math.max(first, 0); i < sessions.length && first !== -1; i++) {
    const date = sessions[i] ?? "";
    const close = closes[i] ?? Number.NaN;
    const before = i === first ? close : (closes[i - 1] ?? close);
    const change = close / before - 1;
    const move = Math.sqrt(variance);
    variance += NEWEST * (change ** 2 - variance);
    if (after !== null && date <= after) continue;
    const gap = change * (0.1 + 0.7 * uniformAt(seed + 1, i)) + 0.2 * move * normalAt(seed, 4 * i);
    const open = price(before * (1 + gap), before);
    const up = 1 + 0.5 * move * Math.abs(normalAt(seed, 4 * i + 1));
    const down = 1 - 0.5 * move * Math.abs(normalAt(seed, 4 * i + 2));
    const trading = 0.3 * normalAt(seed, 4 * i + 3) + 0.3 * Math.min(Math.abs(change) / move, 4);
    if (days === "US" && !date.startsWith(year)) {
      year = date.slice(0, 4);
      halves = halfDaysOf(year);
    }
    const share = halves.includes(date) ? HALF_DAY : 1;
    bars.push({
      date,
      open,
      high: Math.max(open, close, price(Math.max(open, close) * up, before)),
      low: Math.min(open, close, price(Math.min(open, close) * down, before)),
      close,
      volume: usualVolume === null ? null : Math.round(usualVolume * share * Math.exp(trading)),
    });
  }
  const { country, symbol } = listing;
  return { country, symbol, sharesAsOf: SHARES_OF_ALL_SPLITS, bars };
}

const halfDaysOf = memoize((year: string) => halfDays("US", Number(year)).map(({ date }) => date));

/** Units traded on a usual day; null for instruments without a volume. */
export function usualVolumeOf(listing: SampleListing): number | null {
  const { country, sharesOutstanding, volume } = listing;
  if (sharesOutstanding === null) return volume;
  const varied = Math.exp(1.4 * (uniformAt(listingSeed(listing), 41) - 0.5));
  return sharesOutstanding * TURNOVER[country] * varied;
}
