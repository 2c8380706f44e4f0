import { COUNTRY_CODES, countryLowerName } from "#domain/country.ts";
import type { Place } from "#domain/records.ts";
import { cleanText, quote } from "./cells.ts";
import type { Values } from "./import-kinds.ts";
import { type DecimalMark, readFigure } from "./numbers.ts";
import { refuse } from "./reading.ts";
import type { Column } from "./record-columns.ts";

/** The code of a country whose name the service's answers write: `united states`; other texts stay. */
function countryIn(text: string): string {
  return COUNTRY_CODES.find((code) => countryLowerName(code) === text) ?? text;
}

/** A name without its letter case and its form: `exDate` and `ex_date` are equal. */
export const plainName = (name: string) => name.toLowerCase().replaceAll(/[_ -]+/g, "");

/** A test for the names that equal a written one, whose letter case and form do not matter. */
export function isNamed(written: string): (name: string) => boolean {
  const plain = plainName(written);
  return (name) => plainName(name) === plain;
}

/** The value of a CSV cell; null if it is empty, its text if it has another type. */
export function readCell(cell: string | undefined, { type }: Column, mark: DecimalMark): unknown {
  if (cell === undefined) return null;
  if (type === "number") {
    const number = readFigure(cell, mark);
    return Number.isNaN(number) ? cell : number;
  }
  const text = cell.trim();
  if (text === "") return null;
  if (type === "string") return text;
  const lower = text.toLowerCase();
  return lower === "true" || lower === "false" ? lower === "true" : text;
}

/** The values of some columns; null if an optional one is missing. */
export function readValues(
  columns: readonly Column[],
  read: (column: Column, index: number) => unknown,
  place: Place,
): Values {
  const values: Record<string, Values[string]> = {};
  let index = 0;
  for (const column of columns) {
    const { name } = column;
    let value = read(column, index++) ?? null;
    if (typeof value === "string") {
      const text = cleanText(value);
      value = name === "symbol" ? text.toUpperCase() : name === "country" ? countryIn(text) : text;
    }
    if (value === null) {
      if (column.isNullable) values[name] = null;
      // An empty cell is a value if text may be empty, as the unit of a plain number.
      else if (column.fits("")) values[name] = "";
      else if (!column.isOptional)
        refuse(place, `${name} is missing; it must be ${column.allowed}`);
      continue;
    }
    if (!column.fits(value)) {
      refuse(place, `${name} must be ${column.allowed}, not ${shown(value)}`);
    }
    values[name] = value as Values[string];
  }
  return values;
}

/** Refuses a value that is not the one that `--set` gives. Letter case does not matter. */
export function refuseOther(name: string, written: unknown, value: string, place: Place): void {
  const text = String(written).trim();
  if (text === value || text.toUpperCase() === value.toUpperCase()) return;
  refuse(
    place,
    `${name} is in the record and in --set, with different values: here ${shown(written)}; leave it out of --set`,
  );
}

/** A value as errors show it. */
export function shown(value: unknown): string {
  return typeof value === "string" ? quote(value) : quote(JSON.stringify(value) ?? "nothing");
}
