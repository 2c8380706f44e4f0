import type { Guard } from "#access/guard.ts";
import type { Principal } from "#access/principals.ts";
import type { Quota, QuotaWindow } from "#access/quota.ts";
import { BourseError, invalidArgument, notFound } from "#domain/errors.ts";
import { requireAlerts } from "#domain/rights.ts";
import type { CallOperation, FeedBody, FeedLayer, FeedMessage, FeedUsage } from "#feeds/layer.ts";
import { addDays, dateOf, isDate } from "#lib/date.ts";
import type { Awaitable } from "#lib/awaitable.ts";
import type { Log } from "#lib/log.ts";
import { Memo } from "#lib/memo.ts";
import { createTtlCache, type TtlCache } from "#lib/ttl-cache.ts";
import { type DocumentsOf, linkedListsOf } from "#operations/caller.ts";
import type { RawArguments } from "#operations/reading/decode.ts";
import {
  CACHE_MS,
  type CachedAnswer,
  type DecodedRequest,
  decodeRequest,
  endOfAnswer,
  readPayload,
} from "#operations/execute.ts";
import { type OperationName, OPERATIONS, type PayloadOf } from "#operations/index.ts";
import { KNOWN_ON } from "#operations/known-day.ts";
import { routesOf } from "#operations/operation.ts";
import { reportError } from "#operations/report-error.ts";
import { DataAnswers, errorHeaders, errorResponse } from "./answers.ts";
import type { BoundedAnswers, Executes } from "./bounded-answers.ts";
import { HTTP_ERRORS } from "./errors.ts";
import { type FeedAddress, type FoundRoute, readAddress, withListsOf } from "./feed-address.ts";
import { inWordsOf } from "./feed-errors.ts";
import { authorizationOf, FEED_HEADERS } from "./feed-link.ts";
import { EVERY_ANSWER, type HeaderBag, SharedHeaders } from "./headers.ts";
import { parseSmallJson } from "./json-body.ts";
import { readBody, refuseLargeBody, refuseOtherTypes } from "./request-body.ts";
import type { Trace } from "./trace.ts";

/** A longer path or query is not kept in the cache. */
const MAX_KEY_LENGTH = 1_000;
const MAX_BODIES = 1_000;
/** Characters of all bodies together. */
const MAX_CHARACTERS = 8 * 2 ** 20;
/** URLs whose parts are kept. */
const MAX_URLS = 5_000;
const MAX_POSTED_BYTES = 64 * 1024;

/** The headers of every answer. */
const FIXED = { ...EVERY_ANSWER, ...FEED_HEADERS };

/** The dependencies of the feeds. */
export interface FeedParts {
  readonly bounded: BoundedAnswers;
  readonly guard: Guard;
  /** UTC milliseconds. */
  readonly clock: () => number;
  readonly log: Log;
  /** Finds the lists of a link's user. Left out in a service without users. */
  readonly documentsOf?: DocumentsOf | undefined;
  /** The newest messages of a user's alerts. Left out in a service without users. */
  readonly messagesOf?: MessagesOf | undefined;
}

/** Lists the newest messages of a user's alerts, in the words of the user. */
export type MessagesOf = (user: string, limit: number) => Awaitable<readonly FeedMessage[]>;

/** A body as an answer that ends with the first answer that it was made of. */
interface MadeBody extends CachedAnswer {
  readonly type: string;
  readonly status: number;
  readonly cookie: string | undefined;
}

/** A call of a link that is counted. */
interface CountedCall {
  readonly quota: Quota;
  readonly principal: Principal;
  /** The past day that it is in, YYYY-MM-DD; null for now. */
  readonly day: string | null;
}

/** Answers requests below `/feed/`: feed link, quota, layer. One request is one call. */
export class FeedEndpoint {
  readonly #parts: FeedParts;
  readonly #addresses = new Memo<FeedAddress>(MAX_URLS);
  /** By layer, path, query and posted body. */
  readonly #made: TtlCache<MadeBody>;
  /** The errors that operations have thrown, not the layer itself. */
  readonly #ofOperations = new WeakSet<BourseError>();
  /** By content type. */
  readonly #answers = new Map<string, DataAnswers>();

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

