import { sum } from "#analytics/ratios.ts";
import type { Fact } from "./facts.ts";
import type { FindSpan, FiscalYear, QuarterSpan } from "./fiscal-calendar.ts";

/** The figures of an item in one fiscal year. */
export interface ReportedYear {
  /** Each of the four quarters alone. */
  readonly quarters: readonly (number | null)[];
  /** From the year's start to the end of each of the first three quarters. */
  readonly toDate: readonly (number | null)[];
  readonly whole: number | null;
}

/** No figure of a year is known. */
export const NO_FIGURES: ReportedYear = {
  quarters: [null, null, null, null],
  toDate: [null, null, null],
  whole: null,
};

/** The number of known values among the quarters and the whole year. */
export function knownOf({ quarters, whole }: ReportedYear): number {
  let known = whole === null ? 0 : 1;
  for (const value of quarters) if (value !== null) known++;
  return known;
}

/** The figures of an item by fiscal year. */
export type Series = ReadonlyMap<FiscalYear, ReportedYear>;

/**
 * The figures of an item by fiscal year, each year's from the tag with the most periods in it.
 *
 * If all tags together have more, because the company changed its tag within the year, they are used
 * together. They must agree where two of them state the same period.
 */
export function series(
  candidates: readonly (readonly Fact[])[],
  findSpan: FindSpan,
  isAdditive: boolean,
): Series {
  const best = new Map<FiscalYear, ReportedYear>();
  const offer = (year: FiscalYear, cells: Cells) => {
    const figures = yearFigures(cells, isAdditive);
    const known = best.get(year);
    if (!known || knownOf(figures) > knownOf(known)) best.set(year, figures);
  };
  const stated = candidates.filter((facts) => facts.length > 0);
  const byTag = stated.map((facts) => cellsByYear(facts, findSpan));
  for (const years of byTag) for (const [year, cells] of years) offer(year, cells);
  if (byTag.length < 2) return best;
  for (const [year, figures] of best) {
    if (knownOf(figures) === PERIODS_OF_YEAR) continue;
    const tags = byTag.flatMap((years) => years.get(year) ?? []);
    if (tags.length > 1 && agree(tags)) offer(year, union(tags));
  }
  return best;
}

/** Four quarters and the whole. */
const PERIODS_OF_YEAR = 5;

function union(tags: readonly Cells[]): Cells {
  const all = new Map<number, Fact[]>();
  for (const cells of tags)
    for (const [span, cell] of cells) all.set(span, [...(all.get(span) ?? []), ...cell]);
  for (const cell of all.values()) cell.sort(byFiling);
  return all;
}

const byFiling = (a: Fact, b: Fact) => (a.filed < b.filed ? -1 : a.filed > b.filed ? 1 : 0);

/** True if tags have the same latest figure for each span that two of them state, within 0.5 %. */
function agree(tags: readonly Cells[]): boolean {
  const latest = new Map<number, number>();
  for (const cells of tags)
    for (const [span, cell] of cells) {
      const value = cell.at(-1)?.value ?? 0;
      const other = latest.get(span) ?? value;
      if (Math.abs(value - other) > 0.005 * Math.abs(other)) return false;
      latest.set(span, value);
    }
  return true;
}

/** The values that filings stated for one span of quarters, the first filing first. */
type Cell = readonly Fact[];
/** By the quarters that they cover: see `spanNumber`. */
type Cells = ReadonlyMap<number, Cell>;

/** A number for a span of quarters. A text would be made for each of a company's facts. */
function spanNumber(from: number, to: number): number {
  return from * 5 + to;
}

function cellsByYear(facts: readonly Fact[], findSpan: FindSpan): Map<FiscalYear, Cells> {
  const byYear = new Map<FiscalYear, Map<number, Fact[]>>();
  const inOrder = facts.toSorted(byFiling);
  for (const fact of inOrder) {
    const span = spanOf(fact, findSpan);
    if (span === null) continue;
    const cells = byYear.get(span.year) ?? new Map<number, Fact[]>();
    byYear.set(span.year, cells);
    const number = spanNumber(span.from, span.to);
    const cell = cells.get(number);
    if (cell) cell.push(fact);
    else cells.set(number, [fact]);
  }
  return byYear;
}

/** The fiscal quarters that a flow covers; null for a balance, and if it does not cover whole ones. */
export function spanOf(fact: Fact, findSpan: FindSpan): QuarterSpan | null {
  return fact.start === null ? null : findSpan(fact.start, fact.end);
}

function yearFigures(cells: Cells, isAdditive: boolean): ReportedYear {
  const cell = (from: number, to: number) => cells.get(spanNumber(from, to)) ?? [];
  const alone = [0, 1, 2, 3].map((from) => cell(from, from + 1));
  const quarters = alone.map((stated, from) => {
    const value = stated.at(-1)?.value;
    if (value !== undefined) return value;
    if (!isAdditive) return null;
    const toDate = cell(0, from);
    const before = toDate.length > 0 ? [toDate] : alone.slice(0, from);
    return before.some((part) => part.length === 0) ? null : difference(cell(0, from + 1), before);
  });
  const statedTo = (to: number) => cell(0, to).at(-1)?.value ?? null;
  return { quarters, toDate: [1, 2, 3].map(statedTo), whole: statedTo(4) };
}

