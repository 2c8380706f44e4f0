import { COUNTRY_CODES, COUNTRIES, type Country, CountryCode } from "#domain/country.ts";
import type { EnumKeywords } from "#domain/schema.ts";
import { normalForm } from "#lib/normal-form.ts";
import { quote, refused } from "#operations/reading/metric-query.ts";

// The events and briefs of rules, in the words of three languages.

/** An event of an instrument. */
export type InstrumentEventRule = { readonly kind: "event"; readonly text: string } & (
  | {
      readonly event: "earnings" | "ex_date";
      /** Days before the event, 0 for its own day. */
      readonly days: number;
    }
  | { readonly event: "statement" | "rating_change" }
);

/** The release of a figure of an economy. */
export interface ReleaseRule {
  readonly kind: "event";
  readonly text: string;
  readonly event: "release";
  readonly country: Country;
  /** What `findMacroSeries` reads: `CPI`. */
  readonly series: string;
}

/** An event of an instrument, or a release. */
export type EventRule = InstrumentEventRule | ReleaseRule;

/** A message about what changed for a list, at a time in the zone of the user. */
export interface BriefRule {
  readonly kind: "brief";
  readonly text: string;
  /** 1 for Monday to 7 for Sunday; null for every day. */
  readonly weekday: number | null;
  /** `07:30` in the zone of the user. */
  readonly time: string;
}

/** Days before a report if a rule names none, and the most days. */
const DEFAULT_DAYS = 1;
const MAX_DAYS = 30;

/** The words for the events of an instrument. */
const EVENTS = {
  earnings:
    "earnings|earnings report|report|next report|results|決算|決算発表|次の決算|kết quả kinh doanh|kqkd|công bố kết quả kinh doanh",
  ex_date:
    "ex_date|ex date|ex-date|exdate|ex-dividend|ex dividend|ex-dividend date|ex dividend date|next_ex_date|権利落ち|権利落ち日|配当落ち|配当落ち日|gdkhq|ngày gdkhq|ngày giao dịch không hưởng quyền",
  statement:
    "statement|new statement|statements|filing|new filing|決算書|新しい決算書|財務諸表|báo cáo tài chính|báo cáo tài chính mới|có báo cáo tài chính mới|bctc",
  rating_change:
    "rating_change|rating change|rating changes|new rating|評価の変更|アナリスト評価の変更|格付け変更|レーティング変更|レーティングの変更|đổi khuyến nghị|thay đổi khuyến nghị",
} as const;
type Event = keyof typeof EVENTS;

/** Each word for an event, and the form of a rule that it begins. */
export const EVENT_WORDS: ReadonlyMap<string, string> = new Map([
  ...(Object.entries(EVENTS) as [Event, string][]).flatMap(([event, words]) =>
    words.split("|").map((word) => [word, formOf(event, DEFAULT_DAYS)] as const),
  ),
  ["release", "release CPI JP"],
  ["brief", "brief daily 07:30"],
]);

function formOf(event: Event, days: number): string {
  return event === "earnings" || event === "ex_date" ? `${event} in ${days}d` : event;
}

const findEvent = (text: string): Event | null => {
  const wanted = text.trim().toLowerCase();
  const [event = null] =
    (Object.entries(EVENTS) as [Event, string][]).find(([, words]) =>
      words.split("|").includes(wanted),
    ) ?? [];
  return event;
};

/** Days, and how many days each unit has. Hours have no place: the days of reports are known, their hours are not. */
const UNITS: readonly (readonly [unit: RegExp, days: number])[] = [
  [/^(?:d|days?|日|ngày)$/i, 1],
  [/^(?:w|wks?|weeks?|週間?|tuần)$/i, 7],
];
/** `earnings in 1d`, `決算の1日前`, `gdkhq trong 2 ngày`, `2 days before earnings`. */
const LEADS = [
  /^(?<event>.+?) (?:in|within|trong(?: vòng)?|trước) (?:(?<count>\d+) ?|(?:an?|one|một) )(?<unit>\p{L}+)$/iu,
  /^(?:(?<count>\d+) ?|(?:an?|one|một) )(?<unit>\p{L}+) (?:before|ahead of|trước)(?: the)? (?<event>.+)$/iu,
  /^(?<event>.+?)(?:の|まで)? ?(?<count>\d+) ?(?<unit>日|週間|時間)(?:前|以内)?$/u,
];
const DAY_WORDS =
  /^(?<event>.+?)[ の]?(?:(?<today>today|今日|本日|当日|hôm nay)|tomorrow|明日|前日|ngày mai)$/iu;

/**
 * The event that a text names: `earnings in 1d`. Null for another text.
 *
 * @throws BourseError `invalid_argument` about `when` if a part of an event cannot be read
 */
