import type { Charge, Guard } from "#access/guard.ts";
import type { Principal } from "#access/principals.ts";
import type { Quota } from "#access/quota.ts";
import { lazy } from "#lib/lazy.ts";
import { reportError } from "#operations/report-error.ts";
import { toJsonRpcError } from "./errors.ts";
import {
  errorMessage,
  INVALID_PARAMS,
  INVALID_REQUEST,
  JsonRpcError,
  type JsonRpcRequest,
  METHOD_NOT_FOUND,
  parseMessage,
  PROTOCOL_VERSION,
  resultMessage,
} from "./json-rpc.ts";
import { invalidParamsText, readCallParams, readParams } from "./params.ts";
import { type ToolCallParts, ToolCalls } from "./tool-call.ts";

/** The methods that the server answers. */
const METHODS = ["initialize", "ping", "tools/list", "tools/call"] as const;

/** The dependencies of the MCP server. */
export interface McpParts extends ToolCallParts {
  readonly guard: Guard;
  /** The program's version. */
  readonly version: string;
}

/** The reply to a POST. */
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
  readonly #loadSdk = lazy(() => import("./sdk-server.ts"));
  readonly #sdkServer = lazy(async () =>
    (await this.#loadSdk()).createSdkServer(this.#parts.version),
  );

  constructor(parts: McpParts) {
    this.#parts = parts;
    this.#calls = new ToolCalls(parts);
  }

  /**
   * Answers the body of one POST; without a promise unless data or the SDK is needed.
   *
   * @param revision the `MCP-Protocol-Version` header
   * @throws BourseError `invalid_token` if the token has just ended
   */
  answer(
    body: Uint8Array,
    principal: Principal,
    revision: string | null,
  ): McpReply | Promise<McpReply> {
    if (revision === null || revision === PROTOCOL_VERSION) return this.#answer(body, principal);
    return this.#loadSdk().then(({ isRevision }) => {
      if (isRevision(revision)) return this.#answer(body, principal);
      const text = `MCP-Protocol-Version must be ${PROTOCOL_VERSION}, or be left out.`;
      const message = errorMessage(null, new JsonRpcError(INVALID_REQUEST, text));
      return { status: 400, message, quota: this.#parts.guard.quota(principal) };
    });
  }

  #answer(body: Uint8Array, principal: Principal): McpReply | Promise<McpReply> {
    const { guard } = this.#parts;
    const incoming = parseMessage(body);
    if (incoming.kind === "silent") {
      return { status: 202, message: null, quota: guard.quota(principal) };
    }
    if (incoming.kind === "invalid") {
      const message = errorMessage(incoming.id, incoming.error);
      return { status: 400, message, quota: guard.quota(principal) };
    }
    const { quota, denied } =
      incoming.method === "tools/call"
        ? this.#charge(principal)
        : { quota: guard.quota(principal), denied: null };
    const reply = (message: string): McpReply => ({ status: 200, message, quota });
    if (denied) return reply(errorMessage(incoming.id, toJsonRpcError(denied)));
    const message = this.#run(incoming, quota);
    return typeof message === "string" ? reply(message) : message.then(reply);
  }

  /** Charges the call. If the counter cannot be written, the call is denied. */
  #charge(principal: Principal): Charge {
    const { guard, log } = this.#parts;
    try {
      return guard.charge(principal);
    } catch (thrown) {
      const denied = reportError(thrown, log);
      // Authentication fails over HTTP, before JSON-RPC begins.
      if (denied.code === "invalid_token") throw denied;
      return { quota: guard.quota(principal), denied };
    }
  }

  /** Runs a method and returns the outgoing message as JSON text. */
  #run({ id, method, params }: JsonRpcRequest, quota: Quota): string | Promise<string> {
    const refuse = (code: number, text: string) => errorMessage(id, new JsonRpcError(code, text));
    if (method === "tools/call") {
      const call = readCallParams(params);
      return call
        ? this.#calls.answer(id, call, quota)
        : refuse(INVALID_PARAMS, invalidParamsText(method));
    }
    if (method !== "ping" && method !== "initialize" && method !== "tools/list") {
      const text = `Unknown method. The methods are ${METHODS.join(", ")}.`;
      return refuse(METHOD_NOT_FOUND, text);
    }
    const declared = readParams(params);
    if (!declared) return refuse(INVALID_PARAMS, invalidParamsText(method));
    if (method === "ping") return resultMessage(id, "{}");
    return this.#sdkServer().then((server) => server.answer(id, method, declared));
  }
}
