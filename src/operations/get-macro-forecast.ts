import { Type } from "@sinclair/typebox";
import { InstantOutput } from "#domain/schema.ts";
import { COUNTRIES, type Country, countrySlug } from "#domain/country.ts";
import { type BourseError, notFound } from "#domain/errors.ts";
import type { MacroForecast, MacroSeries } from "#domain/macro.ts";
import { tableOf } from "#lib/table.ts";
import { formatWithUnit, MISSING } from "#panels/format.ts";
import { SideBySideOutput, withoutOf } from "./macro-side-by-side.ts";
import { countriesOf, CountryInputs, withCountries } from "./reading/countries.ts";
import { ListInput, MacroCategoryInput } from "./reading/inputs.ts";
import { countryNeeds, optionalCountryNeeds } from "./needs.ts";
import { defineOperation } from "./operation.ts";

const MAX_HORIZONS = 8;

export const getMacroForecast = defineOperation({
  name: "get_macro_forecast",
  set: "market",
  title: "Macro forecasts",
  description:
    "Returns forecasts of a country's economy for the current and the next quarters, by category. For published figures use get_macro_indicators.",
  path: "/data/macro/forecast",
  input: Type.Object({
    ...CountryInputs,
    categories: Type.Optional(
      ListInput(MacroCategoryInput(""), "Only these categories: gdp,prices."),
    ),
  }),
  complete: withCountries,
  withoutExample: ["countries"],
  notFound: ["categories"],
  notRewound: ["names of series"],
  output: Type.Object({
    country: Type.String({
      description: "Slug of the country's name: united-states; of several, separated by commas.",
    }),
    timestamp: InstantOutput("Time at which the forecasts were stored, UTC."),
    forecast_horizons: Type.Array(Type.String({ description: "Quarter: Q4/26." })),
    categories: Type.Record(
      Type.String(),
      Type.Array(
        Type.Object(
          {
            name: Type.String({ description: "Name of the indicator: GDP Growth Rate." }),
            unit: Type.String({ description: "Unit of the figures: %." }),
            latest: Type.String({
              description: "Latest published figure of the same name: 2.3; — if unknown.",
            }),
            latest_period: Type.String({
              description: "Period of the latest published figure: 2026-Q3; — if unknown.",
            }),
          },
          {
            additionalProperties: Type.String(),
            description:
              'Figure with one key for each forecast quarter: "Q4/26": "2.1". With countries also country: "US".',
          },
        ),
      ),
    ),
    without: SideBySideOutput.without,
    summary: Type.Object({
      indicators_total: Type.Integer({ description: "Number of indicators." }),
      categories: Type.Integer({ description: "Number of categories." }),
    }),
    metadata: Type.Object({
      source: Type.String({
        description: "Publication of the forecasts: OECD Economic Outlook 119.",
      }),
    }),
  }),
  table: ({ categories, forecast_horizons: horizons }, { countries }) =>
    tableOf(
      [
        "category",
        ...(countries === undefined ? [] : ["country"]),
        "name",
        "unit",
        "latest",
        "latest_period",
        ...horizons,
      ],
      Object.entries(categories).flatMap(([category, all]) =>
        all.map((one) => ({ category, ...one })),
      ),
    ),
  needs: (args) =>
    countriesOf(args).flatMap((country) => [
      ...countryNeeds(["macroForecasts"], country),
      ...optionalCountryNeeds(["macroSeries"], country),
    ]),
  handle({ categories: wanted, ...args }, { market, now }) {
    const countries = countriesOf(args);
    const current = quarterNumber(
      new Date(now).getUTCFullYear(),
      Math.floor(new Date(now).getUTCMonth() / 3) + 1,
    );
    const forecasts = countries.flatMap((country) =>
      market.documents
        .list("macroForecasts", country)
        .filter(({ category }) => wanted?.split(",").includes(category) ?? true),
    );
    const horizons = [...new Set(forecasts.flatMap(({ values }) => values.map(numberOf)))]
      .filter((quarter) => quarter >= current)
      .sort((a, b) => a - b)
      .slice(0, MAX_HORIZONS);
    const [first, last] = [horizons[0], horizons.at(-1)];
    const isAhead = ({ values }: MacroForecast) => values.some((one) => numberOf(one) >= current);
    const having = new Set(forecasts.filter(isAhead).map(({ country }) => country));
    const errors = new Map(
      countries.flatMap((one) =>
        having.has(one) ? [] : [[one, noForecast(one, wanted, market.knownOn)]],
      ),
    );
    if (first === undefined || last === undefined) {
      throw noForecast(countries[0] ?? "US", wanted, market.knownOn);
    }
    const actuals = new Map(
      forecasts.flatMap((forecast) => {
        const published = market.documents.list("macroSeries", forecast.country);
        const series = published.find((one) => isSameFigure(one, forecast));
        return series ? [[forecast, series]] : [];
      }),
    );
    const categories: Record<string, (ReturnType<typeof entry> & { country?: Country })[]> = {};
    for (const forecast of forecasts) {
      const { country } = forecast;
      (categories[forecast.category] ??= []).push({
        ...(countries.length > 1 && { country }),
        ...entry(forecast, actuals.get(forecast), first, last),
      });
    }
    return {
      data: {
        country: countries.map(countrySlug).join(", "),
        timestamp: new Date(Math.max(...forecasts.map(({ storedAt }) => storedAt))).toISOString(),
        forecast_horizons: horizons.map(label),
        categories,
        ...withoutOf(errors),
        summary: { indicators_total: forecasts.length, categories: Object.keys(categories).length },
        metadata: { source: [...new Set(forecasts.map(({ origin }) => origin))].join("; ") },
      },
      from: [...forecasts, ...actuals.values()],
      // No published series has the same name and unit.
      why: () => "not_published",
    };
  },
});

