/** Names and addresses of this computer. RFC 8252 lets a program listen there on any port. */
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);
const MAX_LENGTH = 1_000;

/** Why a redirect URI cannot be registered, as the end of a sentence that begins with it; null if it can. */
export function findRedirectFault(uri: string): string | null {
  if (uri.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  // The parser would remove line feeds and tabs. It reads `https:a.example` as `https://a.example`, but the
  // console's page would open it as a path of its own host.
  if (!/^[!-~]+$/.test(uri) || /^https?:(?!\/\/)/i.test(uri) || !URL.canParse(uri)) {
    return "is not an absolute URL";
  }
  const { protocol, hostname, username, password } = new URL(uri);
  if (uri.includes("#")) return "must not have a fragment";
  if (username !== "" || password !== "") return "must not have a user name or password";
  if (protocol === "https:" || (protocol === "http:" && LOOPBACK.has(hostname))) return null;
  return "must begin with https://, or with http://localhost, http://127.0.0.1 or http://[::1] for a program on the user's computer";
}

/** True if the client registered this redirect URI; the port of a loopback URI does not matter. */
export function isRegistered(registered: readonly string[], uri: string): boolean {
  if (findRedirectFault(uri) !== null) return false;
  return registered.some(
    (one) => one === uri || withoutLoopbackPort(one) === withoutLoopbackPort(uri),
  );
}

function withoutLoopbackPort(uri: string): string {
  const url = new URL(uri);
  if (url.protocol !== "http:") return uri;
  url.port = "";
  return url.href;
}

/** The host that a redirect URI leads to, with its port; null for a program on the user's computer. */
export function redirectHost(uri: string): string | null {
  const { host, hostname } = new URL(uri);
  return LOOPBACK.has(hostname) ? null : host;
}

/** The redirect URI with these parameters added to its query, which is kept as it is. */
export function addParameters(uri: string, parameters: Readonly<Record<string, string>>): string {
  return `${uri}${uri.includes("?") ? "&" : "?"}${new URLSearchParams(parameters).toString()}`;
}
