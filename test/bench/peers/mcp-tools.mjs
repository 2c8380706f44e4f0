// The service's tools for the MCP peers, with the same names, descriptions and inputs. A call returns
// the prepared result.
import { z } from "zod";
import { answers } from "./access.mjs";

export const tools = answers.mcp.tools.map(({ name, description, inputSchema }) => ({
  name,
  description,
  input: z.fromJSONSchema(inputSchema),
}));

/** The service's result, for every call. */
export const { content, structuredContent } = answers.mcp.result;

/** The MCP result for an exceeded quota. */
export const denied = { isError: true, content: [{ type: "text", text: "rate limit exceeded" }] };
