import type { Importance } from "#domain/calendar-event.ts";

/** In this order: the first pattern that fits decides; titles that match no pattern are low. */
const WEIGHTS: readonly (readonly [RegExp, Importance])[] = [
  [
    /auction|4-week|continuing|cftc|api weekly|baker hughes|redbook|mba |n\.s\.a|seasonally/i,
    "low",
  ],
  [/nonfarm payrolls|^unemployment rate|average hourly earnings/i, "high"],
  [/^(national |tokyo )?(core )?cpi\b|^(core )?pce price/i, "high"],
  [/^gdp\b(?!.*(price|sales))/i, "high"],
  [
    /interest rate decision|fomc (statement|press|economic|meeting minutes)|monetary policy/i,
    "high",
  ],
  [/fed chair|boj (press|governor)|^(core )?retail sales|^ism .*pmi$/i, "high"],
  [
    /jobless claims|jolts|adp |employment cost|challenger|^(core )?ppi\b|personal (income|spending)/i,
    "medium",
  ],
  [/durable goods|industrial production|factory orders|trade balance|current account/i, "medium"],
  [
    /consumer (confidence|sentiment)|empire state|(philadelphia|philly) fed manufacturing/i,
    "medium",
  ],
  [/(new|existing|pending) home sales|housing starts|building permits/i, "medium"],
  [/\bpmi\b|tankan|household spending|machinery orders|inflation expectations/i, "medium"],
  [/crude oil inventories$|beige book|speaks$/i, "medium"],
];

/** The importance of a publication by its title, for calendars that do not give it. */
export function importanceByTitle(title: string): Importance {
  return WEIGHTS.find(([pattern]) => pattern.test(title))?.[1] ?? "low";
}
