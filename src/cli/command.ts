import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import {
  type Config,
  findSetting,
  listSettings,
  listUnknownVariables,
  readConfig,
  type SettingInfo,
  type SettingName,
  SETTINGS,
} from "#config.ts";
import { type BourseError, invalidArgument } from "#domain/errors.ts";
import { closest } from "#lib/closest.ts";
import { PROGRAM } from "#lib/compiled.ts";
import { readSettingsFile } from "#service/settings-file.ts";
import { openLog, type World } from "#service/world.ts";
import type { Terminal } from "./secret-prompt.ts";
import type { OfService } from "./service-settings.ts";

/** The outside world of a command: a service's, arguments and what a person types. */
export interface Io extends World {
  readonly argv: readonly string[];
  /** Reads stdin; absent if it is empty. */
  readonly stdin?: () => AsyncIterable<Uint8Array>;
  /** The terminal on stdin; null if stdin is something else. */
  readonly openTerminal?: () => Terminal | null;
  /** The width of the terminal on stdout; absent if stdout is something else. */
  readonly columns?: number | undefined;
}

/** A flag that takes a value, or a switch if it has no `value`. */
export interface Flag {
  /** The choices of the value, `US|JP|VN`, or a placeholder, `FILE`; see `choicesOf`. */
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

/** All settings of a command now, by variable: from its flags, its environment and `bourse.toml`. */
export function settingsOf({
  io,
  config,
  flags,
}: Pick<Invocation, "io" | "config" | "flags">): Record<string, string> {
  return listSettings(flags, io.env, readSettingsFile(config.dataFolder));
}

/** The result of a command: `json` with --json, otherwise the texts. */
export interface Result {
  readonly json: unknown;
  /** For stdout. */
  readonly text?: string;
  /** For people, on stderr. */
  readonly note?: string;
  /** Why the command fails, after it printed its result; null or left out if it does not. */
  readonly failure?: BourseError | null;
}

/** What a command is: its help, its completion and the check of its arguments are derived from it. */
interface Declaration {
  /** One or two words: `serve`, `token create`. */
  readonly name: string;
  /** The operands in the help; one in brackets may be left out, one with dots repeated. */
  readonly operands?: string;
  /** A sentence without its end, for a call with too few or too many operands. */
  readonly operandHint?: string;
  readonly summary: string;
  /** Arguments that show its use, without the name. */
  readonly examples: readonly string[];
  readonly flags?: Readonly<Record<string, Flag>>;
  /** The values of placeholders of flags and operands, for completion. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  /** The settings that it takes as flags. Every command also reads them from the environment. */
  readonly settings: readonly SettingName[];
  /** What it takes from a service that runs on the data folder; nothing if left out. */
  readonly ofService?: OfService;
}

/** A command of the program: one with a result, which has --json, or one that prints by itself. */
export type Command = Declaration &
  (
    | { report(invocation: Invocation): Result | Promise<Result> }
    | { run(invocation: Invocation): void | Promise<void> }
  );

const HELP: Flag = { description: "print this help" };

/** The flag of every command with a result. */
const JSON_FLAG: Flag = { description: "print JSON" };

/** Every flag of a command: its own, its settings', and help. */
export function flagsOf(command: Command): Record<string, Flag> {
  const settings = command.settings.map((name) => {
    const { description, variable, fallback, choices }: SettingInfo = SETTINGS[name];
    const standard = fallback === "" ? "not set" : fallback;
    const text = `${description} (${variable}, default: ${standard})`;
    return [name, { value: choices?.join("|") ?? "VALUE", description: text }] as const;
  });
  return {
    ...command.flags,
    ...("report" in command && { json: JSON_FLAG }),
    ...Object.fromEntries(settings),
    help: HELP,
  };
}

/** Every flag of the commands that takes a value: `--data`. */
export function listValueFlags(commands: readonly Command[]): ReadonlySet<string> {
  const flags = commands.flatMap((command) => Object.entries(flagsOf(command)));
  return new Set(flags.flatMap(([name, { value }]) => (value ? [`--${name}`] : [])));
}

/** The help of one command, for a terminal of that width. */
export function commandHelp(command: Command, columns: number | undefined): string {
  const flags = Object.entries(flagsOf(command)).map(
    ([name, flag]) => [`--${name}${flag.value ? ` ${flag.value}` : ""}`, flag.description] as const,
  );
  const examples = command.examples.map((one) => `  ${PROGRAM} ${command.name} ${one}`.trimEnd());
  return [
    `Usage: ${[PROGRAM, command.name, command.operands].filter(Boolean).join(" ")} [flags]`,
    "",
    wrapText(`${command.summary}.`, columns),
    "",
    ...formatEntries(flags, columns),
    "",
    ...(examples.length > 0 ? ["Examples:", "", ...examples, ""] : []),
  ].join("\n");
}

/** The least width of the texts beside the names; on narrower terminals they are below. */
const MIN_TEXT = 30;

/** Names with their texts, which are wrapped to the width of a terminal. */
export function formatEntries(
  entries: readonly (readonly [name: string, text: string])[],
  columns: number | undefined,
): string[] {
  const width = Math.max(...entries.map(([name]) => name.length));
  const isBeside = columns === undefined || columns - width - 4 >= MIN_TEXT;
  const indent = isBeside ? width + 4 : 6;
  return entries.map(([name, text]) => {
    const lines = wrapText(text, columns && columns - indent).replaceAll(
      "\n",
      `\n${" ".repeat(indent)}`,
    );
    return isBeside
      ? `  ${name.padEnd(width)}  ${lines}`
      : `  ${name}\n${" ".repeat(indent)}${lines}`;
  });
}

function wrapText(text: string, columns: number | undefined): string {
  return columns === undefined ? text : Bun.wrapAnsi(text, Math.max(columns, 20));
}

/**
 * The flags and operands of a command.
 *
 * @throws BourseError with one sentence if a flag or an operand is wrong
 */
export function parseCommand(
  command: Command,
  args: readonly string[],
): Pick<Invocation, "flags" | "operands"> {
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
  const operands = parsed.positionals;
  const { least, most } = operandCount(command.operands ?? "");
  if (!flags["help"] && (operands.length < least || operands.length > most)) {
    const reason = most === 0 ? "It takes flags only" : `It takes ${command.operands}`;
    throw usage(command, [reason, command.operandHint].filter(Boolean).join(". "));
  }
  return { flags, operands };
}

/**
 * Parses the arguments after a command's name, runs it and prints its result.
 *
 * @throws BourseError with one sentence if a flag or an operand is wrong
 */
export async function runCommand(command: Command, args: readonly string[], io: Io): Promise<void> {
  const { flags, operands } = parseCommand(command, args);
  if (flags["help"]) {
    io.stdout(commandHelp(command, io.columns));
    return;
  }
  const file = readSettingsFile(findSetting("data", flags, io.env).text);
  // Other flags are the command's own, even if a setting has the same name.
  const given = Object.fromEntries(command.settings.map((name) => [name, flags[name]]));
  const shell = { flags: given, env: io.env, file };
  let config = readConfig(given, io.env, file);
  if (command.ofService) {
    // It loads the sources.
    const { readConfigOf } = await import("./service-settings.ts");
    const known = readConfigOf(shell, command.ofService);
    config = known.config;
    if (known.note !== null) io.stderr(known.note);
  }
  for (const name of listUnknownVariables(io.env)) {
    const text = explainUnknown(name);
    if (config.logFormat === "json" && command.settings.includes("log"))
      openLog(io, config).warn("an environment variable is ignored", { reason: text });
    else io.stderr(`${text}\n`);
  }
  const invocation = { io, config, operands, flags };
  if ("run" in command) return command.run(invocation);
  const { json, text, note, failure } = await command.report(invocation);
  if (flags["json"]) io.stdout(`${JSON.stringify(json)}\n`);
  else {
    if (text) io.stdout(text);
    if (note) io.stderr(note);
  }
  if (failure) throw failure;
}

/**
 * The arguments as `parseArgs` takes them: `-h` as `--help`, a negative number joined to its flag, and `--known-on` as
 * `--known_on`, the name of the argument.
 */
function spell(args: readonly string[], options: ParseArgsOptionsConfig): string[] {
  const spelled: string[] = [];
  for (const word of args) {
    const flag = spelled.at(-1) ?? "";
    const takesValue = flag.startsWith("--") && options[flag.slice(2)]?.type === "string";
    // Words after -- are operands.
    if (spelled.includes("--")) spelled.push(word);
    else if (takesValue && /^-\d/.test(word)) spelled[spelled.length - 1] = `${flag}=${word}`;
    else spelled.push(word === "-h" ? "--help" : withUnderscores(word, options));
  }
  return spelled;
}

/** A flag that is written with hyphens instead of the underscores of its name. */
function withUnderscores(word: string, options: ParseArgsOptionsConfig): string {
  const [, name = "", value = ""] = /^--([^=]+)(.*)$/s.exec(word) ?? [];
  const known = name.replaceAll("-", "_");
  return name in options || !(known in options) ? word : `--${known}${value}`;
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
  return invalidArgument(`${reason}; see \`${PROGRAM} ${command.name} --help\`.`);
}

/** One of the allowed values of a flag. @throws BourseError on any other */
export function parseChoice<T extends string>(
  name: string,
  value: unknown,
  allowed: readonly T[],
): T {
  const choice = allowed.find((one) => one === value);
  if (choice !== undefined) return choice;
  throw invalidArgument(
    `--${name} must be one of ${allowed.join(", ")}${typeof value === "string" ? `, not ${value}` : "; it is missing"}.`,
  );
}
