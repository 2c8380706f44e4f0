import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { invalidArgument, unavailable } from "#domain/errors.ts";
import { createFolder, replaceFile } from "#store/files.ts";
import { type FileLock, isLocked, lockFile, withUserErrors } from "#store/index.ts";
import { findManifest, type Manifest, MANIFEST } from "./manifest.ts";
import { type FileIdentity, WrittenFile } from "./written-file.ts";

/** The folder within the export's folder in which files are made, and the locked file in it. */
const WORK = ".bourse-export";
const LOCK = "export.lock";

/**
 * The folder of an export that is being written. Its files are made aside, so that a reader sees each of them whole
 * or not at all. The manifest comes last.
 */
export class ExportFolder {
  readonly #folder: string;
  readonly #work: string;
  readonly #lock: FileLock;
  /** The first folder that was created for the export; null if there was the whole path. */
  readonly #created: string | null;
  /** The paths of the files so far, in the order of their names in the work folder. */
  readonly #paths: string[] = [];

  /** @throws BourseError if the folder cannot be written, has a foreign manifest, or another export writes to it */
  constructor(folder: string) {
    this.#folder = folder;
    this.#work = join(folder, WORK);
    if (existsSync(join(folder, MANIFEST)) && !findManifest(folder)) {
      throw invalidArgument(
        `${join(folder, MANIFEST)} is not from \`bourse export\`; name another folder.`,
      );
    }
    [this.#created, this.#lock] = withUserErrors(folder, () => {
      const created = createFolder(folder) ?? null;
      return [created, this.#begin()];
    });
  }

  #begin(): FileLock {
    // What a killed export left.
    if (existsSync(this.#work) && !isBeingWritten(this.#folder))
      rmSync(this.#work, { recursive: true, force: true });
    mkdirSync(this.#work, { recursive: true, mode: 0o700 });
    const lock = lockFile(join(this.#work, LOCK));
    if (lock) return lock;
    throw unavailable(
      `Another export is being written to ${this.#folder}. Wait until it ends, or name another folder.`,
    );
  }

  /**
   * Writes the file that gets this path. `isSynced`: its content is on the disk then, which takes milliseconds.
   */
  async write(
    path: string,
    isSynced: boolean,
    work: (append: (bytes: Uint8Array) => void) => void | Promise<void>,
  ): Promise<FileIdentity> {
    const file = new WrittenFile(this.#partOf(this.#paths.push(path) - 1));
    try {
      await work((bytes) => file.append(bytes));
      return file.finish({ isSynced });
    } catch (error) {
      file.abandon();
      throw error;
    }
  }

  /** The path of a file for the time of the export. */
  scratch(name: string): string {
    return join(this.#work, name);
  }

  #partOf(index: number): string {
    return join(this.#work, `${index}.part`);
  }

  /** Moves all files to their paths, removes the files of the export before, and writes the manifest. */
  publish(manifest: Manifest): void {
    const before = findManifest(this.#folder);
    const folders = new Set(this.#paths.map((path) => dirname(join(this.#folder, path))));
    for (const path of folders) mkdirSync(path, { recursive: true, mode: 0o700 });
    for (const [i, path] of this.#paths.entries())
      renameSync(this.#partOf(i), join(this.#folder, path));
    replaceFile(join(this.#folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
    const written = new Set(this.#paths);
    for (const { path } of before?.files ?? []) if (!written.has(path)) this.#remove(path);
  }

  #remove(path: string): void {
    // A manifest that someone changed names no file elsewhere.
    if (path.split("/").includes("..") || path.startsWith("/")) return;
    rmSync(join(this.#folder, path), { force: true });
    removeIfEmpty(dirname(join(this.#folder, path)));
  }

  /** Removes what is left in the work folder; after a failure also folders that this export has created. */
  close({ isFailed }: { isFailed: boolean }): void {
    this.#lock.release();
    rmSync(this.#work, { recursive: true, force: true });
    if (!isFailed || this.#created === null) return;
    for (let path = this.#folder; removeIfEmpty(path) && path !== this.#created;)
      path = dirname(path);
  }
}

function removeIfEmpty(folder: string): boolean {
  if (!existsSync(folder) || readdirSync(folder).length > 0) return false;
  rmdirSync(folder);
  return true;
}

/** True while an export is written to the folder. */
export function isBeingWritten(folder: string): boolean {
  return isLocked(join(folder, WORK, LOCK));
}
