import type { Cell } from "#lib/table.ts";

/** The kinds of change, the most important first. */
export const CHANGES = [
  "statement",
  "forecast",
  "move",
  "high_52w",
  "low_52w",
  "release",
  "report",
  "ex_date",
] as const;

/** One row of a brief. */
export interface Change {
  /** Day of filing or announcement, session, UTC date of a release, report date or ex-date. */
  readonly date: string;
  /** `US:AAPL`, or the country of a release. */
  readonly symbol: string;
  readonly what: (typeof CHANGES)[number];
  /** The figure and the period of a statement or a forecast, the title of a release; else null. */
  readonly detail: string | null;
  readonly before: Cell;
  /** The consensus or the forecast, where there is one. */
  readonly expected: Cell;
  readonly after: Cell;
  /** The change from `before` to `after` in percent. */
  readonly percent: number | null;
  /** The currency or the unit of the figures. */
  readonly unit: string | null;
}

/** The names of the columns of a brief. */
export const COLUMNS = [
  "date",
  "symbol",
  "what",
  "detail",
  "before",
  "expected",
  "after",
  "percent",
  "unit",
] as const satisfies readonly (keyof Change)[];

/** What differs between the rows of a kind. The other fields are null. */
export const changeOf = (
  known: Pick<Change, "date" | "symbol" | "what"> & Partial<Change>,
): Change => ({
  detail: null,
  before: null,
  expected: null,
  after: null,
  percent: null,
  unit: null,
  ...known,
});

/** A text that identifies a row in its brief. */
export const keyOfChange = ({ what, symbol, date, detail }: Change): string =>
  [what, symbol, date, detail].join(" ");

/** Events that come are listed soonest first, moves by size, all others newest first. */
const IS_SOONEST_FIRST = new Set<Change["what"]>(["report", "ex_date"]);

/** The rows in the order of a brief: the most important kind first. */
export function sortChanges(changes: readonly Change[]): Change[] {
  return changes.toSorted(
    (a, b) =>
      CHANGES.indexOf(a.what) - CHANGES.indexOf(b.what) ||
      (a.what === "move" ? Math.abs(b.percent ?? 0) - Math.abs(a.percent ?? 0) : 0) ||
      (IS_SOONEST_FIRST.has(a.what) ? 1 : -1) * a.date.localeCompare(b.date),
  );
}
