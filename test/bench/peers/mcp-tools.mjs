// The service's own tools for the MCP peers: same names, descriptions and inputs; a call answers the
// ready result.
import { z } from "zod";
import { answers } from "./access.mjs";

export const tools = answers.mcp.tools.map(({ name, description, inputSchema }) => ({
  name,
  description,
  input: z.fromJSONSchema(inputSchema),
}));

/** The result of every call, as the service gave it. */
export const { content, structuredContent } = answers.mcp.result;

/** An MCP result that says that the quota is used up. */
export const denied = { isError: true, content: [{ type: "text", text: "rate limit exceeded" }] };
