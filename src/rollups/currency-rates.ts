import { COUNTRIES, COUNTRY_CODES } from "#domain/country.ts";
import type { Need } from "#domain/fetch.ts";
import type { DailyBar } from "#domain/daily-bar.ts";
import type { Provenance } from "#domain/records.ts";
import type { MarketStore } from "#store/index.ts";

/** The currencies into which amounts can be converted. */
export const CURRENCIES = ["USD", "JPY", "VND", "EUR", "GBP", "AUD", "CAD", "CHF", "CNY"] as const;

/** A rate that was used: the units of `to` for one unit of `from`. */
interface UsedRate {
  readonly from: string;
  readonly to: string;
  /** Null if it is unknown. */
  readonly rate: number | null;
  /** The date of its newest close, of the older one if it is computed from two. */
  readonly date: string | null;
}

interface DollarRate {
  readonly unitsPerDollar: number;
  /** Null for the dollar itself and its cents. */
  readonly date: string | null;
}

/** The units of one US dollar that need no rate. Some commodities are quoted in US cents. */
const DOLLAR_UNITS: ReadonlyMap<string, number> = new Map([
  ["USD", 1],
  ["USX", 100],
]);

/** The rates of currencies by the newest closes of their pairs with the US dollar. */
export class CurrencyRates {
  readonly #market: MarketStore;
  readonly #dollarRates = new Map<string, DollarRate | null>();
  readonly #used = new Map<string, UsedRate>();
  readonly #from: Provenance[] = [];

  constructor(market: MarketStore) {
    this.#market = market;
  }

  /** The units of one currency for one unit of another; null if it is unknown. */
  find(from: string, to: string): number | null {
    if (from === to) return 1;
    const key = `${from} ${to}`;
    const known = this.#used.get(key);
    if (known) return known.rate;
    const [source, target] = [this.#dollarRate(from), this.#dollarRate(to)];
    const rate = source && target && target.unitsPerDollar / source.unitsPerDollar;
    const dates = [source?.date ?? null, target?.date ?? null].filter((date) => date !== null);
    const [older = null] = rate === null ? [] : dates.toSorted();
    this.#used.set(key, { from, to, rate, date: older });
    return rate;
  }

  /** All rates between two currencies that were asked for. */
  get used(): readonly UsedRate[] {
    return [...this.#used.values()];
  }

  /** The provenances of the closes. */
  get from(): readonly Provenance[] {
    return this.#from;
  }

  #dollarRate(currency: string): DollarRate | null {
    const perDollar = DOLLAR_UNITS.get(currency);
    if (perDollar !== undefined) return { unitsPerDollar: perDollar, date: null };
    let rate = this.#dollarRates.get(currency);
    if (rate === undefined) {
      const direct = this.#newestClose(pairOf(currency));
      const inverse = direct ? null : this.#newestClose(inversePairOf(currency));
      rate = direct
        ? { unitsPerDollar: direct.close, date: direct.date }
        : inverse && { unitsPerDollar: 1 / inverse.close, date: inverse.date };
      this.#dollarRates.set(currency, rate);
    }
    return rate;
  }

  #newestClose(symbol: string): DailyBar | null {
    const { instruments, bars } = this.#market;
    const [country] = instruments.listCountries(symbol);
    const pair = country && instruments.find({ country, symbol });
    const [newest] = pair ? bars.listNewest(pair.id, 1) : [];
    const provenance = pair && bars.findProvenance(pair.id);
    if (!newest || !provenance) return null;
    this.#from.push(provenance);
    return newest;
  }
}

/** The symbol of the currency pair of a US dollar: `JPY=X` is the price of one dollar in yen. */
const pairOf = (currency: string) => `${currency}=X`;
/** The symbol of the opposite pair: `EURUSD=X` is the price of one euro in dollars. */
const inversePairOf = (currency: string) => `${currency}USD=X`;

/**
 * The rates of the currencies of all countries, and of one other currency, as optional needs. The US lists
 * the pair of that currency in one direction, so only that direction is fetched.
 */
export function rateNeeds(other?: string): Need[] {
  const pairs = COUNTRY_CODES.filter((country) => COUNTRIES[country].currency !== "USD").map(
    (country) => ({ country, symbol: pairOf(COUNTRIES[country].currency) }),
  );
  const others = other === undefined ? [] : [pairOf(other), inversePairOf(other)];
  return [...pairs, ...others.map((symbol) => ({ country: "US" as const, symbol }))].map(
    ({ country, symbol }) => ({ kind: "bars", country, symbol, optional: true }),
  );
}
