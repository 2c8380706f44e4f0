import { signal } from "@preact/signals";
import { type Language, reader } from "./reader.ts";
import type ja from "./words/ja.ts";

/**
 * A sentence of the console, in English, which is its key. `words/ja.ts` lists them; a sentence that is
 * missing there, or in another language, is an error of types.
 */
export type Sentence = keyof typeof ja;

type Words = Readonly<Partial<Record<string, string>>>;

const LOADERS: Readonly<Record<Exclude<Language, "en">, () => Promise<{ default: Words }>>> = {
  ja: () => import("./words/ja.ts"),
  vi: () => import("./words/vi.ts"),
};

/** The sentences in the reader's language; none in English. */
const words = signal<Words>({});
let asked: Language = "en";

/** Loads the sentences of a language, and then shows everything in it. */
export async function showLanguage(language: Language): Promise<void> {
  asked = language;
  // Without the file, the sentences stay English, and figures have the form of the language.
  const loaded = language === "en" ? {} : await LOADERS[language]().then(readWords, () => ({}));
  // Another language may have been asked for meanwhile.
  if (asked !== language) return;
  words.value = loaded;
  // Without a subscription: the effect that calls this must not follow what this changes.
  reader.value = { ...reader.peek(), language };
}

const readWords = (module: { readonly default: Words }) => module.default;

/** A text in the reader's language if it is one of the sentences, also before a currency or a period: `ROE TTM`. */
export function translate(text: string): string {
  const known = words.value[text];
  if (known !== undefined) return known;
  const [, name = "", unit = ""] = /^(.+?)(, [A-Z]{3}| TTM YoY| TTM| FQ)$/.exec(text) ?? [];
  return (words.value[name] ?? name) + unit || text;
}

/** A sentence in the reader's language, with values at its names: `t("Page {page}", { page: 2 })`. */
export function t(
  sentence: Sentence,
  values: Readonly<Record<string, string | number>> = {},
): string {
  return (words.value[sentence] ?? sentence).replace(/\{(\w+)\}/g, (name, key: string) =>
    String(values[key] ?? name),
  );
}

/** The language of a name, which screen readers pronounce. @param country `JP` */
export function languageOfName(name: string, country: string): Language {
  if (/[\u3040-\u30ff\u4e00-\u9fff]/.test(name)) return "ja";
  return country === "VN" && /[^\x20-\x7e]/.test(name) ? "vi" : "en";
}
