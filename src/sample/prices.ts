import type { BarHistory, DailyBar } from "#domain/daily-bar.ts";
import { indexUpTo } from "./dates.ts";
import { type Link, linkOf } from "./links.ts";
import { LINKED_OWN, MARKET_WANDER, SECTOR_WANDER, traitsOf } from "./price-traits.ts";
import { companyProfile, listingSeed } from "./profiles.ts";
import { normalAt, pinned, seedOf, wander } from "./random.ts";
import { remembered } from "./remembered.ts";
import { reportDates, reportsBeforeOpen } from "./reports.ts";
import { episodeLevels, suspendedDates } from "./shocks.ts";
import { PriceSteps } from "./ticks.ts";
import {
  newestKnown,
  type TradingCalendar,
  tradingCalendar,
  type TradingDays,
  tradingDaysOf,
} from "./trading-days.ts";
import type { SampleListing } from "./universe.ts";
import { usualVolumeOf } from "./volumes.ts";

/** The trading days and every close of each instrument, up to one moment. */
export interface Prices {
  /** The days that are over since the epoch, oldest first. */
  sessions(kind: TradingDays): readonly string[];
  /**
   * One close per session of the listing's own days, or more where the moment lies before the anchor.
   * NaN before its first session; the close before where it was suspended.
   */
  closes(listing: SampleListing): Float64Array;
  /** The listing's close on the date or the last before it; null where it was not listed yet. */
  closeUpTo(listing: SampleListing, date: string): number | null;
  /** Which of a company's sessions first know one of its reports; empty for what reports nothing. */
  reactions(listing: SampleListing): ReadonlySet<number>;
}

/**
 * The prices of the sample market at `now`. A close is a function of instrument and day alone. Where
 * it follows from no other,
 *
 * log close = log price at the anchor + growth · years since the anchor
 *   + beta · market + sector + own + what is left of its reports' surprises,
 *
 * each of the four 0 at the anchor. They wander about 0 from day to day: so prices stay about their
 * trend for ever. A market also falls in the episodes of `shocks.ts`. An index is what
 * its members are worth, a fund what it holds, a cross rate the product of its two rates
 * (`links.ts`), each scaled to the universe's price at the anchor.
 */
export function createPrices(now: number): Prices {
  return new SamplePrices(now);
}

