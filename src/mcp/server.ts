import type { Charge, Guard } from "#access/guard.ts";
import type { Principal } from "#access/principals.ts";
import type { Quota } from "#access/quota.ts";
import { type BourseError, invalidArgument, notFound } from "#domain/errors.ts";
import { type Awaitable, whenKnown } from "#lib/awaitable.ts";
import { Memo } from "#lib/memo.ts";
import type { MakeCsvLink } from "#operations/csv-link.ts";
import type { Client } from "#operations/execute.ts";
import { TOOL_SETS, type ToolSet } from "#operations/operation.ts";
import { reportError } from "#operations/report-error.ts";
import { toJsonRpcError } from "./errors.ts";
import { instructionsFor, serverInfoOf } from "./identity.ts";
import {
  errorMessage,
  type Incoming,
  INVALID_PARAMS,
  type JsonObject,
  JsonRpcError,
  type JsonRpcRequest,
  METHOD_NOT_FOUND,
  PROTOCOL_VERSION,
  resultMessage,
} from "./json-rpc.ts";
import { invalidParamsText, readCallParams, readParams } from "./params.ts";
import { getPrompt, listPrompts } from "./prompts.ts";
import { listResources, listResourceTemplates, readResource } from "./resources.ts";
import { createFrames, writeDiscovery, writeFixedResult } from "./result-frame.ts";
import {
  type McpHeaders,
  readRevision,
  refuseUnknownHeader,
  type Revision,
  STATELESS_VERSION,
  TOOL_ERRORS_VERSION,
} from "./revision.ts";
import type { SdkMethod, SdkServer } from "./sdk-server.ts";
import { listTools, type ToolCallParts, ToolCalls } from "./tool-call.ts";
import type { ChosenSets } from "./tool-sets.ts";

/** The methods whose result depends on nothing but their parameters. */
const FIXED_METHODS = {
  "prompts/list": listPrompts,
  "prompts/get": getPrompt,
  "resources/list": listResources,
  "resources/templates/list": listResourceTemplates,
  "resources/read": readResource,
} as const;
type FixedMethod = keyof typeof FIXED_METHODS;

type Method = SdkMethod | FixedMethod | "ping" | "server/discover" | "tools/call";

/** A request for a method that its revision has. */
type KnownRequest = JsonRpcRequest & { readonly method: Method };

/** What the transport of a message gives. */
export interface McpTransport {
  /** Null if it has none. */
  readonly headers: McpHeaders | null;
  /** The client of the message; absent without connections. */
  readonly client?: Client;
  readonly tools: ChosenSets;
  /** Null if it has no address for links. */
  readonly makeLink: MakeCsvLink | null;
  /** Told why a message is refused, which the status of the reply does not say. */
  readonly onError?: (error: BourseError) => void;
}

/** Who asks, by which revision and transport. */
interface Asker {
  readonly revision: Revision;
  readonly caller: Principal;
  readonly transport: McpTransport;
}

const COMMON = [
  "tools/list",
  "tools/call",
  ...(Object.keys(FIXED_METHODS) as FixedMethod[]),
] as const;

/** The methods of each revision. */
export const METHODS: Record<Revision, readonly Method[]> = {
  [PROTOCOL_VERSION]: ["initialize", "ping", ...COMMON],
  [TOOL_ERRORS_VERSION]: ["initialize", "ping", ...COMMON],
  [STATELESS_VERSION]: ["server/discover", ...COMMON],
};

/** The dependencies of the MCP server. */
export interface McpParts extends ToolCallParts {
  readonly guard: Pick<Guard, "charge" | "quota">;
  /** The program's version. */
  readonly version: string;
}

/** The reply to a message. */
export interface McpReply {
  /** The HTTP status. */
  readonly status: number;
  /** The JSON-RPC message as JSON text; null if the body must be empty. */
  readonly message: string | null;
  /** The caller's quota after this call. */
  readonly quota: Quota;
}

/**
 * The MCP interface, without state between requests. Only `tools/call` is charged, before its parameters
 * are read.
 *
 * The SDK's server answers `initialize` and `tools/list`. It is loaded when it is first needed, because
 * that takes a fifth of the program's start. `ping` and `tools/call` bypass it: it would validate the whole
 * request twice and serialise the answer again.
 */
export class McpServer {
  readonly #parts: McpParts;
  readonly #calls: ToolCalls;
  readonly #frames: ReturnType<typeof createFrames>;
  /** By the names of the tool sets. */
  readonly #sdkServers = new Memo<Promise<SdkServer>>(2 ** TOOL_SETS.length);

  constructor(parts: McpParts) {
    this.#parts = parts;
    this.#calls = new ToolCalls(parts);
    this.#frames = createFrames(serverInfoOf(parts.version));
  }

  /**
   * Answers one message; without a promise unless data, the SDK or a statement in a cluster is needed.
   *
   * @throws BourseError `invalid_token` if the token has just ended
   */
  answer(incoming: Incoming, principal: Principal, transport: McpTransport): Awaitable<McpReply> {
    const { headers, onError } = transport;
    if (incoming.kind === "invalid") {
      onError?.(invalidArgument(incoming.error.message));
      return this.#replyUncharged(principal, 400, errorMessage(incoming.id, incoming.error));
    }
    let revision: Revision | null = null;
    try {
      if (incoming.kind === "request") revision = readRevision(incoming, headers);
      else refuseUnknownHeader(headers?.get("mcp-protocol-version") ?? null);
    } catch (thrown) {
      if (!(thrown instanceof JsonRpcError)) throw thrown;
      onError?.(invalidArgument(thrown.message));
      const id = incoming.kind === "request" ? incoming.id : null;
      return this.#replyUncharged(principal, 400, errorMessage(id, thrown));
    }
    return incoming.kind === "request" && revision
      ? this.#answer(incoming, { revision, caller: principal, transport })
      : this.#replyUncharged(principal, 202, null);
  }

