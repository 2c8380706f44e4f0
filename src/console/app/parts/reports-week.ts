import { addDays, today, WEEK_DAYS } from "#console/app/days.ts";
import { t } from "#console/app/words.ts";
import type { PayloadOf } from "#operations/index.ts";

/**
 * Which companies of a list report within seven days, which are those of the calendar; null if no date of the list is
 * known.
 *
 * @param until the last of these days
 */
export function reportsWeek(
  data: Pick<PayloadOf<"get_earnings_calendar">, "earnings" | "without_date" | "not_covered">,
  until = addDays(today(), WEEK_DAYS - 1),
): string | null {
  const soon = data.earnings.filter(({ date }) => date <= until);
  if (soon.length > 0) {
    return t("Reports within seven days: {companies}.", {
      companies: soon.map(({ symbol }) => symbol).join(", "),
    });
  }
  const isAllKnown = [data.without_date, data.not_covered].every(({ length }) => length === 0);
  if (isAllKnown) return t("No company of the list reports within seven days.");
  if (data.earnings.length === 0) return null;
  return t("No company whose report date is known reports within seven days.");
}
