import { BourseError } from "#domain/errors.ts";
import { type TokenCandidate, tokenKindOf } from "#store/tokens.ts";
import type { TokenFingerprint } from "./token-secret.ts";

/** How long a link works, in milliseconds. */
export const LINK_MS = 3_600_000;

/** A signature in a URL: the call of that URL is one of the token with that prefix. */
export interface CallLink {
  /** Of the token. */
  readonly prefix: string;
  /** UTC seconds. */
  readonly expiresAt: number;
  readonly signature: string;
}

/** How much the clocks of nodes may differ, in milliseconds. */
const CLOCKS_MS = 60_000;

const FORM = /^(bourse_[0-9A-Za-z]{8})\.(\d{1,12})\.([\w-]{43})$/;
const NEW_LINK = "Ask for a new link: make the call with as=csv_link.";

/**
 * The text of a link: the prefix of the token, when the link ends, and the signature of the call, that end and the
 * token's hash. So the link ends with its token. A backup has the hash, but not the secret, so it signs no links.
 *
 * @param call the operation with its arguments, the same text for the same call
 * @param expiresAt UTC seconds
 * @param secret of the service
 */
export function signCall(
  { prefix, hash }: Pick<TokenFingerprint, "prefix" | "hash">,
  call: string,
  expiresAt: number,
  secret: Uint8Array,
): string {
  return `${prefix}.${expiresAt}.${sign(hash, call, expiresAt, secret)}`;
}

function sign(hash: Uint8Array, call: string, expiresAt: number, secret: Uint8Array): string {
  const hmac = new Bun.CryptoHasher("sha256", secret);
  return hmac.update(`csv_link\n${hash.toHex()}\n${expiresAt}\n${call}`).digest("base64url");
}

/**
 * Reads the text of a link. A link that ends later than an hour from now does not work.
 *
 * @param now UTC milliseconds
 * @throws BourseError `invalid_token` if it has another form, has ended or ends later than a link does
 */
export function readLink(text: string, now: number): CallLink {
  const [, prefix = "", seconds, signature = ""] = FORM.exec(text) ?? [];
  if (seconds === undefined || tokenKindOf(prefix) !== "api") {
    throw new BourseError("invalid_token", "The link is incomplete: it was cut off or altered.", {
      hint: NEW_LINK,
    });
  }
  const expiresAt = Number(seconds);
  const left = expiresAt * 1000 - now;
  if (left > 0 && left <= LINK_MS + CLOCKS_MS) return { prefix, expiresAt, signature };
  const problem = left > 0 ? "The link was altered" : "The link has ended";
  throw new BourseError("invalid_token", `${problem}: a link works for one hour.`, {
    hint: NEW_LINK,
  });
}

/**
 * The token that has signed this call.
 *
 * @param candidates the tokens with the prefix of the link
 * @param secret of the service
 * @throws BourseError `invalid_token` if none has
 */
export function getSigner(
  { expiresAt, signature }: CallLink,
  call: string,
  candidates: readonly TokenCandidate[],
  secret: Uint8Array,
): TokenCandidate {
  const given = Buffer.from(signature);
  const signer = candidates.find(({ hash }) =>
    crypto.timingSafeEqual(given, Buffer.from(sign(hash, call, expiresAt, secret))),
  );
  if (signer) return signer;
  throw new BourseError(
    "invalid_token",
    "The signature does not belong to this call. The link was altered, or its service was restored since. A link works for its own arguments only.",
    { hint: NEW_LINK },
  );
}
