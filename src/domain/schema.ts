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

TypeRegistry.Set<{ enum: readonly unknown[] }>("StringEnum", (schema, value) =>
  schema.enum.includes(value),
);

/**
 * A string out of a closed list, published as a real JSON Schema `enum`. (A union of literals gives
 * unreadable errors and schemas several times the size.)
 */
export function StringEnum<const T extends readonly string[]>(
  values: T,
  options: { description?: string; default?: T[number] } = {},
): TUnsafe<T[number]> {
  return Type.Unsafe<T[number]>({ ...options, [Kind]: "StringEnum", type: "string", enum: values });
}

/** The value, or null where it is missing. A missing value is never zero. */
export function Nullable<T extends TSchema>(schema: T): TUnion<[T, TNull]> {
  return Type.Union([schema, Type.Null()]);
}

FormatRegistry.Set("date", isDate);

/** A date of the calendar in the local time of its market: `YYYY-MM-DD`. */
export const DateText = Type.String({
  format: "date",
  pattern: "^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$",
});

/** A price of one share or unit. The bounds keep bad data out: no market quotes beyond them. */
export const Price = Type.Number({ minimum: 1e-12, maximum: 1e12 });

/** A number of shares or units. */
export const Volume = Type.Number({ minimum: 0, maximum: 1e15 });

/** An amount of money in whole units of its currency, or any other figure of a company. */
export const Amount = Type.Number({ minimum: -1e18, maximum: 1e18 });

/** A multiple such as P/E or P/B. */
export const Multiple = Type.Number({ minimum: -1e6, maximum: 1e6 });

/** Figures under their display labels, such as `"P/E": "31.20"`; a figure that is missing reads `—`. */
export const DisplayPanel = (description: string) =>
  Type.Record(Type.String(), Type.String(), { description });

/** The panel type: display label to text. */
export type Panel = Record<string, string>;

export type { Static };

/** JSON Schema as plain data. */
export type JsonSchema = { [keyword: string]: unknown };

/** The keywords of JSON Schema that we publish, in the order in which they are written. */
const PUBLISHED = [
  "type",
  "description",
  "enum",
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
 * A schema as it is published: JSON Schema without our own keywords, "or null" as a list of types,
 * records as `additionalProperties`.
 */
export function publishSchema(schema: TSchema): JsonSchema {
  const [inner, none] = (schema["anyOf"] ?? []) as TSchema[];
  if (inner && none?.["type"] === "null") {
    const published = publishSchema(inner);
    return { ...published, type: [published["type"], "null"] };
  }
  const published: JsonSchema = {};
  for (const keyword of PUBLISHED) {
    const value: unknown = schema[keyword];
    if (value === undefined) continue;
    published[keyword] =
      keyword === "items"
        ? publishSchema(value as TSchema)
        : keyword === "properties"
          ? mapValues(value as Record<string, TSchema>, publishSchema)
          : value;
  }
  const [record] = Object.values((schema["patternProperties"] ?? {}) as Record<string, TSchema>);
  if (record) published["additionalProperties"] = publishSchema(record);
  return published;
}

/**
 * A published schema in outline: the types of its properties down to `depth` levels and nothing else.
 * It allows all that the whole schema allows.
 */
export function outlineSchema(
  { type, properties, items, additionalProperties }: JsonSchema,
  depth: number,
): JsonSchema {
  const inner = (schema: unknown) => outlineSchema(schema as JsonSchema, depth);
  return {
    type,
    ...(properties !== undefined &&
      depth > 0 && {
        properties: mapValues(properties as Record<string, JsonSchema>, (schema) =>
          outlineSchema(schema, depth - 1),
        ),
      }),
    ...(items !== undefined && { items: inner(items) }),
    ...(additionalProperties !== undefined && {
      additionalProperties: inner(additionalProperties),
    }),
  };
}

function mapValues<T, U>(record: Record<string, T>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
