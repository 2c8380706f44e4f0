import { type Static, Type } from "@sinclair/typebox";
import { PLAN_NAMES } from "#access/plans.ts";
import { PASSWORD_LENGTHS } from "#access/passwords.ts";
import type { Session, SessionUser } from "#access/sessions.ts";
import type { SignedIn, SigningClient } from "#access/sign-in.ts";
import { BourseError, invalidArgument, notFound } from "#domain/errors.ts";
import { PROGRAM } from "#lib/compiled.ts";
import { jsonAnswer } from "./console-answers.ts";
import {
  type ConsoleCall,
  endpoint,
  oneOf,
  type OtherSignIns,
  publicEndpoint,
} from "./console-endpoint.ts";
import { endCookie, secretOf, sessionSecretOf, startCookie } from "./session-cookie.ts";
import type { Visit } from "./visit.ts";

const Password = (description: string) =>
  // A wrong length is refused with its own sentence.
  Type.String({ maxLength: 4 * PASSWORD_LENGTHS.most, description });

const SignInBody = Type.Object({
  key: Type.Optional(
    Type.String({ maxLength: 100, description: "It is the part of the link after `key=`." }),
  ),
  user: Type.Optional(
    Type.String({ maxLength: 64, description: "It is text of at most 64 characters." }),
  ),
  password: Type.Optional(Password("It is text.")),
  invitation: Type.Optional(
    Type.String({ maxLength: 100, description: "It is the part of the link after `invite=`." }),
  ),
  proxy: Type.Optional(Type.Literal(true, { description: "It is true." })),
  provider: Type.Optional(
    Type.String({
      maxLength: 8_000,
      description: "It is the query of the address to which the provider sent the browser.",
    }),
  ),
});

const PasswordBody = Type.Object({
  current: Type.Optional(Password("It is your current password.")),
  password: Password(`It is text of at least ${PASSWORD_LENGTHS.least} characters.`),
});

const InvitationBody = Type.Object({
  plan: oneOf<string>(PLAN_NAMES),
  note: Type.String({ maxLength: 100, description: "It is text of at most 100 characters." }),
});

/** The endpoints of the service's description, of sign-in, sessions, passwords and sign-in links. */
export const SIGN_IN_ENDPOINTS = [
  publicEndpoint({ route: "GET service", handle: describeService }),
  publicEndpoint({
    route: "POST session",
    body: SignInBody,
    async handle(call) {
      const { visit, session, parts, body } = call;
      if (visit.signInRefused !== null) throw new BourseError("forbidden", visit.signInRefused);
      const way = Object.keys(body).toSorted().join(" and ");
      if (way === "provider") return finishAtProvider(call, body.provider ?? "");
      const signedIn = await signInBy(way, call);
      // The new session replaces the one of this browser.
      if (session) await parts.signIn.replaceSession(session);
      return signedInAnswer(visit, signedIn);
    },
  }),
  publicEndpoint({
    route: "POST provider",
    /** Begins a sign-in by the provider, or with a session connects the user with the account there. */
    async handle(call) {
      const { visit, session, parts } = call;
      if (visit.signInRefused !== null) throw new BourseError("forbidden", visit.signInRefused);
      const { load } = getProvider(parts.others);
      const own = new URL(visit.url).host;
      if (visit.request.headers.get("host")?.toLowerCase() !== own) {
        throw invalidArgument(
          `This sign-in ends at ${visit.url}, and another address cannot see it. Open ${visit.url}/console and begin there.`,
        );
      }
      parts.signIn.countStart(clientOf(call));
      const { url, pending } = await (await load()).start(session && sessionSecretOf(visit));
      return jsonAnswer({ url }, { "Set-Cookie": startCookie(visit, pending, "provider") });
    },
  }),
  endpoint({
    route: "GET provider",
    role: "user",
    /** True if the user signs in by the provider; null without one. */
    handle: async ({ session, parts }) => ({
      isConnected:
        parts.others.provider &&
        (await parts.signIn.isConnected(session, parts.others.provider.issuer)),
    }),
  }),
  endpoint({
    route: "DELETE provider",
    role: "user",
    handle: ({ session, parts, actor }) =>
      parts.signIn.disconnect(session, getProvider(parts.others).issuer, actor),
  }),
  publicEndpoint({
    route: "DELETE session",
    async handle({ visit, session, parts, actor }) {
      if (session) {
        await parts.signIn.signOut(session, actor);
        parts.changes.end(session);
      }
      return jsonAnswer(undefined, { "Set-Cookie": endCookie(visit) });
    },
  }),
  endpoint({ route: "GET me", role: "user", handle: ({ session }) => describeUser(session) }),
  endpoint({
    route: "GET sessions",
    role: "user",
    async handle({ session, parts }) {
      const sessions = await parts.signIn.listSessions(session.userId);
      return sessions.map((one) => ({ ...one, current: one.id === session.id }));
    },
  }),
  endpoint({
    route: "DELETE sessions/:id",
    role: "user",
    handle: ({ session, parts, actor, id }) => parts.signIn.endSession(id(), session, actor),
  }),
  endpoint({
    route: "POST password",
    role: "user",
    body: PasswordBody,
    handle: (call) => call.parts.signIn.changePassword(call.session, call.body, clientOf(call)),
  }),
  endpoint({
    route: "GET invitations",
    role: "admin",
    handle: ({ parts }) => parts.signIn.listInvitations(),
  }),
  endpoint({
    route: "POST invitations",
    role: "admin",
    body: InvitationBody,
    async handle({ visit, parts, actor, body }) {
      const { key, ...invitation } = await parts.signIn.invite(body, actor);
      return { ...invitation, url: `${visit.url}/console#invite=${key}` };
    },
  }),
  endpoint({
    route: "DELETE invitations/:id",
    role: "admin",
    handle: ({ parts, actor, id }) => parts.signIn.revokeInvitation(id(), actor),
  }),
  endpoint({
    route: "POST users/:name/link",
    role: "admin",
    async handle({ visit, parts, actor, param }) {
      const { key, expiresAt } = await parts.signIn.createKey(param("name"), actor);
      return { url: `${visit.url}/console#key=${key}`, expiresAt };
    },
  }),
] as const;

