import type { Config, UpdateConfig } from "#config.ts";
import type { ServiceStatus } from "#http/service-reports.ts";
import type { Log } from "#lib/log.ts";
import { formatMoment } from "#lib/table.ts";
import { PROGRAM, VERSION } from "./program.ts";
import { readNewestRelease } from "./releases.ts";
import { noteAttempt, readRecord, type RunRecord } from "./scheduled-runs.ts";

/** What the service knows of newer versions; null if it does not ask. */
export type Updates = ServiceStatus["updates"];

/** The record of questions in a data folder. */
interface UpdateRecord extends RunRecord {
  /** The newest version that is released; left out before the first answer. */
  readonly newest?: string;
}

const RECORD = "last-update-check.json";
const DAY_MS = 86_400_000;

const readUpdates = (dataFolder: string): UpdateRecord =>
  readRecord<UpdateRecord>(dataFolder, RECORD);

/** True if version `a` is newer than `b`. */
export const isNewerVersion = (a: string, b: string): boolean => Bun.semver.order(a, b) > 0;

/** The result of the last question, by any process of the data folder; null if the service does not ask. */
export function findUpdates({
  dataFolder,
  updates,
}: Pick<Config, "dataFolder" | "updates">): Updates {
  if (!updates.isOn) return null;
  const { last, newest = null } = readUpdates(dataFolder);
  return {
    newest,
    isNewer: newest !== null && isNewerVersion(newest, VERSION),
    askedAt: last?.at ?? null,
    error: last?.error ?? null,
  };
}

/** What an operator should know of newer versions, in one sentence. */
export function describeUpdates({ newest, isNewer, askedAt, error }: NonNullable<Updates>): string {
  if (isNewer)
    return `bourse ${newest} is released, and this is ${VERSION}: \`${PROGRAM} upgrade\` installs it.`;
  if (error !== null) return `The last question for a newer version failed: ${error}`;
  if (askedAt === null) return "The service asks a minute after its start, then once a day.";
  return `The newest version is ${newest}, asked at ${formatMoment(askedAt)}.`;
}

/** The dependencies of `UpdateCheck`. */
export interface UpdateCheckParts {
  readonly dataFolder: string;
  readonly config: UpdateConfig;
  readonly clock: () => number;
  readonly log: Log;
}

/** Asks the release server once a day for the newest version, if the settings say so. */
export class UpdateCheck {
  readonly #parts: UpdateCheckParts;
  readonly #stopping = new AbortController();
  /** The last question of this process, because a full disk keeps no record. */
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: UpdateCheckParts) {
    this.#parts = parts;
  }

  /** Asks if a day has passed since the last question, also if that had no answer. */
  async runIfDue(): Promise<void> {
    const { dataFolder, config, clock, log } = this.#parts;
    const { last, newest: known } = readUpdates(dataFolder);
    const at = clock();
    // A clock that stepped back does not stop the questions.
    const isDue = [last?.at ?? Number.NEGATIVE_INFINITY, this.#askedAt].every(
      (asked) => Math.abs(at - asked) >= DAY_MS,
    );
    if (!config.isOn || config.server === null || !isDue) return;
    this.#askedAt = at;
    let error: string | null = null;
    let newest = known;
    try {
      newest = (await readNewestRelease(config.server, this.#stopping.signal)).version;
    } catch (failure) {
      if (this.#stopping.signal.aborted) return;
      error = failure instanceof Error ? failure.message : String(failure);
    }
    noteAttempt(dataFolder, RECORD, { at, error }, { newest });
    if (error !== null) log.warn("the question for a newer version failed", { reason: error });
    else if (newest !== undefined && newest !== known && isNewerVersion(newest, VERSION))
      log.info("a newer version is released", { version: newest });
  }

  /** Ends a question that is under way. */
  stop(): void {
    this.#stopping.abort();
  }
}
