import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { BourseError, type ErrorDetails, invalidArgument } from "#domain/errors.ts";
import type { EnumKeywords } from "#domain/schema.ts";
import { parseJson } from "#lib/json.ts";
import { asTyped } from "#lib/as-typed.ts";
import { closest } from "#lib/closest.ts";
import { formatCount } from "#lib/table.ts";
import { isDayWord } from "./written-dates.ts";
import { normalForm } from "#lib/normal-form.ts";

/**
 * Our keywords of an input schema. The published schema leaves them out.
 *
 * - `label`: the name of the parameter in error messages, if it differs from its key.
 * - `expected`: the allowed values in words, if the text derived from the schema would be unclear.
 * - `upperCase`: the value is accepted in any case and normalised to upper case.
 * - `accepts`: an additional check of the text.
 * - `hint`: what to do next about a text that is refused.
 * - `correction`: the same for a text whose closest allowed value would be wrong; undefined for other texts.
 * - `understands`: the value that a text of another form means; null if it has no certain meaning.
 * - `understandsObject`: the text that an object means; null if it has no certain meaning.
 * - `acceptsWords`: true for a text that is accepted beside the others over MCP only, such as a name.
 * - `maxItems`: the value is a comma-separated list of at most that number of texts. A JSON list, or its
 *   text, is accepted too. The decoded value has no spaces around its commas.
 * - `each`: the schema of the items of such a list: an enum, whose aliases and letter case are accepted, or
 *   a date.
 * - `read`: reads a value of any form as text. It leaves what it cannot read as it is.
 * - `mostItems`: the number of items, where `read` writes a list that `maxItems` does not bound.
 * - `isAhead`: true for a date of what is scheduled, which may be after `known_on`.
 * - `orElse`: the argument that a call may have instead of this required one.
 * - `isSynonym`: true for an argument that another one includes. `tools/list` leaves it out; it is accepted.
 * - `example`: an example for OpenAPI, for a parameter without an enum or a default.
 */
export interface InputKeywords {
  readonly label?: string;
  readonly expected?: string;
  readonly upperCase?: true;
  readonly accepts?: (text: string) => boolean;
  readonly hint?: (text: string) => string;
  readonly correction?: (text: string) => string | undefined;
  readonly understands?: (text: string) => string | null;
  readonly understandsObject?: (value: unknown) => string | null;
  readonly acceptsWords?: (text: string) => boolean;
  readonly maxItems?: number;
  readonly each?: TSchema;
  readonly mostItems?: number;
  readonly isAhead?: true;
  readonly orElse?: string;
  readonly isSynonym?: true;
  readonly read?: (value: unknown) => unknown;
  readonly example?: string;
}

/** Longer texts are not a value or an alias of an enum. */
const MAX_VALUE = 60;
/** How much longer than its allowed length a text may be as written: with blanks, words or the text of a list. */
const MAX_WRITTEN = 4;
/** Fewer characters are not the beginning of a value. */
const MIN_BEGINNING = 3;

type InputSchema = TSchema & InputKeywords & EnumKeywords;

/** Unchecked arguments of a query string, a JSON body or a command line. */
export type RawArguments = Readonly<Record<string, unknown>>;

/** Valid arguments: only declared ones, in the order of the schema, with defaults. */
export type DecodedArguments = Record<string, unknown>;

/** How arguments are read, and what was understood. */
export interface Reading {
  /** True over MCP: countries and companies can be given by their names, and lists with semicolons. */
  readonly readsWords?: boolean;
  /** Collects the arguments whose value was not written, but is certain. Letter case and spaces do not count. */
  readonly understood?: Record<string, string>;
}

/**
 * Refuses arguments that are too long to be read, declared or not. It runs before anything else reads them, because
 * the time of reading can grow with the square of a text.
 *
 * @throws BourseError `invalid_argument`
 */
export function refuseLongArguments(input: TObject, raw: RawArguments): void {
  for (const [name, value] of Object.entries(raw)) {
    const schema = Object.hasOwn(input.properties, name)
      ? (input.properties[name] as InputSchema)
      : UNDECLARED;
    const characters = charactersOf(value);
    if (characters <= MAX_WRITTEN * Number(schema["maxLength"] ?? MAX_VALUE)) continue;
    throw invalidArgument(
      `${schema.label ?? name} must be ${expected(schema)}; it has ${formatCount(characters, "character")}.`,
      { param: name },
    );
  }
}

