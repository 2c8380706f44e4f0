import { BourseError } from "#domain/errors.ts";
import { errorResponse } from "./answers.ts";

/** The ability of the service to do its work. Anyone may read it, so no text names a path or a user. */
export interface Readiness {
  /** Why it is not ready, in sentences; empty if it is. */
  readonly reasons: readonly string[];
  /** What needs attention although the service is ready. */
  readonly warnings: readonly string[];
}

/** The paths of health checks. The URL begins with the `Host` header if that is a host. */
export const HEALTH_PATH = /^(?:https?:\/\/[^/?#]*)?\/health(\/ready)?\/?(?:[?#]|$)/;

/**
 * Answers `/health`, which says that the process runs, and `/health/ready`: 200 or 503 with the reasons. Both
 * answer GET and HEAD without a token.
 *
 * @param readiness null for `/health`
 */
export function answerHealth({ method }: Request, readiness: (() => Readiness) | null): Response {
  if (method !== "GET" && method !== "HEAD") {
    const error = new BourseError("method_not_allowed", "This path answers GET and HEAD only.");
    return errorResponse(error, { Allow: "GET, HEAD" });
  }
  const headers = { "Cache-Control": "no-store" };
  if (readiness === null) return Response.json({ status: "ok" }, { headers });
  const { reasons, warnings } = readiness();
  const isReady = reasons.length === 0;
  return Response.json(
    { status: isReady ? "ready" : "not ready", reasons, warnings },
    { status: isReady ? 200 : 503, headers },
  );
}
