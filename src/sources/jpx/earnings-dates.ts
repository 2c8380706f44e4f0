import { normalForm } from "#lib/normal-form.ts";
import type { EarningsDate } from "#domain/analyst-coverage.ts";
import { localDateOf } from "#domain/country.ts";
import { addDays, addMonths, daysBetween, isDate, MONTH_NAMES } from "#lib/date.ts";
import { readWorkbook } from "#lib/workbook.ts";
import { type WorkbookCell, WorkbookError } from "#lib/workbook-error.ts";
import { checkRowCount } from "#sources/check-answer.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { type ListReading, readList } from "#sources/list.ts";
import type { SourceAnswer } from "#sources/source.ts";
import { linksOf } from "./instruments.ts";
import { JPX } from "./source.ts";

const PAGE = "https://www.jpx.co.jp/listing/event-schedules/financial-announcement/index.html";
/** The page has a workbook for each month in which quarters end, at most half a year of them. */
const MAX_FILES = 12;

/** The columns, by a part of their header. Some headers have the English text too. */
const COLUMNS = { date: /予定日/, code: /コード/, yearEnd: /決算期末/, kind: /種別/ };

/** The quarter that ends with a report, by the text in the column `種別`. */
const QUARTERS: Readonly<Record<string, number>> = {
  第1四半期: 1,
  第2四半期: 2,
  第3四半期: 3,
  第4四半期: 4,
  本決算: 4,
};

/** A report may be planned this many days ahead. A later date is a slip of the pen. */
const MOST_AHEAD_DAYS = 200;
/** No report is later than this after the end of its quarter. */
const LATEST_REPORT_DAYS = 120;

/**
 * The next report of each company in Tokyo that has announced its date, from the workbooks that JPX's page links to. Their
 * names change with each update. JPX has no times, no estimates, and no company before it announces.
 */
export const jpxEarnings = defineFetcher({
  kind: "earningsDates",
  source: JPX,
  countries: ["JP"],
  scope: "country",
  async fetch(_query, client): Promise<Uint8Array[]> {
    const page = await client.request(PAGE, {
      form: "page",
      refusal: (one) => (addressesOn(one).length > 0 ? null : "disguised"),
    });
    const addresses = addressesOn(page);
    if (addresses.length === 0 || addresses.length > MAX_FILES)
      throw JPX.error("invalid_answer", `its page links to ${addresses.length} lists of reports`);
    const files: Uint8Array[] = [];
    for (const address of addresses)
      files.push((await client.request(address, { form: "workbook" })).bytes);
    return files;
  },
  *transform(files, { now }) {
    const today = localDateOf("JP", now);
    const next = new Map<string, EarningsDate>();
    for (const bytes of files) {
      for (const report of yield* readFile(bytes, today)) {
        if (report === null || report.date < today) continue;
        const known = next.get(report.symbol);
        if (!known || report.date < known.date) next.set(report.symbol, report);
      }
    }
    if (next.size === 0) throw JPX.error("nothing", "no report is announced");
    yield* next.values();
  },
});

/** The addresses of the workbooks that the page links to. */
function addressesOn(page: SourceAnswer): string[] {
  const links = linksOf(page.text(), PAGE).filter(({ pathname }) =>
    /\/kessan[^/]*\.xlsx?$/i.test(pathname),
  );
  return [...new Set(links.map(({ href }) => href))];
}

function* readFile(bytes: Uint8Array, today: string): ListReading<(EarningsDate | null)[]> {
  const rows = readRows(bytes);
  checkRowCount(JPX, rows.length);
  const at = rows.findIndex(
    (cells) => columnOf(cells, "code") >= 0 && columnOf(cells, "date") >= 0,
  );
  const header = rows[at];
  if (!header)
    throw JPX.error("invalid_answer", "a list of reports has no columns of codes and dates");
  const places = {
    date: columnOf(header, "date"),
    code: columnOf(header, "code"),
    yearEnd: columnOf(header, "yearEnd"),
    kind: columnOf(header, "kind"),
  };
  // Notes below the list, and a second line of headers, have no code.
  const listed = rows.slice(at + 1).filter((cells) => codeOf(cells[places.code]) !== null);
  return yield* readList(
    listed,
    (cells, number) => {
      const symbol = codeOf(cells[places.code]) ?? "";
      const date = dateIn(cells[places.date]);
      // Such as 未定_Undecided.
      if (date === null && /^未定|^$/.test(textOf(cells[places.date]))) return null;
      if (date === null || daysBetween(today, date) > MOST_AHEAD_DAYS)
        throw JPX.error("invalid_answer", `company ${number} of a list of reports has no date`);
      const [yearEnd, kind] = [dateIn(cells[places.yearEnd]), textOf(cells[places.kind])];
      return {
        country: "JP",
        symbol,
        date,
        session: "not_supplied",
        fiscalPeriod: fiscalPeriod(yearEnd, normalForm(kind, "NFKC"), date),
        epsEstimate: null,
        revenueEstimate: null,
        analysts: null,
      } satisfies EarningsDate;
    },
    (cells) => codeOf(cells[places.code]),
  );
}

function readRows(bytes: Uint8Array): WorkbookCell[][] {
  try {
    return readWorkbook(bytes);
  } catch (error) {
    if (!(error instanceof WorkbookError)) throw error;
    throw JPX.error("invalid_answer", `a list of reports cannot be read: ${error.message}`);
  }
}

const columnOf = (cells: readonly WorkbookCell[], name: keyof typeof COLUMNS): number =>
  cells.findIndex((cell) => COLUMNS[name].test(textOf(cell)));

const textOf = (cell: WorkbookCell | undefined): string => String(cell ?? "").trim();

/** The code of a company, such as 7203 or 285A; null for another text. */
function codeOf(cell: WorkbookCell | undefined): string | null {
  return /^\d[\dA-Z]\d[\dA-Z]$/.exec(textOf(cell))?.[0] ?? null;
}

/** The date of a cell: a serial number of Excel, or a text such as 2026/11/27; null for anything else. */
function dateIn(cell: WorkbookCell | undefined): string | null {
  if (typeof cell === "number")
    return Number.isInteger(cell) && cell > 30_000 && cell < 100_000
      ? addDays("1899-12-30", cell)
      : null;
  const [, year = "", month = "", day = ""] =
    /^(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?$/.exec(textOf(cell)) ?? [];
  const date = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  return isDate(date) ? date : null;
}

/**
 * The month in which the reported quarter ends, `Sep 2026`; null if the report cannot be about it. `yearEnd` is the end
 * of the fiscal year.
 */
function fiscalPeriod(yearEnd: string | null, kind: string, date: string): string | null {
  const quarter = QUARTERS[kind];
  if (yearEnd === null || quarter === undefined) return null;
  const month = addMonths(`${yearEnd.slice(0, 7)}-01`, 3 * (quarter - 4));
  const days = daysBetween(addDays(addMonths(month, 1), -1), date);
  if (days < 0 || days > LATEST_REPORT_DAYS) return null;
  return `${MONTH_NAMES[Number(month.slice(5, 7)) - 1]} ${month.slice(0, 4)}`;
}
