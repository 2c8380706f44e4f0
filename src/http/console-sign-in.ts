import { Type } from "@sinclair/typebox";
import { PASSWORD_LENGTHS } from "#access/passwords.ts";
import type { SessionUser } from "#access/sessions.ts";
import type { SigningClient } from "#access/sign-in.ts";
import { BourseError, invalidArgument } from "#domain/errors.ts";
import { PROGRAM } from "#lib/compiled.ts";
import { jsonAnswer } from "./console-answers.ts";
import { type ConsoleCall, endpoint, publicEndpoint } from "./console-endpoint.ts";
import { endCookie, startCookie } from "./session-cookie.ts";

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
});

const PasswordBody = Type.Object({
  current: Type.Optional(Password("It is your current password.")),
  password: Password(`It is text of at least ${PASSWORD_LENGTHS.least} characters.`),
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
      const { key, user, password } = body;
      const client = clientOf(call);
      const isByKey = key !== undefined && user === undefined && password === undefined;
      if (!isByKey && (key !== undefined || user === undefined || password === undefined)) {
        throw invalidArgument("Send either key, or user and password.");
      }
      const signedIn = isByKey
        ? await parts.signIn.byKey(key, client)
        : await parts.signIn.byPassword(user ?? "", password ?? "", client);
      // The new session replaces the one of this browser.
      if (session) await parts.signIn.replaceSession(session);
      return jsonAnswer(describeUser(signedIn.user), {
        "Set-Cookie": startCookie(visit, signedIn.secret),
      });
    },
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
    route: "POST users/:name/link",
    role: "admin",
    async handle({ visit, parts, actor, param }) {
      const { key, expiresAt } = await parts.signIn.createKey(param("name"), actor);
      return { url: `${visit.url}/console#key=${key}`, expiresAt };
    },
  }),
] as const;

function describeService({ visit, parts }: Pick<ConsoleCall<unknown, null>, "visit" | "parts">) {
  const { version, market, oauth, clock } = parts;
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
