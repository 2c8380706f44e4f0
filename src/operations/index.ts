import type { Static } from "@sinclair/typebox";
import { analyzePortfolio } from "./analyze-portfolio.ts";
import { checkFigures } from "./check-figures.ts";
import { compareStocks } from "./compare-stocks.ts";
import { deleteAlert } from "./delete-alert.ts";
import { deleteList } from "./delete-list.ts";
import { getAlerts } from "./get-alerts.ts";
import { getBrief } from "./get-brief.ts";
import { getEarningsCalendar } from "./get-earnings-calendar.ts";
import { getLists } from "./get-lists.ts";
import { getMacroCalendar } from "./get-macro-calendar.ts";
import { getMacroForecast } from "./get-macro-forecast.ts";
import { getMacroHistory } from "./get-macro-history.ts";
import { getMacroIndicators } from "./get-macro-indicators.ts";
import { getMarkets } from "./get-markets.ts";
import { getMetricHistory } from "./get-metric-history.ts";
import { getPriceStatistics } from "./get-price-statistics.ts";
import { getSectorOverview } from "./get-sector-overview.ts";
import { getSectors } from "./get-sectors.ts";
import { getStockForecast } from "./get-stock-forecast.ts";
import { getStockOverview } from "./get-stock-overview.ts";
import { getStockPriceHistory } from "./get-stock-price-history.ts";
import { getStockStatements } from "./get-stock-statements.ts";
import { getStockTechnicals } from "./get-stock-technicals.ts";
import { getValuationHistory } from "./get-valuation-history.ts";
import { listSymbols } from "./list-symbols.ts";
import { saveAlert } from "./save-alert.ts";
import { saveList } from "./save-list.ts";
import { screenStocks } from "./screen-stocks.ts";
import type { Operation } from "./operation.ts";

const DEFINED = [
  getMarkets,
  listSymbols,
  getMacroIndicators,
  getMacroHistory,
  getMacroForecast,
  getMacroCalendar,
  getSectors,
  getSectorOverview,
  screenStocks,
  compareStocks,
  getMetricHistory,
  checkFigures,
  getStockOverview,
  getStockStatements,
  getStockTechnicals,
  getStockForecast,
  getStockPriceHistory,
  getPriceStatistics,
  getValuationHistory,
  analyzePortfolio,
  getEarningsCalendar,
  getBrief,
  getLists,
  saveList,
  deleteList,
  getAlerts,
  saveAlert,
  deleteAlert,
] as const;

/** All operations, in the recommended order of use. */
export const OPERATIONS: readonly Operation[] = DEFINED;

type Defined = (typeof DEFINED)[number];

/** The name of an operation, `get_stock_overview`, or of a REST route that implies an argument of one. */
export type OperationName = Defined["name"] | "get_stock_ratios";

/** The payload of an operation, without its source. */
export type PayloadOf<Name extends OperationName> = Static<
  Extract<
    Defined,
    { readonly name: Name extends "get_stock_ratios" ? "get_stock_statements" : Name }
  >["output"]
>;

/** What each area holds. An operation's area is the first segment of its path below `/data`. */
export const AREAS: Readonly<Record<string, string>> = {
  markets: "The catalog: countries, asset types, holidays.",
  symbols: "Search for tickers.",
  macro: "Indicators, their history, forecasts and the calendar of an economy.",
  sectors: "Sectors and industries.",
  stocks: "Single tickers, screens and comparisons.",
  prices: "Statistics of past prices.",
  figures: "Checks of stated figures.",
  portfolio: "Analysis of a portfolio.",
  earnings: "The earnings calendar.",
  brief: "What changed for the lists of the user of the token.",
  lists: "The lists of the user of the token.",
  alerts: "The alerts of the user of the token.",
};
