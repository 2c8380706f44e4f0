import { statSync } from "node:fs";

/** A log of this size is worth a checkpoint: 1,000 pages, SQLite's own default. */
const WORTHWHILE_BYTES = 1_000 * 4_096;

/** The script of the thread. It is a text, not a file, so that it is part of the compiled program. */
const scriptFor = (path: string): string => `
  import { Database } from "bun:sqlite";
  const database = new Database(${JSON.stringify(path)}, { readwrite: true, create: false });
  // The first moves the pages and blocks no reader or writer. The second one does, but is short.
  database.run("PRAGMA wal_checkpoint(PASSIVE)");
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();`;

/**
 * Moves a log (WAL) of 4 MB or more into its database file and empties it, in a separate thread.
 *
 * The promise resolves when the thread has ended, even if the checkpoint failed; the next
 * checkpoint then moves the pages.
 */
export async function checkpointInThread(path: string): Promise<void> {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (!log || log.size < WORTHWHILE_BYTES) return;
  const url = URL.createObjectURL(new Blob([scriptFor(path)], { type: "text/javascript" }));
  const worker = new Worker(url, { smol: true });
  const ended = new Promise<void>((resolve) => {
    worker.addEventListener("error", () => resolve());
    worker.addEventListener("close", () => resolve());
  });
  await ended;
  URL.revokeObjectURL(url);
}
