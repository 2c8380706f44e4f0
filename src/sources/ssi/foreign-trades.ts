import { lastCompletedSession } from "#analytics/sessions.ts";
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

/** A figure that can be 0; null if it is missing or negative. */
const known = (figure: number | null | undefined) =>
  typeof figure === "number" && figure >= 0 ? figure : null;

/**
 * The trades of foreigners in every share on the board, and their room. Values are in dong. A row of a session that is
 * not over is left out, because its figures are a part.
 */
export const ssiForeignTrades = defineFetcher({
  kind: "foreignTrades",
  source: SSI,
  countries: ["VN"],
  scope: "country",
  fetch: (_query, client) => fetchBoards(client),
  *transform(boards: readonly Board[], { now, holidayOverrides }) {
    const newest = lastCompletedSession("VN", now, holidayOverrides);
    const seen = new Set<string>();
    for (const { rows } of boards)
      for (const row of finishReading(readList(rows, readBoardRow))) {
        const date = sessionOf(row);
        if (!isListed(row) || date === null || date > newest || seen.has(row.stockSymbol)) continue;
        seen.add(row.stockSymbol);
        const figures = figuresOf(row);
        if (Object.values(figures).some((figure) => figure !== null))
          yield { country: "VN", symbol: row.stockSymbol, date, ...figures };
      }
    if (seen.size === 0) throw SSI.error("nothing", "it has no completed session");
  },
});

function figuresOf({ buyForeignValue, sellForeignValue, remainForeignQtty }: BoardRow) {
  return {
    boughtValue: known(buyForeignValue),
    soldValue: known(sellForeignValue),
    room: known(remainForeignQtty),
  };
}
