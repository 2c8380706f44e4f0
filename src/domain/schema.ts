import {
  type Static,
  type TSchema,
  type TUnion,
  type TNull,
  type TUnsafe,
  Kind,
  Type,
  TypeRegistry,
} from "@sinclair/typebox";

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

/** The value, or null where it is missing; zero never stands for missing. */
export function Nullable<T extends TSchema>(schema: T): TUnion<[T, TNull]> {
  return Type.Union([schema, Type.Null()]);
}

/** A calendar date in the local time of its market: `YYYY-MM-DD`. */
export const DateText = Type.String({
  pattern: "^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$",
});

/** Figures under their display labels, such as `"P/E": "31.20"`; a figure that is missing reads `—`. */
export const DisplayPanel = (description: string) =>
  Type.Record(Type.String(), Type.String(), { description });

/** The panel type: display label to text. */
export type Panel = Record<string, string>;

export type { Static };
