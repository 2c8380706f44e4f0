import { performanceReferences } from "#analytics/performance.ts";
import { BourseError } from "#domain/errors.ts";
import { StringEnum } from "#domain/schema.ts";
import { addMonths } from "#lib/date.ts";
import { checkPeriod } from "./inputs.ts";

const RANGES = ["1m", "3m", "6m", "ytd", "1y", "5y", "10y", "max"] as const;
const RANGE_MONTHS = { "1m": 1, "3m": 3, "6m": 6, "1y": 12, "5y": 60, "10y": 120 } as const;

/** A period that ends with the newest close. */
type PriceRange = (typeof RANGES)[number];

/** The input schema of a period that ends with the newest close. */
export const RangeInput = (description: string) =>
  StringEnum(RANGES, {
    description,
    aliases: {
      "1mo": "1m",
      "1 month": "1m",
      "3mo": "3m",
      "3 months": "3m",
      "6mo": "6m",
      "6 months": "6m",
      "12m": "1y",
      "1yr": "1y",
      "1 year": "1y",
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

/** The first date of a range. `ytd` starts like the performance window of that name. */
export function rangeStart(range: PriceRange, newest: string, today: string): string {
  if (range === "max") return "0000-01-01";
  if (range === "ytd") return performanceReferences(today, newest).yearToDate;
  return addMonths(newest, -RANGE_MONTHS[range]);
}
