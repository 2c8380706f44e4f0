import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolRequestSchema,
  InitializeRequestSchema,
  type JSONRPCMessage,
  ListToolsRequestSchema,
  PingRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { Quota } from "#access/quota.ts";
import type { BourseError, ErrorCode } from "#domain/errors.ts";
import { ageSeconds, type Executor } from "#operations/execute.ts";
import { OPERATIONS } from "#operations/index.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import {
  errorMessage,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  type Incoming,
  JsonRpcError,
  type JsonRpcId,
  METHOD_NOT_FOUND,
} from "./json-rpc.ts";
import { toTool } from "./tool.ts";

/** The one revision of the protocol that we speak, whatever a client offers. */
export const PROTOCOL_VERSION = "2025-06-18";

const RATE_LIMITED = -32001;
const TOOL_EXECUTION_FAILED = -32002;

/**
 * How each error of ours reads to an agent: a JSON-RPC code, or `tool_error` for what the agent can
 * mend, which is a normal result with `isError`.
 */
const MCP_ERRORS: Record<ErrorCode, number | "tool_error"> = {
  missing_argument: INVALID_PARAMS,
  invalid_argument: "tool_error",
  not_found: "tool_error",
  rate_limited: RATE_LIMITED,
  unavailable: TOOL_EXECUTION_FAILED,
  internal: INTERNAL_ERROR,
  // The HTTP edge refuses these before JSON-RPC begins.
  missing_auth: INVALID_REQUEST,
  invalid_token: INVALID_REQUEST,
  method_not_allowed: INVALID_REQUEST,
  payload_too_large: INVALID_REQUEST,
  unsupported_media_type: INVALID_REQUEST,
};

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

/** What the tool server is made of. */
export interface ToolServerParts {
  readonly executor: Executor;
  readonly clock: () => number;
  /** Makes any thrown value an error that may be shown, and logs what may not. */
  readonly explain: (thrown: unknown, requestId: string) => BourseError;
  /** The program's version. */
  readonly version: string;
}

/** What a tool needs to know of the call that it answers. */
interface CallContext {
  readonly requestId: string;
  readonly quota: Quota;
}

/** Speaks the protocol: answers each request with the message that goes out. */
export interface ToolServer {
  answer(request: Extract<Incoming, { kind: "request" }>, context: CallContext): Promise<object>;
}

/**
 * One long-lived SDK server behind a transport within the process. Requests get ids of our own
 * inside, since two clients may use the same. Notifications never reach it: the server belongs to
 * all clients, and one's `notifications/cancelled` would hit another's request.
 */
export async function createToolServer(parts: ToolServerParts): Promise<ToolServer> {
  const { executor, clock, explain, version } = parts;
  const tools = OPERATIONS.map(toTool);
  const operations = new Map(OPERATIONS.map((operation) => [operation.name, operation]));
  const pending = new Map<
    JsonRpcId,
    { context: CallContext; resolve(message: JSONRPCMessage): void }
  >();

  const call = async (name: string, args: Record<string, unknown>, context: CallContext) => {
    const quota = quotaMeta(context.quota);
    const operation = operations.get(name);
    if (!operation) {
      const names = [...operations.keys()].join(", ");
      throw new JsonRpcError(
        METHOD_NOT_FOUND,
        `Unknown tool: ${name.slice(0, 64)}. The tools are ${names}.`,
      );
    }
    try {
      const execution = await executor.execute(operation, args);
      return {
        content: [{ type: "text" as const, text: execution.body }],
        structuredContent: { ...execution.envelope },
        _meta: { quota, source: execution.source, age_seconds: ageSeconds(execution, clock()) },
      };
    } catch (thrown) {
      const error = explain(thrown, context.requestId);
      if (MCP_ERRORS[error.code] !== "tool_error") throw toJsonRpcError(error);
      const next = error.code === "invalid_argument" ? `Call ${name} again with that mended.` : "";
      const text = [error.message, error.details.hint, next].filter(Boolean).join(" ");
      return { content: [{ type: "text" as const, text }], isError: true, _meta: { quota } };
    }
  };

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
    const context = pending.get(requestId)?.context;
    if (!context) throw new Error("no such call is under way");
    return call(params.name, params.arguments ?? {}, context);
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
  return {
    async answer({ id, method, params }, context) {
      const request = { method, ...(params !== undefined && { params: withoutTask(params) }) };
      const schema = REQUEST_SCHEMAS.get(method);
      if (!schema) {
        const text = `Unknown method. The methods are ${[...REQUEST_SCHEMAS.keys()].join(", ")}.`;
        return errorMessage(id, new JsonRpcError(METHOD_NOT_FOUND, text));
      }
      if (!schema.safeParse(request).success) {
        return errorMessage(id, new JsonRpcError(INVALID_PARAMS, invalidParams(method)));
      }
      const innerId = ++lastId;
      const reply = await new Promise<JSONRPCMessage>((resolve) => {
        pending.set(innerId, { context, resolve });
        transport.onmessage?.({ jsonrpc: "2.0", id: innerId, ...request } as JSONRPCMessage);
      });
      pending.delete(innerId);
      return { ...reply, id };
    },
  };
}

/** An error of ours as JSON-RPC carries it. */
export function toJsonRpcError({ code, message, details }: BourseError): JsonRpcError {
  const number = MCP_ERRORS[code];
  const { retryAfterSeconds, param, allowed } = details;
  const data = {
    ...(retryAfterSeconds !== undefined && { retry_after_seconds: retryAfterSeconds }),
    ...(param !== undefined && { param }),
    ...(allowed !== undefined && { allowed }),
  };
  return new JsonRpcError(
    number === "tool_error" ? INTERNAL_ERROR : number,
    message,
    Object.keys(data).length > 0 ? data : undefined,
  );
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

/** Both windows of the quota, for agents, who see no headers. */
function quotaMeta({ plan, daily, hourly }: Quota) {
  const window = ({ limit, remaining, resetAt }: Quota["daily"]) => ({
    limit,
    remaining,
    reset: resetAt,
  });
  return { plan, daily: window(daily), hourly: window(hourly) };
}
