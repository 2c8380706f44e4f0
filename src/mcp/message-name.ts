import { OPERATIONS } from "#operations/index.ts";
import { type Incoming, isObject, type JsonObject } from "./json-rpc.ts";
import { METHODS } from "./server.ts";

const TOOLS: ReadonlySet<unknown> = new Set(OPERATIONS.map(({ name }) => name));
const NAMES: ReadonlySet<string> = new Set(Object.values(METHODS).flat());

/** The arguments of a tool as they were written; none for other messages. */
export function argumentsOf(incoming: Incoming): JsonObject {
  const params = incoming.kind === "request" ? incoming.params : undefined;
  const args = isObject(params) ? params["arguments"] : undefined;
  return isObject(args) ? args : {};
}

/** A short name of a message for metrics and logs: its tool or its method, never another text of the client. */
export function nameMessage(incoming: Incoming): string {
  if (incoming.kind === "invalid") return "invalid";
  if (incoming.kind === "silent") return "notification";
  const { method, params } = incoming;
  if (method !== "tools/call") return NAMES.has(method) ? method : "unknown";
  const tool = isObject(params) ? params["name"] : undefined;
  return TOOLS.has(tool) ? String(tool) : "unknown";
}
