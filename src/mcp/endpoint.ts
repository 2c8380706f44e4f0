import type { Charge, Guard } from "#access/guard.ts";
import type { Principal } from "#access/principals.ts";
import type { Quota } from "#access/quota.ts";
import {
  errorMessage,
  INVALID_REQUEST,
  JsonRpcError,
  parseMessage,
  PROTOCOL_VERSION,
} from "./json-rpc.ts";
import { toJsonRpcError } from "./errors.ts";
import { createToolServer, type ToolServerParts } from "./tool-server.ts";

/** A POST to the MCP path, its caller known. */
export interface McpCall {
  readonly principal: Principal;
  /** The `MCP-Protocol-Version` header. */
  readonly protocolVersion: string | null;
}

/** What goes back to an MCP caller. */
export interface McpReply {
  readonly status: number;
  /** The JSON-RPC message as JSON text, or null where there is nothing to say. */
  readonly message: string | null;
  /** The caller's quota after this call. */
  readonly quota: Quota;
}

/** Answers the body of one POST to the MCP path. */
export interface McpEndpoint {
  /** At once where nothing has to be waited for. */
  answer(body: Uint8Array, call: McpCall): McpReply | Promise<McpReply>;
}

/**
 * The MCP interface: stateless, each request independent. Only `tools/call` is charged, and it is
 * charged before anything of it is looked at.
 */
export function createMcpEndpoint(parts: ToolServerParts & { guard: Guard }): McpEndpoint {
  const { guard, explain } = parts;
  const server = createToolServer(parts);

  /** Counts the call. JSON-RPC has begun, so a count that cannot be written is told like a denial. */
  const charge = (principal: Principal): Charge => {
    try {
      return guard.charge(principal);
    } catch (thrown) {
      const denied = explain(thrown);
      // A token that has just ended is told so over HTTP, as always.
      if (denied.code === "invalid_token") throw denied;
      return { quota: guard.quota(principal), denied };
    }
  };

  const answerMessage = (body: Uint8Array, principal: Principal): McpReply | Promise<McpReply> => {
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
        ? charge(principal)
        : { quota: guard.quota(principal), denied: null };
    const reply = (message: string): McpReply => ({ status: 200, message, quota });
    if (denied) return reply(errorMessage(incoming.id, toJsonRpcError(denied)));
    const message = server.answer(incoming, quota);
    return typeof message === "string" ? reply(message) : message.then(reply);
  };

  return {
    answer(body, { principal, protocolVersion }) {
      if (protocolVersion === null || protocolVersion === PROTOCOL_VERSION) {
        return answerMessage(body, principal);
      }
      return server.knowsRevision(protocolVersion).then((isKnown) => {
        if (isKnown) return answerMessage(body, principal);
        const text = `MCP-Protocol-Version must be ${PROTOCOL_VERSION}, or be left out.`;
        const message = errorMessage(null, new JsonRpcError(INVALID_REQUEST, text));
        return { status: 400, message, quota: guard.quota(principal) };
      });
    },
  };
}
