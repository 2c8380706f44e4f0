import { CsvError } from "#lib/csv.ts";
import { readXls, XlsError } from "#lib/xls.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { SourceError } from "#sources/source.ts";
import { parseListedIssues } from "./listed-issues.ts";
import { JPX } from "./source.ts";

const WORKBOOK =
  "https://www.jpx.co.jp/markets/statistics-equities/misc/tvdivq0000001vg2-att/data_j.xls";

/** Every stock, ETF and REIT listed in Tokyo, by JPX's monthly workbook; names in Japanese. */
export const jpxInstruments = defineFetcher({
  kind: "instruments",
  source: JPX,
  countries: ["JP"],
  scope: "country",
  fetch: async (_query, client) => (await client.request(WORKBOOK)).bytes,
  transform(bytes) {
    try {
      const rows = readXls(bytes).map((cells, i) => ({ line: i + 1, cells }));
      const instruments = parseListedIssues(rows);
      if (instruments.length > 0) return instruments;
    } catch (error) {
      if (error instanceof XlsError) throw changed(`data_j.xls cannot be read: ${error.message}`);
      if (error instanceof CsvError) {
        throw changed(`data_j.xls, row ${error.line}: ${error.message}`);
      }
      throw error;
    }
    throw new SourceError(JPX.name, "nothing", "data_j.xls lists nothing");
  },
});

function changed(reason: string): SourceError {
  return new SourceError(JPX.name, "invalid_answer", reason);
}
