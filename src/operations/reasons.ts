import { Type } from "@sinclair/typebox";
import type { FetchKey } from "#domain/fetch.ts";
import { type Reason, REASONS } from "#domain/reasons.ts";
import { Named } from "#domain/schema.ts";
import { lazy } from "#lib/lazy.ts";
import { MISSING } from "#panels/format.ts";

// Says why figures of an answer are null and its lists are empty. The pipeline looks for them in the payload, the
// operation knows the evidence, and the pipeline adds `reasons`. An answer without them stays as it is.

/** A figure that is null or missing, or a list that is empty. */
export interface Gap {
  /** The column, field or label of the figure, or the field of the list: `pe`, `Chg %`, `events`. */
  readonly figure: string;
  /** The fields and indices that lead to the object, row or table which has it: `rows`, 3. */
  readonly path: readonly (string | number)[];
  /** The index of its row or entry in the last list of the path; −1 without one. */
  readonly row: number;
  /** The row by column, or the object that has it. */
  readonly of: Readonly<Record<string, unknown>>;
  readonly isList: boolean;
  /** Names its row among the others. */
  readonly place: () => string;
}

/** Why a figure is missing: a reason, or the key of the records that are not stored. */
export type Why = Reason | FetchKey;

/** Finds why a figure is missing: undefined if the operation has no evidence, null if the figure is not expected. */
export type WhyMissing = (gap: Gap) => Why | null | undefined;

const SENTENCES = Object.entries(REASONS).map(([reason, sentence]) => `${reason}: ${sentence}`);

/** The figures that are missing, by reason: see `reasonsOf`. */
export type Reasons = Readonly<Partial<Record<Reason, string[]>>>;

/** The schema of `reasons`. */
export const ReasonsOutput = Named(
  "Reasons",
  Type.Record(Type.String(), Type.Array(Type.String()), {
    description: `Only if figures are null or lists are empty: which, by reason. \`pe\` is each null P/E, \`pe of US:AAPL\` that one alone, \`all of US:AAPL\` each other null of that row. ${SENTENCES.join(" ")}`,
  }),
);

/** Fields that are no figures: null or empty says all of them. */
const NO_FIGURES = new Set([
  "next_cursor",
  "next_before",
  "emptied_by",
  "closest",
  "suggestions",
  "unknown",
  "without_date",
  "without_cost",
  "not_covered",
  "rates",
  "notes",
  "upcoming_holidays",
  "upcoming_half_days",
  "removed",
  "sessions",
]);

interface Explained {
  readonly gap: Gap;
  readonly reason: Reason;
}

/**
 * The gaps of a payload, by reason: `pe` for each gap of a figure, `pe of US:AAPL` for one with another reason than
 * most, `all of US:AAPL` for all other gaps of a row. Null without gaps.
 *
 * @param reasonOf null for a gap that is left out
 */
export function reasonsOf(payload: object, reasonOf: (gap: Gap) => Reason | null): Reasons | null {
  const all = [...findGaps(payload as Row, [], -1)].flatMap((gap): Explained[] => {
    const reason = reasonOf(gap);
    return reason === null ? [] : [{ gap, reason }];
  });
  if (all.length === 0) return null;
  const [byFigure, byRow] = [namesByFigure(all), namesByRow(all)];
  const reasons: Partial<Record<Reason, string[]>> = {};
  for (const [name, reason] of byRow.length < byFigure.length ? byRow : byFigure)
    (reasons[reason] ??= []).push(name);
  return reasons;
}

type NamedReason = readonly [name: string, reason: Reason];

function namesByFigure(all: readonly Explained[]): NamedReason[] {
  return [...Map.groupBy(all, ({ gap }) => gap.figure)].flatMap(([figure, gaps]): NamedReason[] => {
    const counts = [...Map.groupBy(gaps, ({ reason }) => reason)];
    const [most] = counts.sort(([, a], [, b]) => b.length - a.length);
    const usual = most?.[0];
    if (usual === undefined) return [];
    const others = gaps.filter(({ reason }) => reason !== usual);
    return [
      [figure, usual],
      ...others.map(({ gap, reason }): NamedReason => [`${figure} of ${gap.place()}`, reason]),
    ];
  });
}

/** With fewer gaps, a row is named by its figures. */
const LEAST_ALIKE = 3;

/** Rows whose gaps have one reason have one name; the gaps of other rows are named by figure. */
function namesByRow(all: readonly Explained[]): NamedReason[] {
  const rows = Map.groupBy(all, ({ gap }) => gap.of).values();
  const [alike, others] = [[] as NamedReason[], [] as Explained[]];
  for (const gaps of rows) {
    const [first] = gaps;
    const isAlike = gaps.length >= LEAST_ALIKE && gaps.every((one) => one.reason === first?.reason);
    if (first && isAlike) alike.push([`all of ${first.gap.place()}`, first.reason]);
    else others.push(...gaps);
  }
  // A figure alone would name the gaps of the other rows too.
  const single = others.map(({ gap: { figure, path, place }, reason }): NamedReason => {
    const name = path.length === 0 ? figure : `${figure} of ${place()}`;
    return [name, reason];
  });
  return [...alike, ...single];
}

