import { lastDayOf } from "#domain/macro-periods.ts";
import { asTyped } from "#lib/as-typed.ts";
import { addDays, addMonths } from "#lib/date.ts";
import { dayOf, readDate } from "./written-dates.ts";

// The time of a figure as people, reports and our own answers write it: `FY2025`, `Q3 2026`, `TTM`, `2025年3月期`.

/** The months that a figure covers: the twelve months to a day, a fiscal year, or one quarter. */
export type Basis = "ttm" | "year" | "quarter";

/** The time of a figure. */
export interface WrittenPeriod {
  readonly unit: "newest" | "day" | "month" | "quarter" | "year";
  /** The calendar days that it names; empty for the newest figure. */
  readonly from: string;
  readonly to: string;
  /** The year of a year or a quarter as it was written; 0 for others. */
  readonly year: number;
  /** The number of a quarter; 0 for others. */
  readonly quarter: number;
  /**
   * What the text says about a year: a company's fiscal year, one that begins in the named year (年度, 2024/25), or the
   * calendar's. Null if it says nothing.
   */
  readonly sort: "fiscal" | "begun" | "calendar" | null;
  /** Null if the text says nothing. */
  readonly basis: Basis | null;
}

/** Longer texts are no period. */
const MAX_PERIOD = 60;

/** Words for what a figure covers. They can be in the name of a figure, too. */
const BASES: readonly (readonly [words: RegExp, basis: Basis])[] = [
  [
    /\b[tl]tm\b|\b(?:trailing|last) (?:twelve|12)[ -]months?\b|\btrailing\b|\b12[ -]months? to\b|(?:過去|直近)12[かヶカ]月|12 tháng (?:gần nhất|qua)/i,
    "ttm",
  ],
  [
    /\b(?:annual|yearly|full[ -]year)\b|通期|(?:cả|hằng|hàng) năm|\b(?:fiscal )?year (?:ended|ending|to)\b/i,
    "year",
  ],
  [
    /\b(?:quarterly|single quarter|quarter (?:ended|ending|to))\b|(?<!第[1-4])四半期$|\bquý$/i,
    "quarter",
  ],
];

/** A text without the words for what a figure covers, and what they say; null if it has none. */
export function splitBasis(text: string): { rest: string; basis: Basis | null } {
  const [words, basis = null] = BASES.find(([one]) => one.test(text)) ?? [];
  return { rest: words ? text.replace(words, " ").replaceAll(/ +/g, " ").trim() : text, basis };
}

const NEWEST =
  /^(?:|newest|latest|current|currently|now|most recent|mrq|最新|直近|現在|hiện tại|hiện nay|mới nhất|gần nhất)(?: (?:session|close|day|value|figure))?$/;
const NEWEST_YEAR =
  /^(?:(?:latest|last|newest|most recent) (?:fiscal |financial )?year|fy|mry|前期|直近期|năm (?:gần nhất|ngoái))$/;
const NEWEST_QUARTER = /^(?:(?:latest|last|newest|most recent) (?:fiscal )?quarter|quý gần nhất)$/;
/** Words before a date. */
const BEFORE =
  /^(?:(?:as of|as at|at|on|to|in|for|until|till|ended|ending|ends|end of|ngày|tại|đến|cuối|kết thúc|period|the) )+/;

const EMPTY = { from: "", to: "", year: 0, quarter: 0, sort: null } as const;

/** The time that a text means; null if it is none. @param today the date of the call, for `today` and two digits of a year */
export function readPeriod(written: string, today: string): WrittenPeriod | null {
  if (written.length > MAX_PERIOD) return null;
  const { rest, basis } = splitBasis(asTyped(written).trim().toLowerCase());
  // Our own answers write `FY 2025, to 2025-09-30`.
  const text = rest
    .replace(/(?<=\d), (?:to|at|of) .*$/, "")
    .replace(/^[ ,(]+|[ ,)]+$/g, "")
    .replace(BEFORE, "")
    .replace(/(?<=^\d{4}-\d\d-\d\d)t00:00[0:.]*(?:z|[+-]\d\d:?\d\d)?$/, "");
  const newest = (of: Basis | null): WrittenPeriod => ({ unit: "newest", ...EMPTY, basis: of });
  if (NEWEST.test(text)) return newest(basis);
  if (NEWEST_YEAR.test(text)) return newest("year");
  if (NEWEST_QUARTER.test(text)) return newest("quarter");
  const day = dayOf(text, today) ?? readDate(text);
  if (day !== null) return { unit: "day", ...EMPTY, from: day, to: day, basis };
  const period =
    readYearEnd(text) ?? readQuarter(text, today) ?? readYear(text, today) ?? readMonth(text);
  return period && { ...period, basis: period.basis ?? basis };
}

