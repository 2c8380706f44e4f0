import { splitFault } from "#analytics/split-check.ts";
import { COUNTRY_CODES } from "#domain/country.ts";
import { invalidArgument } from "#domain/errors.ts";
import { ASSET_TYPES } from "#domain/instrument.ts";
import type { Split } from "#domain/split.ts";
import { ON_BAD, type OnBad } from "#imports/bad-rows.ts";
import type { BarColumn } from "#imports/bar-headers.ts";
import type { NamedColumns } from "#imports/bars-table.ts";
import { DATE_ORDERS, type DateOrder } from "#imports/dates.ts";
import { IMPORT_KINDS, type ImportKind, type ImportName } from "#imports/import-kinds.ts";
import type { DecimalMark } from "#imports/numbers.ts";
import { isDate } from "#lib/date.ts";
import { type Flag, parseChoice } from "#cli/command.ts";

/** The flags of a command as they were given. */
export type Flags = Readonly<Record<string, string | boolean | undefined>>;

/** The flags of every kind. */
const FILE_FLAGS: Readonly<Record<string, Flag>> = {
  template: { description: "print a CSV template with two rows, and import nothing" },
  "dry-run": { description: "check everything and print the result, but store nothing" },
  "on-bad": {
    value: ON_BAD.join("|"),
    description:
      "refuse all (default), skip wrong rows, widen ranges that miss open or close, or keep implausible values, which are right",
  },
  set: {
    value: "COLUMN=VALUE,…",
    description: "columns that a file does not have, with one value for all rows",
  },
  decimal: { value: "point|comma", description: "the decimal mark, if a file does not show it" },
};

const APPEND_FLAG: Readonly<Record<string, Flag>> = {
  append: { description: "add and update entries, and keep the others that were imported" },
};

/** The flags for a file of bars of one instrument. */
export const HISTORY_FLAGS = {
  country: {
    value: COUNTRY_CODES.join("|"),
    description: "its country, for a file without that column",
  },
  symbol: { value: "SYMBOL", description: "its symbol, for a file without that column" },
  name: {
    value: "NAME",
    description: "its name, to create an instrument that the market does not have yet",
  },
  type: { value: "TYPE", description: `with --name: ${ASSET_TYPES.join(", ")} (stock)` },
  columns: {
    value: "date=NAME,close=NAME,…",
    description: "the columns of an unknown format, by header or position from 1",
  },
  unit: { value: "NUMBER", description: "multiply prices, such as 1000 for thousand VND" },
  "date-order": {
    value: DATE_ORDERS.join("|"),
    description: "the order of day, month and year, if a file does not show it",
  },
} as const satisfies Readonly<Record<string, Flag>>;

/** The flag that answers the question about a jump in bars. */
const SPLITS_FLAG: Readonly<Record<string, Flag>> = {
  splits: {
    value: "DATE=NEW:OLD,…|none",
    description:
      "splits that the prices are not adjusted for, such as 2023-03-30=5:1; none: the prices are right as they are",
  },
};

/** The flags of the import of a kind. */
export function importFlags(name: ImportName): Readonly<Record<string, Flag>> {
  const kind: ImportKind = IMPORT_KINDS[name];
  return {
    ...(name === "bars" ? { ...HISTORY_FLAGS, ...SPLITS_FLAG } : {}),
    ...(kind.order ? APPEND_FLAG : {}),
    ...FILE_FLAGS,
  };
}

/** The options of an import, from its flags. */
export interface ImportOptions {
  readonly isDryRun: boolean;
  readonly append: boolean;
  readonly onBad: OnBad;
  /** The splits of imported bars; null if their prices are right as they are. */
  readonly splits: readonly Split[] | null;
  readonly decimalMark?: DecimalMark;
  /** Columns that the files do not have, with their value in all rows. */
  readonly constants: Readonly<Record<string, string>>;
}

