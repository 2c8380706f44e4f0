import { describe, expect, test } from "bun:test";
import { countWords, hasWords, namesOfCountry, wordsOf } from "#console/app/parts/search-words.ts";

const about = (name: string, country: string) => `${name} ${namesOfCountry(country)}`;

describe("a search for a series", () => {
  test.each([
    ["GDP vietnam", "Real GDP growth YoY", "VN"],
    ["vietnam gdp", "Real GDP growth YoY", "VN"],
    ["Việt Nam GDP", "Real GDP growth YoY", "VN"],
    ["gdp viet nam", "Real GDP growth YoY", "VN"],
    ["gdp vn", "Real GDP growth YoY", "VN"],
    ["inflation us", "CPI inflation YoY", "US"],
    ["inflation united states", "CPI inflation YoY", "US"],
    ["usa inflation", "CPI inflation YoY", "US"],
    ["cpi japan", "CPI inflation YoY", "JP"],
    ["the cpi of japan", "CPI inflation YoY", "JP"],
    ["cpi jp", "CPI inflation YoY", "JP"],
    ["infl jap", "CPI inflation YoY", "JP"],
    ["infl j", "CPI inflation YoY", "JP"],
    ["日本 物価指数", "CPI YoY 消費者物価指数 前年比 日本", "JP"],
  ])("%s finds %s of %s", (query, name, country) => {
    expect(hasWords(about(name, country), query)).toBe(true);
  });

  test.each([
    // "us" is within "housing", and begins no word of it.
    ["housing us", "Housing starts", "JP"],
    ["cpi japan", "CPI inflation YoY", "US"],
    ["gdp vietnam japan", "Real GDP growth YoY", "VN"],
    ["  ", "Real GDP growth YoY", "VN"],
    // A letter alone is a whole word.
    ["<b>", "BoJ policy rate", "JP"],
    ["b", "BoJ policy rate", "JP"],
  ])("%s does not find %s of %s", (query, name, country) => {
    expect(hasWords(about(name, country), query)).toBe(false);
  });

  test("whole words count more than beginnings", () => {
    // Of JP, "us" begins USD only.
    expect(countWords("USD/JPY rate JP", "us rate")).toBe(1);
    expect(countWords("Policy rate US", "us rate")).toBe(2);
  });

  test("a word that is only a filler is still searched: it begins others", () => {
    expect(hasWords("Inflation", "in")).toBe(true);
  });
});

test("words have no accents and no capitals, and other scripts stay", () => {
  expect(wordsOf("Đà Nẵng, CPI-YoY 日本")).toEqual(["da", "nang", "cpi", "yoy", "日本"]);
});
