import { join, resolve } from "node:path";
import type { ExportConfig } from "#config.ts";
import { listExports, pruneExports, removePartialExports } from "#exports/exported-files.ts";
import { PROGRAM } from "#lib/compiled.ts";
import { fileTimeOf } from "#lib/date.ts";
import type { Log } from "#lib/log.ts";
import { createFolder } from "#store/files.ts";
import {
  type Attempt,
  describeAge,
  noteAttempt,
  readRecord,
  RetryPause,
} from "./scheduled-runs.ts";

const RECORD = "last-export.json";

/** The result of the last scheduled export of a data folder, by any process; null if there was none. */
export function findLastExport(dataFolder: string): Attempt | null {
  return readRecord(dataFolder, RECORD).last;
}

/**
 * Why the scheduled exports of a data folder need attention, in one sentence; null if they do not, also while they
 * are off.
 *
 * @param since when the schedule began if no export succeeded since then, UTC milliseconds
 */
export function findExportWarning(
  dataFolder: string,
  { everyMs }: ExportConfig,
  times: { now: number; since: number },
): string | null {
  if (everyMs === null) return null;
  const record = readRecord(dataFolder, RECORD);
  if (record.last?.error) return `The last export failed: ${record.last.error}`;
  return describeAge("export", record, { everyMs, ...times });
}

/** The dependencies of `Exports`. */
export interface ExportsParts {
  readonly dataFolder: string;
  readonly config: ExportConfig;
  readonly clock: () => number;
  readonly log: Log;
  /** True once the market is worth an export: the figures of all companies are known. */
  readonly isReady: () => boolean;
  /** Writes an export in another process. Resolves with null, or with the error in one sentence. */
  readonly write: (folder: string) => Promise<string | null>;
}

/**
 * Exports the market of a service on a schedule. A period begins at a multiple of `everyMs` since 1970, so that the
 * nodes of a cluster export at the same time: equal markets then have equal files.
 */
export class Exports {
  readonly #parts: ExportsParts;
  readonly #startedAt: number;
  readonly #pause = new RetryPause();
  /** The last warning in the log. */
  #warned: string | null = null;

  constructor(parts: ExportsParts) {
    this.#parts = parts;
    this.#startedAt = parts.clock();
  }

  /** When the last export succeeded, UTC milliseconds; null if none did. */
  succeededAt(): number | null {
    return readRecord(this.#parts.dataFolder, RECORD).succeededAt;
  }

  /** Why the exports need attention, in one sentence without a path; null if they do not. */
  warning(): string | null {
    const { dataFolder, config, clock } = this.#parts;
    if (config.everyMs !== null && findLastExport(dataFolder)?.error)
      return `The last export failed; \`${PROGRAM} doctor\` says why.`;
    return findExportWarning(dataFolder, config, { now: clock(), since: this.#startedAt });
  }

  /** Writes an export if one is due. Logs each new warning once. */
  async runIfDue(): Promise<void> {
    if (this.#isDue()) await this.#run();
    const warning = this.warning();
    if (warning !== null && warning !== this.#warned) {
      this.#parts.log.warn("exports need attention", { reason: warning });
    }
    this.#warned = warning;
  }

  #isDue(): boolean {
    const { config, clock, dataFolder, isReady } = this.#parts;
    const { everyMs, folder } = config;
    if (everyMs === null || !isReady()) return false;
    const now = clock();
    const last = findLastExport(dataFolder);
    if (this.#pause.isRunning(last, { now, everyMs })) return false;
    const periodOf = (at: number) => Math.floor(at / everyMs);
    // A clock that stepped back does not stop the exports.
    const hasCurrent = last?.error === null && periodOf(last.at) === periodOf(now);
    return !hasCurrent || listExports(folder).length === 0;
  }

  async #run(): Promise<void> {
    const { dataFolder, config, clock, log, write } = this.#parts;
    const at = clock();
    let error: string | null;
    try {
      createFolder(config.folder);
      removePartialExports(config.folder);
      error = await write(resolve(join(config.folder, fileTimeOf(at))));
      if (error === null) pruneExports(config.folder, config.keep);
    } catch (thrown) {
      error = thrown instanceof Error ? thrown.message : String(thrown);
    }
    this.#pause.note({ at, error });
    if (error === null) log.info("exported", { folder: config.folder });
    else log.error("the export failed", { reason: error });
    noteAttempt(dataFolder, RECORD, { at, error });
  }
}
