import { type BourseError, type ErrorCode, toBourseError } from "#domain/errors.ts";
import type { Log } from "#lib/log.ts";
import { errorEnvelope, HTTP_ERRORS } from "./errors.ts";

/** Headers of an answer, by name. */
export type HeaderBag = Record<string, string>;

/** An answer of JSON text. */
export function jsonResponse(status: number, body: string, headers: HeaderBag = {}): Response {
  return new Response(body, {
    status,
    headers: { "Content-Type": "application/json", ...VARY, ...headers },
  });
}

/** An answer without a body. */
export function emptyResponse(status: 202 | 304, headers: HeaderBag): Response {
  return new Response(null, { status, headers: { ...VARY, ...headers } });
}

/** Said by every answer: the CORS plugin would say `*`, with which a browser caches nothing. */
const VARY = { Vary: "Authorization" };

/** The error envelope, with the headers that its status calls for. */
export function errorResponse(error: BourseError, headers: HeaderBag = {}): Response {
  const { retryAfterSeconds } = error.details;
  return jsonResponse(HTTP_ERRORS[error.code].status, JSON.stringify(errorEnvelope(error)), {
    ...headers,
    ...CHALLENGES[error.code],
    ...(retryAfterSeconds !== undefined && { "Retry-After": String(retryAfterSeconds) }),
  });
}

const CHALLENGES: { [Code in ErrorCode]?: HeaderBag } = {
  missing_auth: { "WWW-Authenticate": 'Bearer realm="bourse"' },
  invalid_token: { "WWW-Authenticate": 'Bearer realm="bourse", error="invalid_token"' },
};

/** The error as every interface may show it; what is our own fault goes to the log with all detail. */
export function explain(thrown: unknown, requestId: string, log: Log): BourseError {
  const error = toBourseError(thrown);
  if (error !== thrown) {
    log.error("a request failed", {
      requestId,
      error: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown),
    });
  }
  return error;
}
