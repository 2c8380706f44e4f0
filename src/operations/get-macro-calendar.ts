import { Type } from "@sinclair/typebox";
import { type CalendarEvent, IMPORTANCES } from "#domain/calendar-event.ts";
import { COUNTRIES, COUNTRY_CODES, CountryCode, countryLowerName } from "#domain/country.ts";
import type { MacroSeries } from "#domain/macro.ts";
import type { Provenance } from "#domain/records.ts";
import { DateOutput, Nullable, StringEnum } from "#domain/schema.ts";
import { dateOf } from "#lib/date.ts";
import { formatWithUnit } from "#panels/format.ts";
import type { MarketStore } from "#store/index.ts";
import type { InputKeywords } from "./decode.ts";
import { countryNeeds } from "./needs.ts";
import { defineOperation } from "./operation.ts";

const LEVELS = IMPORTANCES.join("|");
const FigureText = (what: string) =>
  Nullable(Type.String({ description: `${what} with its unit: 3.1%; null if not available.` }));
const Count = (of: string) => Type.Integer({ description: `Number of ${of}.` });

export const getMacroCalendar = defineOperation({
  name: "get_macro_calendar",
  title: "Economic calendar",
  description:
    "Lists upcoming economic publications, soonest first, with previous, forecast, consensus and actual figures. Times are UTC. Omit country for all countries. For company reports use get_earnings_calendar.",
  path: "/data/macro/calendar",
  omitsCountry: true,
  input: Type.Object({
    country: Type.Optional(CountryCode),
    importance: Type.Optional(
      Type.String({
        pattern: `^(all|(${LEVELS})(,(${LEVELS}))*)$`,
        maxLength: 60,
        maxItems: 20,
        each: StringEnum([...IMPORTANCES, "all"]),
        description:
          "Importance: high, medium, low, a comma-separated list such as high,medium, or all.",
        expected: "high, medium, low, a comma-separated list of them such as high,medium, or all",
      } satisfies InputKeywords & Record<string, unknown>),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 200,
        default: 20,
        description: "Maximum number of events.",
      }),
    ),
  }),
  output: Type.Object({
    events: Type.Array(
      Type.Object({
        id: Type.String({
          description: "Identifier, which does not change when the calendar is refreshed.",
        }),
        country: Type.String({ description: "Lower-case name of the country: united states." }),
        event: Type.String({ description: "Title: Inflation Rate YoY." }),
        date: DateOutput("UTC date of the publication, YYYY-MM-DD."),
        time: Type.String({ description: "UTC time of the publication, HH:MM." }),
        importance: StringEnum(IMPORTANCES, {
          description: "How much the publication moves markets.",
        }),
        previous: FigureText("Figure of the previous period"),
        forecast: FigureText("Forecast figure"),
        consensus: FigureText("Consensus of analysts"),
        actual: FigureText("Published figure"),
        currency: Type.String({ description: "ISO code of the country's currency: USD." }),
      }),
    ),
    summary: Type.Object(
      {
        total: Count("events"),
        high: Count("events of high importance"),
        medium: Count("events of medium importance"),
        low: Count("events of low importance"),
      },
      { description: "Number of events that match the filters, before the limit." },
    ),
  }),
  needs: ({ country }) => countryNeeds(["calendarEvents"], country),
  handle({ country, importance = "all", limit = 20 }, { market, now }) {
    const today = dateOf(now);
    const levels = importance === "all" ? IMPORTANCES : importance.split(",");
    const countries = country === undefined ? COUNTRY_CODES : [country];
    const events = countries
      .flatMap((code) => market.calendar.listFrom(code, today))
      .filter((event) => levels.includes(event.importance))
      .sort((a, b) => moment(a).localeCompare(moment(b)));
    const published = publishedFigures(market, events);
    const count = (level: string) => events.filter((event) => event.importance === level).length;
    return {
      data: {
        events: events.slice(0, limit).map((event) => ({
          id: event.id,
          country: countryLowerName(event.country),
          event: event.event,
          date: event.date,
          time: event.time,
          importance: event.importance,
          previous: event.previous ?? published.get(event)?.previous ?? null,
          forecast: event.forecast,
          consensus: event.consensus,
          actual: event.actual ?? published.get(event)?.actual ?? null,
          currency: COUNTRIES[event.country].currency,
        })),
        summary: {
          total: events.length,
          high: count("high"),
          medium: count("medium"),
          low: count("low"),
        },
      },
      // An answer without events has the age of the newest stored event.
      from:
        events.length > 0
          ? [...events, ...[...published.values()].map(({ series }) => series)]
          : newestOf(countries.flatMap((code) => market.calendar.findLast(code) ?? [])),
    };
  },
});

const moment = (event: CalendarEvent) => `${event.date} ${event.time} ${event.id}`;

/** The previous and the actual figure of a publication, from the stored series. */
interface PublishedFigures {
  readonly previous: string | null;
  readonly actual: string | null;
  readonly series: MacroSeries & Provenance;
}

/**
 * The figures of publications that name a series. If several events (soonest first) name the same
 * series, only the first one has figures, because the previous figures of the others are not published
 * yet.
 */
function publishedFigures(
  market: MarketStore,
  events: readonly CalendarEvent[],
): Map<CalendarEvent, PublishedFigures> {
  const figures = new Map<CalendarEvent, PublishedFigures>();
  const seen = new Set<string>();
  for (const event of events) {
    const { country, series: id, period } = event;
    if (id === undefined || period === undefined || seen.has(`${country} ${id}`)) continue;
    seen.add(`${country} ${id}`);
    const series = market.documents.find("macroSeries", country, id);
    if (!series) continue;
    const format = (observation: { value: number } | undefined) =>
      observation ? formatWithUnit(observation.value, series.unit, series.decimals) : null;
    figures.set(event, {
      previous: format(series.observations.findLast((one) => one.period < period)),
      actual: format(series.observations.find((one) => one.period === period)),
      series,
    });
  }
  return figures;
}

/** The record that was stored last; empty without records. */
function newestOf<T extends Provenance>(records: readonly T[]): T[] {
  const newest = Math.max(...records.map(({ storedAt }) => storedAt));
  return records.filter(({ storedAt }) => storedAt === newest).slice(0, 1);
}
