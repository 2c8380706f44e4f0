import { createIpGate, type IpGate } from "#access/ip-gate.ts";
import { BourseError } from "#domain/errors.ts";
import { reportError } from "#operations/report-error.ts";
import { errorAnswer } from "./console-answers.ts";
import { answerConsoleApi } from "./console-api.ts";
import { answerAsset } from "./console-assets.ts";
import type { ConsoleParts } from "./console-endpoint.ts";
import { findSession } from "./session-cookie.ts";
import { readVisit, type Visit } from "./visit.ts";

/** Requests a minute of one session. */
const PER_SESSION = 600;

/** Answers a request to the console. */
export type BrowserApp = (
  request: Request,
  path: string,
  socketAddress: string,
) => Response | Promise<Response>;

type Handler = (visit: Visit, parts: ConsoleParts) => Response | Promise<Response>;

/** The handlers by path; the first that matches answers. */
const HANDLERS: readonly { readonly path: RegExp; readonly answer: Handler }[] = [
  { path: /^\/console\/api(\/|$)/, answer: answerConsoleApi },
  { path: /^\/(console|chunk-)/, answer: answerAsset },
];

/** Creates the application of the console: limits, the `Host` check, then the handler of the path. */
export function createBrowserApp(parts: ConsoleParts): BrowserApp {
  const sessionGate = createIpGate(PER_SESSION, parts.clock);
  return async (request, path, socketAddress) => {
    try {
      const visit = readVisit(request, path, socketAddress, parts.settings);
      limit(visit, socketAddress, parts, sessionGate);
      const handler = HANDLERS.find((one) => one.path.test(visit.path));
      if (!handler) throw new BourseError("not_found", "This path is unknown.");
      return await handler.answer(visit, parts);
    } catch (thrown) {
      return errorAnswer(reportError(thrown, parts.log));
    }
  };
}

/** Counts a request for its session, or without one for its address. @throws BourseError `rate_limited` */
function limit(
  visit: Visit,
  socketAddress: string,
  { signIn, gate, clientAddress }: ConsoleParts,
  sessionGate: IpGate,
): void {
  const session = findSession(visit, signIn.sessions);
  const refusal = session
    ? sessionGate.check(String(session.id))
    : gate?.check(clientAddress(socketAddress, visit.request.headers));
  if (!refusal) return;
  const { limit: most, retryAfterSeconds } = refusal;
  throw new BourseError(
    "rate_limited",
    `Rate limit exceeded: ${most} requests a minute from one ${session ? "session" : "address"}. Retry after ${retryAfterSeconds} s.`,
    { retryAfterSeconds },
  );
}
