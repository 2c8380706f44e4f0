import type { Call } from "#console/app/api.ts";
import { formatDate, localeNow } from "#console/app/format.ts";
import type { Subject } from "./subject.ts";

/** The ranges of price charts. */
export const RANGES = ["1W", "1M", "3M", "6M", "YTD", "1Y", "5Y", "10Y", "Max"] as const;
/** One of `RANGES`. */
export type Range = (typeof RANGES)[number];

/** The range in the query of a page; a year by default. */
export function readRange(query: URLSearchParams): Range {
  return RANGES.find((range) => range === query.get("range")) ?? "1Y";
}

/** The length of a bar: a session, a week or a month. */
export type Interval = keyof typeof INTERVAL_NAMES;

/** The interval of the bars of a range. Long ranges have weeks or months, so that each range is one call. */
export function intervalOf(range: Range): Interval {
  if (range === "5Y" || range === "10Y") return "1wk";
  return range === "Max" ? "1mo" : "1d";
}

/** What a bar is, in the plural. */
export const INTERVAL_NAMES = { "1d": "days", "1wk": "weeks", "1mo": "months" } as const;

/** Different dates, oldest first: `19 Nov 2025 or 20 Nov 2025`. */
export const datesText = (dates: readonly string[]) =>
  new Intl.ListFormat(localeNow(), { type: "disjunction" }).format(
    [...new Set(dates)].toSorted().map(formatDate),
  );

/** A date before every price. */
export const FIRST_DATE = "1900-01-01";

/** The call for the returns of instruments over a range, in their own currency if none is given. */
export function returnsCall(
  range: Range,
  instruments: readonly Subject[],
  currency?: string,
  adjust?: string,
): Call<"get_price_statistics"> {
  const symbols = instruments.map(({ country, symbol }) => `${country}:${symbol}`).join(",");
  const args = {
    symbols,
    range: range.toLowerCase(),
    currency,
    adjust: adjust === "split" ? undefined : adjust,
  };
  return { operation: "get_price_statistics", args };
}
