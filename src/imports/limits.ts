import type { JsonLimits } from "#lib/bounded-json.ts";

/** The maximum number of characters of a text that is read whole: a history of one instrument, a JSON array. */
export const LONGEST_TEXT = 268_435_456;

/** The maximum number of characters of a line of JSON; a record with a history of 40 years has 1 million. */
export const LONGEST_JSON_LINE = 16_777_216;

/** Records have three levels. `LONGEST_TEXT` and `LONGEST_JSON_LINE` limit the size. */
export const JSON_LIMITS: JsonLimits = { maxDepth: 32, maxContainers: Infinity };

/** The number of rows in one step: of records, which are held in memory, and of bars, which are not. */
export const MOST_ROWS = { held: 5_000_000, bars: 100_000_000 } as const;
