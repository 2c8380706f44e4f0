import {
  createIpGate,
  createWindowGate,
  type LocalIpGate,
  type WindowGate,
} from "#access/ip-gate.ts";
import { CONSOLE_READS, isPlanName } from "#access/plans.ts";
import { reportError } from "#operations/report-error.ts";
import { addressGroup } from "./client-address.ts";
import { errorAnswer } from "./console-answers.ts";
import { answerConsoleApi } from "./console-api.ts";
import { answerAsset } from "./console-assets.ts";
import type { ConsoleParts } from "./console-endpoint.ts";
import { rateLimited } from "./errors.ts";
import { findSession } from "./session-cookie.ts";
import { readVisit, type Visit } from "./visit.ts";

/** Requests a minute of one user, over all sessions. */
const PER_USER = 600;
const HOUR_MS = 3_600_000;

/** Answers a request to the console. */
export type BrowserApp = (
  request: Request,
  path: string,
  socketAddress: string,
) => Response | Promise<Response>;

const DATA_PATH = /^\/console\/api\/data\//;
const API_PATH = /^\/console\/api(\/|$)/;

/** Creates the application of the console: the `Host` check, limits, then the API or a file. */
export function createBrowserApp(parts: ConsoleParts): BrowserApp {
  const gates: UserGates = {
    requests: createIpGate(PER_USER, parts.clock),
    reads: createWindowGate(HOUR_MS, parts.clock),
  };
  return async (request, path, socketAddress) => {
    try {
      const visit = readVisit(request, path, socketAddress, parts.settings);
      await limit(visit, parts, gates);
      return await (API_PATH.test(path) ? answerConsoleApi(visit, parts) : answerAsset(visit));
    } catch (thrown) {
      return errorAnswer(reportError(thrown, parts.log));
    }
  };
}

interface UserGates {
  readonly requests: LocalIpGate;
  readonly reads: WindowGate;
}

/** Counts a request for its user, or without a session for its address. @throws BourseError `rate_limited` */
async function limit(
  visit: Visit,
  { signIn, gate }: ConsoleParts,
  { requests, reads }: UserGates,
): Promise<void> {
  const session = await findSession(visit, signIn);
  if (!session) {
    const refusal = await gate?.check(addressGroup(visit.address));
    if (refusal) throw rateLimited(refusal, "requests a minute from one address");
    return;
  }
  const user = String(session.userId);
  const refusal = requests.check(user);
  if (refusal) throw rateLimited(refusal, "requests a minute from one user");
  if (!DATA_PATH.test(visit.path) || !isPlanName(session.plan)) return;
  const full = reads.check(user, CONSOLE_READS[session.plan]);
  if (full)
    throw rateLimited(
      full,
      `answers with data an hour in the console on plan ${session.plan}; programs use a token`,
    );
}
