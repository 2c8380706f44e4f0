import { Type } from "@sinclair/typebox";
import type { Country } from "#domain/country.ts";
import { BourseError, invalidArgument } from "#domain/errors.ts";
import type { MacroSeries } from "#domain/macro.ts";
import type { MacroVintage } from "#domain/macro-vintages.ts";
import { FREQUENCIES, firstDayOf, frequencyOfAll, lastDayOf } from "#domain/macro-periods.ts";
import { StringEnum, TableOutput } from "#domain/schema.ts";
import { addDays } from "#lib/date.ts";
import { tableOf } from "#lib/table.ts";
import type { Provenance } from "#domain/records.ts";
import type { MarketStore } from "#store/index.ts";
import { countriesOf, CountryInputs, withCountries } from "./reading/countries.ts";
import { findMacroSeries, subjectOf } from "./reading/macro-series.ts";
import type { InputKeywords } from "./reading/decode.ts";
import { BeginsOutput, KnownToOutput, knownToOf } from "./horizon.ts";
import { checkPeriod, DateInput } from "./reading/inputs.ts";
import { countryNeeds, optionalCountryNeeds } from "./needs.ts";
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
    revisions: Type.Optional(
      Type.Object(
        { ...TableOutput },
        {
          description:
            "Only with revisions=true: every figure of these periods with the UTC date since which it was known. is_first is false if an earlier one may have been published; a null value was withdrawn.",
        },
      ),
    ),
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
  needs: (args) =>
    countriesOf(args).flatMap((one) => [
      ...countryNeeds(["macroSeries"], one),
      ...optionalCountryNeeds(["macroVintages"], one),
    ]),
  handle(
    { series: name, from, to, limit = DEFAULT_OBSERVATIONS, revisions = false, ...args },
    { market },
  ) {
    checkPeriod(from, to);
    const countries = countriesOf(args);
    if (revisions && countries.length > 1) {
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
    const vintages = revisions ? vintagesOf(market, series, observations.slice(-limit)) : null;
    const { columns, rows } = isOne
      ? {
          columns: ["period", "value", ...(vintages ? ["first", "first_known_on"] : [])],
          rows: observations.map(({ period, value }) => [
            period,
            value,
            ...(vintages ? firstOf(vintages, period) : []),
          ]),
        }
      : sideBySide(found);
    const shown = rows.slice(-limit);
    const oldest = shown[0]?.[0];
    const about = {
      name: series.name,
      category: series.category,
      unit: series.unit,
      frequency: frequencyOfAll(series.observations.map(({ period }) => period)),
    };
    return {
      data: {
        ...(isOne ? about : describeSeries(found)),
        columns: [...columns],
        rows: shown.map((row) => [...row]),
        ...(vintages && { revisions: tableOfVintages(vintages) }),
        total: rows.length,
        ...(isOne && horizonOf(series.observations, from, to)),
        ...withoutOf(errors),
        ...(shown.length < rows.length && {
          more: `The newest ${shown.length} of ${rows.length} figures. Older ones: a higher limit, or to=${dayBefore(String(oldest))}.`,
        }),
      },
      from: found.map((one) => one.series),
    };
  },
});

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

/** The vintages of these observations, by period, then by day. */
function vintagesOf(
  market: MarketStore,
  { country, id, unit }: MacroSeries,
  shown: MacroSeries["observations"],
): readonly MacroVintage[] {
  const stored = market.documents.find("macroVintages", country, id);
  const periods = new Set(shown.map(({ period }) => period));
  return stored?.unit === unit ? stored.vintages.filter((one) => periods.has(one.period)) : [];
}

const tableOfVintages = (vintages: readonly MacroVintage[]) =>
  tableOf(
    ["period", "known_since", "value", "is_first"],
    vintages.map((one) => ({
      period: one.period,
      known_since: one.since,
      value: one.value,
      is_first: isFirst(one, vintages),
    })),
  );

/** The first published figure of a period and its day; nulls if it is not known. */
function firstOf(
  vintages: readonly MacroVintage[],
  period: string,
): [number | null, string | null] {
  const first = vintages.find((one) => one.period === period);
  return first && isFirst(first, vintages) ? [first.value, first.since] : [null, null];
}

/** True for a figure that was the first one of its period. */
function isFirst(one: MacroVintage, vintages: readonly MacroVintage[]): boolean {
  return one.isBase !== true && vintages.find(({ period }) => period === one.period) === one;
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
