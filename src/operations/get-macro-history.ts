import { Type } from "@sinclair/typebox";
import type { Country } from "#domain/country.ts";
import { BourseError, invalidArgument } from "#domain/errors.ts";
import type { MacroSeries } from "#domain/macro.ts";
import type { Reason } from "#domain/reasons.ts";
import { FREQUENCIES, firstDayOf, frequencyOfAll, lastDayOf } from "#domain/macro-periods.ts";
import { StringEnum, TableOutput } from "#domain/schema.ts";
import { addDays } from "#lib/date.ts";
import type { Provenance } from "#domain/records.ts";
import type { MarketStore } from "#store/index.ts";
import { countriesOf, CountryInputs, withCountries } from "./reading/countries.ts";
import { findMacroSeries, subjectOf } from "./reading/macro-series.ts";
import type { InputKeywords } from "./reading/decode.ts";
import { BeginsOutput, KnownToOutput, knownToOf } from "./horizon.ts";
import { checkPeriod, DateInput } from "./reading/inputs.ts";
import { countryNeeds, optionalCountryNeeds } from "./needs.ts";
import { FIRST_COLUMNS, revisionsOf, RevisionsOutput } from "./macro-revisions.ts";
import {
  type CountrySeries,
  describeSeries,
  noFigure,
  observationsIn,
  sideBySide,
  SideBySideOutput,
  withoutOf,
  withUnits,
} from "./macro-side-by-side.ts";
import { defineOperation } from "./operation.ts";

const DEFAULT_OBSERVATIONS = 100;

export const getMacroHistory = defineOperation({
  name: "get_macro_history",
  set: "market",
  title: "Macro history",
  description:
    "Returns the published figures of one series of one or more countries' economies over time, oldest first. For the latest of all series use get_macro_indicators.",
  path: "/data/macro/history",
  input: Type.Object({
    ...CountryInputs,
    series: Type.String({
      minLength: 1,
      maxLength: 120,
      description: "Name in get_macro_indicators: Unemployment rate.",
      example: "Unemployment rate",
      expected: "the name of a series in get_macro_indicators, such as Unemployment rate",
      hint: () => "Give one series, and make one call for each series.",
    } satisfies InputKeywords & Parameters<typeof Type.String>[0]),
    from: Type.Optional(DateInput("First date", "first")),
    to: Type.Optional(DateInput("Last date", "last")),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000,
        default: DEFAULT_OBSERVATIONS,
        description: "Maximum rows, the newest.",
      }),
    ),
    revisions: Type.Optional(
      Type.Boolean({ description: "Also each first figure, its day, and all revisions." }),
    ),
  }),
  complete: withCountries,
  withoutExample: ["countries"],
  notFound: ["series"],
  notRewound: ["names of series"],
  output: Type.Object({
    name: Type.String({ description: "Name of the series: Unemployment rate." }),
    category: Type.String({ description: "Category of the series: labor." }),
    unit: Type.String({ description: "Unit of the figures: %; empty for a plain number." }),
    frequency: StringEnum(FREQUENCIES, { description: "How often a figure is published." }),
    ...TableOutput,
    ...RevisionsOutput,
    total: Type.Integer({ description: "Number of stored figures in the period." }),
    ...SideBySideOutput,
    ...BeginsOutput,
    ...KnownToOutput,
    more: Type.Optional(
      Type.String({ description: "How to get the rest; left out if nothing is missing." }),
    ),
  }),
  table: ({ columns, rows, total, series }) => ({
    ...(series ? withUnits({ columns, rows }, series) : { columns, rows }),
    total,
    next: rows.length < total ? { to: dayBefore(String(rows[0]?.[0])) } : null,
  }),
  needs: ({ revisions, ...args }) =>
    countriesOf(args).flatMap((one) => [
      ...countryNeeds(["macroSeries"], one),
      ...(revisions ? optionalCountryNeeds(["macroVintages"], one) : []),
    ]),
  handle({ series: name, from, to, limit = DEFAULT_OBSERVATIONS, ...args }, { market }) {
    checkPeriod(from, to);
    const countries = countriesOf(args);
    if (args.revisions && countries.length > 1) {
      throw invalidArgument("revisions needs one country.", {
        param: "revisions",
        hint: "Make one call for each country.",
      });
    }
    const { found, errors } = findSeries(market, countries, name, { from, to });
    const [first] = found;
    if (!first) throw errors.values().next().value ?? new Error("A call names a country.");
    const isOne = countries.length === 1;
    const { series, observations } = first;
    const { columns, rows } = isOne
      ? {
          columns: ["period", "value"],
          rows: observations.map(({ period, value }) => [period, value]),
        }
      : sideBySide(found);
    const shown = rows.slice(-limit);
    const oldest = shown[0]?.[0];
    const revisions = args.revisions
      ? revisionsOf(market, series, new Set(shown.map(([period]) => period)))
      : null;
    const about = {
      name: series.name,
      category: series.category,
      unit: series.unit,
      frequency: frequencyOfAll(series.observations.map(({ period }) => period)),
    };
    return {
      data: {
        ...(isOne ? about : describeSeries(found)),
        columns: [...columns, ...(revisions ? FIRST_COLUMNS : [])],
        rows: shown.map((row) => [...row, ...(revisions?.firstOf(row[0]) ?? [])]),
        ...(revisions && { revisions: revisions.table }),
        total: rows.length,
        ...(isOne && horizonOf(series.observations, from, to)),
        ...withoutOf(errors),
        ...(shown.length < rows.length && {
          more: `The newest ${shown.length} of ${rows.length} figures. Older ones: a higher limit, or to=${dayBefore(String(oldest))}.`,
        }),
      },
      from: [...found.map((one) => one.series), ...(revisions?.from ?? [])],
      why: ({ figure, of }) => whyNoFigure(found, figure, String(of["period"])),
    };
  },
});