/** What the error of a country without forecasts on a past day adds. */
export const FIRST_KNOWN =
  "With known_on, a forecast counts from the day of its publication or of its first fetch.";

/** The error of a country without forecasts. */
function noForecast(country: Country, wanted: string | undefined, day: string | null): BourseError {
  const message = `No ${wanted?.replaceAll(",", ", ") ?? "macro"} forecasts of ${COUNTRIES[country].name} are stored.`;
  return notFound(
    day === null ? message : `${message} ${FIRST_KNOWN}`,
    wanted === undefined
      ? { hint: "Call get_macro_indicators for the published figures." }
      : {
          param: "categories",
          hint: "Call without categories to get all available forecasts.",
        },
  );
}

/** True if a series has the published figures of a forecast: the same name, apart from `Real`, and unit. */
function isSameFigure(series: MacroSeries, forecast: MacroForecast): boolean {
  const nameOf = ({ name }: { name: string }) => name.toLowerCase().replace(/^real /, "");
  return series.unit === forecast.unit && nameOf(series) === nameOf(forecast);
}

function entry(
  { name, unit, decimals, values }: MacroForecast,
  series: MacroSeries | undefined,
  first: number,
  last: number,
) {
  const entries = values
    .filter((value) => numberOf(value) >= first && numberOf(value) <= last && value.value !== null)
    .map((value) => [label(numberOf(value)), formatWithUnit(value.value, "", decimals)] as const);
  const latest = series?.observations.at(-1);
  return {
    name,
    unit,
    latest: formatWithUnit(latest?.value ?? null, "", series?.decimals ?? decimals),
    latest_period: latest?.period ?? MISSING,
    ...Object.fromEntries(entries),
  };
}

/** Numbers quarters consecutively. */
const quarterNumber = (year: number, quarter: number) => year * 4 + quarter - 1;
const numberOf = ({ year, quarter }: { year: number; quarter: number }) =>
  quarterNumber(year, quarter);

/** The label of a quarter: `Q4/26`. */
const label = (number: number) =>
  `Q${(number % 4) + 1}/${String(Math.floor(number / 4) % 100).padStart(2, "0")}`;
