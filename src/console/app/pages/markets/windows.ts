import { type Call, queryOf, TOOL_ROWS } from "#console/app/api.ts";
import { numberIn, rowsOf, textIn } from "#console/app/parts/rows.ts";
import type { PayloadOf } from "#operations/index.ts";
import type { Caption } from "#console/app/words.ts";

/** What the colours of the map show: the change over a window, or another figure. */
export interface Window {
  /** Its metric in a screen. */
  readonly metric: string;
  /** `1 month`. */
  readonly name: Caption;
  /** The change in percent at which a tile has the strongest colour; null if the shown companies decide. */
  readonly strongest: number | null;
  /** Of another figure than a change over a window. */
  readonly unit?: "change" | "percent" | "multiple";
  /** True if a low figure is the good one. */
  readonly isLowBetter?: boolean;
}

/** The windows by their text on a button and in the address. */
export const WINDOWS: Readonly<Record<string, Window>> = {
  "1D": { metric: "return_1d", name: "1 day", strongest: 3 },
  "1W": { metric: "return_1w", name: "1 week", strongest: 6 },
  "1M": { metric: "return_1m", name: "1 month", strongest: 12 },
  "3M": { metric: "return_3m", name: "3 months", strongest: 18 },
  YTD: { metric: "return_ytd", name: "this year", strongest: 30 },
  "1Y": { metric: "return_1y", name: "1 year", strongest: 45 },
};

/** Other figures than changes that colour the map, by their text on a button and in the address. */
export const COLORS: Readonly<Record<string, Window>> = {
  "P/E": { metric: "pe", name: "P/E", strongest: null, unit: "multiple", isLowBetter: true },
  Yield: { metric: "dividend_yield", name: "Dividend yield", strongest: null, unit: "percent" },
  Growth: { metric: "revenue_growth", name: "Revenue growth", strongest: 30, unit: "change" },
};

/** The changes that sectors have too, by the metric of their window. */
const SECTOR_COLUMNS: Readonly<Record<string, string>> = {
  return_1d: "change_percent",
  return_1w: "return_1w",
  return_1m: "return_1m",
  return_ytd: "return_ytd",
  return_1y: "return_1y",
};

/** The changes of the sectors and the valuation of a country in one short table. */
export const sectorsCall = (country: string): Call<"get_sectors"> => ({
  operation: "get_sectors",
  args: { country, columns: Object.values(SECTOR_COLUMNS).join() },
});

/** The change of each sector over a window by slug; empty if sectors have no such change. */
export function sectorChanges(
  { columns = [], rows = [] }: Partial<PayloadOf<"get_sectors">>,
  { metric }: Window,
): Record<string, number> {
  const column = SECTOR_COLUMNS[metric] ?? "";
  return Object.fromEntries(
    rowsOf({ columns, rows }).flatMap((row) => {
      const change = numberIn(row, column);
      return change === null ? [] : [[textIn(row, "slug"), change]];
    }),
  );
}

/** The window of a screen, which has its metric. While another one is loaded, it is the previous one. */
export function windowOf({
  columns,
}: Pick<PayloadOf<"screen_stocks">, "columns">): Window | undefined {
  const all = [...Object.values(COLORS), ...Object.values(WINDOWS)];
  return all.find(({ metric }) => columns.includes(metric));
}

/** The colours show the change over the window, by default. */
export const CHANGE = "Change";

/** The day, which is shown by default. */
export const DAY = "1D";

/** The changes of each of the newest sessions. */
const SESSIONS =
  "return_1d,change_1_session_ago,change_2_sessions_ago,change_3_sessions_ago,change_4_sessions_ago";

/** The address of a country's companies with the changes of the newest sessions in the screener. */
export const earlierSessions = (country: string): string =>
  `/console/screen?${queryOf({ country, metrics: SESSIONS })}`;

/** The number of companies in the map, the largest. */
const MAP_COMPANIES = 500;

/** The companies of the map with the figures of these metrics, the largest first. */
export const mapCall = (country: string, metrics: readonly string[]): Call<"screen_stocks"> => ({
  operation: "screen_stocks",
  args: {
    country,
    metrics: `sector,industry,market_cap,${metrics.join()}`,
    limit: MAP_COMPANIES,
  },
  toolArgs: { limit: TOOL_ROWS },
});
