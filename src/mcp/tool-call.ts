import type { Quota } from "#access/quota.ts";
import type { Log } from "#lib/log.ts";
import { Memo } from "#lib/memo.ts";
import {
  ageSeconds,
  decodeRequest,
  type CachedAnswer,
  type Executor,
  type DecodedRequest,
} from "#operations/execute.ts";
import { OPERATIONS } from "#operations/index.ts";
import { reportError } from "#operations/report-error.ts";
import { declaredArguments } from "./arguments.ts";
import { isToolError, toJsonRpcError } from "./errors.ts";
import {
  errorMessage,
  type JsonObject,
  JsonRpcError,
  type JsonRpcId,
  METHOD_NOT_FOUND,
  resultMessage,
} from "./json-rpc.ts";
import { SCOPE } from "./identity.ts";
import type { CallParams } from "./params.ts";
import type { ResultFrame } from "./result-frame.ts";
import type { Revision } from "./revision.ts";

/** The dependencies of tool calls. */
export interface ToolCallParts {
  readonly executor: Executor;
  /** UTC milliseconds. */
  readonly clock: () => number;
  readonly log: Log;
}

/** What the agent must fix in its call, in one or more sentences. */
interface Fix {
  readonly fix: string;
}

/** Decoded calls that are cached. */
const MAX_DECODED = 20_000;

const operations = new Map(OPERATIONS.map((operation) => [operation.name, operation]));

/** Runs tools and writes the outgoing messages as JSON text. */
export class ToolCalls {
  readonly #parts: ToolCallParts;
  readonly #decoded: Memo<DecodedRequest> = new Memo(MAX_DECODED);

  constructor(parts: ToolCallParts) {
    this.#parts = parts;
  }

  /**
   * Answers one charged `tools/call`; without a promise unless data must be fetched.
   *
   * @param quota the quota after the call
   */
  answer(
    id: JsonRpcId,
    params: CallParams,
    quota: Quota,
    frame: ResultFrame,
  ): string | Promise<string> {
    const write = (outcome: CachedAnswer | Fix) =>
      resultMessage(id, writeResult(outcome, quota, frame, this.#parts.clock()));
    const refuse = (thrown: unknown): string => {
      const error = this.#refusal(thrown, params.name, frame.revision);
      return error instanceof JsonRpcError ? errorMessage(id, error) : write(error);
    };
    try {
      const cached = this.#parts.executor.execute(this.#decode(params));
      return cached instanceof Promise ? cached.then(write).catch(refuse) : write(cached);
    } catch (thrown) {
      return refuse(thrown);
    }
  }

  #decode({ name, args }: CallParams): DecodedRequest {
    const operation = operations.get(name);
    if (!operation) {
      const names = [...operations.keys()].join(", ");
      const text = `Unknown tool: ${name.slice(0, 64)}. ${SCOPE} The tools are ${names}.`;
      throw new JsonRpcError(METHOD_NOT_FOUND, text);
    }
    const declared = declaredArguments(operation, args);
    const decode = () => decodeRequest(operation, declared, operation, true);
    return isFlat(declared)
      ? this.#decoded.get(`${name} ${JSON.stringify(declared)}`, decode)
      : decode();
  }

  /** The answer to a failed call: a protocol error, or what the agent must fix. */
  #refusal(thrown: unknown, name: string, revision: Revision): JsonRpcError | Fix {
    if (thrown instanceof JsonRpcError) return thrown;
    const error = reportError(thrown, this.#parts.log);
    if (!isToolError(error, revision)) return toJsonRpcError(error);
    const { hint = "" } = error.details;
    const isArgument = error.code === "invalid_argument" || error.code === "missing_argument";
    const namesNextCall = !isArgument || hint.startsWith("Call ");
    const next = namesNextCall ? "" : `Fix the argument and call ${name} again.`;
    return { fix: [error.message, hint, next].filter(Boolean).join(" ") };
  }
}

/** True if JSON can write all values: no infinite number, and nothing nested, which could overflow the stack. */
function isFlat(args: JsonObject): boolean {
  return Object.values(args).every((value) =>
    typeof value === "number" ? Number.isFinite(value) : typeof value !== "object",
  );
}

/** The result of a call, concatenated from text that is serialised once for each cached answer. */
function writeResult(
  outcome: CachedAnswer | Fix,
  quota: Quota,
  { first, meta }: ResultFrame,
  now: number,
): string {
  if ("fix" in outcome) {
    const content = `[{"type":"text","text":${JSON.stringify(outcome.fix)}}]`;
    return `{${first}"content":${content},"isError":true,"_meta":{"quota":${writeQuota(quota)}${meta}}}`;
  }
  const { understoodAs } = outcome;
  const told = understoodAs ? `,"understood_as":${JSON.stringify(understoodAs)}` : "";
  const about = `"quota":${writeQuota(quota)},"source":${JSON.stringify(outcome.source)},"age_seconds":${ageSeconds(outcome, now)}${told}`;
  return `{${first}"content":[{"type":"text","text":${quotedBody(outcome)}}],"structuredContent":${outcome.body},"_meta":{${about}${meta}}}`;
}

const quoted = new WeakMap<CachedAnswer, string>();

/** The body as a JSON string literal. */
function quotedBody(cached: CachedAnswer): string {
  let text = quoted.get(cached);
  if (text === undefined) quoted.set(cached, (text = JSON.stringify(cached.body)));
  return text;
}

/** Both windows of the quota as JSON text, because agents see no headers. */
function writeQuota({ plan, daily, hourly }: Quota): string {
  const write = ({ limit, remaining, resetAt }: Quota["daily"]) =>
    `{"limit":${limit},"remaining":${remaining},"reset":${resetAt}}`;
  return `{"plan":"${plan}","daily":${write(daily)},"hourly":${write(hourly)}}`;
}
