import { Type } from "@sinclair/typebox";
import { SYMBOL_PATTERN } from "#domain/instrument.ts";
import { Nullable } from "#domain/schema.ts";
import { isDate } from "#lib/date.ts";
import { answerReader, checkRowCount } from "#sources/check-answer.ts";
import type { SourceClient } from "#sources/source.ts";
import { SSI } from "./source.ts";

/** Instruments and quotes are in one answer, and are fetched one after the other. */
const MAX_AGE_MS = 60_000;

/** The exchanges, by their names in addresses. */
const EXCHANGES = { hose: "HOSE", hnx: "HNX", upcom: "UPCOM" } as const;
type Slug = keyof typeof EXCHANGES;

const Text = Type.Optional(Nullable(Type.String()));
const Figure = Type.Optional(Nullable(Type.Number()));

/** Reads a row of the board. */
export const readBoardRow = answerReader(
  SSI,
  Type.Object({
    stockSymbol: Type.String({ pattern: SYMBOL_PATTERN }),
    /** s: a share, e: units of a fund, w: a warrant. */
    stockType: Text,
    companyNameEn: Text,
    companyNameVi: Text,
    /** In dong. */
    matchedPrice: Figure,
    nmTotalTradedQty: Figure,
    /** What foreigners bought and sold in the session, in dong, and the shares that they may still buy. */
    buyForeignValue: Figure,
    sellForeignValue: Figure,
    remainForeignQtty: Figure,
    /** The limits of the session, in dong too. */
    refPrice: Figure,
    ceiling: Figure,
    floor: Figure,
    /** `20260821` */
    tradingDate: Text,
  }),
);
export type BoardRow = ReturnType<typeof readBoardRow>;

const readBoard = answerReader(
  SSI,
  Type.Object({ code: Type.String(), data: Type.Array(Type.Unknown()) }),
);

/** The board of one exchange. */
export interface Board {
  readonly exchange: string;
  readonly rows: readonly unknown[];
}

/** The boards of all exchanges, at most a minute old. @throws SourceError if one of them fails */
export async function fetchBoards(client: SourceClient): Promise<Board[]> {
  const boards: Board[] = [];
  for (const slug of Object.keys(EXCHANGES) as Slug[]) {
    const answer = await client.request(
      `https://iboard-query.ssi.com.vn/stock/exchange/${slug}?boardId=MAIN`,
      { maxAgeMs: MAX_AGE_MS },
    );
    boards.push({ exchange: EXCHANGES[slug], rows: readBoardAnswer(await answer.json()) });
  }
  return boards;
}

/** The rows of an answer. @throws SourceError if it reports an error or has another form */
export function readBoardAnswer(answer: unknown): readonly unknown[] {
  const { code, data } = readBoard(answer);
  if (code !== "SUCCESS") throw SSI.error("unreachable", "it reports an error");
  checkRowCount(SSI, data.length);
  return data;
}

/** The date of the session of a row; null if it has none. */
export function sessionOf({ tradingDate }: BoardRow): string | null {
  const date = (tradingDate ?? "").replace(/^(\d{4})(\d{2})(\d{2})$/, "$1-$2-$3");
  return isDate(date) ? date : null;
}

/** True for shares and units of funds. */
export const isListed = ({ stockType }: BoardRow): boolean =>
  stockType === "s" || stockType === "e";
