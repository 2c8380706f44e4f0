import { timeNow } from "./clock.ts";
import { dateOf } from "./days.ts";
import { reader } from "./reader.ts";

/** What is shown for a missing value. */
export const MISSING = "—";

/** The units of large numbers in English. Others have words of their own: 兆 is 10¹², tỷ is 10⁹. */
const UNITS = [
  [1e12, "T"],
  [1e9, "B"],
  [1e6, "M"],
  [1e3, "K"],
] as const;

/** The forms of each language. British dates name their month. */
const LOCALES = { en: "en-GB", ja: "ja-JP", vi: "vi-VN" } as const;
/** The locale of the reader: `ja-JP`. */
export const localeNow = () => LOCALES[reader.value.language];
const isEnglish = () => reader.value.language === "en";

/** Texts one after the other: `AAPL, MSFT`. */
export const formatList = (texts: readonly string[]): string =>
  texts.join(reader.value.language === "ja" ? "、" : ", ");

/** Formats are slow to make. */
const numberFormats = new Map<string, Intl.NumberFormat>();
const dateFormats = new Map<string, Intl.DateTimeFormat>();

function numberText(value: number, options: Intl.NumberFormatOptions): string {
  const key = JSON.stringify([localeNow(), options]);
  let format = numberFormats.get(key);
  if (!format) numberFormats.set(key, (format = new Intl.NumberFormat(localeNow(), options)));
  return format.format(value).replace("-", "−");
}

/** An instant in the reader's language and time zone. @param at UTC milliseconds */
export function dateText(at: number, options: Intl.DateTimeFormatOptions): string {
  const { timeZone } = reader.value;
  const all = { ...(timeZone !== undefined && { timeZone }), ...options };
  const key = JSON.stringify([localeNow(), all]);
  let format = dateFormats.get(key);
  if (!format) dateFormats.set(key, (format = new Intl.DateTimeFormat(localeNow(), all)));
  return format.format(at);
}

/** A number with the separators of the reader and a true minus sign: `1,234.50`, `−2.10`. */
export function formatNumber(value: number | null | undefined, digits = 2): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return MISSING;
  return numberText(value, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** A figure in English as the service writes it: its sign, digits, unit, and what follows. */
const FIGURE = /^([+-]?)(\d[\d,]*)(?:\.(\d+))?(?: ?([KMBT])(?![A-Za-z]))?(%?(?: \D*)?)$/;

/** A figure that the service gives as text, in the form of the reader: `−2.10%`, `4.31 T USD` as `4,31 NT USD`. */
export function formatText(text: string): string {
  const [, sign = "", whole = "", decimals = "", unit, rest = ""] = FIGURE.exec(text) ?? [];
  if (isEnglish() || whole === "") return text.replace(/^-(?=[\d.])/, "−");
  const size = UNITS.find(([, name]) => name === unit)?.[0] ?? 1;
  const value = Number(`${whole.replaceAll(",", "")}.${decimals || 0}`) * size;
  const digits = { minimumFractionDigits: decimals.length, maximumFractionDigits: decimals.length };
  const shown = unit
    ? formatShort(value)
    : numberText(value, { ...digits, useGrouping: whole.includes(",") || whole.length < 4 });
  return sign.replace("-", "−") + shown + rest;
}

/** A large number in three to five digits and a unit: `5.51 T`, `79.26 M`, `812`; `5.51兆`, `5,51 NT`. */
export function formatShort(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return MISSING;
  if (!isEnglish() && Math.abs(value) >= 1000) {
    return numberText(value, {
      notation: "compact",
      maximumFractionDigits: 2,
      useGrouping: true,
    });
  }
  const [size, unit] = UNITS.find(([one]) => Math.abs(value) >= one) ?? [1, ""];
  const digits = size === 1 && Number.isInteger(value) ? 0 : 2;
  return `${formatNumber(value / size, digits)} ${unit}`.trim();
}

/** The sizes of units, smallest first: 万, 億 and 兆 in Japanese. */
const SIZES = {
  en: [1, 1e3, 1e6, 1e9, 1e12],
  ja: [1, 1e4, 1e8, 1e12],
  vi: [1, 1e3, 1e6, 1e9, 1e12],
};

/**
 * The form of large numbers that are read side by side: all in the unit of the smallest, `988.74 B` and `1,010.00 B`,
 * or in a larger one if the largest would have more than four digits before the point.
 */
export function formatInOneUnit(
  values: readonly (number | null)[],
): (value: number | null) => string {
  const sizes = values.flatMap((value) => (value ? [Math.abs(value)] : []));
  const units = SIZES[reader.value.language];
  const least = units.findLast((unit) => unit <= Math.min(...sizes)) ?? 1;
  const size = units.find((unit) => unit >= least && Math.max(...sizes) / unit < 1e4) ?? least;
  const digits = size === 1 && sizes.every(Number.isInteger) ? 0 : 2;
  const name = isEnglish()
    ? ` ${UNITS.find(([one]) => one === size)?.[1] ?? ""}`.trimEnd()
    : numberText(size, { notation: "compact" }).replace("1", "");
  return (value) => (value === null ? MISSING : formatNumber(value / size, digits) + name);
}

/** Currencies without a smaller unit. Yen prices up to 3,000 have tenths on TSE. */
const WHOLE = ["JPY", "VND"];

/**
 * A price with as many decimals as its size and currency need: `388.79`, `96,300`, `3,112` JPY, `191.8` JPY,
 * `1.2254`, `0.00001234`.
 */
export function formatPrice(value: number | null | undefined, currency = ""): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return MISSING;
  const size = Math.abs(value);
  if (WHOLE.includes(currency)) {
    const hasTenths = currency === "JPY" && size <= 3_000 && !Number.isInteger(value);
    return formatNumber(value, hasTenths ? 1 : 0);
  }
  if (size >= 10_000 && Number.isInteger(value)) return formatNumber(value, 0);
  return formatNumber(value, size >= 10 ? 2 : decimalsOf(value));
}

