import { existsSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import type { BackupConfig } from "#config.ts";
import type { ServiceStatus } from "#http/service-reports.ts";
import { PROGRAM } from "#lib/compiled.ts";
import { fileTimeOf } from "#lib/date.ts";
import type { Log } from "#lib/log.ts";
import { createFolder } from "#store/files.ts";
import { removePartialBackups } from "./backup-archive.ts";
import {
  describeAge,
  noteAttempt,
  readRecord,
  RetryPause,
  type RunRecord,
} from "./scheduled-runs.ts";

/** The result of the last attempt to back up a data folder; null if there was none. */
type LastBackup = ServiceStatus["lastBackup"];

/** The record of backups in a data folder. */
interface BackupRecord extends RunRecord {
  /** Why the command after the last scheduled backup failed; null or left out if it did not. */
  readonly commandError?: string | null | undefined;
}

const RECORD = "last-backup.json";
/** A name such as `bourse-20261120T173000Z.tar.gz`. */
const ARCHIVE = /^bourse-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.tar\.gz$/;

const readBackups = (dataFolder: string): BackupRecord =>
  readRecord<BackupRecord>(dataFolder, RECORD);

/** Notes in the data folder how the last attempt ended; `error` is null after a success. */
export function noteBackup(
  dataFolder: string,
  at: number,
  error: string | null,
  commandError = readBackups(dataFolder).commandError,
): void {
  noteAttempt(dataFolder, RECORD, { at, error }, { commandError });
}

/** The result of the last attempt to back up the data folder, by any process; null if there was none. */
export function findLastBackup(dataFolder: string): LastBackup {
  return readBackups(dataFolder).last;
}

/**
 * Why the backups of a data folder need attention, in one sentence; null if they do not.
 *
 * @param since when the schedule began if no backup succeeded since then, UTC milliseconds
 */
export function findBackupWarning(
  dataFolder: string,
  { everyMs }: BackupConfig,
  times: { now: number; since: number },
): string | null {
  const record = readBackups(dataFolder);
  if (record.last?.error) return `The last backup failed: ${record.last.error}`;
  if (record.commandError)
    return `The command after the last backup failed: ${record.commandError}`;
  return everyMs === null ? null : describeAge("backup", record, { everyMs, ...times });
}

/** The dependencies of `Backups`. */
export interface BackupsParts {
  readonly dataFolder: string;
  readonly config: BackupConfig;
  readonly clock: () => number;
  readonly log: Log;
  /** Writes an archive in another process. Resolves with null, or with the error in one sentence. */
  readonly write: (file: string) => Promise<string | null>;
  /** Runs the operator's command for an archive. Resolves as `write`. */
  readonly runCommand: (command: string, file: string) => Promise<string | null>;
}

/** Writes backups of a service's data folder: on schedule and on request. */
export class Backups {
  readonly #parts: BackupsParts;
  readonly #startedAt: number;
  #running: Promise<LastBackup> | null = null;
  readonly #pause = new RetryPause();
  /** The last warning in the log. */
  #warned: string | null = null;

  constructor(parts: BackupsParts) {
    this.#parts = parts;
    this.#startedAt = parts.clock();
  }

  /** The result of the last attempt, by this process or another; null if there was none. */
  last(): LastBackup {
    return findLastBackup(this.#parts.dataFolder);
  }

  /** When the last backup succeeded, UTC milliseconds; null if none did. */
  succeededAt(): number | null {
    return readBackups(this.#parts.dataFolder).succeededAt;
  }

  /**
   * Why the backups need attention, in one sentence; null if they do not. Anyone may read it at
   * `/health/ready`, so it names no path, as the reason of a failure does.
   */
  warning(): string | null {
    const { dataFolder, config, clock } = this.#parts;
    if (this.last()?.error) return `The last backup failed; \`${PROGRAM} doctor\` says why.`;
    if (readBackups(dataFolder).commandError)
      return `The command after the last backup failed; \`${PROGRAM} doctor\` says why.`;
    return findBackupWarning(dataFolder, config, { now: clock(), since: this.#startedAt });
  }

  /** Writes a backup if one is due. Logs each new warning once. */
  async runIfDue(): Promise<void> {
    const { folder } = this.#parts.config;
    try {
      if (existsSync(folder)) removePartialBackups(folder);
    } catch {
      // The next backup fails too, and says why.
    }
    if (this.#isDue()) await this.run();
    const warning = this.warning();
    if (warning !== null && warning !== this.#warned) {
      this.#parts.log.warn("backups need attention", { reason: warning });
    }
    this.#warned = warning;
  }

  /** Writes a backup now and removes the oldest ones. A second call waits for the running one. */
  run(): Promise<LastBackup> {
    this.#running ??= this.#write().finally(() => (this.#running = null));
    return this.#running;
  }

  #isDue(): boolean {
    const { config, clock } = this.#parts;
    if (config.everyMs === null) return false;
    const now = clock();
    const last = this.last();
    if (this.#pause.isRunning(last, { now, everyMs: config.everyMs })) return false;
    if (last?.error) return true;
    const newest = listArchives(config.folder).at(-1);
    // A clock that stepped back does not stop the backups.
    return newest === undefined || Math.abs(now - timeOf(newest)) >= config.everyMs;
  }

  async #write(): Promise<LastBackup> {
    const { dataFolder, config, clock, log, write, runCommand } = this.#parts;
    const at = clock();
    const name = `bourse-${fileTimeOf(at)}.tar.gz`;
    const error = await writeInto(config.folder, name, write);
    let commandError: string | null = null;
    this.#pause.note({ at, error });
    if (error === null) {
      log.info("backed up", { folder: config.folder });
      prune(config);
      if (config.command !== null)
        commandError = await runCommand(config.command, resolve(config.folder, name)).catch(String);
      if (commandError !== null)
        log.warn("the command after a backup failed", { reason: commandError });
    } else {
      log.error("the backup failed", { reason: error });
    }
    noteBackup(dataFolder, at, error, commandError);
    return { at, error };
  }
}

async function writeInto(
  folder: string,
  name: string,
  write: BackupsParts["write"],
): Promise<string | null> {
  try {
    createFolder(folder);
    return await write(resolve(folder, name));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The names of the scheduled archives, oldest first. */
function listArchives(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => ARCHIVE.test(name))
      .toSorted();
  } catch {
    return [];
  }
}

/** When an archive was begun, UTC milliseconds. */
function timeOf(name: string): number {
  return Date.parse(name.replace(ARCHIVE, "$1-$2-$3T$4:$5:$6Z"));
}

/** Removes all but the newest archives. */
function prune({ folder, keep }: BackupConfig): void {
  for (const name of listArchives(folder).slice(0, -keep))
    rmSync(join(folder, name), { force: true });
}
