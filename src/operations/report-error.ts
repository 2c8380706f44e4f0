import { type BourseError, toBourseError } from "#domain/errors.ts";
import type { Log } from "#lib/log.ts";

/**
 * Converts a thrown value to an error that callers may see. An internal failure is logged with an id,
 * which is also in the answer, and with its stack unless the database cannot be used.
 */
export function reportError(thrown: unknown, log: Log): BourseError {
  const error = toBourseError(thrown);
  if (error === thrown) return error;
  const requestId = crypto.randomUUID();
  error.details.requestId = requestId;
  if (error.code === "unavailable") {
    log.error("the data folder cannot be used", { requestId, error: String(thrown) });
  } else {
    const detail = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    log.error("a request failed", { requestId, error: detail });
  }
  return error;
}
