import { join } from "node:path";
import { resultOf, spawnChild } from "./child-process.ts";

/** The result of a program that has ended. */
export interface RunResult {
  readonly exitCode: number;
  /** What it wrote to stdout and stderr. */
  readonly output: string;
}

/** A folder with packages from the npm registry, which this test run alone uses. */
export interface NpmTools {
  /** False if the registry did not deliver them; the reason is on stderr. */
  readonly isInstalled: boolean;
  readonly run: (...command: string[]) => Promise<RunResult>;
  readonly write: (name: string, text: string) => Promise<number>;
}

/** Installs packages, by name and version, into a folder. */
export async function installTools(
  folder: string,
  dependencies: Readonly<Record<string, string>>,
): Promise<NpmTools> {
  const run = async (...command: string[]) => {
    const child = spawnChild(command, { cwd: folder, stderr: "pipe" });
    const { code, stdout, stderr } = await resultOf(child);
    return { exitCode: code, output: stdout + stderr };
  };
  const write = (name: string, text: string) => Bun.write(join(folder, name), text);
  await write("package.json", JSON.stringify({ private: true, type: "module", dependencies }));
  const { exitCode, output } = await run(process.execPath, "install", "--silent");
  if (exitCode !== 0) {
    const names = Object.keys(dependencies).join(", ");
    process.stderr.write(`SKIPPED: the npm registry did not deliver ${names}.\n${output}`);
  }
  return { isInstalled: exitCode === 0, run, write };
}
