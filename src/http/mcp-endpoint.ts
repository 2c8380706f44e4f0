import type { Guard } from "#access/guard.ts";
import { BourseError } from "#domain/errors.ts";
import { MAX_MESSAGE_BYTES, parseMessage } from "#mcp/json-rpc.ts";
import type { McpServer } from "#mcp/server.ts";
import type { ErrorAnswers } from "./answers.ts";
import { EVERY_ANSWER, type HeaderBag, SharedHeaders } from "./headers.ts";

/** The dependencies of the MCP endpoint. */
export interface McpParts {
  readonly mcp: McpServer;
  readonly guard: Guard;
  /** UTC milliseconds. */
  readonly clock: () => number;
}

/** Answers requests to MCP: token, type and size of the body, then JSON-RPC. */
export class McpEndpoint {
  readonly #parts: McpParts;
  readonly #errors: ErrorAnswers;
  readonly #message: SharedHeaders;
  readonly #accepted: SharedHeaders;

  /** @param fixed headers of every answer */
  constructor(parts: McpParts, errors: ErrorAnswers, fixed: HeaderBag) {
    this.#parts = parts;
    this.#errors = errors;
    const all = { ...EVERY_ANSWER, ...fixed };
    this.#message = new SharedHeaders({ ...all, "Content-Type": "application/json" });
    this.#accepted = new SharedHeaders(all);
  }

  /** Answers a POST. `onAuthenticated` is called once the token is known to be live. */
  async answer(request: Request, onAuthenticated?: () => void): Promise<Response> {
    const { mcp, guard, clock } = this.#parts;
    try {
      const authorization = request.headers.get("authorization");
      guard.authenticate(authorization);
      onAuthenticated?.();
      refuseOtherTypes(request);
      const body = await readBody(request);
      // Checked again, because the body can take long and the token can be revoked by now.
      const principal = guard.authenticate(authorization);
      const reply = mcp.answer(parseMessage(body), principal, request.headers);
      // A promise costs a turn of the event loop.
      const { message, quota, status } = reply instanceof Promise ? await reply : reply;
      const shared = message === null ? this.#accepted : this.#message;
      return new Response(message, { status, headers: shared.setQuota(quota, clock()).headers });
    } catch (thrown) {
      return this.#errors.answer(thrown, null);
    }
  }
}

function refuseOtherTypes(request: Request): void {
  const type = request.headers.get("content-type") ?? "";
  if (/^application\/json\s*(;|$)/i.test(type)) return;
  throw new BourseError(
    "unsupported_media_type",
    "Send the header `Content-Type: application/json`.",
  );
}

/**
 * Reads a request's body. A body that declares too large a length is refused before it is read, one that
 * grows too large as soon as it does.
 *
 * @throws BourseError `payload_too_large`; `invalid_argument` if the client has gone
 */
async function readBody(request: Request): Promise<Uint8Array> {
  const declared = request.headers.get("content-length");
  if (Number(declared ?? 0) > MAX_MESSAGE_BYTES) throw tooLarge();
  try {
    // A body cannot grow beyond the length that it declares.
    return declared === null ? await readChunks(request) : await request.bytes();
  } catch (error) {
    // No client reads this, and the service did not fail.
    if (request.signal.aborted)
      throw new BourseError("invalid_argument", "The body is incomplete.");
    throw error;
  }
}

async function readChunks(request: Request): Promise<Uint8Array> {
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body as ReadableStream<Uint8Array>) {
    length += chunk.length;
    if (length > MAX_MESSAGE_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(): BourseError {
  return new BourseError("payload_too_large", "The request body is larger than 1 MiB.");
}
