import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import {
  type Config,
  findSetting,
  listUnknownVariables,
  readConfig,
  type SettingName,
  SETTINGS,
} from "#config.ts";
import { BourseError } from "#domain/errors.ts";
import { createAgeClock } from "#lib/age-clock.ts";
import { closest } from "#lib/closest.ts";
import { createLog, type Log, type LogLevel } from "#lib/log.ts";
import { readSettingsFile } from "./settings-file.ts";
import type { Terminal } from "./secret-prompt.ts";

/** The outside world of a command: arguments, environment, output, clock and signals. */
export interface Io {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads stdin; absent if it is empty. */
  readonly stdin?: () => AsyncIterable<Uint8Array>;
  /** The terminal on stdin; null if stdin is something else. */
  readonly openTerminal?: () => Terminal | null;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Now, UTC milliseconds. */
  readonly clock: () => number;
  /** Milliseconds with fractions from any start, which never go back; the clock if absent. */
  readonly stopwatch?: () => number;
  /** Waits between the requests to a source; uses real time if absent. */
  readonly sleep?: ((ms: number) => Promise<void>) | undefined;
  /** True if stderr is a terminal, on which a line can be overwritten. */
  readonly isTerminal?: boolean;
  /** True if stdout is a terminal, not the file of a log. */
  readonly isOutputTerminal?: boolean;
  /** Calls back once when the process should stop. */
  readonly onStop: (listener: () => void) => void;
}

/** The clock for ages of a process: see `createAgeClock`. */
export function ageClockOf({ clock, stopwatch = clock }: Io): () => number {
  return createAgeClock(clock, stopwatch);
}

/** A flag that takes a value, or a switch if it has no `value`. */
export interface Flag {
  /** The placeholder of the value in the help: `PLAN`. */
  readonly value?: string;
  readonly description: string;
}

/** A call of a command with its checked arguments. */
export interface Invocation {
  readonly io: Io;
  readonly config: Config;
  /** The arguments that are not flags. */
  readonly operands: readonly string[];
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
}

/** A command of the program, as its help shows it. */
export interface Command {
  /** One or two words: `serve`, `token create`. */
  readonly name: string;
  /** The operands in the help; one in brackets may be left out, one with dots repeated. */
  readonly operands?: string;
  /** A sentence without its end, for a call with too few or too many operands. */
  readonly operandHint?: string;
  readonly summary: string;
  readonly flags?: Readonly<Record<string, Flag>>;
  /** The settings that it takes as flags. Every command also reads them from the environment. */
  readonly settings: readonly SettingName[];
  run(invocation: Invocation): void | Promise<void>;
}

const HELP: Flag = { description: "print this help" };

/** The flag of every command that prints a list. */
export const JSON_FLAG: Flag = { description: "print JSON" };

/** True if this program is the compiled executable, not source that Bun runs. */
export const IS_COMPILED = Bun.main.includes("$bunfs") || Bun.main.includes("~BUN");

/**
 * Makes the JIT compile as early as usual. The executable starts with a tenth of that (the build's
 * `--compile-jit-policy`), because start-up code runs once.
 */
export function compileAsUsual(): void {
  Bun.unsafe.setJITPolicy(1);
}

/** The log of a command: lines on stderr in the format of the settings. */
export function createCommandLog(
  io: Io,
  { logFormat, logLevel }: Config,
  counts?: Record<LogLevel, number>,
): Log {
  return createLog({
    counts,
    format: logFormat,
    least: logLevel,
    write: (line) => io.stderr(`${line}\n`),
    clock: io.clock,
  });
}

/** The command that starts this program in a shell. */
export const PROGRAM = IS_COMPILED ? "bourse" : "npx -y bun@1.4.4 src/main.ts";

/** Every flag of a command: its own, its settings', and help. */
export function flagsOf(command: Command): Record<string, Flag> {
  const settings = command.settings.map((name) => {
    const { description, variable, fallback } = SETTINGS[name];
    const standard = fallback === "" ? "not set" : fallback;
    const text = `${description} (${variable}, default: ${standard})`;
    return [name, { value: "VALUE", description: text }] as const;
  });
  return { ...command.flags, ...Object.fromEntries(settings), help: HELP };
}

