/**
 * Everything that can be refused or go wrong, as a closed list. Each transport maps the list to its
 * own statuses and codes in one exhaustive table.
 *
 * `missing_argument` and `invalid_argument` are apart because MCP answers them differently: a
 * missing one is a protocol error, a wrong one is something the agent can fix.
 */
export type ErrorCode =
  | "missing_argument"
  | "invalid_argument"
  | "missing_auth"
  | "invalid_token"
  | "not_found"
  | "method_not_allowed"
  | "payload_too_large"
  | "unsupported_media_type"
  | "rate_limited"
  | "unavailable"
  | "internal";

/** What helps the caller of a refused call, beside its message. */
export interface ErrorDetails {
  /** The parameter at fault. */
  param?: string;
  /** Every allowed value, where the list is closed and short. */
  allowed?: readonly string[];
  /** What to do next, one sentence. */
  hint?: string;
  /** Whole seconds until the call could succeed. */
  retryAfterSeconds?: number;
  /** Names the failure in the log, where it was our fault. */
  requestId?: string;
}

/** The one error that our own rooms throw. Its message is for the caller: nothing internal in it. */
export class BourseError extends Error {
  override readonly name = "BourseError";

  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    // These errors are expected, and a stack costs as much as the rest of a refused call.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.details = details;
  }
}

/** What SQLite says where the disk or another process is at fault, and not our own statement. */
const REFUSED_BY_DATABASE = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB)/;

/** True where SQLite gave up waiting for another connection's lock. A later attempt can succeed. */
export function isDatabaseBusy(thrown: unknown): boolean {
  return (
    thrown instanceof Error && "code" in thrown && String(thrown.code).startsWith("SQLITE_BUSY")
  );
}

const INTERNAL_MESSAGE = "Something failed on our side. Retry with backoff.";

/**
 * Makes any thrown value a `BourseError`. What is not ours becomes `unavailable` where the database
 * refused (disk full, read-only, locked: a retry can succeed) and `internal` otherwise, with fixed
 * words: the detail belongs in the log.
 */
export function toBourseError(thrown: unknown): BourseError {
  if (thrown instanceof BourseError) return thrown;
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
  return REFUSED_BY_DATABASE.test(code)
    ? new BourseError("unavailable", "The data folder cannot be used right now. Retry shortly.", {
        retryAfterSeconds: 5,
      })
    : new BourseError("internal", INTERNAL_MESSAGE);
}
