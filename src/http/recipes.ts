import { clientLines, mcpAddress } from "#console/client-lines.ts";
import { FEED_RECIPES } from "#feeds/recipes/recipes.ts";
import type { Recipe } from "#feeds/recipes/recipe.ts";
import { V1, versionPrefix } from "./api-version.ts";

const API = `<URL>${versionPrefix(V1)}`;
const INDENT = 2;
const AGENTS = ["Claude Code", "Cursor", "VS Code"];
const NEEDS_HTTPS =
  "The program calls the service from its own servers, so the service needs a public address with https: put a proxy with a certificate in front of it, such as Caddy or nginx, set BOURSE_PUBLIC_URL to the address, such as https://bourse.example.com, and BOURSE_TRUSTED_PROXIES to the proxy's address, and start the service again.";

/** A recipe for each program: those that read feeds, and agents, which use MCP. */
export function listRecipes(): readonly Recipe[] {
  return [...FEED_RECIPES, ...agentRecipes()];
}

function agentRecipes(): Recipe[] {
  const lines = clientLines(API, "<TOKEN>", INDENT).filter(({ client }) => AGENTS.includes(client));
  return [
    ...lines.map(({ client, file, how, text }) => ({
      program: client,
      group: "Agents" as const,
      how,
      texts: [{ label: file, text }],
      proof: `The address answers MCP with this header. ${client} itself was not run.`,
    })),
    {
      program: "claude.ai",
      group: "Agents",
      how: `Open Settings, Connectors, choose Add custom connector, enter the name bourse and this address, and choose Add, then Connect. The console asks for your consent. ${NEEDS_HTTPS}`,
      texts: [{ label: "Remote MCP server URL", text: mcpAddress(API) }],
      proof: null,
    },
    {
      program: "ChatGPT",
      group: "Agents",
      how: `Open Settings, Apps & Connectors, Advanced settings, and switch developer mode on. Go back, choose Create, enter the name bourse and this address, and choose OAuth. The console asks for your consent. ${NEEDS_HTTPS}`,
      texts: [{ label: "MCP Server URL", text: mcpAddress(API) }],
      proof: null,
    },
  ];
}
