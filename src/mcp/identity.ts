/** What the service does not have, and how far back it goes. */
export const SCOPE = "No news, options or intraday prices; daily prices go back ten years.";

/** The instructions that an agent receives when it connects: under 200 tokens. */
export const INSTRUCTIONS = `Markets: US, Japan, Viet Nam. You need no other call first.
${SCOPE}
One company: get_stock_overview, get_stock_statements, get_stock_technicals, get_stock_forecast, get_valuation_history. Several: compare_stocks. By figures, movers: screen_stocks. Prices: get_price_statistics, get_stock_price_history. Portfolio: analyze_portfolio. Search: list_symbols. Sectors: get_sectors. Economy: get_macro_indicators, get_macro_history, get_macro_forecast, get_macro_calendar. Holidays: get_markets.
Symbols: US AAPL, JP 7203, VN FPT, or list:NAME for a user list (get_lists).
Even refused calls count: _meta.quota. Cached 30 seconds.
If \`source\` is "sample", say that the figures are invented. "—", null: missing, not zero.`;

/** What the server can do. */
export const CAPABILITIES = { tools: {}, prompts: {}, resources: {} };

/** The name and version of this program, as clients show them. */
export interface ServerInfo {
  readonly name: string;
  readonly title: string;
  readonly version: string;
}

/** How the server names itself. @param version the program's version */
export function serverInfoOf(version: string): ServerInfo {
  return { name: "bourse", title: "bourse markets data", version };
}
