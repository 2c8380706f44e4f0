import type { BarHistory, DailyBar } from "#domain/daily-bar.ts";
import type { AssetType } from "#domain/instrument.ts";
import { indexUpTo } from "./dates.ts";
import { type Link, linkOf } from "./links.ts";
import { companyProfile, listingSeed } from "./profiles.ts";
import { normalAt, seedOf, uniformAt, wander, type Wander } from "./random.ts";
import { remembered } from "./remembered.ts";
import { newestKnown, tradingCalendar, type TradingDays, tradingDaysOf } from "./trading-days.ts";
import type { SampleListing } from "./universe.ts";

/** What a whole market does, and beside it each sector, a trading day being a step. */
const MARKET: Wander = { deviation: 0.09, halfLife: 120 };
const SECTOR: Wander = { deviation: 0.06, halfLife: 150 };

/** How a price moves that follows from no other. */
interface PriceTraits {
  /** Log per year. */
  readonly growth: number;
  /** How much it makes of the moves of the market that it trades with. */
  readonly beta: number;
  /** What it does alone. */
  readonly own: Wander;
}

const COMPANY_OWN: Wander = { deviation: 0.13, halfLife: 180 };

/** What is no company. */
const OTHER_TRAITS: Record<Exclude<AssetType, "stock" | "reit">, PriceTraits> = {
  index: { growth: 0.06, beta: 1, own: { deviation: 0.02, halfLife: 100 } },
  etf: { growth: 0.06, beta: 1, own: { deviation: 0.03, halfLife: 100 } },
  currency: { growth: 0, beta: 0, own: { deviation: 0.04, halfLife: 200 } },
  commodity: { growth: 0.02, beta: 0.1, own: { deviation: 0.16, halfLife: 150 } },
  cryptocurrency: { growth: 0.12, beta: 2, own: { deviation: 0.25, halfLife: 200 } },
};

/** What moves unlike others of its type. */
const SPECIAL_TRAITS: Readonly<Record<string, Partial<PriceTraits>>> = {
  "^VIX": { growth: 0, beta: -1, own: { deviation: 0.16, halfLife: 15 } },
  TLT: { growth: 0, beta: -0.1, own: { deviation: 0.07, halfLife: 200 } },
  HYG: { growth: 0, beta: 0.2 },
  "GC=F": { growth: 0.04, own: { deviation: 0.1, halfLife: 200 } },
  "SI=F": { growth: 0.03, beta: 0.2 },
  "CNY=X": { own: { deviation: 0.02, halfLife: 200 } },
  "VND=X": { growth: 0.01, own: { deviation: 0.006, halfLife: 200 } },
};

function traitsOf(listing: SampleListing): PriceTraits {
  const { symbol, assetType } = listing;
  if (assetType === "stock" || assetType === "reit") {
    const beta = 0.7 + 0.6 * uniformAt(listingSeed(listing), 40);
    return { growth: companyProfile(listing).growth, beta, own: COMPANY_OWN };
  }
  return { ...OTHER_TRAITS[assetType], ...SPECIAL_TRAITS[symbol] };
}

/** What a linked price does beside what it follows: Brent's premium comes and goes. */
const LINKED_OWN: Readonly<Record<string, Wander>> = {
  "BZ=F": { deviation: 0.012, halfLife: 30 },
};

/**
 * How many steps of its price an instrument's currency unit has: US shares a cent, Tokyo's a tenth
 * of a yen to ten yen, Viet Nam's 10 to 100 dong, each as its price of today would have it; what is
 * no share two decimals, or four where it costs little.
 */
function ticksPerUnit({ assetType, currency, price }: SampleListing): number {
  const isShare = assetType === "stock" || assetType === "reit" || assetType === "etf";
  if (!isShare) return price < 10 ? 10_000 : 100;
  if (currency === "JPY") return price < 1_000 ? 10 : price < 10_000 ? 1 : 0.1;
  if (currency === "VND") return price < 10_000 ? 0.1 : price < 50_000 ? 0.02 : 0.01;
  return 100;
}

