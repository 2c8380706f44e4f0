import { COUNTRIES, type Country } from "#domain/country.ts";
import type { InstrumentKey } from "#domain/instrument.ts";
import type { MarketStore } from "#store/index.ts";
import { type CompanyMetrics, indexFingerprint } from "./companies.ts";
import { CompanyHistory } from "./company-history.ts";
import { currencyOfPair } from "./currency-rates.ts";

/** The indices and currency pairs from which companies are computed. */
export class RollupInputs {
  readonly #market: MarketStore;
  /** The fingerprint of each one, by country and symbol. */
  fingerprints: Record<string, string> = {};

  constructor(market: MarketStore) {
    this.#market = market;
  }

  /**
   * Notices which of the changed instruments are inputs with other bars or sessions than before. Returns whether a company
   * depends on one of them; null if there are none.
   */
  notice(changes: readonly InstrumentKey[]): ((company: CompanyMetrics) => boolean) | null {
    const inputs = changes.filter((changed) => this.#isOtherInput(changed));
    if (inputs.length === 0) return null;
    const countries = new Set<Country>();
    const currencies = new Set<string>();
    for (const { country, symbol } of inputs) {
      const currency = currencyOfPair(symbol);
      if (currency === null) countries.add(country);
      else currencies.add(currency);
    }
    return (company) =>
      countries.has(company.instrument.country) ||
      (currencies.size > 0 && needsRates(company, currencies));
  }

  #isOtherInput(changed: InstrumentKey): boolean {
    const { country, symbol } = changed;
    const isIndex = symbol === COUNTRIES[country].indexSymbol;
    if (!isIndex && currencyOfPair(symbol) === null) return false;
    const fingerprint = isIndex
      ? indexFingerprint(this.#market, country)
      : this.#fingerprintOfPair(changed);
    const key = `${country} ${symbol}`;
    if (this.fingerprints[key] === fingerprint) return false;
    this.fingerprints[key] = fingerprint;
    return true;
  }

  #fingerprintOfPair(pair: InstrumentKey): string {
    const instrument = this.#market.instruments.find(pair);
    return instrument ? this.#market.bars.fingerprint(instrument.id) : "";
  }
}

/** True if rates of one of the currencies are among what a company was computed from. */
function needsRates(
  { instrument: { currency }, fundamentals, history }: CompanyMetrics,
  currencies: ReadonlySet<string>,
): boolean {
  const other = fundamentals.statementCurrency ?? currency;
  const isForeign = currency !== other && (currencies.has(currency) || currencies.has(other));
  return isForeign || (history instanceof CompanyHistory && (history.known?.hasRates ?? false));
}
