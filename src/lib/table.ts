import { numberText } from "./number-text.ts";
import { toVisibleLine } from "./visible-line.ts";

/** One cell of a table; null if the value is missing. */
export type Cell = string | number | boolean | null;

/** Rows of cells under the names of their columns. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** A cell as text for files of other programs: numbers as `numberText` writes them; empty for null. */
export function cellText(cell: Cell): string {
  return typeof cell === "number" ? numberText(cell) : String(cell ?? "");
}

/** The table of objects that have these properties. A property that is left out is null. */
export function tableOf(
  columns: readonly string[],
  objects: readonly Readonly<Record<string, Cell | undefined>>[],
): { columns: string[]; rows: Cell[][] } {
  return {
    columns: [...columns],
    rows: objects.map((object) => columns.map((name) => object[name] ?? null)),
  };
}

/** Formats rows as a text table with aligned columns, numbers to the right; null is `—`. Controls in cells become `�`. */
export function formatTable(
  headings: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): string {
  const cells = rows.map((row) =>
    row.map((cell) => (cell === null ? "—" : toVisibleLine(cellText(cell)))),
  );
  const widths = headings.map((heading, i) =>
    Math.max(heading.length, ...cells.map((row) => row[i]?.length ?? 0)),
  );
  const isNumber = headings.map(
    (_, i) =>
      rows.some((row) => typeof row[i] === "number") &&
      rows.every((row) => row[i] === null || typeof row[i] === "number"),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) => (isNumber[i] ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
      .join("  ")
      .trimEnd();
  return [line(headings), ...cells.map(line)].map((text) => `${text}\n`).join("");
}

/** Formats an instant (UTC milliseconds) to the minute, `2026-11-20T05:30Z`; null for null. */
export function formatMoment(utcMs: number | null): string | null {
  return utcMs === null ? null : `${new Date(utcMs).toISOString().slice(0, 16)}Z`;
}

/** Formats a count with its noun, in the plural unless it is one: `1 token`, `1,200 tokens`. */
export function formatCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? noun : plural}`;
}

/** Formats a time in seconds in its largest whole unit: `3 d`. */
export function formatAge(seconds: number): string {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}
