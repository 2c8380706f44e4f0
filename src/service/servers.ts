import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type FileLock, isLocked, lockFile, withUserErrors } from "#store/index.ts";
import { replaceFile } from "#store/files.ts";
import { readJsonFile } from "./json-file.ts";

/** A service that runs on a data folder. */
export interface RunningServer {
  /** Its process id, for people. In a container it is another process of this machine, or none. */
  readonly pid: number;
  /** Its address for clients on this machine. */
  readonly url: string;
  /** Its address for users elsewhere; null or left out without one. */
  readonly publicUrl?: string | null;
  /** UTC milliseconds. */
  readonly startedAt: number;
}

/** How often a service looks if its note and its locked file are still there. */
const LOOK_MS = 1_000;

const FILE = /^serve-(.+)\.json$/;

/**
 * Notes in the data folder that a service runs there; the returned function removes the note. A locked file
 * beside the note shows that the service still runs, because process ids are used again, and differ between
 * containers. If one of them is removed by hand, the service writes both again.
 *
 * @throws BourseError that names the note if it cannot be written
 */
export function noteServer(folder: string, server: RunningServer): () => void {
  // Processes that were killed leave their notes; this removes them.
  listServers(folder);
  const id = crypto.randomUUID();
  const { note, lock } = pathsOf(folder, id);
  let held: FileLock | null = null;
  const write = () => {
    held?.release();
    held = lockFile(lock);
    // The rename keeps readers from seeing an incomplete note, also after a crash.
    withUserErrors(note, () => replaceFile(note, JSON.stringify(server)));
  };
  write();
  const timer = setInterval(() => {
    if (held?.isHeld() && existsSync(note)) return;
    try {
      write();
    } catch {
      // The next look tries again: the service answers without a note.
    }
  }, LOOK_MS).unref();
  return () => {
    clearInterval(timer);
    rmSync(note, { force: true });
    held?.release();
  };
}

/** The services that run on a data folder, oldest first. Removes the notes of services that have ended. */
export function listServers(folder: string): RunningServer[] {
  // A command in a cluster needs no data folder.
  if (!existsSync(folder)) return [];
  return withUserErrors(folder, () => readdirSync(folder))
    .flatMap((name) => {
      const id = FILE.exec(name)?.[1];
      if (id === undefined) return [];
      const { note, lock } = pathsOf(folder, id);
      if (isLocked(lock)) return readJsonFile<RunningServer>(note) ?? [];
      for (const path of [note, lock]) rmSync(path, { force: true });
      return [];
    })
    .toSorted((a, b) => a.startedAt - b.startedAt);
}

/** The note of a service and its locked file. */
function pathsOf(folder: string, id: string) {
  const path = join(folder, `serve-${id}`);
  return { note: `${path}.json`, lock: `${path}.lock` };
}
