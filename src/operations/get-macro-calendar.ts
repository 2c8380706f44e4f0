import { type Static, Type } from "@sinclair/typebox";
import {
  type CalendarEvent,
  currencyOfEvent,
  IMPORTANCES,
  unitOfEvent,
} from "#domain/calendar-event.ts";
import {
  COUNTRIES,
  COUNTRY_CODES,
  type Country,
  CountryCode,
  countryLowerName,
} from "#domain/country.ts";
import { invalidArgument } from "#domain/errors.ts";
import type { MacroSeries } from "#domain/macro.ts";
import type { Provenance } from "#domain/records.ts";
import { DateOutput, Nullable, StringEnum } from "#domain/schema.ts";
import { addDays, dateOf } from "#lib/date.ts";
import { tableOf } from "#lib/table.ts";
import { offsetTimeIn } from "#lib/zone.ts";
import { formatWithUnit } from "#panels/format.ts";
import type { MarketStore } from "#store/index.ts";
import type { InputKeywords } from "./reading/decode.ts";
import { KnownToOutput, knownToOf } from "./horizon.ts";
import { checkPeriod, DateInput, ListInput } from "./reading/inputs.ts";
import { countryNeeds } from "./needs.ts";
import { CursorInput, NextCursorOutput, pageOf } from "./reading/cursor.ts";
import { matchTitle } from "./reading/macro-series.ts";
import { defineOperation } from "./operation.ts";
import type { Why } from "./reasons.ts";

/** The number of days for which past events are kept. */
const KEPT_DAYS = 60;
/** The type of that number, with which the console declares the same. */
export type KeptDays = typeof KEPT_DAYS;

const LEVELS: readonly string[] = [...IMPORTANCES, "all"];
const FigureText = (what: string, absence = "if its source has none") =>
  Nullable(Type.String({ description: `${what} with its unit: 3.1%; null ${absence}.` }));
const Count = (of: string) => Type.Integer({ description: `Number of ${of}.` });

const input = Type.Object({
  country: Type.Optional({ ...CountryCode, hint: () => "For several countries use countries." }),
  countries: Type.Optional(ListInput(CountryCode, "Instead of country: US,JP.")),
  from: Type.Optional({
    ...DateInput(`First UTC date, today by default, at most ${KEPT_DAYS} days back`, "first"),
    isAhead: true,
  }),
  to: Type.Optional({ ...DateInput("Last UTC date", "last"), isAhead: true }),
  importance: Type.Optional(
    Type.String({
      maxLength: 60,
      maxItems: 20,
      each: StringEnum(LEVELS, { aliases: { 高: "high", 中: "medium", 低: "low", cao: "high" } }),
      accepts: (text: string) =>
        text === "all" || text.split(",").every((level) => LEVELS.slice(0, -1).includes(level)),
      description: "high, medium, low, a list such as high,medium, or all.",
      expected: "high, medium, low, a comma-separated list of them such as high,medium, or all",
    } satisfies InputKeywords & Parameters<typeof Type.String>[0]),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 200,
      default: 20,
      description: "Maximum rows.",
    }),
  ),
  cursor: Type.Optional(CursorInput),
});
type Input = Static<typeof input>;

const Event = Type.Object({
  id: Type.String({
    description: "Identifier, which does not change when the calendar is refreshed.",
  }),
  country: Type.String({ description: "Lower-case name of the country: united states." }),
  event: Type.String({ description: "Title: Inflation Rate YoY." }),
  date: DateOutput("UTC date, YYYY-MM-DD."),
  time: Type.String({ description: "UTC time, HH:MM." }),
  local_time: Type.String({
    description: "Time in the country with its offset, ISO 8601: 08:30-05:00.",
  }),
  importance: StringEnum(IMPORTANCES, { description: "How much the publication moves markets." }),
  previous: FigureText("Figure of the previous period"),
  forecast: FigureText("Forecast figure"),
  consensus: FigureText("Consensus of analysts"),
  actual: FigureText("Published figure", "until it is published"),
  currency: Type.String({ description: "Currency of the amounts, else of the country: USD." }),
  unit: Type.Optional(
    Type.String({
      description:
        "Unit of the figures, as in the series. USD bn; empty for a plain number; left out without figures or if unknown.",
    }),
  ),
  series: Type.Optional(
    Type.String({
      description:
        "Name in get_macro_indicators of the published series: CPI inflation YoY; left out if it is the title, apart from the period, or not stored.",
    }),
  ),
});

