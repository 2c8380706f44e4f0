/** What an agent is told when it connects. */
export const INSTRUCTIONS = `Markets data for the United States (US), Japan (JP) and Viet Nam (VN).
Work top-down: get_markets, get_macro_indicators, get_macro_forecast, get_macro_calendar, get_sectors, then a ticker's get_stock_overview, get_stock_statements, get_stock_technicals.
Symbols are in their country's form, always with that country: AAPL (US), 7203 (JP), FPT (VN). Not sure of one? list_symbols finds it by name.
Every tools/call costs one call of the token's daily and hourly quota, refused arguments included; _meta.quota of each result says what is left. Answers are kept for 30 seconds, so asking again sooner brings nothing new.
_meta.source says where figures come from: "sample" means generated figures, not real ones. "—" and null mean missing, never zero.`;
