import { addDays, addMonths, daysBetween } from "#lib/date.ts";

/** A year, a quarter, a month or a day as macro series write it: `2026`, `2026-Q3`, `2026-10`, `2026-10-31`. */
export const PERIOD = /^\d{4}(-Q[1-4]|-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?$/;

/** The distance of a series' observations: a year, a quarter, a month, or less (dated by day). */
export type Frequency = "A" | "Q" | "M" | "D";

/** The frequency of a series, from the way its periods are written. */
export function frequencyOf(period: string): Frequency {
  if (period.includes("Q")) return "Q";
  return period.length === 4 ? "A" : period.length === 7 ? "M" : "D";
}

/** The period that contains a date, by frequency: `2026-Q3` for `2026-07-01`. */
export function periodOf(date: string, frequency: Frequency): string {
  if (frequency === "A") return date.slice(0, 4);
  if (frequency === "M") return date.slice(0, 7);
  if (frequency === "D") return date;
  return `${date.slice(0, 4)}-Q${Math.floor((Number(date.slice(5, 7)) - 1) / 3) + 1}`;
}

/** The first day of a period. */
export function firstDayOf(period: string): string {
  const frequency = frequencyOf(period);
  if (frequency === "A") return `${period}-01-01`;
  if (frequency === "M") return `${period}-01`;
  if (frequency === "D") return period;
  return `${period.slice(0, 4)}-${String(Number(period.slice(6)) * 3 - 2).padStart(2, "0")}-01`;
}

const MONTHS = { A: 12, Q: 3, M: 1 } as const;

/** The last day of a period. */
export function lastDayOf(period: string): string {
  const frequency = frequencyOf(period);
  if (frequency === "D") return period;
  return addDays(addMonths(firstDayOf(period), MONTHS[frequency]), -1);
}

/** The period `months` months earlier, of the same length; for a day, the same day of that month. */
export function periodBefore(period: string, months: number): string {
  return periodOf(addMonths(firstDayOf(period), -months), frequencyOf(period));
}

/** The neighbour before a year, quarter or month; null for a day, which has no fixed neighbour. */
export function previousPeriod(period: string): string | null {
  const frequency = frequencyOf(period);
  return frequency === "D" ? null : periodBefore(period, MONTHS[frequency]);
}

/** How often a series is published. `irregular` are, for example, eight decisions a year. */
export const FREQUENCIES = [
  "annual",
  "quarterly",
  "monthly",
  "weekly",
  "daily",
  "irregular",
] as const;

/** The distance in days of neighbouring dates of a weekly series, and of a daily one over a holiday. */
const WEEKLY_DAYS = { from: 5, to: 9 } as const;

/** How often a series with these periods (oldest first) is published. */
export function frequencyOfAll(periods: readonly string[]): (typeof FREQUENCIES)[number] {
  const frequency = frequencyOf(periods.at(-1) ?? "");
  if (frequency === "A") return "annual";
  if (frequency === "Q") return "quarterly";
  const gaps = periods
    .slice(1)
    .map((period, i) => daysBetween(firstDayOf(periods[i] ?? ""), firstDayOf(period)))
    .sort((a, b) => a - b);
  const median = gaps[Math.floor(gaps.length / 2)] ?? 0;
  if (frequency === "M") {
    // A missing month is an exception.
    return gaps.filter((days) => days > 31).length * 4 > gaps.length ? "irregular" : "monthly";
  }
  if (median < WEEKLY_DAYS.from) return "daily";
  return median <= WEEKLY_DAYS.to ? "weekly" : "irregular";
}
