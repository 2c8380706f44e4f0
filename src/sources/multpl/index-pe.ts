import type { IndexPe } from "#domain/macro.ts";
import { isDate } from "#lib/date.ts";
import { plainText } from "#lib/plain-text.ts";
import { checkRowCount } from "#sources/check-answer.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { readList } from "#sources/list.ts";
import { MULTPL } from "./source.ts";

/** The last month with earnings in Shiller's series, which is in the public domain. */
const LAST_OF_SHILLER = "2023-06";

/** The start of a row and of a cell. A page is split at them, because a pattern of whole elements takes squared time. */
const ROW = /<tr\b/;
const CELL = /<t[dh]\b[^<>]*>/;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DATE = /^([A-Z][a-z]{2}) (\d{1,2}), (\d{4})$/;
/** A figure is an estimate until the earnings of its month are published; a dagger marks it. */
const FIGURE = /^(†?) ?(\d+(?:\.\d+)?) ?(†?)$/;

/**
 * The S&P 500's price/earnings ratio by month since the end of Shiller's series, over reported earnings
 * of twelve months. Estimates and the current value, which is dated within the month, are left out.
 */
export const multplPe = defineFetcher({
  kind: "indexPe",
  source: MULTPL,
  countries: ["US"],
  scope: "country",
  complements: true,
  async fetch(_query, client): Promise<string> {
    const address = "https://www.multpl.com/s-p-500-pe-ratio/table/by-month";
    return (
      await client.request(address, {
        form: "page",
        refusal: (one) => (rowsOf(one.text()).length > 0 ? null : "disguised"),
      })
    ).text();
  },
  *transform(page: string) {
    const [header = "", ...rows] = rowsOf(page);
    const [date = "", value = ""] = cellsOf(header);
    if (!/^Date\b/.test(date) || !/^Value\b/.test(value)) {
      throw MULTPL.error("invalid_answer", "the page has no table of dates and values");
    }
    checkRowCount(MULTPL, rows.length);
    const read = yield* readList(rows, (row, number) => readRow(row, number));
    const months = read.filter((one) => one !== null);
    if (months.length === 0) {
      throw MULTPL.error("nothing", `no month after ${LAST_OF_SHILLER} has a figure`);
    }
    yield* months;
  },
});

/** The rows of the table of values, as HTML; empty for a page without it, or with a table that does not end. */
function rowsOf(page: string): string[] {
  const start = page.indexOf('id="datatable"');
  const end = page.indexOf("</table>", start);
  return start < 0 || end < 0 ? [] : page.slice(start, end).split(ROW).slice(1);
}

/** The texts of a row's cells. */
function cellsOf(row: string): string[] {
  return row
    .split(CELL)
    .slice(1)
    .map((cell) => plainText(cell, 40));
}

/** The month of a row; null for a row that is left out. @throws SourceError `invalid_answer` */
function readRow(row: string, number: number): IndexPe | null {
  const [dateText = "", figureText = ""] = cellsOf(row);
  const [, name = "", day = "", year = ""] = DATE.exec(dateText) ?? [];
  const month = `${year}-${String(MONTHS.indexOf(name) + 1).padStart(2, "0")}`;
  const [, before, figure, after] = FIGURE.exec(figureText) ?? [];
  if (!isDate(`${month}-${day.padStart(2, "0")}`) || figure === undefined) {
    throw MULTPL.error("invalid_answer", `row ${number} is not a date with a figure`);
  }
  const isEstimate = before !== "" || after !== "";
  if (isEstimate || day !== "1" || month <= LAST_OF_SHILLER) return null;
  return { country: "US", month, pe: Number(figure) };
}