type SignInCall = ConsoleCall<Static<typeof SignInBody>, Session | null>;

/** Signs in by a key, a password or a proxy. @param way the fields of the body, in the order of the alphabet */
function signInBy(way: string, call: SignInCall): Promise<SignedIn> {
  const { visit, parts, body } = call;
  const { key = "", user = "", password = "", invitation = "" } = body;
  const { proxyUser } = visit;
  const client = clientOf(call);
  if (way === "proxy") {
    if (proxyUser !== null) return parts.signIn.byProxy(proxyUser, parts.others.newUsers, client);
    throw new BourseError(
      "forbidden",
      "No trusted proxy names you. BOURSE_SIGN_IN_HEADER is the header, and BOURSE_SIGN_IN_PROXIES are the proxies that are believed.",
    );
  }
  refuseBesideProxy(visit);
  if (way === "key") return parts.signIn.byKey(key, client);
  if (way === "invitation and password and user")
    return parts.signIn.byInvitation({ key: invitation, name: user, password }, client);
  if (way === "password and user") return parts.signIn.byPassword(user, password, client);
  throw invalidArgument("Send either key, or user and password.");
}

/** A session of another user than the proxy's would not be valid. */
function refuseBesideProxy({ proxyUser }: Visit): void {
  if (proxyUser === null) return;
  throw new BourseError(
    "forbidden",
    "Your proxy signs you in here. To sign in as another user, do so at the proxy.",
  );
}

/** Ends a sign-in by the provider, or connects the user of the session with the account there. */
async function finishAtProvider(call: SignInCall, query: string) {
  const { visit, session, parts } = call;
  refuseBesideProxy(visit);
  const { load } = getProvider(parts.others);
  const client = clientOf(call);
  parts.signIn.countStart(client);
  const { person, isConnecting } = await (
    await load()
  ).finish(query, secretOf(visit, "provider"), session && sessionSecretOf(visit));
  const done = { "Set-Cookie": endCookie(visit, "provider") };
  if (session && isConnecting) {
    await parts.signIn.connect(session, person, client);
    return jsonAnswer(describeUser(session), done);
  }
  const signedIn = await parts.signIn.byPerson(person, parts.others.newUsers, client);
  if (session) await parts.signIn.replaceSession(session);
  const answer = signedInAnswer(visit, signedIn);
  answer.headers.append("Set-Cookie", done["Set-Cookie"]);
  return answer;
}

function signedInAnswer(visit: Visit, { user, secret }: SignedIn) {
  return jsonAnswer(describeUser(user), { "Set-Cookie": startCookie(visit, secret) });
}

function getProvider({ provider }: OtherSignIns): NonNullable<OtherSignIns["provider"]> {
  if (provider) return provider;
  throw notFound("No OpenID provider is set. BOURSE_OIDC_ISSUER and BOURSE_OIDC_CLIENT name one.");
}

function describeService({ visit, parts }: Pick<ConsoleCall<unknown, null>, "visit" | "parts">) {
  const { version, market, oauth, clock, others } = parts;
  return {
    version,
    /** The command that starts this program in a shell of the service's machine. */
    program: PROGRAM,
    /** ISO 8601. The console shows the days of this clock, because a browser's may be wrong. */
    time: new Date(clock()).toISOString(),
    market,
    url: visit.url,
    oauth: oauth !== null,
    signInRefused: visit.signInRefused,
    /** The user that a proxy has signed in; null if none has. */
    proxyUser: visit.proxyUser,
    /** The host of the provider that can sign users in; null without one. */
    provider: others.provider && new URL(others.provider.issuer).host,
    signOutUrl: others.signOutUrl,
  };
}

function describeUser({ user, role, plan, hasPassword }: SessionUser) {
  return { user, role, plan, hasPassword };
}

function clientOf({
  visit,
  group,
}: Pick<ConsoleCall<unknown, null>, "visit" | "group">): SigningClient {
  const { address, request } = visit;
  return { address, group, browser: request.headers.get("user-agent") ?? "" };
}
