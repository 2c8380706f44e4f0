import type { Performance } from "#analytics/performance.ts";
import type { CompanyFundamentals } from "#analytics/valuation.ts";
import type { DailyBar } from "#domain/daily-bar.ts";
import type { Instrument } from "#domain/instrument.ts";
import type { Panel } from "#domain/schema.ts";
import {
  formatChange,
  formatLarge,
  formatPerShare,
  formatPrice,
  formatRatio,
  formatShare,
  MISSING,
} from "./format.ts";

/** The panel of an instrument's newest price and headline figures. `changePercent` is in percent. */
export function overviewPanel(
  instrument: Instrument,
  fundamentals: CompanyFundamentals,
  newest: Pick<DailyBar, "date" | "close" | "volume"> | null,
  changePercent: number | null,
  analystRating: string | null,
): Panel {
  return {
    Name: instrument.name,
    Price: formatPrice(newest?.close ?? null, instrument.currency, instrument.assetType),
    "Price date": newest?.date ?? MISSING,
    "Chg %": formatChange(changePercent),
    Volume: formatLarge(newest?.volume ?? null),
    "Mkt cap": formatLarge(fundamentals.marketCap, instrument.currency),
    "P/E": formatRatio(fundamentals.pe),
    "EPS dilTTM": formatPerShare(fundamentals.epsTtm, fundamentals.statementCurrency),
    "EPS dil growthTTM YoY": formatChange(fundamentals.epsGrowthPercent),
    "Div yield %TTM": formatShare(fundamentals.dividendYieldPercent),
    "Analyst rating": analystRating ?? MISSING,
  };
}

/** The panel of a company's market cap, enterprise value and multiples. */
export function valuationPanel(f: CompanyFundamentals): Panel {
  return {
    "Mkt cap": formatLarge(f.marketCap, f.currency),
    EV: formatLarge(f.enterpriseValue, f.currency),
    "P/E": formatRatio(f.pe),
    "P/B": formatRatio(f.pb),
    "P/S": formatRatio(f.ps),
    "P/CF": formatRatio(f.priceToCashFlow),
    "P/FCF": formatRatio(f.priceToFreeCashFlow),
    PEGTTM: formatRatio(f.peg),
    "EV/EBITDATTM": formatRatio(f.evToEbitda),
    "EV/revenueTTM": formatRatio(f.evToRevenue),
  };
}

/** The panel of the change of the price over each window. */
export function performancePanel(performance: Performance): Panel {
  return {
    "Perf %1W": formatChange(performance.oneWeek),
    "Perf %1M": formatChange(performance.oneMonth),
    "Perf %3M": formatChange(performance.threeMonths),
    "Perf %6M": formatChange(performance.sixMonths),
    "Perf %YTD": formatChange(performance.yearToDate),
    "Perf %1Y": formatChange(performance.oneYear),
    "Perf %5Y": formatChange(performance.fiveYears),
    "Perf %10Y": formatChange(performance.tenYears),
  };
}