  /**
   * Answers a request.
   *
   * @param path the path below `/feed/`, without a query
   */
  async answer(request: Request, path: string, trace: Trace | null): Promise<Response> {
    if (trace) trace.via = "feed";
    const address = this.#read(request, path);
    if (address instanceof BourseError) return this.#failWithoutLayer(address);
    if (trace) trace.operation = address.layer.name;
    let listed = address;
    let quota: Quota | null = null;
    try {
      const route = findRoute(address, request.method);
      refuseLargeBody(request);
      const authorization = authorizationOf(request, address.secret);
      const principal = await this.#parts.guard.authenticate(authorization, "feed");
      if (trace) trace.tokenId = principal.tokenId;
      const charge = await this.#parts.guard.charge(principal);
      ({ quota } = charge);
      if (charge.denied) throw charge.denied;
      const { asOf } = principal;
      if (asOf !== null) listed = { ...address, key: `${asOf} ${address.key}` };
      const day = dayOf(address, asOf, this.#parts.clock());
      if (address.namesList) listed = await this.#withLists(listed, principal);
      const made = await this.#serve(request, listed, route, { quota, principal, day });
      return await this.#write(request, made, quota);
    } catch (thrown) {
      return this.#fail(thrown, listed, { quota, trace });
    }
  }

  /** Answers a request that was refused before it came here, in the form of its layer. */
  refuse(request: Request, path: string, error: BourseError, headers: HeaderBag): Response {
    const address = this.#read(request, path);
    return address instanceof BourseError
      ? this.#failWithoutLayer(error, headers)
      : this.#fail(error, address, { headers });
  }

  #read(request: Request, path: string): FeedAddress | BourseError {
    try {
      return this.#addresses.get(request.url, () => readAddress(request, path));
    } catch (thrown) {
      return reportError(thrown, this.#parts.log);
    }
  }

  /** The address with the symbols of the user's lists in the query. */
  async #withLists(address: FeedAddress, principal: Principal): Promise<FeedAddress> {
    const own = await linkedListsOf(this.#parts.documentsOf, principal);
    const query = await withListsOf(address, own);
    return { ...address, query, key: `${address.key} ${query.toString()}` };
  }

  async #serve(
    request: Request,
    address: FeedAddress,
    route: FoundRoute | null,
    counted: CountedCall,
  ): Promise<MadeBody> {
    if (request.method !== "POST") {
      return this.#find(address.key) ?? this.#make(request, address, route, counted);
    }
    refuseOtherTypes(request);
    const body = parseSmallJson(await readBody(request, MAX_POSTED_BYTES));
    if (body === undefined) {
      throw invalidArgument("The body must be one small JSON object.");
    }
    const key = `${address.key} ${JSON.stringify(body)}`;
    return this.#find(key) ?? this.#make(request, { ...address, key }, route, counted, body);
  }

  /** A body that is made of answers that are cached still. */
  #find(key: string): MadeBody | undefined {
    const made = this.#made.find(key);
    return made && this.#parts.clock() < endOfAnswer(made.madeAt) ? made : undefined;
  }

  async #make(
    { signal }: Request,
    { layer, query, key }: FeedAddress,
    found: FoundRoute | null,
    { quota, principal, day }: CountedCall,
    posted: unknown = null,
  ): Promise<MadeBody> {
    if (!found) {
      throw notFound(
        `The feed ${layer.name} has no such path; it has ${pathsOf(layer).join(", ")}.`,
      );
    }
    const now = this.#parts.clock();
    const caller = { ...principal, asOf: day };
    const answers: CachedAnswer[] = [];
    const body = await this.#parts.bounded.make(signal, (executor) =>
      found.route({
        ...this.#callsOf(executor, answers, day === null ? undefined : caller),
        path: found.path,
        query,
        posted,
        messages: async (limit) => this.#messagesOf(caller, limit),
        usage: usageOf(quota),
        now: day === null ? now : Math.min(now, Date.parse(addDays(day, 1)) - 1),
      }),
    );
    const made = madeOf(body, answers, now);
    if (key.length <= MAX_KEY_LENGTH && answers.length > 0) this.#made.set(key, made);
    return made;
  }

  async #messagesOf({ user, tokenId, lists, asOf }: Principal, limit: number) {
    requireAlerts(lists, asOf);
    return { owner: String(tokenId), newest: (await this.#parts.messagesOf?.(user, limit)) ?? [] };
  }

  /** How a route calls operations. @param answers collects their answers; `caller` is in a past day */
  #callsOf(
    executor: Executes,
    answers: CachedAnswer[],
    caller: Principal | undefined,
  ): { call: CallOperation; changedAt: (payload: object) => number } {
    const byPayload = new WeakMap<object, CachedAnswer>();
    const call: CallOperation = async <Name extends OperationName>(
      name: Name,
      args: RawArguments,
    ) => {
      const cached = await this.#execute(executor, name, args, caller);
      answers.push(cached);
      const payload = await readPayload<PayloadOf<Name>>(cached);
      byPayload.set(payload, cached);
      return payload;
    };
    return { call, changedAt: (payload) => byPayload.get(payload)?.changedAt ?? 0 };
  }

  async #execute(
    executor: Executes,
    name: string,
    args: RawArguments,
    caller: Principal | undefined,
  ): Promise<CachedAnswer> {
    try {
      return await executor.execute(decodeCall(name, args), caller);
    } catch (thrown) {
      if (thrown instanceof BourseError) this.#ofOperations.add(thrown);
      throw thrown;
    }
  }

  async #write(request: Request, made: MadeBody, quota: Quota): Promise<Response> {
    let answers = this.#answers.get(made.type);
    if (!answers) this.#answers.set(made.type, (answers = new DataAnswers(made.type, FIXED)));
    const { cookie, status } = made;
    const response = await answers.answer(request, made, quota, this.#parts.clock(), status);
    if (cookie !== undefined) response.headers.set("Set-Cookie", cookie);
    return response;
  }

  #fail(
    thrown: unknown,
    { layer, segments, query }: FeedAddress,
    {
      quota = null,
      headers = {},
      trace = null,
    }: {
      readonly quota?: Quota | null;
      readonly headers?: HeaderBag;
      readonly trace?: Trace | null;
    },
  ): Response {
    const error = reportError(thrown, this.#parts.log);
    const { status: ours } = HTTP_ERRORS[error.code];
    const told = this.#ofOperations.has(error) ? inWordsOf(layer, query, error) : error;
    if (trace) trace.refusal = told;
    const request = { path: segments.join("/"), query };
    const { type, body, status = ours } = layer.fail(told, ours, request);
    const shared = new SharedHeaders({
      ...errorHeaders(error, FIXED),
      ...headers,
      ...(error.code === "method_not_allowed" && {
        Allow: (error.details.allowed ?? []).join(", "),
      }),
      "Content-Type": type,
      "Cache-Control": "no-store",
    });
    if (quota) shared.setQuota(quota, this.#parts.clock());
    return new Response(body, { status, headers: shared.headers });
  }

  #failWithoutLayer(error: BourseError, headers: HeaderBag = {}): Response {
    return errorResponse(error, { ...FIXED, "Cache-Control": "no-store", ...headers });
  }
}

