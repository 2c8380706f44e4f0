import { type MetricName, METRICS } from "#analytics/metrics.ts";
import { METRIC_TERMS } from "#domain/terms.ts";
import type { UserSettings } from "#domain/user-settings.ts";

/** A language for which the service has words. */
export type TextLanguage = NonNullable<UserSettings["language"]>;

/** The place of each language in tables of words: English, Japanese, Vietnamese. */
export const LANGUAGE_PLACES: Readonly<Record<TextLanguage, 0 | 1 | 2>> = { en: 0, ja: 1, vi: 2 };

const LOCALES: Readonly<Record<TextLanguage, string>> = { en: "en-GB", ja: "ja-JP", vi: "vi-VN" };

/** The units of large numbers, largest first, with the blank before them. */
const UNITS: Readonly<Record<TextLanguage, readonly (readonly [size: number, name: string])[]>> = {
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
};

/** The names of currencies after an amount; others show their code. */
const CURRENCIES: Readonly<Partial<Record<TextLanguage, Readonly<Record<string, string>>>>> = {
  ja: { JPY: "円", USD: "ドル", VND: "ドン" },
  vi: { JPY: " yên", VND: " đồng" },
};

/** A figure as the service writes it: its sign, digits, unit, and what follows. */
const FIGURE = /^([+-]?)(\d[\d,]*)(?:\.(\d+))?(?: ?([KMBT])(?![A-Za-z]))?(%?(?: \D*)?)$/;

/** A figure of a panel in the form of a language: `4.31 T USD` as `4,31 nghìn tỷ USD` in Vietnamese. Leaves other texts. */
export function figureIn(language: TextLanguage, text: string): string {
  const [, sign = "", whole = "", decimals = "", unit, rest = ""] = FIGURE.exec(text) ?? [];
  if (whole === "" || language === "en") return text.replace(/^-(?=\d)/, "−");
  const size = UNITS.en.find(([, name]) => name.trim() === unit)?.[0] ?? 1;
  const value = Number(`${whole.replaceAll(",", "")}.${decimals || 0}`) * size;
  const [own, name] = (unit && UNITS[language].find(([one]) => value >= one)) || ([1, ""] as const);
  // A larger unit shows as many digits as the text has.
  const digits = Math.max(0, decimals.length + Math.round(Math.log10(own / size)));
  const number = (value / own).toLocaleString(LOCALES[language], {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  const [, currency = ""] = /^ ([A-Z]{3})$/.exec(rest) ?? [];
  return sign.replace("-", "−") + number + name + (CURRENCIES[language]?.[currency] ?? rest);
}

/** The name of a metric: `Market cap`, `時価総額`. */
export function metricNameIn(language: TextLanguage, name: MetricName): string {
  if (name in METRIC_TERMS)
    return METRIC_TERMS[name as keyof typeof METRIC_TERMS][LANGUAGE_PLACES[language]];
  const { title, label = name }: { title?: string; label?: string } = METRICS[name];
  return title ?? label.replace(/TTM$/, "");
}

const DIGITS = { day: "2-digit", month: "2-digit", year: "numeric" } as const;
/** The usual form of a date, and with a time. Intl's form of Vietnamese is `27 thg 11, 2026`, which people do not write. */
const DATE_FORMS: Readonly<
  Record<
    TextLanguage,
    readonly [date: Intl.DateTimeFormatOptions, time: Intl.DateTimeFormatOptions]
  >
> = {
  en: [{ dateStyle: "medium" }, { timeStyle: "short" }],
  ja: [{ dateStyle: "long" }, { timeStyle: "short" }],
  vi: [DIGITS, { hour: "2-digit", minute: "2-digit" }],
};

/** A date (`YYYY-MM-DD`) in words: `27 Nov 2026`, `2026年11月27日`, `27/11/2026`. */
export const dateIn = (language: TextLanguage, date: string): string =>
  new Date(`${date}T00:00Z`).toLocaleDateString(LOCALES[language], {
    ...DATE_FORMS[language][0],
    timeZone: "UTC",
  });

/** An instant (UTC milliseconds) in words of a language and a time zone, to the minute. */
export const instantTextIn = (language: TextLanguage, timeZone: string, at: number): string =>
  new Date(at).toLocaleString(LOCALES[language], {
    ...DATE_FORMS[language][0],
    ...DATE_FORMS[language][1],
    timeZone,
  });