/** @throws BourseError if a flag has another value than it allows */
export function readImportOptions(flags: Flags): ImportOptions {
  const decimal = flags["decimal"];
  return {
    isDryRun: flags["dry-run"] === true,
    append: flags["append"] === true,
    onBad: parseChoice("on-bad", flags["on-bad"] ?? "refuse", ON_BAD),
    splits: parseSplits(flags["splits"]),
    constants: Object.fromEntries(
      parsePairs(
        flags["set"],
        "--set must be columns with a value, such as country=US,symbol=AAPL.",
      ),
    ),
    ...(decimal !== undefined && {
      decimalMark: parseChoice("decimal", decimal, ["point", "comma"] as const),
    }),
  };
}

/** `date=Day,close=Rate` as pairs of a name and a value. @throws BourseError if a part is no pair */
function parsePairs(value: unknown, explanation: string): (readonly [string, string])[] {
  if (typeof value !== "string") return [];
  return value.split(",").map((part) => {
    const [name = "", ...rest] = part.split("=");
    const pair = [name.trim(), rest.join("=").trim()] as const;
    if (pair.includes("")) throw invalidArgument(explanation);
    return pair;
  });
}

/** `2023-03-30=5:1,2014-06-09=7:1`, or `none`. */
function parseSplits(value: unknown): readonly Split[] | null {
  if (String(value).trim().toLowerCase() === "none") return null;
  const explanation =
    "--splits must be dates with new shares for old ones, such as 2023-03-30=5:1, or none.";
  return parsePairs(value, explanation).map(([exDate, ratio]) => {
    const [, numerator, denominator] = /^(\d+(?:\.\d+)?):(\d+(?:\.\d+)?)$/.exec(ratio) ?? [];
    const split = { exDate, numerator: Number(numerator), denominator: Number(denominator) };
    if (!isDate(exDate) || !(split.numerator > 0 && split.denominator > 0))
      throw invalidArgument(explanation);
    const fault = splitFault(split);
    if (fault === null) return split;
    throw invalidArgument(`--splits, ${exDate}: ${fault}.`);
  });
}

/** The options of a file of bars, from the flags. */
export interface ShapeOptions {
  readonly columns?: NamedColumns;
  readonly unit?: number;
  readonly dateOrder?: DateOrder;
}

/** @throws BourseError if a flag has another value than it allows */
export function readShapeOptions(flags: Flags): ShapeOptions {
  const { columns, unit } = flags;
  const order = flags["date-order"];
  return {
    ...(typeof columns === "string" && { columns: parseColumns(columns) }),
    ...(typeof unit === "string" && { unit: parseUnit(unit) }),
    ...(order !== undefined && { dateOrder: parseChoice("date-order", order, DATE_ORDERS) }),
  };
}

const COLUMN_NAMES: readonly BarColumn[] = [
  "date",
  "open",
  "high",
  "low",
  "close",
  "volume",
  "symbol",
];

/** `date=Day,close=Fixing`; `none` means that the file has no such column. */
function parseColumns(text: string): NamedColumns {
  const explanation = `--columns must be pairs such as date=Day,close=Fixing, with the columns ${COLUMN_NAMES.join(", ")}.`;
  const columns: NamedColumns = {};
  for (const [name, value] of parsePairs(text, explanation)) {
    const column = COLUMN_NAMES.find((one) => one === name.toLowerCase());
    if (column === undefined) throw invalidArgument(explanation);
    columns[column] = value.toLowerCase() === "none" ? null : value;
  }
  return columns;
}

const UNITS: Readonly<Record<string, number>> = { thousand: 1_000, hundred: 100, million: 1e6 };

function parseUnit(text: string): number {
  const unit = UNITS[text.toLowerCase()] ?? Number(text);
  if (unit >= 1e-6 && unit <= 1e6) return unit;
  throw invalidArgument(
    "--unit must be a number from 0.000001 to 1000000, such as 1000 for thousand VND or 0.01 for cents.",
  );
}
