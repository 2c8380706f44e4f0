import { multiply, multiplyPrices, type TotalReturns } from "#analytics/adjusted-prices.ts";
import { currencyOf, isOfPrices, type Metric } from "#analytics/metrics.ts";
import { changePercent, type Performance, windowStart } from "#analytics/performance.ts";
import {
  type IndexCloses,
  type YearFigures,
  yearFigures,
  yearOfBars,
} from "#analytics/year-figures.ts";
import { COUNTRIES, type Country } from "#domain/country.ts";
import type { Instrument } from "#domain/instrument.ts";
import { lazy } from "#lib/lazy.ts";
import type { MarketStore } from "#store/index.ts";
import { type CompanyMetrics, indexFingerprint, listIndexCloses } from "./companies.ts";
import { CurrencyRates } from "./currency-rates.ts";

/** The year's figures of a company in a currency, and what they were computed from. */
interface ConvertedYear {
  /** Of the rates and the index. Other ones make the figures old. */
  readonly fingerprint: string;
  /** The first and the last session of the year. */
  readonly sessions: readonly string[];
  readonly figures: YearFigures | null;
}

/**
 * The figures that were computed, by company and currency. They need a year of bars, some 0.3 ms. A company
 * whose records change is another object.
 */
const YEARS = new WeakMap<CompanyMetrics, Map<string, ConvertedYear>>();

/**
 * Reads figures of companies in one currency, or in the own currency of each company. Prices, and figures
 * computed from prices, have the rate of the day of each price: a return is an investor's who counts in
 * this currency. Other amounts have the newest rate.
 */
export class ConvertedCompanies {
  readonly #market: MarketStore;
  readonly #to: string | null;
  readonly #indexes = new Map<Country, IndexCloses>();
  readonly #fingerprints = new Map<string, string>();
  readonly #converted = new Map<CompanyMetrics, CompanyMetrics>();
  readonly rates: CurrencyRates;

  /** `to` is an ISO code; null for the own currency of each company. */
  constructor(market: MarketStore, to: string | null) {
    this.#market = market;
    this.#to = to;
    this.rates = new CurrencyRates(market);
  }

  /** The ISO code of the currency of an instrument's prices; null for an index in points. */
  currencyOf({ assetType, currency }: Pick<Instrument, "assetType" | "currency">): string | null {
    const to = this.#to ?? currency;
    return assetType === "index" && to === currency ? null : to;
  }

