import { addDays, addMonths, isDate } from "#lib/date.ts";
import { normalForm } from "#lib/normal-form.ts";

/** Which day of a month or a year is meant: the first one in `from`, the last one in `to`. */
export type Edge = "first" | "last";

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
/** Longer texts are no date. */
const MAX_DATE = 40;

/**
 * The date that a text means without doubt: `2026-01-05` for `Jan 5, 2026`, `5 January 2026`, `2026年1月5日`,
 * `令和8年1月5日` or `31/12/2025`. With an edge, a month (`2025-11`, `Nov 2025`), a quarter (`2025Q3`) and a year mean their first or
 * last day. Null if it has no certain meaning, such as `05/01/2026`.
 */
export function readDate(written: string, edge?: Edge): string | null {
  if (written.length > MAX_DATE) return null;
  const text = normalForm(written, "NFKC")
    .trim()
    .toLowerCase()
    .replace(
      /^(令和|平成|昭和)(元|\d{1,2})(?=年)/,
      (_, era: string, year: string) => `${(ERAS[era] ?? 0) + (year === "元" ? 1 : Number(year))}`,
    );
  const [, year, month, day] =
    /^(\d{4})年(\d{1,2})月(?:(\d{1,2})日)?$/.exec(text) ??
    /^(\d{4})([-/.])(\d{1,2})(?:\2(\d{1,2}))?$/.exec(text)?.toSpliced(2, 1) ??
    [];
  if (year && month) return day ? dateFrom(year, month, day) : monthEdge(year, month, edge);
  const named = readNamed(text, edge) ?? readDayFirst(text);
  if (named) return named;
  const { quarterYear = "", quarter = "" } =
    /^(?<quarterYear>\d{4})[- ]?q(?<quarter>[1-4])$/.exec(text)?.groups ??
    /^q(?<quarter>[1-4])[- ](?<quarterYear>\d{4})$/.exec(text)?.groups ??
    {};
  if (quarterYear && edge) {
    const first = (Number(quarter) - 1) * 3 + 1;
    return monthEdge(quarterYear, String(edge === "first" ? first : first + 2), edge);
  }
  if (!/^(?:19|20)\d\d$/.test(text) || !edge) return null;
  return edge === "first" ? `${text}-01-01` : `${text}-12-31`;
}

/** The year before the first one of each Japanese era. */
const ERAS: Readonly<Record<string, number>> = { 令和: 2018, 平成: 1988, 昭和: 1925 };

/** A date with the name of a month: `jan 5, 2026`, `5 jan 2026`, `jan 2026`. */
function readNamed(text: string, edge: Edge | undefined): string | null {
  const [, before = "", name = "", after = "", year = ""] =
    /^(\d{1,2})?(?:st|nd|rd|th)?[ -]?([a-z]{3,9})\.?[ -](?:(\d{1,2})(?:st|nd|rd|th)?,? )?(\d{4})$/.exec(
      text,
    ) ?? [];
  const month = MONTHS.indexOf(name.slice(0, 3)) + 1;
  if (month === 0 || !MONTH_NAMES.some((one) => one.startsWith(name)) || (before && after))
    return null;
  const day = before || after;
  return day ? dateFrom(year, String(month), day) : monthEdge(year, String(month), edge);
}

const MONTH_NAMES =
  "january february march april may june july august september october november december sept".split(
    " ",
  );

/** `2025-12-31` for `31/12/2025`, whose first number can be no month, and for `5.1.2026`. */
function readDayFirst(text: string): string | null {
  const [, first = "", mark, second = "", year = ""] =
    /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})$/.exec(text) ?? [];
  if (!year) return null;
  if (Number(first) > 12) return dateFrom(year, second, first);
  if (mark === ".") return dateFrom(year, second, first);
  return Number(second) > 12 ? dateFrom(year, first, second) : null;
}

function dateFrom(year: string, month: string, day: string): string | null {
  const date = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  return isDate(date) ? date : null;
}

function monthEdge(year: string, month: string, edge: Edge | undefined): string | null {
  const first = edge ? dateFrom(year, month, "1") : null;
  if (first === null) return null;
  return edge === "first" ? first : addDays(addMonths(first, 1), -1);
}

const DAY_WORDS: Readonly<Record<string, number>> = {
  now: 0,
  today: 0,
  yesterday: -1,
  tomorrow: 1,
  今日: 0,
  本日: 0,
  昨日: -1,
  明日: 1,
  "hôm nay": 0,
  "hôm qua": -1,
  "ngày mai": 1,
};
const DISTANCE = /^(in )?(\d{1,3}) (day|week|month|year)s?( ago)?$/;

/** True for a day that depends on the day of the call: `today`, `tomorrow`, `30 days ago`, `in 2 weeks`. */
export function isDayWord(text: string): boolean {
  return text.length <= MAX_DATE && dayOf(text, "2000-01-01") !== null;
}

/** The date of a day word on that UTC date; null for other texts. */
export function dayOf(written: string, today: string): string | null {
  const text = normalForm(written, "NFC").trim().toLowerCase();
  if (Object.hasOwn(DAY_WORDS, text)) return addDays(today, DAY_WORDS[text] ?? 0);
  const [, ahead, count = "", unit, ago] = DISTANCE.exec(text) ?? [];
  if (!unit || Boolean(ahead) === Boolean(ago)) return null;
  const distance = Number(count) * (ago ? -1 : 1);
  if (unit === "day" || unit === "week")
    return addDays(today, distance * (unit === "week" ? 7 : 1));
  return addMonths(today, distance * (unit === "year" ? 12 : 1));
}