export function readEvent(text: string): EventRule | null {
  const whole = findEvent(text);
  if (whole !== null) return eventOf(whole, null, text);
  const { event: near = "", today } = DAY_WORDS.exec(text)?.groups ?? {};
  const byDay = findEvent(near);
  if (byDay !== null) return eventOf(byDay, today === undefined ? 1 : 0, text);
  for (const lead of LEADS) {
    const { event: name = "", count, unit = "" } = lead.exec(text)?.groups ?? {};
    const event = findEvent(name);
    if (event === null) continue;
    const [, days] = UNITS.find(([known]) => known.test(unit)) ?? [];
    // A week is one week.
    const number = /^\d/.test(count ?? "") ? Number(count) : 1;
    if (days !== undefined) return eventOf(event, number * days, text);
    throw refused("when", `when counts days or weeks before an event, not ${quote(unit)}.`, {
      hint: `Write it as ${formOf(event, DEFAULT_DAYS)}.`,
    });
  }
  // Last, because the day of a report is announced in the same words: 決算発表.
  return readRelease(text);
}

/** @throws BourseError for days beside an event that has none, and for too many */
function eventOf(event: Event, days: number | null, written: string): EventRule {
  if (event === "statement" || event === "rating_change") {
    if (days === null) return { kind: "event", event, text: event };
    throw refused(
      "when",
      `No day of a ${event} is known before, so ${quote(written)} has no meaning.`,
      {
        hint: `Write ${event} for the day on which it becomes known.`,
      },
    );
  }
  const ahead = days ?? DEFAULT_DAYS;
  if (ahead <= MAX_DAYS) return { kind: "event", event, days: ahead, text: formOf(event, ahead) };
  throw refused("when", `when names an event up to ${MAX_DAYS} days ahead, not ${ahead}.`);
}

