import { type AnyElysia, type Context, Elysia } from "elysia";
import type { Guard } from "#access/guard.ts";
import type { Quota } from "#access/quota.ts";
import { BourseError } from "#domain/errors.ts";
import type { Log } from "#lib/log.ts";
import { createMemo } from "#lib/memo.ts";
import type { McpEndpoint } from "#mcp/endpoint.ts";
import { decodeRequest, type Executor, type DecodedRequest } from "#operations/execute.ts";
import { OPERATIONS } from "#operations/index.ts";
import type { Operation } from "#operations/operation.ts";
import { type ApiVersion, deprecationHeaders, versionPrefix } from "./api-version.ts";
import { readBody, refuseLargeGet } from "./body.ts";
import { createDataAnswers } from "./data-answers.ts";
import { createDocumentAnswer } from "./document-answer.ts";
import { EVERY_ANSWER, quotaHeaders } from "./headers.ts";
import { openApi } from "./openapi.ts";
import { createReadyHeaders } from "./ready-headers.ts";
import { acceptedResponse, createRefusals, errorResponse, explain } from "./responses.ts";
import { restArguments } from "./rest.ts";

const MAX_REST_BODY = 10 * 2 ** 20;
const MAX_MCP_BODY = 2 ** 20;
/** URLs of a version whose decoded requests are remembered. */
const MAX_DECODED = 20_000;
const MAX_MCP_URLS = 100;

/** What the routes of a version need. */
export interface MountDependencies {
  readonly executor: Executor;
  readonly guard: Guard;
  readonly mcp: McpEndpoint;
  /** UTC milliseconds. */
  readonly clock: () => number;
  readonly log: Log;
}

type Answer = Response | Promise<Response>;
/** What a route needs of the router's context. */
type Routed = Pick<Context, "request" | "params">;
/** Answers a request with a refusal; the quota is null if the call was not counted. */
type Refuse = (quota: Quota | null, thrown: unknown) => Response;

/** One version of the interface. */
export interface MountedVersion {
  /** Under the version's prefix: a route for every operation, MCP and the OpenAPI document. */
  readonly app: AnyElysia;
  /**
   * Answers a request whose URL was asked before, without the router and the decoder; undefined for every
   * other request. The answer is the same as the route's.
   */
  answerKnown(request: Request): Answer | undefined;
}

/** Mounts a version. */
export function mountVersion(version: ApiVersion, dependencies: MountDependencies): MountedVersion {
  const versionHeaders = deprecationHeaders(version);
  const refusals = createRefusals(versionHeaders);
  const refuse: Refuse = (quota, thrown) => {
    const error = explain(thrown, dependencies.log);
    return quota
      ? errorResponse(error, { ...versionHeaders, ...quotaHeaders(quota, dependencies.clock()) })
      : refusals(error);
  };
  const answerDecoded = answersData(dependencies, versionHeaders, refuse);
  const answerMcp = answersMcp(dependencies, versionHeaders, refuse);
  const answerDocument = createDocumentAnswer(
    () => JSON.stringify(openApi(version)),
    versionHeaders,
  );
  /** By URL. */
  const decoded = createMemo<DecodedRequest>(MAX_DECODED);
  /** The URLs of MCP that were seen: clients name our host in different ways. */
  const mcpUrls = createMemo<true>(MAX_MCP_URLS);

  const operationRoute =
    (operation: Operation) =>
    ({ request, params }: Routed) =>
      answerDecoded(request, () =>
        decoded.get(request.url, () =>
          decodeRequest(operation, restArguments(operation, request, params ?? {})),
        ),
      );
  const mcpRoute = ({ request }: Routed) => {
    mcpUrls.get(request.url, () => true);
    return answerMcp(request);
  };

  const app = new Elysia({ prefix: versionPrefix(version) });
  const route = (path: string, method: "GET" | "POST", answer: (context: Routed) => Answer) =>
    app.all(path, only(method, answer, versionHeaders), { parse: "none" });
  for (const operation of OPERATIONS) {
    route(operation.path.replaceAll(/\{(\w+)\}/g, ":$1"), "GET", operationRoute(operation));
  }
  route("/mcp", "POST", mcpRoute);
  route("/openapi.json", "GET", ({ request }) => answerDocument(request));
  return {
    app,
    answerKnown(request) {
      if (request.method === "POST") return mcpUrls.find(request.url) && answerMcp(request);
      const known = request.method === "GET" ? decoded.find(request.url) : undefined;
      return known && answerDecoded(request, () => known);
    },
  };
}

/** A route that answers one method and refuses the others by naming it. */
function only(
  method: "GET" | "POST",
  answer: (context: Routed) => Answer,
  versionHeaders: Record<string, string>,
) {
  return ({ request, params }: Routed): Answer =>
    request.method === method
      ? answer({ request, params })
      : errorResponse(new BourseError("method_not_allowed", `This path answers ${method} only.`), {
          ...versionHeaders,
          Allow: method,
        });
}

/** Answers requests for data: token, body, quota, decoder, executor. */
function answersData(
  { executor, guard, clock }: MountDependencies,
  versionHeaders: Record<string, string>,
  refuse: Refuse,
) {
  const answerData = createDataAnswers(versionHeaders);

  // What can be answered at once is: a promise costs a turn of the event loop.
  return (request: Request, decode: () => DecodedRequest): Answer => {
    let quota: Quota | null = null;
    try {
      const principal = guard.authenticate(request.headers.get("authorization"));
      refuseLargeGet(request, MAX_REST_BODY);
      const charge = guard.charge(principal);
      ({ quota } = charge);
      if (charge.denied) throw charge.denied;
      const cached = executor.execute(decode());
      if (!(cached instanceof Promise)) {
        return answerData(request, cached, charge.quota, clock());
      }
      return cached
        .then((made) => answerData(request, made, charge.quota, clock()))
        .catch((thrown) => refuse(charge.quota, thrown));
    } catch (thrown) {
      return refuse(quota, thrown);
    }
  };
}

/** Answers requests to MCP: token, type and size of the body, then JSON-RPC. */
function answersMcp(
  { guard, mcp, clock }: MountDependencies,
  versionHeaders: Record<string, string>,
  refuse: Refuse,
) {
  const ready = createReadyHeaders({
    ...EVERY_ANSWER,
    ...versionHeaders,
    "Content-Type": "application/json",
  });

  return async (request: Request): Promise<Response> => {
    try {
      const authorization = request.headers.get("authorization");
      guard.authenticate(authorization);
      refuseOtherTypes(request);
      const body = await readBody(request, MAX_MCP_BODY);
      const answered = mcp.answer(body, {
        // Again, because the body can take long: the token can be revoked by now.
        principal: guard.authenticate(authorization),
        protocolVersion: request.headers.get("mcp-protocol-version"),
      });
      const { message, quota, status } = answered instanceof Promise ? await answered : answered;
      if (message === null) {
        return acceptedResponse({ ...versionHeaders, ...quotaHeaders(quota, clock()) });
      }
      ready.setQuota(quota, clock());
      return new Response(message, { status, headers: ready.headers });
    } catch (thrown) {
      return refuse(null, thrown);
    }
  };
}

function refuseOtherTypes(request: Request): void {
  const type = request.headers.get("content-type") ?? "";
  if (/^application\/json\s*(;|$)/i.test(type)) return;
  throw new BourseError(
    "unsupported_media_type",
    "Send the header `Content-Type: application/json`.",
  );
}