/** The help of one command. */
function commandHelp(command: Command): string {
  const flags = Object.entries(flagsOf(command)).map(
    ([name, flag]) => [`--${name}${flag.value ? ` ${flag.value}` : ""}`, flag.description] as const,
  );
  const width = Math.max(...flags.map(([flag]) => flag.length));
  return [
    `Usage: ${[PROGRAM, command.name, command.operands].filter(Boolean).join(" ")} [flags]`,
    "",
    `${command.summary}.`,
    "",
    ...flags.map(([flag, description]) => `  ${flag.padEnd(width)}  ${description}`),
    "",
  ].join("\n");
}

/**
 * Parses the arguments after a command's name and runs it.
 *
 * @throws BourseError with one sentence if a flag or an operand is wrong
 */
export async function runCommand(command: Command, args: readonly string[], io: Io): Promise<void> {
  const options: ParseArgsOptionsConfig = Object.fromEntries(
    Object.entries(flagsOf(command)).map(([name, flag]) => [
      name,
      { type: flag.value === undefined ? "boolean" : "string" },
    ]),
  );
  let parsed;
  try {
    parsed = parseArgs({ args: spell(args, options), options, allowPositionals: true });
  } catch (error) {
    // Only its first sentence: the rest is advice on how to quote.
    const [reason = ""] = (error instanceof Error ? error.message : String(error)).split(/\.\s/);
    throw usage(command, reason);
  }
  const flags = parsed.values as Invocation["flags"];
  if (flags["help"]) {
    io.stdout(commandHelp(command));
    return;
  }
  const { least, most } = operandCount(command.operands ?? "");
  if (parsed.positionals.length < least || parsed.positionals.length > most) {
    const reason = most === 0 ? "It takes flags only" : `It takes ${command.operands}`;
    throw usage(command, [reason, command.operandHint].filter(Boolean).join(". "));
  }
  const file = readSettingsFile(findSetting("data", flags, io.env).text);
  // Other flags are the command's own, even if a setting has the same name.
  const given = Object.fromEntries(command.settings.map((name) => [name, flags[name]]));
  const config = readConfig(given, io.env, file);
  for (const name of listUnknownVariables(io.env)) io.stderr(`${explainUnknown(name)}\n`);
  await command.run({ io, config, operands: parsed.positionals, flags });
}

/** The arguments as `parseArgs` takes them: `-h` as `--help`, a negative number joined to its flag. */
function spell(args: readonly string[], options: ParseArgsOptionsConfig): string[] {
  const spelled: string[] = [];
  for (const word of args) {
    const flag = spelled.at(-1) ?? "";
    const takesValue = flag.startsWith("--") && options[flag.slice(2)]?.type === "string";
    if (takesValue && /^-\d/.test(word)) spelled[spelled.length - 1] = `${flag}=${word}`;
    else spelled.push(word === "-h" ? "--help" : word);
  }
  return spelled;
}

function explainUnknown(variable: string): string {
  const near = closest(
    variable,
    Object.values(SETTINGS).map((setting) => setting.variable),
  );
  return `The environment variable ${variable} is not a setting and is ignored${near ? `; did you mean ${near}?` : "."}`;
}

function operandCount(operands: string): { least: number; most: number } {
  const words = operands.split(" ").filter((word) => word !== "");
  const repeats = words.some((word) => word.includes("…"));
  return {
    least: words.filter((word) => !word.startsWith("[")).length,
    most: repeats ? Number.POSITIVE_INFINITY : words.length,
  };
}

/** The error for a command that is not called as its help shows. */
export function usage(command: Command, reason: string): BourseError {
  return new BourseError(
    "invalid_argument",
    `${reason}; see \`${PROGRAM} ${command.name} --help\`.`,
  );
}
