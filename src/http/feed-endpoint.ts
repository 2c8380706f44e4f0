import type { Charge, Guard } from "#access/guard.ts";
import type { Quota } from "#access/quota.ts";
import { fingerprintToken } from "#access/token-secret.ts";
import { BourseError } from "#domain/errors.ts";
import { findLayer, LAYER_NAMES } from "#feeds/index.ts";
import type { CallOperation, FeedBody, FeedLayer, FeedRequest } from "#feeds/layer.ts";
import type { Log } from "#lib/log.ts";
import { createTtlCache, type TtlCache } from "#lib/ttl-cache.ts";
import type { RawArguments } from "#operations/decode.ts";
import {
  CACHE_MS,
  type CachedAnswer,
  type DecodedRequest,
  decodeRequest,
  type Executor,
} from "#operations/execute.ts";
import { OPERATIONS } from "#operations/index.ts";
import { routesOf } from "#operations/operation.ts";
import { reportError } from "#operations/report-error.ts";
import { contentHeaders, encode, errorHeaders, errorResponse } from "./answers.ts";
import { HTTP_ERRORS } from "./errors.ts";
import { encodingFor, EVERY_ANSWER, isHeld, SharedHeaders, weakEtag } from "./headers.ts";
import type { Trace } from "./trace.ts";

/** The paths of feeds. The URL begins with the `Host` header if that is a host. */
export const FEED_PATH = /^(?:https?:\/\/[^/?#]*)?\/feed\/([^?#]*)/;

/** Where clients of the layers put their key, in lower case. */
const QUERY_KEYS = new Set(["apikey", "api_key", "api_token", "token", "access_token"]);
/** A longer path or query is not kept in the cache. */
const MAX_KEY_LENGTH = 1_000;
const MAX_BODIES = 1_000;
/** Characters of all bodies together. */
const MAX_CHARACTERS = 32 * 2 ** 20;

/** The headers of every answer. A feed link is in the URL, so no page that is opened from it may get the URL. */
const FIXED = { ...EVERY_ANSWER, "Referrer-Policy": "no-referrer" };

/** The dependencies of the feeds. */
export interface FeedParts {
  readonly executor: Executor;
  readonly guard: Guard;
  /** UTC milliseconds. */
  readonly clock: () => number;
  readonly log: Log;
}

/** A request below `/feed/`, split into its parts. */
interface FeedAddress {
  readonly layer: FeedLayer;
  /** The segments behind the layer. */
  readonly segments: readonly string[];
  /** Without the secret. */
  readonly query: URLSearchParams;
  /** The secret in the path or the query; null if there is none. */
  readonly secret: string | null;
}

/** A body with the calls that it was made of. It is valid while the executor gives the same answers. */
interface MadeBody extends FeedBody {
  readonly calls: readonly { readonly request: DecodedRequest; readonly cached: CachedAnswer }[];
  readonly etag: string;
}

/** Answers requests below `/feed/`: feed link, quota, layer. One request is one call. */
export class FeedEndpoint {
  readonly #parts: FeedParts;
  /** By layer, path and query. */
  readonly #made: TtlCache<MadeBody>;

  constructor(parts: FeedParts) {
    this.#parts = parts;
    this.#made = createTtlCache({
      ttlMs: CACHE_MS,
      maxEntries: MAX_BODIES,
      maxWeight: MAX_CHARACTERS,
      weigh: ({ body }) => body.length,
      clock: parts.clock,
    });
  }

  /** @param path the path below `/feed/`, without a query */
  async answer(request: Request, path: string, trace: Trace | null): Promise<Response> {
    if (trace) trace.via = "feed";
    let address: FeedAddress;
    try {
      address = readAddress(request, path);
      if (trace) trace.operation = address.layer.name;
      refuseOtherMethods(request);
    } catch (thrown) {
      const error = reportError(thrown, this.#parts.log);
      const allow = error.code === "method_not_allowed" && { Allow: "GET, HEAD" };
      return errorResponse(error, { ...FIXED, ...allow });
    }
    let quota: Quota | null = null;
    try {
      const charge = await this.#charge(request, address, trace);
      ({ quota } = charge);
      if (charge.denied) throw charge.denied;
      return this.#write(request, await this.#make(address), quota);
    } catch (thrown) {
      return this.#fail(thrown, address.layer, quota);
    }
  }

  async #charge(request: Request, { secret }: FeedAddress, trace: Trace | null): Promise<Charge> {
    const { guard } = this.#parts;
    const principal = await guard.authenticate(authorizationOf(request, secret), "feed");
    if (trace) trace.tokenId = principal.tokenId;
    return guard.charge(principal);
  }

  /** The body of the answer, which is made anew if the answer to one of its calls has changed. */
  async #make({ layer, segments, query }: FeedAddress): Promise<MadeBody> {
    const { executor, clock } = this.#parts;
    const key = `${layer.name}/${segments.join("/")}?${query.toString()}`;
    const made = this.#made.find(key);
    if (made) {
      const isSame = await Promise.all(
        made.calls.map(async ({ request, cached }) => (await executor.execute(request)) === cached),
      );
      if (isSame.every(Boolean)) return made;
    }
    const calls: { request: DecodedRequest; cached: CachedAnswer }[] = [];
    const answers = new WeakMap<object, CachedAnswer>();
    const call: CallOperation = async (name, args) => {
      const request = decodeCall(name, args);
      const cached = await executor.execute(request);
      calls.push({ request, cached });
      const { data } = JSON.parse(cached.body);
      answers.set(data, cached);
      return data;
    };
    const changedAt = (payload: object) => answers.get(payload)?.changedAt ?? 0;
    const body = await findRoute(layer, segments)({ query, call, changedAt, now: clock() });
    const fresh = { ...body, calls, etag: `"${Bun.hash(body.body).toString(36)}"` };
    if (key.length <= MAX_KEY_LENGTH) this.#made.set(key, fresh);
    return fresh;
  }

  #write(request: Request, made: MadeBody, quota: Quota): Response {
    const now = this.#parts.clock();
    const { headers } = new SharedHeaders(FIXED).setQuota(quota, now);
    const madeAt = Math.min(...made.calls.map(({ cached }) => cached.madeAt), now);
    const secondsLeft = Math.max(0, Math.floor((madeAt + CACHE_MS - now) / 1000));
    headers.set("Cache-Control", `private, max-age=${secondsLeft}`);
    headers.set("ETag", weakEtag(made.etag));
    const sources = new Set(made.calls.flatMap(({ cached }) => cached.source?.split(", ") ?? []));
    if (sources.size > 0) headers.set("X-Data-Source", [...sources].sort().join(", "));
    if (isHeld(request, made.etag)) return new Response(null, { status: 304, headers });
    const encoding = encodingFor(request, made.body.length);
    for (const [name, value] of Object.entries(contentHeaders(made.type, encoding))) {
      headers.set(name, value);
    }
    return new Response(encode(made.body, encoding), { status: made.status ?? 200, headers });
  }

  #fail(thrown: unknown, layer: FeedLayer, quota: Quota | null): Response {
    const error = reportError(thrown, this.#parts.log);
    const { status: ours } = HTTP_ERRORS[error.code];
    const { type, body, status = ours } = layer.fail(error, ours);
    const shared = new SharedHeaders({
      ...errorHeaders(error, FIXED),
      "Content-Type": type,
      "Cache-Control": "no-store",
    });
    if (quota) shared.setQuota(quota, this.#parts.clock());
    return new Response(body, { status, headers: shared.headers });
  }
}

