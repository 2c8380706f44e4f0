import { createIpGate, type LocalIpGate } from "#access/ip-gate.ts";
import type { OAuth } from "#access/oauth.ts";
import { OAuthError, type OAuthErrorCode } from "#access/oauth-error.ts";
import { MAX_QUERY_LENGTH } from "#access/oauth-request.ts";
import type { Log } from "#lib/log.ts";
import { reportError } from "#operations/report-error.ts";
import { addressGroup, type TrustedProxies } from "./client-address.ts";
import { CORS_HEADERS } from "./cors.ts";
import { HTTP_ERRORS, rateLimited } from "./errors.ts";
import type { HeaderBag } from "./headers.ts";
import { parseSmallJson } from "./json-body.ts";
import type { DocumentReader } from "./oauth-document.ts";
import { type OAuthName, resourceMetadata, serverMetadata } from "./oauth-metadata.ts";
import { readBody } from "./request-body.ts";

/** Registrations a minute from one address. */
const REGISTRATIONS = 10;
const MAX_BODY_BYTES = 32 * 1024;
/** Long enough to spare requests, short enough for a change. */
const METADATA_SECONDS = 60;

/** Scripts of any origin may call these endpoints. None of them reads a cookie. */
const EVERY_ANSWER: HeaderBag = {
  ...CORS_HEADERS,
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
};
const NOT_STORED: HeaderBag = { ...EVERY_ANSWER, "Cache-Control": "no-store", Pragma: "no-cache" };

/** The dependencies of the endpoints of OAuth. */
export interface OAuthEndpointParts {
  readonly oauth: OAuth;
  readonly documents: Pick<DocumentReader, "works">;
  /** Without a slash at the end. */
  readonly publicUrl: string;
  readonly proxies: TrustedProxies;
  /** UTC milliseconds. */
  readonly clock: () => number;
  readonly log: Log;
}

/** A request to an endpoint. */
interface OAuthCall {
  readonly request: Request;
  readonly parts: OAuthEndpointParts;
  /** The client's address. */
  readonly address: string;
  readonly registrations: LocalIpGate;
}

interface OAuthEndpoint {
  readonly method: "GET" | "POST";
  answer(call: OAuthCall): Response | Promise<Response>;
}

const ENDPOINTS: Readonly<Record<OAuthName, OAuthEndpoint>> = {
  server: { method: "GET", answer: describeServer },
  resource: { method: "GET", answer: describeResource },
  mcpResource: { method: "GET", answer: describeResource },
  authorize: { method: "GET", answer: authorize },
  token: { method: "POST", answer: exchange },
  register: { method: "POST", answer: register },
  revoke: { method: "POST", answer: revoke },
};

/** Answers a request to one of the endpoints. */
export type OAuthApp = (
  request: Request,
  name: OAuthName,
  socketAddress: string,
) => Promise<Response>;

/** Creates the endpoints of the authorization server. An error is the JSON of RFC 6749, section 5.2. */
export function createOAuthApp(parts: OAuthEndpointParts): OAuthApp {
  const registrations = createIpGate(REGISTRATIONS, parts.clock);
  return async (request, name, socketAddress) => {
    const endpoint = ENDPOINTS[name];
    const allowed = endpoint.method === "GET" ? ["GET", "HEAD"] : [endpoint.method];
    if (!allowed.includes(request.method)) return refuseMethod(allowed);
    try {
      const address = parts.proxies.clientOf(socketAddress, request.headers);
      return await endpoint.answer({ request, parts, address, registrations });
    } catch (thrown) {
      return errorAnswer(thrown, parts.log);
    }
  };
}

function describeServer({ parts }: OAuthCall): Response {
  return metadataAnswer(serverMetadata(parts.publicUrl, parts.documents.works));
}

function describeResource({ parts }: OAuthCall): Response {
  return metadataAnswer(resourceMetadata(parts.publicUrl));
}

function metadataAnswer(document: object): Response {
  const headers = { ...EVERY_ANSWER, "Cache-Control": `public, max-age=${METADATA_SECONDS}` };
  return Response.json(document, { headers });
}

/**
 * Sends the browser to the consent page, with the query as it is. The browser comes from another site, so
 * it sends no session cookie here; the page's own requests have it. The page shows every fault of the
 * request to the user, because a redirect to an address that a stranger registered would help phishing.
 */
function authorize({ request: { url } }: OAuthCall): Response {
  const mark = url.indexOf("?");
  const query = mark < 0 ? "" : url.slice(mark);
  if (query.length > MAX_QUERY_LENGTH) {
    throw new OAuthError("invalid_request", "The request of the client is too long.");
  }
  return new Response(null, {
    status: 302,
    headers: {
      Location: `/console/connect${query}`,
      "Cache-Control": "no-store",
      "Referrer-Policy": "no-referrer",
    },
  });
}

async function exchange({ request, parts, address }: OAuthCall): Promise<Response> {
  const token = await parts.oauth.exchange(await readForm(request), address);
  return Response.json(token, { headers: NOT_STORED });
}

async function revoke({ request, parts, address }: OAuthCall): Promise<Response> {
  await parts.oauth.revoke(await readForm(request), address);
  return new Response(null, { headers: NOT_STORED });
}

async function register({ request, parts, address, registrations }: OAuthCall): Promise<Response> {
  const refusal = registrations.check(addressGroup(address));
  if (refusal) throw rateLimited(refusal, "registrations a minute from one address");
  const client = await parts.oauth.register(await readJson(request));
  return Response.json(
    {
      client_id: client.id,
      client_id_issued_at: client.issuedAt,
      client_name: client.name,
      redirect_uris: client.redirectUris,
      grant_types: ["authorization_code"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
    { status: 201, headers: NOT_STORED },
  );
}

async function readForm(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) {
    throw new OAuthError(
      "invalid_request",
      "Send the body with the header Content-Type: application/x-www-form-urlencoded.",
    );
  }
  return new URLSearchParams(new TextDecoder().decode(await readBody(request, MAX_BODY_BYTES)));
}

async function readJson(request: Request): Promise<unknown> {
  const body = parseSmallJson(await readBody(request, MAX_BODY_BYTES));
  if (body !== undefined) return body;
  throw new OAuthError("invalid_client_metadata", "The body must be one small JSON object.");
}

function refuseMethod(allowed: readonly string[]): Response {
  const error = {
    error: "invalid_request",
    error_description: `This path answers ${allowed.join(" and ")} only.`,
  };
  return Response.json(error, {
    status: 405,
    headers: { ...NOT_STORED, Allow: allowed.join(", ") },
  });
}

function errorAnswer(thrown: unknown, log: Log): Response {
  if (thrown instanceof OAuthError) {
    const status = thrown.code === "temporarily_unavailable" ? 503 : 400;
    return oauthError(thrown.code, thrown.message, status);
  }
  const error = reportError(thrown, log);
  const { status } = HTTP_ERRORS[error.code];
  const { retryAfterSeconds } = error.details;
  return oauthError(status < 500 ? "invalid_request" : "server_error", error.message, status, {
    ...(retryAfterSeconds !== undefined && { "Retry-After": String(retryAfterSeconds) }),
  });
}

function oauthError(
  code: OAuthErrorCode | "server_error",
  message: string,
  status: number,
  headers: HeaderBag = {},
): Response {
  const body = { error: code, error_description: message };
  return Response.json(body, { status, headers: { ...NOT_STORED, ...headers } });
}
