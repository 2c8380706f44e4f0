import type { CalendarEvent } from "#domain/calendar-event.ts";
import { addDays, daysBetween } from "#lib/date.ts";
import {
  ECONOMIC_FIGURES,
  type EconomicFigure,
  listReleases,
  publishedValues,
  type Release,
  roundFigure,
} from "./economy.ts";

const DAYS_BACK = 7;
const DAYS_AHEAD = 35;

/**
 * The announced publications from a week before the date to five weeks after it. What an event gives
 * is what the figure's series then says.
 */
export function calendarEvents(today: string): CalendarEvent[] {
  return ECONOMIC_FIGURES.flatMap((figure) => {
    const { event, country } = figure;
    if (event === null) return [];
    const releases = listReleases(figure, addDays(today, -DAYS_BACK), addDays(today, DAYS_AHEAD));
    const valueOf = publishedValues(figure, releases);
    return releases.map((release): CalendarEvent => {
      const previous = valueOf(release.number - 1);
      const value = valueOf(release.number);
      // As with real calendars, nobody is polled about Viet Nam or about what matters little.
      const consensus =
        country === "VN" || event.importance === "low"
          ? null
          : roundFigure(figure, (previous + value) / 2);
      return {
        id: idOf(figure, release),
        country,
        event: event.title,
        date: release.date,
        time: event.time,
        importance: event.importance,
        previous: printed(figure, previous),
        forecast: null,
        consensus: consensus === null ? null : printed(figure, consensus),
        actual: release.date < today ? printed(figure, value) : null,
      };
    });
  });
}

/** The figure's line and the day that its rule gives, which no two events have in common: `1bg17`. */
function idOf({ line }: EconomicFigure, { dueOn }: Release): string {
  return line.toString(36) + daysBetween("1970-01-01", dueOn).toString(36).padStart(3, "0");
}

const SHORT_UNITS: readonly (readonly [unit: RegExp, short: string])[] = [
  [/^%$/, "%"],
  [/^thousand/, "K"],
  [/^million/, "M"],
  [/ bn$/, "B"],
  [/ tn$/, "T"],
];

/** As a calendar prints it: `3.1%`, `213K`, `-68.2B`. */
function printed({ unit, decimals }: EconomicFigure, value: number): string {
  const short = SHORT_UNITS.find(([pattern]) => pattern.test(unit))?.[1] ?? "";
  return `${value.toFixed(decimals)}${short}`;
}
