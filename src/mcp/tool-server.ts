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
import { createMemo } from "#lib/memo.ts";
import {
  ageSeconds,
  askQuestion,
  type Execution,
  type Executor,
  type Question,
} from "#operations/execute.ts";
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
  readonly explain: (thrown: unknown) => BourseError;
  /** The program's version. */
  readonly version: string;
}

/** Speaks the protocol: answers each request with the message that goes out, as JSON text. */
export interface ToolServer {
  answer(request: Extract<Incoming, { kind: "request" }>, quota: Quota): string | Promise<string>;
}

/** What a tool gave: an answer, or words for an agent that can mend its call. */
type Outcome = Execution | { readonly mend: string };

/** Calls whose questions are remembered. */
const MAX_QUESTIONS = 20_000;

/**
 * One long-lived SDK server behind a transport within the process. Requests get ids of our own
 * inside, since two clients may use the same. Notifications never reach it: the server belongs to
 * all clients, and one's `notifications/cancelled` would hit another's request.
 *
 * A `tools/call` of a name and arguments alone, which is nearly every request, goes past the SDK: it
 * would look through the request twice, and write anew what is written already.
 */
export async function createToolServer(parts: ToolServerParts): Promise<ToolServer> {
  const { executor, clock, explain, version } = parts;
  const tools = OPERATIONS.map(toTool);
  const operations = new Map(OPERATIONS.map((operation) => [operation.name, operation]));
  const questions = createMemo<Question>(MAX_QUESTIONS);
  const pending = new Map<JsonRpcId, { quota: Quota; resolve(message: JSONRPCMessage): void }>();

  /** @throws JsonRpcError where the protocol has a code for what went wrong */
  const call = (name: string, args: Record<string, unknown>): Outcome | Promise<Outcome> => {
    const operation = operations.get(name);
    if (!operation) {
      const names = [...operations.keys()].join(", ");
      throw new JsonRpcError(
        METHOD_NOT_FOUND,
        `Unknown tool: ${name.slice(0, 64)}. The tools are ${names}.`,
      );
    }
    const mend = (thrown: unknown): Outcome => {
      const error = explain(thrown);
      if (MCP_ERRORS[error.code] !== "tool_error") throw toJsonRpcError(error);
      const next = error.code === "invalid_argument" ? `Call ${name} again with that mended.` : "";
      return { mend: [error.message, error.details.hint, next].filter(Boolean).join(" ") };
    };
    try {
      const ask = () => askQuestion(operation, args);
      // What is nested is wrong anyway, and may be nested deeper than the stack.
      const isFlat = Object.values(args).every((value) => typeof value !== "object");
      const question = isFlat ? questions.get(`${name} ${JSON.stringify(args)}`, ask) : ask();
      const execution = executor.execute(question);
      return execution instanceof Promise ? execution.catch(mend) : execution;
    } catch (thrown) {
      return mend(thrown);
    }
  };

  const metaOf = (outcome: Outcome, quota: Quota) =>
    "mend" in outcome
      ? { quota: quotaMeta(quota) }
      : {
          quota: quotaMeta(quota),
          source: outcome.source,
          age_seconds: ageSeconds(outcome, clock()),
        };

  /** The message of a result, put together from text that is written once for each execution. */
  const writeResult = (id: JsonRpcId, outcome: Outcome, quota: Quota): string => {
    const meta = JSON.stringify(metaOf(outcome, quota));
    const [text, rest] =
      "mend" in outcome
        ? [JSON.stringify(outcome.mend), `"isError":true`]
        : [quotedBody(outcome), `"structuredContent":${outcome.body}`];
    return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":${text}}],${rest},"_meta":${meta}}}`;
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
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { requestId }) => {
    const quota = pending.get(requestId)?.quota;
    if (!quota) throw new Error("no such call is under way");
    const outcome = await call(params.name, params.arguments ?? {});
    const _meta = metaOf(outcome, quota);
    return "mend" in outcome
      ? { content: [{ type: "text" as const, text: outcome.mend }], isError: true, _meta }
      : {
          content: [{ type: "text" as const, text: outcome.body }],
          structuredContent: JSON.parse(outcome.body) as Record<string, unknown>,
          _meta,
        };
  });

  const transport: Transport = {
    start: async () => {},
    close: async () => {},
    send: async (message) => {
      if ("id" in message && message.id !== undefined) pending.get(message.id)?.resolve(message);
    },
  };
  await server.connect(transport);

  const askSdk = async (
    { id, method, params }: Parameters<ToolServer["answer"]>[0],
    quota: Quota,
  ): Promise<string> => {
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
      pending.set(innerId, { quota, resolve });
      transport.onmessage?.({ jsonrpc: "2.0", id: innerId, ...request } as JSONRPCMessage);
    });
    pending.delete(innerId);
    return JSON.stringify({ ...reply, id });
  };

  let lastId = 0;
  return {
    answer(request, quota) {
      const { id, method, params } = request;
      if (method !== "tools/call" || !isPlainCall(params)) return askSdk(request, quota);
      const refuse = (thrown: unknown): string => {
        if (thrown instanceof JsonRpcError) return errorMessage(id, thrown);
        throw thrown;
      };
      try {
        const outcome = call(params.name, params.arguments ?? {});
        return outcome instanceof Promise
          ? outcome.then((made) => writeResult(id, made, quota)).catch(refuse)
          : writeResult(id, outcome, quota);
      } catch (thrown) {
        return refuse(thrown);
      }
    },
  };
}

/** Whether the parameters of a `tools/call` are a name and arguments, and nothing else. */
function isPlainCall(
  params: unknown,
): params is { name: string; arguments?: Record<string, unknown> } {
  if (typeof params !== "object" || params === null) return false;
  const { name, arguments: args, ...others } = params as Record<string, unknown>;
  const isObject = typeof args === "object" && args !== null && !Array.isArray(args);
  return (
    typeof name === "string" && (args === undefined || isObject) && Object.keys(others).length === 0
  );
}

const quoted = new WeakMap<Execution, string>();

/** The body as a JSON string within JSON. */
function quotedBody(execution: Execution): string {
  let text = quoted.get(execution);
  if (text === undefined) quoted.set(execution, (text = JSON.stringify(execution.body)));
  return text;
}

/** An error of ours as JSON-RPC carries it. */
export function toJsonRpcError({ code, message, details }: BourseError): JsonRpcError {
  const number = MCP_ERRORS[code];
  const { retryAfterSeconds, param, allowed, requestId } = details;
  const data = {
    ...(retryAfterSeconds !== undefined && { retry_after_seconds: retryAfterSeconds }),
    ...(param !== undefined && { param }),
    ...(allowed !== undefined && { allowed }),
    ...(requestId !== undefined && { request_id: requestId }),
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
