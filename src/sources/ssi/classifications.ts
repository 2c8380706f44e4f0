import type { Classification } from "#domain/classification.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { finishReading, readList } from "#sources/list.ts";
import { isListed, readBoardAnswer, readBoardRow } from "./board.ts";
import { SSI } from "./source.ts";

const INDEX = "VN30";
/** A suspension or a merger can leave a place empty until the next review. */
const FEWEST = 28;
const MOST = 32;

/** The members of the VN30. */
export const ssiVn30 = defineFetcher({
  kind: "classifications",
  source: SSI,
  countries: ["VN"],
  scope: "country",
  complements: true,
  async fetch(_query, client): Promise<readonly unknown[]> {
    const answer = await client.request(`https://iboard-query.ssi.com.vn/stock/group/${INDEX}`);
    return readBoardAnswer(await answer.json());
  },
  transform(rows: readonly unknown[]): Classification[] {
    const read = finishReading(readList(rows, readBoardRow)).filter(isListed);
    const symbols = new Set(read.map(({ stockSymbol }) => stockSymbol));
    if (symbols.size < FEWEST || symbols.size > MOST)
      throw SSI.error("invalid_answer", `it names ${symbols.size} members of the ${INDEX}, not 30`);
    return Array.from(symbols, (symbol) => ({
      country: "VN",
      symbol,
      sector: null,
      replaces: false,
      indexMember: null,
      memberOf: INDEX,
    }));
  },
});
