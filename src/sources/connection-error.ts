/** The description of a failure and what to check, by error code. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ["ENOTFOUND", "its host name cannot be resolved; check DNS and the internet connection"],
  ["EAI_AGAIN", "its host name cannot be resolved; check DNS and the internet connection"],
  ["ECONNREFUSED", "the connection was refused; check firewall and proxy (HTTPS_PROXY)"],
  ["ECONNRESET", "the connection was closed before an answer; retry later, or check the proxy"],
  ["EPIPE", "the connection was closed before an answer; retry later, or check the proxy"],
  ["ENETUNREACH", "no route to its host; check the internet connection"],
  ["EHOSTUNREACH", "no route to its host; check the internet connection"],
  ["ETIMEDOUT", "the connection timed out; check firewall and proxy (HTTPS_PROXY)"],
  ["EPROTO", "the TLS handshake failed; check for a proxy that intercepts TLS"],
  ["ERR_PROXY_TUNNEL", "the proxy refused the connection; check HTTPS_PROXY and its credentials"],
]);

const CERTIFICATE = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ALTNAME/;

/**
 * Describes why `fetch` failed and what to check: name resolution, refusal, TLS, proxy or time-out.
 * The text contains no address.
 */
export function describeConnectionError(error: unknown, timeoutMs: number): string {
  if (error instanceof Error && error.name === "TimeoutError") {
    return `no answer within ${timeoutMs} ms; retry later, or check firewall and proxy`;
  }
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const reason = REASONS.get(code);
  if (reason !== undefined) return reason;
  if (CERTIFICATE.test(code)) {
    return "its TLS certificate is not trusted; check the system clock and proxies that intercept TLS";
  }
  return "the connection failed; check the internet connection";
}