const UNDECLARED = Type.String({ maxLength: MAX_VALUE });

/** The number of characters of all texts in a value, names of its members included. */
function charactersOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  if (Array.isArray(value))
    return value.reduce((sum: number, one) => sum + 1 + charactersOf(one), 0);
  return Object.entries(value).reduce(
    (sum, [name, one]) => sum + name.length + 1 + charactersOf(one),
    0,
  );
}

/**
 * Checks arguments against an operation's input and normalises them. Undeclared arguments are ignored.
 *
 * @param notFound the parameters whose invalid values are `not_found` instead of `invalid_argument`
 * @throws BourseError `missing_argument`, `invalid_argument` or `not_found`, with the parameter, the
 * allowed values and the closest allowed value. Its text names every wrong argument.
 */
export function decodeArguments(
  input: TObject,
  raw: RawArguments,
  notFound: readonly string[] = [],
  { readsWords = false, understood = {} }: Reading = {},
): DecodedArguments {
  const properties = Object.entries(input.properties) as [string, InputSchema][];
  // Agents send null for arguments that they omit.
  const valueOf = (name: string) =>
    Object.hasOwn(raw, name) ? (raw[name] ?? undefined) : undefined;
  // Missing arguments come first, because MCP has another kind of error for them.
  const isMissing = (name: string, { orElse }: InputSchema) =>
    valueOf(name) === undefined && (orElse === undefined || valueOf(orElse) === undefined);
  const refusals = properties
    .filter(([name, schema]) => input.required?.includes(name) && isMissing(name, schema))
    .map(([name, schema]) => refusal(name, schema, undefined, "missing_argument"));
  const decoded: DecodedArguments = {};
  for (const [name, schema] of properties) {
    const written = spell(valueOf(name), schema);
    const isRead = written !== undefined && isPlain(written, schema, readsWords);
    const meant = isRead ? written : understand(written, schema, readsWords);
    const value = meant ?? schema["default"];
    if (value === undefined) continue;
    const isWords = readsWords && typeof value === "string" && acceptsWords(value, schema);
    if (!isRead && !isAccepted(value, schema) && !isWords) {
      const code = value !== "" && notFound.includes(name) ? "not_found" : "invalid_argument";
      refusals.push(refusal(name, schema, value, code));
      continue;
    }
    if (meant !== written || isBeyond(written, schema))
      understood[name] = String(distinctValues(meant, schema));
    decoded[name] = schema.upperCase ? String(value).toUpperCase() : distinctValues(value, schema);
  }
  const [first, ...others] = refusals;
  if (first) throw joinRefusals(first, others);
  return decoded;
}

/** One refusal that names every wrong argument, with the code and the parameter of the first one. */
export function joinRefusals(first: BourseError, others: readonly BourseError[]): BourseError {
  const last = others.at(-1);
  if (!last) return first;
  const texts = [first, ...others].flatMap((one) => [
    one.message,
    one === last ? [] : (one.details.hint ?? []),
  ]);
  const { hint: _, ...details } = first.details;
  const { hint } = last.details;
  return new BourseError(first.code, texts.flat().join(" "), {
    ...details,
    ...(hint !== undefined && { hint }),
  });
}

/** A list of values of a closed list without those that are there twice. Leaves others as they are. */
function distinctValues(value: unknown, { each }: InputSchema): unknown {
  if (typeof value !== "string" || !each?.["enum"]) return value;
  return [...new Set(value.split(","))].join(",");
}

/** True for a value of an enum that its published list does not name: `90d`. */
function isBeyond(value: unknown, { also, enum: values }: InputSchema): boolean {
  return also !== undefined && value !== undefined && !(values as unknown[]).includes(value);
}

/** The same value in the spelling that its schema requires. Leaves others as they are. */
function spell(value: unknown, schema: InputSchema): unknown {
  const type: unknown = schema["type"];
  if (schema.read) return schema.read(value);
  if (schema.maxItems !== undefined) {
    return joinList(value, (text) => (schema.each ? String(spell(text, schema.each)) : text));
  }
  // Agents send the number 7203 for a Japanese ticker.
  if (typeof value === "number") return type === "string" ? String(value) : value;
  if (typeof value === "boolean" && schema["enum"]) return String(value);
  if (typeof value !== "string") return value;
  if (type === "integer") return /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  if (type === "boolean") return value === "true" || (value === "false" ? false : value);
  if (schema["enum"]) return schema.exact ? value : (findSpelled(value, schema) ?? value);
  return schema["format"] === "date" ? isoDate(value) : value;
}

