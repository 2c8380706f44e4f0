import { type AnyElysia, type Context, Elysia } from "elysia";
import type { IpGate } from "#access/ip-gate.ts";
import { BourseError } from "#domain/errors.ts";
import type { Log } from "#lib/log.ts";
import { Memo } from "#lib/memo.ts";
import { OPERATIONS } from "#operations/index.ts";
import { type Operation, type Route, routesOf } from "#operations/operation.ts";
import { reportError } from "#operations/report-error.ts";
import { createDocumentAnswer, ErrorAnswers, errorResponse } from "./answers.ts";
import { type ApiVersion, deprecationHeaders, V1, versionPrefix } from "./api-version.ts";
import type { ClientAddress } from "./client-address.ts";
import { corsPlugin } from "./cors.ts";
import { gateHeaders, type HeaderBag } from "./headers.ts";
import { McpEndpoint, type McpParts } from "./mcp-endpoint.ts";
import { openApi } from "./openapi.ts";
import { readRestCall, RestEndpoint, type RestParts } from "./rest-endpoint.ts";

/** The console, and its scripts and styles, which are at the root in the executable. */
const CONSOLE_URL = /^https?:\/\/[^/]*\/(console(\/|\?|$)|chunk-\w+\.(js|css)$)/;
/** URLs whose endpoints are cached. */
const MAX_URLS = 20_000;

/** The dependencies of the HTTP application. */
export interface HttpDependencies extends RestParts, McpParts {
  /** Null if requests are not limited by address. */
  readonly gate: IpGate | null;
  readonly clientAddress: ClientAddress;
  readonly log: Log;
}

/** Answers a request. The server knows the address of the socket. */
export type HttpApp = (
  request: Request,
  server: { requestIP(request: Request): { readonly address: string } | null },
) => Answer;

type Answer = Response | Promise<Response>;
type Method = "GET" | "POST";
/** The part of the router's context that a route needs. */
type Routed = Pick<Context, "request" | "params">;

/** The endpoint of a URL, the arguments of the URL decoded. */
interface KnownEndpoint {
  readonly method: Method;
  answer(request: Request): Answer;
}

/** The HTTP application: the gate, then the endpoint of the URL if it is known, else the router. */
export function createApp(
  dependencies: HttpDependencies,
  versions: readonly ApiVersion[],
): HttpApp {
  const { gate, clientAddress, log } = dependencies;
  const known = new Memo<KnownEndpoint>(MAX_URLS);
  const router = createRouter(log);
  for (const version of versions) router.use(versionRoutes(version, dependencies, known));
  router.compile();

  return (request, server) => {
    if (gate) {
      const socketAddress = server.requestIP(request)?.address ?? "";
      const refusal = refuseAtGate(gate, clientAddress(socketAddress, request.headers));
      if (refusal) return refusal;
    }
    const endpoint = known.find(request.url);
    if (endpoint?.method === request.method) return endpoint.answer(request);
    return CONSOLE_URL.test(request.url) ? answerConsole(request, log) : router.fetch(request);
  };
}

/** Answers outside the router, because the console must not have the API's CORS headers. */
async function answerConsole(request: Request, log: Log): Promise<Response> {
  try {
    const assets = await import("./console-assets.ts");
    return await assets.answerConsole(request);
  } catch (error) {
    return errorResponse(reportError(error, log));
  }
}

function refuseAtGate(gate: IpGate, address: string): Response | null {
  const refusal = gate.check(address);
  if (!refusal) return null;
  const { limit, retryAfterSeconds } = refusal;
  return errorResponse(
    new BourseError(
      "rate_limited",
      `Rate limit exceeded: ${limit} requests a minute from one address. Retry after ${retryAfterSeconds} s.`,
      { retryAfterSeconds },
    ),
    gateHeaders(refusal),
  );
}

/** A router without routes: CORS, unknown paths and failures. */
function createRouter(log: Log): AnyElysia {
  // By default Elysia looks for the path after the 11th character of the URL. A short host such as `nas`
  // would become part of the path.
  return new Elysia({ handler: { standardHostname: false } })
    .use(corsPlugin())
    .onError(({ code, error }) =>
      errorResponse(
        code === "NOT_FOUND"
          ? new BourseError("not_found", "This path is unknown.", {
              hint: `${versionPrefix(V1)}/openapi.json describes every path; MCP is at ${versionPrefix(V1)}/mcp.`,
            })
          : reportError(error, log),
      ),
    );
}

/** The routes of every operation, of MCP and of the OpenAPI document, under the version's prefix. */
function versionRoutes(
  version: ApiVersion,
  dependencies: HttpDependencies,
  known: Memo<KnownEndpoint>,
): AnyElysia {
  const fixed = deprecationHeaders(version);
  const errors = new ErrorAnswers(fixed, dependencies);
  const rest = new RestEndpoint(dependencies, errors, fixed);
  const mcp = new McpEndpoint(dependencies, errors, fixed);
  const answerDocument = createDocumentAnswer(() => JSON.stringify(openApi(version)), fixed);

  const answerRoute = (operation: Operation, route: Route, { request, params }: Routed): Answer =>
    rest.answer(request, () => {
      const call = readRestCall(operation, route, request, params ?? {});
      const answer = (later: Request) => rest.answer(later, () => call);
      known.get(request.url, () => ({ method: "GET", answer }));
      return call;
    });
  const mcpEndpoint: KnownEndpoint = { method: "POST", answer: (request) => mcp.answer(request) };
  // Clients name our host in different ways, so each URL is stored.
  const answerMcp = ({ request }: Routed): Answer =>
    mcp.answer(request, () => known.get(request.url, () => mcpEndpoint));

  const routes = new Elysia({ prefix: versionPrefix(version) });
  const add = (path: string, method: Method, answer: (context: Routed) => Answer) =>
    routes.all(path, only(method, answer, fixed), { parse: "none" });
  for (const operation of OPERATIONS) {
    for (const route of routesOf(operation)) {
      const path = route.path.replaceAll(/\{(\w+)\}/g, ":$1");
      add(path, "GET", (context) => answerRoute(operation, route, context));
    }
  }
  add("/mcp", "POST", answerMcp);
  add("/openapi.json", "GET", ({ request }) => answerDocument(request));
  return routes;
}

/** A route that answers one method and refuses the others by naming it. */
function only(method: Method, answer: (context: Routed) => Answer, fixed: HeaderBag) {
  return ({ request, params }: Routed): Answer =>
    request.method === method
      ? answer({ request, params })
      : errorResponse(new BourseError("method_not_allowed", `This path answers ${method} only.`), {
          ...fixed,
          Allow: method,
        });
}
