import { createServer } from "node:net";
import Database from "better-sqlite3";
import { FastMCP } from "fastmcp";
import { openAccess } from "./access.mjs";
import { content, denied, structuredContent, tools } from "./mcp-tools.mjs";

const access = openAccess(Database, "fastmcp.db");

const server = new FastMCP({
  name: "fastmcp",
  version: "1.0.0",
  authenticate: async (request) => {
    const token = access.authenticate(request.headers.authorization);
    if (!token) throw new Response(null, { status: 401 });
    return token;
  },
});
for (const { name, description, input } of tools) {
  server.addTool({
    name,
    description,
    parameters: input,
    execute: async (_, { session }) =>
      access.charge(session) ? { content, structuredContent } : denied,
  });
}
const port = await freePort();
await server.start({
  transportType: "httpStream",
  httpStream: {
    host: "127.0.0.1",
    port,
    endpoint: "/api/v1/svc/mcp",
    stateless: true,
    enableJsonResponse: true,
  },
});
console.log(`listens on http://127.0.0.1:${port}`);
// Silences its log of every connection, which is not to be measured.
console.log = () => {};

/** It does not accept port 0. */
function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
