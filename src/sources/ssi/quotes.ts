import { sessionOpenedLast } from "#analytics/sessions.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { finishReading, readList } from "#sources/list.ts";
import {
  type Board,
  type BoardRow,
  fetchBoards,
  isListed,
  readBoardRow,
  sessionOf,
} from "./board.ts";
import { SSI } from "./source.ts";

/** A list whose median price is below is in thousands of dong. */
const LEAST_MEDIAN = 1_000;

/** The limits in a row; empty if one is missing or the price contradicts them. */
function limitsIn({ refPrice, ceiling, floor }: BoardRow, price: number) {
  if (!refPrice || !ceiling || !floor) return {};
  const isRight =
    0 < floor && floor <= Math.min(price, refPrice) && ceiling >= Math.max(price, refPrice);
  return isRight ? { limits: { reference: refPrice, ceiling, floor } } : {};
}

/** The latest price of every share on the board. A price without the date of its session is left out. */
export const ssiQuotes = defineFetcher({
  kind: "quotes",
  source: SSI,
  countries: ["VN"],
  scope: "country",
  fetch: (_query, client) => fetchBoards(client),
  *transform(boards: readonly Board[], { now, holidayOverrides }) {
    const newest = sessionOpenedLast("VN", now, holidayOverrides);
    const rows = boards.flatMap((board) => finishReading(readList(board.rows, readBoardRow)));
    const traded = rows.flatMap((row) => {
      const price = row.matchedPrice ?? 0;
      const date = sessionOf(row);
      return isListed(row) && price > 0 && date !== null && date <= newest
        ? [{ row, price, date }]
        : [];
    });
    if (traded.length === 0) throw SSI.error("nothing", "it has no prices");
    const sorted = traded.map(({ price }) => price).sort((a, b) => a - b);
    if ((sorted[Math.floor(sorted.length / 2)] ?? 0) < LEAST_MEDIAN)
      throw SSI.error("invalid_answer", "the prices are not in dong");
    const known = new Set<string>();
    for (const { row, price, date } of traded) {
      if (known.has(row.stockSymbol)) continue;
      known.add(row.stockSymbol);
      yield {
        country: "VN",
        symbol: row.stockSymbol,
        date,
        price,
        previousClose: null,
        volume: row.nmTotalTradedQty ?? null,
        marketCap: null,
        epsTtm: null,
        priceToBook: null,
        dividendYieldPercent: null,
        ...limitsIn(row, price),
      };
    }
  },
});
