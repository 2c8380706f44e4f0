import type { Charge, Guard } from "#access/guard.ts";
import type { Principal } from "#access/principals.ts";
import type { Quota } from "#access/quota.ts";
import { BourseError, invalidArgument } from "#domain/errors.ts";
import { MAX_LIST_ITEMS } from "#domain/user-list.ts";
import { type Awaitable, whenKnown } from "#lib/awaitable.ts";
import type { Decimal } from "#lib/csv.ts";
import {
  answerLink,
  asksForLink,
  decodeTableCall,
  readDecimal,
  type TableCall,
} from "#operations/csv-link.ts";
import { closestArgument, MAX_NAME } from "#operations/reading/closest-argument.ts";
import type { RawArguments } from "#operations/reading/decode.ts";
import {
  type CachedAnswer,
  type DecodedRequest,
  decodeRequest,
  type Executor,
} from "#operations/execute.ts";
import { ORDER_NAMES } from "#operations/order.ts";
import type { Operation, Route } from "#operations/operation.ts";
import { DataAnswers, type ErrorAnswers } from "./answers.ts";
import type { CsvEndpoint } from "./csv-endpoint.ts";
import {
  addPageHeaders,
  type Format,
  hasRows,
  prefersCsv,
  readFormat,
  readRowForm,
  toCsv,
  withRowObjects,
} from "./format.ts";
import { EVERY_ANSWER, type HeaderBag } from "./headers.ts";
import { type BodyLimits, parseJsonObject } from "./json-body.ts";
import { readBody, refuseLargeBody, refuseOtherTypes } from "./request-body.ts";
import { subjectOf, type Trace } from "./trace.ts";

/** Enough for a list with the longest notes. */
const WRITE_LIMITS: BodyLimits = { maxBytes: 2 ** 20, maxContainers: MAX_LIST_ITEMS + 10 };

/** The dependencies of the REST endpoint. */
export interface RestParts {
  readonly executor: Executor;
  readonly guard: Guard;
  readonly links: CsvEndpoint;
  /** UTC milliseconds. */
  readonly clock: () => number;
}

/** A REST call with valid arguments. */
export interface RestCall {
  readonly decoded: DecodedRequest;
  /** As `subjectOf` gives it. */
  readonly subject: string;
  /** The same call for an answer as CSV; null if the operation has no table. */
  readonly csv: DecodedRequest | null;
  /** The same call for all rows, if the answer is a link to its CSV; else null. */
  readonly linked: TableCall | null;
  /** Null if the `Accept` header decides. */
  readonly format: Format | null;
  /** What is before the decimals of numbers in CSV. */
  readonly decimal: Decimal;
  /** True if the rows of tables are objects. */
  readonly asObjects: boolean;
}

/** Answers requests for data: token, body, quota, decoder, executor. */
export class RestEndpoint {
  readonly #parts: RestParts;
  readonly #errors: ErrorAnswers;
  readonly #data: RestAnswers;

  /** @param fixed headers of every answer */
  constructor(parts: RestParts, errors: ErrorAnswers, fixed: HeaderBag) {
    this.#parts = parts;
    this.#errors = errors;
    this.#data = new RestAnswers({ ...EVERY_ANSWER, ...fixed }, parts.clock);
  }

