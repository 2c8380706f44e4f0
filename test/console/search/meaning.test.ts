import { afterEach, describe, expect, test } from "bun:test";
import { findSeries, partOf, type Series } from "#console/app/search/meaning.ts";
import { isPolicyRate } from "#console/app/pages/economy/policy-rate.ts";
import { showLanguage } from "#console/app/words.ts";
import { COUNTRY_CODES } from "#domain/country.ts";
import { listEconomicFigures } from "#sample/economy.ts";
import { fredSeries } from "#sources/fred/series.ts";

afterEach(() => showLanguage("en"));

const ALL: readonly Series[] = listEconomicFigures().map(({ country, name }) => ({
  country,
  name,
}));
const titles = (text: string) =>
  findSeries(text, ALL, "US").map(({ country, name }) => `${name}, ${country}`);

describe("a search for a series by what people call it", () => {
  test.each([
    ["en", "interest rate", "Fed funds target (upper), US"],
    ["en", "us interest rate", "Fed funds target (upper), US"],
    ["en", "rates", "Fed funds target (upper), US"],
    ["en", "policy rate", "Fed funds target (upper), US"],
    ["en", "japan rates", "BoJ policy rate, JP"],
    ["en", "inflation", "CPI inflation YoY, US"],
    ["en", "jobs", "Nonfarm payrolls, US"],
    ["en", "unemployment", "Unemployment rate, US"],
    ["en", "economic growth vietnam", "GDP growth YoY, VN"],
    ["en", "oil", "WTI crude oil price, US"],
    ["ja", "金利 米国", "Fed funds target (upper), US"],
    ["ja", "インフレ 日本", "CPI inflation YoY, JP"],
    ["vi", "lãi suất việt nam", "Refinancing rate, VN"],
    ["vi", "lạm phát việt nam", "CPI inflation YoY, VN"],
  ] as const)("in %s, %s finds %s", async (language, text, expected) => {
    await showLanguage(language);
    expect(titles(text)).toContain(expected);
  });

  test("the policy rates of all countries are found by one word", () => {
    expect(titles("policy rate").toSorted()).toEqual([
      "BoJ policy rate, JP",
      "Fed funds target (upper), US",
      "Refinancing rate, VN",
    ]);
  });

  test("letters of a name find no series that has words with them", () => {
    expect(titles("s&p")).toEqual([]);
  });
});

test("policy rates are the rates that hold until a decision, of the sample and of live sources", () => {
  const names = [
    ...listEconomicFigures().map(({ name }) => name),
    ...COUNTRY_CODES.flatMap((country) => fredSeries(country).map(({ name }) => name)),
  ];
  expect(names.filter(isPolicyRate)).toEqual([
    "Fed funds target (upper)",
    "BoJ policy rate",
    "Refinancing rate",
    "Fed funds target, upper",
  ]);
});

test("only companies have all parts, and of the others funds pay dividends", () => {
  const typesOf = (text: string) =>
    ["stock", "reit", "etf", "index"].filter((type) => partOf(text)?.hasPart(type));
  expect(typesOf("x valuation")).toEqual(["stock", "reit"]);
  expect(typesOf("x dividends")).toEqual(["stock", "reit", "etf"]);
  expect(typesOf("x peers")).toEqual(["stock", "reit"]);
  expect(typesOf("x chart")).toEqual(["stock", "reit", "etf", "index"]);
});

test.each([
  ["en", "toyota valuation", "valuation", "toyota"],
  ["en", "Balance sheet of Toyota", "financials", "Toyota"],
  ["en", "dividends FPT", "dividends", "FPT"],
  ["en", "bank of america income statement", "financials", "bank of america"],
  ["en", "toyota technicals", "chart", "toyota"],
  ["en", "competitors of toyota", "peers", "toyota"],
  ["ja", "トヨタ 配当", "dividends", "トヨタ"],
  ["ja", "トヨタ テクニカル", "chart", "トヨタ"],
  ["vi", "FPT kỹ thuật", "chart", "FPT"],
  ["vi", "FPT định giá", "valuation", "FPT"],
  ["en", "valuation", null, null],
  ["en", "chart industries inc", "chart", "industries inc"],
] as const)(
  "in %s, %s is a part of a company's page: %s of %s",
  async (language, text, key, query) => {
    await showLanguage(language);
    const part = partOf(text);
    expect([part?.key ?? null, part?.query ?? null]).toEqual([key, query]);
  },
);
