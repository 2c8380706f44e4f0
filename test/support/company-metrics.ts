import type { MetricInputs } from "#analytics/metrics.ts";
import { performanceOf } from "#analytics/performance.ts";
import { companyFundamentals } from "#analytics/valuation.ts";

/** The figures of a company at a price of 50 dollars, P/E 20 and a dividend yield of 2 %. */
export function companyMetrics(details: Partial<MetricInputs> = {}): MetricInputs {
  const instrument = {
    country: "US",
    currency: "USD",
    sector: null,
    industry: null,
    sharesOutstanding: 1_000,
    assetType: "stock",
    employees: 10,
  } as const;
  return {
    instrument,
    newest: { close: 50, volume: 1_000 },
    changePercent: 1,
    performance: performanceOf(null, () => null),
    fundamentals: {
      ...companyFundamentals({
        instrument,
        statements: [],
        price: 50,
        dividends: null,
        asOf: "2026-11-20",
      }),
      statementCurrency: "USD",
      pe: 20,
      dividendYieldPercent: 2,
    },
    year: {
      high: 70,
      low: 40,
      highYtd: 65,
      lowYtd: 45,
      volatilityPercent: 30,
      beta: 1.2,
      rsi: 55,
      macdLevel: 0.5,
      earlierChanges: [],
    },
    analysts: { rating: 1.5, analystCount: 4, targetPrice: 60, nextYearEps: 4 },
    ...details,
  };
}
