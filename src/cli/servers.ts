import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A service that runs on a data folder. */
export interface RunningServer {
  readonly pid: number;
  /** Its address for clients on this machine. */
  readonly url: string;
  /** UTC milliseconds. */
  readonly startedAt: number;
}

const FILE = /^serve-(\d+)\.json$/;

/** Notes in the data folder that a service runs there; the returned function removes the note. */
export function noteServer(folder: string, server: RunningServer): () => void {
  // Processes that were killed leave their notes; this removes them.
  listServers(folder);
  const path = join(folder, `serve-${server.pid}.json`);
  writeFileSync(path, JSON.stringify(server), { mode: 0o600 });
  return () => rmSync(path, { force: true });
}

/** The services that run on a data folder, oldest first. Removes the notes of processes that have ended. */
export function listServers(folder: string): RunningServer[] {
  return readdirSync(folder)
    .flatMap((name) => {
      const pid = Number(FILE.exec(name)?.[1]);
      if (Number.isNaN(pid)) return [];
      const path = join(folder, name);
      if (isRunning(pid)) return [JSON.parse(readFileSync(path, "utf8")) as RunningServer];
      rmSync(path, { force: true });
      return [];
    })
    .toSorted((a, b) => a.startedAt - b.startedAt);
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
