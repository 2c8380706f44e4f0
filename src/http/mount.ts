import { type AnyElysia, type Context, Elysia } from "elysia";
import type { Guard } from "#access/guard.ts";
import type { Quota } from "#access/quota.ts";
import { BourseError } from "#domain/errors.ts";
import type { Log } from "#lib/log.ts";
import { createMemo } from "#lib/memo.ts";
import type { McpEndpoint } from "#mcp/endpoint.ts";
import { askQuestion, type Executor, type Question } from "#operations/execute.ts";
import { OPERATIONS } from "#operations/index.ts";
import type { Operation } from "#operations/operation.ts";
import { type ApiVersion, deprecationHeaders, versionPrefix } from "./api-version.ts";
import { readBody, refuseLarge } from "./body.ts";
import { createDataAnswers } from "./data-answers.ts";
import { createDocumentAnswer } from "./document-answer.ts";
import { EVERY_ANSWER, quotaHeaders } from "./headers.ts";
import { openApi } from "./openapi.ts";
import { createReadyHeaders } from "./ready-headers.ts";
import { acceptedResponse, errorResponse, explain } from "./responses.ts";
import { restArguments } from "./rest.ts";

const MAX_REST_BODY = 10 * 2 ** 20;
const MAX_MCP_BODY = 2 ** 20;
/** Addresses of a version whose questions are remembered. */
const MAX_QUESTIONS = 20_000;
const MAX_AGENT_ADDRESSES = 100;

/** What the routes of a version need. */
export interface MountDependencies {
  readonly executor: Executor;
  readonly guard: Guard;
  readonly mcp: McpEndpoint;
  readonly clock: () => number;
  readonly log: Log;
}

/** What a route needs of what the router tells. */
type Routed = Pick<Context, "request" | "params">;

/** One version of the interface. */
export interface MountedVersion {
  /** Under the version's prefix: a route for every operation, MCP and the OpenAPI document. */
  readonly app: AnyElysia;
  /**
   * Answers a request whose address was asked before and is known to be a question, or MCP's, past the
   * router and the decoder; undefined for every other request. The answer is the route's.
   */
  answerKnown(request: Request): Response | Promise<Response> | undefined;
}

/** Mounts a version. */
export function mountVersion(version: ApiVersion, dependencies: MountDependencies): MountedVersion {
  const { executor, guard, mcp, clock, log } = dependencies;
  const versionHeaders = deprecationHeaders(version);
  const answerData = createDataAnswers(versionHeaders);
  const agentHeaders = createReadyHeaders({
    ...EVERY_ANSWER,
    ...versionHeaders,
    "Content-Type": "application/json",
  });
  /** The addresses at which MCP was met: clients name our host in their own ways. */
  const agentAddresses = createMemo<true>(MAX_AGENT_ADDRESSES);
  /** By address. */
  const questions = createMemo<Question>(MAX_QUESTIONS);

  const refuse = (quota: Quota | null, thrown: unknown): Response =>
    errorResponse(explain(thrown, log), {
      ...versionHeaders,
      ...(quota && quotaHeaders(quota, clock())),
    });
  /** A route that answers one method and tells the others which. */
  const only =
    (method: "GET" | "POST", handle: (context: Routed) => Response | Promise<Response>) =>
    ({ request, params }: Routed) =>
      request.method === method
        ? handle({ request, params })
        : errorResponse(
            new BourseError("method_not_allowed", `This path answers ${method} only.`),
            { ...versionHeaders, Allow: method },
          );

  /** What can be answered at once is: a promise costs a turn. */
  const answerQuestion = (request: Request, ask: () => Question): Response | Promise<Response> => {
    let quota: Quota | null = null;
    try {
      const principal = guard.authenticate(request.headers.get("authorization"));
      refuseLarge(request, MAX_REST_BODY);
      const charge = guard.charge(principal);
      ({ quota } = charge);
      if (charge.denied) throw charge.denied;
      const execution = executor.execute(ask());
      if (!(execution instanceof Promise)) {
        return answerData(request, execution, charge.quota, clock());
      }
      return execution
        .then((made) => answerData(request, made, charge.quota, clock()))
        .catch((thrown) => refuse(charge.quota, thrown));
    } catch (thrown) {
      return refuse(quota, thrown);
    }
  };

  const operationRoute =
    (operation: Operation) =>
    ({ request, params }: Routed) =>
      answerQuestion(request, () =>
        questions.get(request.url, () =>
          askQuestion(operation, restArguments(operation, request, params ?? {})),
        ),
      );

  const answerAgent = async (request: Request): Promise<Response> => {
    try {
      const authorization = request.headers.get("authorization");
      guard.authenticate(authorization);
      const type = request.headers.get("content-type") ?? "";
      if (!/^application\/json\s*(;|$)/i.test(type)) {
        throw new BourseError(
          "unsupported_media_type",
          "Send the header `Content-Type: application/json`.",
        );
      }
      const body = await readBody(request, MAX_MCP_BODY);
      const answered = mcp.answer(body, {
        // Once more, for the body may have taken long: the token may be revoked by now.
        principal: guard.authenticate(authorization),
        protocolVersion: request.headers.get("mcp-protocol-version"),
      });
      const { message, quota, status } = answered instanceof Promise ? await answered : answered;
      if (message === null) {
        return acceptedResponse({ ...versionHeaders, ...quotaHeaders(quota, clock()) });
      }
      agentHeaders.setQuota(quota, clock());
      return new Response(message, { status, headers: agentHeaders.headers });
    } catch (thrown) {
      return refuse(null, thrown);
    }
  };

  const agentRoute = ({ request }: Routed) => {
    agentAddresses.get(request.url, () => true);
    return answerAgent(request);
  };

  const answerDocument = createDocumentAnswer(
    () => JSON.stringify(openApi(version)),
    versionHeaders,
  );

  const app = new Elysia({ prefix: versionPrefix(version) });
  for (const operation of OPERATIONS) {
    const path = operation.path.replaceAll(/\{(\w+)\}/g, ":$1");
    app.all(path, only("GET", operationRoute(operation)), { parse: "none" });
  }
  app.all("/mcp", only("POST", agentRoute), { parse: "none" });
  app.all(
    "/openapi.json",
    only("GET", ({ request }) => answerDocument(request)),
    { parse: "none" },
  );
  return {
    app,
    answerKnown(request) {
      if (request.method === "POST") {
        return agentAddresses.find(request.url) && answerAgent(request);
      }
      const question = request.method === "GET" ? questions.find(request.url) : undefined;
      return question && answerQuestion(request, () => question);
    },
  };
}
