/** The parts of an instrument's page, each with an address. */
export const SYMBOL_TABS = {
  overview: "Overview",
  chart: "Chart",
  financials: "Financials",
  valuation: "Valuation",
  forecast: "Forecast",
  dividends: "Dividends",
} as const;

/** A part of the page. */
export type SymbolTab = keyof typeof SYMBOL_TABS;

/** What other instruments than companies have too; of these, only funds pay dividends. */
export const TABS_OF_ALL: readonly SymbolTab[] = ["overview", "chart"];
export const TABS_OF_FUNDS: readonly SymbolTab[] = [...TABS_OF_ALL, "dividends"];

/** The types of companies, which have all parts. */
export const COMPANY_TYPES: readonly string[] = ["stock", "reit"];
