import { generateKeyPairSync } from "node:crypto";

/** A new secret key in the format of `minisign -G -W`. No key of a test is ever stored. */
export function createSecretKeyFile(): string {
  const { d = "", x = "" } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" });
  const id = crypto.getRandomValues(new Uint8Array(8));
  const bytes = Buffer.concat([
    // The algorithms: Ed25519, no password, BLAKE2b for a sum that keys without a password leave empty.
    Buffer.from("Ed\0\0B2", "latin1"),
    // Salt and costs of a password.
    Buffer.alloc(48),
    id,
    Buffer.from(d, "base64url"),
    Buffer.from(x, "base64url"),
    Buffer.alloc(32),
  ]);
  return `untrusted comment: secret key of a test\n${bytes.toString("base64")}\n`;
}
