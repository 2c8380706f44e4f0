import { type BourseError, toBourseError } from "#domain/errors.ts";
import type { Log } from "#lib/log.ts";

/**
 * Makes any thrown value an error that every interface may show. A failure of the service is logged under
 * an id that the answer carries too; with its stack, unless the database refused.
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
