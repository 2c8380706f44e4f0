import type { Config, ReleaseServer, UpdateConfig } from "#config.ts";
import { type BourseError, unavailable } from "#domain/errors.ts";
import type { ServiceStatus } from "#http/service-reports.ts";
import { DAY_MS } from "#lib/date.ts";
import type { Log } from "#lib/log.ts";
import { formatMoment } from "#lib/table.ts";
import { PROGRAM } from "#lib/compiled.ts";
import { BUILD, VERSION } from "#domain/program.ts";
import { readNewestRelease, type Release } from "./releases.ts";
import { noteAttempt, readRecord, type RunRecord } from "./scheduled-runs.ts";

/** What the service knows of newer versions; null if it does not ask. */
export type Updates = ServiceStatus["updates"];

/** The record of questions in a data folder. */
interface UpdateRecord extends RunRecord {
  /** The newest version that is released; left out before the first answer. */
  readonly newest?: string;
  /** The newest signature that was accepted, UTC milliseconds; left out before the first one. */
  readonly signedAt?: number;
  /** The public key of that signature: times of two publishers are not compared. */
  readonly publicKey?: string;
}

const RECORD = "last-update-check.json";
/** How long a question may take: a server that sends a byte a minute must not end all further questions. */
const LIMIT_MS = 5 * 60_000;
/** From this age on, the newest release of a server is called old. */
const OLD_DAYS = 180;
/** The time of this executable's commit, UTC milliseconds. Its release has the same time. Null for source. */
const BUILT_AT = BUILD?.date ? Date.parse(BUILD.date) : null;

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
  const { last, newest = null, signedAt = null } = readUpdates(dataFolder);
  return {
    newest,
    signedAt,
    isNewer: newest !== null && isNewerVersion(newest, VERSION),
    askedAt: last?.at ?? null,
    error: last?.error ?? null,
  };
}

/** What an operator should know of newer versions, in sentences. */
export function describeUpdates(updates: NonNullable<Updates>): string {
  const { newest, signedAt, isNewer, askedAt, error } = updates;
  const age = signedAt === null || askedAt === null ? null : describeReleaseAge(signedAt, askedAt);
  const withAge = (text: string) => [text, age].filter(Boolean).join(" ");
  if (isNewer)
    return withAge(
      `bourse ${newest} is released, and this is ${VERSION}: \`${PROGRAM} upgrade\` installs it.`,
    );
  if (error !== null) return `The last question for a newer version failed: ${error}`;
  if (askedAt === null) return "The service asks a minute after its start, then once a day.";
  return withAge(`The newest version is ${newest}, asked at ${formatMoment(askedAt)}.`);
}

/** Says how old the newest release of a server is, in sentences; null if its signature is newer than 180 days. */
export function describeReleaseAge(signedAt: number, now: number): string | null {
  const days = Math.floor((now - signedAt) / DAY_MS);
  if (days < OLD_DAYS) return null;
  return `The newest release of the server was signed ${days} days ago. A server can hide newer releases: compare it with the page of the project.`;
}

/** A question for the newest release. */
export interface ReleaseQuestion {
  readonly dataFolder: string;
  readonly server: ReleaseServer;
  /** UTC milliseconds. */
  readonly at: number;
  /** `BUILT_AT` if absent. */
  readonly builtAt?: number | null;
  readonly signal?: AbortSignal;
}

/**
 * The newest release of a server, whose signature is noted in the data folder if there is one.
 *
 * @throws BourseError in sentences if there is none, or if its signature is older than one that was accepted before
 */
export async function askForRelease(question: ReleaseQuestion): Promise<Release> {
  const { dataFolder, server, at, builtAt = BUILT_AT, signal } = question;
  const known = readUpdates(dataFolder);
  const release = await readNewestRelease(server, signal);
  const { version, signedAt } = release;
  const accepted = known.publicKey === server.publicKey ? (known.signedAt ?? null) : null;
  // It would be the newest one for ever, also after the publisher has corrected its clock.
  if (signedAt > at + DAY_MS)
    throw unavailable(
      `The signature of bourse ${version} is of ${formatMoment(signedAt)}, and this machine has ${formatMoment(at)}. Check its clock; if that is right, the publisher must sign the release again.`,
    );
  if (accepted !== null && signedAt < accepted)
    throw refuseOld(release, `a release of ${formatMoment(accepted)} was seen before`);
  if (builtAt !== null && signedAt < builtAt && isNewerVersion(version, VERSION))
    throw refuseOld(release, `this bourse is of ${formatMoment(builtAt)}`);
  const facts = { newest: version, signedAt, publicKey: server.publicKey };
  noteAttempt(dataFolder, RECORD, { at, error: null }, facts);
  return release;
}

function refuseOld({ version, signedAt }: Release, known: string): BourseError {
  return unavailable(
    `The server offers bourse ${version}, signed at ${formatMoment(signedAt)}, but ${known}. It hides newer releases, or did not get them yet: ask again tomorrow, or name another server with BOURSE_UPDATES_URL.`,
  );
}

/** The dependencies of `UpdateCheck`. */
export interface UpdateCheckParts {
  readonly dataFolder: string;
  readonly config: UpdateConfig;
  readonly clock: () => number;
  readonly log: Log;
  /** After this time a question is given up; five minutes if absent. */
  readonly limitMs?: number;
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
    const { dataFolder, config, clock, log, limitMs = LIMIT_MS } = this.#parts;
    const { last, ...known } = readUpdates(dataFolder);
    const at = clock();
    // A clock that stepped back does not stop the questions.
    const isDue = [last?.at ?? Number.NEGATIVE_INFINITY, this.#askedAt].every(
      (asked) => Math.abs(at - asked) >= DAY_MS,
    );
    if (!config.isOn || config.server === null || !isDue) return;
    this.#askedAt = at;
    try {
      const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(limitMs)]);
      const { version } = await askForRelease({ dataFolder, server: config.server, at, signal });
      if (version !== known.newest && isNewerVersion(version, VERSION))
        log.info("a newer version is released", { version });
    } catch (failure) {
      if (this.#stopping.signal.aborted) return;
      const error = failure instanceof Error ? failure.message : String(failure);
      noteAttempt(dataFolder, RECORD, { at, error }, known);
      log.warn("the question for a newer version failed", { reason: error });
    }
  }

  /** Ends a question that is under way. */
  stop(): void {
    this.#stopping.abort();
  }
}
