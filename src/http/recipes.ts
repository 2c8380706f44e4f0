import { clientLines, mcpAddress } from "#console/client-lines.ts";
import { FEED_RECIPES } from "#feeds/recipes/recipes.ts";
import { RECIPE_GROUPS, type Recipe } from "#feeds/recipes/recipe.ts";
import { V1, versionPrefix } from "./api-version.ts";

const API = `<URL>${versionPrefix(V1)}`;
const INDENT = 2;
/** The programs that make one call of the API. Others use MCP. */
const CALLERS = ["curl", "Python", "TypeScript"];
const NEEDS_HTTPS =
  "The program calls the service from its own servers, so the service needs a public address with https: put a proxy with a certificate in front of it, such as Caddy or nginx, set BOURSE_PUBLIC_URL to the address, such as https://bourse.example.com, and BOURSE_TRUSTED_PROXIES to the proxy's address, and start the service again.";

/** A recipe for each program, by group: those that call the API, agents, which use MCP, and those that read feeds. */
export function listRecipes(): readonly Recipe[] {
  const groupOf = ({ group }: Recipe) => RECIPE_GROUPS.indexOf(group);
  return [...clientRecipes(), AGENTS_SDK, ...hostedRecipes(), ...FEED_RECIPES].toSorted(
    (a, b) => groupOf(a) - groupOf(b),
  );
}

function clientRecipes(): Recipe[] {
  return clientLines(API, "<TOKEN>", INDENT).map(({ client, file, how, text }) => {
    const shared = { how, texts: [{ label: file, text }] };
    return CALLERS.includes(client)
      ? {
          program: `API with ${client}`,
          group: "Code",
          ...shared,
          proof: "Tested: this address answers calls with this header.",
        }
      : {
          program: client,
          group: "Agents",
          ...shared,
          proof: "Tested: this address answers MCP calls with this header.",
          untried: `${client} itself was not run.`,
        };
  });
}

const AGENTS_SDK: Recipe = {
  program: "OpenAI Agents SDK",
  group: "Agents",
  how: "Give your agent this server. Without the line errorFunction, the SDK hides from the model that the quota is used up: it says try again instead.",
  texts: [
    {
      label: null,
      text: `import { Agent, MCPServerStreamableHttp } from "@openai/agents";

const bourse = new MCPServerStreamableHttp({
  url: "${mcpAddress(API)}",
  requestInit: { headers: { Authorization: "Bearer <TOKEN>" } },
  errorFunction: ({ error }) => String(error),
});
await bourse.connect();
const agent = new Agent({ name: "Analyst", mcpServers: [bourse] });`,
    },
  ],
  proof: "The tools of the agent run with @openai/agents 0.20, also with a used-up quota.",
  untried: "No model was asked.",
};

/** Agents that call the service from the servers of their makers. */
function hostedRecipes(): Recipe[] {
  return [
    {
      program: "claude.ai",
      group: "Agents",
      how: `Open Settings, Connectors, choose Add custom connector, enter the name bourse and this address, and choose Add, then Connect. The console asks for your consent. ${NEEDS_HTTPS}`,
      isReadByServers: true,
      texts: [{ label: "Remote MCP server URL", text: mcpAddress(API) }],
      proof: null,
    },
    {
      program: "ChatGPT",
      group: "Agents",
      how: `Open Settings, Apps & Connectors, Advanced settings, and switch developer mode on. Go back, choose Create, enter the name bourse and this address, and choose OAuth. The console asks for your consent. ${NEEDS_HTTPS}`,
      isReadByServers: true,
      texts: [{ label: "MCP Server URL", text: mcpAddress(API) }],
      proof: null,
    },
  ];
}
