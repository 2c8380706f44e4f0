import type { CalendarEvent } from "#domain/calendar-event.ts";
import { addDays } from "#lib/date.ts";
import { expectedNext, modelForecast, publishedValues } from "./economic-values.ts";
import { type EconomicFigure, listEconomicFigures } from "./economy.ts";
import type { SampleMarket } from "./market.ts";
import { listReleases, type Release } from "./releases.ts";

const DAYS_BACK = 7;
const DAYS_AHEAD = 35;

/**
 * The announced publications from a week before the market's date to five weeks after it. Values
 * equal those of the figure's series. `actual` is null before the event, and `previous` is null before
 * the previous publication. `consensus` and `forecast` are computed from `previous` and null without it.
 *
 * Only policy rates and the quarterly figures of high importance have a `forecast`, as with real
 * calendars.
 */
export function calendarEvents({ now, today, prices }: SampleMarket): CalendarEvent[] {
  return listEconomicFigures().flatMap((figure) => {
    const { event, country } = figure;
    if (event === null) return [];
    // As in real calendars, Viet Nam and minor events have no consensus.
    const isPolled = country !== "VN" && event.importance !== "low";
    const isForecast = event.importance === "high" && figure.every !== "month";
    const releases = listReleases(figure, addDays(today, -DAYS_BACK), addDays(today, DAYS_AHEAD));
    const valueOf = publishedValues(figure, releases, prices);
    return releases.map((release, i): CalendarEvent => {
      const { number, print, date, time, at } = release;
      const previous = (releases[i - 1]?.at ?? 0) <= now ? valueOf(number - 1) : null;
      const ifKnown = (make: (previous: number) => number) =>
        previous === null ? null : printed(figure, make(previous));
      return {
        id: idOf(figure, release),
        country,
        event: titleOf(figure, event.title, release),
        date,
        time,
        importance: event.importance,
        previous: ifKnown((value) => value),
        forecast: isForecast ? ifKnown((value) => modelForecast(figure, value, release)) : null,
        consensus: isPolled ? ifKnown((value) => expectedNext(figure, value, print)) : null,
        actual: at <= now ? printed(figure, valueOf(number)) : null,
      };
    });
  });
}

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const PRINTS = ["advance", "second", "third"];

/** The title with the figure's period: `CPI YoY (Oct)`, `GDP growth QoQ (Q3, second)`. */
function titleOf({ every, prints }: EconomicFigure, title: string, release: Release): string {
  if (every === "week" || every === "meeting") return title;
  const part = release.period.slice(5);
  const period = every === "quarter" ? part : (MONTHS[Number(part) - 1] ?? part);
  const print = prints.length > 1 ? `, ${printName(prints.length, release.print)}` : "";
  return `${title} (${period}${print})`;
}

/** The first of three US prints is `advance`; the first of two Japanese prints is `first`. */
function printName(count: number, print: number): string {
  return (count === 2 && print === 0 ? "first" : PRINTS[print]) ?? "";
}

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The number of the release and the figure's line, encoded in three letters and digits: `1bG`. */
function idOf({ line }: EconomicFigure, { number }: Release): string {
  const code = number * listEconomicFigures().length + line;
  return [DIGITS.length ** 2, DIGITS.length, 1]
    .map((place) => DIGITS[Math.floor(code / place) % DIGITS.length])
    .join("");
}

const SHORT_UNITS: readonly (readonly [unit: RegExp, short: string])[] = [
  [/^%$/, "%"],
  [/^thousand/, "K"],
  [/^million/, "M"],
  [/ mn$/, "M"],
  [/ bn$/, "B"],
  [/ tn$/, "T"],
  [/^TWh$/, " TWh"],
];

/** The value as calendars format it: `3.1%`, `213K`, `-68.2B`, `27.0 TWh`. */
function printed({ unit, decimals }: EconomicFigure, value: number): string {
  const short = SHORT_UNITS.find(([pattern]) => pattern.test(unit))?.[1] ?? "";
  return `${value.toFixed(decimals)}${short}`;
}
