import { afterEach, describe, expect, test } from "bun:test";
import { type Metric, METRICS } from "#analytics/metrics.ts";
import { formatName } from "#console/app/format.ts";
import { titleOfColumn } from "#console/app/pages/compare/column-title.ts";
import { titleOfMetric } from "#console/app/parts/metric-title.ts";
import { showLanguage, translate } from "#console/app/words.ts";
import { meanRatingLabel } from "#analytics/analyst-rating.ts";
import { ratingWord } from "#console/app/parts/rating-word.ts";
import { LINE_ITEMS, toSnakeCase } from "#operations/get-stock-statements.ts";
import { METRICS_SCHEMA } from "#operations/reading/metric-query.ts";

afterEach(() => showLanguage("en"));

const metrics = Object.entries<Metric>(METRICS);
const titles = metrics.map(([name]) => {
  const published = METRICS_SCHEMA["properties"] as Record<string, { title?: string }>;
  return { name, title: titleOfMetric(name, published[name]?.title) };
});

/** What a name made of code words has: a cut word, an abbreviation in small letters, a missing space. */
const WRONG =
  /\b(?:Pb|Pe|Ps|Pcf|Pfcf|Peg|Ev|Eps|Roe|Roa|Roic|Rsi|Macd|Ebit|Ebitda|Fcf|Capex|CAPEX|Mkt|Chg|Perf|dil|Div|Op|(?<!\/)CF)\b|\d[a-z]\b|_|\)[A-Za-z%]|[a-z%](?:TTM|FQ)|TTM\w/;

describe("the names of metrics in the console", () => {
  test("are written as the field writes them, each once", () => {
    expect(titles.filter(({ title }) => WRONG.test(title))).toEqual([]);
    expect(titles.filter(({ title }) => !/^[A-Z0-9]/.test(title))).toEqual([]);
    expect(new Set(titles.map(({ title }) => title)).size).toBe(metrics.length);
    const titleOf = (name: string) => titles.find((one) => one.name === name)?.title;
    expect(
      ["pb_5y_median", "ev_ebitda", "ev_ebitda_percentile_5y", "macd", "low_52w"].map(titleOf),
    ).toEqual([
      "P/B, 5-year median",
      "EV/EBITDA TTM",
      "EV/EBITDA, 5-year percentile",
      "MACD (12,26) level",
      "52-week low",
    ]);
  });

  test("are declared: no name is made of the words of the code", () => {
    const undeclared = metrics.filter(([, { label, title }]) => (label ?? title) === undefined);
    expect(undeclared.map(([name]) => name)).toEqual([]);
  });
});

test.each([
  ["operating_cash_flow", "Operating cash flow"],
  ["eps_diluted", "EPS diluted"],
  ["roic", "ROIC"],
  ["ev_to_ebit", "EV/EBIT"],
  ["debt_to_equity", "Debt / equity"],
  ["strong_buy", "Strong buy"],
])("%s of a statement or a forecast is %s", (name, words) => {
  expect(formatName(name)).toBe(words);
});

test.each(["ja", "vi"] as const)("each line of a statement has a name in %s", async (language) => {
  await showLanguage(language);
  const names = Object.values(LINE_ITEMS)
    .flat()
    .map((item) => formatName(toSnakeCase(item).replace(/_percent$/, "")))
    // An abbreviation is the same in all languages, and this name is written out.
    .filter((name) => /[a-z]{2}/.test(name) && name !== "Selling general administrative");
  expect(names).toContain("Debt / equity");
  expect(names.filter((name) => translate(name) === name)).toEqual([]);
});

test("the session from which a return is measured is named after its period", async () => {
  expect(titleOfColumn("return_1w_from_session")).toBe("1 week, measured from");
  expect(titleOfColumn("from_session")).toBe("Measured from");
  await showLanguage("ja");
  expect(titleOfColumn("return_1w_from_session")).toBe("1週間（起点の取引日）");
});

test("a rating is said in the word of the service", () => {
  for (let mean = 1; mean <= 5; mean += 0.125) {
    expect(ratingWord(mean)).toBe(meanRatingLabel(mean) ?? "");
  }
});
