import { serviceNow, timeNow } from "./clock.ts";
import { dateOf } from "./days.ts";
import { reader } from "./reader.ts";

/** What is shown for a missing value. */
export const MISSING = "—";

/** The units of large numbers, largest first, with the space before them. Intl writes tỷ as T, which is a trillion in English. */
const UNITS = {
  en: [
    [1e12, " T"],
    [1e9, " B"],
    [1e6, " M"],
    [1e3, " K"],
  ],
  ja: [
    [1e12, "兆"],
    [1e8, "億"],
    [1e4, "万"],
  ],
  vi: [
    [1e12, " nghìn tỷ"],
    [1e9, " tỷ"],
    [1e6, " triệu"],
    [1e3, " nghìn"],
  ],
} as const;

/** The units of the reader's language. */
export const unitsNow = () => UNITS[reader.value.language];

/** The names of currencies after an amount. Other languages and currencies show the code. */
const CURRENCIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ja: { JPY: "円", USD: "ドル", VND: "ドン" },
  vi: { JPY: " yên", VND: " đồng" },
};

/** What follows an amount in a currency, with the space before it: ` USD`, `円`, ` đồng`. */
export const currencyUnit = (currency: string): string =>
  CURRENCIES[reader.value.language]?.[currency] ?? ` ${currency}`;

/** The forms of each language. British dates name their month. */
const LOCALES = { en: "en-GB", ja: "ja-JP", vi: "vi-VN" } as const;
/** The locale of the reader: `ja-JP`. */
export const localeNow = () => LOCALES[reader.value.language];
/** True if the reader's language is English. */
export const isEnglish = () => reader.value.language === "en";

/** Texts one after the other: `AAPL, MSFT`. */
export const formatList = (texts: readonly string[]): string =>
  texts.join(reader.value.language === "ja" ? "、" : ", ");

/** Formats are slow to make. */
const numberFormats = new Map<string, Intl.NumberFormat>();
const dateFormats = new Map<string, Intl.DateTimeFormat>();

