import { afterEach, expect, test } from "bun:test";
import { METRICS, type MetricName } from "#analytics/metrics.ts";
import { rankMeaning } from "#console/app/pages/symbol/rank-meaning.ts";
import { showLanguage } from "#console/app/words.ts";

afterEach(() => showLanguage("en"));

/** Which end of the bar is better, as the table of metrics declares it. */
const endOf = (name: MetricName, kind: Parameters<typeof rankMeaning>[2]) => {
  const { better }: { better?: "low" | "high" } = METRICS[name];
  return rankMeaning("", { better }, kind).replace(/^ .*?highest\. /, "");
};

test.each([
  ["pe", "valuation", "Lower is cheaper."],
  ["fcf_yield", "valuation", "Higher is cheaper."],
  ["roe", "other", "Higher is usually better."],
  ["net_margin", "other", "Higher is usually better."],
  ["debt_to_equity", "other", "Lower is usually better."],
  ["payout_ratio", "other", "Neither high nor low is better in itself."],
] as const)("the rank by %s says which end is better", (name, kind, expected) => {
  expect(endOf(name, kind)).toBe(expected);
});

test("the rank comes first, in the reader's language", async () => {
  await showLanguage("ja");
  expect(rankMeaning("順位です。", { better: "low" }, "valuation")).toBe(
    "順位です。 左がセクターで最も低く、右が最も高い値です。 低いほど割安です。",
  );
});
