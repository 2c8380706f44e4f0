/** A part of an instrument's page, and the query that finds the instrument. */
export interface Part {
  readonly key: string;
  /** In the reader's language. */
  readonly name: string;
  readonly query: string;
  /** True if the pages of instruments of this type have it. */
  readonly hasPart: (type: string) => boolean;
}
