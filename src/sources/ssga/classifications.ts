import type { Classification } from "#domain/classification.ts";
import { readWorkbook } from "#lib/workbook.ts";
import { type WorkbookCell, WorkbookError } from "#lib/workbook-error.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { SSGA } from "./source.ts";

const ADDRESS =
  "https://www.ssga.com/us/en/intermediary/library-content/products/fund-data/etfs/us/holdings-daily-us-en-dia.xlsx";
const INDEX = "^DJI";
const MEMBERS = 30;
/** The line of cash has a hyphen. */
const TICKER = /^[A-Z]+(?:\.[A-Z])?$/;

/** The members of the Dow: the shares that the fund DIA holds. Its cash has no ticker. */
export const ssgaDow = defineFetcher({
  kind: "classifications",
  source: SSGA,
  countries: ["US"],
  scope: "country",
  complements: true,
  async fetch(_query, client): Promise<Uint8Array> {
    return (await client.request(ADDRESS, { form: "workbook" })).bytes;
  },
  transform(workbook: Uint8Array): Classification[] {
    const symbols = new Set(readTickers(readRows(workbook)));
    if (symbols.size !== MEMBERS)
      throw SSGA.error("invalid_answer", `it names ${symbols.size} members, not ${MEMBERS}`);
    return Array.from(symbols, (symbol) => ({
      country: "US",
      symbol,
      sector: null,
      replaces: false,
      indexMember: null,
      memberOf: INDEX,
    }));
  },
});

function readRows(workbook: Uint8Array): WorkbookCell[][] {
  try {
    return readWorkbook(workbook);
  } catch (error) {
    throw error instanceof WorkbookError ? SSGA.error("invalid_answer", error.message) : error;
  }
}

/** The tickers below the header, which follows some lines about the fund. */
function readTickers(rows: readonly (readonly WorkbookCell[])[]): string[] {
  const textOf = (cell: WorkbookCell | undefined) => String(cell ?? "").trim();
  const start = rows.findIndex((row) => row.some((cell) => textOf(cell) === "Ticker"));
  const header = rows[start];
  if (!header) throw SSGA.error("invalid_answer", "the workbook has no column Ticker");
  const at = header.findIndex((cell) => textOf(cell) === "Ticker");
  return rows
    .slice(start + 1)
    .map((row) => textOf(row[at]).replaceAll("/", "."))
    .filter((ticker) => TICKER.test(ticker));
}
