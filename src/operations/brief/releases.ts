import type { Country } from "#domain/country.ts";
import { addDays, dateOf } from "#lib/date.ts";
import { listPublications } from "#operations/get-macro-calendar.ts";
import type { MarketStore } from "#store/index.ts";
import { type Change, changeOf } from "./changes.ts";

/** A figure that is published later than this after its date is not named. */
const LATE_DAYS = 30;

/** A publication of high importance whose figure is known. */
export type Release = ReturnType<typeof listPublications>[number];

/** The releases of a country that can be new since an instant (UTC milliseconds), oldest first. */
export function listReleases(market: MarketStore, country: Country, since: number): Release[] {
  return listPublications(market, country, addDays(dateOf(since), -LATE_DAYS)).filter(
    ({ importance, actual }) => importance === "high" && actual !== null,
  );
}

/** The ids of the releases up to an instant, by their time. */
export function releasedByDays(releases: readonly Release[], at: number): string[] {
  return releases
    .filter(({ date, time }) => Date.parse(`${date}T${time}Z`) <= at)
    .map(({ id }) => id);
}

/** The releases of a country that became known between two moments. */
export function newReleases(
  country: Country,
  releases: readonly Release[],
  { from, to }: { readonly from: readonly string[]; readonly to: readonly string[] },
): Change[] {
  return releases
    .filter(({ id }) => to.includes(id) && !from.includes(id))
    .map(({ event, date, previous, consensus, forecast, actual, unit }) =>
      changeOf({
        date,
        symbol: country,
        what: "release",
        detail: event,
        before: previous,
        expected: consensus ?? forecast,
        after: actual,
        // A percentage has its unit in its text.
        unit: unit === undefined || unit === "" || actual?.endsWith(unit) ? null : unit,
      }),
    );
}
