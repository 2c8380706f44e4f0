import { type Session, SESSION_MS } from "#access/sessions.ts";
import type { SignIn } from "#access/sign-in.ts";
import type { Visit } from "./visit.ts";

/** The cookie of a connection: its name and the attributes that bind it to this service. */
const cookieOf = ({ isSecure }: Visit) =>
  isSecure
    ? { name: "__Host-bourse", attributes: "Path=/; Secure; HttpOnly; SameSite=Strict" }
    : { name: "bourse", attributes: "Path=/console; HttpOnly; SameSite=Strict" };

/** The secret in the session cookie of a request; null without a cookie, and where sign-in is refused. */
export function sessionSecretOf(visit: Visit): string | null {
  if (visit.signInRefused !== null) return null;
  const { name } = cookieOf(visit);
  const pairs = (visit.request.headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
  const [pair, second] = pairs.filter((one) => one.startsWith(`${name}=`));
  // A neighbour on the same host can plant a second cookie, but not remove ours.
  return pair === undefined || second !== undefined ? null : pair.slice(name.length + 1);
}

/**
 * The live session of a request, or null.
 *
 * The cookie is `SameSite=Strict`: a browser does not send it when a page of another site leads here, only
 * with the next request of our own page. On plain http its path is `/console`.
 */
export async function findSession(visit: Visit, signIn: SignIn): Promise<Session | null> {
  const secret = sessionSecretOf(visit);
  return secret === null ? null : signIn.findSession(secret);
}

/** The `Set-Cookie` header that starts a session. */
export function startCookie(visit: Visit, secret: string): string {
  const { name, attributes } = cookieOf(visit);
  return `${name}=${secret}; Max-Age=${SESSION_MS / 1000}; ${attributes}`;
}

/** The `Set-Cookie` header that removes the cookie. */
export function endCookie(visit: Visit): string {
  const { name, attributes } = cookieOf(visit);
  return `${name}=; Max-Age=0; ${attributes}`;
}
