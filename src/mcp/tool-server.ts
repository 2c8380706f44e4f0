import type { Quota } from "#access/quota.ts";
import { lazy } from "#lib/lazy.ts";
import {
  errorMessage,
  INVALID_PARAMS,
  JsonRpcError,
  type JsonRpcRequest,
  METHOD_NOT_FOUND,
  resultMessage,
} from "./json-rpc.ts";
import { invalidParamsText, readCallParams, readParams } from "./params.ts";
import { type ToolCallParts, ToolCalls } from "./tool-call.ts";

/** Every method that is answered. */
const METHODS = ["initialize", "ping", "tools/list", "tools/call"] as const;

/** What the tool server needs. */
export interface ToolServerParts extends ToolCallParts {
  /** The program's version. */
  readonly version: string;
}

/** Answers requests with the outgoing messages, as JSON text. */
export interface ToolServer {
  answer(request: JsonRpcRequest, quota: Quota): string | Promise<string>;
  /** True for a released revision of the protocol. */
  knowsRevision(revision: string): Promise<boolean>;
}

/**
 * Answers `initialize` and `tools/list` with the SDK's server, which is loaded when it is first needed: it
 * takes a fifth of the program's start. `ping` and `tools/call` bypass it: it would look through the whole
 * request twice, and write again what is written already.
 */
export function createToolServer(parts: ToolServerParts): ToolServer {
  const calls = new ToolCalls(parts);
  const loadSdk = lazy(() => import("./sdk-server.ts"));
  const sdkServer = lazy(async () => (await loadSdk()).createSdkServer(parts.version));

  return {
    knowsRevision: async (revision) => (await loadSdk()).isRevision(revision),
    answer({ id, method, params }, quota) {
      const refuse = (code: number, text: string) => errorMessage(id, new JsonRpcError(code, text));
      if (method === "tools/call") {
        const call = readCallParams(params);
        return call
          ? calls.answer(id, call, quota)
          : refuse(INVALID_PARAMS, invalidParamsText(method));
      }
      if (method !== "ping" && method !== "initialize" && method !== "tools/list") {
        const text = `Unknown method. The methods are ${METHODS.join(", ")}.`;
        return refuse(METHOD_NOT_FOUND, text);
      }
      const read = readParams(params);
      if (!read) return refuse(INVALID_PARAMS, invalidParamsText(method));
      if (method === "ping") return resultMessage(id, "{}");
      return sdkServer().then((server) => server.answer(id, method, read));
    },
  };
}
