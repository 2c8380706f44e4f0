// The error codes of JSON-RPC 2.0.

/** The body is not JSON. */
const PARSE_ERROR = -32700;
/** The body is JSON but not a request, or has too many values to be parsed. */
export const INVALID_REQUEST = -32600;
/** The method or the tool is unknown. */
export const METHOD_NOT_FOUND = -32601;
/** A required argument is missing, or `params` does not fit the method. */
export const INVALID_PARAMS = -32602;
/** The service failed. */
export const INTERNAL_ERROR = -32603;

/** The revision of the protocol, whatever revision a client offers. */
export const PROTOCOL_VERSION = "2025-06-18";

/** Identifies a request in its answer: the JSON text of a string or a number, such as `1`. */
export type JsonRpcId = string;

/** An error with its JSON-RPC code, message and data. */
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
  const error = JSON.stringify({ code, message, ...(data !== undefined && { data }) });
  return `{"jsonrpc":"2.0","id":${id},"error":${error}}`;
}

/** The message that answers a request with a result, given as JSON text. */
export function resultMessage(id: JsonRpcId, result: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
}

/** A request, which requires an answer. */
export interface JsonRpcRequest {
  readonly id: JsonRpcId;
  readonly method: string;
  readonly params: unknown;
}

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True for a JSON object, false for an array or null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for an id of a request: a string or a number. */
function isId(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

/**
 * A parsed body: a request to answer, a message to accept without an answer, or an invalid message.
 * `cancels` is the id of the request that a silent message cancels; null if it cancels none.
 */
export type Incoming =
  | ({ kind: "request" } & JsonRpcRequest)
  | { kind: "silent"; cancels: JsonRpcId | null }
  | { kind: "invalid"; id: JsonRpcId | null; error: JsonRpcError };

/** The maximum size of a message. */
export const MAX_MESSAGE_BYTES = 2 ** 20;

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Values in one message. Parsing one takes up to a microsecond, and no method needs a hundred. */
const MAX_VALUES = 10_000;

/**
 * Parses the body of a POST, or a line of stdin, as one JSON-RPC message. Notifications and responses are `silent`. Arrays are
 * invalid, because revision 2025-06-18 has no batches. A body of more than 10,000 values is not parsed,
 * because that would block the service.
 */
export function parseMessage(body: Uint8Array): Incoming {
  const { values, isClosed } = body.length > MAX_VALUES ? scan(body) : FEW_VALUES;
  if (values > MAX_VALUES && isClosed) {
    return invalid(null, "the body has more than 10,000 values; send only declared fields");
  }
  let text: string;
  let message: unknown;
  try {
    if (values > MAX_VALUES) throw new SyntaxError("an open bracket or string");
    text = decoder.decode(body);
    message = JSON.parse(text);
  } catch {
    const error = new JsonRpcError(PARSE_ERROR, "Parse error: the body is not valid JSON.");
    return { kind: "invalid", id: null, error };
  }
  if (!isObject(message)) return invalid(null, "send one JSON-RPC object, not a batch");
  const { jsonrpc, id, method, params } = message;
  const validId = isId(id) ? writeId(id, text) : null;
  if (jsonrpc !== "2.0") return invalid(validId, '`jsonrpc` must be "2.0"');
  if (id !== undefined && validId === null) {
    return invalid(null, "`id` must be a string or a number");
  }
  const isResponse = method === undefined && ("result" in message || "error" in message);
  if (isResponse) return { kind: "silent", cancels: null };
  if (typeof method !== "string") return invalid(validId, "`method` must be a string");
  if (validId !== null) return { kind: "request", id: validId, method, params };
  return {
    kind: "silent",
    cancels: method === "notifications/cancelled" ? cancelledId(params) : null,
  };
}

function cancelledId(params: unknown): JsonRpcId | null {
  const { requestId } = isObject(params) ? params : {};
  return isId(requestId) ? JSON.stringify(requestId) : null;
}

/** The id as the client wrote it in the message, because a number can have more digits than ours. */
function writeId(id: string | number, message: string): JsonRpcId {
  if (typeof id === "string" || Number.isSafeInteger(id)) return JSON.stringify(id);
  const sources = new Map<unknown, string>();
  let source: string | undefined;
  JSON.parse(message, function (this: unknown, key, value: unknown, context?: { source?: string }) {
    if (key === "id" && context?.source !== undefined) sources.set(this, context.source);
    // The message itself comes last.
    if (key === "") source = sources.get(value);
    return value;
  });
  return source ?? JSON.stringify(id);
}

const FEW_VALUES = { values: 0, isClosed: true };

/**
 * Counts the commas and opening brackets outside strings: one begins almost every value. `isClosed` is false
 * if a bracket or a string is open at the end, so that the body is no JSON.
 */
function scan(body: Uint8Array): typeof FEW_VALUES {
  let values = 0;
  let depth = 0;
  let at = 0;
  for (; at < body.length; at++) {
    const byte = body[at];
    if (byte === 0x22) at = endOfString(body, at);
    else if (byte === 0x2c) values++;
    else if (byte === 0x5b || byte === 0x7b) {
      values++;
      depth++;
    } else if (byte === 0x5d || byte === 0x7d) depth--;
  }
  return { values, isClosed: depth === 0 && at === body.length };
}

function invalid(id: JsonRpcId | null, reason: string): Incoming {
  return {
    kind: "invalid",
    id,
    error: new JsonRpcError(INVALID_REQUEST, `Invalid request: ${reason}.`),
  };
}

/** The index of the quote that closes the string at `start`; at or after the end if there is none. */
function endOfString(bytes: Uint8Array, start: number): number {
  let end = start + 1;
  while (end < bytes.length && bytes[end] !== 0x22) end += bytes[end] === 0x5c ? 2 : 1;
  return end;
}
