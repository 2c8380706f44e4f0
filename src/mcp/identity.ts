import { TOOL_SETS, type ToolSet } from "#operations/operation.ts";

/** What the service does not have, and how far back it goes. */
export const SCOPE = "No news, options or intraday prices; daily prices go back ten years.";

/** Which tool of a set answers which question. */
const GUIDE: Readonly<Record<ToolSet, string>> = {
  market:
    "Search: list_symbols. get_sectors. Economy: get_macro_indicators, get_macro_history, _forecast, _calendar. Holidays: get_markets.",
  company:
    "One company: get_stock_overview, _statements, _technicals, _forecast, get_valuation_history. Several: compare_stocks, get_metric_history. screen_stocks. check_figures.",
  prices: "Prices: get_price_statistics, get_stock_price_history. analyze_portfolio.",
  lists: "Lists: get_lists.",
  alerts: "",
};

/** The instructions that an agent receives when it connects with these tool sets: under 200 tokens, without a day. */
export function instructionsFor(sets: readonly ToolSet[], asOf: string | null = null): string {
  const inDay =
    asOf === null
      ? ""
      : `This token is in ${asOf}: answers have only what was known then. Later dates, lists and tools without known_on are refused.\n`;
  const isWhole = sets.length === TOOL_SETS.length;
  return `${inDay}Markets: US, Japan, Viet Nam. You need no other call first.
${SCOPE}
${sets
  .map((set) => GUIDE[set])
  .join(" ")
  .trim()}
Symbols: US AAPL, JP 7203, VN FPT, list:NAME.
Refused calls count: _meta.quota. Cached 30 seconds.
If \`source\` is "sample", say that the figures are invented. "—", null: missing.
Tool sets (?tools=): ${TOOL_SETS.join(", ")}.${isWhole ? "" : ` This connection has only ${sets.join(", ")}.`}`;
}

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
