import { join } from "node:path";
import { afterEach, expect, test } from "bun:test";
import { Glob } from "bun";
import { type Metric, METRICS } from "#analytics/metrics.ts";
import { exchangeHolidays, halfDays } from "#analytics/exchange-holidays.ts";
import { formatName } from "#console/app/format.ts";
import { holidayName } from "#console/app/pages/calendar/holidays.ts";
import { titleOfMetric } from "#console/app/parts/metric-title.ts";
import { unitText } from "#console/app/parts/unit-text.ts";
import { reader } from "#console/app/reader.ts";
import { languageOfName, showLanguage, t, translate, translateTerm } from "#console/app/words.ts";
import { SENTENCES } from "#console/app/words/table.ts";
import { COUNTRY_CODES } from "#domain/country.ts";
import { INDUSTRIES } from "#domain/taxonomy.ts";
import { listRecipes } from "#feeds/recipes/recipes.ts";
import { listEconomicFigures } from "#sample/economy.ts";
import { fredSeries } from "#sources/fred/series.ts";

afterEach(() => showLanguage("en"));

const namesIn = (sentence: string) => (sentence.match(/\{\w+\}/g) ?? []).toSorted();

const SRC = join(import.meta.dir, "../../src");

/** The texts between quotes in code. */
const quotedIn = (code: string) =>
  [...code.matchAll(/"((?:[^"\\\n]|\\.)*)"/g)].map(([, text = ""]) => text.replaceAll('\\"', '"'));

/** True for a text without a word, which all languages share: `EV/EBITDA TTM`, `%`, `TWh`, `USD/gal`. */
const isAbbreviation = (text: string) => !/[a-z]{2}/.test(text) || /^USD\/(MMBtu|gal)$/.test(text);

const sentences = Object.entries<readonly string[]>(SENTENCES);

test("each translation has the names of its sentence's values", () => {
  const wrong = sentences.filter(([english, translations]) =>
    translations.some((own) => own !== "" && !Bun.deepEquals(namesIn(own), namesIn(english))),
  );
  expect(wrong).toEqual([]);
});

test("one spelling of English, the British one, and lists and tokens are created", () => {
  const american =
    /\b(labor|colors?|centers?|favor\w*|\w+(?:al|an|ar|im|or)iz(?:e[ds]?|ing|ation)|analyz\w*|catalog|gray|canceled)\b/i;
  expect(Object.keys(SENTENCES).filter((one) => american.test(one))).toEqual([]);
  expect(Object.keys(SENTENCES).filter((one) => /^make\b/i.test(one))).toEqual([]);
});

test("a sentence is in the reader's language, and an unknown one stays English", async () => {
  expect<string>(t("Markets")).toBe("Markets");
  await showLanguage("ja");
  expect(reader.value.language).toBe("ja");
  expect<string>(t("Markets")).toBe("市場");
  expect<string>(t("Page {page}", { page: 3 })).toBe("3ページ");
  expect<string>(translate("Price, USD")).toBe("株価（ドル）");
  expect<string>(translate("Revenue growth TTM YoY")).toBe("売上高成長率（直近12か月 前年比）");
  expect<string>(translate("ROE TTM")).toBe("ROE（直近12か月）");
  expect<string>(translate("Toyota Motor Corporation")).toBe("Toyota Motor Corporation");
  await showLanguage("vi");
  expect<string>(t("Markets")).toBe("Thị trường");
});

/** Texts of the service, each with the function that shows it in the reader's language. */
async function textsOfService() {
  const series = [
    ...listEconomicFigures(),
    ...COUNTRY_CODES.flatMap((country) => fredSeries(country)),
  ];
  const terms = [...INDUSTRIES.values(), ...series].map(({ name }) => name);
  // As calendars of other sources write them.
  terms.push(..."CPI y/y,Retail Sales m/m,Prelim GDP q/q,Non-Farm Employment Change".split(","));
  terms.push(...listEconomicFigures().map(({ name, event }) => event || name));
  const units = series.map(({ unit }) => unit);
  // Of the sources of Japan and Viet Nam, and of forecasts.
  units.push(..."balance,USD m,USD bn,million,VND,VND tn,USD,USD/bbl".split(","));
  const holidays = COUNTRY_CODES.flatMap((country) =>
    [2025, 2026, 2027, 2028].flatMap((year) =>
      [...exchangeHolidays(country, year), ...halfDays(country, year)].map(({ name }) => name),
    ),
  );
  const metrics = Object.entries<Metric>(METRICS).flatMap(
    ([name, { label, title = label, description }]) => [
      titleOfMetric(name, title),
      `${description}.`,
    ],
  );
  const recipes = listRecipes().flatMap(({ group, how, proof }) => [group, how, proof ?? group]);
  const refusals = await Bun.file(join(SRC, "sources/refusal.ts")).text();
  const tables = refusals.slice(
    refusals.indexOf("const HAPPENED"),
    refusals.indexOf("export function"),
  );
  // The names of hosts and causes have no space.
  const causes = quotedIn(tables).filter((text) => text.includes(" "));
  return [
    ...terms.map((text) => [text, translateTerm] as const),
    ...units.map((text) => [text, unitText] as const),
    ...holidays.map((text) => [text, holidayName] as const),
    ...[...metrics, ...recipes, ...causes].map((text) => [text, translate] as const),
  ];
}

