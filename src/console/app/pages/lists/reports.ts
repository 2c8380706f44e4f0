import type { Call } from "#console/app/api.ts";
import { today } from "#console/app/days.ts";

/** The reports of a list's companies from today on. With `from`, the answer includes reports published today. */
export const reportsOfList = (name: string): Call<"get_earnings_calendar"> => ({
  operation: "get_earnings_calendar",
  args: { tickers: `list:${name}`, from: today(), limit: 200 },
});
