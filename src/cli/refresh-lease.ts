import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "#lib/log.ts";
import { isLocked, lockFile, withUserErrors } from "#store/index.ts";
import { replaceFile } from "#store/files.ts";
import type { RunningServer } from "./servers.ts";

/** How often a service that only answers tries to take the refresh over. */
const TRY_MS = 1_000;

/** The service that refreshes a market. */
export type Refresher = Pick<RunningServer, "pid" | "url">;

/**
 * The right to call sources for a data folder. Of several services on one folder, one has it, until it ends in
 * any way. The others only answer.
 */
export class RefreshLease {
  readonly #folder: string;
  readonly #log: Log;
  #release: (() => void) | null = null;
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor(folder: string, log: Log) {
    this.#folder = folder;
    this.#log = log;
  }

  /** True if this service calls the sources. */
  get isHeld(): boolean {
    return this.#release !== null;
  }

  /**
   * Takes the right as soon as no other service has it; `taken` is called then.
   *
   * @throws BourseError if the folder cannot be written
   */
  start(service: Refresher, taken: () => void): void {
    if (this.#take(service)) return taken();
    const other = findRefresher(this.#folder);
    this.#log.warn(
      "another service on this folder refreshes the market; this one only answers until that one ends",
      other ? { pid: other.pid, url: other.url } : {},
    );
    let failure: string | null = null;
    this.#timer = setInterval(() => {
      try {
        if (!this.#take(service)) return;
      } catch (error) {
        // Once for each cause: this service answers meanwhile.
        const cause = String(error);
        if (cause !== failure) this.#log.error("no service refreshes the market", { error: cause });
        failure = cause;
        return;
      }
      this.#log.info("the other service has ended; this one refreshes the market now");
      this.#stopTrying();
      taken();
    }, TRY_MS);
  }

  /** Gives the right to another service. */
  stop(): void {
    this.#stopTrying();
    this.#release?.();
    this.#release = null;
  }

  #stopTrying(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  #take(service: Refresher): boolean {
    const { lock, note } = pathsOf(this.#folder);
    // It does not wait, unlike an attempt to lock.
    if (isLocked(lock)) return false;
    const release = lockFile(lock);
    if (!release) return false;
    try {
      withUserErrors(note, () => replaceFile(note, JSON.stringify(service)));
    } catch (error) {
      release();
      throw error;
    }
    this.#release = release;
    return true;
  }
}

/** The service that refreshes the market of a folder; null if none does. */
export function findRefresher(folder: string): Refresher | null {
  const { lock, note } = pathsOf(folder);
  if (!isLocked(lock)) return null;
  try {
    return JSON.parse(readFileSync(note, "utf8")) as Refresher;
  } catch {
    // It has just taken the lock.
    return null;
  }
}

function pathsOf(folder: string) {
  return { lock: join(folder, "refresh.lock"), note: join(folder, "refresh.json") };
}
