import { type Grant, parseGrants } from "#domain/rights.ts";
import { OAuthError } from "./oauth-error.ts";

/** A client's request for a token (RFC 6749 section 4.1.1, with PKCE). */
export interface AuthorizationRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  /** SHA-256 of the verifier in base64url. */
  readonly challenge: string;
  /** What the client wants back in the redirect; null if it sent none. */
  readonly state: string | null;
  /** What the client asks for besides market data. */
  readonly rights: readonly Grant[];
}

/** The longest query of an authorization request, in characters. */
export const MAX_QUERY_LENGTH = 8_000;

/**
 * Reads the query of an authorization request. Unknown scopes are ignored (RFC 6749 section 3.3): the answer with the
 * token says which it has.
 *
 * @param resource the only resource that there is
 * @throws OAuthError with one sentence
 */
export function parseAuthorizationRequest(query: string, resource: string): AuthorizationRequest {
  if (query.length > MAX_QUERY_LENGTH) {
    throw new OAuthError("invalid_request", "The request of the client is too long.");
  }
  const parameters = new URLSearchParams(query);
  const clientId = getParameter(parameters, "client_id");
  const redirectUri = getParameter(parameters, "redirect_uri");
  requireValue(parameters, "response_type", "code");
  requireValue(parameters, "code_challenge_method", "S256");
  const challenge = getParameter(parameters, "code_challenge");
  if (!/^[\w-]{43}$/.test(challenge)) {
    throw new OAuthError("invalid_request", "code_challenge must be a SHA-256 in base64url.");
  }
  requireResource(parameters, resource);
  const rights = parseGrants(findParameter(parameters, "scope") ?? "");
  return { clientId, redirectUri, challenge, state: findParameter(parameters, "state"), rights };
}

/** A parameter, or null if it is absent or empty. @throws OAuthError if it is duplicated */
export function findParameter(parameters: URLSearchParams, name: string): string | null {
  const values = parameters.getAll(name);
  if (values.length > 1) throw new OAuthError("invalid_request", `${name} is given twice.`);
  return values[0] || null;
}

/** A parameter. @throws OAuthError if it is absent, empty or duplicated */
export function getParameter(parameters: URLSearchParams, name: string): string {
  const value = findParameter(parameters, name);
  if (value === null) throw new OAuthError("invalid_request", `${name} is missing.`);
  return value;
}

/**
 * Refuses a request for another resource (RFC 8707). Clients of older revisions of MCP name no resource.
 *
 * @throws OAuthError `invalid_target`
 */
export function requireResource(parameters: URLSearchParams, resource: string): void {
  const named = findParameter(parameters, "resource");
  if (named === null) return;
  // The parser writes scheme and host in lower case. The query chooses tools of the same resource.
  const url = URL.parse(named);
  if (url) url.search = "";
  const canonical = url?.href.replace(/\/$/, "") ?? named;
  if (canonical !== resource) {
    throw new OAuthError("invalid_target", `resource must be ${resource}.`);
  }
}

function requireValue(parameters: URLSearchParams, name: string, value: string): void {
  if (getParameter(parameters, name) !== value) {
    throw new OAuthError("invalid_request", `${name} must be ${value}.`);
  }
}
