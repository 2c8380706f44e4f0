import type { Guard } from "#access/guard.ts";
import type { Awaitable } from "#lib/awaitable.ts";
import { type JsonRpcRequest, MAX_MESSAGE_BYTES, parseMessage } from "#mcp/json-rpc.ts";
import { argumentsOf, nameMessage } from "#mcp/message-name.ts";
import type { McpServer } from "#mcp/server.ts";
import { type ChosenSets, readToolSets } from "#mcp/tool-sets.ts";
import type { ErrorAnswers } from "./answers.ts";
import type { CsvEndpoint } from "./csv-endpoint.ts";
import { EVERY_ANSWER, type HeaderBag, SharedHeaders } from "./headers.ts";
import { readBody, refuseOtherTypes } from "./request-body.ts";
import { subjectOf, type Trace } from "./trace.ts";

/** The dependencies of the MCP endpoint. */
export interface McpEndpointParts {
  readonly mcp: McpServer;
  readonly guard: Guard;
  /** UTC milliseconds. */
  readonly clock: () => number;
}

/** The longest body that is read although its request is refused at the gate. */
const MAX_REFUSED_BYTES = 65_536;

/** The JSON-RPC request in the body of a POST; null if there is none, or if it is too long to be read for a refusal. */
export async function readSmallRequest(request: Request): Promise<JsonRpcRequest | null> {
  if (request.method !== "POST") return null;
  try {
    refuseOtherTypes(request);
    const incoming = parseMessage(await readBody(request, MAX_REFUSED_BYTES));
    return incoming.kind === "request" ? incoming : null;
  } catch {
    return null;
  }
}

/** Names of the parameter for tool sets: `tools`, as people write it. */
const TOOLS = /^tool(?:s|[-_]?sets?)?$/i;

/** The tool sets that a URL names: `?tools=market,lists`. Hosts add parameters of their own, which are ignored. */
export function toolSetsOf(url: string): ChosenSets {
  const query = new URLSearchParams(/\?([^#]*)/.exec(url)?.[1]);
  return readToolSets([...query].flatMap(([name, sets]) => (TOOLS.test(name) ? sets : [])).join());
}

/** Answers requests to MCP: token, type and size of the body, then JSON-RPC. */
export class McpEndpoint {
  readonly #parts: McpEndpointParts & { readonly links: CsvEndpoint };
  readonly #errors: ErrorAnswers;
  readonly #message: SharedHeaders;
  readonly #accepted: SharedHeaders;

  /** @param fixed headers of every answer */
  constructor(
    parts: McpEndpointParts & { readonly links: CsvEndpoint },
    errors: ErrorAnswers,
    fixed: HeaderBag,
  ) {
    this.#parts = parts;
    this.#errors = errors;
    const all = { ...EVERY_ANSWER, ...fixed };
    this.#message = new SharedHeaders({ ...all, "Content-Type": "application/json" });
    this.#accepted = new SharedHeaders(all);
  }

  /**
   * The refusal of a request that is no POST and has a header of authorization without a live token; null without such
   * a header, or for a live token. Hosts that fall back to the older transport show only what their GET answers.
   */
  refuseToken({ headers }: Request): Awaitable<Response | null> {
    const authorization = headers.get("authorization");
    if (authorization === null) return null;
    const refuse = (thrown: unknown) => this.#errors.answer(thrown, null, null);
    try {
      const found = this.#parts.guard.authenticate(authorization);
      return found instanceof Promise ? found.then(() => null, refuse) : null;
    } catch (thrown) {
      return refuse(thrown);
    }
  }

  /** Answers a POST to a URL with those tool sets. `onAuthenticated` is called once the token is known to be live. */
  async answer(
    request: Request,
    trace: Trace | null,
    tools: ChosenSets,
    onAuthenticated?: () => void,
  ): Promise<Response> {
    const { mcp, guard, links, clock } = this.#parts;
    if (trace) trace.via = "mcp";
    try {
      const authorization = request.headers.get("authorization");
      // `await` only for promises: see `Awaitable`.
      const first = guard.authenticate(authorization);
      if (first instanceof Promise) await first;
      onAuthenticated?.();
      refuseOtherTypes(request);
      const body = await readBody(request, MAX_MESSAGE_BYTES);
      // Checked again, because the body can take long and the token can be revoked by now.
      const found = guard.authenticate(authorization);
      const principal = found instanceof Promise ? await found : found;
      const incoming = parseMessage(body);
      if (trace) {
        trace.tokenId = principal.tokenId;
        trace.operation = nameMessage(incoming);
        trace.subject = subjectOf(argumentsOf(incoming));
      }
      const reply = mcp.answer(incoming, principal, {
        headers: request.headers,
        tools,
        client: request,
        makeLink: links.makerFor(request),
        onError: (error) => {
          if (trace) trace.refusal = error;
        },
      });
      const { message, quota, status } = reply instanceof Promise ? await reply : reply;
      const shared = message === null ? this.#accepted : this.#message;
      return new Response(message, { status, headers: shared.setQuota(quota, clock()).headers });
    } catch (thrown) {
      return this.#errors.answer(thrown, null, trace);
    }
  }
}