/** `2025年3月期` is the fiscal year that ends in that month; with a quarter, one quarter of it. */
function readYearEnd(text: string): WrittenPeriod | null {
  const [, year, month = "", quarter] =
    /^(\d{4})(?:年|\/)(\d{1,2})月?期(?: ?第?([1-4])(?:四半期|q))?$/.exec(text) ?? [];
  const end = year === undefined ? null : readDate(`${year}-${month}`, "last");
  if (end === null) return null;
  const last =
    quarter === undefined ? end : lastDayOf(addMonths(end, 3 * Number(quarter) - 12).slice(0, 7));
  return {
    ...EMPTY,
    unit: "month",
    from: `${last.slice(0, 7)}-01`,
    to: last,
    sort: "fiscal",
    basis: quarter === undefined ? "year" : "quarter",
  };
}

const KINDS: readonly (readonly [words: RegExp, sort: WrittenPeriod["sort"]])[] = [
  [/年度|niên độ/, "begun"],
  [/\bf\.?y\.?(?=\d|\b)|\bfiscal(?: year)?\b|\bfinancial(?: year)?\b|năm tài chính|会計/, "fiscal"],
  [/\bcy(?=\d|\b)|\bcalendar(?: year)?\b|暦年|năm dương lịch/, "calendar"],
];

/** A text without the words for a kind of year, and what they say. */
function splitKind(text: string) {
  const [words, sort = null] = KINDS.find(([one]) => one.test(text)) ?? [];
  const rest = words ? text.replace(words, " ") : text;
  return { sort, rest: rest.replaceAll(/[',]/g, " ").replaceAll(/ +/g, " ").trim() };
}

function readQuarter(text: string, today: string): WrittenPeriod | null {
  const { rest, sort } = splitKind(
    text.replace(/\bquý (iv|i{1,3})\b/, (_, one: string) => `q${one === "iv" ? 4 : one.length}`),
  );
  const found =
    /^(?:q|quý ?)(?<quarter>[1-7])[ /-]*(?<year>\d{4}|\d\d)$/.exec(rest) ??
    /^(?<quarter>[1-4])q[ /-]*(?<year>\d{4}|\d\d)$/.exec(rest) ??
    /^(?<year>\d{4}|\d\d)年?[ /-]*(?:q|第)?(?<quarter>[1-7])(?:四半期|q)?$/.exec(
      rest.replace(/(\d)q(\d)/, "$1 q$2"),
    ) ??
    /^(?<name>first|second|third|fourth|[1-4](?:st|nd|rd|th)) quarter(?: of)? (?<year>\d{4})$/.exec(
      rest,
    );
  const { quarter, year: digits = "", name } = found?.groups ?? {};
  if (!found || !/q|quý|第|quarter/.test(rest)) return null;
  const number = Number(
    quarter ?? (/^\d/.exec(name ?? "")?.[0] || ORDINALS.indexOf(name ?? "") + 1),
  );
  const year = wholeYear(digits, today);
  // Quarters 5 to 7 are between two fiscal years.
  const end = number > 4 ? "" : lastDayOf(`${year}-Q${number}`);
  return {
    unit: "quarter",
    from: end && `${year}-${String(3 * number - 2).padStart(2, "0")}-01`,
    to: end,
    year,
    quarter: number,
    sort: number > 4 ? "fiscal" : sort,
    basis: null,
  };
}

const ORDINALS = ["first", "second", "third", "fourth"];

function readYear(text: string, today: string): WrittenPeriod | null {
  const { rest, sort } = splitKind(text);
  const [, digits, next] =
    /^(?:năm )?(\d{4}|(?<=^)\d\d(?=$))(?:年)?(?:[/-](\d{4}|\d\d))?(?: ?a)?$/.exec(rest) ?? [];
  if (digits === undefined || (digits.length < 4 && sort === null)) return null;
  const year = wholeYear(digits, today);
  if (year < 1900 || year > 2200) return null;
  const isTwo = next !== undefined;
  if (isTwo && Number(next) % 100 !== (year + 1) % 100) return null;
  return {
    ...EMPTY,
    unit: "year",
    from: `${year}-01-01`,
    to: `${year}-12-31`,
    year,
    sort: isTwo ? "begun" : sort,
    basis: null,
  };
}

/** 2024 for `24`: the year of two digits that is at most ten years ahead. */
function wholeYear(digits: string, today: string): number {
  if (digits.length === 4) return Number(digits);
  const latest = Number(today.slice(0, 4)) + 10;
  return latest - ((latest - Number(digits)) % 100);
}

function readMonth(text: string): WrittenPeriod | null {
  const written = text
    .replace(/^tháng (\d{1,2})(?: năm |[/-])(\d{4})$/, "$2-$1")
    .replace(/^(\d{1,2})[/-](\d{4})$/, "$2-$1");
  const [from, to] = [readDate(written, "first"), readDate(written, "last")];
  // A text that is a year or a quarter was read before.
  if (from === null || to === null || from > to || addDays(from, 31) < to) return null;
  return { ...EMPTY, unit: "month", from, to, basis: null };
}
