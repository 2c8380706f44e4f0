import { CsvError } from "#lib/csv.ts";
import { type ListedIssuesRow, listedIssuesReader } from "#sources/jpx/listed-issues.ts";
import { checkedRow, type Reading, refuse, type RowsOfFile } from "./reading.ts";

/** The instruments of JPX's list of listed issues, from its workbook or from the same list as CSV. */
export function* readListedIssues(
  reading: Reading,
  file: string,
  unit: "line" | "row",
  [header, ...rows]: readonly ListedIssuesRow[],
): RowsOfFile {
  let instruments;
  try {
    const { read } = listedIssuesReader(header ?? { line: 1, cells: [] });
    instruments = rows.flatMap((row) => read(row) ?? []);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return refuse({ within: `${file}, ${unit}`, number: error.line }, error.message);
  }
  for (const instrument of instruments)
    yield checkedRow(reading, { within: file, number: null }, { ...instrument }, null);
  return { shape: "jpx", rows: rows.length };
}
