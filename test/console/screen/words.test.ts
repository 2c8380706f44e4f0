import { afterEach, describe, expect, test } from "bun:test";
import { METRICS, type MetricName } from "#analytics/metrics.ts";
import { formatList } from "#console/app/format.ts";
import { describeBounds, filtersOf } from "#console/app/pages/screen/conditions.ts";
import { currencyOf } from "#console/app/parts/country-currency.ts";
import { findMetrics } from "#console/app/pages/screen/metric-search.ts";
import { titleOfMetric } from "#console/app/parts/metric-title.ts";
import { showLanguage } from "#console/app/words.ts";
import { COUNTRIES, COUNTRY_CODES } from "#domain/country.ts";

afterEach(() => showLanguage("en"));

describe("amounts of a screen", () => {
  test("are in the currency of its country, or in dollars for several", () => {
    expect(COUNTRY_CODES.map(currencyOf)).toEqual(
      COUNTRY_CODES.map((country) => COUNTRIES[country].currency),
    );
    expect(["all", "JP,VN", "jp"].map(currencyOf)).toEqual(["USD", "USD", "JPY"]);
  });

  test.each([
    ["market_cap>=200B,market_cap<=2T", "Market cap 200B – 2T JPY"],
    ["market_cap>=200B,market_cap<2T", "200B ≤ Market cap < 2T JPY"],
    ["market_cap>10B", "Market cap > 10B JPY"],
  ])("%s names the currency once", (where, words) => {
    const [filter] = filtersOf(where.split(","));
    const named = { title: "Market cap", unit: "money", currency: "JPY" };
    expect(filter?.bounds && describeBounds(filter.bounds, named)).toBe(words);
  });
});

describe("the search of metrics", () => {
  const metrics = (Object.keys(METRICS) as MetricName[]).map((name) => {
    const metric: { label?: string; title?: string } = METRICS[name];
    return { name, title: titleOfMetric(name, metric.title ?? metric.label), group: "" };
  });

  test.each([
    ["yield", "dividend_yield"],
    ["growth", "revenue_growth"],
    ["margin", "net_margin"],
    ["pe", "pe"],
    ["p/e", "pe"],
    ["forward", "forward_pe"],
    ["dividend", "dividend_yield"],
    ["debt", "debt_to_equity"],
  ])("%s finds %s first", (text, name) => {
    expect(findMetrics(metrics, text).map((one): string => one.name)[0]).toBe(name);
  });
});

test("what stands one after the other has the comma of the language", async () => {
  expect(formatList(["JPY", "close"])).toBe("JPY, close");
  await showLanguage("ja");
  expect(formatList(["JPY", "close"])).toBe("JPY、close");
});
