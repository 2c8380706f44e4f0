import type { CompanyForecast } from "#domain/company-forecasts.ts";

/** An announcement of a company's forecast, with what it changed. */
export interface AnnouncedForecast extends CompanyForecast {
  /** Whether it raised or lowered the earnings of the announcement before it; null for the first one, or if it did neither. */
  readonly revision: "raised" | "lowered" | null;
}

/** What counts as earnings. The first of these that changed decides. */
const EARNINGS = ["netIncome", "ordinaryIncome", "operatingIncome", "revenue"] as const;

/** The announcements, newest first; of one day, the nearest year first. `forecasts`: oldest first. */
export function announcedForecasts(forecasts: readonly CompanyForecast[]): AnnouncedForecast[] {
  const inForce = new Map<string, CompanyForecast>();
  const announced = forecasts.map((forecast) => {
    const before = inForce.get(forecast.yearEnd);
    inForce.set(forecast.yearEnd, forecast);
    return { ...forecast, revision: before ? revisionOf(before, forecast) : null };
  });
  return announced.sort(
    (a, b) => b.announcedOn.localeCompare(a.announcedOn) || a.yearEnd.localeCompare(b.yearEnd),
  );
}

function revisionOf(before: CompanyForecast, newer: CompanyForecast): "raised" | "lowered" | null {
  for (const item of EARNINGS) {
    const [old, now] = [before[item], newer[item]];
    if (old !== null && now !== null && old !== now) return now > old ? "raised" : "lowered";
  }
  return null;
}
