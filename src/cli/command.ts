import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { type Config, readConfig, type SettingName, SETTINGS } from "#config.ts";
import { BourseError } from "#domain/errors.ts";

/** What a command gets from the world. */
export interface Io {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Now, UTC milliseconds. */
  readonly clock: () => number;
  /** Whether stderr is a terminal, on which a line may be written over. */
  readonly isTerminal?: boolean;
  /** Calls back once when the process is asked to stop. */
  readonly onStop: (listener: () => void) => void;
}

/** A flag that takes a value, or a switch where it has no `value`. */
export interface Flag {
  /** What stands for the value in the help: `PLAN`. */
  readonly value?: string;
  readonly description: string;
}

/** A command with what was written behind its name, checked. */
export interface Invocation {
  readonly io: Io;
  readonly config: Config;
  /** What stands behind the command's name, flags aside. */
  readonly operands: readonly string[];
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
}

/** A command of the program, as its help shows it. */
export interface Command {
  /** One or two words: `serve`, `token create`. */
  readonly name: string;
  /** The operands in the help; one in brackets may be left out, one with dots repeated. */
  readonly operands?: string;
  readonly summary: string;
  readonly flags?: Readonly<Record<string, Flag>>;
  /** The settings that it takes as flags; all read them from the environment too. */
  readonly settings: readonly SettingName[];
  run(invocation: Invocation): void | Promise<void>;
}

const HELP: Flag = { description: "this help" };

/** The flag of every command that lists. */
export const JSON_FLAG: Flag = { description: "print JSON" };

/** Whether this program is an executable of its own, and no source that Bun runs. */
export const IS_COMPILED = Bun.main.includes("$bunfs") || Bun.main.includes("~BUN");

/**
 * Lets code be compiled as it grows hot. The executable begins with a tenth of that zeal (the build's
 * `--compile-jit-policy`), since the code of a start runs once.
 */
export function compileAsUsual(): void {
  Bun.unsafe.setJITPolicy(1);
}

/** How a person at a shell starts this program. */
export const PROGRAM = IS_COMPILED ? "bourse" : "npx -y bun@1.4.4 src/main.ts";

/** Every flag of a command: its own, its settings', and help. */
function flagsOf(command: Command): Record<string, Flag> {
  const settings = command.settings.map((name) => {
    const { description, variable, fallback } = SETTINGS[name];
    const now = fallback === "" ? "none" : fallback;
    return [name, { value: "VALUE", description: `${description} (${variable}; ${now})` }] as const;
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
 * Parses what stands behind a command's name and runs it.
 *
 * @throws BourseError in one sentence where a flag or an operand is wrong
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
    const spelled = args.map((word) => (word === "-h" ? "--help" : word));
    parsed = parseArgs({ args: spelled, options, allowPositionals: true });
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
    throw usage(
      command,
      least === 0 && most === 0 ? "It takes no operands" : `It takes ${command.operands}`,
    );
  }
  await command.run({ io, config: readConfig(flags, io.env), operands: parsed.positionals, flags });
}

function operandCount(operands: string): { least: number; most: number } {
  const words = operands.split(" ").filter((word) => word !== "");
  const repeats = words.some((word) => word.includes("…"));
  return {
    least: words.filter((word) => !word.startsWith("[")).length,
    most: repeats ? Number.POSITIVE_INFINITY : words.length,
  };
}

/** What a command says where it is called in another way than its help shows. */
export function usage(command: Command, reason: string): BourseError {
  return new BourseError(
    "invalid_argument",
    `${reason}; see \`${PROGRAM} ${command.name} --help\`.`,
  );
}
