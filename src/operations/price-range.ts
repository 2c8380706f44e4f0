import { WINDOWS, windowStart } from "#analytics/performance.ts";
import { BourseError } from "#domain/errors.ts";
import { StringEnum } from "#domain/schema.ts";
import { checkPeriod } from "./inputs.ts";

const RANGES = [...WINDOWS, "max"] as const;

/** A period that ends with the newest close. */
export type PriceRange = (typeof RANGES)[number];

/** The input schema of a period that ends with the newest close. */
export const RangeInput = (description: string) =>
  StringEnum(RANGES, {
    description,
    aliases: {
      "1 day": "1d",
      "1wk": "1w",
      "1 week": "1w",
      "7d": "1w",
      "1mo": "1m",
      "1 month": "1m",
      "3mo": "3m",
      "3 months": "3m",
      "6mo": "6m",
      "6 months": "6m",
      "12m": "1y",
      "1yr": "1y",
      "1 year": "1y",
      "2 years": "2y",
      "3 years": "3y",
      "5 years": "5y",
      "10 years": "10y",
      all: "max",
    },
  });

/** @throws BourseError `invalid_argument` for a range with dates, and if `from` is after `to` */
export function checkRange(
  range: string | undefined,
  from: string | undefined,
  to: string | undefined,
): void {
  checkPeriod(from, to);
  if (range === undefined || (from ?? to) === undefined) return;
  throw new BourseError("invalid_argument", "Use range, or from and to, not both.", {
    param: "range",
  });
}

/** A date before every session. */
export const FIRST_DATE = "0000-01-01";

/** The start date of a range that ends with the session `newest`. */
export function rangeStart(range: PriceRange, newest: string): string {
  return range === "max" ? FIRST_DATE : windowStart(range, newest);
}