/** The number of decimals with which a price is written: at least 2, at most 10. */
export function decimalsOf(price: number): number {
  const [, decimals = ""] = Number(price.toPrecision(7)).toFixed(10).replace(/0+$/, "").split(".");
  return Math.max(2, decimals.length);
}

/** Labels of the API that are cut short, or have another name everywhere else in the console. */
const LABELS: Readonly<Record<string, string>> = {
  "Mkt cap": "Market cap",
  "Chg %": "1 day",
  "Div yield %TTM": "Dividend yield",
  "MACD (12,26)Level": "MACD (12,26) level",
  "Op income": "Operating income",
  "EPS dil": "EPS diluted",
  "EPS dil growth": "EPS diluted growth",
  "Operating CF": "Operating cash flow",
  "Investing CF": "Investing cash flow",
  "Financing CF": "Financing cash flow",
  CAPEX: "Capital expenditure",
};

/** A display label of the API in words: `EPS dilTTM` as `EPS diluted TTM`. */
export function formatLabel(label: string): string {
  if (LABELS[label] !== undefined) return LABELS[label];
  const [, name = label, period = ""] =
    /^(.*[a-z%A-Z])((?:TTM|FQ|Current)(?: .*)?)$/.exec(label) ?? [];
  return `${LABELS[name] ?? name} ${period}`.trim();
}

/** Words of names that are abbreviations. */
const CAPITALS: Readonly<Record<string, string>> = {
  ebit: "EBIT",
  ebitda: "EBITDA",
  eps: "EPS",
  ev: "EV",
  fcf: "FCF",
  pe: "P/E",
  roic: "ROIC",
};

/** The name of a column as words: `operating_cash_flow` as `Operating cash flow`, `ev_to_ebit` as `EV/EBIT`. */
export function formatName(name: string): string {
  const words = name.split("_").map((word) => CAPITALS[word] ?? word);
  const text = words.join(" ").replace(/(?<=^EV) to /, "/");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A percentage with its sign: `+1.25%`. */
export function formatPercent(value: number | null | undefined, digits = 2): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return MISSING;
  return `${value > 0 ? "+" : ""}${formatNumber(value, digits)}%`;
}

/** A percentage that is no change: `1.25%`. */
export function formatPlainPercent(value: number | null | undefined, digits = 2): string {
  const text = formatNumber(value, digits);
  return text === MISSING ? text : `${text}%`;
}

/** Bytes: `12.3 MB`. */
export function formatBytes(bytes: number): string {
  // A no-break space keeps the unit with the number.
  return bytes < 1e6
    ? `${formatNumber(bytes / 1e3, 1)}\u00a0kB`
    : `${formatNumber(bytes / 1e6, 1)}\u00a0MB`;
}

