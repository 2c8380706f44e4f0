import { expect, test } from "bun:test";
import { METRICS, type MetricName } from "#analytics/metrics.ts";
import { meaningOf } from "#console/app/parts/metric-meaning.ts";
import { titleOfMetric } from "#console/app/parts/metric-title.ts";

/** The meaning of a metric, as the OpenAPI document describes it. */
const meaningOfMetric = (name: MetricName) => {
  const metric: { label?: string; title?: string; description: string } = METRICS[name];
  return meaningOf({
    title: titleOfMetric(name, metric.title ?? metric.label),
    description: `${metric.description}.`,
  });
};

test.each([
  ["ev_ebitda", ["EV, enterprise value", "EBITDA: earnings before", "TTM, trailing"]],
  ["revenue_growth", ["TTM, trailing", "YoY, year over year"]],
  ["current_ratio", ["FQ, fiscal quarter"]],
  ["pe", ["TTM, trailing twelve months: the twelve months to the newest reported quarter."]],
] as const)("the meaning of %s explains its abbreviations", (name, parts) => {
  const meaning = meaningOfMetric(name);
  expect(meaning).toStartWith(METRICS[name].description);
  expect(parts.filter((part) => !meaning.includes(part))).toEqual([]);
});

test("what needs no word of explanation gets none", () => {
  expect(meaningOfMetric("pb")).toBe("Price / book value per share.");
  expect(meaningOfMetric("ebitda")).not.toContain("EBITDA:");
});

test("the years of dividends say that they end where the known dividends end", () => {
  expect(meaningOfMetric("dividend_years_raised")).toContain(
    "as far back as whole years of dividends are known, so the true count can be higher",
  );
  expect(meaningOfMetric("dividend_years_paid")).toContain(
    "as far back as dividends are known, so the true count can be higher",
  );
});
