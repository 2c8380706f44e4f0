import { lchownSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Gives a file or folder that root has created to the owner of the folder that it is in. Otherwise a service that
 * runs as that owner could not open what `sudo bourse restore` writes. Other users keep what they create.
 */
export function giveToOwner(path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(resolve(path)));
  // Not what a link leads to.
  if (uid !== 0) lchownSync(path, uid, gid);
}

/** Creates a folder that only its owner can open, with those above it. Returns the first one that was missing, if any. */
export function createFolder(path: string): string | undefined {
  const folder = resolve(path);
  const first = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (first !== undefined) {
    const created = [folder];
    while (created[0] !== undefined && created[0] !== first) created.unshift(dirname(created[0]));
    for (const one of created) giveToOwner(one);
  }
  return first;
}

/** Writes a small file that only its owner can read. A reader never sees a part of it, also after a crash. */
export function replaceFile(path: string, text: string): void {
  // Two services can start on one folder at the same moment.
  const next = `${path}.${crypto.randomUUID()}.new`;
  try {
    writeFileSync(next, text, { mode: 0o600 });
    giveToOwner(next);
    renameSync(next, path);
  } catch (error) {
    // Some callers try again every second, for example while the disk is full.
    rmSync(next, { force: true });
    throw error;
  }
}
