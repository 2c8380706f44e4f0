import { type BourseError, type ErrorCode, toBourseError } from "#domain/errors.ts";
import type { Log } from "#lib/log.ts";
import { errorEnvelope, HTTP_ERRORS } from "./errors.ts";
import { EVERY_ANSWER } from "./headers.ts";

/** Headers of an answer, by name. */
export type HeaderBag = Record<string, string>;

/** An answer of JSON text. */
function jsonResponse(status: number, body: string, headers: HeaderBag = {}): Response {
  return new Response(body, {
    status,
    headers: { "Content-Type": "application/json", ...EVERY_ANSWER, ...headers },
  });
}

/** 202 without a body. */
export function acceptedResponse(headers: HeaderBag): Response {
  return new Response(null, { status: 202, headers: { ...EVERY_ANSWER, ...headers } });
}

/** The error envelope, with the headers that its status calls for. */
export function errorResponse(error: BourseError, headers: HeaderBag = {}): Response {
  const { retryAfterSeconds, requestId } = error.details;
  return jsonResponse(HTTP_ERRORS[error.code].status, JSON.stringify(errorEnvelope(error)), {
    ...headers,
    ...CHALLENGES[error.code],
    ...(retryAfterSeconds !== undefined && { "Retry-After": String(retryAfterSeconds) }),
    ...(requestId !== undefined && { "X-Request-Id": requestId }),
  });
}

/**
 * Answers errors with headers that never change. Errors that are thrown again and again, such as those of
 * a missing token, are written once.
 */
export function createRefusals(headers: HeaderBag): (error: BourseError) => Response {
  const written = new WeakMap<BourseError, { body: string; init: ResponseInit }>();
  return (error) => {
    let answer = written.get(error);
    if (!answer) {
      const { status, headers: all } = errorResponse(error, headers);
      answer = { body: JSON.stringify(errorEnvelope(error)), init: { status, headers: all } };
      written.set(error, answer);
    }
    return new Response(answer.body, answer.init);
  };
}

const CHALLENGES: { [Code in ErrorCode]?: HeaderBag } = {
  missing_auth: { "WWW-Authenticate": 'Bearer realm="bourse"' },
  invalid_token: { "WWW-Authenticate": 'Bearer realm="bourse", error="invalid_token"' },
};

/**
 * The error as every interface may show it. What is our own fault goes to the log under an id that the
 * answer carries too: with its stack, or without where the database refused, which tells nothing more.
 */
export function explain(thrown: unknown, log: Log): BourseError {
  const error = toBourseError(thrown);
  if (error !== thrown) {
    error.details.requestId = crypto.randomUUID();
    const { requestId } = error.details;
    if (error.code === "unavailable") {
      log.error("the data folder cannot be used", { requestId, error: String(thrown) });
    } else {
      const detail = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
      log.error("a request failed", { requestId, error: detail });
    }
  }
  return error;
}
