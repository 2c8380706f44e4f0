import { statSync } from "node:fs";
import { runInThread } from "./sqlite-thread.ts";

/** A log of this size is worth a checkpoint: 1,000 pages, SQLite's own default. */
const WORTHWHILE_BYTES = 1_000 * 4_096;

/**
 * Moves a log (WAL) of 4 MB or more into its database file and empties it, in a separate thread.
 *
 * The promise resolves when the thread has ended, even if the checkpoint failed; the next
 * checkpoint then moves the pages.
 */
export async function checkpointInThread(path: string): Promise<void> {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (!log || log.size < WORTHWHILE_BYTES) return;
  // The first moves the pages and blocks no reader or writer. The second one does, but is short.
  const modes = ["PASSIVE", "TRUNCATE"];
  await runInThread(
    path,
    modes.map((mode) => `PRAGMA wal_checkpoint(${mode})`),
  );
}
