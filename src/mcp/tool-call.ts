import type { Quota } from "#access/quota.ts";
import type { Log } from "#lib/log.ts";
import { BourseError, invalidArgument, notFound } from "#domain/errors.ts";
import { type Right, RIGHTS } from "#domain/rights.ts";
import { Memo } from "#lib/memo.ts";
import type { Caller } from "#operations/caller.ts";
import {
  answerLink,
  asksForLink,
  decodeTableCall,
  type MakeCsvLink,
} from "#operations/csv-link.ts";
import {
  ageSeconds,
  decodeRequest,
  type CachedAnswer,
  type Client,
  type Executor,
  type DecodedRequest,
} from "#operations/execute.ts";
import { OPERATIONS } from "#operations/index.ts";
import { type Operation, TOOL_SETS, type ToolSet } from "#operations/operation.ts";
import { reportError } from "#operations/report-error.ts";
import { declaredArguments } from "./arguments.ts";
import { isToolError, toJsonRpcError } from "./errors.ts";
import {
  errorMessage,
  JsonRpcError,
  type JsonRpcId,
  METHOD_NOT_FOUND,
  resultMessage,
} from "./json-rpc.ts";
import { SCOPE } from "./identity.ts";
import { shorten } from "./long-answer.ts";
import type { CallParams } from "./params.ts";
import type { ResultFrame } from "./result-frame.ts";
import type { Revision } from "./revision.ts";

/** The dependencies of tool calls. */
export interface ToolCallParts {
  readonly executor: Executor;
  /** UTC milliseconds. */
  readonly clock: () => number;
  readonly log: Log;
  /** The rights of every caller, on a server for one user. Left out if the token of each caller has its own. */
  readonly rights?: readonly Right[];
}

/** The context of a call. */
export interface ToolCallContext {
  /** The quota after the call. */
  readonly quota: Quota;
  readonly frame: ResultFrame;
  readonly caller: Caller;
  /** The tool sets of the connection. */
  readonly tools: readonly ToolSet[];
  /** Absent if the transport has no connections. */
  readonly client: Client | undefined;
  /** Null if the transport has no address for links. */
  readonly makeLink: MakeCsvLink | null;
  readonly onError: ((error: BourseError) => void) | undefined;
}

/** What the agent must fix in its call, in one or more sentences. */
interface Fix {
  readonly fix: string;
}

/** Decoded calls that are cached. */
const MAX_DECODED = 20_000;

const operations = new Map<string, Operation>(
  OPERATIONS.map((operation) => [operation.name, operation]),
);

/** The operations of those tool sets that are tools of a server whose callers all have these rights. */
export function listTools(
  { rights }: Pick<ToolCallParts, "rights">,
  sets: readonly ToolSet[],
): readonly Operation[] {
  return OPERATIONS.filter(
    ({ right, set }) => sets.includes(set) && (!right || !rights || rights.includes(right)),
  );
}

/** Runs tools and writes the outgoing messages as JSON text. */
export class ToolCalls {
  readonly #parts: ToolCallParts;
  readonly #decoded: Memo<DecodedRequest> = new Memo(MAX_DECODED);

  constructor(parts: ToolCallParts) {
    this.#parts = parts;
  }

