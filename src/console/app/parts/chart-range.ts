/** The ranges of price charts. */
export const RANGES = ["1M", "3M", "6M", "YTD", "1Y", "5Y", "Max"] as const;
/** One of `RANGES`. */
export type Range = (typeof RANGES)[number];

const MONTHS: Readonly<Partial<Record<Range, number>>> = {
  "1M": 1,
  "3M": 3,
  "6M": 6,
  "1Y": 12,
  "5Y": 60,
};

/** The range in the query of a page; a year by default. */
export function readRange(query: URLSearchParams): Range {
  return RANGES.find((range) => range === query.get("range")) ?? "1Y";
}

/** The length of a bar: a session, a week or a month. */
export type Interval = "1d" | "1wk" | "1mo";

/** The interval of the bars of a range. Long ranges have weeks or months, so that each range is one call. */
export function intervalOf(range: Range): Interval {
  return range === "5Y" ? "1wk" : range === "Max" ? "1mo" : "1d";
}

/** What a bar is, in the plural. */
export const INTERVAL_NAMES = { "1d": "days", "1wk": "weeks", "1mo": "months" } as const;

/** A date before every price. */
export const FIRST_DATE = "1900-01-01";

/** The first date of a range that ends on the newest date. */
export function firstDate(range: Range, newest: string): string {
  if (range === "Max") return FIRST_DATE;
  if (range === "YTD") return `${newest.slice(0, 4)}-01-01`;
  const [year = 0, month = 1, day = 1] = newest.split("-").map(Number);
  const first = new Date(Date.UTC(year, month - 1 - (MONTHS[range] ?? 0), 1));
  // A month with fewer days ends on its last day.
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  first.setUTCDate(Math.min(day, last));
  return first.toISOString().slice(0, 10);
}
