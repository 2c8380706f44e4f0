/** The instructions that an agent receives when it connects. */
export const INSTRUCTIONS = `Markets data for the United States (US), Japan (JP) and Viet Nam (VN).
Work top-down: get_markets, get_macro_indicators, get_macro_forecast, get_macro_calendar, get_sectors, then a ticker's get_stock_overview, get_stock_statements, get_stock_technicals.
Symbols are in their country's form, always with that country: AAPL (US), 7203 (JP), FPT (VN). list_symbols finds a symbol by name.
Every tools/call counts against the token's daily and hourly quota, invalid arguments included; _meta.quota of each result holds the calls left. Answers are cached for 30 seconds: repeating a call sooner returns the same answer.
_meta.source names the sources of the figures: "sample" means generated figures, not real ones. "—" and null mean missing, never zero.`;
