import { lastCompletedSession } from "#analytics/sessions.ts";
import { COUNTRY_CODES } from "#domain/country.ts";
import { dateOf } from "#lib/date.ts";
import { newestRelease } from "./releases.ts";

/** The name of the sample market as a source, and of the setting that holds its stamp. */
export const SAMPLE = "sample";

/**
 * The version of the generator. Raise it with every change of a figure: stored records of another
 * version are generated again.
 */
export const SAMPLE_VERSION = "12";

/** The beginning of the stamps of a UTC date, with a space at the end. */
export const sampleDay = (now: number): string => `${SAMPLE_VERSION} ${dateOf(now)} `;

/**
 * Identifies the sample market at `now`, beginning with the version. All records are the same while the
 * stamp is the same.
 */
export function sampleStamp(now: number): string {
  const sessions = COUNTRY_CODES.map((country) => lastCompletedSession(country, now));
  return sampleDay(now) + [newestRelease(now) ?? "", ...sessions].join(" ");
}
