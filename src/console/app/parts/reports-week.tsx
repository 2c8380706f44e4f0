import type { Call } from "#console/app/api.ts";
import { dateOf } from "#console/app/days.ts";
import type { PayloadOf } from "#operations/index.ts";
import { t } from "#console/app/words.ts";

/** The reports of a list's companies from today on. With `from`, the answer includes reports published today. */
export const reportsOfList = (name: string): Call<"get_earnings_calendar"> => ({
  operation: "get_earnings_calendar",
  // Dates of reports are those of New York, which can be a day behind the reader's. UTC is what the service calls today.
  args: { tickers: `list:${name}`, from: dateOf(Date.now(), true), limit: 200 },
});

const WEEK_MS = 7 * 86_400_000;

/** Which companies of a list report within seven days. @param asOf the time of the answer */
export function ReportsWeek(props: {
  readonly data: PayloadOf<"get_earnings_calendar">;
  readonly asOf: string;
}) {
  const end = Date.parse(props.asOf) + WEEK_MS;
  const soon = props.data.earnings.filter(({ date }) => Date.parse(date) <= end);
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
