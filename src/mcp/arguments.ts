import { BourseError } from "#domain/errors.ts";
import { closest } from "#lib/closest.ts";
import type { Operation } from "#operations/operation.ts";
import type { JsonObject } from "./json-rpc.ts";

/** Other names that agents use for our arguments, by the names of ours. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  country: ["market", "region", "nation", "exchange", "country_code"],
  symbol: ["ticker", "code", "stock", "company", "name", "symbols", "tickers"],
  symbols: ["tickers", "codes", "stocks", "companies", "symbol", "ticker"],
  tickers: ["symbols", "codes", "stocks", "companies", "symbol", "ticker"],
  query: ["q", "search", "text", "name", "keyword", "term", "company", "symbol", "ticker"],
  queries: ["symbols", "tickers", "names"],
  type: ["statement", "statement_type", "kind", "asset_type", "asset_class"],
  category: ["categories", "group", "topic", "indicator"],
  period: ["frequency", "interval"],
  interval: ["frequency", "period", "timeframe", "granularity"],
  range: ["period", "timeframe", "window", "duration", "days"],
  level: ["group_by", "classification", "granularity"],
  where: ["filter", "filters", "conditions", "criteria"],
  sort: ["order", "order_by", "sort_by"],
  metrics: ["fields", "columns", "metric", "figures"],
  series: ["indicator", "name", "series_id", "metric"],
  dates: ["date", "on", "as_of"],
  fields: ["columns", "ohlcv", "format"],
  currency: ["convert", "convert_to", "in_currency"],
  limit: [
    "count",
    "size",
    "top",
    "n",
    "max",
    "max_results",
    "page_size",
    "years",
    "quarters",
    "periods",
  ],
  cursor: ["page", "offset", "next_cursor", "page_token"],
  from: ["start", "start_date", "date_from", "since"],
  to: ["end", "end_date", "date_to", "until", "days"],
};

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

/** Longer names are cut in messages. */
const MAX_NAME = 40;

/**
 * The arguments that the operation declares. An operation without arguments ignores what it gets, because
 * some clients send a dummy such as `random_string`. Null counts as absent.
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
  const allowed = Object.keys(properties);
  const unknown = names.find((name) => !Object.hasOwn(properties, name) && args[name] !== null);
  if (unknown !== undefined && allowed.length > 0) {
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
  const advice =
    tool !== undefined
      ? `call ${tool} for that, or use one of ${list}.`
      : suggestion === null
        ? `leave it out, or use one of ${list}.`
        : `did you mean ${suggestion}? Its arguments are ${list}.`;
  const text = `${name} has no argument ${written}; ${advice}`;
  return first === null
    ? new BourseError("invalid_argument", text, { param: written, allowed })
    : new BourseError("missing_argument", `${first} is missing. ${text}`, { param: first });
}

const lettersOf = (name: string): string => name.split("").toSorted().join("");

/** The argument that an unknown name probably means; null if none is close. */
export function closestArgument(unknown: string, candidates: readonly string[]): string | null {
  const written = unknown.slice(0, MAX_NAME).toLowerCase().replaceAll(/[-\s]/g, "_");
  const snake = unknown
    .slice(0, MAX_NAME)
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase();
  return (
    candidates.find((name) => SYNONYMS[name]?.some((one) => one === written || one === snake)) ??
    // Swapped letters: `form` is nearer to `from` than to `format`.
    candidates.find((name) => lettersOf(name) === lettersOf(written)) ??
    closest(written, candidates)
  );
}
