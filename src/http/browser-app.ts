import {
  createIpGate,
  createWindowGate,
  type LocalIpGate,
  type WindowGate,
} from "#access/ip-gate.ts";
import { CONSOLE_READS, isPlanName } from "#access/plans.ts";
import type { Session } from "#access/sessions.ts";
import { BoundedMap } from "#lib/bounded-map.ts";
import { reportError } from "#operations/report-error.ts";
import { addressGroup, gateKeyOf } from "./client-address.ts";
import { basePathOf } from "./service-address.ts";
import { errorAnswer, errorPage } from "./console-answers.ts";
import { answerConsoleApi } from "./console-api.ts";
import { answerAsset } from "./console-assets.ts";
import type { ConsoleParts } from "./console-endpoint.ts";
import { rateLimited } from "./errors.ts";
import { wantsPage } from "./headers.ts";
import { sessionSecretOf } from "./session-cookie.ts";
import { readVisit, type Visit } from "./visit.ts";

const PER_USER = 600;
/** Look-ups a minute of cookies from one address that were not found live before. */
const LOOK_UPS = 600;
const HOUR_MS = 3_600_000;
/** Known sessions in memory, some 2 MB. */
const MAX_SESSIONS = 10_000;

/** Answers a request to the console. */
export type BrowserApp = (
  request: Request,
  path: string,
  socketAddress: string,
) => Response | Promise<Response>;

const API_PATH = /^\/console\/api(\/|$)/;

/** Creates the application of the console: the `Host` check, limits, then the API or a file. */
export function createBrowserApp(parts: ConsoleParts): BrowserApp {
  const gates: UserGates = {
    requests: createIpGate(parts.perUser ?? PER_USER, parts.clock),
    reads: createWindowGate(HOUR_MS, parts.clock),
    known: new BoundedMap(MAX_SESSIONS),
    lookUps: createIpGate(LOOK_UPS, parts.clock),
  };
  const countRead = (session: Session) => {
    if (!isPlanName(session.plan)) return;
    const full = gates.reads.check(String(session.userId), CONSOLE_READS[session.plan]);
    if (full)
      throw rateLimited(
        full,
        `answers with data an hour in the console on plan ${session.plan}; programs use a token`,
      );
  };
  const base = basePathOf(parts.settings.publicUrl);
  return async (request, path, socketAddress) => {
    try {
      const visit = readVisit(request, path, socketAddress, parts.settings);
      await limit(visit, parts, gates);
      return await (API_PATH.test(path)
        ? answerConsoleApi(visit, parts, countRead)
        : answerAsset(visit));
    } catch (thrown) {
      const error = reportError(thrown, parts.log);
      return !API_PATH.test(path) && wantsPage(request)
        ? errorPage(error, base)
        : errorAnswer(error);
    }
  };
}

interface UserGates {
  readonly requests: LocalIpGate;
  readonly reads: WindowGate;
  /** The secrets of sessions that were found live. */
  readonly known: BoundedMap<true>;
  /** Counts the look-ups of other cookies for their address. */
  readonly lookUps: LocalIpGate;
}

/**
 * Counts a request for its user, or without a session for its address. The look-ups of unknown cookies are
 * limited too, so that random cookies cannot flood the database. @throws BourseError `rate_limited`
 */
async function limit(
  visit: Visit,
  { signIn, gate }: ConsoleParts,
  { requests, known, lookUps }: UserGates,
): Promise<void> {
  const address = addressGroup(visit.address);
  const secret = sessionSecretOf(visit);
  if (secret !== null && !known.has(secret)) {
    const refusal = lookUps.check(address);
    if (refusal)
      throw rateLimited(refusal, "sign-ins and unknown cookies a minute from one address");
  }
  const session = secret === null ? null : await signIn.findSession(secret);
  if (!session) {
    if (secret !== null) known.delete(secret);
    const refusal = await gate?.check(gateKeyOf(address, visit.request.headers));
    if (refusal) throw rateLimited(refusal, "requests a minute from one address");
    return;
  }
  if (secret !== null) known.set(secret, true);
  const refusal = requests.check(String(session.userId));
  if (refusal) throw rateLimited(refusal, "requests a minute from one user");
}