/** The reasons as the text of a panel, whose values are texts. */
export const reasonsText = (reasons: Reasons): string =>
  Object.entries(reasons)
    .map(([reason, names]) => `${reason}: ${names.join(", ")}`)
    .join("; ");

/** Columns and fields that name a row, in this order. Those that are needed to tell the rows apart are used. */
const NAMES = [
  "symbol",
  "id",
  "slug",
  "section",
  "fiscal_period",
  "Fiscal period",
  "period",
  "period_end",
  "date",
  "year",
  "month",
  "quarter_end",
  "item",
  "name",
  "firm",
];

type Row = Readonly<Record<string, unknown>>;

/** What names a row: `US:AAPL`, `US:AAPL FY 2024`, `2026-11-20`; its place in the answer without a name. */
function placeOf(row: Row, others: () => readonly Row[], path: Gap["path"]): string {
  if (path.length === 0) return "the answer";
  const { country, symbol } = row;
  const isWhole =
    typeof country === "string" && typeof symbol === "string" && !symbol.includes(":");
  let names: string[] = [];
  let same = others();
  for (const name of NAMES) {
    const value = row[name];
    if (typeof value !== "string" && typeof value !== "number") continue;
    const before = same.length;
    same = same.filter((one) => one[name] === value && (!isWhole || one["country"] === country));
    if (same.length === before && names.length > 0) continue;
    names = [...names, name === "symbol" && isWhole ? `${country}:${symbol}` : String(value)];
    if (same.length <= 1) break;
  }
  return names.join(" ") || path.join(".");
}

/** Finds the gaps of an object; `rows` are the entries of the list that it is in. */
function* findGaps(
  of: Row,
  path: Gap["path"],
  row: number,
  rows: readonly Row[] = [of],
): Generator<Gap, void, undefined> {
  const { columns, rows: cells } = of;
  const isTable = Array.isArray(columns) && Array.isArray(cells);
  if (isTable) yield* gapsOfTable(columns as string[], cells as unknown[][], path);
  const place = lazy(() => placeOf(of, () => rows, path));
  for (const [figure, inner] of Object.entries(of)) {
    if (NO_FIGURES.has(figure) || (isTable && (figure === "rows" || figure === "columns")))
      continue;
    const gap = { figure, path, row, of, place };
    if (inner === null || inner === MISSING) yield { ...gap, isList: false };
    else if (Array.isArray(inner)) yield* gapsOfList(inner, gap);
    else if (typeof inner === "object") {
      if (Object.keys(inner).length === 0) yield { ...gap, isList: true };
      else yield* findGaps(inner as Row, [...path, figure], row, row < 0 ? undefined : rows);
    }
  }
}

function* gapsOfTable(
  columns: readonly string[],
  rows: readonly (readonly unknown[])[],
  path: Gap["path"],
): Generator<Gap, void, undefined> {
  const place = () => path.join(".") || "the answer";
  const name = String(path.at(-1) ?? "rows");
  if (rows.length === 0) yield { figure: name, path, row: -1, of: {}, place, isList: true };
  const rowOf = (cells: readonly unknown[]): Row =>
    Object.fromEntries(columns.map((column, i) => [column, cells[i]]));
  const all = lazy(() => rows.map(rowOf));
  for (const [row, cells] of rows.entries()) {
    if (!cells.includes(null)) continue;
    const of = rowOf(cells);
    const at = [...path, "rows", row];
    const gap = { path: at, row, of, place: lazy(() => placeOf(of, all, at)) };
    for (const [i, cell] of cells.entries())
      if (cell === null) yield { ...gap, figure: columns[i] ?? "", isList: false };
  }
}

function* gapsOfList(
  list: readonly unknown[],
  gap: Omit<Gap, "isList">,
): Generator<Gap, void, undefined> {
  const { figure, path } = gap;
  if (list.length === 0) yield { ...gap, isList: true };
  // Thousands of closes or dates.
  if (typeof list[0] !== "object" && !list.includes(null)) return;
  for (const [i, one] of list.entries()) {
    const at = [...path, figure, i];
    // A number in a list of figures: closes, a row of a matrix.
    if (one === null) yield { ...gap, path: at, row: i, place: () => at.join("."), isList: false };
    else if (Array.isArray(one))
      yield* gapsOfList(one, { ...gap, path: [...path, figure], row: i });
    else if (typeof one === "object") yield* findGaps(one as Row, at, i, list as Row[]);
  }
}
