import { plainText } from "#lib/plain-text.ts";
import { OAuthError } from "./oauth-error.ts";
import { findRedirectFault } from "./oauth-redirect.ts";

/** A program that asks users for a token. It has no secret, so PKCE and its redirect URIs protect it. */
export interface OAuthClient {
  /** The URL of its metadata document, or a random id that registration returned. */
  readonly id: string;
  /** The name that it gives itself; 1 to 64 printable characters. */
  readonly name: string;
  readonly redirectUris: readonly string[];
}

const MAX_NAME_LENGTH = 64;
const MAX_REDIRECT_URIS = 20;

/** True if a client id is the URL of a metadata document; other ids come from registration. */
export function isDocumentUrl(clientId: string): boolean {
  return /^https:/i.test(clientId);
}

/**
 * Reads a registration (RFC 7591).
 *
 * @throws OAuthError `invalid_client_metadata` or `invalid_redirect_uri` with one sentence
 */
export function parseRegistration(body: unknown): Omit<OAuthClient, "id"> {
  const metadata = parseObject(body);
  requireListed(metadata, "grant_types", "authorization_code");
  requireListed(metadata, "response_types", "code");
  const redirectUris = parseRedirectUris(metadata);
  for (const uri of redirectUris) {
    const fault = findRedirectFault(uri);
    if (fault !== null) throw new OAuthError("invalid_redirect_uri", `${shorten(uri)} ${fault}.`);
  }
  return { name: nameOf(metadata, "Unnamed client"), redirectUris };
}

/**
 * Reads the metadata document of a client (draft-ietf-oauth-client-id-metadata-document). Redirect URIs
 * that we do not allow are left out, because other servers may allow them.
 *
 * @param url the client id
 * @throws OAuthError `invalid_client_metadata` with one sentence
 */
export function parseDocument(url: string, document: unknown): OAuthClient {
  const metadata = parseObject(document);
  if (metadata["client_id"] !== url) {
    throw wrongMetadata(
      "The client_id in the client's metadata document is not the URL of the document.",
    );
  }
  // ChatGPT prefers a signed assertion, and names `none` among the methods that it also supports.
  const {
    token_endpoint_auth_method: preferred,
    token_endpoint_auth_methods_supported: supported,
  } = metadata;
  const methods = [
    preferred ?? "none",
    ...(Array.isArray(supported) ? (supported as unknown[]) : []),
  ];
  if (!methods.includes("none")) {
    throw wrongMetadata(
      "The client's metadata document does not have the token_endpoint_auth_method none.",
    );
  }
  const redirectUris = parseRedirectUris(metadata).filter((uri) => findRedirectFault(uri) === null);
  if (redirectUris.length === 0) {
    throw wrongMetadata(
      "The client's metadata document has no redirect URI that begins with https:// or is on the user's computer.",
    );
  }
  return { id: url, name: nameOf(metadata, new URL(url).host), redirectUris };
}

type Metadata = Readonly<Record<string, unknown>>;

function parseObject(value: unknown): Metadata {
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Metadata;
  throw wrongMetadata("Client metadata must be a JSON object.");
}

function parseRedirectUris({ redirect_uris: uris }: Metadata): string[] {
  if (
    Array.isArray(uris) &&
    uris.length > 0 &&
    uris.length <= MAX_REDIRECT_URIS &&
    uris.every((uri) => typeof uri === "string")
  ) {
    return uris;
  }
  throw wrongMetadata(`redirect_uris must be a list of 1 to ${MAX_REDIRECT_URIS} URLs.`);
}

/** A list that is left out has its default, which includes what we need. */
function requireListed(metadata: Metadata, field: string, value: string): void {
  const list = metadata[field];
  if (list === undefined || (Array.isArray(list) && list.includes(value))) return;
  throw wrongMetadata(`${field} must include ${value}.`);
}

function nameOf({ client_name: name }: Metadata, fallback: string): string {
  const readable = typeof name === "string" ? plainText(name, MAX_NAME_LENGTH) : "";
  return readable === "" ? fallback.slice(0, MAX_NAME_LENGTH) : readable;
}

function wrongMetadata(message: string): OAuthError {
  return new OAuthError("invalid_client_metadata", message);
}

/** A foreign text as a part of a message: at most 100 of the characters that RFC 6749 allows there. */
function shorten(text: string): string {
  const readable = text.replaceAll(/[^ -~]|["\\]/g, "?");
  return readable.length > 100 ? `${readable.slice(0, 100)}...` : readable;
}
