import { MinisignError, parsePublicKey, parseSecretKey, type SecretKey } from "#lib/minisign.ts";

/** The variable with the secret key that signs a release: the file of `minisign -G -W`, or its second line. */
export const SIGNING_KEY = "MINISIGN_SECRET_KEY";

/**
 * The key that signs a release; null if the environment has none.
 *
 * @param declared the public key in package.json; empty if there is none
 * @throws Error in one sentence if it is no key, or not the one that the program verifies with
 */
export function readSigningKey(
  env: Readonly<Record<string, string | undefined>>,
  declared: string,
): SecretKey | null {
  const text = env[SIGNING_KEY]?.trim();
  if (!text) return null;
  const key = parse(SIGNING_KEY, () => parseSecretKey(text));
  if (declared === "") return key;
  const { id } = parse("releases.publicKey in package.json", () => parsePublicKey(declared));
  if (declared === key.publicKey && Buffer.from(id).equals(key.id)) return key;
  throw new Error(
    `package.json declares the public key ${declared}, but ${SIGNING_KEY} belongs to ${key.publicKey}: no installed bourse would accept this release.`,
  );
}

function parse<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof MinisignError) throw new Error(`${place}: ${error.message}`);
    throw error;
  }
}
