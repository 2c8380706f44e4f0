import { isIP } from "node:net";
import { BourseError } from "#domain/errors.ts";
import { basePathOf, originOf } from "./service-address.ts";
import { plainAddress, type TrustedProxies } from "./client-address.ts";

/** A request to the console. Its `Host` is a known name of this service. */
export interface Visit {
  readonly request: Request;
  /** Without the query: `/console/api/me`. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The client's address. */
  readonly address: string;
  /** The URL of this service for this client, without a slash at the end: `http://127.0.0.1:8787`. */
  readonly url: string;
  /** As `basePathOf` gives it. */
  readonly base: string;
  /** True if the client's connection is https. */
  readonly isSecure: boolean;
  /** Why sign-in and sessions are refused over this connection, in one sentence; null if they are allowed. */
  readonly signInRefused: string | null;
  /** The user that a proxy has signed in, as its header has the name; null if no trusted proxy does. */
  readonly proxyUser: string | null;
}

/** The settings that decide about visits. */
export interface VisitSettings {
  /** The name or address that the service listens on. */
  readonly host: string;
  /** Where clients reach the service; null if not set. */
  readonly publicUrl: string | null;
  readonly insecureSignIn: boolean;
  readonly proxies: TrustedProxies;
  /** Proxies that name the user of a request in a header; null if none does. */
  readonly signInProxy: { readonly header: string; readonly proxies: TrustedProxies } | null;
}

/** Headers that proxies add. */
const FORWARDED = ["forwarded", "x-forwarded-for", "x-forwarded-proto", "x-real-ip", "via"];

/**
 * Reads a request to the console.
 *
 * @throws BourseError `forbidden` if `Host` is not a known name
 */
