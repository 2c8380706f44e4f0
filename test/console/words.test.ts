import { afterEach, describe, expect, test } from "bun:test";
import { reader } from "#console/app/reader.ts";
import { languageOfName, showLanguage, t, translate } from "#console/app/words.ts";
import ja from "#console/app/words/ja.ts";
import vi from "#console/app/words/vi.ts";
import { listRecipes } from "#http/recipes.ts";

afterEach(() => showLanguage("en"));

const namesIn = (sentence: string) => (sentence.match(/\{\w+\}/g) ?? []).toSorted();

describe.each([
  ["ja", ja],
  ["vi", vi],
])("the sentences in %s", (_, sentences) => {
  test("are those of the list, each with the names of its values", () => {
    expect(Object.keys(sentences)).toEqual(Object.keys(ja));
    for (const [english, own] of Object.entries(sentences)) {
      expect(own.trim()).not.toBe("");
      expect([english, namesIn(own)]).toEqual([english, namesIn(english)]);
    }
  });
});

test("what to do in each program is in the list", () => {
  const sentences = Object.keys(ja);
  const missing = listRecipes().flatMap(({ group, how }) =>
    [group, how].filter((one) => !sentences.includes(one)),
  );
  expect(missing).toEqual([]);
});

test("a sentence is in the reader's language, and an unknown one stays English", async () => {
  expect(t("Markets")).toBe("Markets");
  await showLanguage("ja");
  expect(reader.value.language).toBe("ja");
  expect(t("Markets")).toBe("市場");
  expect(t("Page {page}", { page: 3 })).toBe("3ページ");
  expect(translate("Price, USD")).toBe("株価, USD");
  expect(translate("Toyota Motor Corporation")).toBe("Toyota Motor Corporation");
  await showLanguage("vi");
  expect(t("Markets")).toBe("Thị trường");
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
