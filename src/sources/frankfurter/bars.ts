import type { DailyBar } from "#domain/daily-bar.ts";
import { currenciesOf } from "#domain/currency.ts";
import type { Instrument } from "#domain/instrument.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { crossRate, FIRST_RATES, isListed, parseRates, requestRates } from "./rates.ts";
import { FRANKFURTER } from "./source.ts";

/**
 * Daily bars of currency pairs: those newer than `after`, or all since 1999. The bank fixes one rate a day, so the four
 * prices of a bar are equal. Other instruments, and pairs with a currency that the bank does not list, have none.
 */
export const frankfurterBars = defineFetcher({
  kind: "bars",
  source: FRANKFURTER,
  countries: ["US", "JP"],
  scope: "instrument",
  assetType: "currency",
  async fetch({ instrument, after }, client): Promise<string> {
    return requestRates(client, pairOf(instrument).currencies, after ?? FIRST_RATES);
  },
  transform(text, { instrument, after, now }) {
    const { country, symbol, currencies } = pairOf(instrument);
    const bars = parseRates(text, now).flatMap(([date, rates]): DailyBar[] => {
      const rate = crossRate(rates, ...currencies);
      if (rate === null || (after !== null && date <= after)) return [];
      return [{ date, open: rate, high: rate, low: rate, close: rate, volume: null }];
    });
    if (bars.length === 0 && after === null)
      throw FRANKFURTER.error("nothing", "it has no rate of the pair");
    return [{ country, symbol, bars }];
  },
});

/** @throws SourceError `nothing` unless the instrument is a pair of listed currencies */
function pairOf(instrument: Instrument | null) {
  const currencies = instrument?.assetType === "currency" ? currenciesOf(instrument.symbol) : null;
  if (!instrument || !currencies?.every(isListed))
    throw FRANKFURTER.error("nothing", "it has no rates of the instrument");
  return { country: instrument.country, symbol: instrument.symbol, currencies };
}