/** Why a country has no figure of a period, or a figure has no first version. */
function whyNoFigure(
  found: readonly { readonly series: MacroSeries }[],
  country: string,
  period: string,
): Reason {
  const one = found.find(({ series }) => series.country === country);
  const last = one?.series.observations.at(-1)?.period;
  if (last === undefined) return "not_stored";
  return firstDayOf(period) > lastDayOf(last) ? "not_released" : "not_published";
}

/** The series of each country with figures in the period, and why the others have none. */
function findSeries(
  market: MarketStore,
  countries: readonly Country[],
  name: string,
  { from, to }: { readonly from: string | undefined; readonly to: string | undefined },
) {
  const found: (CountrySeries & { readonly series: MacroSeries & Provenance })[] = [];
  const errors = new Map<Country, BourseError>();
  const find = (country: Country) => {
    const all = market.documents.list("macroSeries", country);
    // The name of a series of one country finds the same figure of another one.
    const [subject] = found.map(({ series }) => subjectOf(series));
    const series =
      all.find((one) => one.name.toLowerCase() === name.toLowerCase()) ??
      all.find((one) => subjectOf(one) === subject) ??
      findMacroSeries(all, country, name);
    const observations = observationsIn(series, from, to);
    if (observations.length === 0) throw noFigure(series, from);
    found.push({ country, series, observations });
  };
  const trying = (country: Country) => {
    try {
      find(country);
      errors.delete(country);
    } catch (thrown) {
      if (!(thrown instanceof BourseError)) throw thrown;
      errors.set(country, thrown);
    }
  };
  countries.forEach(trying);
  // A country before the first one that has the name.
  [...errors.keys()].forEach((country) => found.length > 0 && trying(country));
  const placeOf = ({ country }: CountrySeries) => countries.indexOf(country);
  return { found: found.toSorted((a, b) => placeOf(a) - placeOf(b)), errors };
}

/** The first published period, if the asked dates begin earlier, and the end of the last one, if they end later. */
function horizonOf(
  observations: MacroSeries["observations"],
  from: string | undefined,
  to: string | undefined,
) {
  const [first, last] = [observations[0], observations.at(-1)];
  const isEarlier = first !== undefined && from !== undefined && firstDayOf(first.period) > from;
  return {
    ...(isEarlier && { begins: first.period }),
    ...knownToOf(last && lastDayOf(last.period), to),
  };
}

/** The last day before a period. */
const dayBefore = (period: string): string => addDays(firstDayOf(period), -1);
