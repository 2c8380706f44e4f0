import { afterAll, describe, expect, test } from "bun:test";
import { listRecipes } from "#feeds/recipes/recipes.ts";
import { fillRecipes } from "../support/recipes.ts";
import { startService } from "../support/service.ts";

const service = await startService();
afterAll(() => service.stop());
const { link, token, fill, textOf } = fillRecipes(service);

/** What programs put behind an address that is only the beginning of theirs. */
const CONTINUED: readonly (readonly [RegExp, string])[] = [
  [/\/openbb$/, "/widgets.json"],
  [/\/udf$/, "/config"],
  [/\/yahoo$/, "/v8/finance/chart/AAPL"],
  [/\/feed\/eodhd$/, `/api/eod/AAPL.US?fmt=json&api_token=${link}`],
  [/\/feed\/massive$/, `/v3/reference/tickers/AAPL?apiKey=${link}`],
  [/\/financialdatasets$/, `/company/facts/?ticker=AAPL&apikey=${link}`],
  [/\/alphavantage\/query$/, `?function=GLOBAL_QUOTE&symbol=AAPL&apikey=${link}`],
  [/\/frankfurter\/v2$/, "/rate/USD/JPY?date=2026-11-18"],
];
/** What programs put in place of their own variables. */
const VARIABLES: readonly (readonly [RegExp, string])[] = [
  [/\{TICKER\}|\{SYMBOL\}/g, "7203.T"],
  [/\{FROM\}/g, "2026-10-01"],
  [/\{TO\}/g, "2026-11-18"],
];

/** The addresses in a text as the program calls them. */
function urlsOf(text: string): string[] {
  const found = fill(text).match(new RegExp(`${service.origin}[^\\s"'\`)]*`, "g")) ?? [];
  return found
    .filter((url) => url !== service.origin && !url.endsWith("/mcp"))
    .map((url) => VARIABLES.reduce((text, [mark, value]) => text.replace(mark, value), url))
    .map((url) => url + (CONTINUED.find(([end]) => end.test(url))?.[1] ?? ""));
}

describe("recipes", () => {
  const recipes = listRecipes();

  test("are for each program that people ask for, once", () => {
    const programs = recipes.map(({ program }) => program);
    expect(new Set(programs).size).toBe(programs.length);
    expect(programs).toContainValues([
      "Google Sheets",
      "Excel",
      "LibreOffice Calc",
      "pandas",
      "R",
      "DuckDB",
      "Portfolio Performance",
      "Ghostfolio",
      "Wealthfolio",
      "Sure",
      "GnuCash",
      "beancount",
      "hledger",
      "ledger",
      "Home Assistant",
      "Grafana",
      "Node-RED",
      "n8n",
      "Prometheus",
      "Homepage",
      "Glance",
      "MagicMirror",
      "News readers",
      "KMyMoney",
      "Vega-Lite",
      "ECharts",
      "KLineChart",
      "@polygon.io/client-js",
      "Finance::QuoteHist",
      "OpenBB Workspace",
      "TradingView charting library",
      "Claude Desktop",
      "Claude Code",
      "Codex",
      "Gemini CLI",
      "Windsurf",
      "LM Studio",
      "Open WebUI",
      "Cursor",
      "VS Code",
      "claude.ai",
      "ChatGPT",
      "OpenAI Agents SDK",
      "AI SDK",
      "LangChain",
      "Mastra",
      "ai-hedge-fund",
      "TradingAgents",
      "API with curl",
      "API with Python",
      "API with TypeScript",
    ]);
    expect(new Set(recipes.map(({ group }) => group))).toEqual(
      new Set([
        "Agents",
        "Code",
        "Spreadsheets",
        "Portfolios",
        "Ledgers",
        "Dashboards and automation",
        "Charts and calendars",
      ]),
    );
  });

  test.each(recipes.map((recipe) => [recipe.program, recipe] as const))(
    "for %s have addresses that answer",
    async (_, { texts }) => {
      for (const { text } of texts) {
        expect(fill(text)).not.toMatch(/<[A-Z]+>/);
        for (const url of urlsOf(text)) {
          const headers = url.includes("/api/") ? { authorization: `Bearer ${token}` } : {};
          const { status } = await fetch(url, { headers });
          expect([url, status]).toEqual([url, 200]);
        }
      }
    },
  );

  test("have at least one address or setting each", () => {
    for (const { program, texts } of recipes) {
      const all = texts.map(({ text }) => fill(text)).join("\n");
      expect([program, all.includes(service.origin)]).toEqual([program, true]);
    }
  });

  test("for Open WebUI are an address and a token that answer MCP", async () => {
    const answer = await fetch(textOf("Open WebUI", "URL"), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${textOf("Open WebUI", "Key")}`,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
    });
    expect(await answer.json()).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  });

  test.each([
    ["Cursor", ".cursor/mcp.json"],
    ["VS Code", ".vscode/mcp.json"],
    ["Gemini CLI", ".gemini/settings.json"],
    ["Windsurf", ".codeium/windsurf/mcp_config.json"],
    ["LM Studio", "mcp.json"],
    ["Codex", ".codex/config.toml"],
  ])("for %s are settings whose address and header answer MCP", async (program, file) => {
    interface Server {
      readonly url?: string;
      readonly httpUrl?: string;
      readonly serverUrl?: string;
      readonly http_headers?: Record<string, string>;
      readonly headers?: Record<string, string>;
    }
    const text = textOf(program, file);
    const settings = (file.endsWith(".toml") ? Bun.TOML.parse(text) : JSON.parse(text)) as Record<
      string,
      { bourse: Server }
    >;
    const server = Object.values(settings)[0]?.bourse;
    const url = server?.url ?? server?.httpUrl ?? server?.serverUrl ?? "";
    const answer = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(server?.headers ?? server?.http_headers),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
    });
    expect(await answer.json()).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  });
});
