import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "./files.ts";

/** The file with the key of links to files, in hexadecimal digits. No backup has it. */
const LINK_SECRET = "link-secret";
const BYTES = 32;

/** A new random key of links. */
export function createLinkSecret(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(BYTES));
}

/**
 * The key of links of a data folder, which is created if it is missing or damaged. The file is read each time, so all
 * processes on the folder have the same key, and removing the file ends all links.
 */
export function readLinkSecret(folder: string): Uint8Array {
  const path = join(folder, LINK_SECRET);
  const find = () => {
    const text = existsSync(path) ? readFileSync(path, "latin1").trim() : "";
    return /^[\da-f]+$/.test(text) && text.length === 2 * BYTES ? Uint8Array.fromHex(text) : null;
  };
  const found = find();
  if (found) return found;
  const secret = createLinkSecret();
  replaceFile(path, `${secret.toHex()}\n`);
  // Another process may have replaced it at the same moment.
  return find() ?? secret;
}

/** Removes the key, which ends all links. The next link has a new key. */
export function removeLinkSecret(folder: string): void {
  rmSync(join(folder, LINK_SECRET), { force: true });
}