function usageOf({ plan, daily, hourly }: Quota): FeedUsage {
  const used = ({ limit, remaining }: QuotaWindow) => ({ limit, used: limit - remaining });
  return { plan, hour: used(hourly), day: used(daily) };
}

/** A body that begins and ends as the oldest answer that it was made of; without one it has ended. */
function madeOf(
  { type, body, status = 200, cookie }: FeedBody,
  answers: readonly CachedAnswer[],
  now: number,
): MadeBody {
  const sources = new Set(answers.flatMap(({ source }) => source?.split(", ") ?? []));
  const has = answers.length > 0;
  return {
    type,
    body,
    status,
    cookie,
    etag: `"${Bun.hash(body).toString(36)}"`,
    source: [...sources].sort().join(", ") || null,
    madeAt: has ? Math.min(...answers.map(({ madeAt }) => madeAt)) : now - CACHE_MS,
    storedAt: has ? Math.min(...answers.map(({ storedAt }) => storedAt)) : now,
    changedAt: Math.max(0, ...answers.map(({ changedAt }) => changedAt)),
  };
}

/** What answers a request; null for an unknown path. @throws BourseError `method_not_allowed` */
function findRoute({ read, post }: FeedAddress, method: string): FoundRoute | null {
  const isRead = method === "GET" || method === "HEAD";
  const found = isRead ? read : method === "POST" ? post : null;
  if (found || (isRead && !post)) return found;
  const allowed = isRead ? ["POST"] : ["GET", "HEAD"];
  throw new BourseError("method_not_allowed", `This path answers ${allowed.join(" and ")} only.`, {
    allowed,
  });
}

const pathsOf = ({ routes, posts = {} }: FeedLayer) => [
  ...Object.keys(routes),
  ...Object.keys(posts),
];

/** A call of an operation with the arguments of its REST route, which allows longer answers than MCP. */
function decodeCall(name: string, args: RawArguments): DecodedRequest {
  const operation = OPERATIONS.find((one) => one.name === name);
  if (!operation) throw new Error(`there is no operation ${name}`);
  const routes = routesOf(operation);
  const isImplied = ({ implied = {} }: (typeof routes)[number]) =>
    Object.entries(implied).some(([key, value]) => args[key] === value);
  const route = routes.find(isImplied) ?? routes.find((one) => one.name === name);
  const given = Object.fromEntries(
    Object.entries(args).filter(
      ([key, value]) => value !== undefined && !Object.hasOwn(route?.implied ?? {}, key),
    ),
  );
  return decodeRequest(operation, given, route);
}

/**
 * The day of a call: `known_on` of its query, or the day of its link. Null for now.
 *
 * @throws BourseError `invalid_argument` for a later day than the one of the link, or than today
 */
function dayOf({ query }: FeedAddress, asOf: string | null, now: number): string | null {
  const known = query.get(KNOWN_ON) || asOf;
  const last = asOf ?? dateOf(now);
  if (known === null || (isDate(known) && known <= last)) return known;
  throw invalidArgument(`known_on must be a date until ${last}, YYYY-MM-DD, not ${known}.`, {
    param: KNOWN_ON,
  });
}