/**
 * `longer` less its `parts`, all of one generation: the newest value of `longer` for which all parts are known as
 * restated, or else the one before it, back to the first with the parts as they were known then.
 */
function difference(longer: Cell, parts: readonly Cell[]): number | null {
  const values = valuesOf(longer);
  for (const [i, value] of [...values.entries()].toReversed()) {
    const known = partsOf(value, values[i - 1], parts);
    if (!known) continue;
    const rest = known.reduce((left, part) => left - part, value.value);
    return Number.isInteger(rest) ? rest : roundShareFigure(rest);
  }
  return null;
}

/** A value, and the days of the first and the last filing in a row that stated it. */
interface StatedValue {
  readonly value: number;
  readonly first: string;
  readonly last: string;
}

/** The values of a cell, each with its filings, the first one first. */
function valuesOf(cell: Cell): StatedValue[] {
  const values: StatedValue[] = [];
  for (const { value, filed } of cell) {
    const before = values.at(-1);
    if (before?.value === value) values[values.length - 1] = { ...before, last: filed };
    else values.push({ value, first: filed, last: filed });
  }
  return values;
}

/**
 * The parts of the same generation as a value; null if they are unknown. A restated value has them only if every part
 * was stated since the value before, one of them changed or together with the restated value: a year can be restated
 * months before its quarters, or without them.
 */
function partsOf(
  { first, last }: StatedValue,
  before: StatedValue | undefined,
  parts: readonly Cell[],
): number[] | null {
  const since = before?.last ?? "";
  const known = parts.map((part) => {
    const stated = knownOn(part, last);
    if (!before || (stated && stated.filed > since)) return stated;
    return part.find(({ filed }) => filed > since);
  });
  const isRestated =
    !before ||
    known.some((fact, i) => {
      const old = knownOn(parts[i] ?? [], since);
      return fact && (fact.filed >= first || fact.value !== old?.value);
    });
  return isRestated && known.every((fact) => fact !== undefined)
    ? known.map(({ value }) => value)
    : null;
}

/** The fact that was stated last by the filings up to a day. */
function knownOn(cell: Cell, day: string): Fact | undefined {
  return cell.findLast(({ filed }) => filed <= day);
}

/** Cents are not binary fractions, and after a division by a split they are not cents. */
export function roundShareFigure(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}

/**
 * The sum of two items. A year of whose whole the second item is not stated has the first item alone:
 * the annual report has no such line. A span is null if one of the two is unknown there.
 *
 * @param needsBoth leave out years in which one of them is not stated
 */
export function sumSeries(first: Series, second: Series, needsBoth = false): Series {
  const sums = new Map<FiscalYear, ReportedYear>();
  for (const [year, a] of first) {
    const b = second.get(year);
    const isAlone = b === undefined || knownOf(b) === 0 || (a.whole !== null && b.whole === null);
    if (!isAlone) sums.set(year, addYears(a, b));
    else if (!needsBoth) sums.set(year, a);
  }
  return sums;
}

function addYears(a: ReportedYear, b: ReportedYear): ReportedYear {
  const add = (first: readonly (number | null)[], second: readonly (number | null)[]) =>
    first.map((value, i) => sum(value, second[i] ?? null));
  return {
    quarters: add(a.quarters, b.quarters),
    toDate: add(a.toDate, b.toDate),
    whole: sum(a.whole, b.whole),
  };
}

/**
 * The largest of several readings of an item in each year: the smaller ones are parts. Equal ones differ
 * in the periods that they have; the one with the most is used. In a year without its whole, a reading
 * that was only a part in the year before is left out.
 */
export function largestSeries(readings: readonly Series[]): Series {
  const years = [...new Set(readings.flatMap((reading) => [...reading.keys()]))].sort(
    (a, b) => a.year - b.year,
  );
  const best = new Map<FiscalYear, ReportedYear>();
  let complete: readonly Series[] = readings;
  for (const year of years) {
    const sizes = readings.map((reading) => reading.get(year)?.whole ?? null);
    const largest = Math.max(...sizes.map((whole) => whole ?? Number.NEGATIVE_INFINITY));
    if (largest > Number.NEGATIVE_INFINITY)
      complete = readings.filter(
        (_, i) => (sizes[i] ?? -Infinity) >= largest - 0.02 * Math.abs(largest),
      );
    const [chosen] = complete
      .map((reading) => reading.get(year))
      .filter((figures) => figures !== undefined)
      .sort((a, b) => knownOf(b) - knownOf(a) || (b.whole ?? 0) - (a.whole ?? 0));
    if (chosen) best.set(year, chosen);
  }
  return best;
}
