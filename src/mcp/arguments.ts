import { BourseError, invalidArgument } from "#domain/errors.ts";
import { closestArgument, MAX_NAME } from "#operations/reading/closest-argument.ts";
import { ORDER_NAMES } from "#operations/order.ts";
import { CSV_LINK } from "#operations/csv-link.ts";
import type { Operation } from "#operations/operation.ts";
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
  screen_stocks: {
    query: "list_symbols",
    symbol: "compare_stocks",
    symbols: "compare_stocks",
    tickers: "compare_stocks",
  },
};

/**
 * The arguments that the operation declares. Null counts as absent.
 *
 * @throws BourseError `invalid_argument` for an argument that the operation does not declare;
 * `missing_argument` if a required one is missing too
 */
export function declaredArguments(operation: Operation, args: JsonObject): JsonObject {
  const { properties } = operation.input;
  const declared: Record<string, unknown> = {};
  let count = 0;
  for (const name in properties) {
    if (!Object.hasOwn(args, name)) continue;
    declared[name] = args[name];
    count++;
  }
  const names = Object.keys(args);
  if (count === names.length) return declared;
  // An operation understands an order without declaring it.
  for (const name of names) if (ORDER_NAMES.has(name)) declared[name] = args[name];
  const unknown = names.find((name) => !Object.hasOwn(declared, name) && args[name] !== null);
  if (unknown !== undefined && !operation.ignoresUnknown) {
    throw unknownArgument(operation, unknown, args[unknown], declared);
  }
  return declared;
}

function unknownArgument(
  { name, input }: Operation,
  unknown: string,
  value: unknown,
  declared: JsonObject,
) {
  const allowed = Object.keys(input.properties);
  const isGiven = (one: string) => (declared[one] ?? null) !== null;
  const missing = (input.required ?? []).filter((one) => !isGiven(one));
  const open = allowed.filter((one) => !isGiven(one));
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
