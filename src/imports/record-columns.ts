import type { TObject, TSchema } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { Instrument } from "#domain/instrument.ts";
import { DateText } from "#domain/schema.ts";
import { lazy } from "#lib/lazy.ts";

/** One column of flat rows: a property of a record, or of an object or list nested in it. */
export interface Column {
  readonly name: string;
  readonly type: "boolean" | "number" | "string";
  /** False if an empty cell is refused. */
  readonly isNullable: boolean;
  readonly isOptional: boolean;
  /** True if a value other than null matches the schema. */
  readonly fits: (value: unknown) => boolean;
  /** What is allowed, in words: `one of US, JP, VN`, `a date such as 2026-03-31`. */
  readonly allowed: string;
}

interface Nested {
  readonly name: string;
  readonly columns: readonly Column[];
}

/** The columns of a record as flat rows: its own, its inner object's, and its list's. */
export interface RecordColumns {
  readonly own: readonly Column[];
  /** The object within the record, whose properties are columns like its own. */
  readonly group: Nested | null;
  /** The list within the record. Each entry is a row. */
  readonly list: (Nested & { readonly atLeast: number }) | null;
  /** All of them in the order in which a header names them. */
  readonly all: readonly Column[];
}

/** Derives the columns of a record from its schema; `example` has a value for each that has a pattern. */
export function columnsOf(
  schema: TObject,
  example: Readonly<Record<string, string>>,
): RecordColumns {
  const own: Column[] = [];
  let group: RecordColumns["group"] = null;
  let list: RecordColumns["list"] = null;
  const columns = (inner: TObject) =>
    Object.entries(inner.properties).map(([name, property]) =>
      columnOf(name, property, inner.required?.includes(name) !== true, example[name]),
    );
  for (const [name, property] of Object.entries(schema.properties)) {
    if (property["type"] === "object") {
      group = { name, columns: columns(property as TObject) };
    } else if (property["type"] === "array") {
      const atLeast = Number(property["minItems"] ?? 0);
      list = { name, columns: columns(property["items"] as TObject), atLeast };
    } else {
      const isOptional = schema.required?.includes(name) !== true;
      own.push(columnOf(name, property, isOptional, example[name]));
    }
  }
  return {
    own,
    group,
    list,
    all: [...own, ...(group?.columns ?? []), ...(list?.columns ?? [])],
  };
}

function columnOf(
  name: string,
  property: TSchema,
  isOptional: boolean,
  example: string | undefined,
): Column {
  const [inner, none] = (property["anyOf"] ?? []) as TSchema[];
  const isNullable = none?.["type"] === "null";
  // The symbol of every record is a symbol of an instrument, even if its own schema does not say so.
  const schema =
    name === "symbol" ? Instrument.properties.symbol : isNullable && inner ? inner : property;
  const compiled = lazy(() => TypeCompiler.Compile(schema));
  const passes = (value: unknown) => compiled().Check(value);
  const isDate = schema["pattern"] === DateText.pattern;
  const type: unknown = schema["type"];
  return {
    name,
    type: type === "integer" || type === "number" ? "number" : type === "boolean" ? type : "string",
    isNullable,
    isOptional,
    fits: passes,
    allowed: isDate ? "a date such as 2026-03-31" : describe(schema, example),
  };
}

function describe(schema: TSchema, example: string | undefined): string {
  const allowed = schema["enum"] as readonly string[] | undefined;
  if (allowed) return `one of ${allowed.join(", ")}`;
  if (schema["type"] === "boolean") return "true or false";
  if (schema["type"] === "string") {
    if (schema["pattern"] !== undefined) return `text such as ${example ?? schema["pattern"]}`;
    return `text of ${schema["minLength"] ?? 0} to ${schema["maxLength"] ?? "any number of"} characters`;
  }
  const noun = schema["type"] === "integer" ? "a whole number" : "a number";
  const { minimum, maximum, exclusiveMinimum } = schema;
  if (exclusiveMinimum !== undefined) return `${noun} above ${exclusiveMinimum}`;
  if (minimum === undefined) return noun;
  return maximum === undefined
    ? `${noun} from ${minimum}`
    : `${noun} from ${short(minimum)} to ${short(maximum)}`;
}

/** A bound in short form: `1e12`. */
function short(bound: number): string {
  return Math.abs(bound) >= 1e9 ? bound.toExponential().replace("+", "") : String(bound);
}
