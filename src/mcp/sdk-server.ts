import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  InitializeRequestSchema,
  type JSONRPCMessage,
  ListToolsRequestSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/sdk/types.js";
import { OPERATIONS } from "#operations/index.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import {
  errorMessage,
  INVALID_PARAMS,
  type JsonRpcId,
  JsonRpcError,
  PROTOCOL_VERSION,
  resultMessage,
} from "./json-rpc.ts";
import { invalidParamsText, isObject, type JsonObject } from "./params.ts";
import { toTool } from "./tool.ts";

/** The methods that the SDK answers. It receives only their declared fields, because a client can send more. */
const METHODS = {
  initialize: {
    schema: InitializeRequestSchema,
    declared: ({ protocolVersion, capabilities, clientInfo }: JsonObject) => ({
      protocolVersion,
      // The answer does not depend on them.
      capabilities: isObject(capabilities) ? {} : capabilities,
      clientInfo: isObject(clientInfo)
        ? { name: clientInfo["name"], version: clientInfo["version"] }
        : clientInfo,
    }),
  },
  "tools/list": {
    schema: ListToolsRequestSchema,
    declared: ({ cursor }: JsonObject) => (cursor === undefined ? {} : { cursor }),
  },
};

/** A method that the SDK answers. */
export type SdkMethod = keyof typeof METHODS;

/** The part of the protocol that the SDK implements. */
export interface SdkServer {
  /** Answers a request with the outgoing message, as JSON text. */
  answer(id: JsonRpcId, method: SdkMethod, params: JsonObject): Promise<string>;
}

/** True for a released revision of the protocol. */
export function isRevision(revision: string): boolean {
  return SUPPORTED_PROTOCOL_VERSIONS.includes(revision);
}

/**
 * Creates one long-lived SDK server for all clients, connected by an in-process transport. It receives our
 * own request ids, because two clients can use the same, and no notifications, because one client's
 * `notifications/cancelled` would cancel another client's request.
 *
 * @param version the program's version
 */
export async function createSdkServer(version: string): Promise<SdkServer> {
  const server = createServer(version);
  const pending = new Map<JsonRpcId, (message: JSONRPCMessage) => void>();
  const transport: Transport = {
    start: async () => {},
    close: async () => {},
    send: async (message) => {
      if ("id" in message && message.id !== undefined) pending.get(message.id)?.(message);
    },
  };
  await server.connect(transport);

  let lastId = 0;
  const ask = async (request: object): Promise<JSONRPCMessage> => {
    const id = ++lastId;
    const { promise, resolve } = Promise.withResolvers<JSONRPCMessage>();
    pending.set(id, resolve);
    transport.onmessage?.({ jsonrpc: "2.0", id, ...request } as JSONRPCMessage);
    const reply = await promise;
    pending.delete(id);
    return reply;
  };

  /** The result of `tools/list` as JSON text, which never changes; undefined before the first request. */
  let list: string | undefined;
  return {
    async answer(id, method, params) {
      const { schema, declared } = METHODS[method];
      const request = { method, params: declared(params) };
      // The SDK never answers a request that fails its own schema.
      if (!schema.safeParse(request).success) {
        return errorMessage(id, new JsonRpcError(INVALID_PARAMS, invalidParamsText(method)));
      }
      if (method === "tools/list" && list !== undefined) return resultMessage(id, list);
      const reply = await ask(request);
      if (!("result" in reply)) return JSON.stringify({ ...reply, id });
      const result = JSON.stringify(reply.result);
      if (method === "tools/list") list = result;
      return resultMessage(id, result);
    },
  };
}

function createServer(version: string): Server {
  const tools = OPERATIONS.map(toTool);
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
  return server;
}
