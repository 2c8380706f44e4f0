import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";

// Keys and signatures of minisign (https://jedisct1.github.io/minisign/), in its prehashed form: Ed25519
// over the BLAKE2b-512 of a file. A second signature covers the first one and the trusted comment.

/** The text is not a key or a signature of minisign, or the signature is wrong. The message is one sentence. */
export class MinisignError extends Error {}

/** A secret key with what its signatures name. */
export interface SecretKey {
  readonly key: KeyObject;
  /** The 8 bytes that a signature names its key by. */
  readonly id: Uint8Array;
  /** The public key as minisign prints it: `RW…`, 56 characters. */
  readonly publicKey: string;
}

/** The algorithm of keys. */
const ED25519 = "Ed";
/** The algorithm of prehashed signatures. */
const PREHASHED = "ED";
/** What precedes the 32 bytes of a key in the formats that node:crypto reads (RFC 8410). */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");
const SPKI = Buffer.from("302a300506032b6570032100", "hex");
const UNTRUSTED = "untrusted comment: ";
const TRUSTED = "trusted comment: ";

/** True for a public key of minisign: `RW…`. */
export function isPublicKey(text: string): boolean {
  try {
    parsePublicKey(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Reads a public key: the line `RW…`, or the file of minisign.
 *
 * @throws MinisignError if it is none
 */
export function parsePublicKey(text: string): { key: KeyObject; id: Uint8Array } {
  const bytes = decode(keyLine(text), 42);
  if (bytes?.toString("latin1", 0, 2) !== ED25519)
    throw new MinisignError("It is not a public key of minisign, RW and 54 more characters.");
  return { id: bytes.subarray(2, 10), key: publicKeyOf(bytes.subarray(10)) };
}

/**
 * Reads a secret key without a password (`minisign -G -W`): the file, or its second line.
 *
 * @throws MinisignError if it is none
 */
export function parseSecretKey(text: string): SecretKey {
  const bytes = decode(keyLine(text), 158);
  if (bytes?.toString("latin1", 0, 2) !== ED25519)
    throw new MinisignError("It is not a secret key of minisign.");
  // The function that turns a password into a key; zeros for none.
  if (bytes.readUInt16LE(2) !== 0)
    throw new MinisignError("It has a password; `minisign -C -W` removes the password of a copy.");
  const id = bytes.subarray(54, 62);
  const publicBytes = bytes.subarray(94, 126);
  const der = Buffer.concat([PKCS8, bytes.subarray(62, 94)]);
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  if (!createPublicKey(key).equals(publicKeyOf(publicBytes)))
    throw new MinisignError("It is damaged: its secret and its public half differ.");
  const publicKey = Buffer.concat([Buffer.from(ED25519), id, publicBytes]).toString("base64");
  return { key, id, publicKey };
}

/** The signature file of these bytes. @param comment one line, which the signature covers too */
export function signBytes({ key, id }: SecretKey, bytes: Uint8Array, comment: string): string {
  const signature = sign(null, hash(bytes), key);
  const whole = sign(null, Buffer.concat([signature, Buffer.from(comment)]), key);
  const named = Buffer.concat([Buffer.from(PREHASHED), id, signature]);
  return [
    `${UNTRUSTED}signature from minisign secret key`,
    named.toString("base64"),
    TRUSTED + comment,
    whole.toString("base64"),
    "",
  ].join("\n");
}

/**
 * Verifies a signature file and returns its trusted comment.
 *
 * @param publicKey as `parsePublicKey` takes it
 * @throws MinisignError if these bytes were not signed with that key
 */
export function verifySignature(publicKey: string, bytes: Uint8Array, file: string): string {
  const { key, id } = parsePublicKey(publicKey);
  const [untrusted = "", second = "", third = "", fourth = ""] = file.split(/\r?\n/);
  const named = decode(second, 74);
  const whole = decode(fourth, 64);
  if (!untrusted.startsWith(UNTRUSTED) || !third.startsWith(TRUSTED) || !named || !whole)
    throw new MinisignError("It is not a signature of minisign.");
  if (named.toString("latin1", 0, 2) !== PREHASHED)
    throw new MinisignError("It is a signature of the legacy form; only the prehashed one counts.");
  if (!named.subarray(2, 10).equals(id)) throw new MinisignError("It was made with another key.");
  const signature = named.subarray(10);
  const comment = third.slice(TRUSTED.length);
  if (!verify(null, hash(bytes), key, signature))
    throw new MinisignError("The signed file was changed, or the signature was forged.");
  if (!verify(null, Buffer.concat([signature, Buffer.from(comment)]), key, whole))
    throw new MinisignError("The trusted comment was changed.");
  return comment;
}

const hash = (bytes: Uint8Array) => createHash("blake2b512").update(bytes).digest();

function publicKeyOf(bytes: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI, bytes]), format: "der", type: "spki" });
}

/** The last line of a key's file that has characters. */
function keyLine(text: string): string {
  return text.trim().split(/\r?\n/).at(-1)?.trim() ?? "";
}

/** Base64 of exactly so many bytes; null for anything else. */
function decode(line: string, length: number): Buffer | null {
  const bytes = Buffer.from(line, "base64");
  return bytes.length === length && bytes.toString("base64") === line ? bytes : null;
}
