/** A session, week or month. `date` is `YYYY-MM-DD`; volume is null if it is unknown. */
export interface Bar {
  readonly date: string;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number | null;
}

/** A value of a line; without a value the line has a gap. */
export interface Point {
  readonly date: string;
  readonly value?: number;
}