/** A price to the instrument's own step, one step at least. */
export function roundPrice(listing: SampleListing, price: number): number {
  const perUnit = ticksPerUnit(listing);
  return Math.max(1, Math.round(price * perUnit)) / perUnit;
}

/** The trading days and every close of each instrument, up to one moment. */
export interface Prices {
  /** The days that are over since the epoch, oldest first. */
  sessions(kind: TradingDays): readonly string[];
  /** One close per session of the listing's own days, or more where the moment lies before the anchor. */
  closes(listing: SampleListing): Float64Array;
  /** The listing's close on the date or the last before it; null before the epoch. */
  closeUpTo(listing: SampleListing, date: string): number | null;
}

/**
 * The prices of the sample market at `now`. A close is a function of instrument and day alone. Where
 * it follows from no other,
 *
 * log close = log price at the anchor + growth · years since the anchor
 *   + beta · market + sector + own, each of the three less what it was at the anchor,
 *
 * where the three wander about 0 from day to day: so prices stay about their trend for ever. An index
 * is what its members are worth, a fund what it holds, a cross rate the product of its two rates
 * (`links.ts`), each scaled to the universe's price at the anchor.
 */
export function createPrices(now: number): Prices {
  const calendar = remembered((kind: TradingDays) => tradingCalendar(kind, now));
  const factor = remembered((name: string) => {
    const [kind = "US"] = name.split(" ") as TradingDays[];
    const process = name.endsWith(" market") ? MARKET : SECTOR;
    return wander(seedOf(name), calendar(kind).all.length, process);
  });
  const known = remembered((path: `${TradingDays} ${TradingDays}`) => {
    const [own = "US", other = "US"] = path.split(" ") as TradingDays[];
    return newestKnown([own, calendar(own)], [other, calendar(other)]);
  });

  /** The log of the price but for a constant. */
  const ownLevels = (listing: SampleListing): Float64Array => {
    const days = tradingDaysOf(listing);
    const { years } = calendar(days);
    const { growth, beta, own } = traitsOf(listing);
    const market = factor(`${days} market`);
    const sector = listing.sector === null ? null : factor(`${days} ${listing.sector}`);
    const levels = wander(listingSeed(listing) + 4, years.length, own);
    return levels.map(
      (level, i) => growth * (years[i] ?? 0) + beta * (market[i] ?? 0) + (sector?.[i] ?? 0) + level,
    );
  };

  const linkedLevels = (listing: SampleListing, link: Link): Float64Array => {
    const days = tradingDaysOf(listing);
    const own = LINKED_OWN[listing.symbol];
    const { length } = calendar(days).all;
    const levels = own ? wander(listingSeed(listing) + 4, length, own) : new Float64Array(length);
    if (link.kind === "leverage") {
      const of = closes(link.of);
      for (let i = 1; i < length; i++) {
        const change = (of[i] ?? 0) / (of[i - 1] ?? 1) - 1;
        levels[i] = (levels[i - 1] ?? 0) + Math.log1p(link.times * change);
      }
      return levels;
    }
    if (link.kind === "product") {
      for (const { listing: one, power } of link.factors) {
        const of = closes(one);
        const knownAt = known(`${days} ${tradingDaysOf(one)}`);
        for (let i = 0; i < length; i++)
          levels[i] = (levels[i] ?? 0) + power * Math.log(of[knownAt(i)] ?? 1);
      }
      return levels;
    }
    const worth = new Float64Array(length);
    for (const member of link.members) {
      const of = closes(member);
      const units = link.weight === "cap" ? (member.sharesOutstanding ?? 0) : 1;
      for (let i = 0; i < length; i++) worth[i] = (worth[i] ?? 0) + units * (of[i] ?? 0);
    }
    return levels.map((level, i) => level + Math.log(worth[i] ?? 1));
  };

  const closes = remembered((listing: SampleListing): Float64Array => {
    const link = linkOf(listing);
    const levels = link ? linkedLevels(listing, link) : ownLevels(listing);
    const atAnchor = levels[calendar(tradingDaysOf(listing)).anchor] ?? 0;
    return levels.map((level) => roundPrice(listing, listing.price * Math.exp(level - atAnchor)));
  });

  const sessions = (kind: TradingDays) => calendar(kind).completed;
  return {
    sessions,
    closes,
    closeUpTo: (listing, date) =>
      closes(listing)[indexUpTo(sessions(tradingDaysOf(listing)), date)] ?? null,
  };
}

