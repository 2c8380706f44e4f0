import {
  type Static,
  type TSchema,
  type TUnion,
  type TNull,
  type TUnsafe,
  FormatRegistry,
  Kind,
  Type,
  TypeRegistry,
} from "@sinclair/typebox";
import { isDate } from "#lib/date.ts";
import type { Cell } from "#lib/table.ts";

TypeRegistry.Set<{ enum: readonly unknown[] } & Pick<EnumKeywords, "also">>(
  "StringEnum",
  (schema, value) =>
    schema.enum.includes(value) || (typeof value === "string" && schema.also?.test(value) === true),
);

/** Keywords of a `StringEnum` for arguments. They are not part of the published schema. */
export interface EnumKeywords {
  /** Other names of the values, such as `crypto`. Letter case, spaces, `-` and `_` do not matter. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** An argument must be exactly one of the values. Other spellings are refused with a suggestion. */
  readonly exact?: true;
  /** Further values, which the published list does not name: `90d` beside `1m`. */
  readonly also?: Pick<RegExp, "test">;
}

/**
 * A string of a closed list, published as a JSON Schema `enum`. (A union of literals gives unreadable
 * errors and much larger schemas.)
 */
export function StringEnum<const T extends readonly string[]>(
  values: T,
  options: { description?: string; default?: T[number] } & EnumKeywords & {
      aliases?: Readonly<Record<string, T[number]>>;
    } = {},
): TUnsafe<T[number]> {
  return Type.Unsafe<T[number]>({ ...options, [Kind]: "StringEnum", type: "string", enum: values });
}

/** The schema of a value that can be missing. A missing value is null, never zero. */
export function Nullable<T extends TSchema>(schema: T): TUnion<[T, TNull]> {
  return Type.Union([schema, Type.Null()]);
}

FormatRegistry.Set("date", isDate);
FormatRegistry.Set("date-time", (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text));

/** A calendar date in the local time of its market: `YYYY-MM-DD`. */
export const DateText = Type.String({
  format: "date",
  pattern: "^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$",
});

/** The price of one share or unit. Values outside these bounds are bad data. */
export const Price = Type.Number({ minimum: 1e-12, maximum: 1e12 });

/** The number of shares or units that were traded. */
export const Volume = Type.Number({ minimum: 0, maximum: 1e15 });

/** An amount of money in whole units of its currency, or any other figure of a company. */
export const Amount = Type.Number({ minimum: -1e18, maximum: 1e18 });

/** A multiple such as P/E or P/B, or a yield in percent. */
export const Multiple = Type.Number({ minimum: -1e6, maximum: 1e6 });

/** Names a schema. OpenAPI publishes it once as a component of that name and refers to it. */
export function Named<T extends TSchema>(component: string, schema: T): T {
  return { ...schema, component };
}

/** The schema of a date in an answer, `YYYY-MM-DD`. */
export const DateOutput = (description: string) => Type.String({ format: "date", description });

/** The schema of the newest sessions of prices by country: `{ "US": "2026-11-19" }`. */
export const SessionsOutput = Type.Record(Type.String(), DateOutput("Date, YYYY-MM-DD."), {
  description: "Date of the newest session by country; left out without prices.",
});

/** The schema of a number in an answer; null if unknown. */
export const FigureOutput = (description: string) => Nullable(Type.Number({ description }));

TypeRegistry.Set(
  "Cell",
  (_, value) => value === null || ["string", "number", "boolean"].includes(typeof value),
);

/** The properties of an answer that has rows: a `Table`. */
export const TableOutput = {
  columns: Type.Array(Type.String()),
  rows: Type.Array(
    Type.Array(
      Type.Unsafe<Cell>({ [Kind]: "Cell", type: ["string", "number", "boolean", "null"] }),
    ),
    { description: "Values of the columns; null if missing." },
  ),
};

/** The schema of an instant in an answer, ISO 8601 in UTC: `2026-11-20T05:30:00.000Z`. */
export const InstantOutput = (description: string) =>
  Type.String({ format: "date-time", description });

/**
 * The schema of a panel: figures as text by display label, such as `"P/E": "31.20"`. A missing figure is
 * `—` or its label is left out.
 *
 * @param component the name of the schema in the OpenAPI document
 * @param labels the description of each label
 */
export function DisplayPanel<Label extends string>(
  component: string,
  description: string,
  labels: Readonly<Record<Label, string>>,
) {
  return Named(component, Type.Object(panelProperties(labels), { description }));
}

/** The labels of a panel as optional properties of an object schema. */
export function panelProperties<Label extends string>(labels: Readonly<Record<Label, string>>) {
  return mapValues(labels, (description) => Type.Optional(Type.String({ description })));
}

/** A panel: text by display label. */
export type Panel = Record<string, string>;

export type { Static };

/** A JSON Schema as plain data. */
export type JsonSchema = { [keyword: string]: unknown };

/** The published keywords of JSON Schema, in the order of the output. */
const PUBLISHED = [
  "type",
  "description",
  "enum",
  "format",
  "pattern",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "default",
  "items",
  "properties",
  "required",
  "additionalProperties",
] as const;

/**
 * Converts a schema to the published JSON Schema: without internal keywords, with "or null" as a list of
 * types and records as `additionalProperties`.
 *
 * @param components collects named schemas, which are replaced by a `$ref`; without it they are inlined
 */
export function publishSchema(schema: TSchema, components?: Map<string, JsonSchema>): JsonSchema {
  const publish = (inner: TSchema) => publishSchema(inner, components);
  const { component, ...unnamed } = schema;
  if (components && typeof component === "string") {
    if (!components.has(component)) components.set(component, publish(unnamed as TSchema));
    return { $ref: `#/components/schemas/${component}` };
  }
  const [value, none] = (schema["anyOf"] ?? []) as TSchema[];
  if (value && none?.["type"] === "null") {
    // Inlined, because null cannot be added to the type of a `$ref`.
    const published = publish({ ...value, component: undefined });
    return { ...published, type: [published["type"], "null"] };
  }
  const published: JsonSchema = {};
  for (const keyword of PUBLISHED) {
    const content: unknown = schema[keyword];
    if (content === undefined) continue;
    published[keyword] =
      keyword === "items"
        ? publish(content as TSchema)
        : keyword === "properties"
          ? mapValues(content as Record<string, TSchema>, publish)
          : content;
  }
  const [record] = Object.values((schema["patternProperties"] ?? {}) as Record<string, TSchema>);
  if (record) published["additionalProperties"] = publish(record);
  return published;
}

function mapValues<Key extends string, T, U>(
  record: Readonly<Record<Key, T>>,
  map: (value: T) => U,
): Record<Key, U> {
  const entries = Object.entries<T>(record).map(([name, value]) => [name, map(value)]);
  return Object.fromEntries(entries) as Record<Key, U>;
}
