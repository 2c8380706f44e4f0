import { invalidArgument } from "#domain/errors.ts";
import { V1, versionPrefix } from "#http/api-version.ts";
import { parseJson } from "#lib/json.ts";
import { PROGRAM } from "#lib/compiled.ts";
import type { Log } from "#lib/log.ts";
import {
  errorMessage,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  JsonRpcError,
  type JsonRpcRequest,
} from "#mcp/json-rpc.ts";
import { RATE_LIMITED, TOOL_EXECUTION_FAILED } from "#mcp/errors.ts";
import { headersFor } from "#mcp/revision.ts";
import type { AnswerMessage } from "#mcp/stdio.ts";

/** The path of MCP below the address of a service. */
const PATH = `${versionPrefix(V1)}/mcp`;
/** How long an answer may take. A live service waits for slow sources. */
const TIMEOUT_MS = 120_000;
/** The largest answers have less than a MiB. */
const MAX_ANSWER_BYTES = 16 * 2 ** 20;

/**
 * Answers messages by forwarding them to a remote service. Failures of the connection become JSON-RPC
 * errors that say what to check.
 *
 * @param parts `url`: the address of the service, with or without the path of MCP; `tools`: names of tool sets,
 * which replace the ones in the address; empty for the ones in the address
 * @throws BourseError if the address is not a URL, or the token is missing or malformed
 */
export function createRemote(parts: {
  url: string;
  tools: string;
  token: string | undefined;
  log: Log;
}): AnswerMessage {
  const { token, log } = parts;
  const url = endpointOf(parts.url);
  if (parts.tools !== "") url.searchParams.set("tools", parts.tools);
  // A header cannot carry other characters, and `fetch` would blame the connection.
  if (!token || !/^[!-~]+$/.test(token.trim())) {
    throw invalidArgument(
      `Set BOURSE_TOKEN to a token of that service, without spaces and quotes; \`${PROGRAM} token create\` makes one.`,
    );
  }
  return async (incoming, line) => {
    if (incoming.kind === "invalid") return errorMessage(incoming.id, incoming.error);
    const request = incoming.kind === "request" ? incoming : null;
    try {
      return await forward(url, token, line, request);
    } catch (thrown) {
      const error = thrown instanceof JsonRpcError ? thrown : unreachable(url, thrown);
      if (request) return errorMessage(request.id, error);
      log.warn("a notification could not be forwarded", { error: error.message });
      return null;
    }
  };
}

function endpointOf(text: string): URL {
  const url = URL.parse(text);
  if (!url || !["http:", "https:"].includes(url.protocol)) {
    // Without the user and password that an address can have.
    const shown = text.replace(/^([a-z]+:\/\/)?.*@/i, "$1");
    throw invalidArgument(
      `--url must be the address of a service, such as http://127.0.0.1:8787, not "${shown}".`,
    );
  }
  const path = url.pathname.replace(/\/+$/, "");
  url.pathname = path.endsWith(PATH) ? path : path + PATH;
  return url;
}

/** The service's message as one line; null for a notification. @throws JsonRpcError if there is no message */
async function forward(
  url: URL,
  token: string,
  body: Uint8Array,
  request: JsonRpcRequest | null,
): Promise<string | null> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      Accept: "application/json",
      ...(request && headersFor(request)),
    },
    body,
    // A redirect could send the token to another host.
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await readText(url, response);
  if (request === null && response.ok) return null;
  const answer = parseObject(text);
  if (answer?.["jsonrpc"] === "2.0") return JSON.stringify(answer);
  throw refusal(url, response, answer);
}

/** The body of an answer. @throws JsonRpcError if it is too large */
async function readText(url: URL, response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) {
      throw new JsonRpcError(
        TOOL_EXECUTION_FAILED,
        `${url.origin} answered with more than ${MAX_ANSWER_BYTES / 2 ** 20} MiB. Check that --url is the address of a bourse service.`,
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parseObject(text: string): Record<string, unknown> | null {
  const value = parseJson(text);
  return typeof value === "object" ? (value as Record<string, unknown> | null) : null;
}

/** The error for an answer that is not JSON-RPC: the service's error envelope, or another program's. */
function refusal(
  url: URL,
  response: Response,
  answer: Record<string, unknown> | null,
): JsonRpcError {
  const { message } = (answer?.["error"] ?? {}) as { message?: unknown };
  const reason = typeof message === "string" ? message : null;
  const { status } = response;
  if (status === 401 && reason !== null) {
    return new JsonRpcError(
      INVALID_REQUEST,
      `${reason} Set BOURSE_TOKEN to a live token and start this server again.`,
    );
  }
  if (status === 429 && reason !== null) {
    // A proxy can send a date.
    const retry_after_seconds = Number(response.headers.get("retry-after")) || 1;
    return new JsonRpcError(RATE_LIMITED, reason, { retry_after_seconds });
  }
  if (reason !== null) return new JsonRpcError(INTERNAL_ERROR, reason);
  return new JsonRpcError(
    TOOL_EXECUTION_FAILED,
    `${url.origin} answered with HTTP ${status} and no MCP message. Check that --url is the address of a bourse service, then retry.`,
  );
}

function unreachable(url: URL, thrown: unknown): JsonRpcError {
  const code =
    thrown instanceof Error ? ("code" in thrown ? String(thrown.code) : thrown.name) : "";
  return new JsonRpcError(
    TOOL_EXECUTION_FAILED,
    `The service at ${url.origin} cannot be reached (${code}). Check that it runs and that --url is right, then retry.`,
  );
}
