import { Database } from "bun:sqlite";
import { Elysia } from "elysia";
import { mcp } from "elysia-mcp";
import { openAccess } from "./access.mjs";
import { content, denied, structuredContent, tools } from "./mcp-tools.mjs";

const access = openAccess(Database, "elysia-mcp.db");

const app = new Elysia()
  .use(
    mcp({
      serverInfo: { name: "elysia-mcp", version: "1.0.0" },
      capabilities: { tools: {} },
      basePath: "/api/v1/svc/mcp",
      stateless: true,
      enableJsonResponse: true,
      authentication: async ({ request }) => {
        const token = access.authenticate(request.headers.get("authorization"));
        return token
          ? { authInfo: { token: "", clientId: "", scopes: [], extra: token } }
          : { response: new Response(null, { status: 401 }) };
      },
      setupServer: (server) => {
        for (const { name, description, input } of tools) {
          server.registerTool(name, { description, inputSchema: input }, (_, { authInfo }) =>
            access.charge(authInfo.extra) ? { content, structuredContent } : denied,
          );
        }
      },
    }),
  )
  .listen({ hostname: "127.0.0.1", port: 0 });
console.log(`listens on http://127.0.0.1:${app.server.port}`);
