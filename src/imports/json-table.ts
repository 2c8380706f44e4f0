import { findJsonExcess } from "#lib/bounded-json.ts";
import { CsvError } from "#lib/csv.ts";

/** A list of JSON as a table of texts. */
export interface JsonTable {
  readonly names: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** True if the JSON has an array for each column. */
  readonly isByColumn: boolean;
}

type Fields = Record<string, unknown>;

/** Different fields of the objects of a list. */
const MAX_FIELDS = 256;

/** Why a text of JSON is not read, or null. Its size is limited elsewhere. */
export const jsonExcess = (text: string): string | null =>
  findJsonExcess(text, { maxDepth: 32, maxContainers: Infinity });

/** True for an object of JSON that is no array. */
export const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * The first list in a JSON text (or in JSON Lines) whose names `fits` accepts, as a table; null if
 * there is none. A list is an array of objects, an object of arrays of one length, or an object of
 * objects by date. Fields around the list name the `currencies`, `tickers` and `zones`.
 *
 * @throws CsvError if the text is not JSON
 */
export function jsonTable(
  text: string,
  fits: (names: readonly string[]) => boolean,
):
  | (JsonTable & {
      readonly currencies: readonly string[];
      readonly tickers: readonly string[];
      readonly zones: readonly string[];
    })
  | null {
  const value = parse(text);
  const table = findTable(value, fits);
  return (
    table && {
      ...table,
      currencies: textsAround(value, /^currency(?:_?code)?$/i),
      tickers: textsAround(value, /^(?:\d+\. )?(?:symbol|ticker)$/i),
      zones: textsAround(value, /^(?:\d+\. )?(?:exchange_?)?(?:time[_ ]?zone|tz)(?:_?name)?$/i),
    }
  );
}

/** The texts of the fields of that name around a list, such as `meta.currency`. */
function textsAround(value: unknown, wanted: RegExp, depth = 0): string[] {
  if (Array.isArray(value)) return value.length === 1 ? textsAround(value[0], wanted, depth) : [];
  if (!isObject(value) || depth > 4) return [];
  return Object.entries(value).flatMap(([name, child]) =>
    typeof child === "string" && wanted.test(name) ? child : textsAround(child, wanted, depth + 1),
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    return lines.map((line, i): unknown => {
      try {
        return JSON.parse(line);
      } catch {
        throw new CsvError(lines.length > 1 ? i + 1 : 1, "the file is not JSON");
      }
    });
  }
}

/** The same in a value that was parsed. */
export function findTable(
  value: unknown,
  fits: (names: readonly string[]) => boolean,
): JsonTable | null {
  for (const table of [byRows(value), byColumns(value), byDate(value)]) {
    if (table && table.rows.length > 0 && fits(table.names)) return table;
  }
  const inner = isObject(value)
    ? Object.values(value)
    : Array.isArray(value)
      ? value.slice(0, 3)
      : [];
  for (const child of inner as unknown[]) {
    if (typeof child !== "object" || child === null) continue;
    const table = findTable(child, fits);
    if (table) return table;
  }
  return null;
}

const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";

/** `[{ "date": …, "close": … }, …]`; null if the objects have more than 256 fields, which would make a cell of each in each row. */
function byRows(value: unknown): JsonTable | null {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isObject)) return null;
  // A later row may have a field that the first ones lack.
  const seen = new Set<string>();
  for (const row of value) {
    for (const name in row) seen.add(name);
    if (seen.size > MAX_FIELDS) return null;
  }
  const names = [...seen];
  return {
    names,
    isByColumn: false,
    rows: value.map((row) => names.map((name) => textOf(row[name]))),
  };
}

/** `{ "t": […], "c": […] }`, as chart APIs return it; columns may be one level deeper. */
function byColumns(value: unknown): JsonTable | null {
  if (!isObject(value)) return null;
  const lists = new Map<string, readonly unknown[]>();
  const collect = (from: unknown, depth: number) => {
    if (!isObject(from) || depth > 3) return;
    for (const [name, child] of Object.entries(from)) {
      if (Array.isArray(child) && child.length === 1 && isObject(child[0])) {
        collect(child[0], depth + 1);
      } else if (Array.isArray(child)) lists.set(name, child);
      else collect(child, depth + 1);
    }
  };
  collect(value, 0);
  const length = Math.max(0, ...[...lists.values()].map((list) => list.length));
  const names = [...lists.keys()].filter((name) => lists.get(name)?.length === length);
  const rows = Array.from({ length }, (_, i) => names.map((name) => textOf(lists.get(name)?.[i])));
  return { names, isByColumn: true, rows };
}

/** `{ "2024-01-02": { "close": … }, … }` */
function byDate(value: unknown): JsonTable | null {
  if (!isObject(value)) return null;
  const entries = Object.entries(value);
  if (!entries.every(([date, row]) => /^\d{4}-\d\d-\d\d/.test(date) && isObject(row))) return null;
  const table = byRows(entries.map(([date, row]) => ({ date, ...(row as Fields) })));
  return table;
}
