import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withUserErrors } from "#store/index.ts";

/** A service that runs on a data folder. */
export interface RunningServer {
  readonly pid: number;
  /** Its address for clients on this machine. */
  readonly url: string;
  /** Its address for users elsewhere; null or left out without one. */
  readonly publicUrl?: string | null;
  /** UTC milliseconds. */
  readonly startedAt: number;
}

const FILE = /^serve-(\d+)\.json$/;

/**
 * Notes in the data folder that a service runs there; the returned function removes the note.
 *
 * @throws BourseError that names the note if it cannot be written
 */
export function noteServer(folder: string, server: RunningServer): () => void {
  // Processes that were killed leave their notes; this removes them.
  listServers(folder);
  const path = join(folder, `serve-${server.pid}.json`);
  // The rename keeps readers from seeing an incomplete note, also after a crash.
  withUserErrors(path, () => {
    writeFileSync(`${path}.new`, JSON.stringify(server), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  });
  return () => rmSync(path, { force: true });
}

/**
 * The services of other processes that run on a data folder, oldest first. Removes the notes of processes
 * that have ended, and damaged ones. In a container every program has the id 1, so a note with the id of
 * this process is of one that has ended.
 */
export function listServers(folder: string): RunningServer[] {
  // A command in a cluster needs no data folder.
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .flatMap((name) => {
      const pid = Number(FILE.exec(name)?.[1]);
      if (Number.isNaN(pid)) return [];
      const path = join(folder, name);
      const note = pid !== process.pid && isRunning(pid) ? readNote(path) : null;
      if (note) return [note];
      rmSync(path, { force: true });
      return [];
    })
    .toSorted((a, b) => a.startedAt - b.startedAt);
}

/** The note at that path; null if it is damaged or was just removed. */
function readNote(path: string): RunningServer | null {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as RunningServer;
  } catch {
    return null;
  }
}

/** True if a process with that id runs on this machine, also one of another user. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process belongs to another user, but it runs.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
