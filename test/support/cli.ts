import { expect } from "bun:test";
import { fileURLToPath } from "node:url";
import { runCli } from "#cli/cli.ts";
import type { Io } from "#cli/command.ts";
import { openFolder } from "./access.ts";
import { bunCommand, childEnv, resultOf, spawnChild } from "./child-process.ts";
import { START } from "./service.ts";

/** The entry of the program, for tests that run it as a child process. */
export const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const loadedAt = performance.now();
let slept = 0;

/** The clock of commands in this process, UTC milliseconds. It was `START` when the tests began. */
export const cliClock = (): number => START + Math.floor(performance.now() - loadedAt) + slept;

/** The sleep of commands in this process. It moves their clock at once. */
async function cliSleep(ms: number): Promise<void> {
  slept += Math.ceil(ms);
  await new Promise((resolve) => setImmediate(resolve));
}

/** Runs the program in this process on a data folder, with no other environment. */
export async function runOn(folder: string, ...argv: string[]): Promise<CliResult> {
  return runAt(cliClock, { BOURSE_DATA: folder }, ...argv);
}

/** A data folder with these users, such as `ben --plan pro`, and commands that run on it. */
export async function openUsers(...users: string[]) {
  const folder = openFolder();
  const on = (...argv: string[]) => runOn(folder.path, ...argv);
  for (const user of users) await on("user", "add", ...user.split(" "));
  return { ...folder, run: on };
}

/** Runs the program in this process with that environment. */
export async function run(env: Record<string, string>, ...argv: string[]): Promise<CliResult> {
  return runAt(cliClock, env, ...argv);
}

/** Runs the program in this process with that clock and environment. */
export async function runAt(
  clock: () => number,
  env: Record<string, string>,
  ...argv: string[]
): Promise<CliResult> {
  return runWith({ clock }, env, ...argv);
}

/** Runs the program in this process with that environment, and with other parts of the outside world. */
export async function runWith(
  world: Partial<Io>,
  env: Record<string, string>,
  ...argv: string[]
): Promise<CliResult> {
  let stdout = "";
  let stderr = "";
  const code = await runCli({
    argv,
    env,
    stdout: (text) => (stdout += text),
    stderr: (text) => (stderr += text),
    clock: cliClock,
    sleep: cliSleep,
    onStop: () => {},
    ...world,
  });
  return { code, stdout, stderr };
}

/** A command that runs in this process, and a function that presses Ctrl-C. */
export interface RunningCommand {
  readonly result: Promise<CliResult>;
  /** The text on stderr so far. */
  readonly stderr: () => string;
  readonly stop: () => void;
}

/** Starts the program in this process with that environment. */
export function startCommand(
  env: Readonly<Record<string, string>>,
  ...argv: string[]
): RunningCommand {
  let [stdout, stderr] = ["", ""];
  const stopped = Promise.withResolvers<void>();
  const code = runCli({
    argv,
    env,
    stdout: (text) => (stdout += text),
    stderr: (text) => (stderr += text),
    clock: cliClock,
    sleep: cliSleep,
    // The command may be loading still when the test stops it.
    onStop: (listener) => void stopped.promise.then(listener),
  });
  return {
    result: code.then((exitCode) => ({ code: exitCode, stdout, stderr })),
    stderr: () => stderr,
    stop: () => stopped.resolve(),
  };
}

/** Checks that a command failed in the usual way: exit code 1, one line on stderr, no data. */
export function expectFailure(result: CliResult, ...words: string[]): void {
  expect(result).toMatchObject({ code: 1, stdout: "" });
  expect(result.stderr).toMatch(/^[^\n]+\n$/);
  for (const word of words) expect(result.stderr).toContain(word);
}

/** The program with another clock, which is its first argument. */
export const MAIN_AT = fileURLToPath(new URL("main-with-clock.ts", import.meta.url));

/** Runs the program as a child process, with its clock set to `at` if given, and waits for its end. */
export async function runProcess(
  argv: readonly string[],
  options: {
    readonly cwd?: string;
    readonly env?: Record<string, string>;
    /** UTC milliseconds. */
    readonly at?: number;
  } = {},
): Promise<CliResult> {
  const { cwd, env, at } = options;
  const program = at === undefined ? bunCommand(MAIN) : [...bunCommand(MAIN_AT), String(at)];
  const child = spawnChild([...program, ...argv], {
    ...(cwd !== undefined && { cwd }),
    env: childEnv(env),
    stdout: "pipe",
    stderr: "pipe",
  });
  return resultOf(child);
}
