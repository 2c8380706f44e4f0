import type { Country } from "#domain/country.ts";
import type { MacroForecast } from "#domain/macro.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { forecastQuarters, forecastValues, quarterPeriod } from "#sources/macro/quarters.ts";
import { growthPercent, IN_PERCENT } from "#sources/macro/series.ts";
import { parseSdmxCsv } from "#sources/sdmx/csv.ts";
import { readObservation } from "./macro.ts";
import { OECD } from "./source.ts";

interface Measure extends Pick<MacroForecast, "category" | "name" | "unit" | "decimals"> {
  readonly code: string;
  readonly transform: "level" | "yoy";
  /** The area, if it is not the country itself. */
  readonly area?: string;
}

const measure = (
  code: string,
  category: MacroForecast["category"],
  name: string,
  transform: Measure["transform"] = "level",
): Measure => ({ ...IN_PERCENT, code, category, name, transform });

/** Measures of the Economic Outlook; volumes are levels, shown as growth over a year. */
const MEASURES: readonly Measure[] = [
  measure("GDPV", "gdp", "Real GDP growth YoY", "yoy"),
  measure("UNR", "labor", "Unemployment rate"),
  measure("ET", "labor", "Employment growth YoY", "yoy"),
  measure("CPI_YTYPCT", "prices", "CPI inflation YoY"),
  measure("PCORE_YTYPCT", "prices", "Core inflation YoY"),
  measure("IRS", "money", "Short-term interest rate"),
  measure("IRL", "money", "Long-term interest rate"),
  measure("CPV", "consumer", "Private consumption YoY", "yoy"),
  measure("IHV", "housing", "Housing investment YoY", "yoy"),
  measure("IBV", "business", "Business investment YoY", "yoy"),
  measure("XGSV", "trade", "Export volume YoY", "yoy"),
  measure("MGSV", "trade", "Import volume YoY", "yoy"),
  measure("CBGDPR", "trade", "Current account to GDP"),
  measure("NLGQ", "government", "Budget balance to GDP"),
  measure("GGFLQ", "government", "Public debt to GDP"),
  { ...measure("WPBRENT", "energy", "Brent crude oil"), area: "WLD", unit: "USD/bbl" },
];

const AREAS: Partial<Record<Country, string>> = { US: "USA", JP: "JPN" };

/**
 * The quarterly projections of the OECD Economic Outlook, from the current quarter on, as far as the
 * edition goes (up to eight quarters ahead).
 */
export const oecdForecast = defineFetcher({
  kind: "macroForecasts",
  source: OECD,
  countries: ["US", "JP"],
  scope: "country",
  async fetch({ now, country }, client) {
    const [first] = forecastQuarters(now);
    const from = first ? quarterPeriod({ ...first, year: first.year - 1 }) : "";
    const codes = MEASURES.map(({ code }) => code).join("+");
    const answer = await client.request(
      `https://sdmx.oecd.org/public/rest/data/OECD.ECO.MAD,DSD_EO@DF_EO,/${AREAS[country]}+WLD.${codes}.Q?startPeriod=${from}&format=csvfilewithlabels`,
      { form: "lines" },
    );
    return answer.text();
  },
  transform(text, { now, country }) {
    const values = new Map<string, number>();
    let edition = "";
    for (const row of parseSdmxCsv(OECD, text)) {
      edition ||= /^Economic Outlook \d{1,4}$/.exec(row("STRUCTURE_NAME"))?.[0] ?? "";
      if (row("FREQ") !== "Q") continue;
      for (const { period, value } of readObservation(row)) {
        values.set(`${row("REF_AREA")}.${row("MEASURE")}.${period}`, value);
      }
    }
    const origin = `OECD ${edition || "Economic Outlook"}`;
    const forecasts = MEASURES.flatMap((one): MacroForecast[] => {
      const { code, area = AREAS[country], transform, category, name, unit, decimals } = one;
      const forecast = forecastValues(now, decimals, (quarter) => {
        const at = (year: number) =>
          values.get(`${area}.${code}.${quarterPeriod({ ...quarter, year })}`) ?? null;
        const value = at(quarter.year);
        if (transform === "level" || value === null) return value;
        const base = at(quarter.year - 1);
        return base === null ? null : growthPercent(value, base);
      });
      return forecast
        ? [{ country, category, name, unit, decimals, origin, values: forecast }]
        : [];
    });
    // The oil price alone is not a forecast for the country.
    if (forecasts.every(({ category }) => category === "energy")) {
      throw OECD.error("nothing", "no projection from this quarter on");
    }
    return forecasts;
  },
});
