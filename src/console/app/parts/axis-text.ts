import { dateText, formatDayOfMonth } from "#console/app/format.ts";

/**
 * The label of a date on an axis: its year, or its month, or its day with the month. The chart library marks days
 * between months for which it has no room, so a day alone would read as one of the month before.
 *
 * @param date `2026-11-04`
 */
export function axisText(date: string, unit: "year" | "month" | "day"): string {
  if (unit === "day") return formatDayOfMonth(date);
  return dateText(Date.parse(date), {
    timeZone: "UTC",
    ...(unit === "year" ? { year: "numeric" } : { month: "short" }),
  });
}
