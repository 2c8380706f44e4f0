/** Why a connection failed. */
export type ConnectionFault =
  | "unresolved"
  | "refused"
  | "closed"
  | "no_route"
  | "timed_out"
  | "tls"
  | "proxy"
  | "certificate"
  | "no_http"
  | "failed";

const CODES: ReadonlyMap<string, ConnectionFault> = new Map([
  ["ENOTFOUND", "unresolved"],
  ["EAI_AGAIN", "unresolved"],
  ["ECONNREFUSED", "refused"],
  ["ECONNRESET", "closed"],
  ["EPIPE", "closed"],
  ["ENETUNREACH", "no_route"],
  ["EHOSTUNREACH", "no_route"],
  ["ETIMEDOUT", "timed_out"],
  ["EPROTO", "tls"],
  ["ERR_PROXY_TUNNEL", "proxy"],
  ["Malformed_HTTP_Response", "no_http"],
]);

const CERTIFICATE = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ALTNAME/;

/** True if `fetch` ended at its time limit. */
export function isTimeOut(error: unknown): boolean {
  return error instanceof Error && error.name === "TimeoutError";
}

/** Why `fetch` failed, if it did not end at its time limit: name resolution, refusal, TLS or proxy. */
export function connectionFaultOf(error: unknown): ConnectionFault {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return CODES.get(code) ?? (CERTIFICATE.test(code) ? "certificate" : "failed");
}
