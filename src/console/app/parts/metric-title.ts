import { formatLabel } from "#console/app/format.ts";

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
};

/** What the console calls a metric. @param title its title in the API */
export const titleOfMetric = (name: string, title = name) =>
  WINDOW_NAMES[name] ?? formatLabel(title);