class SamplePrices implements Prices {
  readonly #calendar: (kind: TradingDays) => TradingCalendar;
  readonly closes: (listing: SampleListing) => Float64Array;
  readonly reactions = remembered((listing: SampleListing) =>
    reactionDays(listing, this.#calendar(tradingDaysOf(listing)).all),
  );
  /** The levels of a market or a sector by name, 0 at the anchor: `US market`, `JP technology`. */
  readonly #factor = remembered((name: string) => {
    const [kind = "US"] = name.split(" ") as TradingDays[];
    const { all, anchor } = this.#calendar(kind);
    const process = name.endsWith(" market") ? MARKET_WANDER : SECTOR_WANDER;
    return pinned(wander(seedOf(name), all.length, process), process, anchor);
  });
  readonly #episodes = remembered((kind: TradingDays) =>
    episodeLevels(kind, this.#calendar(kind).all),
  );
  readonly #known = remembered((path: `${TradingDays} ${TradingDays}`) => {
    const [own = "US", other = "US"] = path.split(" ") as TradingDays[];
    return newestKnown([own, this.#calendar(own)], [other, this.#calendar(other)]);
  });

  constructor(now: number) {
    this.#calendar = remembered((kind: TradingDays) => tradingCalendar(kind, now));
    this.closes = remembered((listing: SampleListing) => this.#makeCloses(listing));
  }

  sessions(kind: TradingDays): readonly string[] {
    return this.#calendar(kind).completed;
  }

  closeUpTo(listing: SampleListing, date: string): number | null {
    const close = this.closes(listing)[indexUpTo(this.sessions(tradingDaysOf(listing)), date)];
    return close === undefined || Number.isNaN(close) ? null : close;
  }

  #makeCloses(listing: SampleListing): Float64Array {
    const { all, anchor } = this.#calendar(tradingDaysOf(listing));
    const link = linkOf(listing);
    const levels = link ? this.#linkedLevels(listing, link) : this.#ownLevels(listing);
    const scale = listing.price / Math.exp(levels[anchor] ?? 0);
    const steps = new PriceSteps(listing);
    const suspended = suspensions(listing, all);
    const closes = new Float64Array(all.length).fill(Number.NaN);
    const first = firstSession(listing, all);
    for (let i = first; i < all.length; i++) {
      const before = closes[i - 1] ?? Number.NaN;
      const close = steps.round(scale * Math.exp(levels[i] ?? 0));
      if (i === first) closes[i] = close;
      else if (suspended.size > 0 && suspended.has(all[i] ?? "")) closes[i] = before;
      else closes[i] = steps.limit(close, before);
    }
    return closes;
  }

  /** The log of a price that follows from no other, but for a constant. */
  #ownLevels(listing: SampleListing): Float64Array {
    const days = tradingDaysOf(listing);
    const { years, anchor } = this.#calendar(days);
    const { growth, pastGrowth = growth, beta, crashBeta = beta, own } = traitsOf(listing);
    const market = this.#factor(`${days} market`);
    const episodes = this.#episodes(days);
    const sector = listing.sector === null ? null : this.#factor(`${days} ${listing.sector}`);
    const alone = wander(listingSeed(listing) + 4, years.length, own);
    addSurprises(alone, listing, this.reactions(listing), own.halfLife);
    return pinned(alone, own, anchor).map((level, i) => {
      const year = years[i] ?? 0;
      return (
        (year < 0 ? pastGrowth : growth) * year +
        beta * (market[i] ?? 0) +
        crashBeta * (episodes[i] ?? 0) +
        (sector?.[i] ?? 0) +
        level
      );
    });
  }

  /** The log of a price that follows from others, but for a constant. */
  #linkedLevels(listing: SampleListing, link: Link): Float64Array {
    const days = tradingDaysOf(listing);
    const { length } = this.#calendar(days).all;
    if (link.kind === "leverage") return leveragedLevels(this.closes(link.of), link.times);
    if (link.kind === "basket") {
      const members = link.members.map((member) => ({
        closes: this.closes(member),
        units: link.weight === "cap" ? (member.sharesOutstanding ?? 0) : 1,
      }));
      return basketLevels(members, length);
    }
    const own = LINKED_OWN[listing.symbol];
    const levels = own ? wander(listingSeed(listing) + 4, length, own) : new Float64Array(length);
    for (const { listing: one, power } of link.factors) {
      const of = this.closes(one);
      const knownAt = this.#known(`${days} ${tradingDaysOf(one)}`);
      for (let i = 0; i < length; i++)
        levels[i] = (levels[i] ?? 0) + power * Math.log(of[knownAt(i)] ?? 1);
    }
    return levels;
  }
}

/** Where the listing's first session stands among the days. */
function firstSession({ listedOn }: SampleListing, days: readonly string[]): number {
  if (listedOn === null) return 0;
  const upTo = indexUpTo(days, listedOn);
  return days[upTo] === listedOn ? upTo : upTo + 1;
}

/** The days on which the listing was suspended. Its first session is none. */
function suspensions(listing: SampleListing, days: readonly string[]): ReadonlySet<string> {
  const yearOf = (date: string | undefined) => Number(date?.slice(0, 4));
  const dates = new Set(
    suspendedDates(listing, listingSeed(listing), [yearOf(days[0]), yearOf(days.at(-1))]),
  );
  dates.delete(days[firstSession(listing, days)] ?? "");
  return dates;
}

/** The log of a multiple of the daily changes of closes. */
function leveragedLevels(of: Float64Array, times: number): Float64Array {
  const levels = new Float64Array(of.length);
  for (let i = 1; i < of.length; i++) {
    const change = (of[i] ?? 0) / (of[i - 1] ?? 1) - 1;
    levels[i] = (levels[i - 1] ?? 0) + Math.log1p(times * change);
  }
  return levels;
}

/**
 * The log of what the members are worth. A member counts from the day after its first session on: it
 * changes what the basket holds, not its level.
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

/** What a report moves a price by, in log: the standard deviation. */
const SURPRISE: Readonly<Record<string, number>> = { US: 0.045, JP: 0.035, VN: 0.02 };

/** Adds what is left on each day of the surprises of a company's reports. */
function addSurprises(
  levels: Float64Array,
  listing: SampleListing,
  reactions: ReadonlySet<number>,
  halfLife: number,
): void {
  if (reactions.size === 0) return;
  const kept = 2 ** (-1 / halfLife);
  const seed = companyProfile(listing).seed + 12;
  const size = SURPRISE[listing.country] ?? 0;
  let left = 0;
  for (let i = 0; i < levels.length; i++) {
    left = kept * left + (reactions.has(i) ? size * normalAt(seed, i) : 0);
    levels[i] = (levels[i] ?? 0) + left;
  }
}

