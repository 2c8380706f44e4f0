import { Type } from "@sinclair/typebox";
import { CountryCode } from "./country.ts";
import { MacroPeriod, SeriesId } from "./macro.ts";
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
  /** The id of the macro series that the publication continues; left out without such a series. */
  series: Type.Optional(SeriesId),
  /** The period of that figure: `2026-10`. */
  period: Type.Optional(MacroPeriod),
});
export type CalendarEvent = Static<typeof CalendarEvent>;

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