  /** Answers a GET; without a promise if all that it needs is in memory: see `Awaitable`. */
  answer(
    request: Request,
    operation: string,
    trace: Trace | null,
    decode: () => RestCall,
  ): Awaitable<Response> {
    const { guard } = this.#parts;
    if (trace) {
      trace.via = "rest";
      trace.operation = operation;
    }
    try {
      const principal = guard.authenticate(request.headers.get("authorization"));
      if (!(principal instanceof Promise)) return this.#charge(request, principal, trace, decode);
      return principal
        .then((found) => this.#charge(request, found, trace, decode))
        .catch((thrown) => this.#errors.answer(thrown, null, trace));
    } catch (thrown) {
      return this.#errors.answer(thrown, null, trace);
    }
  }

  /** Answers a call that changes something. Its body is read before the call is counted. */
  async answerWrite(
    request: Request,
    operation: string,
    trace: Trace | null,
    read: (body: object) => RestCall,
  ): Promise<Response> {
    if (trace) Object.assign(trace, { via: "rest", operation });
    let bytes: Uint8Array | null = null;
    try {
      await this.#parts.guard.authenticate(request.headers.get("authorization"));
      if (request.method === "PUT") {
        refuseOtherTypes(request);
        bytes = await readBody(request, WRITE_LIMITS.maxBytes);
      }
    } catch (thrown) {
      return this.#errors.answer(thrown, null, trace);
    }
    return this.answer(request, operation, trace, () =>
      read(bytes ? parseJsonObject(bytes, WRITE_LIMITS) : {}),
    );
  }

  #charge(
    request: Request,
    principal: Principal,
    trace: Trace | null,
    decode: () => RestCall,
  ): Awaitable<Response> {
    if (trace) trace.tokenId = principal.tokenId;
    refuseLargeBody(request);
    const charge = this.#parts.guard.charge(principal);
    return charge instanceof Promise
      ? charge
          .then((known) => this.#execute(request, principal, known, trace, decode))
          .catch((thrown) => this.#errors.answer(thrown, null, trace))
      : this.#execute(request, principal, charge, trace, decode);
  }

  #execute(
    request: Request,
    principal: Principal,
    { quota, denied }: Charge,
    trace: Trace | null,
    decode: () => RestCall,
  ): Awaitable<Response> {
    if (denied) return this.#errors.answer(denied, quota, trace);
    try {
      const call = decode();
      if (trace) trace.subject = call.subject;
      const { executor, links } = this.#parts;
      const format = formatOf(call, request);
      const cached = call.linked
        ? answerLink(
            executor,
            call.linked,
            links.makerFor(request, call.decimal),
            principal,
            request,
          )
        : executor.execute(requestOf(call, format), principal, request);
      if (!(cached instanceof Promise)) {
        return this.#data.write(request, call, format, cached, quota);
      }
      return cached
        .then((made) => this.#data.write(request, call, format, made, quota))
        .catch((thrown) => this.#errors.answer(thrown, quota, trace));
    } catch (thrown) {
      return this.#errors.answer(thrown, quota, trace);
    }
  }
}

/** Answers calls with their data, as JSON or CSV. */
export class RestAnswers {
  readonly #clock: () => number;
  readonly #json: DataAnswers;
  readonly #csv: DataAnswers;

  /** @param headers of every answer; `clock` gives UTC milliseconds */
  constructor(headers: HeaderBag, clock: () => number) {
    this.#clock = clock;
    this.#json = new DataAnswers("application/json", headers);
    this.#csv = new DataAnswers("text/csv; charset=utf-8; header=present", headers);
  }

  /** The answer in that format. `quota` is null if the call is not counted. */
  write(
    request: Request,
    call: RestCall,
    format: Format,
    cached: CachedAnswer,
    quota: Quota | null,
  ): Awaitable<Response> {
    const now = this.#clock();
    const { operation, input } = call.decoded;
    if (!operation.table || call.linked || format === "json") {
      const answer = call.asObjects ? withRowObjects(cached) : cached;
      return this.#json.answer(request, answer, quota, now);
    }
    return whenKnown(toCsv(cached, operation.table, input, call.decimal), (csv) =>
      whenKnown(this.#csv.answer(request, csv, quota, now), (response) => {
        addPageHeaders(response.headers, request.url, csv);
        return response;
      }),
    );
  }
}

/** The format of the answer to the call. */
export function formatOf({ csv, format }: RestCall, { headers }: Request): Format {
  if (!csv) return "json";
  return format ?? (prefersCsv(headers.get("accept") ?? "") ? "csv" : "json");
}

/** What the call asks of the executor. */
export function requestOf({ csv, decoded }: RestCall, format: Format): DecodedRequest {
  return csv && format === "csv" ? csv : decoded;
}

/**
 * Reads a REST call from its path and its query string.
 *
 * @param path the path's parameters
 * @param body the fields of the body of a PUT
 * @throws BourseError if the query string holds an unknown parameter, or one twice, or if an argument is invalid
 */
export function readRestCall(
  operation: Operation,
  route: Route,
  { url }: Request,
  path: Readonly<Record<string, string | null | undefined>>,
  body: object = {},
): RestCall {
  // `URL` would throw if the Host header is not a host.
  const mark = url.indexOf("?");
  const query = new URLSearchParams(mark < 0 ? "" : url.slice(mark));
  const unknown = findUnknown(operation, route, [...query.keys(), ...Object.keys(body)]);
  const args = restArguments(route, query, path, body);
  const decoded = decodeKnown(operation, route, args, unknown);
  const { table, tableArguments } = operation;
  const forTable = () => decodeRequest(operation, { ...args, ...tableArguments }, route);
  const isLinked = operation.table && asksForLink(findOne(query, "as"));
  return {
    decoded,
    subject: subjectOf(decoded.input),
    linked: isLinked ? decodeTableCall(operation, { ...args, ...route.implied }) : null,
    csv: table ? (tableArguments ? forTable() : decoded) : null,
    format: readFormat(operation, findOne(query, "format")),
    decimal: readDecimal(operation.table ? findOne(query, "decimal") : null),
    asObjects: readRowForm(hasRows(operation) ? findOne(query, "rows") : null),
  };
}

/** Parameters that programs add for themselves: `_=17` against caches, `utm_source` of a link. */
const IGNORED = /^(?:_|utm_)/;

/**
 * Decodes the arguments of a call.
 *
 * @param unknown the refusal of an unknown parameter, because a misspelled `from` must not give other data
 * @throws BourseError about a missing parameter first, with `unknown` as its hint
 */
function decodeKnown(
  operation: Operation,
  route: Route,
  args: RawArguments,
  unknown: BourseError | null,
): DecodedRequest {
  try {
    const decoded = decodeRequest(operation, args, route);
    if (unknown === null) return decoded;
  } catch (error) {
    if (!unknown || !(error instanceof BourseError) || error.code !== "missing_argument")
      throw error;
    const { code, message, details } = error;
    throw new BourseError(code, message, { ...details, hint: unknown.message });
  }
  throw unknown;
}

/** The refusal of the first unknown parameter, which names the nearest known one; null if all are known. */
function findUnknown(
  operation: Operation,
  { input, path }: Route,
  names: readonly string[],
): BourseError | null {
  const declared = Object.keys(input.properties);
  // The console's route has the symbol in the query.
  const more = [
    ...(operation.table ? ["as"] : []),
    "format",
    ...(operation.table ? ["decimal"] : []),
    ...(hasRows(operation) ? ["rows"] : []),
  ];
  const known = (name: string) =>
    declared.includes(name) || more.includes(name) || ORDER_NAMES.has(name) || IGNORED.test(name);
  const unknown = names.find((name) => !known(name));
  if (unknown === undefined) return null;
  const allowed = declared.filter((name) => !path.includes(`{${name}}`));
  allowed.push(...more.filter((name) => name !== "format" || operation.table));
  const near = closestArgument(unknown, allowed);
  const written = unknown.slice(0, MAX_NAME);
  return invalidArgument(
    `${JSON.stringify(written)} is not a parameter of ${path}; ${near ? `did you mean ${near}? It` : "leave it out. It"} takes ${allowed.join(", ") || "none"}.`,
    { param: written, allowed },
  );
}

function restArguments(
  { input }: Route,
  query: URLSearchParams,
  path: Readonly<Record<string, string | null | undefined>>,
  body: object,
): RawArguments {
  const text: Record<string, unknown> = {};
  for (const name of [...Object.keys(input.properties), ...ORDER_NAMES]) {
    if (Object.hasOwn(path, name)) {
      // A percent sequence that is not UTF-8 arrives as null: present, but invalid.
      text[name] = path[name] ?? "";
      continue;
    }
    const value = findOne(query, name) ?? (Reflect.get(body, name) as unknown);
    if ((value ?? null) !== null) text[name] = value;
  }
  return text;
}

/** The value of a query parameter, or null. @throws BourseError if it is there twice */
function findOne(query: URLSearchParams, name: string): string | null {
  const [value = null, second] = query.getAll(name);
  if (second === undefined) return value;
  throw invalidArgument(`${name} is in the query twice; send it once.`, { param: name });
}
