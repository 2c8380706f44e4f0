import { WINDOWS, windowStart } from "#analytics/performance.ts";
import { invalidArgument } from "#domain/errors.ts";
import { StringEnum } from "#domain/schema.ts";
import { addDays, addMonths } from "#lib/date.ts";
import { checkPeriod } from "./inputs.ts";
import { normalForm } from "#lib/normal-form.ts";

const RANGES = [...WINDOWS, "max"] as const;

/** A period that ends with the newest close. Ranges outside the list are a number of days, weeks, months or years. */
export type PriceRange = (typeof RANGES)[number];

/** Other ranges, such as `90d`, `6w`, `18m` or `4y`. */
const COUNTED = /^([1-9]\d{0,2})([dwmy])$/;
/** Units and words of Japanese and Vietnamese. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^(?:last|past|過去|直近|この)\s*|\s*(?:qua|gần đây|間)$/g, ""],
  [/年|\bnăm\b/g, "y"],
  [/[ヶかカヵケ箇]?月|\btháng\b/g, "m"],
  [/週|\btuần\b/g, "w"],
  [/日|\bngày\b/g, "d"],
];
const IS_COUNTED = /^(\d{1,3}) ?(d|days?|w|wks?|weeks?|m|mos?|mths?|months?|y|yrs?|years?)$/;

/** Intervals of minutes in other services, which are no number of months. */
const MINUTES = /^(?:15|30|60|90|120|240)m$/i;

/** The range that a text means: `90d` for `90 days`, `1y` for `12mo`; null if it is none. */
function readRange(written: string): string | null {
  if (MINUTES.test(written.trim())) return null;
  const text = WORDS.reduce(
    (rest, [words, unit]) => rest.replaceAll(words, unit),
    normalForm(written, "NFKC").trim().toLowerCase(),
  );
  const words = /^(?:day|week|month|quarter|year)$/.test(text) ? `1 ${text}` : text;
  const [, count = "", unit = ""] = IS_COUNTED.exec(words.replace("1 quarter", "3 months")) ?? [];
  if (Number(count) === 0) return null;
  const [months, days] = [unit.startsWith("m"), unit.startsWith("d")];
  if (months && Number(count) % 12 === 0) return `${Number(count) / 12}y`;
  if (days && count === "7") return "1w";
  return `${Number(count)}${unit.charAt(0)}`;
}

/** The input schema of a period that ends with the newest close; others than the listed ones can be counted: `4y`. */
export const RangeInput = (description: string, listed: readonly PriceRange[] = RANGES) => ({
  ...StringEnum(listed, {
    description,
    also: COUNTED,
    aliases: {
      all: "max",
      maximum: "max",
      全期間: "max",
      "tất cả": "max",
      "year to date": "ytd",
      年初来: "ytd",
      今年: "ytd",
      "năm nay": "ytd",
      "từ đầu năm": "ytd",
    },
  }),
  understands: readRange,
  accepts: (text: string) => !MINUTES.test(text),
  correction: (text: string) =>
    MINUTES.test(text)
      ? `m is months, and prices are daily: write ${text}o for months.`
      : undefined,
});

/** @throws BourseError `invalid_argument` for a range with dates, and if `from` is after `to` */
export function checkRange(
  range: string | undefined,
  from: string | undefined,
  to: string | undefined,
): void {
  checkPeriod(from, to);
  if (range === undefined || (from ?? to) === undefined) return;
  throw invalidArgument("Use range, or from and to, not both.", { param: "range" });
}

/** A date before every session. */
export const FIRST_DATE = "0000-01-01";

/** The start date of a range that ends with the session `newest`. */
export function rangeStart(range: PriceRange, newest: string): string {
  if (range === "max") return FIRST_DATE;
  const [, count = "", unit = ""] = COUNTED.exec(range) ?? [];
  if (unit === "d" && range !== "1d") return addDays(newest, -Number(count));
  if (unit === "w") return addDays(newest, -7 * Number(count));
  if (unit === "m") return addMonths(newest, -Number(count));
  return unit === "y" ? addMonths(newest, -12 * Number(count)) : windowStart(range, newest);
}