  /** Answers one charged `tools/call`; without a promise unless data must be fetched. */
  answer(id: JsonRpcId, params: CallParams, context: ToolCallContext): string | Promise<string> {
    const { quota, frame, caller, tools, client, onError } = context;
    const write = (outcome: CachedAnswer | Fix) =>
      resultMessage(id, writeResult(outcome, quota, frame, this.#parts.clock()));
    const refuse = (thrown: unknown): string => {
      const error = this.#refusal(thrown, params.name, frame.revision, onError);
      return error instanceof JsonRpcError ? errorMessage(id, error) : write(error);
    };
    try {
      const hasAs = Object.hasOwn(params.args, "as");
      const request = hasAs ? null : this.#decode(params, tools);
      const cached = request
        ? this.#parts.executor.execute(request, caller, client)
        : this.#executeAs(params, context);
      const show = (answer: CachedAnswer) =>
        write(request ? shorten(request.operation, answer, context.makeLink !== null) : answer);
      return cached instanceof Promise ? cached.then(show).catch(refuse) : show(cached);
    } catch (thrown) {
      return refuse(thrown);
    }
  }

  /** The answer to a call with `as`: a link to its CSV, if that is asked for. */
  #executeAs(
    { name, args: { as, ...args } }: CallParams,
    { caller, tools, client, makeLink }: ToolCallContext,
  ): CachedAnswer | Promise<CachedAnswer> {
    const { executor } = this.#parts;
    const operation = this.#getOperation(name, tools);
    const declared = declaredArguments(operation, args);
    if (!asksForLink(as)) {
      return executor.execute(this.#decode({ name, args }, tools), caller, client);
    }
    if (makeLink)
      return answerLink(executor, decodeTableCall(operation, declared), makeLink, caller, client);
    throw invalidArgument(
      "as=csv_link needs a service with an address: connect to its /mcp over HTTP, or start bourse mcp with --url. Here, leave as out, and get all rows by a higher limit, or page by page as each answer says.",
      { param: "as" },
    );
  }

  #decode({ name, args }: CallParams, tools: readonly ToolSet[]): DecodedRequest {
    const operation = this.#getOperation(name, tools);
    const decode = () =>
      decodeRequest(operation, declaredArguments(operation, args), operation, true);
    return isWritable(args)
      ? this.#decoded.get(`${name} ${JSON.stringify(args)}`, decode)
      : decode();
  }

  /** @throws JsonRpcError for an unknown tool; BourseError `forbidden` for one that this connection leaves out */
  #getOperation(name: string, tools: readonly ToolSet[]): Operation {
    const operation = operations.get(name);
    const { rights } = this.#parts;
    if (!operation) throw unknownTool(name, listTools(this.#parts, tools));
    const { right, set } = operation;
    if (!tools.includes(set)) {
      const wanted = TOOL_SETS.filter((one) => one === set || tools.includes(one)).join();
      throw new BourseError(
        "forbidden",
        `${name} is in the tool set ${set}. This connection has only ${tools.join(", ")}.`,
        {
          hint: `The user can write tools=${wanted} in the address of this server (--tools of bourse mcp), or leave tools out.`,
        },
      );
    }
    if (!right || !rights || rights.includes(right)) return operation;
    const { title, flag } = RIGHTS[right];
    throw new BourseError("forbidden", `This server only reads. It may not ${title}.`, {
      hint: `The user who starts it can allow that with bourse mcp --${flag}.`,
    });
  }

  /** The answer to a failed call: a protocol error, or what the agent must fix. */
  #refusal(
    thrown: unknown,
    name: string,
    revision: Revision,
    onError: ToolCallContext["onError"],
  ): JsonRpcError | Fix {
    if (thrown instanceof JsonRpcError) {
      onError?.(notFound(thrown.message));
      return thrown;
    }
    const error = reportError(thrown, this.#parts.log);
    onError?.(error);
    if (!isToolError(error, revision)) return toJsonRpcError(error);
    const { hint = "" } = error.details;
    const isArgument = error.code === "invalid_argument" || error.code === "missing_argument";
    const namesNextCall = !isArgument || hint.startsWith("Call ");
    const next = namesNextCall ? "" : `Fix the argument and call ${name} again.`;
    return { fix: [error.message, hint, next].filter(Boolean).join(" ") };
  }
}

function unknownTool(name: string, tools: readonly Operation[]): JsonRpcError {
  const names = tools.map((tool) => tool.name).join(", ");
  const text = `Unknown tool: ${name.slice(0, 64)}. ${SCOPE} The tools are ${names}.`;
  return new JsonRpcError(METHOD_NOT_FOUND, text);
}

/** Room for a list of objects. Writing a value that is nested much deeper could overflow the stack. */
const MAX_DEPTH = 3;

/** True if the JSON text of a value identifies it: it has no infinite number, and is not nested too deep. */
function isWritable(value: unknown, depth = MAX_DEPTH): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((one) => isWritable(one, depth - 1));
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
  const { beforeQuota, beforeAge, last } = textsOf(outcome);
  return `{${first}${beforeQuota}${writeQuota(quota)}${beforeAge}${ageSeconds(outcome, now)}${last}${meta}}}`;
}

/** The parts of a result that are the same for every call with the same answer. */
interface ResultTexts {
  readonly beforeQuota: string;
  readonly beforeAge: string;
  readonly last: string;
}

const texts = new WeakMap<CachedAnswer, ResultTexts>();

function textsOf(cached: CachedAnswer): ResultTexts {
  let known = texts.get(cached);
  if (!known) texts.set(cached, (known = writeTexts(cached)));
  return known;
}

function writeTexts({ body, source, file, understoodAs, missing }: CachedAnswer): ResultTexts {
  const content = `[{"type":"text","text":${JSON.stringify(body)}}${linkBlock(file)}]`;
  return {
    beforeQuota: `"content":${content},"structuredContent":${body},"_meta":{"quota":`,
    beforeAge: `,"source":${JSON.stringify(source)},"age_seconds":`,
    last:
      (understoodAs ? `,"understood_as":${JSON.stringify(understoodAs)}` : "") +
      (missing ? `,"missing":${JSON.stringify(missing)}` : ""),
  };
}

/** A content block that links to the file of an answer, after the text; empty without a file. */
function linkBlock(file: CachedAnswer["file"]): string {
  if (!file) return "";
  const { url: uri, name } = file;
  return `,${JSON.stringify({ type: "resource_link", uri, name, mimeType: "text/csv" })}`;
}

/** Both windows of the quota as JSON text, because agents see no headers. */
function writeQuota({ plan, daily, hourly }: Quota): string {
  const write = ({ limit, remaining, resetAt }: Quota["daily"]) =>
    `{"limit":${limit},"remaining":${remaining},"reset":${resetAt}}`;
  return `{"plan":"${plan}","daily":${write(daily)},"hourly":${write(hourly)}}`;
}
