import type { Static } from "@sinclair/typebox";
import type { Session } from "#access/sessions.ts";
import { BourseError, notFound, unavailable } from "#domain/errors.ts";
import { PROGRAM } from "#lib/compiled.ts";
import { withDeadline } from "#lib/deadline.ts";
import { reportError } from "#operations/report-error.ts";
import { addressGroup } from "./client-address.ts";
import { ADMIN_ENDPOINTS } from "./console-admin.ts";
import { ALERT_ENDPOINTS } from "./console-alerts.ts";
import { errorAnswer, type JsonAnswer, jsonAnswer } from "./console-answers.ts";
import { DATA_ENDPOINTS } from "./console-data.ts";
import { CHANGE_ENDPOINTS } from "./console-changes.ts";
import type { ConsoleCall, ConsoleParts, Endpoint } from "./console-endpoint.ts";
import { LIST_FILE_ENDPOINTS } from "./console-list-files.ts";
import { OAUTH_ENDPOINTS } from "./console-oauth.ts";
import { SIGN_IN_ENDPOINTS } from "./console-sign-in.ts";
import { TOKEN_ENDPOINTS } from "./console-tokens.ts";
import { USER_DATA_ENDPOINTS } from "./console-user-data.ts";
import { readJsonBody } from "./json-body.ts";
import { findSession } from "./session-cookie.ts";
import { refuseCrossOrigin, type Visit } from "./visit.ts";

/** The path below which the endpoints are. */
const CONSOLE_API = "/console/api/";

const DECLARED = [
  ...SIGN_IN_ENDPOINTS,
  ...TOKEN_ENDPOINTS,
  ...USER_DATA_ENDPOINTS,
  ...ALERT_ENDPOINTS,
  ...LIST_FILE_ENDPOINTS,
  ...ADMIN_ENDPOINTS,
  ...DATA_ENDPOINTS,
  ...CHANGE_ENDPOINTS,
  ...OAUTH_ENDPOINTS,
] as const;

/** Every endpoint of the console. */
export const ENDPOINTS: readonly Endpoint[] = DECLARED;

const PATTERNS = ENDPOINTS.map(
  (one) => [one, new URLPattern({ pathname: CONSOLE_API + one.path })] as const,
);

type Params = ReadonlyMap<string, string>;

type Endpoints = { [E in (typeof DECLARED)[number] as E["route"]]: E };

/** The method and the path of an endpoint: `DELETE tokens/:id`. */
export type ConsoleRoute = keyof Endpoints;

/** The JSON body that an endpoint takes. */
export type BodyOf<Route extends ConsoleRoute> = Static<NonNullable<Endpoints[Route]["body"]>>;

/** The JSON value of an endpoint's answer; undefined without a body. */
export type AnswerTo<Route extends ConsoleRoute> =
  Awaited<ReturnType<Endpoints[Route]["handle"]>> extends infer Answer
    ? Answer extends JsonAnswer<infer Value>
      ? Value
      : Answer
    : never;

/** Counts an answer with data for a user. @throws BourseError `rate_limited` */
type CountRead = (session: Session) => void;

/** Answers a request below `/console/api/`. */
export async function answerConsoleApi(
  visit: Visit,
  parts: ConsoleParts,
  countRead: CountRead,
): Promise<Response> {
  try {
    return await dispatch(visit, parts, countRead);
  } catch (thrown) {
    return errorAnswer(reportError(thrown, parts.log));
  }
}

