import type { Guard } from "#access/guard.ts";
import type { Quota } from "#access/quota.ts";
import { BourseError } from "#domain/errors.ts";
import { type RawArguments, readTextArguments } from "#operations/decode.ts";
import type { DecodedRequest, Executor } from "#operations/execute.ts";
import type { Operation } from "#operations/operation.ts";
import { DataAnswers, type ErrorAnswers } from "./answers.ts";
import type { HeaderBag } from "./headers.ts";

const MAX_BODY_MIB = 10;

/** The dependencies of the REST endpoint. */
export interface RestParts {
  readonly executor: Executor;
  readonly guard: Guard;
  /** UTC milliseconds. */
  readonly clock: () => number;
}

/** Answers requests for data: token, body, quota, decoder, executor. */
export class RestEndpoint {
  readonly #parts: RestParts;
  readonly #errors: ErrorAnswers;
  readonly #answers: DataAnswers;

  /** @param fixed headers of every answer */
  constructor(parts: RestParts, errors: ErrorAnswers, fixed: HeaderBag) {
    this.#parts = parts;
    this.#errors = errors;
    this.#answers = new DataAnswers(fixed);
  }

  /** Answers a GET; without a promise if the data is cached, because that costs a turn of the event loop. */
  answer(request: Request, decode: () => DecodedRequest): Response | Promise<Response> {
    const { executor, guard, clock } = this.#parts;
    let charged: Quota | null = null;
    try {
      const principal = guard.authenticate(request.headers.get("authorization"));
      refuseLargeBody(request);
      const { quota, denied } = guard.charge(principal);
      charged = quota;
      if (denied) throw denied;
      const cached = executor.execute(decode());
      if (!(cached instanceof Promise)) {
        return this.#answers.answer(request, cached, quota, clock());
      }
      return cached
        .then((made) => this.#answers.answer(request, made, quota, clock()))
        .catch((thrown) => this.#errors.answer(thrown, quota));
    } catch (thrown) {
      return this.#errors.answer(thrown, charged);
    }
  }
}

/**
 * Checks the body of a GET, which is ignored.
 *
 * @throws BourseError `payload_too_large` if the request declares too large a body, or a body without a
 * length: Bun discards the body of a GET, so it cannot be counted
 */
function refuseLargeBody({ headers }: Request): void {
  const length = headers.get("content-length");
  if (length !== null && Number(length) > MAX_BODY_MIB * 2 ** 20) {
    throw new BourseError(
      "payload_too_large",
      `The request body is larger than ${MAX_BODY_MIB} MiB.`,
    );
  }
  if (length === null && headers.has("transfer-encoding")) {
    throw new BourseError(
      "payload_too_large",
      `The length of the request body is unknown. Send no body, or one with Content-Length of at most ${MAX_BODY_MIB} MiB.`,
    );
  }
}

/**
 * The arguments of a REST call, from its path and its query string.
 *
 * @param path the path's parameters
 * @throws BourseError if the query string holds a declared parameter twice
 */
export function restArguments(
  operation: Operation,
  request: Request,
  path: Readonly<Record<string, string | null | undefined>>,
): RawArguments {
  const text: Record<string, string> = {};
  // `URL` would throw if the Host header is not a host.
  const mark = request.url.indexOf("?");
  const query = new URLSearchParams(mark < 0 ? "" : request.url.slice(mark));
  for (const name of Object.keys(operation.input.properties)) {
    if (Object.hasOwn(path, name)) {
      // A percent sequence that is not UTF-8 arrives as null: present, but invalid.
      text[name] = path[name] ?? "";
      continue;
    }
    const [value, second] = query.getAll(name);
    if (second !== undefined) {
      throw new BourseError("invalid_argument", `${name} is in the query twice; send it once.`, {
        param: name,
      });
    }
    if (value !== undefined) text[name] = value;
  }
  return readTextArguments(operation.input, text);
}
