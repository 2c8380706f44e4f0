import { unavailable } from "#domain/errors.ts";
import { errorResponse } from "#http/answers.ts";
import { answerHealth, HEALTH_PATH } from "#http/health.ts";

/** Answers while the files are opened, which takes minutes if a node of a cluster begins with a snapshot. */
export function answerStarting(request: Request): Response {
  const health = HEALTH_PATH.exec(request.url);
  const readiness = () => ({ reasons: ["The service is starting."], warnings: [] });
  if (health) return answerHealth(request, health[1] === undefined ? null : readiness);
  return errorResponse(
    unavailable("The service is starting. Retry shortly.", {
      retryAfterSeconds: 1,
    }),
  );
}
