/** A text that is held whole may have so many characters: a history of one instrument, a JSON array. */
export const LONGEST_TEXT = 268_435_456;

/** A line of JSON may have so many characters; a record with a history of 40 years has 1 million. */
export const LONGEST_JSON_LINE = 16_777_216;

/** JSON may be nested so many levels deep; records have three. */
export const DEEPEST_JSON = 32;

/** So many rows are taken at once of records that are held in memory, and of bars, which are not. */
export const MOST_ROWS = { held: 5_000_000, bars: 100_000_000 } as const;
