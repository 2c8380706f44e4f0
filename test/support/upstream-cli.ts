import { runCli } from "#cli/cli.ts";
import { cliClock, type CliResult } from "./cli.ts";

/** A command of the program within this process, and how to press Ctrl-C. */
export interface RunningCommand {
  readonly result: Promise<CliResult>;
  /** What it wrote to stderr so far. */
  readonly stderr: () => string;
  readonly stop: () => void;
}

/** Starts the program within this process with that environment. */
export function startCommand(
  env: Readonly<Record<string, string>>,
  ...argv: string[]
): RunningCommand {
  let [stdout, stderr] = ["", ""];
  const listeners: (() => void)[] = [];
  const code = runCli({
    argv,
    env,
    stdout: (text) => (stdout += text),
    stderr: (text) => (stderr += text),
    clock: cliClock,
    onStop: (listener) => listeners.push(listener),
  });
  return {
    result: code.then((exitCode) => ({ code: exitCode, stdout, stderr })),
    stderr: () => stderr,
    stop: () => listeners.forEach((listener) => listener()),
  };
}

/** A chart as Entrade answers it, of five sessions of the VN-Index. */
export function entradeChart(): string {
  const days = [1, 2, 3, 4, 5].map((day) => Date.UTC(2026, 0, 4 + day, 2) / 1000);
  const prices = [1_700, 1_710, 1_720, 1_730, 1_740];
  return JSON.stringify({ t: days, o: prices, h: prices, l: prices, c: prices, v: prices });
}
