import { BourseError } from "#domain/errors.ts";
import { closest } from "#lib/closest.ts";
import type { Operation } from "#operations/operation.ts";
import type { JsonObject } from "./json-rpc.ts";

/** Other names that agents use for our arguments, by the names of ours. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  country: ["market", "region", "nation", "exchange", "country_code"],
  symbol: ["ticker", "code", "stock", "company", "symbols", "tickers"],
  symbols: ["tickers", "codes", "stocks", "companies", "symbol", "ticker"],
  tickers: ["symbols", "codes", "stocks", "companies", "symbol", "ticker"],
  query: ["q", "search", "text", "name", "keyword", "term", "company"],
  type: ["statement", "statement_type", "kind", "asset_type", "asset_class"],
  category: ["categories", "group", "topic", "indicator"],
  period: ["frequency", "interval"],
  interval: ["frequency", "period", "timeframe", "granularity"],
  range: ["period", "timeframe", "window", "duration"],
  level: ["group_by", "classification", "granularity"],
  where: ["filter", "filters", "conditions", "criteria", "query"],
  sort: ["order", "order_by", "sort_by"],
  metrics: ["fields", "columns", "metric", "figures"],
  series: ["indicator", "name", "series_id", "metric"],
  dates: ["date", "on", "as_of"],
  fields: ["columns", "ohlcv", "format"],
  currency: ["convert", "convert_to", "in_currency"],
  limit: ["count", "size", "top", "n", "max", "max_results", "page_size"],
  cursor: ["page", "offset", "next_cursor", "page_token"],
  from: ["start", "start_date", "date_from", "since"],
  to: ["end", "end_date", "date_to", "until"],
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
    throw unknownArgument(operation, unknown, declared);
  }
  return declared;
}

function unknownArgument({ name, input }: Operation, unknown: string, declared: JsonObject) {
  const allowed = Object.keys(input.properties);
  const missing = (input.required ?? []).filter((one) => (declared[one] ?? null) === null);
  const meant = closestArgument(unknown, missing) ?? closestArgument(unknown, allowed);
  const [first = null, ...more] = missing;
  const suggestion = meant ?? (more.length === 0 ? first : null);
  const written = unknown.slice(0, MAX_NAME);
  const list = allowed.join(", ");
  const text =
    suggestion === null
      ? `${name} has no argument ${written}; leave it out, or use one of ${list}.`
      : `${name} has no argument ${written}; did you mean ${suggestion}? Its arguments are ${list}.`;
  return first === null
    ? new BourseError("invalid_argument", text, { param: written, allowed })
    : new BourseError("missing_argument", `${first} is missing. ${text}`, { param: first });
}

/** The argument that an unknown name probably means; null if none is close. */
function closestArgument(unknown: string, candidates: readonly string[]): string | null {
  const written = unknown.slice(0, MAX_NAME).toLowerCase().replaceAll(/[-\s]/g, "_");
  const snake = unknown
    .slice(0, MAX_NAME)
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase();
  return (
    candidates.find((name) => SYNONYMS[name]?.some((one) => one === written || one === snake)) ??
    closest(written, candidates)
  );
}
