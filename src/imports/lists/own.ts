import type { ListFile, Remark, WrittenItem } from "#domain/list-file.ts";
import { Cost, ListItem } from "#domain/user-list.ts";
import { quote } from "#imports/cells.ts";
import { type DecimalMark, readFigure } from "#imports/numbers.ts";

/** Rows that are read before others get their turn. */
export const ROWS_PER_TURN = 1_000;

/** A row of a file: a line of CSV, or an object of JSON. */
export interface ListRow {
  readonly number: number;
  readonly cells: readonly string[];
}

/** The header of our own file, as `feeds/list-files.ts` writes it; then the columns of theses and of prices paid. */
const HEADER = "country,symbol,shares,weight,note";
const MORE = ["", ",thesis,while", ",cost,cost_currency,cost_date"];
const HEADERS = [...MORE, MORE.join("")].map((more) => HEADER + more);

export const isOwnHeader = (header: readonly string[]): boolean => HEADERS.includes(header.join());

/** Reads our own file, so that a list that was exported is read as it was. */
export function readOwn(
  header: readonly string[],
  rows: readonly ListRow[],
  mark: DecimalMark,
): ListFile {
  const remarks: Remark[] = [];
  const items = rows.map(({ number, cells }): WrittenItem => {
    const of = (name: string) => cells[header.indexOf(name)] ?? "";
    const [text, condition] = [plainText(of("thesis")), plainText(of("while"))];
    const place = `line ${number}`;
    const written = `${of("country").trim()}:${of("symbol").trim()}`;
    const figureOf = (text: string, { maximum = 0 }: { maximum?: number }) => {
      const figure = readFigure(text, mark);
      if (figure === null || Math.abs(figure) <= maximum) return figure;
      remarks.push({
        place,
        written,
        reason: `taken without ${quote(text)}, which is no number that a list can have`,
      });
      return null;
    };
    const price = figureOf(of("cost"), Cost.properties.price);
    return {
      place,
      written,
      symbols: [written],
      isin: null,
      name: null,
      currency: null,
      shares: figureOf(of("shares"), ListItem.properties.shares),
      boughtOn: null,
      weight: figureOf(of("weight"), ListItem.properties.weight),
      note: plainText(of("note")) || null,
      ...(price !== null && {
        cost: { price, currency: of("cost_currency"), date: of("cost_date") || null },
      }),
      ...(text !== "" && condition !== "" && { thesis: { text, while: condition } }),
    };
  });
  return { program: "bourse", items, remarks };
}

/** A text without the apostrophe that keeps a spreadsheet from running it. */
const plainText = (text: string): string => text.replace(/^'(?='*[=+\-@＝＋－＠\t\r\n])/, "");
