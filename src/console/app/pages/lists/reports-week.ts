import { formatList } from "#console/app/format.ts";
import { addDays, today, WEEK_DAYS } from "#console/app/days.ts";
import { t } from "#console/app/words.ts";
import type { PayloadOf } from "#operations/index.ts";

/**
 * Which companies of a list report within the calendar's seven days; null if no date of the list is
 * known.
 *
 * @param until the last of these days
 */
export function reportsWeek(
  data: Pick<PayloadOf<"get_earnings_calendar">, "earnings" | "without_date" | "not_covered">,
  until = addDays(today(), WEEK_DAYS - 1),
): string | null {
  const { earnings, without_date: undated, not_covered: notCovered } = data;
  const soon = earnings.flatMap(({ date, symbol }) => (date <= until ? symbol : []));
  if (soon.length > 0)
    return t("Reports within seven days: {companies}.", { companies: formatList(soon) });
  if (undated.length + notCovered.length === 0)
    return t("No company of the list reports within seven days.");
  return earnings.length === 0
    ? null
    : t("No company with a known date reports within seven days.");
}
