import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  InitializeRequestSchema,
  type JSONRPCMessage,
  ListToolsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { Operation, ToolSet } from "#operations/operation.ts";
import { CAPABILITIES, instructionsFor, type ServerInfo } from "./identity.ts";
import {
  INVALID_PARAMS,
  isObject,
  type JsonObject,
  JsonRpcError,
  PROTOCOL_VERSION,
} from "./json-rpc.ts";
import { invalidParamsText } from "./params.ts";
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
  /** The result of a method as JSON text. @throws JsonRpcError */
  run(method: SdkMethod, params: JsonObject): Promise<string>;
}

/**
 * Creates one long-lived SDK server for all clients with these tool sets, connected by an in-process transport. It receives our
 * own request ids, because two clients can use the same, and no notifications, because one client's
 * `notifications/cancelled` would cancel another client's request.
 *
 * @param operations the tools, in their order
 */
export async function createSdkServer(
  serverInfo: ServerInfo,
  operations: readonly Operation[],
  sets: readonly ToolSet[],
): Promise<SdkServer> {
  const server = createServer(serverInfo, operations, sets);
  const pending = new Map<string | number, (message: JSONRPCMessage) => void>();
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
    async run(method, params) {
      const { schema, declared } = METHODS[method];
      const request = { method, params: declared(params) };
      // The SDK never answers a request that fails its own schema.
      if (!schema.safeParse(request).success) {
        throw new JsonRpcError(INVALID_PARAMS, invalidParamsText(method));
      }
      if (method === "tools/list" && list !== undefined) return list;
      const reply = await ask(request);
      if ("error" in reply) throw new JsonRpcError(reply.error.code, reply.error.message);
      const result = JSON.stringify("result" in reply ? reply.result : {});
      if (method === "tools/list") list = result;
      return result;
    },
  };
}

function createServer(
  serverInfo: ServerInfo,
  operations: readonly Operation[],
  sets: readonly ToolSet[],
): Server {
  const tools = operations.map(toTool);
  const server = new Server(serverInfo, { capabilities: CAPABILITIES });
  server.setRequestHandler(InitializeRequestSchema, () => ({
    protocolVersion: PROTOCOL_VERSION,
    capabilities: CAPABILITIES,
    serverInfo,
    instructions: instructionsFor(sets),
  }));
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  return server;
}