/** True for a value that is allowed as it is spelled. */
function isPlain(value: unknown, schema: InputSchema, readsWords: boolean): boolean {
  const isSeparated = readsWords && schema.maxItems !== undefined && typeof value === "string";
  if (isSeparated && OTHER_SEPARATOR.test(value)) return false;
  const isList = schema.maxItems !== undefined && schema.understands !== undefined;
  if (isList && schema.understands?.(String(value)) !== null) return false;
  return isAccepted(value, schema);
}

/** The value that a refused text means by an alias, a name or another form. Leaves others as they are. */
function understand(value: unknown, schema: InputSchema, readsWords: boolean): unknown {
  const { understandsObject } = schema;
  if (understandsObject && typeof value === "object") return understandsObject(value) ?? value;
  if (typeof value !== "string" || isPlain(value, schema, readsWords)) return value;
  const typed = schema.exact && !readsWords ? value : asTyped(value);
  if (typed !== value) return understand(spell(typed, schema), schema, readsWords);
  if (schema.maxItems !== undefined) {
    const list = understandList(value, schema, readsWords);
    return schema.understands?.(list) ?? list;
  }
  if (value.length > MAX_VALUE) return value;
  const meant = schema.understands?.(value) ?? null;
  if (meant !== null) return meant;
  if (!schema["enum"] || (schema.exact && !readsWords)) return value;
  return findValue(value, schema) ?? value;
}

/** A list whose items are understood. Semicolons, new lines and the commas of other scripts separate words, too. */
function understandList(list: string, schema: InputSchema, readsWords: boolean): string {
  const { each } = schema;
  const items = list.split(readsWords ? SEPARATORS : ",").map((item) => {
    const text = readsWords ? item.trim() : item;
    return each ? String(understand(spell(text, each), each, readsWords)) : text;
  });
  const hasEnd = readsWords && items.at(-1) === "" && !list.endsWith(",");
  return (hasEnd ? items.slice(0, -1) : items).join(",");
}

const OTHER_SEPARATOR = /[;\n\u060C\u3001\uFF0C\uFF1B]/;
const SEPARATORS = /[,;\n\u060C\u3001\uFF0C\uFF1B]/;

/** The letters of a name, without case, marks and what separates words: `marketcap` for `Market cap`. */
export const lettersIn = (name: string) =>
  normalForm(name, "NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll("đ", "d")
    .replaceAll(/(?<=\w)[ ._-](?=\w)|\.$/g, "");

/** The value of an enum that a text means by its letters; null if none. */
function findSpelled(text: string, schema: TSchema): string | null {
  if (text.length > MAX_VALUE) return null;
  const wanted = lettersIn(text);
  const values = schema["enum"] as readonly string[];
  return values.find((value) => lettersIn(value) === wanted) ?? null;
}

/** The value of an enum that a text means by its letters or by an alias; null if none. */
function findValue(text: string, schema: TSchema & EnumKeywords): string | null {
  if (text.length > MAX_VALUE) return null;
  const wanted = lettersIn(text);
  const [, meant = null] =
    Object.entries(schema.aliases ?? {}).find(([alias]) => lettersIn(alias) === wanted) ?? [];
  return findSpelled(text, schema) ?? meant;
}

/** The allowed value that a refused text probably means: `technology` for `tech`; null if none is close. */
function suggestValue(
  text: string,
  schema: InputSchema,
  allowed: readonly string[],
): string | null {
  const written = text.slice(0, MAX_VALUE).toLowerCase();
  const [begun, another] = allowed.filter((value) => value.startsWith(written));
  const isBegun = begun !== undefined && another === undefined && text.length >= MIN_BEGINNING;
  return findValue(text, schema) ?? closest(text, allowed) ?? (isBegun ? begun : null);
}

/** `2026-05-21` for `2026-5-21`, `2026/05/21`, `20260521` and `2026-05-21T00:00:00Z`. */
function isoDate(text: string): string {
  const [, year, , month = "", day = ""] =
    /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:T[\d:.]*Z?)?$/.exec(text) ??
    /^(\d{4})()(\d\d)(\d\d)$/.exec(text) ??
    [];
  return year ? `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}` : text;
}

