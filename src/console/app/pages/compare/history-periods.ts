import { addDays } from "#console/app/days.ts";
import { formatMonth, formatDate } from "#console/app/format.ts";
import { numberIn, type Row, rowsOf, textIn } from "#console/app/parts/rows.ts";
import { t } from "#console/app/words.ts";
import type { PayloadOf } from "#operations/index.ts";

/** The periods of a history: fiscal years, fiscal quarters, or twelve months to each quarter's end. */
export const PERIODS = ["annual", "quarterly", "ttm"] as const;
/** One of `PERIODS`. */
export type Period = (typeof PERIODS)[number];

/** A year of 52 or 53 weeks can end in the first days of the next year. */
const DAYS_OVER = 7;

/** The first day of the calendar year or quarter in which a fiscal period ends: `2025-01-01`, `2025-07-01`. */
export function alignedTo(periodEnd: string, period: Period): string {
  const end = addDays(periodEnd, -DAYS_OVER);
  if (period === "annual") return `${end.slice(0, 4)}-01-01`;
  const month = 3 * Math.floor((Number(end.slice(5, 7)) - 1) / 3) + 1;
  return `${end.slice(0, 4)}-${String(month).padStart(2, "0")}-01`;
}

/** The name of such a calendar period: `2025`, `Q3 2025`. @param date its first day */
export function alignedText(date: string, period: Period): string {
  const year = date.slice(0, 4);
  if (period === "annual") return year;
  return t("Q{quarter} {year}", { quarter: (Number(date.slice(5, 7)) + 2) / 3, year });
}

/** A fiscal period in words: `FY 2025 to 27 Sep 2025, filed 31 Oct 2025`. */
export const periodText = (row: Row) =>
  t("{period} to {end}, filed {filed}", {
    period: textIn(row, "fiscal_period"),
    end: formatDate(textIn(row, "period_end")),
    filed: formatDate(textIn(row, "filing_date")),
  });

/** The figures of several companies by calendar period. */
export interface AlignedHistory {
  /** The first days of the calendar periods in which any company has one, oldest first. */
  readonly dates: readonly string[];
  /** The period of each company, in the order of the companies, by date. Later ends replace earlier ones. */
  readonly companies: readonly ReadonlyMap<string, Row>[];
}

/** @param references the companies: `US:AAPL` */
export function alignHistory(
  data: PayloadOf<"get_metric_history">,
  references: readonly string[],
  period: Period,
): AlignedHistory {
  const rows = rowsOf(data);
  const companies = references.map(
    (reference) =>
      new Map(
        rows
          .filter((row) => `${row["country"]}:${row["symbol"]}` === reference)
          .map((row) => [alignedTo(textIn(row, "period_end"), period), row]),
      ),
  );
  const dates = new Set(companies.flatMap((one) => [...one.keys()]));
  return { dates: [...dates].toSorted(), companies };
}

/** All values of a figure, null where a company has none. */
export const valuesOf = ({ companies }: AlignedHistory, metric: string): (number | null)[] =>
  companies.flatMap((one) => [...one.values()].map((row) => numberIn(row, metric)));

/** The month in which the newest period of a company ends: `Sep 2025`; empty without one. */
export function newestEnd(periods: ReadonlyMap<string, Row> | undefined): string {
  const last = [...(periods?.values() ?? [])].at(-1);
  return last ? formatMonth(addDays(textIn(last, "period_end"), -DAYS_OVER)) : "";
}
