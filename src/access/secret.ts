/** A new secret of 256 random bits in base64url: 43 characters. */
export function createSecret(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
}

/** The SHA-256 of a secret, which is stored instead of the secret. */
export function hashSecret(secret: string): Uint8Array {
  return new Bun.CryptoHasher("sha256").update(secret).digest();
}
