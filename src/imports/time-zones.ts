import { instantIn } from "#lib/zone.ts";
import { normalForm } from "#lib/normal-form.ts";

/** A time zone: minutes that it is ahead of UTC, or its name in the IANA database. */
export type TimeZone = number | string;

/** A time of day behind a date, as a pattern with named groups: 15:00, 4:00:00 PM, 17:35 Uhr. */
export const TIME_OF_DAY = String.raw`(?:(?:T|,? +)(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2}(?:[.,]\d+)?))?(?: ?(?:(?<half>[AP]M)(?![A-Z])|Uhr))?)`;

/** The zone behind a time, as a pattern with a named group: `Z`, `+09:00`, `GMT+7`, `JST`, `Asia/Tokyo`, and a name in brackets that repeats it. */
export const ZONE = String.raw`(?: ?(?<zone>(?:UTC|GMT)?[+-]\d{1,2}(?::?\d{2})?|[A-Z]{1,5}|\[?[A-Z][a-z]+(?:\/[A-Z][A-Za-z_-]+){1,2}\]?)(?: ?(?:\([\p{L} ]+\)|\[[A-Za-z_/-]+\]))?)`;

/** Abbreviations that mean one zone only. CST, IST and BST mean several. */
const ABBREVIATIONS: Readonly<Record<string, TimeZone>> = {
  Z: 0,
  UT: 0,
  UTC: 0,
  GMT: 0,
  JST: 9 * 60,
  KST: 9 * 60,
  ICT: 7 * 60,
  WIB: 7 * 60,
  HKT: 8 * 60,
  SGT: 8 * 60,
  EST: -5 * 60,
  EDT: -4 * 60,
  ET: "America/New_York",
  CDT: -5 * 60,
  CT: "America/Chicago",
  MST: -7 * 60,
  MDT: -6 * 60,
  MT: "America/Denver",
  PST: -8 * 60,
  PDT: -7 * 60,
  PT: "America/Los_Angeles",
  WET: 0,
  CET: 60,
  MEZ: 60,
  MESZ: 2 * 60,
  CEST: 2 * 60,
  EET: 2 * 60,
  EEST: 3 * 60,
  MSK: 3 * 60,
  AEST: 10 * 60,
  AEDT: 11 * 60,
};

/** Zones in other words, by their abbreviation. */
const IN_WORDS: readonly (readonly [words: RegExp, abbreviation: string])[] = [
  [/日本(?:時間|標準時)|東京|\btokyo\b|\bjapan\b/i, "JST"],
  [/(?:協定)?世界(?:時|標準時)/, "UTC"],
  [/米国?東部(?:時間|標準時)|ニューヨーク|\bnew york\b|\beastern\b/i, "ET"],
  [/giờ (?:việt nam|hà nội)|\bha ?noi\b|\bho chi minh\b|\bsaigon\b|\bindochina\b/i, "ICT"],
  [/\blondon\b/i, "Europe/London"],
];

/** Abbreviations of several zones. */
const AMBIGUOUS: ReadonlySet<string> = new Set(["CST", "IST", "BST", "AST", "SST", "ECT"]);

/** The zone of a text such as `JST`, `GMT+7`, `+0900` or `Asia/Tokyo`; null if it has no certain meaning. */
export function zoneOf(written: string): TimeZone | null {
  const text = written.trim().replace(/^\[(.*)\]$/, "$1");
  const [, sign, hours, minutes = "0"] =
    /^(?:UTC|GMT)?([+-])(\d{1,2}):?(\d{2})?$/i.exec(text) ?? [];
  if (sign !== undefined) {
    const ahead = Number(hours) * 60 + Number(minutes);
    return ahead > 14 * 60 ? null : sign === "-" ? -ahead : ahead;
  }
  return ABBREVIATIONS[text.toUpperCase()] ?? (isNameOfZone(text) ? text : null);
}

function isNameOfZone(text: string): boolean {
  if (!/^[A-Z]\w+\/[\w+/-]+$/i.test(text)) return false;
  try {
    instantIn(text, "2024-01-02", "00:00");
    return true;
  } catch {
    return false;
  }
}

/** The zone that a header names, as written: UTC of `Date (UTC)`, `time_utc` and `GMT time`; null if it names none. */
export function zoneInHeader(name: string): string | null {
  const [, inWords] = IN_WORDS.find(([pattern]) => pattern.test(normalForm(name, "NFC"))) ?? [];
  const [named] = /[A-Z][A-Za-z]+\/[A-Za-z_]+/.exec(name) ?? [];
  if (named !== undefined && isNameOfZone(named)) return named;
  if (inWords !== undefined) return inWords;
  const words = normalForm(name, "NFKC").split(/[\s_()[\],.]+/);
  const isZone = (word: string) =>
    AMBIGUOUS.has(word.toUpperCase()) || (word.length > 1 && zoneOf(word) !== null);
  return words.find(isZone) ?? null;
}

/** A word for the zone of all times of a table. `Export time` is about another time. */
const LABEL =
  /(?:\btime ?zone|\btz\b|\btimes\b|タイムゾーン|múi giờ|\bzeitzone|\bfuseau horaire|\bzona horaria)[\s:：=;]*/iu;

/** The zone that a line before a header names, as written: UTC of `Timezone: UTC` and `All times in UTC`; null if it names none. */
export function zoneInNote(line: string): string | null {
  const text = normalForm(line, "NFC").slice(0, 300);
  const [label] = LABEL.exec(text) ?? [];
  return label === undefined ? null : zoneInHeader(text.slice(text.indexOf(label) + label.length));
}

/** The instant, in UTC milliseconds, of a local date and minutes after midnight in a zone. */
export function instantOf(date: string, minutes: number, zone: TimeZone): number {
  const midnight = typeof zone === "string" ? null : Date.parse(date) - zone * 60_000;
  if (midnight !== null) return midnight + minutes * 60_000;
  const two = (part: number) => String(Math.floor(part)).padStart(2, "0");
  return instantIn(String(zone), date, `${two(minutes / 60)}:${two(minutes % 60)}`);
}
