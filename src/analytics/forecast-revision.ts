import type { CompanyForecast } from "#domain/company-forecasts.ts";

/** What counts as earnings. The first of these that changed decides. */
const EARNINGS = ["netIncome", "ordinaryIncome", "operatingIncome", "revenue"] as const;

/** A figure of a forecast that an announcement changed. */
export interface RevisedFigure {
  readonly item: (typeof EARNINGS)[number] | "dividendPerShare";
  readonly before: number;
  readonly after: number;
}

/** An announcement of a company's forecast, with what it changed. */
export interface AnnouncedForecast extends CompanyForecast {
  /** Whether it raised or lowered the earnings of the announcement before it; null for the first one, or if it did neither. */
  readonly revision: "raised" | "lowered" | null;
  /** The first figure of earnings that it changed, and the dividend if it changed that. */
  readonly revised: readonly RevisedFigure[];
}

/** The announcements, newest first; of one day, the nearest year first. `forecasts`: oldest first. */
export function announcedForecasts(forecasts: readonly CompanyForecast[]): AnnouncedForecast[] {
  const inForce = new Map<string, CompanyForecast>();
  const announced = forecasts.map((forecast): AnnouncedForecast => {
    const before = inForce.get(forecast.yearEnd);
    inForce.set(forecast.yearEnd, forecast);
    const earnings = before && findRevised(before, forecast, EARNINGS);
    const dividend = before && findRevised(before, forecast, ["dividendPerShare"]);
    return {
      ...forecast,
      revision: earnings ? directionOf(earnings) : null,
      revised: [earnings, dividend].filter((one) => one !== undefined),
    };
  });
  return announced.sort(
    (a, b) => b.announcedOn.localeCompare(a.announcedOn) || a.yearEnd.localeCompare(b.yearEnd),
  );
}

const directionOf = ({ before, after }: RevisedFigure) => (after > before ? "raised" : "lowered");

/** The first of these figures that both have and that differs; undefined if none does. */
function findRevised(
  earlier: CompanyForecast,
  newer: CompanyForecast,
  items: readonly RevisedFigure["item"][],
): RevisedFigure | undefined {
  return items
    .flatMap((item) => {
      const [before, after] = [earlier[item], newer[item]];
      return before === null || after === null ? [] : [{ item, before, after }];
    })
    .find(({ before, after }) => before !== after);
}
