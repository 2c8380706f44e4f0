import { type TObject, type TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { BourseError, type ErrorDetails } from "#domain/errors.ts";
import { closest } from "#lib/closest.ts";

/**
 * Keywords that the decoder understands beside those of JSON Schema; they are not published.
 *
 * - `label`: what the parameter is called in an error, where its name alone would not be known.
 * - `expected`: what is allowed, in words, where the schema's own words would read badly.
 * - `upperCase`: accepted in any case and normalised to upper case.
 * - `example`: published in OpenAPI, for a parameter without an enum and a default.
 */
export interface InputKeywords {
  readonly label?: string;
  readonly expected?: string;
  readonly upperCase?: true;
  readonly example?: string;
}

/** Arguments as they arrive: whatever a query string, a JSON body or a command line held. */
export type RawArguments = Readonly<Record<string, unknown>>;

/** Decoded arguments: only declared ones, in the order of the schema, defaults filled in. */
export type DecodedArguments = Record<string, unknown>;

/**
 * Checks arguments against an operation's input and normalises them. Undeclared ones are ignored.
 *
 * @throws BourseError `missing_argument` or `invalid_argument` (`not_found` for the parameters named
 * so), saying which parameter, what is allowed, and the closest value to what was written.
 */
export function decodeArguments(
  input: TObject,
  raw: RawArguments,
  notFound: readonly string[] = [],
): DecodedArguments {
  const properties = Object.entries(input.properties) as [string, TSchema & InputKeywords][];
  // Agents write null for what they leave out.
  const valueOf = (name: string) =>
    Object.hasOwn(raw, name) ? (raw[name] ?? undefined) : undefined;
  // And 7203 for a Japanese ticker.
  const asText = (value: unknown, schema: TSchema) =>
    typeof value === "number" && schema["type"] === "string" ? String(value) : value;
  // All that is missing before anything that is wrong: agents get another kind of error for it.
  for (const [name, schema] of properties) {
    if (valueOf(name) === undefined && input.required?.includes(name)) {
      throw refusal(name, schema, undefined, "missing_argument");
    }
  }
  const decoded: DecodedArguments = {};
  for (const [name, schema] of properties) {
    const value = asText(valueOf(name), schema) ?? schema["default"];
    if (value === undefined) continue;
    if (!Value.Check(schema, value)) {
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

/**
 * Arguments that arrived as text (a query string, a command line): whole numbers become numbers
 * where the schema wants one, everything else stays text and is judged as such.
 */
export function readTextArguments(
  input: TObject,
  text: Readonly<Record<string, string>>,
): RawArguments {
  return Object.fromEntries(
    Object.entries(text).map(([name, value]) => [
      name,
      input.properties[name]?.["type"] === "integer" && /^-?\d{1,15}$/.test(value)
        ? Number(value)
        : value,
    ]),
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
  const what =
    value === undefined ? "it is missing" : value === "" ? "it is empty" : `not ${shown(value)}`;
  return new BourseError(
    code,
    `${schema.label ?? name} must be ${expected(schema)}${value === undefined || value === "" ? "; " : ", "}${what}.`,
    details,
  );
}

/** What a schema allows, in words. */
function expected(schema: TSchema & InputKeywords): string {
  if (schema.expected) return schema.expected;
  if (schema["enum"]) return `one of ${(schema["enum"] as readonly string[]).join(", ")}`;
  if (schema["type"] === "integer") {
    return `a whole number from ${schema["minimum"]} to ${schema["maximum"]}`;
  }
  return `a text of at most ${schema["maxLength"]} characters`;
}

function shown(value: unknown): string {
  // What is nested is not written out: it may be nested deeper than the stack.
  if (typeof value === "object") return Array.isArray(value) ? "a list" : "an object";
  const text = String(JSON.stringify(value));
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
