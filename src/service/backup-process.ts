import { rmSync } from "node:fs";
import { setPriority } from "node:os";
import { resolve } from "node:path";
import { hideSettingSecrets } from "#lib/secrets.ts";
import type { World } from "./world.ts";

/** The program that a service runs as a child, and its surroundings. */
export interface ChildOptions {
  readonly program: readonly string[];
  readonly dataFolder: string;
  readonly env: World["env"];
  readonly signal: AbortSignal;
  /** After this time the child is ended, so that the next run can begin; six hours if absent. */
  readonly limitMs?: number;
  /** The time between the request to end and the end; ten seconds if absent. */
  readonly graceMs?: number;
}

/** How long a child may take. The largest markets take minutes. */
const CHILD_MS = 6 * 3_600_000;
/** The time between the request to end and the end. */
const GRACE_MS = 10_000;

/**
 * Writes a backup in a child process of this program, so that the service is not blocked. Resolves with
 * null, or with the error in one sentence. The signal ends the child, after `graceMs` also one that ignores it.
 */
export async function backUpInChild(file: string, options: ChildOptions): Promise<string | null> {
  const error = await runInChild("backup", file, options);
  // A child that was killed could not remove its files.
  if (error !== null) rmSync(`${file}.partial`, { recursive: true, force: true });
  return error;
}

/**
 * Exports the market in a child process, like a backup. The child gives way to the service, because it computes for
 * longer.
 */
export async function exportInChild(folder: string, options: ChildOptions): Promise<string | null> {
  const error = await runInChild("export", folder, options, MOST_PATIENT);
  if (error !== null) rmSync(folder, { recursive: true, force: true });
  return error;
}

/** The lowest priority of a process. */
const MOST_PATIENT = 19;

async function runInChild(
  command: string,
  target: string,
  { program, dataFolder, env, signal, limitMs = CHILD_MS, graceMs = GRACE_MS }: ChildOptions,
  priority = 0,
): Promise<string | null> {
  const limit = AbortSignal.timeout(limitMs);
  const child = Bun.spawn([...program, command, target, "--data", resolve(dataFolder)], {
    env,
    // The child ends if this channel closes, because its service is gone.
    ipc() {},
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  if (priority > 0) lowerPriority(child.pid, priority);
  // On a busy machine a patient child can need minutes until it handles the request to end.
  const ending = endOn(AbortSignal.any([signal, limit]), (name) => child.kill(name), graceMs);
  const [code, reason] = await Promise.all([child.exited, lastLineOf(child.stderr)]);
  ending.forget();
  if (code === 0) return null;
  if (limit.aborted)
    return `The ${command} did not end within ${Math.ceil(limitMs / 60_000)} minutes.`;
  return reason || `The program ended with code ${code}.`;
}

/** Characters of what a child writes that are kept. */
const KEPT = 65_536;

/** The last line of an output of any length; empty if its end is blank. Of a long line, only the end is kept. */
async function lastLineOf(output: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let end = "";
  for await (const chunk of output)
    end = (end + decoder.decode(chunk, { stream: true })).slice(-KEPT);
  return end.trim().split("\n").at(-1) ?? "";
}

type EndSignal = "SIGTERM" | "SIGKILL";

/** Requests the end once the signal is aborted, and forces it after `graceMs`, until `forget`. */
function endOn(
  signal: AbortSignal,
  send: (name: EndSignal) => void,
  graceMs: number,
): { forget: () => void } {
  let killing: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    send("SIGTERM");
    killing = setTimeout(send, graceMs, "SIGKILL");
  };
  if (signal.aborted) end();
  else signal.onabort = end;
  return {
    forget() {
      signal.onabort = null;
      clearTimeout(killing);
    },
  };
}

function lowerPriority(pid: number, priority: number): void {
  try {
    setPriority(pid, priority);
  } catch {
    // It has just ended, or the system does not allow it.
  }
}

/** The variables of the service that the command after a backup gets. It gets no setting, which could be a secret. */
const PLAIN_VARIABLES = ["PATH", "HOME", "USER", "LANG", "TZ", "TMPDIR"];
/** How long that command may take. */
const COMMAND_MS = 3_600_000;
/** Characters of the reason why it failed. */
const MAX_REASON = 1_000;

/**
 * Runs the operator's command for a new archive, whose path is its last argument. Resolves with null, or with
 * the error in one sentence. The signal ends the command with all programs that it has started, after `graceMs`
 * also those that ignore it.
 */
export async function runAfterBackup(
  command: string,
  file: string,
  { env, signal, graceMs = GRACE_MS }: { env: World["env"]; signal: AbortSignal; graceMs?: number },
): Promise<string | null> {
  const child = Bun.spawn(["sh", "-c", `${command} "$1"`, "sh", file], {
    env: Object.fromEntries(PLAIN_VARIABLES.map((name) => [name, env[name]])),
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    // In a group of its own, because a shell that is ended alone leaves its programs, and stderr stays open.
    detached: true,
  });
  const send = (name: EndSignal) => {
    try {
      process.kill(-child.pid, name);
    } catch {
      // They have just ended.
    }
  };
  const limit = AbortSignal.timeout(COMMAND_MS);
  const ending = endOn(AbortSignal.any([signal, limit]), send, graceMs);
  try {
    const [code, reason] = await Promise.all([child.exited, lastLineOf(child.stderr)]);
    if (code === 0) return null;
    // Cut last: the beginning of a cut secret has no name by which it is known.
    return hideSettingSecrets(reason).slice(-MAX_REASON) || `The command ended with code ${code}.`;
  } finally {
    ending.forget();
  }
}
