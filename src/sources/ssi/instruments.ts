import { NO_PROFILE } from "#domain/instrument.ts";
import { plainText } from "#lib/plain-text.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { readList, textIn } from "#sources/list.ts";
import { type Board, fetchBoards, isListed, readBoardRow } from "./board.ts";
import { SSI } from "./source.ts";

/** Viet Nam's listed shares and funds. Every company on HOSE is a member of the VN-Index. */
export const ssiInstruments = defineFetcher({
  kind: "instruments",
  source: SSI,
  countries: ["VN"],
  scope: "country",
  fetch: (_query, client) => fetchBoards(client),
  *transform(boards: readonly Board[]) {
    const known = new Set<string>();
    for (const { exchange, rows } of boards) {
      const read = yield* readList(rows, readBoardRow, (bad) => textIn(bad, "stockSymbol"));
      for (const row of read) {
        const symbol = row.stockSymbol;
        const name =
          plainText(row.companyNameEn ?? "", 200) || plainText(row.companyNameVi ?? "", 200);
        if (!isListed(row) || !name || known.has(symbol)) continue;
        known.add(symbol);
        const isFund = row.stockType === "e";
        yield {
          country: "VN",
          symbol,
          name,
          assetType: isFund ? "etf" : "stock",
          exchange,
          currency: "VND",
          ...NO_PROFILE,
          primaryListing: true,
          indexMember: !isFund && exchange === "HOSE",
        };
      }
    }
    if (known.size === 0) throw SSI.error("nothing", "it lists no share");
  },
});
