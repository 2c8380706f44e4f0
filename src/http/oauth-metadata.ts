import { READ_SCOPE, SCOPES } from "#domain/rights.ts";
import { V1, versionPrefix } from "./api-version.ts";
import { CORS_HEADERS } from "./cors.ts";

/** The path of the MCP endpoint, which tokens of OAuth are for. */
export const RESOURCE_PATH = `${versionPrefix(V1)}/mcp`;

/** The paths of the authorization server, and of the metadata that clients read. */
export const OAUTH_PATHS = {
  authorize: "/oauth/authorize",
  token: "/oauth/token",
  register: "/oauth/register",
  revoke: "/oauth/revoke",
  /** RFC 8414. */
  server: "/.well-known/oauth-authorization-server",
  /** RFC 9728, for clients that look at the root only. */
  resource: "/.well-known/oauth-protected-resource",
  /** RFC 9728, with the path of the resource appended. */
  mcpResource: `/.well-known/oauth-protected-resource${RESOURCE_PATH}`,
} as const;

/** An endpoint of the authorization server. */
export type OAuthName = keyof typeof OAUTH_PATHS;

const NAMES = new Map<string, OAuthName>(
  Object.entries(OAUTH_PATHS).map(([name, path]) => [path, name as OAuthName]),
);

/** The endpoint of a request, or null. The router answers preflights. */
export function findOAuthEndpoint({ url, method }: Request): OAuthName | null {
  if (method === "OPTIONS") return null;
  // The URL begins with the `Host` header if that is a host.
  const path = /^(?:https?:\/\/[^/?#]*)?(\/(?:oauth|\.well-known)\/[^?#]+)/.exec(url)?.[1];
  return (path !== undefined && NAMES.get(path)) || null;
}

/** The paths of an authorization server without metadata, which clients of earlier revisions of MCP try. */
const DEFAULT_PATHS = /^(?:https?:\/\/[^/?#]*)?\/(?:authorize|token|register)(?:[?#]|$)/;

/**
 * The refusal of a client that tries OAuth where there is none, in the form of RFC 6749, so that it shows the sentence; null
 * for another path. Such a client mostly has a wrong token.
 */
export function refuseWithoutOAuth({ url, method }: Request): Response | null {
  if (method === "OPTIONS" || !DEFAULT_PATHS.test(url)) return null;
  const body = {
    error: "invalid_request",
    error_description:
      "There is no OAuth here. The bearer token of the client was refused: write a valid one into the header Authorization, as `Bearer TOKEN`.",
  };
  return Response.json(body, {
    status: 404,
    headers: { ...CORS_HEADERS, "Cache-Control": "no-store" },
  });
}

/** What a 401 of the MCP endpoint adds to `WWW-Authenticate`, so that clients find the metadata. */
export function resourceChallenge(publicUrl: string): string {
  return `, resource_metadata="${publicUrl}${OAUTH_PATHS.mcpResource}", scope="${READ_SCOPE}"`;
}

/** The metadata of the MCP endpoint (RFC 9728). @param publicUrl without a slash at the end */
export function resourceMetadata(publicUrl: string) {
  return {
    resource: publicUrl + RESOURCE_PATH,
    authorization_servers: [publicUrl],
    scopes_supported: SCOPES,
    bearer_methods_supported: ["header"],
    resource_name: "bourse markets data",
  };
}

/**
 * The metadata of the authorization server (RFC 8414).
 *
 * @param publicUrl without a slash at the end
 * @param readsDocuments true if clients can name a metadata document
 */
export function serverMetadata(publicUrl: string, readsDocuments: boolean) {
  return {
    issuer: publicUrl,
    authorization_endpoint: publicUrl + OAUTH_PATHS.authorize,
    token_endpoint: publicUrl + OAUTH_PATHS.token,
    registration_endpoint: publicUrl + OAUTH_PATHS.register,
    revocation_endpoint: publicUrl + OAUTH_PATHS.revoke,
    scopes_supported: SCOPES,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: readsDocuments,
  };
}