export function readVisit(
  request: Request,
  path: string,
  socketAddress: string,
  settings: VisitSettings,
): Visit {
  const host = request.headers.get("host")?.toLowerCase() ?? "";
  const name = /^([\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/.exec(host)?.[1] ?? "";
  refuseUnknownHost(name, settings);
  const mark = request.url.indexOf("?");
  const isSecure = isHttps(request.headers, host, socketAddress, settings);
  return {
    request,
    path,
    query: new URLSearchParams(mark < 0 ? "" : request.url.slice(mark)),
    address: settings.proxies.clientOf(socketAddress, request.headers),
    base: basePathOf(settings.publicUrl),
    url: settings.publicUrl ?? `${isSecure ? "https" : "http"}://${host}`,
    isSecure,
    signInRefused:
      isSecure || settings.insecureSignIn
        ? null
        : refusalOf(request.headers, name, plainAddress(socketAddress), settings.proxies),
    proxyUser: proxyUserOf(request.headers, plainAddress(socketAddress), settings),
  };
}

/** The user in the header, if the connection itself comes from a proxy that may name one. */
function proxyUserOf(
  headers: Headers,
  socketAddress: string,
  { signInProxy }: VisitSettings,
): string | null {
  if (!signInProxy?.proxies.includes(socketAddress)) return null;
  return headers.get(signInProxy.header)?.trim() || null;
}

/**
 * Refuses foreign names, against DNS rebinding: a page of another site can point its own name at this
 * address, and the browser would treat the service as a part of that site. An IP address as `Host` is
 * always allowed, because no other site has it.
 */
function refuseUnknownHost(name: string, { host, publicUrl }: VisitSettings): void {
  const bare = name.replace(/^\[(.*)\]$/, "$1");
  if (isIP(bare) !== 0 || name === "localhost" || name.endsWith(".localhost")) return;
  if (name !== "" && name === host.toLowerCase()) return;
  if (publicUrl !== null && new URL(publicUrl).hostname === name) return;
  throw new BourseError(
    "forbidden",
    "The console does not answer under this host name. Open it by its IP address, or set BOURSE_PUBLIC_URL to the URL in your browser's address bar, up to the port.",
  );
}

/** True if a trusted proxy says https, or the client uses the https URL of `BOURSE_PUBLIC_URL`. */
function isHttps(
  headers: Headers,
  host: string,
  socketAddress: string,
  { publicUrl, proxies }: VisitSettings,
): boolean {
  const protocols = headers.get("x-forwarded-proto")?.toLowerCase().split(",");
  if (protocols && proxies.includes(plainAddress(socketAddress))) {
    return protocols.every((protocol) => protocol.trim() === "https");
  }
  return (
    publicUrl?.startsWith("https:") === true &&
    URL.parse(`https://${host}`)?.origin === originOf(publicUrl)
  );
}

/** Why sign-in over plain http is refused; null on this machine, without a proxy. */
function refusalOf(
  headers: Headers,
  name: string,
  socketAddress: string,
  proxies: TrustedProxies,
): string | null {
  const isForwarded = FORWARDED.some((header) => headers.has(header));
  const isLocalName = isLoopback(name);
  if (isForwarded) {
    return proxies.includes(socketAddress)
      ? "Sign-in needs https, and your proxy does not say that you use it. Open the https URL, and let the proxy send `X-Forwarded-Proto: https`."
      : "Sign-in needs https, and a proxy that is not trusted forwards this request. Set BOURSE_PUBLIC_URL to the https URL of the service, or BOURSE_TRUSTED_PROXIES to the proxy's address.";
  }
  if (isLocalName && isLoopback(socketAddress)) return null;
  return isLocalName
    ? "Sign-in over plain http is allowed on this machine only, and this request came over a network, as with a published port of Docker. If that port is published on 127.0.0.1 only, set BOURSE_INSECURE_SIGN_IN=true."
    : "Sign-in over plain http is allowed on this machine only, because others in the network could read it. Put an https proxy in front and set BOURSE_PUBLIC_URL to its URL, or, in a network that you trust, set BOURSE_INSECURE_SIGN_IN=true.";
}

/** True for the names and addresses by which a machine reaches itself. */
function isLoopback(name: string): boolean {
  return (
    name === "localhost" ||
    name.endsWith(".localhost") ||
    name === "::1" ||
    name === "[::1]" ||
    (isIP(name) === 4 && name.startsWith("127."))
  );
}

/**
 * Refuses requests that a page of another origin sends.
 *
 * A browser says by `Sec-Fetch-Site` which page sends a request, but only over https and to this machine.
 * Otherwise it sends `Origin` with every request that is not a GET.
 *
 * @throws BourseError `forbidden`
 */
export function refuseCrossOrigin({ request: { method, headers }, isSecure }: Visit): void {
  const site = headers.get("sec-fetch-site");
  const origin = headers.get("origin");
  const isRead = method === "GET" || method === "HEAD";
  // `none` is an address that the user typed.
  const isForeignSite = site !== null && site !== "same-origin" && !(isRead && site === "none");
  if (
    isForeignSite ||
    (origin !== null && !isOwnOrigin(origin, headers.get("host") ?? "", isSecure))
  ) {
    throw new BourseError(
      "forbidden",
      "A page of another origin sent this request. Use the console's own pages; if you do, let your proxy pass the Host header unchanged.",
    );
  }
  if (!isRead && site === null && origin === null) {
    throw new BourseError(
      "forbidden",
      "The request has neither the header Sec-Fetch-Site nor Origin, so the page that sent it is unknown. Use a current browser; programs use a token and /api/v1/svc.",
    );
  }
}

/**
 * True if the origin has the host and port of the `Host` header. The page of an https connection came by https, because
 * others in the network can replace a page of plain http.
 */
function isOwnOrigin(origin: string, host: string, isSecure: boolean): boolean {
  const url = URL.parse(origin);
  if (url === null || (isSecure && url.protocol !== "https:")) return false;
  return url.host === URL.parse(`${url.protocol}//${host}`)?.host;
}