/** The parts of a URL below `/feed/`. @throws BourseError `not_found` if there is no such layer */
function readAddress({ url }: Request, path: string): FeedAddress {
  const parts = path.split("/").map(decodeSegment);
  const inPath = parts[0]?.startsWith("bourse_") ? (parts.shift() ?? "") : null;
  const [name = "", ...segments] = parts;
  const layer = findLayer(name);
  if (!layer) {
    throw new BourseError("not_found", "There is no such feed.", {
      hint: `The feeds are ${LAYER_NAMES.join(", ")}: /feed/LINK/${LAYER_NAMES[0]}/…`,
    });
  }
  const mark = url.indexOf("?");
  const query = new URLSearchParams(mark < 0 ? "" : url.slice(mark).replace(/#.*/, ""));
  const keys = [...new Set(query.keys())].filter((key) => QUERY_KEYS.has(key.toLowerCase()));
  const inQuery = keys.map((key) => query.get(key)).find((value) => value !== "") ?? null;
  for (const key of keys) query.delete(key);
  query.sort();
  return { layer, segments, query, secret: inPath ?? inQuery };
}

function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function refuseOtherMethods({ method }: Request): void {
  if (method === "GET" || method === "HEAD") return;
  throw new BourseError("method_not_allowed", "A feed answers GET and HEAD only.");
}

/**
 * The secret of a request as an `Authorization` header. A URL ends up in logs and bookmarks, so only a
 * feed link may be in it.
 *
 * @throws BourseError `invalid_token` for a token in the URL, `missing_auth` without a secret
 */
function authorizationOf({ headers }: Request, secret: string | null): string {
  if (secret !== null) {
    if (fingerprintToken(secret)?.kind === "api") {
      throw new BourseError(
        "invalid_token",
        "A token must not be in a URL, because URLs are logged. Use a feed link, or send the token in a header.",
      );
    }
    return `Bearer ${secret}`;
  }
  const authorization = headers.get("authorization") ?? "";
  const sent =
    /^(?:bearer|token|apikey) +(.+)$/i.exec(authorization.trim())?.[1] ?? headers.get("x-api-key");
  if (sent) return `Bearer ${sent}`;
  throw new BourseError(
    "missing_auth",
    "The feed link is missing: /feed/LINK/… or its place in the query (apikey, token) or a header.",
  );
}

/** What answers a path of a layer. @throws BourseError `not_found` */
function findRoute(
  { name, routes }: FeedLayer,
  segments: readonly string[],
): (request: Omit<FeedRequest, "path">) => Promise<FeedBody> {
  for (const [pattern, route] of Object.entries(routes)) {
    const path = matchPath(pattern.slice(1).split("/"), segments);
    if (path) return (request) => route({ ...request, path });
  }
  throw new BourseError(
    "not_found",
    `The feed ${name} has no such path; it has ${Object.keys(routes).join(", ")}.`,
  );
}

/** The segments that the pattern names; null if the path is another one. */
function matchPath(
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> | null {
  if (pattern.length !== segments.length) return null;
  const path: Record<string, string> = {};
  for (const [i, part] of pattern.entries()) {
    const segment = segments[i] ?? "";
    if (!part.startsWith(":")) {
      if (part !== segment) return null;
    } else if (segment === "") return null;
    else path[part.slice(1)] = segment;
  }
  return path;
}

/** A call of an operation with the arguments of its REST route, which allows longer answers than MCP. */
function decodeCall(name: string, args: RawArguments): DecodedRequest {
  const operation = OPERATIONS.find((one) => one.name === name);
  if (!operation) throw new Error(`there is no operation ${name}`);
  const route = routesOf(operation).find((one) => one.name === name);
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
  return decodeRequest(operation, given, route);
}