export const getMacroCalendar = defineOperation({
  name: "get_macro_calendar",
  set: "market",
  title: "Economic calendar",
  description:
    "Lists upcoming economic publications, soonest first, with previous, forecast, consensus and actual figures. Times are UTC and local. Company reports: get_earnings_calendar.",
  path: "/data/macro/calendar",
  withoutExample: ["countries"],
  omitsCountry: true,
  notRewound: ["names of series", "revisions of figures in the calendar"],
  input,
  output: Type.Object({
    events: Type.Array(Event),
    summary: Type.Object(
      {
        total: Count("events"),
        high: Count("events of high importance"),
        medium: Count("events of medium importance"),
        low: Count("events of low importance"),
      },
      { description: "Events before the limit." },
    ),
    next_cursor: NextCursorOutput,
    ...KnownToOutput,
  }),
  table: ({ events, summary, next_cursor: cursor }) => ({
    ...tableOf(Object.keys(Event.properties), events),
    total: summary.total,
    next: cursor === undefined ? null : { cursor },
  }),
  needs: (args) => countriesOf(args).flatMap((code) => countryNeeds(["calendarEvents"], code)),
  handle(args, { market, now }) {
    const { importance = "all", limit = 20, cursor, to } = args;
    const from = firstDate(args, dateOf(now));
    const levels = importance === "all" ? IMPORTANCES : importance.split(",");
    const countries = countriesOf(args);
    const events = countries
      .flatMap((code) => market.calendar.listFrom(code, from))
      .filter(
        (event) => levels.includes(event.importance) && (to === undefined || event.date <= to),
      )
      .sort((a, b) => moment(a).localeCompare(moment(b)));
    const page = pageOf(events, (event) => `${event.country}${event.id}`, { cursor, limit });
    const published = publishedFigures(market, events);
    const count = (level: string) => events.filter((event) => event.importance === level).length;
    return {
      data: {
        events: page.items.map((event) => toEvent(event, market, published.get(event))),
        summary: {
          total: events.length,
          high: count("high"),
          medium: count("medium"),
          low: count("low"),
        },
        ...page.next,
        ...knownToOf(lastKnown(market, countries), to),
      },
      // An answer without events has the age of the newest stored event.
      from:
        events.length > 0
          ? [...events, ...[...published.values()].map(({ series }) => series)]
          : newestOf(countries.flatMap((code) => market.calendar.findLast(code) ?? [])),
      why: ({ figure, of, isList }) => {
        if (isList) return whyEmpty(market, countries, from);
        // By contract, planned figures are null where there are none: each event lacks some.
        const isPlanned = `${String(of["date"])}T${String(of["time"])}Z` >= momentOf(now);
        return figure === "actual" && !isPlanned ? "not_published" : null;
      },
    };
  },
});

/** An instant as events have it, `2026-11-20T17:30Z`. @param now UTC milliseconds */
const momentOf = (now: number) => `${new Date(now).toISOString().slice(0, 16)}Z`;

/** Why no event is on a date or later: none fits, or none is known. */
function whyEmpty(market: MarketStore, countries: readonly Country[], from: string): Why {
  const known = countries.flatMap((code) => market.calendar.findLast(code)?.date ?? []);
  const [first = "US"] = countries;
  if (known.length === 0) return { kind: "calendarEvents", country: first, symbol: null };
  return known.every((date) => date < from) ? "beyond_horizon" : "no_match";
}

/** The publications of a country from a UTC date on, soonest first, each with its record. */
export function listPublications(market: MarketStore, country: Country, from: string) {
  const events = market.calendar.listFrom(country, from);
  const published = publishedFigures(market, events);
  return events.map((record) => ({
    ...toEvent(record, market, published.get(record)),
    record,
  }));
}

/** The publications of a series from a UTC date on, soonest first. An event without a series belongs to the one that its title names. */
export function listPublicationsOf(
  market: MarketStore,
  country: Country,
  { id }: Pick<MacroSeries, "id">,
  from: string,
) {
  const all = market.documents.list("macroSeries", country);
  return listPublications(market, country, from).filter(
    ({ record, event }) => (record.series ?? matchTitle(all, country, event)?.id) === id,
  );
}

