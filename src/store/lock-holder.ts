import { readFileSync, statSync } from "node:fs";

const WRITE_LOCK = /(?:POSIX|OFDLCK)\s+\S+\s+WRITE\s+(\d+)\s+[\da-f]+:[\da-f]+:(\d+)\s/;

/**
 * The id of another process that holds a write lock on a database file, by Linux's list of locks. Null if there is
 * none or it is unknown, as on other systems.
 */
export function findLockHolder(path: string): number | null {
  // With a log (WAL), the locks are on the shared memory.
  const inodes = [path, `${path}-shm`].flatMap(
    (file) => statSync(file, { throwIfNoEntry: false })?.ino ?? [],
  );
  for (const line of listLocks()) {
    const [, pid, inode] = WRITE_LOCK.exec(line) ?? [];
    if (inodes.includes(Number(inode)) && Number(pid) !== process.pid) return Number(pid);
  }
  return null;
}

function listLocks(): string[] {
  try {
    return readFileSync("/proc/locks", "utf8").split("\n");
  } catch {
    return [];
  }
}
