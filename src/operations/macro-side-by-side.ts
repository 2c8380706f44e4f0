import { Type } from "@sinclair/typebox";
import type { Country } from "#domain/country.ts";
import { type BourseError, invalidArgument } from "#domain/errors.ts";
import type { MacroSeries } from "#domain/macro.ts";
import {
  type Frequency,
  firstDayOf,
  frequencyOfAll,
  frequencyOf,
  lastDayOf,
} from "#domain/macro-periods.ts";
import type { Cell, Table } from "#lib/table.ts";

/** A series of a country with its figures in the period of a call. */
export interface CountrySeries {
  readonly country: Country;
  readonly series: MacroSeries;
  readonly observations: MacroSeries["observations"];
}

const SERIES_COLUMNS = ["country", "name", "unit", "frequency", "first", "last"];

/** The schemas of what an answer about several countries has beside its rows. */
export const SideBySideOutput = {
  series: Type.Optional(
    Type.Object(
      {
        columns: Type.Array(Type.String()),
        rows: Type.Array(Type.Array(Type.String())),
      },
      { description: "With countries: the series of each one, with its first and last period." },
    ),
  ),
  without: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: "With countries: those without figures, and why.",
    }),
  ),
};

/**
 * The figures of several countries by period, oldest first: a column for each country, null where it has no figure of
 * that period. A quarter stands behind its last month.
 */
export function sideBySide(all: readonly CountrySeries[]): Table {
  const byPeriod = new Map<string, (number | null)[]>();
  all.forEach(({ observations }, i) => {
    for (const { period, value } of observations) {
      const values = byPeriod.get(period) ?? all.map(() => null);
      values[i] = value;
      byPeriod.set(period, values);
    }
  });
  const lengthOf = (period: string) => LENGTHS.indexOf(frequencyOf(period));
  const periods = [...byPeriod].toSorted(
    ([a], [b]) => lastDayOf(a).localeCompare(lastDayOf(b)) || lengthOf(a) - lengthOf(b),
  );
  return {
    columns: ["period", ...all.map(({ country }) => country)],
    rows: periods.map(([period, values]): Cell[] => [period, ...values]),
  };
}

const LENGTHS: readonly Frequency[] = ["D", "M", "Q", "A"];

/** What the series of each country is. */
export function describeSeries(all: readonly CountrySeries[]) {
  const joined = (textOf: (series: MacroSeries) => string) =>
    [...new Set(all.map(({ series }) => textOf(series)))].join(" / ");
  const rows = all.map(({ country, series }) => {
    const periods = series.observations.map(({ period }) => period);
    const [first = "", last = ""] = [periods[0], periods.at(-1)];
    return [country, series.name, series.unit, frequencyOfAll(periods), first, last];
  });
  const [frequency = "irregular", ...others] = new Set(
    all.map(({ series }) => frequencyOfAll(series.observations.map(({ period }) => period))),
  );
  return {
    name: joined(({ name }) => name),
    category: joined(({ category }) => category),
    unit: joined(({ unit }) => unit),
    frequency: others.length === 0 ? frequency : ("irregular" as const),
    series: { columns: SERIES_COLUMNS, rows },
  };
}

/** The table with the unit of each country's figures, for CSV. */
export function withUnits(table: Table, series: { readonly rows: readonly string[][] }): Table {
  const units = series.rows.map(([country, , unit = ""]) => ({ name: `${country}_unit`, unit }));
  return {
    columns: [...table.columns, ...units.map(({ name }) => name)],
    rows: table.rows.map((row) => [...row, ...units.map(({ unit }) => unit)]),
  };
}

/** The figures in a period; both dates count. */
export function observationsIn(
  { observations }: MacroSeries,
  from: string | undefined,
  to: string | undefined,
): MacroSeries["observations"] {
  return observations.filter(
    ({ period }) =>
      (from === undefined || lastDayOf(period) >= from) &&
      (to === undefined || firstDayOf(period) <= to),
  );
}

/** The error of a series without a figure in the period of a call. */
export function noFigure(
  { name, observations }: MacroSeries,
  from: string | undefined,
): BourseError {
  return invalidArgument(
    `${name} has no figure in this period: its figures are from ${observations[0]?.period} to ${observations.at(-1)?.period}.`,
    { param: from === undefined ? "to" : "from" },
  );
}

/** The countries that lack a series, as an answer names them. */
export function withoutOf(
  errors: ReadonlyMap<Country, BourseError>,
): { without: Record<string, string> } | undefined {
  if (errors.size === 0) return undefined;
  const reasons = [...errors].map(([country, { message, details }]) => [
    country,
    details.hint === undefined ? message : `${message} ${details.hint}`,
  ]);
  return { without: Object.fromEntries(reasons) };
}