/** A length of time in months: `1.5 months`, `10 years`. */
export function formatMonths(months: number): string {
  const [value, unit] = months % 12 === 0 ? [months / 12, "year"] : [months, "month"];
  const text = numberText(value, { style: "unit", unit, unitDisplay: "long" });
  // Japanese has no spaces.
  return reader.value.language === "ja" ? text.replace(" ", "") : text;
}

/** A calendar date: `20 Nov 2026`, `2026/11/20`, `20 thg 11, 2026`. @param date `2026-11-20` */
export function formatDate(date: string): string {
  return dateText(Date.parse(date.slice(0, 10)), { dateStyle: "medium", timeZone: "UTC" });
}

/** The month of a date: `Nov 2026`, `2026年11月`, `11/2026`. @param date `2026-11` or `2026-11-20` */
export function formatMonth(date: string): string {
  return dateText(Date.parse(`${date.slice(0, 7)}-01`), {
    // The short form of Vietnamese, `thg 11 2026`, is hard to read.
    month: reader.value.language === "vi" ? "numeric" : "short",
    year: "numeric",
    timeZone: "UTC",
  });
}

/** A day: `Wed 25 Nov`. @param date `2026-11-25` */
export function formatDay(date: string): string {
  return dateText(Date.parse(date), {
    timeZone: "UTC",
    weekday: "short",
    day: "numeric",
    month: "short",
  });
}

/** A day without its weekday and year: `20 Nov`. @param date `2026-11-20` */
export const formatDayOfMonth = (date: string) =>
  dateText(Date.parse(date), { timeZone: "UTC", day: "numeric", month: "short" });

/** An instant in the reader's time zone: `20 Nov 2026, 14:05`. @param at UTC milliseconds */
export function formatInstant(at: number): string {
  return dateText(at, { dateStyle: "medium", timeStyle: "short" });
}

/** The time of an instant in the reader's time zone: `09:30`. @param at UTC milliseconds */
export function formatTime(at: number): string {
  return dateText(at, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
}

/** Units of time, each with its seconds, its unit in English, and the seconds from which the next one is used. */
const SPANS = [
  [1, "second", "s", 90],
  [60, "minute", "min", 5400],
  [3600, "hour", "h", 36 * 3600],
  [86_400, "day", "days", Infinity],
] as const;

const spanOf = (seconds: number) => SPANS.find(([, , , end]) => seconds < end) ?? SPANS[3];

/** A length of time: `45 s`, `12 min`, `3 h`, `5 days`; `12 分`, `12 phút`. */
export function formatDuration(seconds: number): string {
  const [size, unit, name] = spanOf(seconds);
  const count = Math.round(seconds / size);
  return isEnglish() ? `${count} ${name}` : numberText(count, { style: "unit", unit });
}

/** The time that is left, below a day in hours and minutes: `2:14`, `3 days`; a part of a minute counts as one. */
export function formatCountdown(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  if (minutes >= 24 * 60) return formatDuration(ms / 1_000);
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}`;
}

/** How long ago an instant was: `12 min ago`, `yesterday`, `12 分前`. @param at UTC milliseconds */
export function formatAgo(at: number): string {
  const ms = Math.min(0, at - timeNow());
  return isEnglish() && !isDays(ms) ? `${formatDuration(-ms / 1000)} ago` : relative(ms);
}

/** The time until an instant: `in 12 min`, `tomorrow`, `12 分後`. @param at UTC milliseconds */
export function formatUntil(at: number): string {
  const ms = Math.max(0, at - timeNow());
  return isEnglish() && ms > 0 && !isDays(ms) ? `in ${formatDuration(ms / 1000)}` : relative(ms);
}

const isDays = (ms: number) => spanOf(Math.abs(ms) / 1000)[1] === "day";

/** A time from now. Days follow the reader's calendar: after 40 hours it is tomorrow or the day after. */
function relative(ms: number): string {
  const [size, unit] = spanOf(Math.abs(ms) / 1000);
  const now = timeNow();
  const count = isDays(ms)
    ? (Date.parse(dateOf(now + ms)) - Date.parse(dateOf(now))) / 86_400_000
    : Math.round(ms / 1000 / size);
  const format = new Intl.RelativeTimeFormat(localeNow(), { style: "short", numeric: "auto" });
  return format.format(count, unit);
}
