import { createIpGate, type LocalIpGate } from "#access/ip-gate.ts";
import { reportError } from "#operations/report-error.ts";
import { addressGroup } from "./client-address.ts";
import { errorAnswer } from "./console-answers.ts";
import { answerConsoleApi } from "./console-api.ts";
import { answerAsset } from "./console-assets.ts";
import type { ConsoleParts } from "./console-endpoint.ts";
import { rateLimited } from "./errors.ts";
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

const API_PATH = /^\/console\/api(\/|$)/;

/** Creates the application of the console: the `Host` check, limits, then the API or a file. */
export function createBrowserApp(parts: ConsoleParts): BrowserApp {
  const sessionGate = createIpGate(PER_SESSION, parts.clock);
  return async (request, path, socketAddress) => {
    try {
      const visit = readVisit(request, path, socketAddress, parts.settings);
      await limit(visit, parts, sessionGate);
      return await (API_PATH.test(path) ? answerConsoleApi(visit, parts) : answerAsset(visit));
    } catch (thrown) {
      return errorAnswer(reportError(thrown, parts.log));
    }
  };
}

/** Counts a request for its session, or without one for its address. @throws BourseError `rate_limited` */
async function limit(
  visit: Visit,
  { signIn, gate }: ConsoleParts,
  sessionGate: LocalIpGate,
): Promise<void> {
  const session = await findSession(visit, signIn);
  const refusal = await (session
    ? sessionGate.check(String(session.id))
    : gate?.check(addressGroup(visit.address)));
  if (refusal)
    throw rateLimited(refusal, `requests a minute from one ${session ? "session" : "address"}`);
}
