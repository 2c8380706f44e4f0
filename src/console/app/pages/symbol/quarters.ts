import { addDays } from "#console/app/days.ts";
import { formatDate, formatMonth } from "#console/app/format.ts";
import { reader } from "#console/app/reader.ts";
import { t } from "#console/app/words.ts";

/** Fiscal years of 52 or 53 weeks end up to six days after a month's end. */
const WEEK_DAYS = 6;

/**
 * A fiscal quarter in words, which no reader takes for one of the calendar. Japanese names a fiscal year by
 * the month in which it ends: `2027年3月期`.
 * @param period `Q2 2027` @param end the quarter's last day, `2026-09-30`; empty if it is unknown
 */
export function quarterText(period: string, end: string) {
  const [, quarter = "4", year = ""] = /^(?:FY|Q([1-4])) (\d{4})$/.exec(period) ?? [];
  const { language } = reader.value;
  const isJapanese = language === "ja";
  const same = (text: string) => ({ name: text, short: text, withEnd: text });
  if (year === "" || (isJapanese && end === "")) return same(period);
  const month = isJapanese ? lastMonth(Number(quarter), end) : "";
  const long = { quarter, year: isJapanese ? formatMonth(month) : year };
  if (!period.startsWith("Q")) return same(t("FY {year}", long));
  const short = isJapanese
    ? `${month.slice(2, 4)}/${Number(month.slice(5))}`
    : year.slice(language === "vi" ? 0 : 2);
  const name = t("Q{quarter} of fiscal year {year}", long);
  return {
    name,
    short: t("Q{quarter} FY{year}", { quarter, year: short }),
    withEnd:
      end === ""
        ? name
        : t("Q{quarter} of fiscal year {year}, to {date}", { ...long, date: formatDate(end) }),
  };
}

/** The month in which the fiscal year of a quarter ends: `2027-03`. */
function lastMonth(quarter: number, end: string): string {
  const last = new Date(`${addDays(end, -WEEK_DAYS).slice(0, 7)}-01`);
  last.setUTCMonth(last.getUTCMonth() + 3 * (4 - quarter));
  return last.toISOString().slice(0, 7);
}
