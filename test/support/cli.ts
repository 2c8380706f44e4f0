import { expect } from "bun:test";
import { fileURLToPath } from "node:url";
import { runCli } from "#cli/cli.ts";

/** The program's entry, for tests that run it as a process of its own. */
export const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program within this process on a data folder; nothing else is in its environment. */
export async function runOn(folder: string, ...argv: string[]): Promise<CliResult> {
  return run({ BOURSE_DATA: folder }, ...argv);
}

/** Runs the program within this process with that environment. */
export async function run(env: Record<string, string>, ...argv: string[]): Promise<CliResult> {
  let stdout = "";
  let stderr = "";
  const code = await runCli({
    argv,
    env,
    stdout: (text) => (stdout += text),
    stderr: (text) => (stderr += text),
    onStop: () => {},
  });
  return { code, stdout, stderr };
}

/** Checks that the program failed as all its commands do: exit code 1, one line on stderr, no data. */
export function expectFailure(result: CliResult, ...words: string[]): void {
  expect(result).toMatchObject({ code: 1, stdout: "" });
  expect(result.stderr).toMatch(/^[^\n]+\n$/);
  for (const word of words) expect(result.stderr).toContain(word);
}

/** Runs the program as a process of its own, and waits for its end. */
export async function runProcess(
  argv: readonly string[],
  options: { readonly cwd?: string; readonly env?: Record<string, string> } = {},
): Promise<CliResult> {
  const child = Bun.spawn([process.execPath, MAIN, ...argv], {
    ...options,
    env: { PATH: process.env["PATH"] ?? "", ...options.env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, stdout, stderr };
}
