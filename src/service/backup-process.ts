import { rmSync } from "node:fs";
import { resolve } from "node:path";
import type { World } from "./world.ts";

/**
 * Writes a backup in a child process of this program, so that the service is not blocked. Resolves with
 * null, or with the error in one sentence. The signal ends the child.
 */
export async function backUpInChild(
  file: string,
  options: {
    program: readonly string[];
    dataFolder: string;
    env: World["env"];
    signal: AbortSignal;
  },
): Promise<string | null> {
  const { program, dataFolder, env, signal } = options;
  const child = Bun.spawn([...program, "backup", file, "--data", resolve(dataFolder)], {
    env,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    signal,
  });
  const [code, stderr] = await Promise.all([child.exited, new Response(child.stderr).text()]);
  if (code === 0) return null;
  // A child that was killed could not remove its files.
  rmSync(`${file}.partial`, { recursive: true, force: true });
  return stderr.trim().split("\n").at(-1) || `The program ended with code ${code}.`;
}

/** The variables of the service that the command after a backup gets. It gets no setting, which could be a secret. */
const PLAIN_VARIABLES = ["PATH", "HOME", "USER", "LANG", "TZ", "TMPDIR"];
/** How long that command may take. */
const COMMAND_MS = 3_600_000;

/**
 * Runs the operator's command for a new archive, whose path is its last argument. Resolves with null, or with
 * the error in one sentence. The signal ends the command with all programs that it has started.
 */
export async function runAfterBackup(
  command: string,
  file: string,
  { env, signal }: { env: World["env"]; signal: AbortSignal },
): Promise<string | null> {
  const child = Bun.spawn(["sh", "-c", `${command} "$1"`, "sh", file], {
    env: Object.fromEntries(PLAIN_VARIABLES.map((name) => [name, env[name]])),
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    // In a group of its own, because a shell that is ended alone leaves its programs, and stderr stays open.
    detached: true,
  });
  const ending = AbortSignal.any([signal, AbortSignal.timeout(COMMAND_MS)]);
  const end = () => {
    try {
      process.kill(-child.pid, "SIGTERM");
    } catch {
      // They have just ended.
    }
  };
  if (ending.aborted) end();
  else ending.onabort = end;
  try {
    const [code, stderr] = await Promise.all([child.exited, new Response(child.stderr).text()]);
    if (code === 0) return null;
    return stderr.trim().split("\n").at(-1) || `The command ended with code ${code}.`;
  } finally {
    ending.onabort = null;
  }
}
