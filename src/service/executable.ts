import { parseJson } from "#lib/json.ts";
import {
  closeSync,
  constants,
  accessSync,
  copyFileSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import type { ReleaseServer } from "#config.ts";
import { BourseError, unavailable } from "#domain/errors.ts";
import { lockFile } from "#store/index.ts";
import { downloadArchive, findArchive, readExecutable, type Release } from "./releases.ts";

/** Longer than the first start of an executable takes on a slow disk. */
const TRIAL_MS = 60_000;

/** An upgrade of an executable. */
export interface ExecutableUpgrade {
  /** The path of the executable. */
  readonly path: string;
  /** As Bun names it: `linux-x64-musl`. */
  readonly target: string;
  /** False if another executable is at the path by now. */
  readonly isInPlace: () => boolean;
  readonly server: ReleaseServer;
  readonly release: Release;
  /** Called with the bytes of the archive that have arrived. */
  readonly progress: (bytes: number) => void;
}

/** A path beside an executable: `bourse.old`, on Windows `bourse.old.exe`. */
const besideOf = (path: string, word: string) => path.replace(/(\.exe)?$/i, `.${word}$1`);

/** Where the previous executable is kept. */
export const oldPathOf = (path: string): string => besideOf(path, "old");

/**
 * Replaces an executable with a release's, and keeps the previous one beside it. At every moment there is a
 * whole executable at the path, also after a crash; on Windows there is none for the moment between two renames.
 *
 * @throws BourseError in one sentence; then the executable is unchanged
 */
export async function upgradeExecutable(upgrade: ExecutableUpgrade): Promise<void> {
  const { path, target, release } = upgrade;
  const archive = findArchive(release, target);
  if (archive === null)
    throw refused(`Release ${release.version} has no archive for ${target}, which this bourse is`);
  refuseUnwritable(path);
  const lock = lockFile(`${path}.lock`);
  if (lock === null) throw refused(`Another upgrade of ${path} is running. Wait until it ends`);
  // An interrupted upgrade leaves it.
  const next = besideOf(path, "new");
  try {
    // Otherwise the newer one would be kept as the old one.
    if (!upgrade.isInPlace())
      throw refused(`Another upgrade has replaced ${path} meanwhile. Run it again`);
    const bytes = await downloadArchive(upgrade.server, release, archive, upgrade.progress);
    await write(next, readExecutable(archive, bytes), path);
    tryExecutable(next, upgrade);
    swap(path, next);
  } catch (error) {
    throw toRefusal(error, path);
  } finally {
    rmSync(next, { force: true });
    lock.release();
  }
}

/** @throws BourseError if this user cannot replace the executable */
function refuseUnwritable(path: string): void {
  try {
    accessSync(dirname(path), constants.W_OK);
  } catch (error) {
    throw toRefusal(error, path);
  }
}

/** A failed call of the system as one sentence with what to do. */
function toRefusal(error: unknown, path: string): unknown {
  if (error instanceof BourseError || !(error instanceof Error) || !("code" in error)) return error;
  const advice: Readonly<Record<string, string>> = {
    EACCES:
      "Run the upgrade as its owner, such as with sudo; if it is in an image, start the newer image",
    EPERM:
      "Run the upgrade as its owner, such as with sudo; if it is in an image, start the newer image",
    EROFS: "Its file system is read-only: if it is in an image, start the newer image",
    ENOSPC: "Its disk is full: free 150 MB, and try again",
    EDQUOT: "The quota of its disk is used up: free 150 MB, and try again",
  };
  const code = String(error.code);
  return refused(
    `${dirname(path)} cannot be written (${code}), and ${path} is unchanged. ${advice[code] ?? "Check the folder, and try again"}`,
  );
}

/**
 * Writes an executable with the owner and the permissions of another one, down to the disk. It makes a new file: a link at
 * that path is replaced, never followed.
 */
async function write(
  path: string,
  content: AsyncIterable<Uint8Array>,
  previous: string,
): Promise<void> {
  const { mode, uid, gid } = statSync(previous);
  rmSync(path, { force: true });
  const file = openSync(path, "wx", 0o700);
  try {
    for await (const piece of content)
      for (let at = 0; at < piece.length;) at += writeSync(file, piece, at);
    if (process.getuid?.() === 0) fchownSync(file, uid, gid);
    fchmodSync(file, mode & 0o7777);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Starts the new executable, which must be the promised version for this machine. @throws BourseError */
function tryExecutable(path: string, { release, target }: ExecutableUpgrade): void {
  let output = "";
  try {
    const child = Bun.spawnSync([path, "--version", "--json"], {
      env: {},
      stderr: "ignore",
      timeout: TRIAL_MS,
    });
    output = child.stdout.toString();
  } catch (error) {
    output = String(error);
  }
  // No JSON if it did not start, or is another program.
  const info = (parseJson(output) ?? {}) as { version?: unknown; target?: unknown };
  if (info.version === release.version && info.target === target) return;
  const found = [info.version, info.target].filter((one) => typeof one === "string").join(" for ");
  throw refused(
    `The new executable ${found === "" ? "does not start here" : `is bourse ${found}`}, and should be bourse ${release.version} for ${target}. The release is wrong, and nothing was replaced`,
  );
}

/** Puts `next` in the place of an executable, which stays beside it. */
function swap(path: string, next: string): void {
  const old = oldPathOf(path);
  if (process.platform === "win32") {
    // Windows replaces no executable that runs, but it can be renamed.
    rmSync(old, { force: true });
    renameSync(path, old);
    try {
      renameSync(next, path);
    } catch (error) {
      renameSync(old, path);
      throw error;
    }
    return;
  }
  const kept = `${old}.new`;
  rmSync(kept, { force: true });
  try {
    linkSync(path, kept);
  } catch {
    // A file system without links.
    copyFileSync(path, kept, constants.COPYFILE_EXCL);
  }
  renameSync(kept, old);
  // After an interrupted upgrade both are links to one file, and such a rename does nothing.
  rmSync(kept, { force: true });
  renameSync(next, path);
  flushFolder(dirname(path));
}

/** Writes the names of a folder down to the disk, if its file system can. */
function flushFolder(path: string): void {
  try {
    const folder = openSync(path, "r");
    fsyncSync(folder);
    closeSync(folder);
  } catch {
    // Everything is in place; after a power failure it may be as before.
  }
}

function refused(reason: string): BourseError {
  return unavailable(`${reason}.`);
}
