import { join } from "node:path";
import { afterEach, expect, test } from "bun:test";
import { exchangeHolidays, halfDays } from "#analytics/exchange-holidays.ts";
import { holidayName } from "#console/app/pages/calendar/holidays.ts";
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

test("what to do in each program is in the list", () => {
  const missing = listRecipes().flatMap(({ group, how }) =>
    [group, how].filter((one) => !(one in SENTENCES)),
  );
  expect(missing).toEqual([]);
});

test("what was run of each recipe is in the list, and no sentence says what was not", () => {
  const proven = listRecipes().flatMap(({ proof }) => proof ?? []);
  expect(proven.filter((one) => !(one in SENTENCES))).toEqual([]);
  expect(proven.filter((one) => / not /.test(one))).toEqual([]);
});

test("a sentence is in the reader's language, and an unknown one stays English", async () => {
  expect(t("Markets")).toBe("Markets");
  await showLanguage("ja");
  expect(reader.value.language).toBe("ja");
  expect(t("Markets")).toBe("市場");
  expect(t("Page {page}", { page: 3 })).toBe("3ページ");
  expect(translate("Price, USD")).toBe("株価、USD");
  expect(translate("Revenue growth TTM YoY")).toBe("売上高成長率 12か月 前年比");
  expect(translate("ROE TTM")).toBe("ROE 12か月");
  expect(translate("Toyota Motor Corporation")).toBe("Toyota Motor Corporation");
  await showLanguage("vi");
  expect(t("Markets")).toBe("Thị trường");
});

test.each(["ja", "vi"] as const)(
  "industries, series of the economy and their publications have a name in %s",
  async (language) => {
    await showLanguage(language);
    const names = [
      ...[...INDUSTRIES.values()].map(({ name }) => name),
      ...COUNTRY_CODES.flatMap((country) => fredSeries(country).map(({ name }) => name)),
      ...listEconomicFigures().flatMap(({ name, event }) => [name, event || name]),
      // As calendars of other sources write them.
      ..."CPI y/y,Retail Sales m/m,Prelim GDP q/q,Non-Farm Employment Change".split(","),
    ];
    const same = ["USD/JPY"];
    expect(names.length).toBeGreaterThan(250);
    expect(names.filter((name) => translateTerm(name) === name && !same.includes(name))).toEqual(
      [],
    );
  },
);

test.each(["ja", "vi"] as const)("units of series have words in %s", async (language) => {
  await showLanguage(language);
  const units = [
    ...listEconomicFigures().map(({ unit }) => unit),
    ...COUNTRY_CODES.flatMap((country) => fredSeries(country).map(({ unit }) => unit)),
    // Of the sources of Japan and Viet Nam, and of forecasts.
    ..."balance,USD m,USD bn,million,VND,VND tn,USD,USD/bbl".split(","),
  ].filter((unit) => unit !== "");
  const same = language === "ja" ? ["%", "TWh"] : ["%", "TWh", "USD", "USD/MMBtu", "USD/gal"];
  const missing = units.filter((unit) => unitText(unit) === unit && !same.includes(unit));
  expect(new Set(units).size).toBeGreaterThan(20);
  expect([...new Set(missing)]).toEqual([]);
});

test.each(["ja", "vi"] as const)("holidays of exchanges have names in %s", async (language) => {
  await showLanguage(language);
  const names = COUNTRY_CODES.flatMap((country) =>
    [2025, 2026, 2027, 2028].flatMap((year) =>
      [...exchangeHolidays(country, year), ...halfDays(country, year)].map(({ name }) => name),
    ),
  );
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name) => holidayName(name) === name)).toEqual([]);
  expect(names.map(holidayName).filter((name) => /observed|swap|Day\b/.test(name))).toEqual([]);
});

test("errors of signing in are in the list as the service writes them", async () => {
  const files = ["sign-in.ts", "passwords.ts"].map((file) =>
    Bun.file(join(import.meta.dir, "../../src/access", file)).text(),
  );
  const code = (await Promise.all(files)).join("");
  const errors = Object.keys(SENTENCES).filter((one) =>
    /password(s| is wrong)|sign-in link/.test(one),
  );
  const own = errors.filter((one) => code.includes(one));
  expect(own.length).toBe(4);
});

test("refusals of sources are in the list as the service writes them", async () => {
  const file = join(import.meta.dir, "../../src/sources/refusal.ts");
  const code = await Bun.file(file).text();
  const tables = code.slice(code.indexOf("const HAPPENED"), code.indexOf("export function"));
  // The names of hosts and causes have no space.
  const texts = [...tables.matchAll(/"([^"\n]*)"/g)].map(([, text = ""]) => text);
  const words = texts.filter((text) => text.includes(" "));
  expect(words.length).toBeGreaterThan(50);
  expect(words.filter((one) => !(one in SENTENCES))).toEqual([]);
});

test("a term is said with its change, and an unknown one stays English", async () => {
  expect(translateTerm("CPI y/y")).toBe("CPI y/y");
  await showLanguage("ja");
  expect(translateTerm("CPI inflation YoY")).toBe("消費者物価指数（CPI） 前年比");
  expect(translateTerm("Banks - Regional")).toBe("銀行（地方）");
  expect(translateTerm("GDP growth QoQ annualized")).toBe("GDP成長率 前期比年率");
  expect(translateTerm("Bumblebee count YoY")).toBe("Bumblebee count YoY");
});

test("the language that was asked for last is shown, whichever file arrives first", async () => {
  await Promise.all([showLanguage("ja"), showLanguage("vi"), showLanguage("en")]);
  expect([reader.value.language, t("Markets")]).toEqual(["en", "Markets"]);
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
