/** The error codes of RFC 6749, 7591, 8707 and 7009 that our endpoints answer. */
export type OAuthErrorCode =
  | "invalid_request"
  | "invalid_grant"
  | "invalid_target"
  | "invalid_redirect_uri"
  | "invalid_client_metadata"
  | "unsupported_grant_type"
  | "temporarily_unavailable";

/** A refusal by OAuth. The message is shown to the client and to the user, and has no secret. */
export class OAuthError extends Error {
  override readonly name = "OAuthError";
  readonly code: OAuthErrorCode;

  constructor(code: OAuthErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
