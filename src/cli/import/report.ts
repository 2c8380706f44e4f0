import type { InstrumentKey } from "#domain/instrument.ts";
import { formatPlace } from "#domain/records.ts";
import { IMPORT_KINDS, type ImportName } from "#imports/import-kinds.ts";
import type { LeftOut, ReadSoFar } from "#imports/reading.ts";
import { formatCount } from "#lib/table.ts";
import type { ImportOptions } from "./flags.ts";

/** The result of an import. */
export interface ImportReport {
  readonly kind: ImportName;
  readonly options: ImportOptions;
  readonly read: ReadSoFar;
  /** The number of records that were stored, or would be. */
  readonly records: number;
  /** The number of dividends, or of bar histories, that were divided by a split. */
  readonly divided: number;
  /** The bars of the one instrument that the flags named; null if rows named their instruments. */
  readonly history: HistoryReport | null;
}

/** The bars of one instrument that were imported. */
export interface HistoryReport extends InstrumentKey {
  readonly bars: number;
  readonly first: string | undefined;
  readonly last: string | undefined;
  /** The number of bars that the instrument had before. */
  readonly replaced: number;
  /** The number of bars that it has now. */
  readonly total: number;
}

const MOST_LISTED = 20;

/** A report as one object; `paths` has a path for each of its files. */
export function reportAsJson(
  { kind, options, read, records, divided, history }: ImportReport,
  paths: readonly string[],
) {
  const placed = (rows: readonly LeftOut[]) =>
    rows.map(({ place, reason }) => ({ place: formatPlace(place), reason }));
  return {
    kind,
    records,
    rows: countRows(read),
    isDryRun: options.isDryRun,
    append: options.append,
    divided,
    ...(history && {
      ...history,
      leftOut: read.filledForward,
      otherSymbols: read.otherSymbols,
      isDivided: divided > 0,
    }),
    unread: [...read.unread],
    skipped: placed(read.skipped),
    widened: placed(read.widened),
    files: read.files.map(({ shape, rows }, i) => ({
      path: paths[i],
      shape,
      rows,
      ...(history && { bars: rows }),
    })),
  };
}

/** A report as sentences. */
export function reportAsText(report: ImportReport): string {
  const { kind, read, divided } = report;
  const dividedDividends = `${formatCount(divided, "dividend")} in the shares before a split ${divided === 1 ? "was" : "were"} divided.\n`;
  return [
    `${report.options.isDryRun ? "Dry run, nothing is stored: would import" : "Imported"} `,
    report.history ? headlineOfHistory(report, report.history) : headlineOfRecords(report),
    leftOut(read.filledForward, "of days without trades, filled forward,"),
    leftOut(read.otherSymbols, "of other symbols"),
    divided === 0
      ? ""
      : kind === "bars"
        ? "Bars before a split were divided by it.\n"
        : dividedDividends,
    read.unread.size > 0 ? `Columns that were not read: ${[...read.unread].join(", ")}.\n` : "",
    listOf(read.skipped, "skipped"),
    listOf(read.widened, "widened", " had a range that misses open or close and"),
  ].join("");
}

function headlineOfRecords({ kind, options, read, records }: ImportReport): string {
  const { noun, plural } = IMPORT_KINDS[kind];
  const from = read.files.map((file) => file.name).join(", ");
  const remark = options.isDryRun ? "" : " Sources do not replace them.";
  return `${formatCount(records, noun, plural)} (${formatCount(countRows(read), "row")} of ${from}).${remark}\n`;
}

function headlineOfHistory(
  { options, read }: ImportReport,
  { country, symbol, bars, first, last, replaced, total }: HistoryReport,
): string {
  const effect = options.append
    ? `, ${(total - replaced).toLocaleString("en-US")} of them new; it has ${formatCount(total, "bar")}`
    : replaced > 0
      ? `, in place of ${replaced.toLocaleString("en-US")}`
      : "";
  const shapes = [...new Set(read.files.map(({ shape }) => shape))].join(", ");
  return `${formatCount(bars, "bar")} of ${symbol} (${country}), ${first} to ${last}, as ${shapes}${effect}.\n`;
}

const countRows = ({ files }: ReadSoFar): number => files.reduce((sum, { rows }) => sum + rows, 0);

function leftOut(count: number, what: string): string {
  if (count === 0) return "";
  return `${formatCount(count, "row")} ${what} ${count === 1 ? "was" : "were"} left out.\n`;
}

/** The rows, a line each, up to 20; empty if there are none. */
function listOf(rows: readonly LeftOut[], effect: string, why = ""): string {
  if (rows.length === 0) return "";
  const shown = rows
    .slice(0, MOST_LISTED)
    .map(({ place, reason }) => `  ${formatPlace(place)}: ${reason}\n`);
  const more = rows.length - shown.length;
  const headline = `${formatCount(rows.length, "row")}${why} ${rows.length === 1 ? "was" : "were"} ${effect}:\n`;
  return `${headline}${shown.join("")}${more > 0 ? `  and ${more} more; --json lists all\n` : ""}`;
}