async function dispatch(
  visit: Visit,
  parts: ConsoleParts,
  countRead: CountRead,
): Promise<Response> {
  const { request } = visit;
  const matches = PATTERNS.flatMap(([one, pattern]) => {
    const found = pattern.exec({ pathname: visit.path });
    const params = found && decodeAll(found.pathname.groups);
    return params ? [{ endpoint: one, params }] : [];
  });
  if (matches.length === 0) {
    throw notFound("The console has no such endpoint.");
  }
  const method = request.method === "HEAD" ? "GET" : request.method;
  const match = matches.find(({ endpoint }) => endpoint.method === method);
  if (!match) return refuseMethod(matches.map(({ endpoint }) => endpoint.method));
  const { endpoint, params } = match;

  refuseCrossOrigin(visit);
  let session = await authorize(endpoint, visit, parts);
  let body: unknown;
  if (endpoint.body) {
    body = await readJsonBody(request, endpoint.body, endpoint.limits);
    // Again, because the body can take long and the session can end meanwhile.
    session = await authorize(endpoint, visit, parts);
  }
  const call = createCall(visit, parts, session, params, body);
  const answer = await (endpoint.readsMarket
    ? answerFromMarket(endpoint, call, parts, countRead)
    : withDeadline(Promise.resolve(endpoint.handle(call, refuseRead)), parts.answerMs, goesOn));
  return answer instanceof Response ? answer : jsonAnswer(answer);
}

/** The answer of an endpoint that runs operations: each of them is counted, and all stop with the request. */
function answerFromMarket(
  endpoint: Endpoint,
  call: ConsoleCall<unknown, Session | null>,
  { bounded }: ConsoleParts,
  countRead: CountRead,
): Promise<unknown> {
  const { session, visit } = call;
  return bounded.make(visit.request.signal, async (executor) =>
    endpoint.handle(call, async (asked) => {
      // Its endpoints are for signed-in users.
      if (!session) return refuseRead();
      countRead(session);
      return executor.execute(asked, { user: session.user, rights: [], lists: null, asOf: null });
    }),
  );
}

/** Only `marketEndpoint` takes a function that reads the market. */
function refuseRead(): never {
  throw new BourseError("missing_auth", "You are not signed in.");
}

function goesOn(): BourseError {
  return unavailable(
    "This takes longer than a request may last. It goes on; reload the page later to see the result.",
    { retryAfterSeconds: 5 },
  );
}

/** The session of the request. @throws BourseError `missing_auth` or `forbidden` */
async function authorize(
  { role }: Endpoint,
  visit: Visit,
  parts: ConsoleParts,
): Promise<Session | null> {
  const session = await findSession(visit, parts.signIn);
  if (role === "anyone") return session;
  if (!session) {
    throw new BourseError(
      "missing_auth",
      visit.signInRefused ??
        `You are not signed in, or your session has ended. Sign in with a link of \`${PROGRAM} console\`, or with your password.`,
    );
  }
  if (role === "admin" && session.role !== "admin") {
    throw new BourseError(
      "forbidden",
      `Only an admin may do this. An operator can make you one: \`${PROGRAM} user role ${session.user} admin\`.`,
    );
  }
  return session;
}

function createCall(
  visit: Visit,
  parts: ConsoleParts,
  session: Session | null,
  params: Params,
  body: unknown,
): ConsoleCall<unknown, Session | null> {
  const param = (name: string) => params.get(name) ?? "";
  return {
    parts,
    visit,
    session,
    group: addressGroup(visit.address),
    actor: { name: session?.user ?? "", address: visit.address },
    param,
    id() {
      const id = param("id");
      if (/^\d{1,15}$/.test(id)) return Number(id);
      throw notFound("The id in the path must be a whole number.");
    },
    body,
  };
}

/** The parameters of a path, decoded; null if a percent sequence is not UTF-8. */
function decodeAll(groups: Readonly<Record<string, string | undefined>>): Params | null {
  try {
    return new Map(
      Object.entries(groups).map(([name, text = ""]) => [name, decodeURIComponent(text)]),
    );
  } catch {
    return null;
  }
}

function refuseMethod(methods: readonly string[]): Response {
  const allowed = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  return errorAnswer(
    new BourseError("method_not_allowed", `This path answers ${allowed.join(", ")} only.`),
    { Allow: allowed.join(", ") },
  );
}
