import type { CalendarEvent } from "#domain/calendar-event.ts";
import { textWithUnit } from "#domain/macro.ts";
import { addDays } from "#lib/date.ts";
import { fixedText } from "#lib/fixed-text.ts";
import { expectedNext, modelForecast, publishedValues } from "./economic-values.ts";
import { type EconomicFigure, listEconomicFigures } from "./economy.ts";
import { seriesIdOf } from "./macro.ts";
import type { SampleMarket } from "./market.ts";
import { listReleases, type Release } from "./releases.ts";

const DAYS_BACK = 7;
const DAYS_AHEAD = 35;

/**
 * The announced publications from a week before the market's date to five weeks after it. Values
 * equal the figure's series. `actual` is null before the event, and `previous` is null before
 * the previous publication. `consensus` and `forecast` are computed from `previous` and null without it.
 *
 * Minor events have no consensus. Only policy rates and the quarterly figures of high importance have a
 * `forecast`, as with real calendars.
 */
export function calendarEvents({ now, today, prices }: SampleMarket): CalendarEvent[] {
  return listEconomicFigures().flatMap((figure) => {
    const { event, country, importance, every } = figure;
    if (event === "") return [];
    const isForecast = importance === "high" && every !== "month";
    const releases = listReleases(figure, addDays(today, -DAYS_BACK), addDays(today, DAYS_AHEAD));
    const valueOf = publishedValues(figure, releases.at(-1)?.number ?? 0, prices);
    return releases.map((release, i): CalendarEvent => {
      const { number, date, time, at } = release;
      const previous = (releases[i - 1]?.at ?? 0) <= now ? valueOf(number - 1) : null;
      const expected = previous === null ? null : expectedNext(figure, previous);
      const text = (value: number | null) => (value === null ? null : printed(figure, value));
      return {
        id: idOf(figure, release),
        country,
        event,
        date,
        time,
        importance,
        previous: text(previous),
        forecast:
          isForecast && expected !== null ? text(modelForecast(figure, expected, number)) : null,
        consensus: importance === "low" ? null : text(expected),
        actual: at <= now ? text(valueOf(number)) : null,
        ...(figure.unit !== "" && { unit: figure.unit }),
        series: seriesIdOf(figure),
      };
    });
  });
}

/** The number of the release and the figure's line: short, because answers to models contain it. */
function idOf({ line }: EconomicFigure, { number }: Release): string {
  return (number * listEconomicFigures().length + line).toString(36);
}

/** The value as its series prints it: `3.1%`, `213 thousand`, `-68.2 USD bn`, `27.0 TWh`. */
function printed({ unit, decimals }: EconomicFigure, value: number): string {
  return textWithUnit(fixedText(value, decimals), unit);
}
