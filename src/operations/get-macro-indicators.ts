import { Type } from "@sinclair/typebox";
import { COUNTRIES, CountryCode } from "#domain/country.ts";
import { invalidArgument, notFound } from "#domain/errors.ts";
import { firstDayOf, previousPeriod } from "#domain/macro-periods.ts";
import type { MacroSeries } from "#domain/macro.ts";
import type { Provenance } from "#domain/records.ts";
import { tableOf } from "#lib/table.ts";
import { formatWithUnit } from "#panels/format.ts";
import { DateInput, MacroCategoryInput } from "./reading/inputs.ts";
import { countryNeeds } from "./needs.ts";
import { defineOperation, SOURCE_DESCRIPTION } from "./operation.ts";

const Indicator = Type.Object({
  name: Type.String({ description: "Name of the indicator: Inflation Rate YoY." }),
  latest: Type.Number({ description: "Newest figure: 3.1." }),
  previous: Type.Number({ description: "Figure of the previous period: 3.0." }),
  latest_raw: Type.String({ description: "Newest figure as text with its unit: 3.1%." }),
  previous_raw: Type.String({ description: "Previous figure as text with its unit: 3.0%." }),
  unit: Type.String({ description: "Unit of the figures: %; empty for a plain number." }),
  period: Type.String({
    description: "Period of the newest figure: 2026, 2026-Q3, 2026-10 or 2026-10-31.",
  }),
  previous_period: Type.Optional(
    Type.String({
      description:
        "Period of the previous figure; left out if it is the one directly before `period`.",
    }),
  ),
  source: Type.String({ description: SOURCE_DESCRIPTION }),
});

export const getMacroIndicators = defineOperation({
  name: "get_macro_indicators",
  set: "market",
  title: "Macro indicators",
  description:
    "Returns the latest and the previous published figures of a country's economy, by category; yield curves: money. For earlier figures use get_macro_history, for forecasts get_macro_forecast.",
  path: "/data/macro/indicators",
  input: Type.Object({
    country: CountryCode,
    category: Type.Optional(MacroCategoryInput("Only this category.")),
    to: Type.Optional(DateInput("Last date of the figures", "last")),
  }),
  notFound: ["category"],
  // A key beside the categories would look like one.
  sourceKey: null,
  output: Type.Record(Type.String(), Type.Array(Indicator), {
    description: "Indicators by category.",
  }),
  table: (data) =>
    tableOf(
      ["category", ...Object.keys(Indicator.properties)],
      Object.entries(data).flatMap(([category, all]) => all.map((one) => ({ category, ...one }))),
    ),
  needs: ({ country }) => countryNeeds(["macroSeries"], country),
  handle({ country, category, to }, { market }) {
    const stored = market.documents
      .list("macroSeries", country)
      .filter(
        (one) =>
          (category === undefined || one.category === category) && one.observations.length > 1,
      );
    const known = to === undefined ? stored : stored.flatMap((one) => until(to, one));
    const main = known.filter(({ isDetail }) => category !== undefined || isDetail !== true);
    const series = main.length > 0 ? main : known;
    const what = `${category ?? "macro"} indicators of ${COUNTRIES[country].name}`;
    if (stored.length === 0) {
      throw notFound(
        `No ${what} are stored.`,
        category === undefined
          ? {}
          : { param: "category", hint: "Call without category to get all available indicators." },
      );
    }
    if (series.length === 0) {
      throw invalidArgument(`No ${what} are stored until ${to}.`, {
        param: "to",
        hint: "Give a later date.",
      });
    }
    const data: Record<string, ReturnType<typeof entry>[]> = {};
    for (const one of series) (data[one.category] ??= []).push(entry(one));
    return { data, from: series };
  },
});

/** The series until a date; none if fewer than two of its periods begin by then. */
function until<T extends MacroSeries>(to: string, series: T): T[] {
  const observations = series.observations.filter(({ period }) => firstDayOf(period) <= to);
  return observations.length > 1 ? [{ ...series, observations }] : [];
}

function entry({ name, unit, decimals, observations, source }: MacroSeries & Provenance) {
  const [before, newest] = observations.slice(-2);
  const [previous, latest] = [before?.value ?? 0, newest?.value ?? 0];
  const period = newest?.period ?? "";
  const isRegular = before?.period === previousPeriod(period);
  return {
    name,
    latest,
    previous,
    latest_raw: formatWithUnit(latest, unit, decimals),
    previous_raw: formatWithUnit(previous, unit, decimals),
    unit,
    period,
    // In every entry it would make the answer a sixth longer.
    ...(!isRegular && { previous_period: before?.period ?? "" }),
    source,
  };
}
