import { type AnyElysia, type Context, Elysia } from "elysia";
import type { GateRefusal, IpGate } from "#access/ip-gate.ts";
import { BourseError, notFound } from "#domain/errors.ts";
import { type Awaitable, whenKnown } from "#lib/awaitable.ts";
import { lazy } from "#lib/lazy.ts";
import type { Log } from "#lib/log.ts";
import { Memo } from "#lib/memo.ts";
import { toJsonRpcError } from "#mcp/errors.ts";
import { errorMessage } from "#mcp/json-rpc.ts";
import type { Executor } from "#operations/execute.ts";
import { OPERATIONS } from "#operations/index.ts";
import { type Operation, type Route, routesOf } from "#operations/operation.ts";
import { reportError } from "#operations/report-error.ts";
import { createDocumentAnswer, ErrorAnswers, errorResponse } from "./answers.ts";
import { type ApiVersion, deprecationHeaders, V1, versionPrefix } from "./api-version.ts";
import type { BrowserApp } from "./browser-app.ts";
import { type ClientAddress, gateKeyOf } from "./client-address.ts";
import { corsPlugin } from "./cors.ts";
import { answerDiscovery } from "./discovery.ts";
import { answerDocs } from "./docs-endpoint.ts";
import { CSV_PATH, CsvEndpoint, type CsvParts } from "./csv-endpoint.ts";
import { errorPage } from "./console-answers.ts";
import { rateLimited } from "./errors.ts";
import { answerClientFile } from "./client-files.ts";
import { authorizationOf, FEED_HEADERS, FEED_PATH } from "./feed-link.ts";
import type { FeedEndpoint } from "./feed-endpoint.ts";
import { FilesEndpoint, type ServedFiles } from "./files-endpoint.ts";
import { answerHealth, HEALTH_PATH, type Readiness } from "./health.ts";
import { EVERY_ANSWER, gateHeaders, type HeaderBag, wantsPage } from "./headers.ts";
import {
  McpEndpoint,
  type McpEndpointParts,
  readSmallRequest,
  toolSetsOf,
} from "./mcp-endpoint.ts";
import type { OAuthApp } from "./oauth-endpoints.ts";
import { findOAuthEndpoint, refuseWithoutOAuth, resourceChallenge } from "./oauth-metadata.ts";
import { addressOf, basePathOf } from "./service-address.ts";
import { readRestCall, type RestCall, RestEndpoint } from "./rest-endpoint.ts";
import type { AddressSource, RequestObserver, Trace } from "./trace.ts";

/** URLs whose endpoints are cached. */
const MAX_URLS = 20_000;

/** The dependencies of the HTTP application. */
export interface HttpDependencies extends CsvParts, McpEndpointParts {
  readonly executor: Executor;
  /** Null if requests are not limited by address. */
  readonly gate: IpGate | null;
  readonly clientAddress: ClientAddress;
  /** The console; if absent, its paths are unknown. */
  readonly browser?: BrowserApp;
  /** OAuth; if absent, its paths are unknown and no answer names them. */
  readonly oauth?: { readonly publicUrl: string; readonly answer: OAuthApp } | null;
  /** False if the drafts by which clients find the MCP server are off. */
  readonly isDiscoverable?: boolean;
  /** The files of scheduled exports; if absent, their paths are unknown. */
  readonly files?: ServedFiles | undefined;
  /** Checks if the service can do its work; if absent, the paths of health checks are unknown. */
  readonly readiness?: () => Readiness;
  /** Watches every request except health checks. Without it, requests have no trace. */
  readonly observer?: RequestObserver | undefined;
}

/** Answers a request. */
export type HttpApp = (request: Request, server: AddressSource) => Answer;

type Answer = Awaitable<Response>;
type Method = "GET" | "POST";
/** The part of the router's context that a route needs. */
type Routed = Pick<Context, "request" | "params">;

/** The endpoint of a URL, the arguments of the URL decoded. */
interface KnownEndpoint {
  readonly method: Method;
  answer(request: Request, trace: Trace | null): Answer;
}

