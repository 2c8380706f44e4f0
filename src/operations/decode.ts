import { type TObject, type TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { BourseError, type ErrorDetails } from "#domain/errors.ts";
import { closest } from "#lib/closest.ts";

/**
 * Keywords of an input schema in addition to those of JSON Schema. They are not part of the published
 * schema.
 *
 * - `label`: the name of the parameter in error messages, if it differs from its key.
 * - `expected`: the allowed values in words, if the text derived from the schema would be unclear.
 * - `upperCase`: the value is accepted in any case and normalised to upper case.
 * - `maxItems`: the value is a comma-separated list of at most that number of texts. A JSON list, or its
 *   text, is accepted too. The decoded value has no spaces around its commas.
 * - `example`: an example for OpenAPI, for a parameter without an enum or a default.
 */
export interface InputKeywords {
  readonly label?: string;
  readonly expected?: string;
  readonly upperCase?: true;
  readonly maxItems?: number;
  readonly example?: string;
}

/** Unchecked arguments of a query string, a JSON body or a command line. */
export type RawArguments = Readonly<Record<string, unknown>>;

/** Valid arguments: only declared ones, in the order of the schema, with defaults. */
export type DecodedArguments = Record<string, unknown>;

/**
 * Checks arguments against an operation's input and normalises them. Undeclared arguments are ignored.
 *
 * @param notFound the parameters whose invalid values are `not_found` instead of `invalid_argument`
 * @throws BourseError `missing_argument`, `invalid_argument` or `not_found`, with the parameter, the
 * allowed values and the closest allowed value
 */
export function decodeArguments(
  input: TObject,
  raw: RawArguments,
  notFound: readonly string[] = [],
): DecodedArguments {
  const properties = Object.entries(input.properties) as [string, TSchema & InputKeywords][];
  // Agents send null for arguments that they omit.
  const valueOf = (name: string) =>
    Object.hasOwn(raw, name) ? (raw[name] ?? undefined) : undefined;
  // Missing arguments come first, because MCP has another kind of error for them.
  for (const [name, schema] of properties) {
    if (valueOf(name) === undefined && input.required?.includes(name)) {
      throw refusal(name, schema, undefined, "missing_argument");
    }
  }
  const decoded: DecodedArguments = {};
  for (const [name, schema] of properties) {
    const value = normalise(valueOf(name), schema) ?? schema["default"];
    if (value === undefined) continue;
    if (!Value.Check(schema, value) || !hasItems(value, schema)) {
      throw refusal(
        name,
        schema,
        value,
        value !== "" && notFound.includes(name) ? "not_found" : "invalid_argument",
      );
    }
    decoded[name] = schema.upperCase ? String(value).toUpperCase() : value;
  }
  return decoded;
}

/** Converts a value with an unmistakable meaning to the type of its schema. Leaves others as they are. */
function normalise(value: unknown, schema: TSchema & InputKeywords): unknown {
  // Agents send the number 7203 for a Japanese ticker.
  const text = typeof value === "number" && schema["type"] === "string" ? String(value) : value;
  return schema.maxItems === undefined ? text : joinList(text);
}

/** A list of texts or numbers, or its JSON text, as comma-separated text without spaces around commas. */
function joinList(value: unknown): unknown {
  const list = typeof value === "string" && value.startsWith("[") ? parseJson(value) : value;
  const isItem = (item: unknown) => typeof item === "string" || typeof item === "number";
  const text = Array.isArray(list) && list.every(isItem) ? list.join(",") : value;
  return typeof text === "string" ? text.replaceAll(/ *, */g, ",").trim() : value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** True unless the schema is of a list with an empty item or too many of them. */
function hasItems(value: unknown, { maxItems }: InputKeywords): boolean {
  if (maxItems === undefined) return true;
  const items = String(value).split(",");
  return items.length <= maxItems && !items.includes("");
}

/**
 * Converts arguments that are text (a query string, a command line): an integer becomes a number and
 * `true` a boolean if the schema requires one; everything else stays text for `decodeArguments` to check.
 */
export function readTextArguments(
  input: TObject,
  text: Readonly<Record<string, string>>,
): RawArguments {
  return Object.fromEntries(
    Object.entries(text).map(([name, value]) => {
      const type: unknown = input.properties[name]?.["type"];
      if (type === "integer" && /^-?\d{1,15}$/.test(value)) return [name, Number(value)];
      if (type === "boolean" && /^(true|false)$/.test(value)) return [name, value === "true"];
      return [name, value];
    }),
  );
}

function refusal(
  name: string,
  schema: TSchema & InputKeywords,
  value: unknown,
  code: "missing_argument" | "invalid_argument" | "not_found",
): BourseError {
  const allowed = schema["enum"] as readonly string[] | undefined;
  const suggestion = allowed && typeof value === "string" ? closest(value, allowed) : null;
  const details: ErrorDetails = { param: name };
  if (allowed) details.allowed = allowed;
  if (suggestion !== null) details.hint = `Did you mean ${suggestion}?`;
  const problem =
    value === undefined
      ? "it is missing"
      : value === ""
        ? "it is empty"
        : `not ${quoteValue(value)}`;
  return new BourseError(
    code,
    `${schema.label ?? name} must be ${expected(schema)}${value === undefined || value === "" ? "; " : ", "}${problem}.`,
    details,
  );
}

/** The allowed values of a schema in words. */
function expected(schema: TSchema & InputKeywords): string {
  if (schema.expected) return schema.expected;
  if (schema["enum"]) return `one of ${(schema["enum"] as readonly string[]).join(", ")}`;
  if (schema["type"] === "boolean") return "true or false";
  if (schema["type"] === "integer") {
    return `a whole number from ${schema["minimum"]} to ${schema["maximum"]}`;
  }
  return `a text of at most ${schema["maxLength"]} characters`;
}

function quoteValue(value: unknown): string {
  // Nested values are not written out, because deep nesting can exhaust the stack.
  if (typeof value === "object") return Array.isArray(value) ? "a list" : "an object";
  const text = String(JSON.stringify(value));
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
