import { CsvError, csvRows } from "#lib/csv.ts";
import { checkLastLine } from "#sources/check-answer.ts";
import { type Source, SourceError } from "#sources/source.ts";

/** A row of SDMX-CSV: the text of a column by its code; empty if the column is missing. */
export type SdmxRow = (column: string) => string;

const DIMENSIONS = ["REF_AREA", "FREQ"];
const OBSERVATION = ["TIME_PERIOD", "OBS_VALUE"];

/**
 * The rows of an SDMX-CSV answer in its order; periods are unsorted. `dimensions` are the columns that it
 * must have beside the observation's.
 *
 * @throws SourceError `nothing` if it has no row, `invalid_answer` if it is not SDMX-CSV or is
 * cut off.
 */
export function parseSdmxCsv(
  source: Source,
  text: string,
  dimensions: readonly string[] = DIMENSIONS,
): SdmxRow[] {
  if (/^\s*(NoRecordsFound|NoResultsFound)\s*$/.test(text)) {
    throw new SourceError(source.name, "nothing", "no records");
  }
  try {
    const rows = csvRows(text);
    const header = rows.next().value?.cells ?? [];
    if ([...dimensions, ...OBSERVATION].some((column) => !header.includes(column))) {
      throw new SourceError(source.name, "invalid_answer", "the answer is not SDMX-CSV");
    }
    checkLastLine(source, text);
    // If labels follow the codes, the first of two columns with one name is the code.
    const places = new Map([...header.entries()].reverse().map(([at, column]) => [column, at]));
    const parsed = [...rows].map(({ line, cells }): SdmxRow => {
      if (cells.length !== header.length) {
        throw new SourceError(source.name, "invalid_answer", `line ${line} is cut off`);
      }
      return (column) => cells[places.get(column) ?? -1] ?? "";
    });
    if (parsed.length === 0) throw new SourceError(source.name, "nothing", "no records");
    return parsed;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new SourceError(source.name, "invalid_answer", `line ${error.line}: ${error.message}`);
  }
}
