import { lastCompletedSession, sessionsBetween } from "#analytics/sessions.ts";
import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import type { BarHistory, DailyBar } from "#domain/daily-bar.ts";
import type { AssetType } from "#domain/instrument.ts";
import { ANCHOR, EPOCH, yearsBetween } from "./dates.ts";
import { companyProfile, listingSeed } from "./profiles.ts";
import { normalAt, seedOf, stepDeviation, uniformAt, wander, type Wander } from "./random.ts";
import type { SampleListing } from "./universe.ts";

/** What a whole country's market does, and beside it each sector, a session being a step. */
const MARKET: Wander = { deviation: 0.09, halfLife: 120 };
const SECTOR: Wander = { deviation: 0.06, halfLife: 150 };

/** How a price moves. */
interface PriceTraits {
  /** Log per year. */
  readonly growth: number;
  /** How much of the market's moves it makes. */
  readonly beta: number;
  /** What it does alone. */
  readonly own: Wander;
}

const INDEX_GROWTH: Record<Country, number> = { US: 0.06, JP: 0.04, VN: 0.075 };

const COMPANY_OWN: Wander = { deviation: 0.13, halfLife: 180 };

/** What is no company; where no growth is given, it grows as its country's indices do. */
const OTHER_TRAITS: Record<
  Exclude<AssetType, "stock" | "reit">,
  Omit<PriceTraits, "growth"> & Partial<PriceTraits>
> = {
  index: { beta: 1, own: { deviation: 0.02, halfLife: 100 } },
  etf: { beta: 1, own: { deviation: 0.03, halfLife: 100 } },
  currency: { growth: 0, beta: 0, own: { deviation: 0.04, halfLife: 200 } },
  commodity: { growth: 0.02, beta: 0.1, own: { deviation: 0.16, halfLife: 150 } },
  cryptocurrency: { growth: 0.12, beta: 0.5, own: { deviation: 0.32, halfLife: 150 } },
};

/** What moves unlike others of its type. */
const SPECIAL_TRAITS: Readonly<Record<string, Partial<PriceTraits>>> = {
  "^VIX": { growth: 0, beta: -1, own: { deviation: 0.16, halfLife: 15 } },
  TLT: { growth: 0, beta: -0.1, own: { deviation: 0.07, halfLife: 200 } },
  HYG: { growth: 0, beta: 0.2 },
  GLD: { growth: 0.04, beta: 0.1, own: { deviation: 0.1, halfLife: 200 } },
  SLV: { growth: 0.03, beta: 0.2, own: { deviation: 0.16, halfLife: 150 } },
  "1357": { growth: -0.06, beta: -2 },
  "1540": { growth: 0.05, beta: 0, own: { deviation: 0.1, halfLife: 200 } },
  "1570": { growth: 0.06, beta: 2 },
  "CNY=X": { own: { deviation: 0.02, halfLife: 200 } },
  "VND=X": { growth: 0.01, own: { deviation: 0.006, halfLife: 200 } },
};

/** The trend of what is no company, log per year. */
export function trendOf(listing: SampleListing): number {
  return traitsOf(listing).growth;
}

function traitsOf(listing: SampleListing): PriceTraits {
  const { country, symbol, assetType } = listing;
  if (assetType === "stock" || assetType === "reit") {
    const beta = 0.7 + 0.6 * uniformAt(listingSeed(listing), 40);
    return { growth: companyProfile(listing).growth, beta, own: COMPANY_OWN };
  }
  return {
    growth: INDEX_GROWTH[country],
    ...OTHER_TRAITS[assetType],
    ...SPECIAL_TRAITS[symbol],
  };
}

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

/** The sessions of each country and every close of each instrument, up to one moment. */
export interface Prices {
  /** Completed sessions since the epoch, oldest first. */
  readonly sessions: Readonly<Record<Country, readonly string[]>>;
  /** One close per session, or more where the moment lies before the anchor. */
  closes(listing: SampleListing): Float64Array;
}

/**
 * The prices of the sample market at `now`. A close is a function of instrument and session alone:
 *
 * log close = log price at the anchor + growth · years since the anchor
 *   + beta · market + sector + own, each of the three less what it was at the anchor,
 *
 * where the three wander about 0 with the session: so prices stay about their trend for ever.
 */
export function createPrices(now: number): Prices {
  const calendars = byCountry((country) => {
    const last = lastCompletedSession(country, now);
    const all = sessionsBetween(country, EPOCH, last > ANCHOR ? last : ANCHOR);
    return {
      all,
      completed: all.filter((date) => date <= last),
      years: Float64Array.from(all, (date) => yearsBetween(ANCHOR, date)),
      anchor: all.indexOf(ANCHOR),
    };
  });
  const factors = new Map<string, Float64Array>();
  const factor = (country: Country, name: string, process: Wander) => {
    const key = `${country} ${name}`;
    let values = factors.get(key);
    if (!values) {
      values = wander(seedOf(key), calendars[country].all.length, process);
      factors.set(key, values);
    }
    return values;
  };
  const known = new Map<SampleListing, Float64Array>();

  const makeCloses = (listing: SampleListing): Float64Array => {
    const { country, sector, price } = listing;
    const { all, years, anchor } = calendars[country];
    const { growth, beta, own: ownProcess } = traitsOf(listing);
    const market = factor(country, "market", MARKET);
    const group = sector === null ? new Float64Array(all.length) : factor(country, sector, SECTOR);
    const own = wander(listingSeed(listing) + 4, all.length, ownProcess);
    const level = (i: number) =>
      growth * (years[i] ?? 0) + beta * (market[i] ?? 0) + (group[i] ?? 0) + (own[i] ?? 0);
    const atAnchor = level(anchor);
    return own.map((_, i) => roundPrice(listing, price * Math.exp(level(i) - atAnchor)));
  };

  return {
    sessions: byCountry((country) => calendars[country].completed),
    closes(listing) {
      const closes = known.get(listing) ?? makeCloses(listing);
      known.set(listing, closes);
      return closes;
    },
  };
}

function byCountry<T>(make: (country: Country) => T): Record<Country, T> {
  return Object.fromEntries(COUNTRY_CODES.map((country) => [country, make(country)])) as Record<
    Country,
    T
  >;
}

/** The instrument's bars of the sessions after a date, or of all. */
export function barHistory(
  listing: SampleListing,
  prices: Prices,
  after: string | null,
): BarHistory {
  const sessions = prices.sessions[listing.country];
  const closes = prices.closes(listing);
  const firstFresh = after === null ? 0 : sessions.findIndex((date) => date > after);
  const makeBar = barMaker(listing, closes);
  const bars =
    firstFresh < 0
      ? []
      : sessions.slice(firstFresh).map((date, i) => makeBar(date, firstFresh + i));
  return { country: listing.country, symbol: listing.symbol, bars };
}

/** Makes the bar of a session around its close and the close before it. */
function barMaker(listing: SampleListing, closes: Float64Array) {
  const seed = listingSeed(listing) + 5;
  const { beta, own } = traitsOf(listing);
  const dailyMove = Math.hypot(beta * stepDeviation(MARKET), stepDeviation(own));
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
