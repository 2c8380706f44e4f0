import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  isObject,
  JsonRpcError,
  type JsonRpcRequest,
  PROTOCOL_VERSION,
} from "./json-rpc.ts";

/** The stateless revision of the protocol, which answers requests that name it. */
export const STATELESS_VERSION = "2026-07-28";

/** The revision after the contract's. It has the same messages, but a missing argument is an error of the tool. */
export const TOOL_ERRORS_VERSION = "2025-11-25";

/** The revisions that errors and `server/discover` name, the newest first. */
export const SUPPORTED_VERSIONS = [STATELESS_VERSION, PROTOCOL_VERSION] as const;

/** A revision by whose rules the server answers. */
export type Revision = (typeof SUPPORTED_VERSIONS)[number] | typeof TOOL_ERRORS_VERSION;

/** The released revisions that begin with `initialize`. 2025-06-18 answers all of them. */
const HANDSHAKE_VERSIONS: readonly string[] = [
  "2024-10-07",
  "2024-11-05",
  "2025-03-26",
  PROTOCOL_VERSION,
  TOOL_ERRORS_VERSION,
];

const HEADER_MISMATCH = -32020;
const UNSUPPORTED_VERSION = -32022;

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities";
const CLIENT_KEY = "io.modelcontextprotocol/clientInfo";
/** The key of `_meta` by which a result says who answered. */
export const SERVER_KEY = "io.modelcontextprotocol/serverInfo";

/** The `_meta` of a request of the stateless revision, of a client without capabilities. */
export const STATELESS_META = { [VERSION_KEY]: STATELESS_VERSION, [CAPABILITIES_KEY]: {} };

/** Longer values of the client are cut in errors. */
const MAX_QUOTED = 40;

/** The headers of a request over HTTP. */
export type McpHeaders = Pick<Headers, "get">;

/**
 * The revision by whose rules a request is answered: 2026-07-28 if its `_meta` names it, 2025-11-25 if that or its
 * header names that, else 2025-06-18.
 *
 * @param headers null if the transport has none; a request of 2026-07-28 must have headers that agree with its body
 * @throws JsonRpcError -32022 for an unknown revision, -32020 if headers and body differ, -32602 if
 * `_meta` is incomplete, -32600 as `refuseUnknownHeader`; HTTP answers them with status 400
 */
export function readRevision(request: JsonRpcRequest, headers: McpHeaders | null): Revision {
  const meta = isObject(request.params) ? request.params["_meta"] : undefined;
  const claimed = isObject(meta) ? meta[VERSION_KEY] : undefined;
  const header = headers?.get("mcp-protocol-version") ?? null;
  if (claimed === undefined && header !== STATELESS_VERSION) {
    refuseUnknownHeader(header);
    return header === TOOL_ERRORS_VERSION ? TOOL_ERRORS_VERSION : PROTOCOL_VERSION;
  }
  if (typeof claimed === "string" && HANDSHAKE_VERSIONS.includes(claimed))
    return claimed === TOOL_ERRORS_VERSION ? TOOL_ERRORS_VERSION : PROTOCOL_VERSION;

  const { [CAPABILITIES_KEY]: capabilities, [CLIENT_KEY]: client } = isObject(meta) ? meta : {};
  if (typeof claimed !== "string") throw invalidMeta(VERSION_KEY, `"${STATELESS_VERSION}"`);
  if (!isObject(capabilities)) throw invalidMeta(CAPABILITIES_KEY, "an object");
  if (client !== undefined && !isObject(client)) throw invalidMeta(CLIENT_KEY, "an object");
  if (headers && header !== claimed) throw mismatch("MCP-Protocol-Version", claimed);
  if (claimed !== STATELESS_VERSION) {
    throw new JsonRpcError(
      UNSUPPORTED_VERSION,
      `Unsupported protocol version. The supported ones are ${SUPPORTED_VERSIONS.join(" and ")}.`,
      { supported: SUPPORTED_VERSIONS, requested: claimed.slice(0, MAX_QUOTED) },
    );
  }
  if (headers) refuseOtherHeaders(request, headers);
  return STATELESS_VERSION;
}

/**
 * Checks the `MCP-Protocol-Version` header of a message whose `_meta` names no revision.
 *
 * @throws JsonRpcError -32600 if the header names no released revision; HTTP answers it with status 400
 */
export function refuseUnknownHeader(header: string | null): void {
  if (header === null || header === STATELESS_VERSION || HANDSHAKE_VERSIONS.includes(header))
    return;
  throw new JsonRpcError(
    INVALID_REQUEST,
    `MCP-Protocol-Version must be ${SUPPORTED_VERSIONS.join(" or ")}, or be left out.`,
  );
}

/** What a request names: its tool, prompt or resource; null if its method names none. */
function targetOf(method: string, params: unknown): string | null {
  if (!isObject(params)) return null;
  const isNamed = method === "tools/call" || method === "prompts/get";
  const target = isNamed ? params["name"] : method === "resources/read" ? params["uri"] : null;
  return typeof target === "string" ? target : null;
}

/** Gateways route by these headers, so they must name the method and the target of the body. */
function refuseOtherHeaders({ method, params }: JsonRpcRequest, headers: McpHeaders): void {
  if (headers.get("mcp-method") !== method) throw mismatch("Mcp-Method", method);
  const name = targetOf(method, params);
  if (name === null) return;
  const header = headers.get("mcp-name");
  if (header !== name && header !== encodeName(name)) throw mismatch("Mcp-Name", name);
}

/** A name of any characters, as a header carries it. */
const encodeName = (name: string) => `=?base64?${Buffer.from(name).toString("base64")}?=`;

/** The headers that a request must have over HTTP; none if it names no stateless revision. */
export function headersFor({ method, params }: JsonRpcRequest): Record<string, string> {
  const { _meta: meta } = isObject(params) ? params : {};
  const claimed = isObject(meta) ? meta[VERSION_KEY] : undefined;
  if (typeof claimed !== "string" || !isHeader(claimed) || !isHeader(method)) return {};
  const name = targetOf(method, params);
  return {
    "MCP-Protocol-Version": claimed,
    "Mcp-Method": method,
    ...(name !== null && { "Mcp-Name": isHeader(name) ? name : encodeName(name) }),
  };
}

/** True for text that a header can carry as it is. */
const isHeader = (text: string) => /^[!-~]([ -~]*[!-~])?$/.test(text);

function mismatch(header: string, value: string): JsonRpcError {
  const text = `The header ${header} must be ${value.slice(0, MAX_QUOTED)}, as in the body.`;
  return new JsonRpcError(HEADER_MISMATCH, text);
}

function invalidMeta(key: string, expected: string): JsonRpcError {
  const text = `Invalid params: \`_meta\` of revision ${STATELESS_VERSION} needs ${key}: ${expected}.`;
  return new JsonRpcError(INVALID_PARAMS, text);
}