test.each(["ja", "vi"] as const)(
  "the words that are missing in %s are listed",
  async (language) => {
    await showLanguage(language);
    const place = ["ja", "vi"].indexOf(language);
    const sentencesWithout = sentences.filter(([, own]) => !own[place]).map(([english]) => english);
    const texts = await textsOfService();
    const textsWithout = texts.flatMap(([text, show]) =>
      show(text) !== text || text in SENTENCES || isAbbreviation(text) ? [] : [text],
    );
    const missing = [...new Set([...sentencesWithout, ...textsWithout])];
    if (missing.length > 0)
      process.stdout.write(`In English for readers in ${language}:\n  ${missing.join("\n  ")}\n`);
    expect(texts.length).toBeGreaterThan(1000);
  },
);

test("each sentence is a text of the code, so that the table has no dead ones", async () => {
  const texts = new Set(
    (await textsOfService()).flatMap(([text]) => text.split(/ (?=TTM|YoY|FQ)|, (?=[A-Z]{3}$)/)),
  );
  for (const { program, texts: parts } of listRecipes())
    for (const text of [program, ...parts.map(({ label }) => label ?? "")]) texts.add(text);
  for await (const file of new Glob("**/*.{ts,tsx}").scan(SRC)) {
    if (file.endsWith("words/table.ts")) continue;
    const code = await Bun.file(join(SRC, file)).text();
    for (const text of quotedIn(code)) texts.add(text).add(formatName(text));
    for (const [, field = ""] of code.matchAll(/\b(\w+)\??:/g))
      texts.add(field).add(formatName(field.replaceAll(/(?=[A-Z])/g, "_").toLowerCase()));
    // The city of a zone: `America/New_York`.
    for (const [, city = ""] of code.matchAll(/\/(\w+)"/g)) texts.add(city.replaceAll("_", " "));
  }
  expect(Object.keys(SENTENCES).filter((one) => !texts.has(one))).toEqual([]);
});

/** A text in an element, or one of its attributes that people read. */
const WRITTEN =
  /<(\w+)[^<>]*(?<!=)>\s*([^<>{}=;()]*[a-z]{2}[^<>{}=;()]*?)\s*[<{]|\b(?:aria-label|placeholder|alt)="([^"]+)"/g;

test("each text in an element is a sentence, by t(), code or a name", async () => {
  const written: string[] = [];
  for await (const file of new Glob("console/app/**/*.tsx").scan(SRC)) {
    const code = await Bun.file(join(SRC, file)).text();
    for (const [, tag = "", text, attribute] of code.matchAll(WRITTEN))
      if (tag !== "code") written.push(text ?? attribute ?? "");
  }
  // Names of programs and licences have no words.
  const isSentence = (text: string) => /^[A-Z][a-z]+$|[a-z] [a-z]/.test(text);
  expect(written).toContain("bourse");
  expect(written.filter(isSentence)).toEqual([]);
});

test.each(["en", "ja"] as const)(
  "a text that every object has as a key stays in %s",
  async (language) => {
    await showLanguage(language);
    for (const text of ["constructor", "toString", "__proto__", "valueOf, USD", "toString TTM"]) {
      const expected = text.replace(/^(\w+).*/, "$1");
      expect<string>(translate(text)).toStartWith(expected);
      expect<string>(translateTerm(text)).toBe(text);
    }
    expect<string>(t("Page {page}", { page: "$& {page}" })).toContain("$& {page}");
  },
);

test("a term is said with its change, and an unknown one stays English", async () => {
  expect<string>(translateTerm("CPI y/y")).toBe("CPI y/y");
  await showLanguage("ja");
  expect<string>(translateTerm("CPI inflation YoY")).toBe("消費者物価指数（CPI） 前年比");
  expect<string>(translateTerm("Banks - Regional")).toBe("銀行（地方）");
  expect<string>(translateTerm("GDP growth QoQ annualized")).toBe("GDP成長率 前期比年率");
  expect<string>(translateTerm("Bumblebee count YoY")).toBe("Bumblebee count YoY");
});

test("the language that was asked for last is shown, whichever file arrives first", async () => {
  await Promise.all([showLanguage("ja"), showLanguage("vi"), showLanguage("en")]);
  expect<string[]>([reader.value.language, t("Markets")]).toEqual(["en", "Markets"]);
});

test.each([
  ["Toyota Motor Corporation", "JP", "en"],
  ["トヨタ自動車", "JP", "ja"],
  ["Tập đoàn Vingroup", "VN", "vi"],
  ["FPT Corporation", "VN", "en"],
  ["L’Oréal", "US", "en"],
] as const)("%s of %s is pronounced in %s", (name, country, language) => {
  expect(languageOfName(name, country)).toBe(language);
});
