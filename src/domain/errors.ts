import type { Reason } from "./reasons.ts";

/**
 * The closed list of error codes. Each transport maps them to its own statuses and codes in one
 * exhaustive table.
 *
 * `missing_argument` and `invalid_argument` are separate because MCP answers them differently: a missing
 * argument is a protocol error, an invalid one is a tool result with `isError`.
 */
export type ErrorCode =
  | "missing_argument"
  | "invalid_argument"
  | "missing_auth"
  | "invalid_token"
  | "forbidden"
  | "not_found"
  | "method_not_allowed"
  | "payload_too_large"
  | "range_not_satisfiable"
  | "unsupported_media_type"
  | "rate_limited"
  | "unavailable"
  | "internal";

/** Additional information for the caller of a refused call. */
export interface ErrorDetails {
  /** The name of the invalid parameter. */
  param?: string;
  /** All allowed values, if the list is short. */
  allowed?: readonly string[];
  /** One sentence that says what to do next. */
  hint?: string;
  /** Whole seconds until the call can succeed. */
  retryAfterSeconds?: number;
  /** True if the arguments are right, but nothing is stored of the period. */
  noData?: boolean;
  /** Why nothing is stored of the period. */
  reason?: Reason;
  /** Why records are missing: they are still being fetched, or their sources refused. */
  lack?: "fetching" | "refused";
  /** The scope of OAuth that a token needs for the call. */
  scope?: string;
  /** The id of the failure in the log, for internal errors. */
  requestId?: string;
}

/** The error that all rooms throw. Its message is shown to callers and has no internal details. */
export class BourseError extends Error {
  override readonly name = "BourseError";

  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    // These errors are expected, and a stack trace would double the cost of a refused call.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.details = details;
  }
}

/** The error of an argument that cannot be used. */
export const invalidArgument = (message: string, details?: ErrorDetails): BourseError =>
  new BourseError("invalid_argument", message, details);

/** The error of something that is not there. */
export const notFound = (message: string, details?: ErrorDetails): BourseError =>
  new BourseError("not_found", message, details);

/** The error of something that cannot be used right now. */
export const unavailable = (message: string, details?: ErrorDetails): BourseError =>
  new BourseError("unavailable", message, details);

/** SQLite errors that are caused by the disk or another process and not by our statement. */
const REFUSED_BY_DATABASE = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB)/;

/** True if SQLite gave up waiting for another connection's lock. A retry can succeed. */
export function isDatabaseBusy(thrown: unknown): boolean {
  return (
    thrown instanceof Error && "code" in thrown && String(thrown.code).startsWith("SQLITE_BUSY")
  );
}

/** True for a `BourseError` of something that cannot be used right now, such as the database of a cluster. */
export function isUnavailable(thrown: unknown): boolean {
  return thrown instanceof BourseError && thrown.code === "unavailable";
}

const INTERNAL_MESSAGE = "Something failed on our side. Retry with backoff.";

/**
 * Converts a thrown value to a `BourseError`. Foreign errors become `unavailable` if the database cannot
 * be used (disk full, read-only, locked) and `internal` otherwise. Their message is fixed, because
 * details belong in the log: see `foreignCauseOf`.
 */
export function toBourseError(thrown: unknown): BourseError {
  if (thrown instanceof BourseError) return thrown;
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
  const error = REFUSED_BY_DATABASE.test(code)
    ? new BourseError("unavailable", "The data folder cannot be used right now. Retry shortly.", {
        retryAfterSeconds: 5,
      })
    : new BourseError("internal", INTERNAL_MESSAGE);
  FOREIGN_CAUSES.set(error, thrown);
  return error;
}

const FOREIGN_CAUSES = new WeakMap<BourseError, unknown>();

/** The foreign error that `toBourseError` has converted to this one; undefined for an error of our own. */
export function foreignCauseOf(error: BourseError): unknown {
  return FOREIGN_CAUSES.get(error);
}
