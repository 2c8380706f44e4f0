import { join } from "node:path";
import { replaceFile } from "#store/files.ts";
import { readJsonFile } from "./json-file.ts";

/** The result of an attempt of scheduled work, and when it was, UTC milliseconds; `error` is null after a success. */
export interface Attempt {
  readonly at: number;
  readonly error: string | null;
}

/** The record of scheduled work in a data folder. */
export interface RunRecord {
  /** Null if there was no attempt. */
  readonly last: Attempt | null;
  /** UTC milliseconds; null if none ever succeeded. */
  readonly succeededAt: number | null;
}

/** After a failure the schedule waits for this time, then twice as long after each further one, up to an hour. */
const RETRY_MS = 60_000;
const MAX_RETRY_MS = 3_600_000;

/** The record in a file of the data folder. */
export const readRecord = <T extends RunRecord>(dataFolder: string, file: string): T | RunRecord =>
  // There was no attempt. A damaged record is replaced by the next attempt.
  readJsonFile<T>(join(dataFolder, file)) ?? { last: null, succeededAt: null };

/**
 * Notes how the last attempt ended, with more facts. If the folder cannot be written, as on a full disk, there is no
 * note, because the result is more important.
 */
export function noteAttempt(
  dataFolder: string,
  file: string,
  last: Attempt,
  more: Readonly<Record<string, unknown>> = {},
): void {
  const succeededAt = last.error === null ? last.at : readRecord(dataFolder, file).succeededAt;
  try {
    replaceFile(join(dataFolder, file), JSON.stringify({ last, succeededAt, ...more }));
  } catch {
    // The next attempt replaces the partial file.
  }
}

/**
 * Says that the last success is older than twice the time between two; null if it is not.
 *
 * @param noun `backup`
 * @param since when the schedule began if nothing succeeded since then, UTC milliseconds
 */
export function describeAge(
  noun: string,
  { succeededAt }: RunRecord,
  { everyMs, now, since }: { everyMs: number; now: number; since: number },
): string | null {
  const ageMs = now - (succeededAt ?? since);
  if (ageMs < 2 * everyMs) return null;
  const hours = Math.floor(ageMs / 3_600_000);
  return succeededAt === null
    ? `No ${noun} succeeded in ${hours} hours.`
    : `The last ${noun} is ${hours} hours old.`;
}

/** The pause of a schedule after failures of this process since its last success. */
export class RetryPause {
  #failures = 0;
  /** The newest of them. */
  #failedAt = Number.NEGATIVE_INFINITY;

  /** Notes the end of an attempt of this process. */
  note({ at, error }: Attempt): void {
    this.#failures = error === null ? 0 : this.#failures + 1;
    if (error !== null) this.#failedAt = at;
  }

  /** True while the next attempt must wait. `last`: the last attempt of any process. */
  isRunning(last: Attempt | null, { now, everyMs }: { now: number; everyMs: number }): boolean {
    // Whatever failed, a success ends the warning, also if nothing is due yet.
    const failedAt = last?.error ? last.at : this.#failedAt;
    const pauseMs = RETRY_MS * 2 ** Math.max(0, this.#failures - 1);
    return Math.abs(now - failedAt) < Math.min(pauseMs, MAX_RETRY_MS, everyMs);
  }
}