  #replyUncharged(
    principal: Principal,
    status: number,
    message: string | null,
  ): Awaitable<McpReply> {
    return whenKnown(this.#parts.guard.quota(principal), (quota) => ({ status, message, quota }));
  }

  #answer(request: JsonRpcRequest, asker: Asker): Awaitable<McpReply> {
    const { id } = request;
    const { revision, caller: principal } = asker;
    if (!isKnown(request, revision)) {
      const text = `Unknown method. The methods are ${METHODS[revision].join(", ")}.`;
      const message = errorMessage(id, new JsonRpcError(METHOD_NOT_FOUND, text));
      // Hosts that work well ask for methods of later revisions.
      if (revision !== STATELESS_VERSION) return this.#replyUncharged(principal, 200, message);
      asker.transport.onError?.(notFound(text));
      return this.#replyUncharged(principal, 404, message);
    }
    if (request.method !== "tools/call") {
      return whenKnown(this.#parts.guard.quota(principal), (quota) =>
        this.#answerCharged(request, asker, { quota, denied: null }),
      );
    }
    const charge = this.#charge(principal);
    return charge instanceof Promise
      ? charge.then((later) => this.#answerCharged(request, asker, later))
      : this.#answerCharged(request, asker, charge);
  }

  #answerCharged(request: KnownRequest, asker: Asker, charge: Charge): Awaitable<McpReply> {
    const { quota } = charge;
    const denied = charge.denied && reportError(charge.denied, this.#parts.log);
    if (denied) asker.transport.onError?.(denied);
    const message = denied
      ? errorMessage(request.id, toJsonRpcError(denied))
      : this.#run(request, asker, quota);
    return typeof message === "string"
      ? { status: 200, message, quota }
      : message.then((text) => ({ status: 200, message: text, quota }));
  }

  /** Charges the call. If the counter cannot be written, the call is denied. */
  #charge(principal: Principal): Awaitable<Charge> {
    try {
      const charge = this.#parts.guard.charge(principal);
      return charge instanceof Promise
        ? charge.catch((thrown) => this.#deny(thrown, principal))
        : charge;
    } catch (thrown) {
      return this.#deny(thrown, principal);
    }
  }

  #deny(thrown: unknown, principal: Principal): Awaitable<Charge> {
    const { guard, log } = this.#parts;
    const denied = reportError(thrown, log);
    // Authentication fails over HTTP, before JSON-RPC begins.
    if (denied.code === "invalid_token") throw denied;
    return whenKnown(guard.quota(principal), (quota) => ({ quota, denied }));
  }

  /** Runs a method and returns the outgoing message as JSON text. */
  #run(
    { id, method, params }: KnownRequest,
    { revision, caller, transport: { tools, client, makeLink, onError } }: Asker,
    quota: Quota,
  ): Awaitable<string> {
    const frame = this.#frames[revision];
    const refuse = (error: JsonRpcError): string => {
      onError?.(invalidArgument(error.message));
      return errorMessage(id, error);
    };
    if (tools instanceof JsonRpcError) return refuse(tools);
    if (method === "tools/call") {
      const call = readCallParams(params);
      const context = { quota, frame, caller, tools, client, makeLink, onError };
      if (call) return this.#calls.answer(id, call, context);
      return refuse(invalidParams(method));
    }
    const declared = readParams(params);
    if (!declared) return refuse(invalidParams(method));
    if (method === "ping") return resultMessage(id, "{}");
    if (method === "server/discover")
      return resultMessage(id, writeDiscovery(frame, tools, caller.asOf));
    const write = (result: string) =>
      resultMessage(id, revision === STATELESS_VERSION ? writeFixedResult(frame, result) : result);
    const refuseThrown = (thrown: unknown): string => {
      if (thrown instanceof JsonRpcError) return refuse(thrown);
      throw thrown;
    };
    if (!isFixed(method))
      return this.#runSdk(method, declared, tools, caller.asOf).then(write, refuseThrown);
    try {
      return write(JSON.stringify(FIXED_METHODS[method](declared)));
    } catch (thrown) {
      return refuseThrown(thrown);
    }
  }

  async #runSdk(
    method: SdkMethod,
    params: JsonObject,
    sets: readonly ToolSet[],
    asOf: string | null,
  ): Promise<string> {
    const create = async () => {
      const { createSdkServer } = await import("./sdk-server.ts");
      const { version } = this.#parts;
      return createSdkServer(serverInfoOf(version), listTools(this.#parts, sets), sets);
    };
    const result = await (await this.#sdkServers.get(sets.join(), create)).run(method, params);
    if (method !== "initialize" || asOf === null) return result;
    return JSON.stringify({ ...JSON.parse(result), instructions: instructionsFor(sets, asOf) });
  }
}

/** True for a request of a method that the revision has. */
const isKnown = (request: JsonRpcRequest, revision: Revision): request is KnownRequest =>
  METHODS[revision].some((method) => method === request.method);

const isFixed = (method: Method): method is FixedMethod => Object.hasOwn(FIXED_METHODS, method);

function invalidParams(method: Method): JsonRpcError {
  return new JsonRpcError(INVALID_PARAMS, invalidParamsText(method));
}
