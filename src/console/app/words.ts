import { signal } from "@preact/signals";
import { currencyUnit } from "./format.ts";
import { type Language, reader } from "./reader.ts";
import type { SENTENCES } from "./words/table.ts";

/** A sentence of the console, in English, which is its key in `words/table.ts`. */
export type Sentence = keyof typeof SENTENCES;

declare const shown: unique symbol;

/** A text that is shown as it is: in the reader's language, or a name. `t`, `translate` and `asIs` make it. */
export type Shown = string & { readonly [shown]: true };

/** What a title, a label or another visible part gets: a sentence, or a text that is shown as it is. */
export type Caption = Sentence | Shown;

/** Shows a name, a figure or another text that has no translation. */
export const asIs = (text: string) => text as Shown;

/** What is written in a language: the sentences of the console, and terms of the data by their slugs. */
interface Dictionary {
  readonly default: {
    readonly sentences: Readonly<Partial<Record<string, string>>>;
    readonly terms: Readonly<Partial<Record<string, string>>>;
  };
}

const LOADERS: Readonly<Record<Exclude<Language, "en">, () => Promise<Dictionary>>> = {
  ja: () => import("./words/ja.ts"),
  vi: () => import("./words/vi.ts"),
};

const ENGLISH: Dictionary = { default: { sentences: {}, terms: {} } };
const words = signal(ENGLISH.default);
let asked: Language = "en";

/** Loads the sentences of a language, and then shows everything in it. */
export async function showLanguage(language: Language): Promise<void> {
  asked = language;
  // Without the file, the sentences stay English, and figures have the form of the language.
  const loaded = language === "en" ? ENGLISH : await LOADERS[language]().catch(() => ENGLISH);
  // Another language may have been asked for meanwhile.
  if (asked !== language) return;
  words.value = loaded.default;
  // Without a subscription: the effect that calls this must not follow what this changes.
  reader.value = { ...reader.peek(), language };
}

/** The value of a key of a table; undefined for another, also if every object has it, as `constructor`. */
export const valueAt = <T>(table: Readonly<Partial<Record<string, T>>>, key: string) =>
  Object.hasOwn(table, key) ? table[key] : undefined;

/** A text in the reader's language if it is one of the sentences, also before a currency or a period: `ROE TTM`. */
export function translate(text: string): Shown {
  const { sentences } = words.value;
  const known = valueAt(sentences, text);
  if (known !== undefined) return asIs(known);
  const [, name = "", unit, periods] = /^(.+?)(?:, ([A-Z]{3})| (TTM YoY|TTM|FQ))$/.exec(text) ?? [];
  const figure = valueAt(sentences, name) ?? name;
  if (unit !== undefined) return t("{figure}, {unit}", { figure, unit: currencyUnit(unit).trim() });
  if (periods === undefined) return asIs(text);
  const period = periods.split(" ").map((one) => sentences[one] ?? one);
  return t("{figure} {period}", { figure, period: period.join(" ") });
}

/** What a series shows of its figures, as the last part of a slug. */
const CHANGES: Readonly<Record<string, Sentence>> = {
  yoy: "YoY",
  "y-y": "YoY",
  mom: "MoM",
  "m-m": "MoM",
  qoq: "QoQ",
  "q-q": "QoQ",
  "qoq-annualized": "QoQ annualised",
};

/**
 * The name of an industry, a series or a publication in the reader's language, if it is known: `Auto Manufacturers`,
 * `CPI inflation YoY`, `CPI y/y`.
 */
export function translateTerm(name: string): Shown {
  const slug = name
    .toLowerCase()
    .replaceAll("&", "and")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
  const [, base = "", change = ""] =
    /^(.+?)-(yoy|y-y|mom|m-m|qoq|q-q|qoq-annualized)$/.exec(slug) ?? [];
  const { terms } = words.value;
  const [known, of] = [valueAt(terms, slug), valueAt(terms, base)];
  return asIs(known ?? (of === undefined ? name : `${of} ${t(CHANGES[change] ?? "YoY")}`));
}

/** An English sentence about one: `{count} companies` as `{count} company`. */
const inSingular = (sentence: string) =>
  sentence.replace(/(\{count\} \w+?)(ies|s)\b/, (_, noun: string, end: string) =>
    end === "ies" ? `${noun}y` : noun,
  );

/**
 * A sentence in the reader's language, with values at its names: `t("Page {page}", { page: 2 })`. A currency has its
 * name: `円`.
 */
export function t(
  sentence: Sentence,
  values: Readonly<Record<string, string | number>> = {},
): Shown {
  const known = words.value.sentences[sentence];
  const text = known ?? (String(values["count"]) === "1" ? inSingular(sentence) : sentence);
  const textOf = (name: string, key: string) => {
    const value = String(values[key] ?? name);
    return key === "currency" ? currencyUnit(value).trim() : value;
  };
  return asIs(text.replace(/\{(\w+)\}/g, textOf));
}

/** The language of a name, which screen readers pronounce. @param country `JP` */
export function languageOfName(name: string, country: string): Language {
  if (/[\u3040-\u30ff\u4e00-\u9fff]/.test(name)) return "ja";
  return country === "VN" && /[^\x20-\x7e]/.test(name) ? "vi" : "en";
}
