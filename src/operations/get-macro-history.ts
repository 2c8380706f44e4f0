import { Type } from "@sinclair/typebox";
import { CountryCode } from "#domain/country.ts";
import { invalidArgument } from "#domain/errors.ts";
import type { MacroSeries } from "#domain/macro.ts";
import { FREQUENCIES, firstDayOf, frequencyOfAll, lastDayOf } from "#domain/macro-periods.ts";
import { StringEnum, TableOutput } from "#domain/schema.ts";
import { addDays } from "#lib/date.ts";
import { findMacroSeries } from "./reading/macro-series.ts";
import type { InputKeywords } from "./reading/decode.ts";
import { BeginsOutput, KnownToOutput, knownToOf } from "./horizon.ts";
import { checkPeriod, DateInput } from "./reading/inputs.ts";
import { countryNeeds } from "./needs.ts";
import { defineOperation } from "./operation.ts";

const DEFAULT_OBSERVATIONS = 100;

export const getMacroHistory = defineOperation({
  name: "get_macro_history",
  set: "market",
  title: "Macro history",
  description:
    "Returns the published figures of one series of a country's economy over time, oldest first. For the latest of all series use get_macro_indicators.",
  path: "/data/macro/history",
  input: Type.Object({
    country: CountryCode,
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
  }),
  notFound: ["series"],
  output: Type.Object({
    name: Type.String({ description: "Name of the series: Unemployment rate." }),
    category: Type.String({ description: "Category of the series: labor." }),
    unit: Type.String({ description: "Unit of the figures: %; empty for a plain number." }),
    frequency: StringEnum(FREQUENCIES, { description: "How often a figure is published." }),
    ...TableOutput,
    total: Type.Integer({ description: "Number of stored figures in the period." }),
    ...BeginsOutput,
    ...KnownToOutput,
    more: Type.Optional(
      Type.String({ description: "How to get the rest; left out if nothing is missing." }),
    ),
  }),
  table: ({ columns, rows, total }) => ({
    columns,
    rows,
    total,
    next: rows.length < total ? { to: dayBefore(String(rows[0]?.[0])) } : null,
  }),
  needs: ({ country }) => countryNeeds(["macroSeries"], country),
  handle({ country, series: name, from, to, limit = DEFAULT_OBSERVATIONS }, { market }) {
    checkPeriod(from, to);
    const series = findMacroSeries(market.documents.list("macroSeries", country), country, name);
    const { observations } = series;
    const inPeriod = observations.filter(
      ({ period }) =>
        (from === undefined || lastDayOf(period) >= from) &&
        (to === undefined || firstDayOf(period) <= to),
    );
    if (inPeriod.length === 0) {
      throw invalidArgument(
        `${series.name} has no figure in this period: its figures are from ${observations[0]?.period} to ${observations.at(-1)?.period}.`,
        { param: from === undefined ? "to" : "from" },
      );
    }
    const shown = inPeriod.slice(-limit);
    const [oldest] = shown;
    return {
      data: {
        name: series.name,
        category: series.category,
        unit: series.unit,
        frequency: frequencyOfAll(observations.map(({ period }) => period)),
        columns: ["period", "value"],
        rows: shown.map(({ period, value }) => [period, value]),
        total: inPeriod.length,
        ...horizonOf(observations, from, to),
        ...(oldest &&
          shown.length < inPeriod.length && {
            more: `The newest ${shown.length} of ${inPeriod.length} figures. Older ones: a higher limit, or to=${dayBefore(oldest.period)}.`,
          }),
      },
      from: [series],
    };
  },
});

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
