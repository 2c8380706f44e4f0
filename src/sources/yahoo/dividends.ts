import { adjustDividends } from "#analytics/dividend-check.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { datesIn, priceOf, unitsPerCurrency } from "./answer.ts";
import { requestChart, parseChart, splitsIn } from "./chart.ts";
import { YAHOO } from "./source.ts";
import { shareOf, yahooSymbol } from "./symbol.ts";

/**
 * Every dividend since 1970, split-adjusted. Requested with monthly bars: the events have their own
 * days, and the answer is a twentieth of the size.
 */
export const yahooDividends = defineFetcher({
  kind: "dividends",
  source: YAHOO,
  countries: ["US", "JP", "VN"],
  scope: "instrument",
  async fetch(query, client) {
    const symbol = yahooSymbol(shareOf(query));
    return await requestChart(client, symbol, { fromMs: 0, toMs: query.now, interval: "1mo" });
  },
  transform(answer: unknown, query) {
    const instrument = shareOf(query);
    const chart = parseChart(answer, yahooSymbol(instrument));
    const perCurrency = unitsPerCurrency(chart.meta.currency, instrument);
    const dateAt = datesIn(chart.meta.exchangeTimezoneName);
    const dividends = Object.values(chart.events?.dividends ?? {})
      .filter(({ amount }) => amount > 0)
      .map(({ date, amount }) => ({ exDate: dateAt(date), amount: priceOf(amount, perCurrency) }))
      .sort((a, b) => a.exDate.localeCompare(b.exDate));
    const history = { country: instrument.country, symbol: instrument.symbol, dividends };
    return [adjustDividends(history, splitsIn(chart))];
  },
});