function toEvent(
  event: CalendarEvent,
  market: MarketStore,
  published: PublishedFigures | undefined,
): Static<typeof Event> {
  const series = seriesOf(market, event);
  const unit = unitOfEvent(event, series);
  const figures = {
    previous: event.previous ?? published?.previous ?? null,
    forecast: event.forecast,
    consensus: event.consensus,
    actual: event.actual ?? published?.actual ?? null,
  };
  const isCounted = Object.values(figures).some((figure) => figure !== null);
  return {
    id: event.id,
    country: countryLowerName(event.country),
    event: event.event,
    date: event.date,
    time: event.time,
    local_time: offsetTimeIn(
      COUNTRIES[event.country].timeZone,
      Date.parse(`${event.date}T${event.time}Z`),
    ),
    importance: event.importance,
    ...figures,
    currency: currencyOfEvent(event, unit),
    ...(isCounted && unit !== null && { unit }),
    ...seriesName(event, series),
  };
}

/** The countries of a call. @throws BourseError if both arguments name some */
function countriesOf({ country, countries }: Pick<Input, "country" | "countries">): Country[] {
  if (country !== undefined && countries !== undefined) {
    throw invalidArgument("Use country or countries, not both.", { param: "countries" });
  }
  if (country !== undefined) return [country];
  return COUNTRY_CODES.filter((code) => countries?.split(",").includes(code) ?? true);
}

/**
 * The first date of a call, today without `from`.
 *
 * @throws BourseError if it is after `to`, or before the events that are kept
 */
function firstDate({ from, to }: Pick<Input, "from" | "to">, today: string): string {
  if (from === undefined && to !== undefined && to < today) {
    throw invalidArgument(
      `to (${to}) is before today, ${today}. For past events, give from, too.`,
      { param: "to" },
    );
  }
  checkPeriod(from, to);
  const earliest = addDays(today, -KEPT_DAYS);
  if (from !== undefined && from < earliest) {
    throw invalidArgument(
      `from must be ${earliest} or later, not ${from}: older events are not kept.`,
      { param: "from", hint: "For older figures call get_macro_history." },
    );
  }
  return from ?? today;
}

/** The date to which the events of all these countries are known; undefined without events. */
function lastKnown(market: MarketStore, countries: readonly Country[]): string | undefined {
  return countries.flatMap((code) => market.calendar.findLast(code)?.date ?? []).toSorted()[0];
}

const moment = (event: CalendarEvent) => `${event.date} ${event.time} ${event.id}`;

/** The previous and the actual figure of a publication, from the stored series. */
interface PublishedFigures {
  readonly previous: string | null;
  readonly actual: string | null;
  readonly series: MacroSeries & Provenance;
}

/**
 * The figures of publications that name a series. Events are listed soonest first. An event after an
 * unpublished one of the same series has no figures, because its previous figure is not published yet.
 */
function publishedFigures(
  market: MarketStore,
  events: readonly CalendarEvent[],
): Map<CalendarEvent, PublishedFigures> {
  const figures = new Map<CalendarEvent, PublishedFigures>();
  const unpublished = new Set<string>();
  for (const event of events) {
    const { country, series: id, period } = event;
    if (id === undefined || period === undefined || unpublished.has(`${country} ${id}`)) continue;
    const series = seriesOf(market, event);
    // Figures of one event have one unit.
    if (!series || unitOfEvent(event, series) !== series.unit) continue;
    const format = (observation: { value: number } | undefined) =>
      observation ? formatWithUnit(observation.value, series.unit, series.decimals) : null;
    const published = series.observations.find((one) => one.period === period);
    figures.set(event, {
      previous: format(series.observations.findLast((one) => one.period < period)),
      actual: format(published),
      series,
    });
    if (!published && event.actual === null) unpublished.add(`${country} ${id}`);
  }
  return figures;
}

/** The stored series that an event publishes; null without one. */
function seriesOf(
  market: MarketStore,
  { country, series }: CalendarEvent,
): (MacroSeries & Provenance) | null {
  return series === undefined ? null : market.documents.find("macroSeries", country, series);
}

/** The name of an event's series, if it is stored and has another name than the event. */
function seriesName({ event }: CalendarEvent, series: MacroSeries | null): { series?: string } {
  // In every event it would make the answer an eighth longer.
  const isTitle = series?.name === event.replace(/ \([^)]*\)$/, "");
  return series && !isTitle ? { series: series.name } : {};
}

/** The record that was stored last; empty without records. */
function newestOf<T extends Provenance>(records: readonly T[]): T[] {
  const newest = Math.max(...records.map(({ storedAt }) => storedAt));
  return records.filter(({ storedAt }) => storedAt === newest).slice(0, 1);
}
