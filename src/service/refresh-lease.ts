import { join } from "node:path";
import type { Log } from "#lib/log.ts";
import { type FileLock, isLocked, lockFile, withUserErrors } from "#store/index.ts";
import { replaceFile } from "#store/files.ts";
import { readJsonFile } from "./json-file.ts";
import type { RunningServer } from "./servers.ts";

/** How often a service looks if it still has the right, or can take it. */
const LOOK_MS = 1_000;

/** The service that has the right to refresh a market. */
export type RefreshHolder = Pick<RunningServer, "pid" | "url">;

/**
 * The right to call sources for a data folder. Of several services on one folder, one has it, until it ends in
 * any way or its locked file is removed. The others only answer.
 */
export class RefreshLease {
  readonly #folder: string;
  readonly #log: Log;
  #lock: FileLock | null = null;
  #timer: ReturnType<typeof setInterval> | null = null;
  /** The last reason for which the right could not be taken. */
  #failure: string | null = null;

  constructor(folder: string, log: Log) {
    this.#folder = folder;
    this.#log = log;
  }

  /** True if this service calls the sources. */
  get isHeld(): boolean {
    return this.#lock?.isHeld() === true;
  }

  /**
   * Takes the right whenever no other service has it; `taken` is called then, and `lost` if it was lost.
   *
   * @throws BourseError if the folder cannot be written
   */
  start(service: RefreshHolder, taken: () => void, lost = () => {}): void {
    if (this.#take(service)) taken();
    else {
      const other = findRefresher(this.#folder);
      this.#log.warn(
        "another service on this folder refreshes the market; this one only answers until that one ends",
        other ? { pid: other.pid, url: other.url } : {},
      );
    }
    this.#timer = setInterval(() => this.#look(service, taken, lost), LOOK_MS);
  }

  /** Gives the right to another service. */
  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    this.#release();
  }

  #look(service: RefreshHolder, taken: () => void, lost: () => void): void {
    if (this.isHeld) return;
    if (this.#lock) {
      this.#log.warn("refresh.lock was removed or replaced; another service can take the refresh");
      this.#release();
      lost();
    }
    try {
      if (!this.#take(service)) return;
    } catch (error) {
      // Once for each cause: this service answers meanwhile.
      const cause = String(error);
      if (cause !== this.#failure)
        this.#log.error("no service refreshes the market", { error: cause });
      this.#failure = cause;
      return;
    }
    this.#log.info("no other service holds refresh.lock; this one refreshes the market now");
    taken();
  }

  #take(service: RefreshHolder): boolean {
    const { lock: path, note } = pathsOf(this.#folder);
    // It does not wait, unlike an attempt to lock.
    if (isLocked(path)) return false;
    const lock = lockFile(path);
    if (!lock) return false;
    try {
      withUserErrors(note, () => replaceFile(note, JSON.stringify(service)));
    } catch (error) {
      lock.release();
      throw error;
    }
    this.#lock = lock;
    this.#failure = null;
    return true;
  }

  #release(): void {
    this.#lock?.release();
    this.#lock = null;
  }
}

/** The service that refreshes the market of a folder; null if none does. */
export function findRefresher(folder: string): RefreshHolder | null {
  const { lock, note } = pathsOf(folder);
  // A service that has just taken the lock has no note.
  return isLocked(lock) ? readJsonFile(note) : null;
}

function pathsOf(folder: string) {
  return { lock: join(folder, "refresh.lock"), note: join(folder, "refresh.json") };
}
