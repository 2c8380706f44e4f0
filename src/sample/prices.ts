import type { BarHistory, DailyBar } from "#domain/daily-bar.ts";
import { indexUpTo } from "./dates.ts";
import { type Link, linkOf } from "./links.ts";
import { LINKED_PROCESSES, MARKET_PROCESS, SECTOR_PROCESS, traitsOf } from "./price-traits.ts";
import { companyProfile, listingSeed } from "./profiles.ts";
import { normalAt, pinToZero, seedOf, meanRevertingPath } from "./random.ts";
import { memoize } from "./memoize.ts";
import { reportDates, reportsBeforeOpen } from "./reports.ts";
import { episodeLevels, suspendedDates } from "./shocks.ts";
import { PriceRules } from "./ticks.ts";
import {
  newestKnown,
  type TradingCalendar,
  tradingCalendar,
  type TradingDays,
  tradingDaysOf,
} from "./trading-days.ts";
import type { SampleListing } from "./universe.ts";
import { usualVolumeOf } from "./volumes.ts";

/**
 * The trading days and closes of the sample market up to one instant. A close is a function of
 * instrument and day alone. If it is not computed from other prices,
 *
 * log close = log price at the anchor + growth · years since the anchor
 *   + beta · market + sector + own + decayed surprises of reports,
 *
 * where each of the last four terms is 0 at the anchor. They revert to 0, so prices stay near their
 * trend forever. A market also falls in the episodes of `shocks.ts`. An index is the value of its
 * members, a fund that of its holdings, a cross rate the product of two rates (`links.ts`), each scaled
 * to the universe's price at the anchor.
 */
