import type { Country } from "#domain/country.ts";
import { lazy } from "#lib/lazy.ts";
import {
  indexUpTo,
  newestKnown,
  type TradingCalendar,
  tradingCalendar,
  type TradingDays,
  tradingDaysOf,
} from "./dates.ts";
import { type Link, linkOf } from "./links.ts";
import { memoize } from "./memoize.ts";
import { listingSeed, profileOf } from "./profiles.ts";
import { type Factor, factorPath, meanRevertingPath, normalAt, seedOf } from "./random.ts";
import { reportDates } from "./reports.ts";
import stressCsv from "./stress.csv" with { type: "text" };
import { readTable } from "./table.ts";
import type { SampleListing } from "./universe.ts";

/** Daily deviation of each market: of all shares of a country, of the dollar, and of cryptocurrencies. */
const MARKET_DEVIATION: Readonly<Record<TradingDays, number>> = {
  US: 0.0063,
  JP: 0.0062,
  VN: 0.0086,
  weekdays: 0.003,
  days: 0.03,
};
const SECTOR_DEVIATION = 0.0055;
const SESSIONS_PER_YEAR = 252;
/** The deviation of a company's price on a report: this many times the deviation of other days, to a maximum. */
const [REPORT_MOVE, MAX_REPORT_MOVE] = [3, 0.07];
/** Days after which half of a factor's distance from its trend is left. */
const HALF_LIFE = 120;

/** The rise of the volatility index / the fall of its market, both in log. */
const FEAR = 2;
/** Of the volatility index / its value at the anchor, in log: 10 and 80, at 17. */
const [CALMEST, WILDEST] = [Math.log(10 / 17), Math.log(80 / 17)];

/**
 * The largest change in a session by exchange, less a tick. More of it follows in the next one. New York has
 * no such limit, but a larger change would have no news behind it.
 */
const LIMITS: Readonly<Record<string, number>> = {
  NASDAQ: 0.3,
  NYSE: 0.3,
  TSE: 0.135,
  HOSE: 0.066,
  HNX: 0.095,
  UPCOM: 0.145,
};

/** The real changes of markets on days of stress, in percent by date. */
const stressDays = lazy(() =>
  Map.groupBy(readTable(stressCsv), (row) => row("country") as Country),
);

/**
 * The trading days up to one instant and the closes. A close is a function of instrument and day alone. If
 * it is not computed from other prices (`links.ts`),
 *
 * log close = log price at the anchor + growth · years since the anchor + beta · market + sector + own.
 *
 * The last three terms are factors with fat tails and clusters of volatility (`factorPath`). They are 0 at
 * the anchor and revert to 0, so prices stay near their trend forever. On days of stress a market moves as
 * it did (`stress.csv`), and on its reports a company's own factor moves more.
 */
export class Prices {
  readonly #calendar: (kind: TradingDays) => TradingCalendar;
  /**
   * One close per completed session of the listing; through the anchor date if the instant is before it.
   * NaN before its first session.
   */
  readonly closes: (listing: SampleListing) => Float64Array;
  /** A market or a sector by name: `US market`, `JP technology`. */
  readonly #factor = memoize((name: string): Factor => {
    const [kind, group] = name.split(" ") as [TradingDays, string];
    const { all, anchor } = this.#calendar(kind);
    const deviation = group === "market" ? MARKET_DEVIATION[kind] : SECTOR_DEVIATION;
    const events = new Map<number, number>();
    for (const row of (group === "market" && stressDays().get(kind as Country)) || [])
      events.set(all.indexOf(row("date")), Math.log1p(Number(row("percent")) / 100));
    const process = { deviation, halfLife: HALF_LIFE, zeroAt: anchor };
    return factorPath(seedOf(name), all.length, process, events);
  });
  readonly #known = memoize((path: string) => {
    const [own, other] = path.split(" ") as [TradingDays, TradingDays];
    return newestKnown(this.#calendar(own), this.#calendar(other));
  });

  constructor(now: number) {
    this.#calendar = memoize((kind: TradingDays) => tradingCalendar(kind, now));
    this.closes = memoize((listing: SampleListing) => this.#makeCloses(listing));
  }

  /** The completed days since the epoch, oldest first. */
  sessions(kind: TradingDays): readonly string[] {
    return this.#calendar(kind).completed;
  }

  /** The listing's close on the date, or the last one before it; null before its listing. */
  closeUpTo(listing: SampleListing, date: string): number | null {
    const close = this.closes(listing)[indexUpTo(this.sessions(tradingDaysOf(listing)), date)];
    return close === undefined || Number.isNaN(close) ? null : close;
  }

  #makeCloses(listing: SampleListing): Float64Array {
    const { all, anchor } = this.#calendar(tradingDaysOf(listing));
    const link = linkOf(listing);
    const levels = link ? this.#linkedLevels(listing, link) : this.#ownLevels(listing);
    const scale = listing.price / Math.exp(levels[anchor] ?? 0);
    const closes = new Float64Array(all.length).fill(Number.NaN);
    const round = roundingOf(listing);
    const first = firstSession(listing, all);
    for (let i = first; i < all.length; i++) {
      const target = scale * Math.exp(levels[i] ?? 0);
      const before = i === first ? target : (closes[i - 1] ?? target);
      closes[i] = round(withinLimit(listing, target, before));
    }
    return closes;
  }

  /** The log of an independent price, up to a constant. */
  #ownLevels(listing: SampleListing): Float64Array {
    const days = tradingDaysOf(listing);
    const { all, years, anchor } = this.#calendar(days);
    if (listing.symbol === "^VIX") return this.#volatilityLevels();
    const { growth, shareGrowth, beta, volatility, group } = profileOf(listing);
    const deviation = volatility / Math.sqrt(SESSIONS_PER_YEAR);
    const seed = listingSeed(listing);
    const events = new Map<number, number>();
    for (const day of reportDays(listing, all))
      events.set(
        day,
        Math.min(REPORT_MOVE * deviation, MAX_REPORT_MOVE) * normalAt(seed + 12, day),
      );
    const process = { deviation, halfLife: HALF_LIFE, zeroAt: anchor };
    const { levels } = factorPath(seed + 4, all.length, process, events);
    const market = this.#factor(`${days} market`).levels;
    const sector = group ? this.#factor(`${days} ${group}`).levels : null;
    for (let i = 0; i < levels.length; i++) {
      const trend = (growth - shareGrowth) * (years[i] ?? 0);
      levels[i] = trend + beta * (market[i] ?? 0) + (sector?.[i] ?? 0) + (levels[i] ?? 0);
    }
    return levels;
  }

  /** The log of the US market's expected volatility / that at the anchor, within the index's real range. */
  #volatilityLevels(): Float64Array {
    const { levels, variances } = this.#factor("US market");
    const usual = MARKET_DEVIATION.US ** 2;
    const noise = { deviation: 0.12, halfLife: 8 };
    const error = meanRevertingPath(seedOf("^VIX"), levels.length, noise);
    const raw = variances.map(
      (variance, i) =>
        Math.log(0.25 * variance + 0.75 * usual) / 2 - FEAR * (levels[i] ?? 0) + (error[i] ?? 0),
    );
    const atAnchor = raw[this.#calendar("US").anchor] ?? 0;
    return raw.map((level) => {
      const bound = level < atAnchor ? CALMEST : WILDEST;
      return bound * Math.tanh((level - atAnchor) / bound);
    });
  }

  /** The log of a price that is computed from others, up to a constant. */
  #linkedLevels(listing: SampleListing, link: Link): Float64Array {
    const days = tradingDaysOf(listing);
    const { length } = this.#calendar(days).all;
    if (link.kind === "basket")
      return basketLevels(
        link.members.map(({ of, units }) => ({ closes: this.closes(of), units })),
        length,
      );
    const error = { deviation: link.error, halfLife: 5 };
    const levels = meanRevertingPath(listingSeed(listing) + 4, length, error);
    for (const { of, power } of link.factors) {
      const closes = this.closes(of);
      const known = this.#known(`${days} ${tradingDaysOf(of)}`);
      for (let i = 0; i < length; i++)
        levels[i] = (levels[i] ?? 0) + power * Math.log(closes[known[i] ?? 0] ?? 1);
    }
    return levels;
  }
}

