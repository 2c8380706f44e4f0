import type { CalendarEvent, Importance } from "#domain/calendar-event.ts";
import { addDays, addMonths, dateOf } from "#lib/date.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { VIETNAM_RELEASES } from "./source.ts";

const DAYS_AHEAD = 62;
/** The monthly report is published on the 6th, also on weekends, at 9:00 in Ha Noi. */
const RELEASE_DAY = "06";
const RELEASE_TIME = "02:00";

interface Publication {
  readonly slug: string;
  readonly title: string;
  readonly importance: Importance;
  /** The macro series of the statistics office to which the figure belongs; null if there is no series. */
  readonly series: string | null;
}

const MONTHLY: readonly Publication[] = [
  { slug: "cpi", title: "CPI y/y", importance: "high", series: "cpi-yoy" },
  {
    slug: "iip",
    title: "Industrial Production y/y",
    importance: "medium",
    series: "industrial-output-yoy",
  },
  { slug: "retail", title: "Retail Sales y/y", importance: "medium", series: null },
  { slug: "trade", title: "Trade Balance", importance: "medium", series: "trade-balance" },
];
const GDP: Publication = { slug: "gdp", title: "GDP y/y", importance: "high", series: "gdp-yoy" };

/**
 * The publications of Viet Nam's statistics office from today on: each month's report on the 6th of
 * the next month, with the quarter's GDP in January, April, July and October.
 */
export const vietnamReleases = defineFetcher({
  kind: "calendarEvents",
  source: VIETNAM_RELEASES,
  countries: ["VN"],
  scope: "country",
  fetch: () => Promise.resolve(null),
  *transform(_raw, { now }) {
    const today = dateOf(now);
    const last = addDays(today, DAYS_AHEAD);
    const firstRelease = `${today.slice(0, 8)}${RELEASE_DAY}`;
    for (let months = 0; addMonths(firstRelease, months) <= last; months++) {
      const date = addMonths(firstRelease, months);
      if (date < today) continue;
      const reported = addMonths(date, -1);
      const month = Number(reported.slice(5, 7));
      for (const publication of MONTHLY) {
        yield release(publication, date, reported.slice(0, 7), nameOf(reported));
      }
      if (month % 3 === 0) {
        const quarter = `${reported.slice(0, 4)}-Q${month / 3}`;
        yield release(GDP, date, quarter, quarter);
      }
    }
  },
});

function release(
  { slug, title, importance, series }: Publication,
  date: string,
  period: string,
  periodName: string,
): CalendarEvent {
  return {
    id: `vn-${slug}-${period}`.toLowerCase(),
    country: "VN",
    event: `${title}, ${periodName}`,
    date,
    time: RELEASE_TIME,
    importance,
    previous: null,
    forecast: null,
    consensus: null,
    actual: null,
    ...(series !== null && { series, period }),
  };
}

/** `October 2026` */
function nameOf(date: string): string {
  return new Date(date).toLocaleDateString("en-US", {
    timeZone: "UTC",
    month: "long",
    year: "numeric",
  });
}