export class Prices {
  readonly #calendar: (kind: TradingDays) => TradingCalendar;
  /**
   * One close per completed session of the listing; through the anchor date if the instant is before it.
   * NaN before its first session. The previous close on a day of suspension.
   */
  readonly closes: (listing: SampleListing) => Float64Array;
  /** Indices of the sessions that react to a report of the company; empty for other instruments. */
  readonly reactions = memoize((listing: SampleListing) =>
    reactionDays(listing, this.#calendar(tradingDaysOf(listing)).all),
  );
  /** The levels of a market or sector by name (`US market`, `JP technology`), 0 at the anchor. */
  readonly #factor = memoize((name: string) => {
    const [kind = "US"] = name.split(" ") as TradingDays[];
    const { all, anchor } = this.#calendar(kind);
    const process = name.endsWith(" market") ? MARKET_PROCESS : SECTOR_PROCESS;
    return pinToZero(meanRevertingPath(seedOf(name), all.length, process), process, anchor);
  });
  readonly #episodes = memoize((kind: TradingDays) =>
    episodeLevels(kind, this.#calendar(kind).all),
  );
  readonly #known = memoize((path: `${TradingDays} ${TradingDays}`) => {
    const [own = "US", other = "US"] = path.split(" ") as TradingDays[];
    return newestKnown([own, this.#calendar(own)], [other, this.#calendar(other)]);
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
    const rules = new PriceRules(listing);
    const suspended = suspensions(listing, all);
    const closes = new Float64Array(all.length).fill(Number.NaN);
    const first = firstSession(listing, all);
    for (let i = first; i < all.length; i++) {
      const before = closes[i - 1] ?? Number.NaN;
      const close = rules.round(scale * Math.exp(levels[i] ?? 0));
      if (i === first) closes[i] = close;
      else if (suspended.size > 0 && suspended.has(all[i] ?? "")) closes[i] = before;
      else closes[i] = rules.limit(close, before);
    }
    return closes;
  }

  /** The log of an independent price, up to a constant. */
  #ownLevels(listing: SampleListing): Float64Array {
    const days = tradingDaysOf(listing);
    const { years, anchor } = this.#calendar(days);
    const { growth, pastGrowth = growth, beta, crashBeta = beta, own } = traitsOf(listing);
    const market = this.#factor(`${days} market`);
    const episodes = this.#episodes(days);
    const sector = listing.sector === null ? null : this.#factor(`${days} ${listing.sector}`);
    const alone = meanRevertingPath(listingSeed(listing) + 4, years.length, own);
    addSurprises(alone, listing, this.reactions(listing), own.halfLife);
    return pinToZero(alone, own, anchor).map((level, i) => {
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

  /** The log of a price that is computed from others, up to a constant. */
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
    const own = LINKED_PROCESSES[listing.symbol];
    const levels = own
      ? meanRevertingPath(listingSeed(listing) + 4, length, own)
      : new Float64Array(length);
    for (const { listing: one, power } of link.factors) {
      const of = this.closes(one);
      const knownAt = this.#known(`${days} ${tradingDaysOf(one)}`);
      for (let i = 0; i < length; i++)
        levels[i] = (levels[i] ?? 0) + power * Math.log(of[knownAt(i)] ?? 1);
    }
    return levels;
  }
}

/** The index of the listing's first session in the days. */
function firstSession({ listedOn }: SampleListing, days: readonly string[]): number {
  if (listedOn === null) return 0;
  const upTo = indexUpTo(days, listedOn);
  return days[upTo] === listedOn ? upTo : upTo + 1;
}

/** The days on which the listing was suspended, never its first session. */
function suspensions(listing: SampleListing, days: readonly string[]): ReadonlySet<string> {
  const yearOf = (date: string | undefined) => Number(date?.slice(0, 4));
  const dates = new Set(
    suspendedDates(listing, listingSeed(listing), [yearOf(days[0]), yearOf(days.at(-1))]),
  );
  dates.delete(days[firstSession(listing, days)] ?? "");
  return dates;
}

/** The log of a price that moves by a multiple of the closes' daily changes. */
function leveragedLevels(of: Float64Array, times: number): Float64Array {
  const levels = new Float64Array(of.length);
  for (let i = 1; i < of.length; i++) {
    const change = (of[i] ?? 0) / (of[i - 1] ?? 1) - 1;
    levels[i] = (levels[i - 1] ?? 0) + Math.log1p(times * change);
  }
  return levels;
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

/** Standard deviation of a report's effect on the price, in log. */
const SURPRISE: Readonly<Record<string, number>> = { US: 0.045, JP: 0.035, VN: 0.02 };

/** Adds the surprises of a company's reports, which decay with the half-life, in place. */
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

/** Indices of the sessions that react to a report: its day, or the next one for a report after the close. */
function reactionDays(listing: SampleListing, days: readonly string[]): ReadonlySet<number> {
  if (listing.marketCap === null) return NO_REACTIONS;
  const later = reportsBeforeOpen(listing) ? 0 : 1;
  const last = days.at(-1) ?? "";
  return new Set(reportDates(listing, last).map((date) => indexUpTo(days, date) + later));
}

/** After every date: prices of the sample never change, so they are in the shares of all splits. */
const SHARES_OF_ALL_SPLITS = "9999-12-31";

/** The instrument's bars of the sessions after a date, or all of them; none for days of suspension. */
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
  const { country, symbol } = listing;
  return { country, symbol, sharesAsOf: SHARES_OF_ALL_SPLITS, bars };
}

/** Generates the bar of a session from its close and the previous close. */
class BarMaker {
  readonly #seed: number;
  readonly #closes: Float64Array;
  readonly #dailyMove: number;
  readonly #usualVolume: number | null;
  readonly #reactions: ReadonlySet<number>;
  readonly #rules: PriceRules;

  constructor(listing: SampleListing, prices: Prices, firstSession: number) {
    this.#seed = listingSeed(leaderOf(listing)) + 5;
    this.#closes = prices.closes(listing);
    this.#dailyMove = usualMove(this.#closes, firstSession);
    this.#usualVolume = usualVolumeOf(listing);
    this.#reactions = prices.reactions(listing);
    this.#rules = new PriceRules(listing);
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
    return this.#rules.limit(this.#rules.round(price), previous);
  }

  /** Volume is higher on days of large moves. */
  #volume(moves: number, chance: number): number | null {
    if (this.#usualVolume === null) return null;
    return Math.round(this.#usualVolume * Math.exp(Math.min(0.3 * chance + 0.3 * moves, 2)));
  }
}

/** The share of a session's change that is already in its open, usually and after a report. */
const USUAL_GAP = 0.3;
const REPORT_GAP = 0.85;

/** The listing that a fund tracks, so that both have the same gaps; otherwise the listing itself. */
function leaderOf(listing: SampleListing): SampleListing {
  const link = linkOf(listing);
  const [first, second] = link?.kind === "product" ? link.factors : [];
  return first && !second ? leaderOf(first.listing) : listing;
}

/** Days over which the usual change is measured: the first ones, so that it never changes. */
const MEASURED_DAYS = 500;

/** The root mean square of the daily changes, as a share of the price. */
function usualMove(closes: Float64Array, first: number): number {
  let squares = 0;
  for (let i = first + 1; i <= first + MEASURED_DAYS; i++)
    squares += ((closes[i] ?? 0) / (closes[i - 1] ?? 1) - 1) ** 2;
  return Math.sqrt(squares / MEASURED_DAYS);
}
