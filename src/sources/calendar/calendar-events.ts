import type { CalendarEvent } from "#domain/calendar-event.ts";
import { localDateOf } from "#domain/country.ts";
import { addDays, dateOf } from "#lib/date.ts";
import { defineFetcher, type LiveQuery } from "#sources/fetcher.ts";
import { orError } from "#sources/or-error.ts";
import { type SourceClient, SourceError } from "#sources/source.ts";
import { FOREX_FACTORY_ADDRESS, forexFactoryReleases } from "./forex-factory.ts";
import { mergeReleases } from "./merge.ts";
import { type NasdaqDay, nasdaqEventsAddress, nasdaqReleases } from "./nasdaq.ts";
import { CALENDAR } from "./source.ts";

const DAYS_AHEAD = 14;
/** The maximum age of an answer. It has both countries, which are refreshed one after the other. */
const MAX_AGE_MS = 10 * 60_000;

/** The answers of the two calendars, or their errors. */
interface BothCalendars {
  readonly forexFactory: unknown;
  readonly nasdaq: readonly NasdaqDay[] | SourceError;
}

/**
 * The economic calendar of a country from today to two weeks ahead, from two calendars. If one of
 * them fails or has changed its form, the other one is enough.
 */
export const economicCalendar = defineFetcher({
  kind: "calendarEvents",
  source: CALENDAR,
  countries: ["US", "JP"],
  scope: "country",
  complements: true,
  async fetch(query, client): Promise<BothCalendars> {
    return {
      forexFactory: await orError(async () =>
        (await client.request(FOREX_FACTORY_ADDRESS, { maxAgeMs: MAX_AGE_MS })).json(),
      ),
      nasdaq: await orError(() => fetchNasdaq(query, client)),
    };
  },
  covers({ forexFactory, nasdaq }, { now }) {
    // If one calendar failed, events that only it has are missing.
    if (forexFactory instanceof SourceError || nasdaq instanceof SourceError) return null;
    return { from: dateOf(now), to: addDays(localDateOf("US", now), DAYS_AHEAD) };
  },
  lacks(raw) {
    const { weighed, plain } = readBoth(raw);
    return [
      ...(weighed instanceof SourceError
        ? [{ what: "Importance and forecasts of this week's events", why: weighed.words }]
        : []),
      ...(plain instanceof SourceError
        ? [{ what: "Events after this week", why: plain.words }]
        : []),
    ];
  },
  transform(raw, { country }): CalendarEvent[] {
    const { weighed, plain } = readBoth(raw);
    const events = mergeReleases(
      weighed instanceof SourceError ? [] : weighed,
      plain instanceof SourceError ? [] : plain,
    ).filter((event) => event.country === country);
    const [failed] = [weighed, plain].filter((one) => one instanceof SourceError);
    if (events.length === 0)
      throw failed ?? CALENDAR.error("nothing", "no publication is announced");
    return events;
  },
});

/** The releases of both calendars, or why one has none. */
function readBoth({ forexFactory, nasdaq }: BothCalendars) {
  return {
    weighed: orErrorNow(() => {
      if (forexFactory instanceof SourceError) throw forexFactory;
      return forexFactoryReleases(forexFactory);
    }),
    plain: orErrorNow(() => {
      if (nasdaq instanceof SourceError) throw nasdaq;
      return nasdaqReleases(nasdaq);
    }),
  };
}

/** The days from today to two weeks ahead; of a probe until a day has an event of the country. */
async function fetchNasdaq(
  { now, country, isProbe }: LiveQuery,
  client: SourceClient,
): Promise<NasdaqDay[]> {
  const days: NasdaqDay[] = [];
  const today = localDateOf("US", now);
  // One day more than needed: events may be listed under the next day.
  for (let ahead = 0; ahead <= DAYS_AHEAD + 1; ahead++) {
    const date = addDays(today, ahead);
    // A date without events may be answered with 404.
    const answer = await client.request(nasdaqEventsAddress(date), {
      accept: [404],
      maxAgeMs: MAX_AGE_MS,
    });
    days.push({ date, answer: answer.status === 404 ? null : await answer.json() });
    if (isProbe && nasdaqReleases(days).some((one) => one.country === country)) break;
  }
  return days;
}

function orErrorNow<T>(work: () => T): T | SourceError {
  try {
    return work();
  } catch (error) {
    if (error instanceof SourceError) return error;
    throw error;
  }
}
