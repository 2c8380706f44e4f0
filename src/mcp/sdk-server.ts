import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  InitializeRequestSchema,
  type JSONRPCMessage,
  ListToolsRequestSchema,
  PingRequestSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/sdk/types.js";
import type { Quota } from "#access/quota.ts";
import { OPERATIONS } from "#operations/index.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import {
  errorMessage,
  INVALID_PARAMS,
  type JsonRpcId,
  JsonRpcError,
  type JsonRpcRequest,
  METHOD_NOT_FOUND,
  PROTOCOL_VERSION,
  resultMessage,
} from "./json-rpc.ts";
import { toTool } from "./tool.ts";

/**
 * Every method that we answer. The SDK never answers a request that fails its own schema, so each is
 * checked before.
 */
const REQUEST_SCHEMAS = new Map<string, { safeParse(request: unknown): { success: boolean } }>([
  ["initialize", InitializeRequestSchema],
  ["ping", PingRequestSchema],
  ["tools/list", ListToolsRequestSchema],
  ["tools/call", CallToolRequestSchema],
]);

/** What the SDK's server is made of. */
export interface SdkServerParts {
  /** The program's version. */
  readonly version: string;
  /** @throws JsonRpcError where the protocol has a code for what went wrong */
  readonly callTool: (
    name: string,
    args: Record<string, unknown>,
    quota: Quota,
  ) => Promise<CallToolResult>;
}

/** Speaks the protocol by the SDK. */
export interface SdkServer {
  /** The revisions of the protocol that there are. */
  readonly revisions: readonly string[];
  /** Answers a request with the message that goes out, as JSON text. */
  answer(request: JsonRpcRequest, quota: Quota): Promise<string>;
}

/**
 * One long-lived SDK server behind a transport within the process. Requests get ids of our own
 * inside, since two clients may use the same. Notifications never reach it: the server belongs to
 * all clients, and one's `notifications/cancelled` would hit another's request.
 */
export async function createSdkServer({ version, callTool }: SdkServerParts): Promise<SdkServer> {
  const tools = OPERATIONS.map(toTool);
  const pending = new Map<JsonRpcId, { quota: Quota; resolve(message: JSONRPCMessage): void }>();

  const serverInfo = { name: "bourse", title: "bourse markets data", version };
  const capabilities = { tools: {} };
  const server = new Server(serverInfo, { capabilities });
  server.setRequestHandler(InitializeRequestSchema, () => ({
    protocolVersion: PROTOCOL_VERSION,
    capabilities,
    serverInfo,
    instructions: INSTRUCTIONS,
  }));
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { requestId }) => {
    const quota = pending.get(requestId)?.quota;
    if (!quota) throw new Error("no such call is under way");
    return callTool(params.name, params.arguments ?? {}, quota);
  });

  const transport: Transport = {
    start: async () => {},
    close: async () => {},
    send: async (message) => {
      if ("id" in message && message.id !== undefined) pending.get(message.id)?.resolve(message);
    },
  };
  await server.connect(transport);

  let lastId = 0;
  const ask = async (request: object, quota: Quota): Promise<JSONRPCMessage> => {
    const id = ++lastId;
    const reply = await new Promise<JSONRPCMessage>((resolve) => {
      pending.set(id, { quota, resolve });
      transport.onmessage?.({ jsonrpc: "2.0", id, ...request } as JSONRPCMessage);
    });
    pending.delete(id);
    return reply;
  };

  /** The list of tools, which is always the same, as JSON text once it was asked for. */
  let list: string | undefined;
  return {
    revisions: SUPPORTED_PROTOCOL_VERSIONS,
    async answer({ id, method, params }, quota) {
      if (method === "tools/list" && list !== undefined && isEmpty(params)) {
        return resultMessage(id, list);
      }
      const request = { method, ...(params !== undefined && { params: withoutTask(params) }) };
      const schema = REQUEST_SCHEMAS.get(method);
      if (!schema) {
        const text = `Unknown method. The methods are ${[...REQUEST_SCHEMAS.keys()].join(", ")}.`;
        return errorMessage(id, new JsonRpcError(METHOD_NOT_FOUND, text));
      }
      if (!schema.safeParse(request).success) {
        return errorMessage(id, new JsonRpcError(INVALID_PARAMS, invalidParams(method)));
      }
      const reply = await ask(request, quota);
      if (!("result" in reply)) return JSON.stringify({ ...reply, id });
      const result = JSON.stringify(reply.result);
      if (method === "tools/list") list = result;
      return resultMessage(id, result);
    },
  };
}

/** Whether a list is asked for without anything else. */
function isEmpty(params: unknown): boolean {
  if (params === undefined) return true;
  const isObject = typeof params === "object" && params !== null && !Array.isArray(params);
  return isObject && Object.keys(params).length === 0;
}

/** Tasks belong to a later revision; the SDK would refuse the whole call for naming one. */
function withoutTask(params: unknown): unknown {
  if (typeof params !== "object" || params === null || Array.isArray(params)) return params;
  const { task: _, ...rest } = params as Record<string, unknown>;
  return rest;
}

function invalidParams(method: string): string {
  return method === "tools/call"
    ? "Invalid params: tools/call takes `name`, a string, and `arguments`, an object."
    : `Invalid params: \`params\` does not fit ${method} in revision ${PROTOCOL_VERSION}.`;
}
