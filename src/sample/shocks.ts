import type { Country } from "#domain/country.ts";
import { dateOf } from "#lib/date.ts";
import { yearsBetween } from "./dates.ts";
import { normalAt, seedOf, uniformAt } from "./random.ts";
import type { TradingDays } from "./trading-days.ts";
import type { SampleListing } from "./universe.ts";

/** A fall of all markets and its recovery, at the dates of a real one. */
interface Episode {
  readonly from: string;
  readonly low: string;
  readonly until: string;
  /** The fall of a market, in log. */
  readonly depth: Readonly<Record<Country, number>>;
  /** Additional daily volatility, in log. */
  readonly volatility: Readonly<Record<Country, number>>;
}

const EPISODES: readonly Episode[] = [
  {
    from: "2018-10-03",
    low: "2018-12-24",
    until: "2019-04-30",
    depth: { US: 0.18, JP: 0.18, VN: 0.12 },
    volatility: { US: 0.006, JP: 0.006, VN: 0.003 },
  },
  {
    from: "2020-02-19",
    low: "2020-03-23",
    until: "2020-08-31",
    depth: { US: 0.41, JP: 0.36, VN: 0.4 },
    volatility: { US: 0.022, JP: 0.018, VN: 0.008 },
  },
  {
    from: "2022-01-03",
    low: "2022-10-14",
    until: "2023-12-29",
    depth: { US: 0.24, JP: 0.06, VN: 0.36 },
    volatility: { US: 0.004, JP: 0.003, VN: 0.003 },
  },
];

/** The log distance of a market from its trend on each of the days; 0 outside the episodes. */
export function episodeLevels(kind: TradingDays, dates: readonly string[]): Float64Array {
  const country = kind === "weekdays" || kind === "days" ? "US" : kind;
  const seed = seedOf(`${kind} unrest`);
  return Float64Array.from(dates, (date, i) => {
    let level = 0;
    for (const { from, low, until, depth, volatility } of EPISODES) {
      if (date <= from || date >= until) continue;
      const share =
        date <= low
          ? yearsBetween(from, date) / yearsBetween(from, low)
          : yearsBetween(date, until) / yearsBetween(low, until);
      level -= share * (depth[country] - volatility[country] * normalAt(seed, i));
    }
    return level;
  });
}

/** The day on which the Tokyo exchange did not trade because of a system failure. */
const TOKYO_OUTAGE = "2020-10-01";

/** The share of companies that are suspended for a session in a year. */
const SUSPENDED_SHARE = 0.03;

/**
 * The dates on which an instrument did not trade, because the exchange failed or the company was
 * suspended for a day. Some of them are not sessions.
 */
export function suspendedDates(
  { country, assetType, marketCap }: SampleListing,
  seed: number,
  [firstYear, lastYear]: readonly [firstYear: number, lastYear: number],
): ReadonlySet<string> {
  const dates = new Set<string>();
  const isOfExchange = assetType !== "currency" && assetType !== "cryptocurrency";
  if (country === "JP" && isOfExchange) dates.add(TOKYO_OUTAGE);
  for (let year = firstYear; marketCap !== null && year <= lastYear; year++) {
    if (uniformAt(seed + 13, year) >= SUSPENDED_SHARE) continue;
    const day = 1 + Math.floor(360 * uniformAt(seed + 14, year));
    dates.add(dateOf(Date.UTC(year, 0, day)));
  }
  return dates;
}
