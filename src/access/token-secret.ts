import { TOKEN_SCHEMES, type TokenKind, tokenKindOf } from "#store/tokens.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SECRET_BYTES = 24;
/** Characters that 24 bytes and 4 bytes take in base62. */
const SECRET_LENGTH = 33;
const CHECKSUM_LENGTH = 6;
/** Characters after the scheme that lists show. The 25 that stay secret hold more than 144 bits. */
const SHOWN_LENGTH = 8;

const SHAPE = new RegExp(`^bourse_(?:feed_)?[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/** The stored part of a token. */
export interface TokenFingerprint {
  readonly kind: TokenKind;
  /** The token's first characters, to show it in lists and to find its row. */
  readonly prefix: string;
  /** SHA-256 of the whole token. */
  readonly hash: Uint8Array;
}

/**
 * A new token: its scheme, 192 random bits in base62, and the CRC-32 of both in six characters, which
 * detects a typo without a look-up.
 */
export function createTokenSecret(kind: TokenKind = "api"): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  const number = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  const body = TOKEN_SCHEMES[kind] + base62(number, SECRET_LENGTH);
  return body + checksum(body);
}

/** The fingerprint of a token, or null if its form or its checksum is wrong. */
export function fingerprintToken(token: string): TokenFingerprint | null {
  if (!SHAPE.test(token)) return null;
  const kind = tokenKindOf(token);
  const body = token.slice(0, -CHECKSUM_LENGTH);
  if (checksum(body) !== token.slice(-CHECKSUM_LENGTH)) return null;
  return {
    kind,
    prefix: token.slice(0, TOKEN_SCHEMES[kind].length + SHOWN_LENGTH),
    hash: new Bun.CryptoHasher("sha256").update(token).digest(),
  };
}

function checksum(text: string): string {
  return base62(BigInt(Bun.hash.crc32(text)), CHECKSUM_LENGTH);
}

function base62(number: bigint, length: number): string {
  let text = "";
  for (let rest = number; text.length < length; rest /= 62n)
    text = ALPHABET[Number(rest % 62n)] + text;
  return text;
}
