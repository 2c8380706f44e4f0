import { describe, expect, test } from "bun:test";
import {
  currencyOf,
  isOfPrices,
  isOfYear,
  METRIC_GROUPS,
  METRIC_NAMES,
  METRICS,
  type Metric,
} from "#analytics/metrics.ts";
import { labelsOf, roundMetric } from "#panels/metrics.ts";
import { companyMetrics } from "../support/company-metrics.ts";

const metrics = Object.entries(METRICS) as [keyof typeof METRICS, Metric][];

describe("the table of metrics", () => {
  test("has names in snake case, and each label once", () => {
    for (const name of METRIC_NAMES) expect(name).toMatch(/^[a-z]+(_[a-z0-9]+)*$/);
    const labels = metrics.flatMap(([, { label }]) => label ?? []);
    expect(new Set(labels).size).toBe(labels.length);
    expect(METRIC_NAMES.length).toBeGreaterThanOrEqual(60);
  });

  test("has the names that agents use", () => {
    expect(METRIC_NAMES).toEqual(
      expect.arrayContaining(
        `price change_percent volume market_cap enterprise_value pe forward_pe pb ps peg ev_ebitda
        ev_revenue fcf_yield dividend_yield payout_ratio revenue revenue_growth eps eps_growth
        gross_margin operating_margin net_margin fcf_margin roe roa roic debt_to_equity current_ratio
        return_1d return_1w return_1m return_3m return_6m return_ytd return_1y return_5y return_10y
        high_52w low_52w beta rsi macd rating target_upside analyst_count employees
        shares_outstanding`.split(/\s+/) as [],
      ),
    );
  });

  test("knows which metrics read a year of bars", () => {
    const unknown = new Proxy({}, { get: () => null });
    for (const [name, metric] of metrics) {
      let isRead = false;
      const inputs = {
        get year() {
          isRead = true;
          return null;
        },
        newest: null,
        changePercent: null,
        analysts: null,
        history: null,
        instrument: unknown,
        fundamentals: unknown,
        performance: unknown,
      };
      metric.valueOf(inputs as never);
      expect([name, isOfYear(metric)]).toEqual([name, isRead]);
    }
  });

  test("has each metric in one group", () => {
    expect(Object.values(METRIC_GROUPS).flat().toSorted()).toEqual(METRIC_NAMES.toSorted());
  });

  test("describes each metric in one sentence, with an example in its unit", () => {
    for (const [name, { description, unit, example }] of metrics) {
      expect(description).toMatch(/^[A-Z].*[^.]$/);
      const isText = unit === "calendar date" || unit === "fiscal quarter";
      expect({ [name]: isText ? String(example) : Number.isFinite(example) }).toEqual({
        [name]: isText ? expect.stringMatching(/^\d{4}-(\d{2}-\d{2}|Q[1-4])$/) : true,
      });
      expect(unit.length).toBeGreaterThan(4);
    }
    expect(labelsOf(["market_cap", "pe", "eps_growth", "dividend_yield"])).toEqual({
      "Mkt cap": "Market capitalisation: 4.31 T USD.",
      "P/E": "Price / diluted earnings per share of the trailing twelve months: 35.12.",
      "EPS dil growthTTM YoY":
        "Change of diluted earnings per share against the previous twelve months: +12.34%.",
      "Div yield %TTM": "Dividends of the last twelve months / price: 0.44%.",
    });
  });
});

describe("values", () => {
  const value = (name: keyof typeof METRICS, company = companyMetrics()) =>
    METRICS[name].valueOf(company);

  test("are read from the company", () => {
    // A price of 50; a target of 60; next year's EPS 4; a yield of 2 % at a P/E of 20.
    expect(value("price")).toBe(50);
    expect(value("forward_pe")).toBe(12.5); // 50 / 4
    expect(value("target_upside")).toBeCloseTo(20, 9); // 60 / 50 − 1
    expect(value("payout_ratio")).toBe(40); // (0.02 · 50) / (50 / 20)
    expect(value("return_1d")).toBe(value("change_percent"));
    expect(value("high_52w")).toBe(70);
    expect(value("rating")).toBe(1.5);
    expect(value("employees")).toBe(10);
    expect(value("shares_outstanding")).toBe(1_000);
  });

  test("are null if unknown", () => {
    const unknown = companyMetrics({ year: null, analysts: null, newest: null });
    for (const name of [
      "price",
      "volume",
      "beta",
      "rating",
      "forward_pe",
      "target_upside",
    ] as const)
      expect({ [name]: value(name, unknown) }).toEqual({ [name]: null });
  });

  test("forward P/E is null for losses and for statements in another currency", () => {
    const { fundamentals, analysts } = companyMetrics();
    const loss = { ...analysts!, nextYearEps: -1 };
    expect(value("forward_pe", companyMetrics({ analysts: loss }))).toBeNull();
    const foreign = { ...fundamentals, statementCurrency: "JPY" };
    expect(value("forward_pe", companyMetrics({ fundamentals: foreign }))).toBeNull();
  });

  test("are rounded as their unit: prices, whole amounts, two decimals", () => {
    expect(roundMetric(METRICS.price, 310.8500061035156)).toBe(310.85);
    expect(roundMetric(METRICS.market_cap, 1_234_567.8)).toBe(1_234_568);
    expect(roundMetric(METRICS.pe, 20.126)).toBe(20.13);
    expect(roundMetric(METRICS.macd, -0.0042)).toBe(-0.0042);
    expect(roundMetric(METRICS.pe, null)).toBeNull();
    expect(roundMetric(METRICS.pe, Infinity)).toBeNull();
  });
});

test("amounts have the currency of the price or of the statements", () => {
  const { instrument, fundamentals } = companyMetrics();
  const foreign = { instrument, fundamentals: { ...fundamentals, statementCurrency: "JPY" } };
  expect(currencyOf(METRICS.market_cap, foreign)).toBe("USD");
  expect(currencyOf(METRICS.revenue, foreign)).toBe("JPY");
  expect(currencyOf(METRICS.pe, foreign)).toBeNull();
  const all: Metric[] = [METRICS.price, METRICS.beta, METRICS.eps, METRICS.market_cap];
  expect(all.map(isOfPrices)).toEqual([true, true, false, false]);
});
