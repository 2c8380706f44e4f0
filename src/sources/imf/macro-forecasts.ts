import type { MacroForecast } from "#domain/macro.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { forecastValues, interpolated } from "#sources/macro/quarters.ts";
import { requestOutlook, readOutlook } from "./outlook.ts";
import { IMF } from "./source.ts";

interface Indicator extends Pick<MacroForecast, "category" | "name" | "unit" | "decimals"> {
  readonly code: string;
  /** How its quarters are derived from its years. */
  readonly shape: "rate" | "level";
}

const indicator = (
  code: string,
  category: MacroForecast["category"],
  name: string,
  shape: Indicator["shape"],
  unit = "%",
  decimals = 1,
): Indicator => ({ code, category, name, shape, unit, decimals });

/** The names are the same as for the figures of the OECD, so that one source can replace the other. */
const INDICATORS: readonly Indicator[] = [
  indicator("NGDP_RPCH", "gdp", "Real GDP growth YoY", "rate"),
  indicator("NGDPDPC", "gdp", "GDP per capita", "level", "USD", 0),
  indicator("LUR", "labor", "Unemployment rate", "level"),
  indicator("PCPIPCH", "prices", "CPI inflation YoY", "rate"),
  indicator("BCA_NGDPD", "trade", "Current account to GDP", "rate"),
  indicator("GGXCNL_NGDP", "government", "Budget balance to GDP", "rate"),
  indicator("GGXWDG_NGDP", "government", "Public debt to GDP", "level"),
];

/** The annual projections of the World Economic Outlook, interpolated to quarters. */
export const imfForecast = defineFetcher({
  kind: "macroForecasts",
  source: IMF,
  countries: ["VN", "JP", "US"],
  scope: "country",
  fetch: ({ country }, client) =>
    requestOutlook(
      client,
      country,
      INDICATORS.map(({ code }) => code),
    ),
  transform(raw, { now, country }) {
    const { edition, publishedOn, years } = readOutlook(raw, country);
    const origin = `IMF WEO ${edition ? `${edition} ` : ""}(annual, interpolated)`;
    const forecasts = INDICATORS.flatMap((one): MacroForecast[] => {
      const { code, shape, category, name, unit, decimals } = one;
      const annual = years.get(code) ?? new Map<number, number>();
      const values = forecastValues(now, decimals, (quarter) =>
        interpolated(annual, quarter, shape),
      );
      const published = publishedOn === null ? {} : { publishedOn };
      return values
        ? [{ country, category, name, unit, decimals, origin, ...published, values }]
        : [];
    });
    if (forecasts.length === 0) {
      throw IMF.error("nothing", "no projection from this quarter on");
    }
    return forecasts;
  },
});
