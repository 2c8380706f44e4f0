import { parseArgs } from "node:util";
import { type FileSettings, findSetting } from "#config.ts";
import { BourseError } from "#domain/errors.ts";
import { compileAsUsual, describeVersion, VERSION } from "#domain/program.ts";
import { hideSecrets } from "#lib/secrets.ts";
import { toVisibleLine } from "#lib/visible-line.ts";
import { openLog, priorityOf } from "#service/world.ts";
import { readSettingsFile } from "#service/settings-file.ts";
import { type Io, runCommand } from "./command.ts";
import { serve } from "./serve.ts";

/** Runs the program; returns its exit code, 0 or 1. An error is one sentence on stderr. */
export async function runCli(io: Io): Promise<number> {
  try {
    // The version and a service need no code of the other commands.
    if (asksForVersion(io.argv)) io.stdout(`${versionText(io.argv)}\n`);
    else if (io.argv[0] === serve.name) await runCommand(serve, io.argv.slice(1), io);
    else if (!(await runImport(io))) await (await import("./commands.ts")).runProgram(io);
    return 0;
  } catch (error) {
    // An error can quote a file or an answer of another program.
    const text = hideSecrets(describe(error)).replaceAll(/[^\n]+/g, toVisibleLine);
    const log = { logLevel: "error", logFormat: "json" } as const;
    if (logsJson(io)) openLog(io, log).error("ended with an error", { reason: text });
    else io.stderr(`${priorityOf(io, "error")}${text}\n`);
    return 1;
  }
}

/** Runs an import; false if the arguments name none. It loads a third of the code of all commands. */
async function runImport(io: Io): Promise<boolean> {
  const [first, second] = io.argv;
  if (first !== "import") return false;
  const { IMPORTS } = await import("./import/commands.ts");
  const command = IMPORTS.find(({ name }) => name === `${first} ${second}`);
  if (!command) return false;
  compileAsUsual();
  await runCommand(command, io.argv.slice(2), io);
  return true;
}

const VERSION_FLAGS = new Set(["--version", "-v", "-V"]);

/** True for `version`, and for a flag of the version if the first word is a flag. */
function asksForVersion(argv: readonly string[]): boolean {
  const [first = ""] = argv;
  const hasFlag = argv.some((word) => VERSION_FLAGS.has(word));
  return first === "version" || (first.startsWith("-") && hasFlag);
}

const versionText = (argv: readonly string[]) =>
  argv.includes("--json") ? JSON.stringify(describeVersion()) : VERSION;

/** True if the log of the command is JSON, so that its error is a line of the log too. */
function logsJson({ argv, env }: Io): boolean {
  // Commands with a log; the others are for people.
  if (!argv.includes("serve") && !argv.includes("mcp")) return false;
  const text = { type: "string" } as const;
  const options = { log: text, data: text };
  const { values } = parseArgs({ args: [...argv], options, strict: false });
  let file: FileSettings = {};
  try {
    file = readSettingsFile(findSetting("data", values, env).text);
  } catch {
    // This is the error.
  }
  return findSetting("log", values, env, file).text === "json";
}

function describe(error: unknown): string {
  if (error instanceof BourseError) {
    return error.details.hint ? `${error.message} ${error.details.hint}` : error.message;
  }
  const message = error instanceof Error ? error.message : String(error);
  // The file is damaged, full or locked: only the code shows which.
  return error instanceof Error && "code" in error
    ? `Unexpected: ${message} (${String(error.code)}).`
    : `Unexpected: ${message}.`;
}
