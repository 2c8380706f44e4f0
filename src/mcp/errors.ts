import type { BourseError, ErrorCode } from "#domain/errors.ts";
import type { Revision } from "./revision.ts";
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  JsonRpcError,
  PROTOCOL_VERSION,
} from "./json-rpc.ts";

/** A quota or the gate denied the call. */
export const RATE_LIMITED = -32001;
/** The data or the service is unavailable for now. */
export const TOOL_EXECUTION_FAILED = -32002;

/**
 * How each error is published: as a JSON-RPC code, or as `tool_error` if the agent can fix it, which is a
 * normal result with `isError`.
 */
const MCP_ERRORS: Record<ErrorCode, number | "tool_error"> = {
  missing_argument: INVALID_PARAMS,
  invalid_argument: "tool_error",
  not_found: "tool_error",
  // The person must make another token.
  forbidden: "tool_error",
  rate_limited: RATE_LIMITED,
  unavailable: TOOL_EXECUTION_FAILED,
  internal: INTERNAL_ERROR,
  // HTTP refuses these before JSON-RPC begins.
  missing_auth: INVALID_REQUEST,
  invalid_token: INVALID_REQUEST,
  method_not_allowed: INVALID_REQUEST,
  payload_too_large: INVALID_REQUEST,
  range_not_satisfiable: INVALID_REQUEST,
  unsupported_media_type: INVALID_REQUEST,
};

/**
 * True for an error that the agent can fix. A missing argument is one since revision 2025-11-25 (SEP-1303); the contract
 * of 2025-06-18 has -32602 for it.
 */
export function isToolError({ code }: BourseError, revision: Revision): boolean {
  return (
    MCP_ERRORS[code] === "tool_error" ||
    (code === "missing_argument" && revision !== PROTOCOL_VERSION)
  );
}

/** The error as JSON-RPC carries it. */
export function toJsonRpcError({ code, message, details }: BourseError): JsonRpcError {
  const number = MCP_ERRORS[code];
  const { retryAfterSeconds, param, allowed, requestId, hint } = details;
  const data = {
    ...(retryAfterSeconds !== undefined && { retry_after_seconds: retryAfterSeconds }),
    ...(param !== undefined && { param }),
    ...(allowed !== undefined && { allowed }),
    ...(requestId !== undefined && { request_id: requestId }),
  };
  // A wrong argument beside a missing one has an advice.
  const text = code === "missing_argument" && hint !== undefined ? `${message} ${hint}` : message;
  return new JsonRpcError(
    number === "tool_error" ? INTERNAL_ERROR : number,
    text,
    Object.keys(data).length > 0 ? data : undefined,
  );
}