/**
 * The paths of the console, whose scripts and styles are at the root in the executable. The
 * URL begins with the `Host` header if that is a host.
 */
const BROWSER_PATH =
  /^(?:https?:\/\/[^/?#]*)?(\/(?:console(?:\/[^?#]*)?|chunk-\w+\.(?:js|css)))(?:[?#]|$)/;
/** The status that metrics and logs give to a request whose connection was closed before its answer. */
const CLOSED_STATUS = 499;
/** The path of MCP, of any version. */
const MCP_PATH = /^[^?#]*\/mcp(?:[?#]|$)/;
/** The path of a file below `/files/`, of any version. */
const FILE_PATH = /^[^?#]*?\/svc\/files\/([^?#]*)/;
/** The path of the service's address alone. */
const ROOT = /^(?:https?:\/\/[^/?#]*)?\/(?:[?#]|$)/;

/**
 * The HTTP application: health checks, the gate, then the endpoint of the URL if it is known, else the feeds,
 * files by link, OAuth or the router. The console has its own limits and no CORS headers.
 */
export function createApp(
  dependencies: HttpDependencies,
  versions: readonly ApiVersion[],
): HttpApp {
  const { gate, clientAddress, log, browser, oauth, readiness, observer } = dependencies;
  const known = new Memo<KnownEndpoint>(MAX_URLS);
  const feeds = createFeeds(dependencies);
  const links = new CsvEndpoint(dependencies);
  // The router passes on the request alone.
  const traces = new WeakMap<Request, Trace>();
  const traceOf = (request: Request) => traces.get(request) ?? null;
  const router = createRouter(log, basePathOf(dependencies.publicUrl));
  const parts = { ...dependencies, links, feeds };
  for (const version of versions) router.use(versionRoutes(version, parts, known, traceOf));
  router.compile();

  const answer = (request: Request, server: AddressSource, trace: Trace | null): Answer => {
    const endpoint = known.find(request.url);
    if (!endpoint && readiness) {
      const health = HEALTH_PATH.exec(request.url);
      if (health) {
        if (trace) trace.via = "health";
        // Before the gate: a supervisor may ask every second, and its requests count for no client.
        return answerHealth(request, health[1] === undefined ? null : readiness);
      }
    }
    if (!endpoint && browser) {
      const path = BROWSER_PATH.exec(request.url)?.[1];
      if (path !== undefined) {
        if (trace) trace.via = "console";
        return browser(request, path, socketAddressOf(request, server));
      }
    }
    // A script sees the gate's 429 only if its preflight passes.
    if (gate && request.method !== "OPTIONS") {
      const address = clientAddress(socketAddressOf(request, server), request.headers);
      const refusal = gate.check(gateKeyOf(address, request.headers));
      if (refusal instanceof Promise) {
        return refusal.then((known) =>
          known
            ? refuseAtGate(request, known, parts)
            : answerData(request, server, trace, endpoint),
        );
      }
      if (refusal) return refuseAtGate(request, refusal, parts);
    }
    return answerData(request, server, trace, endpoint);
  };
  const answerData = (
    request: Request,
    server: AddressSource,
    trace: Trace | null,
    endpoint: KnownEndpoint | undefined,
  ): Answer => {
    if (endpoint?.method === request.method) return endpoint.answer(request, trace);
    const direct =
      answerByLink(request, trace, { feeds, links }) ?? answerPublic(request, trace, dependencies);
    if (direct) return direct;
    const name = oauth && findOAuthEndpoint(request);
    if (name) {
      if (trace) trace.via = "oauth";
      return oauth.answer(request, name, socketAddressOf(request, server));
    }
    if (browser && ROOT.test(request.url) && wantsPage(request)) return redirectToConsole();
    const routed = withHost(request);
    if (trace) traces.set(routed, trace);
    return router.fetch(routed);
  };
  return observer ? observe(answer, observer) : (request, server) => answer(request, server, null);
}

/** The path below `/feed/` of a file, with its feed link. */
const FEED_FILE = /^(?:(bourse_[^/]*)\/)?files(?:\/(.*))?$/;

interface Feeds {
  readonly answer: (...request: Parameters<FeedEndpoint["answer"]>) => Promise<Response>;
  readonly refuse: (...refusal: Parameters<FeedEndpoint["refuse"]>) => Answer;
}

/** The feeds, beside which the files of an export are below `/feed/`. The first request loads their modules. */
function createFeeds({ files, ...dependencies }: HttpDependencies): Feeds {
  let loaded: FeedEndpoint | null = null;
  const load = async () => {
    const { FeedEndpoint } = await import("./feed-endpoint.ts");
    return (loaded ??= new FeedEndpoint(dependencies));
  };
  const feeds: Feeds = {
    // Without a promise of its own once it is loaded: a feed would take 5 % more CPU.
    answer: (...request) =>
      loaded?.answer(...request) ?? load().then((one) => one.answer(...request)),
    refuse: async (...refusal) => (await load()).refuse(...refusal),
  };
  if (!files) return feeds;
  const errors = new ErrorAnswers(FEED_HEADERS, dependencies);
  const endpoint = new FilesEndpoint({ ...dependencies, files }, errors, FEED_HEADERS);
  return {
    async answer(request, below, trace) {
      const [whole, secret = null, path = ""] = FEED_FILE.exec(below) ?? [];
      if (whole === undefined) return feeds.answer(request, below, trace);
      const authorization = () => authorizationOf(request, secret);
      const answer = () => endpoint.answer({ request, path, trace, authorization, place: "feed" });
      return only({ GET: answer, HEAD: answer }, FEED_HEADERS)({ request, params: {} });
    },
    refuse: (request, below, error, headers) =>
      FEED_FILE.test(below)
        ? errorResponse(error, { ...FEED_HEADERS, ...headers })
        : feeds.refuse(request, below, error, headers),
  };
}

/** Answers a URL that has a feed link or the signature of a call; null for other URLs and preflights. */
function answerByLink(
  request: Request,
  trace: Trace | null,
  { feeds, links }: { readonly feeds: Feeds; readonly links: CsvEndpoint },
): Answer | null {
  if (request.method === "OPTIONS") return null;
  const feed = FEED_PATH.exec(request.url)?.[1];
  if (feed !== undefined) return feeds.answer(request, feed, trace);
  const file = CSV_PATH.exec(request.url)?.[1];
  return file === undefined ? null : links.answer(request, file, trace);
}

/** Answers a URL of a file or page that is the same for everybody; null for other URLs and preflights. */
function answerPublic(
  request: Request,
  trace: Trace | null,
  { log, publicUrl, oauth, clock, isDiscoverable = true }: HttpDependencies,
): Answer | null {
  const file = answerClientFile(request) ?? (oauth ? null : refuseWithoutOAuth(request));
  if (file) return file;
  const hasOAuth = Boolean(oauth);
  const found = answerDiscovery(request, { publicUrl, hasOAuth, isDiscoverable, clock });
  if (found) return found;
  const page = answerDocs(request, { log, publicUrl });
  if (page && trace) trace.via = "docs";
  return page;
}

/** The application with a trace for every request, which the observer gets with the answer. */
function observe(
  answer: (request: Request, server: AddressSource, trace: Trace) => Answer,
  observer: RequestObserver,
): HttpApp {
  const { stopwatch } = observer;
  return (request, server) => {
    const startedAt = stopwatch();
    const trace: Trace = {
      via: "other",
      operation: "",
      subject: "",
      refusal: null,
      tokenId: null,
    };
    const answered = answer(request, server, trace);
    if (answered instanceof Promise) {
      return answered.then((response) => {
        // The client gets no answer if the connection was closed meanwhile.
        const status = request.signal.aborted ? CLOSED_STATUS : response.status;
        observer.finished(trace, status, stopwatch() - startedAt, request, server);
        return response;
      });
    }
    observer.finished(trace, answered.status, stopwatch() - startedAt, request, server);
    return answered;
  };
}

function socketAddressOf(request: Request, server: AddressSource): string {
  return server.requestIP(request)?.address ?? "";
}

function redirectToConsole(): Response {
  return new Response(null, { status: 302, headers: { Location: "/console", Vary: "Accept" } });
}

/** The request with a host in its URL, which HTTP/1.0 may leave out and the router needs. */
function withHost(request: Request): Request {
  return request.url.startsWith("/")
    ? new Request(`http://localhost${request.url}`, request)
    : request;
}

/** The paths of the API, whose errors are JSON for everyone. */
const API_PATH = /^(?:https?:\/\/[^/?#]*)?\/api\//;

/**
 * The refusal in the words of the interface: a JSON-RPC error for a JSON-RPC request, the form of a feed, a page for a
 * person, else the error envelope.
 */
function refuseAtGate(
  request: Request,
  refusal: GateRefusal,
  { feeds, publicUrl }: HttpDependencies & { readonly feeds: Feeds },
): Answer {
  const error = rateLimited(refusal, "requests a minute from one address");
  const headers = gateHeaders(refusal);
  const feed = FEED_PATH.exec(request.url)?.[1];
  if (feed !== undefined) return feeds.refuse(request, feed, error, headers);
  if (!API_PATH.test(request.url) && wantsPage(request)) {
    return errorPage(error, basePathOf(publicUrl), headers);
  }
  if (!MCP_PATH.test(request.url)) return errorResponse(error, headers);
  return readSmallRequest(request).then((message) =>
    message
      ? errorResponse(error, headers, errorMessage(message.id, toJsonRpcError(error)))
      : errorResponse(error, headers),
  );
}

/** A router without routes: CORS, unknown paths and failures. */
function createRouter(log: Log, base: string): AnyElysia {
  const api = base + versionPrefix(V1);
  // By default Elysia looks for the path after the 11th character of the URL. A short host such as `nas`
  // would become part of the path.
  return new Elysia({ handler: { standardHostname: false } })
    .use(corsPlugin())
    .onError(({ code, error }) =>
      errorResponse(
        code === "NOT_FOUND"
          ? notFound("This path is unknown.", {
              hint: `${api}/openapi.json describes every path; MCP is at ${api}/mcp.`,
            })
          : reportError(error, log),
      ),
    );
}

/** The routes of every operation, of MCP and of the OpenAPI document, under the version's prefix. */
function versionRoutes(
  version: ApiVersion,
  dependencies: HttpDependencies & { readonly links: CsvEndpoint },
  known: Memo<KnownEndpoint>,
  traceOf: (request: Request) => Trace | null,
): AnyElysia {
  const fixed = deprecationHeaders(version);
  const { oauth } = dependencies;
  const errors = new ErrorAnswers(fixed, dependencies);
  // The metadata of OAuth describes the endpoint of v1.
  const challenge = oauth && version === V1 ? resourceChallenge(oauth.publicUrl) : "";
  const mcpErrors = new ErrorAnswers(fixed, dependencies, challenge);
  const rest = new RestEndpoint(dependencies, errors, fixed);
  const mcp = new McpEndpoint(dependencies, mcpErrors, fixed);
  const loadDocument = lazy(async () => {
    const { openApi } = await import("./openapi.ts");
    return createDocumentAnswer(
      (key) => JSON.stringify(openApi(version, JSON.parse(key))),
      // The address in it is the one of the caller.
      { ...EVERY_ANSWER, ...fixed, "Cache-Control": "private" },
    );
  });

  // Clients name our host and the tool sets in different ways, so each URL is stored.
  const answerMcp = ({ request }: Routed): Answer => {
    const { url } = request;
    const tools = toolSetsOf(url);
    return mcp.answer(request, traceOf(request), tools, () =>
      known.get(url, () => ({
        method: "POST",
        answer: (next, trace) => mcp.answer(next, trace, tools),
      })),
    );
  };

  const routes = new Elysia({ prefix: versionPrefix(version) });
  const add = (path: string, answers: Answers) =>
    routes.all(path, only(answers, fixed), { parse: "none" });
  for (const [path, answers] of listOperationRoutes(rest, known, traceOf)) add(path, answers);
  const refuseToken = (request: Request) => mcp.refuseToken(request);
  routes.all("/mcp", only({ POST: answerMcp }, fixed, refuseToken), { parse: "none" });
  const answerOpenApi = async ({ request }: Routed): Promise<Response> => {
    const trace = traceOf(request);
    if (trace) Object.assign(trace, { via: "rest", operation: "openapi" });
    const query = new URLSearchParams(/\?([^#]*)/.exec(request.url)?.[1]);
    const answers = query.get("answers") === "all" ? "all" : "json";
    const address = dependencies.publicUrl ?? addressOf(request);
    return (await loadDocument())(request, JSON.stringify({ address, answers }));
  };
  add("/openapi.json", { GET: answerOpenApi, HEAD: answerOpenApi });
  const { files } = dependencies;
  if (files) {
    const endpoint = new FilesEndpoint({ ...dependencies, files }, errors, fixed);
    const answerFile = ({ request }: Routed): Answer =>
      endpoint.answer({
        request,
        path: FILE_PATH.exec(request.url)?.[1] ?? "",
        trace: traceOf(request),
        authorization: () => request.headers.get("authorization"),
        place: "api",
      });
    for (const path of ["/files", "/files/*"]) add(path, { GET: answerFile, HEAD: answerFile });
  }
  return routes;
}

/** The paths of the operations, with what answers them. The URL of a GET is known from then on. */
function listOperationRoutes(
  rest: RestEndpoint,
  known: Memo<KnownEndpoint>,
  traceOf: (request: Request) => Trace | null,
): (readonly [string, Answers])[] {
  const answerRoute = (operation: Operation, route: Route, { request, params }: Routed): Answer => {
    if (route.method) {
      return rest.answerWrite(request, operation.name, traceOf(request), (body) =>
        readRestCall(operation, route, request, params ?? {}, body),
      );
    }
    return rest.answer(request, operation.name, traceOf(request), () => {
      const call = readRestCall(operation, route, request, params ?? {});
      known.get(request.url, () => knownCall(operation.name, call));
      return call;
    });
  };
  // A function of its own, because a closure above would keep the first request of each URL.
  const knownCall = (name: string, call: RestCall): KnownEndpoint => ({
    method: "GET",
    answer: (later, trace) => rest.answer(later, name, trace, () => call),
  });
  const all = OPERATIONS.flatMap((operation) =>
    routesOf(operation).map((route) => ({ operation, route })),
  );
  return [...Map.groupBy(all, ({ route }) => route.path)].flatMap(([path, ways]) => {
    const answers = ways.map(({ operation, route }) => {
      const answer = (context: Routed) => answerRoute(operation, route, context);
      return [route.method ?? "GET", answer] as const;
    });
    const others = ways.flatMap(({ operation }) => operation.otherPaths ?? []);
    return [path, ...others].map(
      (one) => [one.replaceAll(/\{(\w+)\}/g, ":$1"), Object.fromEntries(answers)] as const,
    );
  });
}

/** What answers the requests of a path, by method. */
type Answers = Readonly<Record<string, (context: Routed) => Answer>>;

/**
 * A route that answers these methods and refuses the others by naming them.
 *
 * @param refuseFirst refuses a request of another method for another reason; null if there is none
 */
function only(
  answers: Answers,
  fixed: HeaderBag,
  refuseFirst?: (request: Request) => Awaitable<Response | null>,
) {
  const methods = Object.keys(answers);
  const words = `This path answers ${methods.join(" and ")} only.`;
  const refuse = () =>
    errorResponse(new BourseError("method_not_allowed", words), {
      ...fixed,
      Allow: methods.join(", "),
    });
  return ({ request, params }: Routed): Answer =>
    Object.hasOwn(answers, request.method)
      ? (answers[request.method]?.({ request, params }) as Answer)
      : whenKnown(refuseFirst?.(request) ?? null, (refused) => refused ?? refuse());
}
