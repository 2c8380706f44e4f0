// The codes of JSON-RPC 2.0 itself.

/** The body is not JSON. */
const PARSE_ERROR = -32700;
/** The body is JSON but no request. */
export const INVALID_REQUEST = -32600;
/** There is no such method, or no such tool. */
export const METHOD_NOT_FOUND = -32601;
/** A required argument is missing, or `params` does not fit the method. */
export const INVALID_PARAMS = -32602;
/** The service failed. */
export const INTERNAL_ERROR = -32603;

/** The one revision of the protocol that we speak, whatever a client offers. */
export const PROTOCOL_VERSION = "2025-06-18";

/** What ties an answer to its request. */
export type JsonRpcId = string | number;

/** An error with the code, the message and the data that JSON-RPC is to carry. */
export class JsonRpcError extends Error {
  readonly code: number;
  readonly data: object | undefined;

  constructor(code: number, message: string, data?: object) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The message that answers a request with an error, as JSON text. */
export function errorMessage(id: JsonRpcId | null, { code, message, data }: JsonRpcError): string {
  return JSON.stringify({
    jsonrpc: "2.0",
    id,
    error: { code, message, ...(data !== undefined && { data }) },
  });
}

/** The message that answers a request with a result, which is JSON text already. */
export function resultMessage(id: JsonRpcId, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

/** A request that wants an answer. */
export interface JsonRpcRequest {
  readonly id: JsonRpcId;
  readonly method: string;
  readonly params: unknown;
}

/** What arrived: a request to answer, something to accept in silence, or something to refuse. */
export type Incoming =
  | ({ kind: "request" } & JsonRpcRequest)
  | { kind: "silent" }
  | { kind: "invalid"; id: JsonRpcId | null; error: JsonRpcError };

const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads the body of a POST as one JSON-RPC message. Notifications and responses are `silent`. Arrays
 * are invalid: revision 2025-06-18 has no batches.
 */
export function parseMessage(body: Uint8Array): Incoming {
  let message: unknown;
  try {
    message = JSON.parse(decoder.decode(body));
  } catch {
    return {
      kind: "invalid",
      id: null,
      error: new JsonRpcError(PARSE_ERROR, "Parse error: the body is not valid JSON."),
    };
  }
  if (typeof message !== "object" || message === null || Array.isArray(message)) {
    return invalid(null, "send one JSON-RPC object, not a batch");
  }
  const { jsonrpc, id, method, params } = message as Record<string, unknown>;
  const validId = typeof id === "string" || Number.isSafeInteger(id) ? (id as JsonRpcId) : null;
  if (jsonrpc !== "2.0") return invalid(validId, '`jsonrpc` must be "2.0"');
  if (id !== undefined && validId === null) {
    return invalid(null, "`id` must be a string or a whole number");
  }
  const isResponse = method === undefined && ("result" in message || "error" in message);
  if (isResponse) return { kind: "silent" };
  if (typeof method !== "string") return invalid(validId, "`method` must be a string");
  return validId === null ? { kind: "silent" } : { kind: "request", id: validId, method, params };
}

function invalid(id: JsonRpcId | null, reason: string): Incoming {
  return {
    kind: "invalid",
    id,
    error: new JsonRpcError(INVALID_REQUEST, `Invalid request: ${reason}.`),
  };
}