/** A number in the reader's language with a true minus sign. */
export function numberText(value: number, options: Intl.NumberFormatOptions): string {
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

/** A figure that the service gives as text, in the form of the reader: `−2.10%`, `4.31 T USD` as `4,31 nghìn tỷ USD`. */
export function formatText(text: string): string {
  const [, sign = "", whole = "", decimals = "", unit, rest = ""] = FIGURE.exec(text) ?? [];
  if (isEnglish() || whole === "") return text.replace(/^-(?=[\d.])/, "−");
  const size = UNITS.en.find(([, name]) => name.trim() === unit)?.[0] ?? 1;
  const value = Number(`${whole.replaceAll(",", "")}.${decimals || 0}`) * size;
  const [own, name] = unit ? unitOf(value) : ([1, ""] as const);
  // A larger unit shows as many digits as the text has, and no digit that is not known.
  const shown = decimals.length + Math.round(Math.log10(own / size));
  const digits = {
    minimumFractionDigits: Math.max(0, shown),
    maximumFractionDigits: Math.max(0, shown),
  };
  const number = numberText(value / own, {
    ...digits,
    useGrouping: unit !== undefined || whole.includes(",") || whole.length < 4,
  });
  const currency = /^ ([A-Z]{3})$/.exec(rest)?.[1];
  return sign.replace("-", "−") + number + name + (currency ? currencyUnit(currency) : rest);
}

/** The largest unit of the reader's language that a number has, and its name. */
const unitOf = (value: number) =>
  unitsNow().find(([one]) => Math.abs(value) >= one) ?? ([1, ""] as const);

/** A large number in three to five digits and a unit: `5.51 T`, `79.26 M`, `812`; `5.51兆`, `5,51 nghìn tỷ`. */
export function formatShort(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return MISSING;
  const [size, unit] = unitOf(value);
  const isWhole = size === 1 ? Number.isInteger(value) : unit === "万" && Math.abs(value) >= 1e6;
  return formatNumber(value / size, isWhole ? 0 : 2) + unit;
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

/** A figure per share, such as earnings or a dividend: `3.26`, `326.96` and `49` JPY, `1.413` VND. */
export const formatPerShare = (value: number | null | undefined, currency = ""): string =>
  currency === "VND" || (currency === "JPY" && Number.isInteger(value))
    ? formatNumber(value, 0)
    : formatPrice(value);

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
  roe: "ROE",
  roic: "ROIC",
};

/** The name of a column as words: `operating_cash_flow` as `Operating cash flow`, `debt_to_equity` as `Debt / equity`. */
export function formatName(name: string): string {
  const words = name.split("_").map((word) => CAPITALS[word] ?? word);
  const text = words
    .join(" ")
    .replace(/(?<=^EV) to /, "/")
    .replace(" to ", " / ");
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
  return withoutSpaces(numberText(value, { style: "unit", unit, unitDisplay: "long" }));
}

/** Japanese has no spaces. */
const withoutSpaces = (text: string) =>
  reader.value.language === "ja" ? text.replaceAll(/\s/g, "") : text;

/** The parts of a day. Intl's forms of Vietnamese write `thg 11`, which people do not. */
export const dayParts = () =>
  reader.value.language === "vi"
    ? ({ day: "2-digit", month: "2-digit" } as const)
    : ({ day: "numeric", month: "short" } as const);

/** A calendar date: `20 Nov 2026`, `2026/11/20`, `20/11/2026`. @param date `2026-11-20` */
export function formatDate(date: string): string {
  return dateText(Date.parse(date.slice(0, 10)), { ...dateParts(), timeZone: "UTC" });
}

const dateParts = () =>
  reader.value.language === "vi"
    ? ({ ...dayParts(), year: "numeric" } as const)
    : ({ dateStyle: "medium" } as const);

/** The month of a date: `Nov 2026`, `2026年11月`, `11/2026`. @param date `2026-11` or `2026-11-20` */
export function formatMonth(date: string): string {
  return dateText(Date.parse(`${date.slice(0, 7)}-01`), {
    // The short form of Vietnamese, `thg 11 2026`, is hard to read.
    month: reader.value.language === "vi" ? "numeric" : "short",
    year: "numeric",
    timeZone: "UTC",
  });
}

/** A day: `Wed 25 Nov`, `Thứ Tư 25/11`. @param date `2026-11-25` */
export function formatDay(date: string): string {
  const weekday = reader.value.language === "vi" ? "long" : "short";
  const text = dateText(Date.parse(date), { timeZone: "UTC", weekday, ...dayParts() });
  return weekday === "long" ? text.replace(",", "") : text;
}

/** A day without its weekday and year: `20 Nov`, `20/11`. @param date `2026-11-20` */
export const formatDayOfMonth = (date: string) =>
  // Without a year, Intl writes `20-11` in Vietnamese.
  dateText(Date.parse(date), { timeZone: "UTC", ...dayParts() }).replace("-", "/");

/** An instant in the reader's time zone: `20 Nov 2026, 14:05`, `20/11/2026 14:05`. @param at UTC milliseconds */
export function formatInstant(at: number): string {
  if (reader.value.language !== "vi")
    return dateText(at, { dateStyle: "medium", timeStyle: "short" });
  return `${dateText(at, dateParts())} ${formatTime(at)}`;
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

/** A length of time: `45 s`, `12 min`, `3 h`, `5 days`; `12分`, `12 phút`. */
export function formatDuration(seconds: number): string {
  const [size, unit, name] = spanOf(seconds);
  const count = Math.round(seconds / size);
  return isEnglish()
    ? `${count} ${name}`
    : withoutSpaces(numberText(count, { style: "unit", unit }));
}

/** The time that is left, below a day in hours and minutes: `2:14`, `3 days`; a part of a minute counts as one. */
export function formatCountdown(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  if (minutes >= 24 * 60) return formatDuration(ms / 1_000);
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}`;
}

/** How long ago an instant of the service was: `12 min ago`, `yesterday`, `12分前`. @param at UTC milliseconds */
export function formatAgo(at: number): string {
  const now = serviceNow();
  const ms = Math.min(0, at - now);
  return isEnglish() && !isDays(ms) ? `${formatDuration(-ms / 1000)} ago` : relative(ms, now);
}

/** The time until an instant: `in 12 min`, `tomorrow`, `12分後`. @param at UTC milliseconds */
export function formatUntil(at: number): string {
  const now = timeNow();
  const ms = Math.max(0, at - now);
  return isEnglish() && ms > 0 && !isDays(ms)
    ? `in ${formatDuration(ms / 1000)}`
    : relative(ms, now);
}

const isDays = (ms: number) => spanOf(Math.abs(ms) / 1000)[1] === "day";

/** A time from `now`. Days follow the reader's calendar: after 40 hours it is tomorrow or the day after. */
function relative(ms: number, now: number): string {
  const [size, unit] = spanOf(Math.abs(ms) / 1000);
  const count = isDays(ms)
    ? (Date.parse(dateOf(now + ms)) - Date.parse(dateOf(now))) / 86_400_000
    : Math.round(ms / 1000 / size);
  const format = new Intl.RelativeTimeFormat(localeNow(), { style: "short", numeric: "auto" });
  return withoutSpaces(format.format(count, unit));
}
