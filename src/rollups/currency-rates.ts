import { firstAtOrAfter, multiply } from "#analytics/adjusted-prices.ts";
import type { Series } from "#analytics/series.ts";
import type { SessionClose } from "#analytics/performance.ts";
import { COUNTRIES, COUNTRY_CODES } from "#domain/country.ts";
import { inversePairOf, pairOf } from "#domain/currency.ts";
import type { Need } from "#domain/fetch.ts";
import type { Provenance } from "#domain/records.ts";
import { lazy } from "#lib/lazy.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { type Prices, readOnce } from "./prices.ts";

/** A rate: the units of one currency for one unit of another. */
interface Rate {
  readonly rate: number;
  /** The date of its close, of the older one if it is computed from two. Null if it needs no close. */
  readonly date: string | null;
}

/** The rates from one currency to another that were used. */
export interface UsedRates {
  readonly from: string;
  readonly to: string;
  /** The newest rate that was used; null if none is known. */
  readonly last: Rate | null;
  /** The oldest rate that was used; null if none is known. */
  readonly first: Rate | null;
  /** The date of the first stored rate, if an earlier day was asked for; null otherwise. */
  readonly begins: string | null;
}

/** The price of one US dollar in a currency. */
interface DollarPrice {
  readonly newest: Rate;
  /** As `DailyBarStore.fingerprint`; empty for a constant. */
  readonly fingerprint: string;
  /** The price of each day, oldest first; empty for a constant. */
  readonly history: () => { readonly dates: readonly string[]; readonly rate: Series };
}

const constant = (rate: number): DollarPrice => ({
  newest: { rate, date: null },
  fingerprint: "",
  history: () => ({ dates: [], rate: new Float64Array() }),
});

/** The currencies that need no rate. Some commodities are quoted in US cents. */
const CONSTANTS: ReadonlyMap<string, DollarPrice> = new Map([
  ["USD", constant(1)],
  ["USX", constant(100)],
]);

/** A limit above the number of sessions of any history. */
const ALL_BARS = 100_000;

/**
 * The rates between currencies: the newest ones, and each day's. They are the closes of the stored
 * pairs of each currency with the US dollar, `JPY=X` or else `EURUSD=X`. The rate of a day is the last
 * one at or before it; it is unknown before the first stored one. Two other currencies have a cross rate
 * through the dollar, so that all conversions of an amount agree.
 */
export class CurrencyRates {
  readonly #market: MarketStore;
  readonly #dollarPrices = new Map<string, DollarPrice | null>();
  readonly #used = new Map<string, UsedRates>();
  readonly #from: Provenance[] = [];

  constructor(market: MarketStore) {
    this.#market = market;
  }

  /** The newest rate: units of `to` for one unit of `from`; null if it is unknown. */
  find(from: string, to: string): number | null {
    if (from === to) return 1;
    return this.#use(
      from,
      to,
      this.#rateOf(from, to, ({ newest }) => newest),
    );
  }

  /** The rate of a day: units of `to` for one unit of `from`; null if it is unknown. */
  findOn(from: string, to: string, date: string): number | null {
    if (from === to) return 1;
    return this.#use(from, to, this.getOn(from, to, date));
  }

  /** The rate of a day with its own date; null if it is unknown. It is not listed as used. */
  getOn(from: string, to: string, date: string): Rate | null {
    return this.#rateOf(from, to, (price) => rateOn(price, date));
  }

  /** The rate of each of ascending days, NaN if it is unknown. */
  list(from: string, to: string, dates: readonly string[]): Series {
    if (from === to) return new Float64Array(dates.length).fill(1);
    const source = ratesOn(this.#dollarPrice(from), dates);
    const target = ratesOn(this.#dollarPrice(to), dates);
    const rates = target.map((one, i) => one / (source[i] ?? Number.NaN));
    // These three days have the oldest and the newest rate, and tell whether rates begin later.
    const known = rates.findIndex((rate) => !Number.isNaN(rate));
    for (const date of [dates[0], dates[known], dates.at(-1)])
      if (date !== undefined) this.findOn(from, to, date);
    return rates;
  }

  /** A text that is equal only as long as all rates between two currencies are. */
  fingerprint(from: string, to: string): string {
    const prices = [this.#dollarPrice(from), this.#dollarPrice(to)];
    return prices.map((price) => price?.fingerprint ?? "unknown").join();
  }

  /** The rates of all pairs that were asked for, in the order of the first question. */
  get used(): readonly UsedRates[] {
    return [...this.#used.values()];
  }

  /** The provenances of the closes. */
  get from(): readonly Provenance[] {
    return this.#from;
  }

  #rateOf(from: string, to: string, read: (price: DollarPrice) => Rate | null): Rate | null {
    const [sourcePrice, targetPrice] = [this.#dollarPrice(from), this.#dollarPrice(to)];
    const source = sourcePrice && read(sourcePrice);
    const target = targetPrice && read(targetPrice);
    if (!source || !target) return null;
    const [date = null] = [source.date, target.date].filter((one) => one !== null).toSorted();
    return { rate: target.rate / source.rate, date };
  }

  #use(from: string, to: string, rate: Rate | null): number | null {
    const key = `${from} ${to}`;
    const used = this.#used.get(key) ?? { from, to, last: null, first: null, begins: null };
    if (rate === null) {
      this.#used.set(key, { ...used, begins: used.begins ?? this.#firstDate(from, to) });
      return null;
    }
    const { first, last } = used;
    const isFirst = first === null || (rate.date ?? "") < (first.date ?? "");
    const isLast = last === null || (rate.date ?? "") > (last.date ?? "");
    if (isFirst || isLast)
      this.#used.set(key, { ...used, first: isFirst ? rate : first, last: isLast ? rate : last });
    return rate.rate;
  }

  /** The first day with a rate; null if no day has one. */
  #firstDate(from: string, to: string): string | null {
    const prices = [this.#dollarPrice(from), this.#dollarPrice(to)];
    if (prices.includes(null)) return null;
    const starts = prices.flatMap((price) => price?.history().dates[0] ?? []);
    return starts.toSorted().at(-1) ?? null;
  }

  #dollarPrice(currency: string): DollarPrice | null {
    const known = CONSTANTS.get(currency) ?? this.#dollarPrices.get(currency);
    if (known !== undefined) return known;
    const price =
      this.#pairPrice(pairOf(currency), (close) => close) ??
      this.#pairPrice(inversePairOf(currency), (close) => 1 / close);
    this.#dollarPrices.set(currency, price);
    return price;
  }

  #pairPrice(symbol: string, rateOf: (close: number) => number): DollarPrice | null {
    const { instruments, bars } = this.#market;
    const [country] = instruments.listCountries(symbol);
    const pair = country && instruments.find({ country, symbol });
    const [newest] = pair ? bars.listNewest(pair.id, 1) : [];
    const provenance = pair && bars.findProvenance(pair.id);
    if (!newest || !provenance) return null;
    this.#from.push(provenance);
    return {
      newest: { rate: rateOf(newest.close), date: newest.date },
      fingerprint: bars.fingerprint(pair.id),
      history: lazy(() => {
        const { dates, close } = bars.closes(pair.id, ALL_BARS);
        return { dates, rate: close.map(rateOf) };
      }),
    };
  }
}