const NO_REACTIONS: ReadonlySet<number> = new Set();

/** Where the sessions stand that first know a report: its own day, or the next where it comes late. */
function reactionDays(listing: SampleListing, days: readonly string[]): ReadonlySet<number> {
  if (listing.marketCap === null) return NO_REACTIONS;
  const later = reportsBeforeOpen(listing) ? 0 : 1;
  const last = days.at(-1) ?? "";
  return new Set(reportDates(listing, last).map((date) => indexUpTo(days, date) + later));
}

/** The instrument's bars of the sessions after a date, or of all. */
export function barHistory(
  listing: SampleListing,
  prices: Prices,
  after: string | null,
): BarHistory {
  const sessions = prices.sessions(tradingDaysOf(listing));
  const first = firstSession(listing, sessions);
  const firstFresh = after === null ? first : Math.max(first, indexUpTo(sessions, after) + 1);
  const suspended = suspensions(listing, sessions);
  const maker = new BarMaker(listing, prices, first);
  const bars: DailyBar[] = [];
  for (let i = firstFresh; i < sessions.length; i++) {
    const date = sessions[i] ?? "";
    if (suspended.size === 0 || !suspended.has(date)) bars.push(maker.make(date, i));
  }
  return { country: listing.country, symbol: listing.symbol, bars };
}

/** Makes the bar of a session around its close and the close before it. */
class BarMaker {
  readonly #seed: number;
  readonly #closes: Float64Array;
  readonly #dailyMove: number;
  readonly #usualVolume: number | null;
  readonly #reactions: ReadonlySet<number>;
  readonly #steps: PriceSteps;

  constructor(listing: SampleListing, prices: Prices, firstSession: number) {
    this.#seed = listingSeed(leaderOf(listing)) + 5;
    this.#closes = prices.closes(listing);
    this.#dailyMove = usualMove(this.#closes, firstSession);
    this.#usualVolume = usualVolumeOf(listing);
    this.#reactions = prices.reactions(listing);
    this.#steps = new PriceSteps(listing);
  }

  make(date: string, i: number): DailyBar {
    const seed = this.#seed;
    const dailyMove = this.#dailyMove;
    const close = this.#closes[i] ?? Number.NaN;
    const before = this.#closes[i - 1] ?? Number.NaN;
    const previous = Number.isNaN(before) ? close : before;
    const change = close / previous - 1;
    const gap =
      (this.#reactions.has(i) ? REPORT_GAP : USUAL_GAP) * change +
      0.25 * dailyMove * normalAt(seed, 4 * i);
    const open = this.#price(previous * (1 + gap), previous);
    const up = 1 + 0.5 * dailyMove * Math.abs(normalAt(seed, 4 * i + 1));
    const down = 1 - 0.5 * dailyMove * Math.abs(normalAt(seed, 4 * i + 2));
    return {
      date,
      open,
      high: this.#price(Math.max(open, close) * up, previous),
      low: this.#price(Math.min(open, close) * down, previous),
      close,
      volume: this.#volume(Math.abs(change) / dailyMove, normalAt(seed, 4 * i + 3)),
    };
  }

  #price(price: number, previous: number): number {
    return this.#steps.limit(this.#steps.round(price), previous);
  }

  /** More is traded on days of large moves. */
  #volume(moves: number, chance: number): number | null {
    if (this.#usualVolume === null) return null;
    return Math.round(this.#usualVolume * Math.exp(Math.min(0.3 * chance + 0.3 * moves, 2)));
  }
}

/** How much of a session's change it opens with, usually and after a report. */
const USUAL_GAP = 0.3;
const REPORT_GAP = 0.85;

/** What a fund tracks, so that both open alike; the listing itself where it tracks nothing alone. */
function leaderOf(listing: SampleListing): SampleListing {
  const link = linkOf(listing);
  const [first, second] = link?.kind === "product" ? link.factors : [];
  return first && !second ? leaderOf(first.listing) : listing;
}

/** Days over which the usual change of a price is measured: the same ones whatever the moment. */
const MEASURED_DAYS = 500;

/** The usual change of a price from one day to the next, as a share of it. */
function usualMove(closes: Float64Array, first: number): number {
  let squares = 0;
  for (let i = first + 1; i <= first + MEASURED_DAYS; i++)
    squares += ((closes[i] ?? 0) / (closes[i - 1] ?? 1) - 1) ** 2;
  return Math.sqrt(squares / MEASURED_DAYS);
}
