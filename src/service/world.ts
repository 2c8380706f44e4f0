import type { Config } from "#config.ts";
import { createAgeClock } from "#lib/age-clock.ts";
import type { PostgresParts } from "#store/postgres.ts";
import { createLog, type Log, type LogLevel } from "#lib/log.ts";

/** The outside world of a process: environment, output, clock and signals. */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Now, UTC milliseconds. */
  readonly clock: () => number;
  /** Milliseconds with fractions from any start, which never go back; the clock if absent. */
  readonly stopwatch?: () => number;
  /** Waits between the requests to a source; uses real time if absent. */
  readonly sleep?: ((ms: number) => Promise<void>) | undefined;
  /** Ends a request to a source, or the wait for one, after that time; uses real time if absent. */
  readonly timeout?: (ms: number) => AbortSignal;
  /** Starts the thread of `src/worker.ts`. If absent, its work is done in this thread. */
  readonly startWorker?: () => Worker;
  /** True if stderr is a terminal, on which a line can be overwritten. */
  readonly isTerminal?: boolean;
  /** True if stdout is a terminal, not the file of a log. */
  readonly isOutputTerminal?: boolean;
  /** Opens a file with the browser of the desktop; absent without a desktop. */
  readonly openFile?: (path: string) => void;
  /** True if stderr goes to the journal of systemd. */
  readonly isJournal?: boolean;
  /** Calls back once when the process should stop. */
  readonly onStop: (listener: () => void) => void;
  /** Calls these functions back from now on; absent if the process is not watched. */
  readonly watch?: (events: ProcessEvents) => void;
}

/** What can happen to the process of a service. */
export interface ProcessEvents {
  /** Bun warned, for example of a broken LISTEN. */
  readonly warned: (text: string) => void;
  /** No code caught an error; the process ends afterwards. */
  readonly crashed: (error: unknown) => void;
  /** The signal SIGHUP, but not of a terminal that was closed. */
  readonly hungUp: () => void;
}

/** The clock for ages of a process: see `createAgeClock`. */
export function ageClockOf({ clock, stopwatch = clock }: World): () => number {
  return createAgeClock(clock, stopwatch);
}

/** The priorities of the journal, as syslog numbers them. */
const PRIORITIES: Readonly<Record<LogLevel, number>> = { info: 6, warn: 4, error: 3 };

/** The beginning of a line from which the journal takes its priority; empty if stderr goes elsewhere. */
export function priorityOf({ isJournal }: World, level: LogLevel): string {
  return isJournal ? `<${PRIORITIES[level]}>` : "";
}

/** The log of a process: lines on stderr in the format of the settings. */
export function openLog(
  world: World,
  { logFormat, logLevel }: Pick<Config, "logFormat" | "logLevel">,
  counts?: Record<LogLevel, number>,
): Log {
  return createLog({
    counts,
    format: logFormat,
    least: logLevel,
    write: (line, level) => world.stderr(`${priorityOf(world, level)}${line}\n`),
    clock: world.clock,
  });
}

/**
 * What the connection of a command to a cluster needs. Its log has errors only, because the command itself says
 * if the database is down.
 */
export function postgresPartsOf(world: World, config: Config): PostgresParts {
  const log = { ...openLog(world, config), info() {}, warn() {} };
  return { log, clock: ageClockOf(world) };
}