/** The price of a dollar on each of ascending days, as `rateOn`; NaN if it is unknown. */
function ratesOn(price: DollarPrice | null, dates: readonly string[]): Series {
  if (price === null || price.newest.date === null)
    return new Float64Array(dates.length).fill(price?.newest.rate ?? Number.NaN);
  const { dates: days, rate } = price.history();
  let next = 0;
  return Float64Array.from(dates, (date) => {
    while ((days[next] ?? "9") <= date) next++;
    return rate[next - 1] ?? Number.NaN;
  });
}

/** The last rate at or before a date; null before the first one. */
function rateOn({ newest, history }: DollarPrice, date: string): Rate | null {
  if (newest.date === null || newest.date <= date) return newest;
  const { dates, rate } = history();
  const at = firstAtOrAfter(dates, date);
  const last = dates[at] === date ? at : at - 1;
  const [day, value] = [dates[last], rate[last]];
  return day === undefined || value === undefined ? null : { rate: value, date: day };
}

/**
 * The prices of an instrument in another currency: each close at the rate of its own day. Closes before
 * the first known rate are unknown.
 */
export function convertPrices(
  prices: Prices,
  { currency: from }: Pick<StoredInstrument, "currency">,
  rates: CurrencyRates,
  to: string,
): Prices {
  if (from === to) return prices;
  const convert = (close: number | null, date: string) => {
    const rate = close === null ? null : rates.findOn(from, to, date);
    return close === null || rate === null ? null : close * rate;
  };
  const convertSession = (session: SessionClose | null) => {
    const close = session && convert(session.close, session.date);
    return session === null || close === null ? null : { date: session.date, close };
  };
  const convertNewest = () => {
    const session = convertSession(prices.newest);
    if (prices.newest === null || session === null) return null;
    const { previousClose, previousDate } = prices.newest;
    return {
      ...prices.newest,
      ...session,
      previousClose: previousDate === null ? null : convert(previousClose, previousDate),
    };
  };
  return {
    newest: convertNewest(),
    from: prices.from,
    findClose: (date) => convertSession(prices.findClose(date)),
    list: readOnce((first, last) => {
      const { dates, close } = prices.list(first, last);
      const all = rates.list(from, to, dates);
      // Rates are unknown at the start only.
      const start = all.reduce((count, rate) => count + (Number.isNaN(rate) ? 1 : 0), 0);
      return {
        dates: dates.slice(start),
        close: multiply(close.slice(start), all.slice(start)),
      };
    }),
  };
}

/** The currency whose rates the closes of a symbol are; null for other symbols. */
export const currencyOfPair = (symbol: string): string | null =>
  /^([A-Z]{3})(?:USD)?=X$/.exec(symbol)?.[1] ?? null;

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