/**
 * A text or number, a list of them, or the JSON text of a list as comma-separated text without spaces
 * around commas.
 *
 * @param spelled the spelling of an item
 */
function joinList(value: unknown, spelled: (item: string) => string): unknown {
  const list =
    typeof value === "string" && value.startsWith("[") ? (parseJson(value) ?? value) : value;
  const items: readonly unknown[] = Array.isArray(list) ? list : [list];
  if (!items.every((item) => typeof item === "string" || typeof item === "number")) return value;
  return items
    .join(",")
    .split(",")
    .map((item, i, all) => {
      const start = i === 0 ? item : item.trimStart();
      const text = i === all.length - 1 ? start : start.trimEnd();
      return spelled(text);
    })
    .join(",");
}

/** True for a list of names that is accepted. A name can have a comma, as `Amazon.com, Inc.` has. */
function acceptsWords(list: string, { maxItems, acceptsWords: accepts }: InputSchema): boolean {
  const isShort = maxItems === undefined || list.split(",").length <= 2 * maxItems;
  return isShort && accepts?.(list) === true;
}

function isAccepted(value: unknown, schema: InputSchema): boolean {
  const { maxItems, accepts, format } = schema;
  if (format === "date" && typeof value === "string" && isDayWord(value)) return true;
  if (!Value.Check(schema, value)) return false;
  if (accepts && !accepts(String(value))) return false;
  if (maxItems === undefined) return true;
  const items = String(value).split(",");
  return items.length <= maxItems && !items.some((item) => item.trim() === "");
}

function refusal(
  name: string,
  schema: TSchema & InputKeywords,
  value: unknown,
  code: "missing_argument" | "invalid_argument" | "not_found",
): BourseError {
  const allowed = schema["enum"] as readonly string[] | undefined;
  const details: ErrorDetails = { param: name };
  if (allowed) details.allowed = allowed;
  const hint = hintFor(value, schema);
  if (hint !== undefined) details.hint = hint;
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

/** What to do next about a refused value. */
function hintFor(value: unknown, schema: InputSchema): string | undefined {
  const text = Array.isArray(value) ? joinList(value, (item) => item) : value;
  if (typeof text !== "string" || text === "") return undefined;
  const correction = schema.correction?.(text);
  if (correction !== undefined) return correction;
  const allowed = schema["enum"] as readonly string[] | undefined;
  const suggestion = allowed ? suggestValue(text, schema, allowed) : suggestList(text, schema);
  if (suggestion !== null) return `Did you mean ${suggestion}?`;
  const isList = schema.maxItems === undefined && text.includes(",");
  const onceForEach = isList && (allowed || Array.isArray(value));
  return (
    schema.hint?.(text) ??
    (onceForEach ? "Give one value, and make one call for each value." : undefined)
  );
}

/** The allowed values that the items of a refused list probably mean; null unless all are close to one. */
function suggestList(text: string, { each, maxItems = 0 }: InputSchema): string | null {
  const allowed = each?.["enum"] as readonly string[] | undefined;
  if (!each || !allowed) return null;
  const items = text.split(/[,;]/, maxItems + 1).map((item) => item.trim());
  const meant = items.flatMap((item) =>
    allowed.includes(item) ? item : (suggestValue(item, each, allowed) ?? []),
  );
  return meant.length === items.length && meant.length <= maxItems ? meant.join(",") : null;
}

/** The allowed values of a schema in words. */
function expected(schema: InputSchema): string {
  if (schema.expected) return schema.expected;
  if (schema["enum"]) return `one of ${(schema["enum"] as readonly string[]).join(", ")}`;
  if (schema["type"] === "boolean") return "true or false";
  if (schema["type"] === "integer") {
    return `a whole number from ${schema["minimum"]} to ${schema["maximum"]}`;
  }
  return `a text of at most ${schema["maxLength"]} characters`;
}

/** A value as JSON of at most 40 characters, for a message. A nested value is only named. */
export function quoteValue(value: unknown): string {
  // Nested values are not written out, because deep nesting can exhaust the stack.
  if (typeof value === "object") return Array.isArray(value) ? "a list" : "an object";
  const text = String(JSON.stringify(value));
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
