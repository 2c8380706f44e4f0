import { COUNTRY_CODES } from "#domain/country.ts";
import { BourseError, invalidArgument } from "#domain/errors.ts";
import { closestArgument, MAX_NAME } from "#operations/reading/closest-argument.ts";
import { decodeArguments, joinRefusals, refuseLongArguments } from "#operations/reading/decode.ts";
import { ORDER_NAMES } from "#operations/order.ts";
import { CSV_LINK } from "#operations/csv-link.ts";
import type { Operation } from "#operations/operation.ts";
import { LEGAL_FORM } from "#operations/reading/symbols.ts";
import type { JsonObject } from "./json-rpc.ts";

/** The tool to call for an argument that a tool does not have. */
const OTHER_TOOLS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  get_stock_price_history: { symbols: "get_price_statistics", tickers: "get_price_statistics" },
  list_symbols: { where: "screen_stocks", metrics: "screen_stocks", industry: "screen_stocks" },
  get_macro_indicators: {
    from: "get_macro_history",
    to: "get_macro_history",
    series: "get_macro_history",
  },
  get_sector_overview: { country: "get_sectors", sector: "get_sectors" },
  get_sectors: { industry: "screen_stocks" },
  screen_stocks: {
    query: "list_symbols",
    symbol: "compare_stocks",
    symbols: "compare_stocks",
    tickers: "compare_stocks",
  },
};

/** Unknown arguments that an error names. Each takes a sentence, and a body has room for a hundred thousand. */
const MOST_NAMED = 5;

/** Names of arguments that mean the same. An operation declares one of them. */
const SAME: readonly (readonly string[])[] = [
  ["symbol", "symbols", "ticker", "tickers"],
  ["metric", "metrics", "columns"],
  ["country", "countries"],
  ["query", "queries"],
];

/**
 * The arguments that the operation declares, also under another name for the same. Null counts as absent, and so does
 * an empty text of an optional argument.
 *
 * @throws BourseError `invalid_argument` for arguments that the operation does not declare, and for those with wrong
 * values beside them; `missing_argument` if a required one is missing too
 */
export function declaredArguments(operation: Operation, args: JsonObject): JsonObject {
  const { properties, required } = operation.input;
  const isGiven = (name: string) =>
    args[name] !== null && (args[name] !== "" || required?.includes(name) === true);
  const declared: Record<string, unknown> = {};
  let count = 0;
  // In the order of the schema, which is the order of the key of an answer.
  for (const name in properties) {
    if (!Object.hasOwn(args, name)) continue;
    count++;
    if (isGiven(name)) declared[nameFor(operation, name, args)] = args[name];
  }
  const names = Object.keys(args);
  if (count === names.length) return declared;
  const unknown = names.filter((name) => {
    if (Object.hasOwn(properties, name) || !isGiven(name)) return false;
    // An operation understands an order without declaring it.
    if (ORDER_NAMES.has(name)) declared[name] = args[name];
    return !ORDER_NAMES.has(name) && !readSynonym(operation, name, args[name], declared);
  });
  const country = unknown.indexOf("country");
  if (country >= 0 && readCountry(args["country"], declared)) unknown.splice(country, 1);
  const [first, ...others] = unknown.slice(0, MOST_NAMED);
  if (first === undefined || operation.ignoresUnknown) return declared;
  const refuse = (name: string) => unknownArgument(operation, name, args[name], declared);
  throw joinRefusals(refuse(first), [...others.map(refuse), ...wrongValues(operation, declared)]);
}

/** The name of an argument, or of the one that takes a list, if the value is a list: `country: ["US", "JP"]`. */
function nameFor({ input }: Operation, name: string, args: JsonObject): string {
  const orElse: unknown = input.properties[name]?.["orElse"];
  const takes = typeof orElse === "string" && (args[orElse] ?? null) === null;
  const items = itemsOf(args[name]);
  const isName = items.some((one) => typeof one !== "string" || LEGAL_FORM.test(one.trim()));
  return takes && items.length > 1 && !isName ? orElse : name;
}

