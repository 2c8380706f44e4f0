import { fingerprintToken } from "#access/token-secret.ts";
import { BourseError } from "#domain/errors.ts";

/** The paths of feeds. The URL begins with the `Host` header if that is a host. */
export const FEED_PATH = /^(?:https?:\/\/[^/?#]*)?\/feed\/([^?#]*)/;

/** A feed link is in the URL, so no page that is opened from it may get the URL. */
export const FEED_HEADERS = { "Referrer-Policy": "no-referrer" };

/**
 * The secret of a request as an `Authorization` header. A URL ends up in logs and bookmarks, so only a
 * feed link may be in it.
 *
 * @throws BourseError `invalid_token` for a token in the URL, `missing_auth` without a secret
 */
export function authorizationOf({ headers }: Request, secret: string | null): string {
  if (secret !== null) {
    if (fingerprintToken(secret)?.kind === "api") {
      throw new BourseError(
        "invalid_token",
        "A token must not be in a URL, because URLs are logged. Use a feed link, or send the token in a header.",
      );
    }
    return `Bearer ${secret}`;
  }
  const authorization = headers.get("authorization") ?? "";
  const sent =
    /^(?:bearer|token|apikey) +(\S.*)$/i.exec(authorization.trim())?.[1] ??
    headers.get("x-api-key");
  if (sent) return `Bearer ${sent}`;
  throw new BourseError(
    "missing_auth",
    "The feed link is missing: /feed/LINK/… or its place in the query (apikey, token) or a header.",
  );
}
