import { type Session, SESSION_MS } from "#access/sessions.ts";
import type { SignIn } from "#access/sign-in.ts";
import type { Visit } from "./visit.ts";

/** What a cookie has: the secret of a session, or of a sign-in by a provider that has begun. */
type Kind = "session" | "provider";

/** How long a person may take to sign in at a provider. */
const PROVIDER_SECONDS = 600;
const SECONDS: Readonly<Record<Kind, number>> = {
  session: SESSION_MS / 1000,
  provider: PROVIDER_SECONDS,
};

/**
 * The cookie of a connection: its name and the attributes that bind it to this service. Over https, all services of a
 * host get it, so the name has the base path: two of them would sign each other's users out.
 */
function cookieOf({ isSecure, base }: Visit, kind: Kind) {
  const end = kind === "session" ? "" : "-provider";
  return isSecure
    ? {
        name: `__Host-bourse${base.replaceAll("/", ".")}${end}`,
        attributes: "Path=/; Secure; HttpOnly; SameSite=Strict",
      }
    : { name: `bourse${end}`, attributes: `Path=${base}/console; HttpOnly; SameSite=Strict` };
}

/** The secret in a cookie of a request; null without a cookie, and where sign-in is refused. */
export function secretOf(visit: Visit, kind: Kind): string | null {
  if (visit.signInRefused !== null) return null;
  const { name } = cookieOf(visit, kind);
  const pairs = (visit.request.headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
  const [pair, second] = pairs.filter((one) => one.startsWith(`${name}=`));
  // A neighbour on the same host can plant a second cookie, but not remove ours.
  return pair === undefined || second !== undefined ? null : pair.slice(name.length + 1);
}

/** The secret in the session cookie of a request; null without a cookie, and where sign-in is refused. */
export const sessionSecretOf = (visit: Visit): string | null => secretOf(visit, "session");

/**
 * The live session of a request, or null. If a proxy names another user, that user has no session yet.
 *
 * The cookie is `SameSite=Strict`: a browser does not send it when a page of another site leads here, only
 * with the next request of our own page. On plain http its path is `/console`, below the base path.
 */
export async function findSession(visit: Visit, signIn: SignIn): Promise<Session | null> {
  const secret = sessionSecretOf(visit);
  const session = secret === null ? null : await signIn.findSession(secret);
  const { proxyUser } = visit;
  return proxyUser === null || session?.user === proxyUser ? session : null;
}

/** The `Set-Cookie` header that starts a session, or a sign-in by a provider. */
export function startCookie(visit: Visit, secret: string, kind: Kind = "session"): string {
  const { name, attributes } = cookieOf(visit, kind);
  return `${name}=${secret}; Max-Age=${SECONDS[kind]}; ${attributes}`;
}

/** The `Set-Cookie` header that removes the cookie. */
export function endCookie(visit: Visit, kind: Kind = "session"): string {
  const { name, attributes } = cookieOf(visit, kind);
  return `${name}=; Max-Age=0; ${attributes}`;
}
