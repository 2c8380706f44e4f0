import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolRequestSchema,
  InitializeRequestSchema,
  type JSONRPCMessage,
  ListToolsRequestSchema,
  PingRequestSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/sdk/types.js";
import type { Guard, Principal } from "#access/guard.ts";
import type { Quota } from "#access/quota.ts";
import type { BourseError, ErrorCode } from "#domain/errors.ts";
import { ageSeconds, type Executor } from "#operations/execute.ts";
import { OPERATIONS } from "#operations/index.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { toTool } from "./tool.ts";

/** The one revision of the protocol that we speak, whatever a client offers. */
export const PROTOCOL_VERSION = "2025-06-18";

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;

/**
 * How each error of ours reads to an agent: a JSON-RPC code, or `tool_error` for what the agent can
 * mend (a normal result with `isError`).
 */
const MCP_ERRORS: Record<ErrorCode, number | "tool_error"> = {
  missing_argument: INVALID_PARAMS,
  invalid_argument: "tool_error",
  not_found: "tool_error",
  rate_limited: -32001,
  unavailable: -32002,
  internal: -32603,
  // What follows is refused by the HTTP edge before JSON-RPC begins.
  missing_auth: INVALID_REQUEST,
  invalid_token: INVALID_REQUEST,
  method_not_allowed: INVALID_REQUEST,
  payload_too_large: INVALID_REQUEST,
  unsupported_media_type: INVALID_REQUEST,
};

/** The SDK never answers a message that fails its own schema, so these are checked before it. */
const REQUEST_SCHEMAS: Readonly<
  Record<string, { safeParse(message: unknown): { success: boolean } }>
> = {
  initialize: InitializeRequestSchema,
  ping: PingRequestSchema,
  "tools/list": ListToolsRequestSchema,
  "tools/call": CallToolRequestSchema,
};

export interface McpCall {
  readonly principal: Principal;
  readonly requestId: string;
  /** The `MCP-Protocol-Version` header. */
  readonly protocolVersion: string | null;
}

export interface McpReply {
  readonly status: number;
  /** The JSON-RPC message, or null where there is nothing to say. */
  readonly message: object | null;
  /** The caller's quota after this call. */
  readonly quota: Quota;
}

/** Answers the body of one POST to the MCP path. */
export interface McpEndpoint {
  answer(body: Uint8Array, call: McpCall): Promise<McpReply>;
}

export interface McpDependencies {
  readonly executor: Executor;
  readonly guard: Guard;
  readonly clock: () => number;
  /** Makes any thrown value an error that may be shown, and logs what may not. */
  readonly explain: (thrown: unknown, requestId: string) => BourseError;
  /** The program's version. */
  readonly version: string;
}

type JsonRpcId = string | number;

/** A request that the SDK is working on. */
interface Pending extends McpCall {
  readonly quota: Quota;
  resolve(message: JSONRPCMessage): void;
}

/**
 * The MCP interface over one long-lived SDK server: stateless, each request independent. Requests
 * get ids of our own inside, since two clients may use the same; notifications never reach the
 * server, since a client's `notifications/cancelled` would hit another client's request.
 */
