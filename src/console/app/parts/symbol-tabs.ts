/** The parts of an instrument's page, each with an address. */
export const SYMBOL_TABS = {
  overview: "Overview",
  chart: "Chart",
  financials: "Financials",
  valuation: "Valuation",
  forecast: "Forecast",
  dividends: "Dividends",
  technicals: "Technicals",
  peers: "Peers",
} as const;

/** A part of the page. */
export type SymbolTab = keyof typeof SYMBOL_TABS;