/** The instrument's bars of the sessions after a date, or of all. */
export function barHistory(
  listing: SampleListing,
  prices: Prices,
  after: string | null,
): BarHistory {
  const sessions = prices.sessions(tradingDaysOf(listing));
  const firstFresh = after === null ? 0 : indexUpTo(sessions, after) + 1;
  const makeBar = barMaker(listing, prices.closes(listing));
  const bars = sessions.slice(firstFresh).map((date, i) => makeBar(date, firstFresh + i));
  return { country: listing.country, symbol: listing.symbol, bars };
}

/** Makes the bar of a session around its close and the close before it. */
function barMaker(listing: SampleListing, closes: Float64Array) {
  const seed = listingSeed(leaderOf(listing)) + 5;
  const dailyMove = usualMove(closes);
  const usualVolume = usualVolumeOf(listing);
  return (date: string, i: number): DailyBar => {
    const close = closes[i] ?? Number.NaN;
    const previous = closes[i - 1] ?? close;
    const chance = (draw: number) => normalAt(seed, 4 * i + draw);
    const gap = 0.3 * (close / previous - 1) + 0.25 * dailyMove * chance(0);
    const open = roundPrice(listing, previous * (1 + gap));
    const up = 1 + 0.5 * dailyMove * Math.abs(chance(1));
    const down = 1 - 0.5 * dailyMove * Math.abs(chance(2));
    return {
      date,
      open,
      high: roundPrice(listing, Math.max(open, close) * up),
      low: roundPrice(listing, Math.min(open, close) * down),
      close,
      volume:
        usualVolume === null
          ? null
          : Math.round(
              usualVolume *
                Math.exp(0.3 * chance(3) + (0.3 * Math.abs(close / previous - 1)) / dailyMove),
            ),
    };
  };
}

/** What a fund tracks, so that both open alike; the listing itself where it tracks nothing alone. */
function leaderOf(listing: SampleListing): SampleListing {
  const link = linkOf(listing);
  const [first, second] = link?.kind === "product" ? link.factors : [];
  return first && !second ? leaderOf(first.listing) : listing;
}

/** Days over which the usual change of a price is measured: the same ones whatever the moment. */
const MEASURED_DAYS = 500;

/** The usual change of a price from one day to the next, as a share of it. */
function usualMove(closes: Float64Array): number {
  let squares = 0;
  for (let i = 1; i <= MEASURED_DAYS; i++)
    squares += ((closes[i] ?? 0) / (closes[i - 1] ?? 1) - 1) ** 2;
  return Math.sqrt(squares / MEASURED_DAYS);
}

/** What is traded of a fund or a coin on a day, in each currency. */
const USUAL_TURNOVER: Readonly<Record<string, number>> = { USD: 1e9, JPY: 1.5e10, VND: 2e10 };
const USUAL_CONTRACTS = 100_000;

/** Units traded on a usual day; null for what has no volume of its own. */
function usualVolumeOf(listing: SampleListing): number | null {
  const { assetType, currency, price, sharesOutstanding } = listing;
  if (assetType === "index" || assetType === "currency") return null;
  if (assetType === "commodity") return USUAL_CONTRACTS;
  const turnoverRate = 0.002 + 0.004 * uniformAt(listingSeed(listing), 41);
  return sharesOutstanding === null
    ? (USUAL_TURNOVER[currency] ?? 1e9) / price
    : sharesOutstanding * turnoverRate;
}
