import type { Call } from "#console/app/api.ts";
import { addDays, today, WEEK_DAYS } from "#console/app/days.ts";
import type { PayloadOf } from "#operations/index.ts";
import { t } from "#console/app/words.ts";

/** The reports of a list's companies from today on. With `from`, the answer includes reports published today. */
export const reportsOfList = (name: string): Call<"get_earnings_calendar"> => ({
  operation: "get_earnings_calendar",
  args: { tickers: `list:${name}`, from: today(), limit: 200 },
});

/** Which companies of a list report within seven days, which are those of the calendar. */
export function ReportsWeek({ data }: { readonly data: PayloadOf<"get_earnings_calendar"> }) {
  const last = addDays(today(), WEEK_DAYS - 1);
  const soon = data.earnings.filter(({ date }) => date <= last);
  return (
    <>
      {soon.length === 0
        ? t("No company of the list reports within seven days.")
        : t("Within seven days: {companies}.", {
            companies: soon.map(({ symbol }) => symbol).join(", "),
          })}
    </>
  );
}
