import { Type } from "@sinclair/typebox";
import { CountryCode } from "./country.ts";
import { MacroPeriod, SeriesId } from "./macro.ts";
import { DateText, Nullable, type Static, StringEnum } from "./schema.ts";

/** How much a publication moves markets, most first. */
export const IMPORTANCES = ["high", "medium", "low"] as const;
/** One of `IMPORTANCES`. */
export type Importance = (typeof IMPORTANCES)[number];

/** As the publisher prints it, unit and all (`3.1%`, `213K`); null where not available. */
const printed = Nullable(Type.String({ maxLength: 60 }));

/** A scheduled publication of an economic figure. */
export const CalendarEvent = Type.Object({
  /** Stable over refreshes. */
  id: Type.String({ minLength: 1, maxLength: 64 }),
  country: CountryCode,
  event: Type.String({ minLength: 1, maxLength: 160 }),
  /** UTC date and minute. */
  date: DateText,
  time: Type.String({ pattern: "^([01]\\d|2[0-3]):[0-5]\\d$" }),
  importance: StringEnum(IMPORTANCES),
  previous: printed,
  forecast: printed,
  consensus: printed,
  actual: printed,
  /** The country's macro series that it adds a figure to; left out where it is none of ours. */
  series: Type.Optional(SeriesId),
  /** The period of that figure. */
  period: Type.Optional(MacroPeriod),
});
export type CalendarEvent = Static<typeof CalendarEvent>;

/**
 * What a year's decree changes in the computed exchange holidays: a day closed that no rule gives
 * (`closed: true`), or a day open that a rule would close.
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
  readonly date: string;
  readonly name: string;
}

/** A session that ends early. */
export interface HalfDay extends Holiday {
  /** Local time of the close: `13:00`. */
  readonly closesAt: string;
}
