import { type BourseError, foreignCauseOf, toBourseError } from "#domain/errors.ts";
import type { Log } from "#lib/log.ts";

/**
 * Converts a thrown value to an error that callers may see. Report an error once. An internal failure is logged with an id,
 * which is also in the answer, and with its stack unless the database cannot be used.
 */
export function reportError(thrown: unknown, log: Log): BourseError {
  const error = toBourseError(thrown);
  const thrownFirst = foreignCauseOf(error);
  if (thrownFirst === undefined) return error;
  const cause = thrownFirst instanceof Error ? thrownFirst : new Error(Bun.inspect(thrownFirst));
  const requestId = crypto.randomUUID();
  error.details.requestId = requestId;
  if (error.code === "unavailable") {
    log.error("the data folder cannot be used", { requestId, error: String(cause) });
  } else {
    log.error("a request failed", { requestId, error: cause.stack ?? cause.message });
  }
  return error;
}
