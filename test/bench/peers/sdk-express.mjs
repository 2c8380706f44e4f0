// Follows the SDK's example examples/server/simpleStatelessStreamableHttp: one server per request.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { createMcpExpressApp } from "@modelcontextprotocol/sdk/server/express.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import Database from "better-sqlite3";
import { openAccess } from "./access.mjs";
import { content, denied, structuredContent, tools } from "./mcp-tools.mjs";

const access = openAccess(Database, "sdk-express.db");

function getServer(token) {
  const server = new McpServer({ name: "sdk-express", version: "1.0.0" });
  for (const { name, description, input } of tools) {
    server.registerTool(name, { description, inputSchema: input }, () =>
      access.charge(token) ? { content, structuredContent } : denied,
    );
  }
  return server;
}

const app = createMcpExpressApp();
app.post("/api/v1/svc/mcp", async (request, response) => {
  const token = access.authenticate(request.headers.authorization);
  if (!token) return response.status(401).end();
  const server = getServer(token);
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  });
  response.on("close", () => {
    transport.close();
    server.close();
  });
  await server.connect(transport);
  await transport.handleRequest(request, response, request.body);
});
const server = app.listen(0, "127.0.0.1", () => {
  console.log(`listens on http://127.0.0.1:${server.address().port}`);
});
