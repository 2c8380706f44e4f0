import { Type } from "@sinclair/typebox";
import { COUNTRIES, CountryCode } from "./country.ts";
import { currencyNamedIn } from "./currency.ts";
import { MacroPeriod, type MacroSeries, SeriesId } from "./macro.ts";
import { DateText, Nullable, type Static, StringEnum } from "./schema.ts";

/** How much a publication moves markets, highest first. */
export const IMPORTANCES = ["high", "medium", "low"] as const;
/** One of `IMPORTANCES`. */
export type Importance = (typeof IMPORTANCES)[number];

/** A figure as published, with its unit (`3.1%`, `213K`); null if not available. */
const printed = Nullable(Type.String({ maxLength: 60 }));

/** A scheduled publication of an economic figure. */
export const CalendarEvent = Type.Object({
  /** Does not change when the calendar is fetched again. */
  id: Type.String({ minLength: 1, maxLength: 64 }),
  country: CountryCode,
  event: Type.String({ minLength: 1, maxLength: 160 }),
  /** UTC date. */
  date: DateText,
  /** UTC time, `HH:MM`. */
  time: Type.String({ pattern: "^([01]\\d|2[0-3]):[0-5]\\d$" }),
  importance: StringEnum(IMPORTANCES),
  previous: printed,
  forecast: printed,
  consensus: printed,
  actual: printed,
  /** What the figures count, where the source names it. A text may abbreviate its scale: `2.2B` of `USD bn`. */
  unit: Type.Optional(Type.String({ minLength: 1, maxLength: 60 })),
  /** The id of the macro series that the publication continues; left out without such a series. */
  series: Type.Optional(SeriesId),
  /** The period of that figure: `2026-10`. */
  period: Type.Optional(MacroPeriod),
});
export type CalendarEvent = Static<typeof CalendarEvent>;

/** The figures of an event, in the order of its fields. */
const FIGURES = ["previous", "forecast", "consensus", "actual"] as const;

/** The scales of figures: their letter after a number, and their words. */
const SCALES: readonly RegExp[] = [
  /\d ?K$|\bthousands?\b/i,
  /\d ?M$|\b(millions?|mln|mn|m)\b/i,
  /\d ?B$|\b(billions?|bln|bn)\b/i,
  /\d ?T$|\b(trillions?|trn|tn)\b/i,
  /%|\bpercent/i,
];

const scaleOf = (text: string) => SCALES.find((scale) => scale.test(text));

/** The printed figures of an event. */
function figuresOf(event: Readonly<Record<string, unknown>>): string[] {
  return FIGURES.map((name) => event[name]).filter((text) => typeof text === "string");
}

/**
 * The figure of an event that names another scale or currency than a unit: `213K` beside `million`, `3%` beside
 * `USD bn`, `$2B` beside `VND tn`. Undefined if there is none.
 */
export function figureInOtherUnit(
  event: Readonly<Record<string, unknown>>,
  unit: string,
): string | undefined {
  const [unitScale, unitCurrency] = [scaleOf(unit), currencyNamedIn(unit)];
  return figuresOf(event).find((text) => {
    const [scale, currency] = [scaleOf(text), currencyNamedIn(text)];
    // A unit without a scale, such as `USD`, leaves the scale to the figure; a percentage is no scale.
    const isScaled = unitScale === undefined && !text.endsWith("%");
    return (
      (scale !== undefined && scale !== unitScale && !isScaled) ||
      (currency !== null && currency !== unitCurrency)
    );
  });
}

/**
 * What the figures of an event count: the unit that its source names, else the unit of its series, unless a figure
 * names another one, else `%` if every figure is a percentage. Null if it is unknown.
 */
export function unitOfEvent(event: CalendarEvent, series: MacroSeries | null): string | null {
  const figures = figuresOf(event);
  if (event.unit !== undefined && (figures.length > 0 || series === null)) return event.unit;
  if (series && figureInOtherUnit(event, series.unit) === undefined) return series.unit;
  return figures.length > 0 && figures.every((text) => text.endsWith("%")) ? "%" : null;
}

/** The currency that an event's unit, figures or title (`Foreign reserves (USD)`) names, else the country's. */
export function currencyOfEvent(event: CalendarEvent, unit: string | null): string {
  const remarks = event.event.match(/\([^()]*\)/g) ?? [];
  const named = [unit ?? "", ...figuresOf(event), ...remarks].map(currencyNamedIn);
  return named.find((code) => code !== null) ?? COUNTRIES[event.country].currency;
}

/**
 * A decree that differs from the computed exchange holidays: an additional closed day (`closed: true`),
 * or a session on a computed holiday (`closed: false`).
 */
export const HolidayOverride = Type.Object({
  country: CountryCode,
  date: DateText,
  name: Type.String({ minLength: 1, maxLength: 120 }),
  closed: Type.Boolean(),
});
export type HolidayOverride = Static<typeof HolidayOverride>;

/** A weekday on which the exchange is closed. */
export interface Holiday {
  /** Local date, YYYY-MM-DD. */
  readonly date: string;
  readonly name: string;
}

/** A session that ends early. */
export interface HalfDay extends Holiday {
  /** Local time of the close: `13:00`. */
  readonly closesAt: string;
}
