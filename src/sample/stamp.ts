import { dateOf } from "#lib/date.ts";

/** The name of the sample market as a source, and of the setting that holds its stamp. */
export const SAMPLE = "sample";

/**
 * The version of the generator. Raise it with every change of a figure: stored records of another
 * version are generated again.
 */
export const SAMPLE_VERSION = "12";

/** The beginning of the stamps of a UTC date, with a space at the end. */
export const sampleDay = (now: number): string => `${SAMPLE_VERSION} ${dateOf(now)} `;