/** The index of the listing's first session in the days. */
export function firstSession({ listedOn }: SampleListing, days: readonly string[]): number {
  return listedOn === null ? 0 : days.findIndex((date) => date >= listedOn);
}

/** Clamps a price to the listing's limits around the close before. */
export function withinLimit(listing: SampleListing, price: number, before: number): number {
  if (Math.abs(price - before) < 0.06 * before) return price;
  const limit = LIMITS[listing.exchange ?? ""] ?? Infinity;
  return Math.min(Math.max(price, before * (1 - limit)), before * (1 + limit));
}

/** The function that rounds a listing's price to a usual step of its currency, to at least one step. */
export function roundingOf({ currency, assetType }: SampleListing): (price: number) => number {
  const isShare = assetType === "stock" || assetType === "reit" || assetType === "etf";
  if (!isShare) return (price) => roundTo(price, price < 10 ? 10_000 : 100);
  if (currency === "JPY") {
    return (price) => {
      // The steps of Tokyo's large companies since June 2023, but whole yen already from 1,000.
      if (price < 1_000) return roundTo(price, 10);
      const yen = price < 10_000 ? 1 : price < 30_000 ? 5 : 10;
      return yen * roundTo(price / yen, 1);
    };
  }
  if (currency === "VND") {
    return (price) => {
      const dong = price < 10_000 ? 10 : price < 50_000 ? 50 : 100;
      return dong * roundTo(price / dong, 1);
    };
  }
  return (price) => roundTo(price, 100);
}

/** Rounds to parts of a unit. It divides instead of multiplying, so that 26 cents are 0.26. */
function roundTo(price: number, perUnit: number): number {
  return Math.max(1, Math.round(price * perUnit)) / perUnit;
}

/**
 * The log of the members' total value. A member counts from the day after its first session, so that its
 * listing does not change the level.
 */
function basketLevels(
  members: readonly { readonly closes: Float64Array; readonly units: number }[],
  length: number,
): Float64Array {
  const levels = new Float64Array(length);
  for (let i = 1; i < length; i++) {
    let [worth, worthBefore] = [0, 0];
    for (const { closes, units } of members) {
      const before = closes[i - 1] ?? Number.NaN;
      if (Number.isNaN(before)) continue;
      worth += units * (closes[i] ?? before);
      worthBefore += units * before;
    }
    levels[i] = (levels[i - 1] ?? 0) + (worthBefore > 0 ? Math.log(worth / worthBefore) : 0);
  }
  return levels;
}

/** Indices of the sessions that react to a report: its day, or the next one for a report after the close. */
function reportDays(listing: SampleListing, days: readonly string[]): number[] {
  if (listing.marketCap === null) return [];
  const later = listing.reportsBeforeOpen ? 0 : 1;
  return reportDates(listing, days.at(-1) ?? "").map((date) => indexUpTo(days, date) + later);
}
