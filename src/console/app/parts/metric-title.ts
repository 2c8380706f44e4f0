import { formatLabel, formatName } from "#console/app/format.ts";
import { t, translate } from "#console/app/words.ts";

/** What the console calls changes everywhere: `1 month` for the `Perf %1M` of the API. */
const WINDOW_NAMES: Readonly<Record<string, string>> = {
  change_percent: "1 day",
  return_1w: "1 week",
  return_1m: "1 month",
  return_3m: "3 months",
  return_6m: "6 months",
  return_ytd: "This year",
  return_1y: "1 year",
  return_5y: "5 years",
  return_10y: "10 years",
  change_1_session_ago: "Day's change, 1 session earlier",
  change_2_sessions_ago: "Day's change, 2 sessions earlier",
  change_3_sessions_ago: "Day's change, 3 sessions earlier",
  change_4_sessions_ago: "Day's change, 4 sessions earlier",
};

/** What the console calls a metric. @param title its title in the API */
export const titleOfMetric = (name: string, title = name) =>
  WINDOW_NAMES[name] ?? formatLabel(title);

/** What the console calls a column that is no metric: `1 week, measured from` for `return_1w_from_session`. */
export function titleOfColumn(column: string): string {
  const [isStart, metric] = /^(?:(.+)_)?from_session$/.exec(column) ?? [];
  if (!isStart) return formatName(column);
  if (metric === undefined) return t("Measured from");
  return t("{figure}, measured from", { figure: translate(titleOfMetric(metric)) });
}
