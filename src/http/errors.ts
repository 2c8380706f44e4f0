import type { GateRefusal } from "#access/ip-gate.ts";
import { BourseError, type ErrorCode } from "#domain/errors.ts";

/** Every `error.type` of the contract. */
export const ERROR_TYPES = [
  "invalid_request",
  "authentication_error",
  "rate_limit_error",
  "not_found",
  "server_error",
] as const;

/** Every `error.code` of the contract. */
export const ERROR_CODES = [
  "INVALID_REQUEST",
  "MISSING_AUTH",
  "INVALID_TOKEN",
  "NOT_FOUND",
  "RATE_LIMIT_EXCEEDED",
  "INTERNAL",
] as const;

interface HttpError {
  readonly status: number;
  readonly type: (typeof ERROR_TYPES)[number];
  readonly code: (typeof ERROR_CODES)[number];
}

const invalid = (status: number): HttpError => ({
  status,
  type: "invalid_request",
  code: "INVALID_REQUEST",
});

/** The HTTP status, type and code of each error. */
export const HTTP_ERRORS: Record<ErrorCode, HttpError> = {
  missing_argument: invalid(400),
  invalid_argument: invalid(400),
  missing_auth: { status: 401, type: "authentication_error", code: "MISSING_AUTH" },
  invalid_token: { status: 401, type: "authentication_error", code: "INVALID_TOKEN" },
  forbidden: invalid(403),
  not_found: { status: 404, type: "not_found", code: "NOT_FOUND" },
  method_not_allowed: invalid(405),
  payload_too_large: invalid(413),
  range_not_satisfiable: invalid(416),
  unsupported_media_type: invalid(415),
  rate_limited: { status: 429, type: "rate_limit_error", code: "RATE_LIMIT_EXCEEDED" },
  unavailable: { status: 503, type: "server_error", code: "INTERNAL" },
  internal: { status: 500, type: "server_error", code: "INTERNAL" },
};

/** The error of a refusal at a gate. @param counted `requests a minute from one address` */
export function rateLimited(
  { limit, retryAfterSeconds }: GateRefusal,
  counted: string,
): BourseError {
  return new BourseError(
    "rate_limited",
    `Rate limit exceeded: ${limit} ${counted}. Retry after ${retryAfterSeconds} s.`,
    { retryAfterSeconds },
  );
}

/** The error envelope: type, code and message by contract, and the details that help the caller. */
export function errorEnvelope(error: BourseError) {
  const { type, code } = HTTP_ERRORS[error.code];
  const { param, allowed, hint, reason } = error.details;
  return {
    error: {
      type,
      code,
      message: error.message,
      ...(param !== undefined && { param }),
      ...(allowed !== undefined && { allowed }),
      ...(hint !== undefined && { hint }),
      ...(reason !== undefined && { reason }),
    },
  };
}
