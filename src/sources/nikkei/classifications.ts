import type { Classification } from "#domain/classification.ts";
import { CsvError, csvRows } from "#lib/csv.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { NIKKEI } from "./source.ts";

const HOST = "indexes.nikkei.co.jp";
const ADDRESS = `https://${HOST}/nkave/archives/file/nikkei_stock_average_weight_en.csv`;

/** A code of Tokyo's exchange: 7203 or 285A. */
const CODE = /^\d[\dA-Z]\d[\dA-Z]$/;
/** The index has 225 members. A takeover can leave one place empty for a few days. */
const FEWEST = 220;
const MOST = 230;

/**
 * The members of the Nikkei 225, from the daily list of their weights. The list names six sectors of its
 * own, which are coarser than the exchange's, so they are not used.
 */
export const nikkeiConstituents = defineFetcher({
  kind: "classifications",
  source: NIKKEI,
  countries: ["JP"],
  scope: "country",
  complements: true,
  async fetch(_query, client): Promise<string> {
    // Names of companies can have characters of another encoding; they are not read.
    return (await client.request(ADDRESS)).text();
  },
  transform(text: string): Classification[] {
    const codes = new Set(readCodes(text));
    if (codes.size < FEWEST || codes.size > MOST)
      throw NIKKEI.error(
        "invalid_answer",
        `${HOST} names ${codes.size} members, not 225; retry later, or upgrade bourse`,
      );
    return Array.from(codes, (symbol) => ({
      country: "JP",
      symbol,
      sector: null,
      replaces: false,
      indexMember: true,
    }));
  },
});

/** The codes in the column `Code`. The last line is a notice without a code. */
function readCodes(text: string): string[] {
  try {
    const [header, ...rows] = csvRows(text);
    const at = header?.cells.findIndex((name) => /^code\b/i.test(name.trim())) ?? -1;
    if (at < 0) throw NIKKEI.error("invalid_answer", "the header has no column Code");
    return rows.map(({ cells }) => (cells[at] ?? "").trim()).filter((code) => CODE.test(code));
  } catch (error) {
    if (error instanceof CsvError)
      throw NIKKEI.error(
        "invalid_answer",
        `${HOST}: line ${error.line}: ${error.message}; retry later, or check the proxy`,
      );
    throw error;
  }
}
