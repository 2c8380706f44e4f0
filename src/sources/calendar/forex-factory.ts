import { Type } from "@sinclair/typebox";
import type { Importance } from "#domain/calendar-event.ts";
import type { Country } from "#domain/country.ts";
import { lookup } from "#lib/lookup.ts";
import { plainText } from "#lib/plain-text.ts";
import { answerReader } from "#sources/check-answer.ts";
import { CALENDAR } from "./source.ts";
import { minuteOf, printedFigure, type Release } from "./release.ts";

/** The address of this week's calendar. */
export const FOREX_FACTORY_ADDRESS = "https://nfs.faireconomy.media/ff_calendar_thisweek.json";

const readEvents = answerReader(
  CALENDAR,
  Type.Array(
    Type.Object({
      title: Type.String(),
      /** The code of a currency, or `All`. */
      country: Type.String(),
      date: Type.String(),
      impact: Type.String(),
      forecast: Type.Optional(Type.String()),
      previous: Type.Optional(Type.String()),
    }),
  ),
);

const COUNTRIES: Readonly<Record<string, Country>> = { USD: "US", JPY: "JP" };
/** Holidays have no importance and are left out. */
const IMPORTANCES: Readonly<Record<string, Importance>> = {
  High: "high",
  Medium: "medium",
  Low: "low",
};
const WITH_OFFSET = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?([+-]\d{2}:\d{2}|Z)$/;

/** A publication of this week with its importance. */
export interface WeighedRelease extends Release {
  readonly importance: Importance;
}

/** This week's publications of the United States and Japan. @throws SourceError `invalid_answer` */
export function forexFactoryReleases(answer: unknown): WeighedRelease[] {
  return readEvents(answer).flatMap((event) => {
    const country = lookup(COUNTRIES, event.country);
    const importance = lookup(IMPORTANCES, event.impact);
    const title = plainText(event.title, 160);
    const utcMs = WITH_OFFSET.test(event.date) ? Date.parse(event.date) : Number.NaN;
    if (!country || !importance || title === "" || Number.isNaN(utcMs)) return [];
    return {
      country,
      title,
      minute: minuteOf(utcMs),
      importance,
      previous: printedFigure(event.previous),
      // Its `forecast` is the consensus of the market.
      consensus: printedFigure(event.forecast),
      actual: null,
    };
  });
}
