import type { Place } from "#domain/records.ts";
import { closestHint } from "#lib/closest.ts";
import { quote } from "./cells.ts";
import { foreignFile, noneOf } from "./foreign-files.ts";
import { isObject, jsonExcess } from "./json-table.ts";
import {
  checkedRow,
  type Fields,
  lineOf,
  type Reading,
  refuse,
  type Row,
  type RowsOfFile,
  unlessSkipped,
} from "./reading.ts";
import type { Column } from "./record-columns.ts";
import { isNamed, readCell, readValues, refuseOther, shown } from "./record-values.ts";
import { joinTexts, linesOf } from "./text-pieces.ts";

/** The rows of JSON Lines. */
export function* readJsonLines(
  reading: Reading,
  file: string,
  texts: Iterable<string>,
): RowsOfFile {
  let rows = 0;
  for (const { line, text } of linesOf(texts)) {
    if (text.trim() === "") continue;
    const place = lineOf(file, line);
    const found = unlessSkipped(reading, place, () =>
      readJson(reading, parseJson(text, place, "the line"), place),
    );
    yield* found ?? [];
    rows++;
  }
  return { shape: "json lines", rows };
}

/** The rows of a JSON array. */
export function* readJsonArray(
  reading: Reading,
  file: string,
  texts: Iterable<string>,
): RowsOfFile {
  const text = joinTexts(texts, "write JSON Lines, with one record a line");
  const placeOf = (number: number) => ({ within: `${file}, record`, number });
  const records = parseJson(text, placeOf(1), "the file");
  if (!Array.isArray(records) || records.length === 0) {
    return refuse(placeOf(1), "the array is empty");
  }
  for (const [i, record] of records.entries()) {
    const place = placeOf(i + 1);
    yield* unlessSkipped(reading, place, () => readJson(reading, record, place)) ?? [];
  }
  return { shape: "json", rows: records.length };
}

/** The rows of a record of JSON, which is nested as in `#domain` or flat as in CSV. */
function readJson(reading: Reading, written: unknown, place: Place): Row[] {
  if (!isObject(written)) refuse(place, `an object is expected, not ${shown(written)}`);
  const { columns } = reading;
  const { group, list } = columns;
  const names = columns.all.map(({ name }) => name);
  const given = renamed(reading, written, [...names, group?.name ?? "", list?.name ?? ""]);
  const element = withConstantFields(reading, given, place);
  const inner = group && element[group.name];
  const entries = list && element[list.name];
  // Fields of a nested object or list are not searched for in the element itself.
  const holder = isObject(inner) ? group : Array.isArray(entries) ? list : null;
  const nested = holder?.columns.map(({ name }) => name) ?? [];
  const allowed = holder ? [...names.filter((name) => !nested.includes(name)), holder.name] : names;
  refuseUnknown(reading, element, allowed, place);
  if (isObject(inner)) refuseUnknown(reading, inner, nested, place);

  refuseMissing(holder ? columns.own : columns.all, element, place);
  const record: Fields = { ...readValues(columns.own, ({ name }) => element[name], place) };
  if (group) {
    const from = isObject(inner) ? inner : element;
    record[group.name] = readValues(group.columns, ({ name }) => from[name], place);
  }
  const all = Array.isArray(entries) ? (entries as unknown[]) : [element];
  if (!list || all.length === 0) return [checkedRow(reading, place, record, null)];
  return all.map((one) => {
    if (!isObject(one)) refuse(place, `${list.name} must hold objects, not ${shown(one)}`);
    const entry = one === element ? element : renamed(reading, one, nested);
    if (entry !== element) refuseUnknown(reading, entry, nested, place);
    const values = readValues(list.columns, ({ name }) => entry[name], place);
    return checkedRow(reading, place, record, values);
  });
}

/** Names all required fields that an object lacks, if there are several; `readValues` refuses a single one. */
function refuseMissing(columns: readonly Column[], element: Fields, place: Place): void {
  const missing = columns.filter(
    ({ name, isNullable, isOptional, fits }) =>
      (element[name] ?? null) === null && !isNullable && !isOptional && !fits(""),
  );
  if (missing.length < 2) return;
  refuse(place, `the fields ${missing.map(({ name }) => name).join(", ")} are missing`);
}

/** The object with the fields that `--set` gives. A field that it has already must have the same value. */
function withConstantFields(
  { columns, options: { constants = {} } }: Reading,
  element: Fields,
  place: Place,
): Fields {
  const fields: Fields = {};
  for (const [written, text] of Object.entries(constants)) {
    const isIt = isNamed(written);
    const column = columns.all.find(({ name }) => isIt(name));
    const name = column?.name ?? written;
    if (name in element) refuseOther(name, element[name], text, place);
    fields[name] = column ? readCell(text, column, "point") : text;
  }
  return { ...element, ...fields };
}

/**
 * The object with fields like `ex_date` under the names of columns, and without those that are not read; the same object
 * if it has no such field.
 */
function renamed(
  { kind: { aliases = {}, ignored = [] }, read }: Reading,
  element: Fields,
  names: readonly string[],
): Fields {
  if (Object.keys(element).every((key) => names.includes(key))) return element;
  const fields: Fields = {};
  for (const [key, value] of Object.entries(element)) {
    const isIt = isNamed(key);
    const alias = aliases[Object.keys(aliases).find(isIt) ?? ""];
    const name = names.find(isIt) ?? (alias !== undefined && names.includes(alias) ? alias : key);
    if (name === key && !names.includes(key) && ignored.some(isIt)) read.unread.add(key);
    // Two forms of one name would lose a value.
    else fields[name in fields ? key : name] = value;
  }
  return fields;
}

function parseJson(text: string, place: Place, what: string): unknown {
  const excess = jsonExcess(text);
  if (excess !== null) refuse(place, `${what} ${excess}`);
  try {
    return JSON.parse(text.replace(/^\uFEFF/, "")) as unknown;
  } catch {
    return refuse(place, `${what} is not JSON`);
  }
}

function refuseUnknown(
  { kind: { plural } }: Reading,
  element: Fields,
  allowed: readonly string[],
  place: Place,
): void {
  const names = Object.keys(element);
  for (const name of names) {
    if (allowed.includes(name)) continue;
    const seen = `${quote(name)}${closestHint(name, allowed)}`;
    refuse(place, foreignFile(names) ?? `${seen} is ${noneOf(name, allowed, plural)}`);
  }
}