/** Reads an argument by another name for the same, if the operation declares one and it is not given. */
function readSynonym(
  { input: { properties } }: Operation,
  name: string,
  value: unknown,
  declared: Record<string, unknown>,
): boolean {
  const names = SAME.find((all) => all.includes(name)) ?? [];
  const list = itemsOf(value);
  const isOne = (one: string) => properties[one]?.["maxItems"] === undefined;
  const meant = names.find(
    (one) =>
      Object.hasOwn(properties, one) &&
      declared[one] === undefined &&
      (!isOne(one) || list.length === 1),
  );
  if (meant === undefined) return false;
  declared[meant] = isOne(meant) ? list[0] : value;
  return true;
}

/** The items of a list, or of comma-separated text. Another value is one item. */
const itemsOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : typeof value === "string" ? value.split(",") : [value];

/** Reads the country of symbols that have none of their own: `US:AAPL`. False if it or the symbols are not read. */
function readCountry(country: unknown, declared: Record<string, unknown>): boolean {
  const { symbols } = declared;
  const code = typeof country === "string" ? country.toUpperCase() : "";
  const texts = itemsOf(symbols).map((one) =>
    typeof one === "string" || typeof one === "number" ? String(one).trim() : "",
  );
  const isRead = CODES.includes(code) && texts.length <= MOST_SYMBOLS;
  // A bracket begins the JSON text of a list.
  if (!isRead || texts.some((one) => one === "" || one.startsWith("["))) return false;
  declared["symbols"] = texts.map((one) => (/[:.]/.test(one) ? one : `${code}:${one}`)).join();
  return true;
}

const CODES: readonly string[] = COUNTRY_CODES;
/** No tool takes as many. A country would make a longer list three times as long. */
const MOST_SYMBOLS = 100;

/** What is wrong with the values of declared arguments, except that some are missing. */
function wrongValues(operation: Operation, declared: JsonObject): BourseError[] {
  const { input, notFound } = operation;
  try {
    const given = {
      ...input,
      required: input.required?.filter((name) => declared[name] !== undefined),
    };
    refuseLongArguments(input, declared);
    decodeArguments(given, declared, notFound, { readsWords: true });
    return [];
  } catch (thrown) {
    if (thrown instanceof BourseError) return [thrown];
    throw thrown;
  }
}

function unknownArgument(
  { name, input }: Operation,
  unknown: string,
  value: unknown,
  declared: JsonObject,
) {
  const allowed = Object.keys(input.properties);
  const isOpen = (one: string) => declared[one] === undefined;
  const missing = (input.required ?? []).filter(isOpen);
  const open = allowed.filter(isOpen);
  const meant = closestArgument(unknown, missing) ?? closestArgument(unknown, open);
  const [first = null, ...more] = missing;
  const suggestion = meant ?? (more.length === 0 ? first : null);
  const isList = Array.isArray(value) || (typeof value === "string" && value.includes(","));
  const [, other] = Object.entries(OTHER_TOOLS[name] ?? {}).find(([one]) => one === unknown) ?? [];
  const tool = other ?? (suggestion === "symbol" && isList ? "compare_stocks" : undefined);
  const written = unknown.slice(0, MAX_NAME);
  const list = allowed.join(", ");
  const isFormat = /format|csv|download|export|file|output/i.test(written);
  const advice = isFormat
    ? `for all rows as a CSV file use as=${CSV_LINK}, or one of ${list}.`
    : tool !== undefined
      ? `call ${tool} for that, or use one of ${list}.`
      : suggestion === null
        ? `leave it out, or use one of ${list}.`
        : `did you mean ${suggestion}? Its arguments are ${list}.`;
  const text = `${name} has no argument ${written}; ${advice}`;
  return first === null
    ? invalidArgument(text, { param: written, allowed })
    : new BourseError("missing_argument", `${first} is missing. ${text}`, { param: first });
}