export async function createMcpEndpoint(dependencies: McpDependencies): Promise<McpEndpoint> {
  const { executor, guard, clock, explain, version } = dependencies;
  const pending = new Map<JsonRpcId, Pending>();
  const tools = OPERATIONS.map(toTool);
  const byName = new Map(OPERATIONS.map((operation) => [operation.name, operation]));

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
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { requestId }) => {
    const call = pending.get(requestId);
    if (!call) throw rpcError(MCP_ERRORS.internal as number, "No such call is under way.");
    const quota = quotaMeta(call.quota);
    try {
      const operation = byName.get(params.name);
      if (!operation) {
        throw rpcError(
          METHOD_NOT_FOUND,
          `Unknown tool: ${params.name.slice(0, 64)}. The tools are ${[...byName.keys()].join(", ")}.`,
        );
      }
      const execution = await executor.execute(operation, params.arguments ?? {});
      return {
        content: [{ type: "text" as const, text: execution.body }],
        structuredContent: { ...execution.envelope },
        _meta: { quota, source: execution.source, age_seconds: ageSeconds(execution, clock()) },
      };
    } catch (thrown) {
      if (thrown instanceof RpcError) throw thrown;
      const error = explain(thrown, call.requestId);
      const code = MCP_ERRORS[error.code];
      if (code !== "tool_error") throw toRpcError(error, code);
      const text = [error.message, error.details.hint].filter(Boolean).join(" ");
      return { content: [{ type: "text" as const, text }], isError: true, _meta: { quota } };
    }
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
  const dispatch = (request: object, call: McpCall, quota: Quota): Promise<JSONRPCMessage> => {
    const id = ++lastId;
    return new Promise<JSONRPCMessage>((resolve) => {
      pending.set(id, { ...call, quota, resolve });
      transport.onmessage?.({ ...request, id } as JSONRPCMessage);
    }).finally(() => pending.delete(id));
  };

  return {
    async answer(body, call) {
      const free = guard.quota(call.principal);
      const refuse = (
        status: number,
        id: JsonRpcId | null,
        code: number,
        message: string,
      ): McpReply => ({
        status,
        message: { jsonrpc: "2.0", id, error: { code, message } },
        quota: free,
      });
      if (
        call.protocolVersion !== null &&
        !SUPPORTED_PROTOCOL_VERSIONS.includes(call.protocolVersion)
      ) {
        return refuse(
          400,
          null,
          INVALID_REQUEST,
          `MCP-Protocol-Version must be ${PROTOCOL_VERSION}.`,
        );
      }

      let message: unknown;
      try {
        message = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
      } catch {
        return refuse(400, null, PARSE_ERROR, "Parse error: the body is not valid JSON.");
      }
      if (typeof message !== "object" || message === null || Array.isArray(message)) {
        return refuse(
          400,
          null,
          INVALID_REQUEST,
          "Invalid request: send one JSON-RPC object, not a batch.",
        );
      }
      const { jsonrpc, id, method, params } = message as Record<string, unknown>;
      const validId = typeof id === "string" || Number.isSafeInteger(id) ? (id as JsonRpcId) : null;
      if (jsonrpc !== "2.0") {
        return refuse(400, validId, INVALID_REQUEST, 'Invalid request: `jsonrpc` must be "2.0".');
      }
      if (id !== undefined && validId === null) {
        return refuse(
          400,
          null,
          INVALID_REQUEST,
          "Invalid request: `id` must be a string or a whole number.",
        );
      }
      if (method === undefined && ("result" in message || "error" in message)) {
        return { status: 202, message: null, quota: free };
      }
      if (typeof method !== "string") {
        return refuse(400, validId, INVALID_REQUEST, "Invalid request: `method` must be a string.");
      }
      if (validId === null) return { status: 202, message: null, quota: free };

      let quota = free;
      if (method === "tools/call") {
        const charge = guard.charge(call.principal);
        quota = charge.quota;
        if (charge.denied) {
          const {
            code,
            message: text,
            data,
          } = toRpcError(charge.denied, MCP_ERRORS.rate_limited as number);
          return {
            status: 200,
            message: { jsonrpc: "2.0", id: validId, error: { code, message: text, data } },
            quota,
          };
        }
      }
      if (REQUEST_SCHEMAS[method]?.safeParse(message).success === false) {
        return { ...refuse(200, validId, INVALID_PARAMS, invalidParams(method)), quota };
      }
      const request = { jsonrpc: "2.0", method, ...(params !== undefined && { params }) };
      const reply = await dispatch(request, call, quota);
      return { status: 200, message: { ...reply, id: validId }, quota };
    },
  };
}

/** An error with the code that JSON-RPC is to carry; the SDK passes code, message and data through. */
class RpcError extends Error {
  readonly code: number;
  readonly data: object | undefined;

  constructor(code: number, message: string, data?: object) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

const rpcError = (code: number, message: string) => new RpcError(code, message);

function toRpcError(error: BourseError, code: number): RpcError {
  const { retryAfterSeconds, param, allowed } = error.details;
  const data = {
    ...(retryAfterSeconds !== undefined && { retry_after_seconds: retryAfterSeconds }),
    ...(param !== undefined && { param }),
    ...(allowed !== undefined && { allowed }),
  };
  return new RpcError(code, error.message, Object.keys(data).length > 0 ? data : undefined);
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
