import { type TSchema, Type } from "@sinclair/typebox";
import { Nullable, type Static } from "#domain/schema.ts";
import { answerReader, checkRowCount } from "#sources/check-answer.ts";
import type { SourceClient } from "#sources/source.ts";
import { JQUANTS } from "./source.ts";

const API = "https://api.jquants.com/v2";
/** Far more pages than one instrument or the whole listing has. */
const MAX_PAGES = 10;

/** The code by which it knows a symbol: `72030` for 7203, `25935` for 25935. */
export function codeOf(symbol: string): string {
  return symbol.length === 4 ? `${symbol}0` : symbol;
}

/** `7203` for the code `72030`; another line of the issuer keeps its fifth digit. */
export function symbolOf(code: string): string {
  return code.endsWith("0") ? code.slice(0, 4) : code;
}

/**
 * Requests all pages of a path such as `/fins/summary?code=72030`, in order. Statuses in `accept` are
 * answers too.
 *
 * @throws SourceError
 */
export async function requestPages(
  client: SourceClient,
  path: string,
  accept: readonly number[] = [],
): Promise<unknown[]> {
  const address = new URL(API + path);
  const pages: unknown[] = [];
  while (pages.length < MAX_PAGES) {
    const answer = await client.request(address.href, {
      headers: { "x-api-key": client.key ?? "" },
      ...(accept.length > 0 && { accept }),
    });
    const page = await answer.json();
    pages.push(page);
    const next: unknown =
      typeof page === "object" && page !== null && Reflect.get(page, "pagination_key");
    if (typeof next !== "string" || next === "") return pages;
    address.searchParams.set("pagination_key", next);
  }
  throw JQUANTS.error("invalid_answer", "its pages do not end");
}

/**
 * Creates the reader of the rows on all pages.
 *
 * The reader throws `SourceError`: `invalid_answer` if a row has another form than `row`,
 * `nothing` if there are no rows.
 */
export function rowsReader<T extends TSchema>(
  row: T,
): (pages: readonly unknown[]) => readonly Static<T>[] {
  const read = answerReader(JQUANTS, Type.Object({ data: Type.Array(row) }));
  return (pages) => {
    const rows = pages.flatMap((page) => {
      const { data }: { data: Static<T>[] } = read(page);
      return data;
    });
    checkRowCount(JQUANTS, rows.length);
    if (rows.length === 0) throw JQUANTS.error("nothing", "it has no data for the request");
    return rows;
  };
}

/** A figure: a number in prices, a text in statements; null or an empty text if there is no figure. */
export const Figure = Nullable(
  Type.Union([Type.Number(), Type.String({ pattern: "^(-?\\d+(\\.\\d+)?)?$", maxLength: 40 })]),
);

/** A figure as a number; null if there is no figure. */
export function figureOf(figure: Static<typeof Figure> | undefined): number | null {
  return figure === undefined || figure === null || figure === "" ? null : Number(figure);
}
