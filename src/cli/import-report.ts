import type { ImportOptions } from "./import-flags.ts";

/** A row that was left out or changed, with its place as text. */
export interface ReportedRow {
  readonly place: string;
  readonly reason: string;
}

const MOST_LISTED = 20;

/** A number and its noun: `1 row`, `2,000 rows`. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? singular : plural}`;
}

/** The verb of a report, which shows if anything was stored. */
export function importedWord({ isDryRun }: ImportOptions): string {
  return isDryRun ? "Dry run, nothing is stored: would import" : "Imported";
}

/** The skipped and widened rows, a line each, up to 20 of both; empty if there are none. */
export function listRows(skipped: readonly ReportedRow[], widened: readonly ReportedRow[]): string {
  return [
    listOf(skipped, (count) => `${counted(count, "row")} ${count === 1 ? "was" : "were"} skipped`),
    listOf(
      widened,
      (count) =>
        `${counted(count, "row")} had a range that misses open or close and ${count === 1 ? "was" : "were"} widened`,
    ),
  ].join("");
}

function listOf(rows: readonly ReportedRow[], headline: (count: number) => string): string {
  if (rows.length === 0) return "";
  const shown = rows.slice(0, MOST_LISTED).map(({ place, reason }) => `  ${place}: ${reason}\n`);
  const more = rows.length - shown.length;
  return `${headline(rows.length)}:\n${shown.join("")}${more > 0 ? `  and ${more} more; --json lists all\n` : ""}`;
}
