import { Type } from "@sinclair/typebox";
import { COUNTRIES, type Country } from "#domain/country.ts";
import { invalidArgument, notFound } from "#domain/errors.ts";
import { firstDayOf, previousPeriod } from "#domain/macro-periods.ts";
import type { MacroSeries } from "#domain/macro.ts";
import type { Provenance } from "#domain/records.ts";
import { tableOf } from "#lib/table.ts";
import { formatWithUnit } from "#panels/format.ts";
import type { MarketStore } from "#store/index.ts";
import { countriesOf, CountryInputs, withCountries } from "./reading/countries.ts";
import { DateInput, MacroCategoryInput } from "./reading/inputs.ts";
import { subjectOf } from "./reading/macro-series.ts";
import { countryNeeds } from "./needs.ts";
import { defineOperation, SOURCE_DESCRIPTION } from "./operation.ts";

const Indicator = Type.Object({
  country: Type.Optional(Type.String({ description: "With countries: the code, US." })),
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
  without: Type.Optional(
    Type.String({ description: "With countries: those without this figure, JP,VN." }),
  ),
});

/** The fields that only an answer about several countries has. */
const OF_COUNTRIES = ["country", "without"];

export const getMacroIndicators = defineOperation({
  name: "get_macro_indicators",
  set: "market",
  title: "Macro indicators",
  description:
    "Returns the latest and the previous published figures of a country's economy, by category (for countries: what two of them have); yield curves: money. For earlier figures use get_macro_history, for forecasts get_macro_forecast.",
  path: "/data/macro/indicators",
  input: Type.Object({
    ...CountryInputs,
    category: Type.Optional(MacroCategoryInput("Only this category.")),
    to: Type.Optional(DateInput("Last date of the figures", "last")),
  }),
  complete: withCountries,
  withoutExample: ["countries"],
  notFound: ["category"],
  notRewound: ["names of series"],
  // A key beside the categories would look like one.
  sourceKey: null,
  output: Type.Record(Type.String(), Type.Array(Indicator), {
    description: "Indicators by category.",
  }),
  table: (data, { countries }) =>
    tableOf(
      [
        "category",
        ...Object.keys(Indicator.properties).filter(
          (name) => countries !== undefined || !OF_COUNTRIES.includes(name),
        ),
      ],
      Object.entries(data).flatMap(([category, all]) => all.map((one) => ({ category, ...one }))),
    ),
  needs: (args) => countriesOf(args).flatMap((one) => countryNeeds(["macroSeries"], one)),
  handle({ category, to, ...args }, { market }) {
    const countries = countriesOf(args);
    const [country] = countries;
    if (country !== undefined && countries.length === 1) {
      const series = listSeries(market, country, category, to);
      return { data: byCategory(series, entry), from: series };
    }
    const shared = listShared(market, countries, category, to);
    const data = byCategory(shared, ({ without, ...one }) => ({
      country: one.country,
      ...entry(one),
      ...(without.length > 0 && { without: without.join() }),
    }));
    return { data, from: shared };
  },
});

type Stored = MacroSeries & Provenance;

/** Groups entries by the category of their series. */
function byCategory<T extends Stored, Entry>(
  series: readonly T[],
  entryOf: (one: T) => Entry,
): Record<string, Entry[]> {
  const data: Record<string, Entry[]> = {};
  for (const one of series) (data[one.category] ??= []).push(entryOf(one));
  return data;
}

/**
 * The series of a country with two figures by a date; without a category, its main ones.
 *
 * @throws BourseError if there is none
 */
function listSeries(
  market: MarketStore,
  country: Country,
  category: string | undefined,
  to: string | undefined,
): Stored[] {
  const stored = market.documents
    .list("macroSeries", country)
    .filter(
      (one) => (category === undefined || one.category === category) && one.observations.length > 1,
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
  return series;
}

/**
 * The main series of several countries, each figure of all countries together; without a category, only figures that two
 * of the countries have. The first series of a figure names the countries without it.
 *
 * @throws BourseError as `listSeries` if no country has a series
 */
function listShared(
  market: MarketStore,
  countries: readonly Country[],
  category: string | undefined,
  to: string | undefined,
): (Stored & { readonly without: readonly Country[] })[] {
  let failure: unknown;
  const all = countries.flatMap((country) => {
    try {
      const series = listSeries(market, country, category, to);
      const main = series.filter(({ isDetail }) => isDetail !== true);
      return main.length > 0 ? main : series;
    } catch (thrown) {
      failure = thrown;
      return [];
    }
  });
  if (all.length === 0) throw failure;
  const figures = Map.groupBy(all, (one) => `${one.category} ${subjectOf(one)}`);
  return [...figures.values()].flatMap((group) => {
    const having = new Set(group.map(({ country }) => country));
    if (category === undefined && having.size < 2) return [];
    const without = countries.filter((one) => !having.has(one));
    return group.map((one, i) => ({ ...one, without: i === 0 ? without : [] }));
  });
}

/** The series until a date; none if fewer than two of its periods begin by then. */
function until<T extends MacroSeries>(to: string, series: T): T[] {
  const observations = series.observations.filter(({ period }) => firstDayOf(period) <= to);
  return observations.length > 1 ? [{ ...series, observations }] : [];
}

function entry({ name, unit, decimals, observations, source }: Stored) {
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
