import type { Quota } from "#access/quota.ts";
import type { BourseError, ErrorCode } from "#domain/errors.ts";
import { lazy } from "#lib/lazy.ts";
import { createMemo } from "#lib/memo.ts";
import {
  ageSeconds,
  askQuestion,
  type Execution,
  type Executor,
  type Question,
} from "#operations/execute.ts";
import { OPERATIONS } from "#operations/index.ts";
import {
  errorMessage,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  JsonRpcError,
  type JsonRpcId,
  type JsonRpcRequest,
  METHOD_NOT_FOUND,
  resultMessage,
} from "./json-rpc.ts";
import type { SdkServer } from "./sdk-server.ts";

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

/** What the tool server is made of. */
export interface ToolServerParts {
  readonly executor: Executor;
  readonly clock: () => number;
  /** Makes any thrown value an error that may be shown, and logs what may not. */
  readonly explain: (thrown: unknown) => BourseError;
  /** The program's version. */
  readonly version: string;
}

/** Answers requests with the messages that go out, as JSON text. */
export interface ToolServer {
  answer(request: JsonRpcRequest, quota: Quota): string | Promise<string>;
  /** Whether there is such a revision of the protocol. */
  knowsRevision(revision: string): Promise<boolean>;
}

/** What a tool gave: an answer, or words for an agent that can mend its call. */
type Outcome = Execution | { readonly mend: string };

/** Calls whose questions are remembered. */
const MAX_QUESTIONS = 20_000;

/**
 * Answers by the SDK's server, which is loaded when it is needed first: it takes a fifth of the
 * program's start. A `tools/call` of a name and arguments alone, which is nearly every request, goes
 * past it: it would look through the request twice, and write anew what is written already.
 */
export function createToolServer(parts: ToolServerParts): ToolServer {
  const { executor, clock, explain, version } = parts;
  const operations = new Map(OPERATIONS.map((operation) => [operation.name, operation]));
  const questions = createMemo<Question>(MAX_QUESTIONS);

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
      // What is nested is wrong anyway, and may be nested deeper than the stack; JSON has no infinity.
      const isFlat = Object.values(args).every((value) =>
        typeof value === "number" ? Number.isFinite(value) : typeof value !== "object",
      );
      const question = isFlat ? questions.get(`${name} ${JSON.stringify(args)}`, ask) : ask();
      const execution = executor.execute(question);
      return execution instanceof Promise ? execution.catch(mend) : execution;
    } catch (thrown) {
      return mend(thrown);
    }
  };

  /** What stands beside a result, as JSON text: the quota, for agents see no headers, and provenance. */
  const writeMeta = (outcome: Outcome, quota: Quota): string => {
    const provenance =
      "mend" in outcome
        ? ""
        : `,"source":${JSON.stringify(outcome.source)},"age_seconds":${ageSeconds(outcome, clock())}`;
    return `{"quota":${writeQuota(quota)}${provenance}}`;
  };

  /** The message of a result, put together from text that is written once for each execution. */
  const writeResult = (id: JsonRpcId, outcome: Outcome, quota: Quota): string => {
    const [text, rest] =
      "mend" in outcome
        ? [JSON.stringify(outcome.mend), `"isError":true`]
        : [quotedBody(outcome), `"structuredContent":${outcome.body}`];
    return resultMessage(
      id,
      `{"content":[{"type":"text","text":${text}}],${rest},"_meta":${writeMeta(outcome, quota)}}`,
    );
  };

  const loadSdk = lazy(async (): Promise<SdkServer> => {
    const { createSdkServer } = await import("./sdk-server.ts");
    return createSdkServer({
      version,
      callTool: async (name, args, quota) => {
        const outcome = await call(name, args);
        const _meta = JSON.parse(writeMeta(outcome, quota)) as Record<string, unknown>;
        return "mend" in outcome
          ? { content: [{ type: "text", text: outcome.mend }], isError: true, _meta }
          : {
              content: [{ type: "text", text: outcome.body }],
              structuredContent: JSON.parse(outcome.body) as Record<string, unknown>,
              _meta,
            };
      },
    });
  });

  return {
    knowsRevision: async (revision) => (await loadSdk()).revisions.includes(revision),
    answer(request, quota) {
      const { id, method, params } = request;
      if (method !== "tools/call" || !isPlainCall(params)) {
        return loadSdk().then((server) => server.answer(request, quota));
      }
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
  const { name, arguments: args } = params as Record<string, unknown>;
  if (typeof name !== "string") return false;
  const isObject = typeof args === "object" && args !== null && !Array.isArray(args);
  if (args !== undefined && !isObject) return false;
  return Object.keys(params).every((key) => key === "name" || key === "arguments");
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

/** Both windows of the quota as JSON text. */
function writeQuota({ plan, daily, hourly }: Quota): string {
  const write = ({ limit, remaining, resetAt }: Quota["daily"]) =>
    `{"limit":${limit},"remaining":${remaining},"reset":${resetAt}}`;
  return `{"plan":"${plan}","daily":${write(daily)},"hourly":${write(hourly)}}`;
}
