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
FormatRegistry.Set("date-time", (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text));

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

/** The schema under a name of its own, by which an OpenAPI document refers to it. */
export function Named<T extends TSchema>(component: string, schema: T): T {
  return { ...schema, component };
}

/** A date as it is published, `YYYY-MM-DD`. */
export const DateOutput = (description: string) => Type.String({ format: "date", description });

/** An instant as it is published, ISO 8601 in UTC. */
export const InstantOutput = (description: string) =>
  Type.String({ format: "date-time", description });

/**
 * Figures as text under their display labels, such as `"P/E": "31.20"`; a missing figure reads `—`. Each
 * label may be left out.
 *
 * @param component its name in an OpenAPI document
 * @param labels what each label means
 */
export function DisplayPanel(
  component: string,
  description: string,
  labels: Readonly<Record<string, string>>,
) {
  return Named(component, Type.Object(panelProperties(labels), { description }));
}

/** The labels of a panel as optional properties of an object. */
export function panelProperties(labels: Readonly<Record<string, string>>) {
  return mapValues(labels, (description) => Type.Optional(Type.String({ description })));
}

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
 * A schema as it is published: JSON Schema without our own keywords, "or null" as a list of types,
 * records as `additionalProperties`.
 *
 * @param components where named schemas are collected, each replaced by a `$ref`; without it they are
 * written in place
 */
export function publishSchema(schema: TSchema, components?: Map<string, JsonSchema>): JsonSchema {
  const publish = (one: TSchema) => publishSchema(one, components);
  const { component, ...unnamed } = schema;
  if (components && typeof component === "string") {
    if (!components.has(component)) components.set(component, publish(unnamed as TSchema));
    return { $ref: `#/components/schemas/${component}` };
  }
  const [inner, none] = (schema["anyOf"] ?? []) as TSchema[];
  if (inner && none?.["type"] === "null") {
    // In place, because a `$ref` has no type to which null could be added.
    const published = publish({ ...inner, component: undefined });
    return { ...published, type: [published["type"], "null"] };
  }
  const published: JsonSchema = {};
  for (const keyword of PUBLISHED) {
    const value: unknown = schema[keyword];
    if (value === undefined) continue;
    published[keyword] =
      keyword === "items"
        ? publish(value as TSchema)
        : keyword === "properties"
          ? mapValues(value as Record<string, TSchema>, publish)
          : value;
  }
  const [record] = Object.values((schema["patternProperties"] ?? {}) as Record<string, TSchema>);
  if (record) published["additionalProperties"] = publish(record);
  return published;
}

/**
 * A published schema in outline: the types of its properties down to `depth` levels and nothing else.
 * Objects that require none, such as panels, are outlined without them. The outline allows everything that
 * the whole schema allows.
 */
export function outlineSchema(
  { type, properties, required, items, additionalProperties }: JsonSchema,
  depth: number,
): JsonSchema {
  const inner = (schema: unknown) => outlineSchema(schema as JsonSchema, depth);
  return {
    type,
    ...(properties !== undefined &&
      required !== undefined &&
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
