import { closest } from "#lib/closest.ts";

/** Other names that callers use for our arguments, by the names of ours. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  country: ["market", "region", "nation", "exchange", "country_code"],
  symbol: ["ticker", "code", "stock", "company", "name", "symbols", "tickers"],
  symbols: ["tickers", "codes", "stocks", "companies", "symbol", "ticker", "list", "watchlist"],
  tickers: ["symbols", "codes", "stocks", "companies", "symbol", "ticker", "list", "watchlist"],
  query: ["q", "search", "text", "name", "keyword", "term", "company", "symbol", "ticker"],
  queries: ["symbols", "tickers", "names"],
  type: ["statement", "statement_type", "kind", "asset_type", "asset_class"],
  category: ["categories", "group", "topic", "indicator"],
  fiscal_year: ["year", "fy"],
  period: ["frequency", "interval", "year", "fiscal_year", "quarter", "fiscal_quarter"],
  interval: ["frequency", "period", "timeframe", "granularity"],
  range: ["period", "timeframe", "window", "duration", "days"],
  level: ["group_by", "classification", "granularity"],
  where: ["filter", "filters", "conditions", "criteria", "list", "watchlist"],
  holdings: ["positions", "portfolio", "list", "watchlist"],
  items: ["symbols", "tickers", "stocks", "companies", "holdings"],
  name: ["list", "watchlist", "list_name", "title"],
  sort: ["order", "order_by", "sort_by"],
  metric: ["metrics", "multiple", "multiples", "ratio", "field", "fields"],
  metrics: ["fields", "columns", "metric", "figures"],
  series: ["indicator", "name", "series_id", "metric"],
  dates: ["date", "on", "as_of"],
  known_on: ["as_of", "date", "on", "known_at", "point_in_time"],
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
  from: ["start", "start_date", "date_from", "since", "date", "day", "when"],
  to: ["end", "end_date", "date_to", "until", "days"],
};

/** Longer names of arguments are cut in messages. */
export const MAX_NAME = 40;

const lettersOf = (name: string): string => name.split("").toSorted().join("");

/** The argument that an unknown name probably means; null if none is close. */
export function closestArgument(unknown: string, candidates: readonly string[]): string | null {
  const written = unknown.slice(0, MAX_NAME).toLowerCase().replaceAll(/[-\s]/g, "_");
  const snake = unknown
    .slice(0, MAX_NAME)
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase();
  return (
    candidates.find((name) => name === `${written}s`) ??
    candidates.find((name) => SYNONYMS[name]?.some((one) => one === written || one === snake)) ??
    // Swapped letters: `form` is nearer to `from` than to `format`.
    candidates.find((name) => lettersOf(name) === lettersOf(written)) ??
    closest(written, candidates)
  );
}
