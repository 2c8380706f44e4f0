import { Type } from "@sinclair/typebox";
import { COUNTRIES, CountryCode } from "#domain/country.ts";
import { BourseError } from "#domain/errors.ts";
import { MACRO_CATEGORIES } from "#domain/macro.ts";
import { StringEnum } from "#domain/schema.ts";
import { formatWithUnit } from "#panels/format.ts";
import { countryNeeds } from "./needs.ts";
import { defineOperation } from "./operation.ts";

export const getMacroIndicators = defineOperation({
  name: "get_macro_indicators",
  title: "Macro indicators",
  description:
    "The latest and previous published figures of a country's economy, by category. For what is expected next use get_macro_forecast, for publication dates get_macro_calendar.",
  path: "/data/macro/indicators",
  input: Type.Object({
    country: CountryCode,
    category: Type.Optional(
      StringEnum(MACRO_CATEGORIES, { description: "Only this category; all ten without it." }),
    ),
  }),
  notFound: ["category"],
  output: Type.Record(
    Type.String(),
    Type.Array(
      Type.Object({
        name: Type.String(),
        latest: Type.Number({ description: "The newest figure." }),
        previous: Type.Number({ description: "The figure of the period before." }),
        latest_raw: Type.String({ description: "The newest figure as text with its unit." }),
        previous_raw: Type.String({ description: "The figure before as text with its unit." }),
      }),
    ),
    { description: "Entries by category." },
  ),
  needs: ({ country }) => countryNeeds(["macroSeries"], country),
  handle({ country, category }, { market }) {
    const series = market.documents
      .list("macroSeries", country)
      .filter(
        (one) =>
          (category === undefined || one.category === category) && one.observations.length > 1,
      );
    if (series.length === 0) {
      throw new BourseError(
        "not_found",
        `There are no ${category ?? "macro"} indicators of ${COUNTRIES[country].name} here.`,
        category === undefined
          ? {}
          : { param: "category", hint: "Ask without category to see which there are." },
      );
    }
    const data: Record<string, ReturnType<typeof entry>[]> = {};
    for (const one of series) (data[one.category] ??= []).push(entry(one));
    return { data, from: series };
  },
});

function entry(series: {
  name: string;
  unit: string;
  decimals: number;
  observations: { value: number }[];
}) {
  const [previous = 0, latest = 0] = series.observations.slice(-2).map(({ value }) => value);
  return {
    name: series.name,
    latest,
    previous,
    latest_raw: formatWithUnit(latest, series.unit, series.decimals),
    previous_raw: formatWithUnit(previous, series.unit, series.decimals),
  };
}