  /** The unrounded value of a metric; null if it, or its rate, is unknown. */
  read(metric: Metric, company: CompanyMetrics): number | null {
    const to = this.#to ?? company.instrument.currency;
    if (isOfPrices(metric)) {
      const figure = metric.valueOf(this.#convert(company, to));
      return Number.isNaN(figure) ? null : figure;
    }
    const value = metric.valueOf(company);
    const native = currencyOf(metric, company);
    if (value === null || native === null) return value;
    const rate = this.rates.find(native, to);
    return rate === null ? null : value * rate;
  }

  /** The company with the figures of its prices in a currency. */
  #convert(company: CompanyMetrics, to: string): CompanyMetrics {
    const { currency: from } = company.instrument;
    if (from === to) return company;
    const known = this.#converted.get(company);
    if (known) return known;
    const performance = lazy(() => this.#performanceOf(company, to));
    const totalReturns = lazy(() => this.#totalReturnsOf(company, to));
    const { newest, limits, history } = company;
    const priceOn = (price: number | null, date: string | null) => {
      const rate = price === null || date === null ? null : this.rates.findOn(from, to, date);
      return price === null || rate === null ? null : price * rate;
    };
    const inSession = (price: number | null) => priceOn(price, newest?.date ?? null);
    const close = inSession(newest?.close ?? null);
    const reference = inSession(limits?.reference ?? null);
    const change = lazy(() =>
      changePercent(close, priceOn(newest?.previousClose ?? null, newest?.previousDate ?? null)),
    );
    const year = lazy(() => this.#yearOf(company, { close, changePercent: change }, to));
    const converted: CompanyMetrics = {
      ...company,
      newest: newest && close !== null ? { ...newest, close } : null,
      limits:
        limits === null || reference === null
          ? null
          : {
              ...limits,
              reference,
              ceiling: inSession(limits.ceiling),
              floor: inSession(limits.floor),
            },
      get changePercent() {
        return change();
      },
      get performance() {
        return performance();
      },
      get year() {
        return year();
      },
      history: {
        get dividends() {
          return history.dividends;
        },
        get lastCumDate() {
          return history.lastCumDate;
        },
        get totalReturns() {
          return totalReturns();
        },
        get ownHistory() {
          return history.ownHistory;
        },
        get surprises() {
          return history.surprises;
        },
      },
    };
    this.#converted.set(company, converted);
    return converted;
  }

  #performanceOf(company: CompanyMetrics, to: string): Performance {
    const { performance } = company;
    return inWindows((window) => this.#returnOf(company, performance[window], window, to));
  }

  #totalReturnsOf(company: CompanyMetrics, to: string): TotalReturns {
    const { totalReturns } = company.history;
    return inWindows((window: keyof TotalReturns) =>
      this.#returnOf(company, totalReturns[window], window, to),
    );
  }

  /** The return of a window in a currency, by the rates of its first and its last close. */
  #returnOf(
    { instrument, newest, starts }: CompanyMetrics,
    percent: number | null,
    window: keyof Performance,
    to: string,
  ): number | null {
    const rateOn = (date: string | null) =>
      date === null ? null : this.rates.findOn(instrument.currency, to, date);
    const last = rateOn(newest?.date ?? null);
    if (percent === null || last === null) return null;
    return changePercent((1 + percent / 100) * last, rateOn(starts[window]));
  }

  /** @param converted the newest close and its change in the currency */
  #yearOf(
    company: CompanyMetrics,
    converted: {
      readonly close: number | null;
      readonly changePercent: () => number | null;
    },
    to: string,
  ): YearFigures | null {
    const { instrument, newest, year } = company;
    const { currency: from, country } = instrument;
    if (year === null || newest === null) return null;
    // Lists the newest rate as used, also if the figures are known.
    this.rates.find(from, to);
    const fingerprint = this.#fingerprintOf(country, from, to);
    const ofCompany = YEARS.get(company) ?? new Map<string, ConvertedYear>();
    YEARS.set(company, ofCompany);
    const known = ofCompany.get(to);
    if (known?.fingerprint === fingerprint) {
      for (const date of known.sessions) this.rates.findOn(from, to, date);
      return known.figures;
    }
    const index = this.#indexes.get(country) ?? this.#indexOf(country, to);
    this.#indexes.set(country, index);
    const found = this.#market.bars.series(instrument.id, yearOfBars(instrument.assetType));
    const bars = multiplyPrices(found, this.rates.list(from, to, found.dates));
    // Without the rate of a day, the figures that need it are NaN.
    const figures = yearFigures(bars, index, {
      start: windowStart("1y", newest.date),
      newest: {
        ...newest,
        close: converted.close ?? Number.NaN,
        changePercent: converted.changePercent(),
      },
      assetType: instrument.assetType,
    });
    const sessions = [...bars.dates.slice(0, 1), newest.date];
    ofCompany.set(to, { fingerprint, sessions, figures });
    return figures;
  }

  /** Of all rates and closes of others from which figures of a company are computed. */
  #fingerprintOf(country: Country, from: string, to: string): string {
    const key = `${country} ${from} ${to}`;
    const known = this.#fingerprints.get(key);
    if (known !== undefined) return known;
    const { currency } = COUNTRIES[country];
    const found = [
      this.rates.fingerprint(from, to),
      this.rates.fingerprint(currency, to),
      indexFingerprint(this.#market, country),
    ].join();
    this.#fingerprints.set(key, found);
    return found;
  }

  #indexOf(country: Country, to: string): IndexCloses {
    const index = listIndexCloses(this.#market, country);
    const rates = this.rates.list(COUNTRIES[country].currency, to, index.dates);
    return { ...index, close: multiply(index.close, rates) };
  }
}

/** Returns that are computed when they are read, so that the rates of other windows are not listed as used. */
function inWindows<Window extends string>(
  read: (window: Window) => number | null,
): Readonly<Record<Window, number | null>> {
  return new Proxy({} as Record<Window, number | null>, {
    get: (_, window) => read(window as Window),
  });
}
