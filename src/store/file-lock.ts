import { Database } from "bun:sqlite";
import { existsSync, rmSync } from "node:fs";
import { isDatabaseBusy } from "#domain/errors.ts";
import { createFile, setBusyTimeout, withUserErrors } from "./database.ts";
import { identityOf } from "./file-check.ts";

/** Longer than `isLocked` takes in another process. */
const ATTEMPT_MS = 200;

/** A locked file. */
export interface FileLock {
  /** False once the file was removed or replaced: another process can then lock the path too. */
  isHeld(): boolean;
  /** Removes the file, unless another one is at its path, and unlocks it. */
  release(): void;
}

/** The connections that hold a lock. A connection without a reference would be collected and closed. */
const holders = new Set<Database>();

/**
 * Creates a file and locks it until the lock is released or this process ends in any way. Null if it is locked
 * already. Anyone can remove the file, so a long work looks again and again if the lock is still held.
 *
 * The lock is SQLite's own on an empty database. The operating system releases it with the process, and
 * every process that sees the file sees the lock, also one in another container on the same machine.
 *
 * @throws BourseError that names the file if it cannot be written
 */
export function lockFile(path: string): FileLock | null {
  return withUserErrors(path, () => {
    createFile(path, "a");
    const opened = identityOf(path);
    const database = new Database(path, { strict: true });
    try {
      setBusyTimeout(database, ATTEMPT_MS);
      // Without a file for the journal, which a killed process would leave.
      database.run("PRAGMA journal_mode = MEMORY");
      database.run("BEGIN EXCLUSIVE");
    } catch (error) {
      database.close();
      if (isDatabaseBusy(error)) return null;
      throw error;
    }
    // Its owner may have removed the file while this process waited.
    if (identityOf(path) !== opened) {
      database.close();
      return null;
    }
    holders.add(database);
    const isHeld = () => identityOf(path) === opened;
    return {
      isHeld,
      release() {
        holders.delete(database);
        // While it is locked, so that no other process locks a file that has no name. Windows removes no open file.
        const isOwn = isHeld();
        if (isOwn && process.platform !== "win32") rmSync(path, { force: true });
        database.close();
        if (isOwn && process.platform === "win32") rmSync(path, { force: true });
      },
    };
  });
}

/** True if a process has locked the file by `lockFile`, also this one. */
export function isLocked(path: string): boolean {
  if (!existsSync(path)) return false;
  return withUserErrors(path, () => {
    // A read waits for the exclusive lock only, so two processes that look do not see each other.
    const database = new Database(path, { readonly: true });
    try {
      setBusyTimeout(database, 0);
      database.query("SELECT 1 FROM sqlite_schema").get();
      return false;
    } catch (error) {
      if (isDatabaseBusy(error)) return true;
      throw error;
    } finally {
      database.close();
    }
  });
}