/** In lower case without the marks of letters, each letter in its place. */
const folded = (text: string) => normalForm(text, "NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();

/** The names of the countries, the longest first: `the united states`, `日本`. */
const COUNTRY_NAMES: readonly (readonly [name: string, country: Country])[] = [
  ["viet nam", "VN"] as const,
  ...COUNTRY_CODES.flatMap((code) => [
    [code.toLowerCase(), code] as const,
    [folded(COUNTRIES[code].name), code] as const,
  ]),
  ...Object.entries((CountryCode as EnumKeywords).aliases ?? {}).map(
    ([name, code]) => [folded(name), code as Country] as const,
  ),
].toSorted(([a], [b]) => b.length - a.length);

function readRelease(text: string): EventRule | null {
  const [, after, before] =
    /^(?:releases?|publication|発表|công bố)(?: of)? (.+)$|^(.+?)の?(?:発表|公表)$/iu.exec(text) ??
    [];
  const written = after ?? before;
  if (written === undefined) return null;
  const lower = folded(written);
  for (const [name, country] of COUNTRY_NAMES) {
    // Names in letters end at a blank; 日本 may stand beside the next word.
    const gap = /^[a-z]/.test(name) ? " " : "";
    const isLast = lower.endsWith(gap + name);
    if (!isLast && !lower.startsWith(name + gap)) continue;
    const rest = isLast ? written.slice(0, -name.length) : written.slice(name.length);
    const series = rest.replaceAll(/^(?:の| )+|(?: (?:in|of|của|for))?(?:の| |,)*$/gu, "").trim();
    if (series !== "")
      return {
        kind: "event",
        event: "release",
        country,
        series,
        text: `release ${series} ${country}`,
      };
  }
  throw refused(
    "when",
    `when must name the series and the country of a release, not ${quote(text)}.`,
    {
      hint: `Write it as release CPI JP. Countries are ${COUNTRY_CODES.join(", ")}.`,
    },
  );
}

const BRIEF =
  /^(?:(?:the )?(?:daily |weekly )?brief(?:ing)?|ブリーフ|まとめ|bản tin|tóm tắt)(?= |$|[毎\d])/iu;
const DAILY = /^(?:daily|every ?day|each day|毎日|hằng ngày|hàng ngày|mỗi ngày)$/iu;
const WEEKLY = /^(?:weekly|every|each|every week|毎週|hằng tuần|hàng tuần|mỗi tuần)$/iu;
/** The days of a week, Monday first. */
const WEEKDAYS = [
  "mon|monday|月|月曜|月曜日|thứ hai|thứ 2|t2",
  "tue|tues|tuesday|火|火曜|火曜日|thứ ba|thứ 3|t3",
  "wed|wednesday|水|水曜|水曜日|thứ tư|thứ 4|t4",
  "thu|thur|thurs|thursday|木|木曜|木曜日|thứ năm|thứ 5|t5",
  "fri|friday|金|金曜|金曜日|thứ sáu|thứ 6|t6",
  "sat|saturday|土|土曜|土曜日|thứ bảy|thứ 7|t7",
  "sun|sunday|日|日曜|日曜日|chủ nhật|cn",
];
const DAY_CODES = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
/** In Japanese, the days can stand before: `毎日7時半にブリーフ`. */
const DAYS_FIRST = /^(毎.+?)[にの ]*(ブリーフ|まとめ)$/u;
/** `07:30`, `7:30 pm`, `19h30`, `7 giờ 30`, `午後7時半`, `7am`. */
const TIME =
  /(?:^|(?<=[\s日曜毎]))(午前|午後)?(\d{1,2})(?:(?::|h|時| ?giờ ?)(\d\d|半|rưỡi)?分?)? ?(am|pm)?(?=$|[\s,])/iu;

/**
 * The brief that a text names: `brief daily 07:30`, `brief weekly mon 07:30`. Null for another text.
 *
 * @throws BourseError `invalid_argument` about `when` if its days or its time cannot be read
 */
export function readBrief(written: string): BriefRule | null {
  const text = written.replace(DAYS_FIRST, "$2 $1");
  const [head] = BRIEF.exec(text) ?? [];
  if (head === undefined) return null;
  const day = /^daily |^weekly /i.exec(head)?.[0] ?? "";
  const body = `${day}${text.slice(head.length)}`.trim();
  const found = [...body.matchAll(new RegExp(TIME, "giu"))].findLast(
    ([, half, , minutes, suffix], i, all) =>
      half ?? minutes ?? suffix ?? (i === all.length - 1 || null),
  );
  const time = found && clockOf(found);
  if (!found || time === undefined) {
    throw briefRefused(
      `A brief needs its time of day, such as 07:30, and ${quote(text)} has none.`,
    );
  }
  const words = `${body.slice(0, found.index)} ${body.slice(found.index + found[0].length)}`;
  const named = words
    .replaceAll(/(?:^| )(?:at|on|lúc|vào|các)(?= |$)|[,にの]/giu, " ")
    .replace(/(毎日|毎週)/u, " $1 ")
    .trim()
    .replaceAll(/\s+/g, " ");
  const weekday = weekdayOf(named, text);
  const text_ = weekday === null ? "daily" : `weekly ${DAY_CODES[weekday - 1]}`;
  return { kind: "brief", weekday, time, text: `brief ${text_} ${time}` };
}

/** `19:30` of the groups of `TIME`; undefined if there is no such time. */
function clockOf([, half, written = "", spoken = "00", suffix]: RegExpExecArray):
  string | undefined {
  const minutes = /^\d/.test(spoken) ? spoken : "30";
  const hour = Number(written);
  const isHalf = half !== undefined || suffix !== undefined;
  const isLater = half === "午後" || suffix?.toLowerCase() === "pm";
  if (hour > (isHalf ? 12 : 23) || Number(minutes) > 59) return undefined;
  const hours = isHalf ? (hour % 12) + (isLater ? 12 : 0) : hour;
  return `${String(hours).padStart(2, "0")}:${minutes}`;
}

/** 1 for Monday to 7 for Sunday, null for every day. @throws BourseError for other words */
function weekdayOf(named: string, text: string): number | null {
  if (named === "" || DAILY.test(named)) return null;
  const isDay = (day: string) =>
    WEEKDAYS.findIndex((names) => names.split("|").includes(day.toLowerCase()));
  const words = named.split(" ");
  for (const from of [0, 1]) {
    const day = isDay(words.slice(from).join(" "));
    if (day >= 0 && (from === 0 || WEEKLY.test(words[0] ?? ""))) return day + 1;
  }
  // In Vietnamese the day can stand before: thứ hai hằng tuần.
  const last = isDay(words.slice(0, -2).join(" "));
  if (last >= 0 && WEEKLY.test(words.slice(-2).join(" "))) return last + 1;
  if (WEEKLY.test(named))
    throw briefRefused(`A weekly brief needs its day, and ${quote(text)} has none.`);
  if (/\b(?:utc|gmt|[a-z]{1,2}st|[a-z]{1,2}dt|jst|ict)\b|[+-]\d\d|\w\/\w/i.test(named)) {
    throw refused(
      "when",
      `The time of a brief is in your own time zone, so ${quote(text)} cannot name one.`,
      {
        hint: "Leave the zone out. The settings of the console have your time zone.",
      },
    );
  }
  throw briefRefused(`A brief is daily, or weekly on a day, not ${quote(named)}.`);
}

const briefRefused = (message: string) =>
  refused("when", message, { hint: "Write it as brief daily 07:30 or brief weekly mon 07:30." });
