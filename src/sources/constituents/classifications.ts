import type { Classification } from "#domain/classification.ts";
import { SYMBOL_PATTERN } from "#domain/instrument.ts";
import { CsvError, csvRows } from "#lib/csv.ts";
import { checkLastLine } from "#sources/check-answer.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { type ListReading, readList } from "#sources/list.ts";
import { CONSTITUENTS } from "./source.ts";

const ADDRESS =
  "https://raw.githubusercontent.com/datasets/s-and-p-500-companies/main/data/constituents.csv";

/** GICS sectors, each mapped to the taxonomy's sector with the largest overlap. */
const SECTORS_OF_GICS: ReadonlyMap<string, string> = new Map([
  ["Communication Services", "communication-services"],
  ["Consumer Discretionary", "consumer-cyclical"],
  ["Consumer Staples", "consumer-defensive"],
  ["Energy", "energy"],
  ["Financials", "financial-services"],
  ["Health Care", "healthcare"],
  ["Industrials", "industrials"],
  ["Information Technology", "technology"],
  ["Materials", "basic-materials"],
  ["Real Estate", "real-estate"],
  ["Utilities", "utilities"],
]);

const COLUMNS = ["Symbol", "GICS Sector", "CIK"] as const;
const SYMBOL = new RegExp(SYMBOL_PATTERN);
/** The index has about 503 lines. Half a list would end the membership of the other half. */
const FEWEST = 450;
const MOST = 600;

/** The members of the S&P 500. Their GICS sector is used only if no other source gives one, because the two classifications differ. */
export const sp500Constituents = defineFetcher({
  kind: "classifications",
  source: CONSTITUENTS,
  countries: ["US"],
  scope: "country",
  complements: true,
  async fetch(_query, client): Promise<string> {
    return (await client.request(ADDRESS, { form: "lines" })).text();
  },
  *transform(text: string) {
    try {
      checkLastLine(CONSTITUENTS, text);
      yield* yield* readConstituents(text);
    } catch (error) {
      if (error instanceof CsvError)
        throw CONSTITUENTS.error("invalid_answer", `line ${error.line}: ${error.message}`);
      throw error;
    }
  },
});

function* readConstituents(text: string): ListReading<Iterable<Classification>> {
  const rows = csvRows(text);
  const header = rows.next().value?.cells ?? [];
  const [symbolAt = -1, sectorAt = -1, cikAt = -1] = COLUMNS.map((name) => header.indexOf(name));
  if (Math.min(symbolAt, sectorAt, cikAt) === -1) {
    throw CONSTITUENTS.error(
      "invalid_answer",
      `the header does not have all of ${COLUMNS.join(", ")}`,
    );
  }
  const lines = yield* readList(rows, ({ line, cells }): Classification => {
    const symbol = (cells[symbolAt] ?? "").trim().replaceAll("-", ".");
    const sector = SECTORS_OF_GICS.get((cells[sectorAt] ?? "").trim());
    if (!SYMBOL.test(symbol) || sector === undefined || !/^\d+$/.test(cells[cikAt] ?? "")) {
      throw CONSTITUENTS.error(
        "invalid_answer",
        `line ${line} has no symbol, no GICS sector or no CIK`,
      );
    }
    return { country: "US", symbol, sector, replaces: false, indexMember: true };
  });
  const members = new Map(lines.map((member) => [member.symbol, member]));
  if (members.size < FEWEST || members.size > MOST) {
    throw CONSTITUENTS.error("invalid_answer", `it names ${members.size} members, not about 500`);
  }
  return members.values();
}
