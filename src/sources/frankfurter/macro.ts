import type { Country } from "#domain/country.ts";
import { referenceRateId } from "#domain/currency.ts";
import { addMonths, dateOf } from "#lib/date.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { createSeries } from "#sources/macro/series.ts";
import { crossRate, parseRates, requestRates } from "./rates.ts";
import { FRANKFURTER } from "./source.ts";

/** The pairs whose rates are shown, with their decimals. Amounts can be converted into these currencies. */
const PAIRS: Readonly<
  Partial<Record<Country, readonly (readonly [base: string, quote: string, decimals: number])[]>>
> = {
  US: [
    ["EUR", "USD", 4],
    ["GBP", "USD", 4],
    ["AUD", "USD", 4],
    ["USD", "CAD", 4],
    ["USD", "CHF", 4],
    ["USD", "CNY", 4],
  ],
  JP: [
    ["USD", "JPY", 2],
    ["EUR", "JPY", 2],
  ],
};

const YEARS_BACK = 2;
const KEPT = 520;

/** The reference rates of the last two years, by day. Prices of the same pairs are compared with them. */
export const frankfurterRates = defineFetcher({
  kind: "macroSeries",
  source: FRANKFURTER,
  countries: ["US", "JP"],
  scope: "country",
  complements: true,
  fetch: ({ now, country }, client) =>
    requestRates(
      client,
      (PAIRS[country] ?? []).flatMap(([base, quote]) => [base, quote]),
      addMonths(dateOf(now), -12 * YEARS_BACK),
    ),
  transform(text, { now, country }) {
    const days = parseRates(text, now);
    const series = (PAIRS[country] ?? []).flatMap(([base, quote, decimals]) => {
      const spec = {
        category: "money",
        id: referenceRateId(base, quote),
        name: `ECB rate, ${base}/${quote}`,
        unit: quote,
        decimals,
        transform: "level",
        isDetail: true,
        kept: KEPT,
      } as const;
      const observations = days.flatMap(([period, rates]) => {
        const value = crossRate(rates, base, quote);
        return value === null ? [] : [{ period, value }];
      });
      return createSeries(country, spec, observations, now) ?? [];
    });
    if (series.length === 0) throw FRANKFURTER.error("nothing", "no current rates");
    return series;
  },
});
