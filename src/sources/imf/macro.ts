import type { Country } from "#domain/country.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { createSeries, IN_PERCENT, type SeriesSpec } from "#sources/macro/series.ts";
import { requestOutlook, readOutlook } from "./outlook.ts";
import { IMF } from "./source.ts";

interface ImfSpec extends SeriesSpec {
  readonly code: string;
  readonly countries: readonly Country[];
}

const spec = (code: string, id: string, name: string, countries: readonly Country[]): ImfSpec => ({
  ...IN_PERCENT,
  category: "government",
  code,
  countries,
  id,
  name,
});

const SERIES: readonly ImfSpec[] = [
  spec("GGXWDG_NGDP", "public-debt-to-gdp", "Public debt to GDP", ["VN"]),
  spec("GGXCNL_NGDP", "budget-balance-to-gdp", "Budget balance to GDP", ["VN", "JP"]),
];

/** Public finances by year up to the last complete year; the country's own figures are years old. */
export const imfMacro = defineFetcher({
  kind: "macroSeries",
  source: IMF,
  countries: ["VN", "JP"],
  scope: "country",
  complements: true,
  fetch: ({ country }, client) =>
    requestOutlook(
      client,
      country,
      seriesOf(country).map(({ code }) => code),
    ),
  transform(raw, { now, country }) {
    const { years } = readOutlook(raw, country);
    const current = new Date(now).getUTCFullYear();
    const series = seriesOf(country).flatMap((one) => {
      const past = [...(years.get(one.code) ?? [])].filter(([year]) => year < current);
      const observations = past.map(([year, value]) => ({ period: String(year), value }));
      return createSeries(country, one, observations, now) ?? [];
    });
    if (series.length === 0) throw IMF.error("nothing", "no current series");
    return series;
  },
});

const seriesOf = (country: Country) =>
  SERIES.filter(({ countries }) => countries.includes(country));
