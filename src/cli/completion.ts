import { Accounts } from "#access/accounts.ts";
import { COMMAND_LINE } from "#access/audit.ts";
import { invalidArgument } from "#domain/errors.ts";
import { type Command, flagsOf, type Invocation, listValueFlags } from "./command.ts";
import { withAccess } from "./stores.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

/** The command that completes command lines: it prints the script of a shell, which runs it with the words so far. */
export function completionOf(listCommands: () => readonly Command[]): Command {
  return {
    name: "completion",
    operands: "bash|zsh|fish [WORD…]",
    summary:
      "Print the completion script of a shell, or what can follow the words of a command line",
    examples: ["bash", "bash -- token create an"],
    settings: ["data", "cluster"],
    async run(invocation) {
      const { io, operands } = invocation;
      const [written = "", ...words] = operands;
      const shell = SHELLS.find((one) => one === written);
      if (!shell) {
        throw invalidArgument(`The shell must be one of ${SHELLS.join(", ")}, not ${written}.`);
      }
      if (words.length === 0) return io.stdout(SCRIPTS[shell]);
      const choices = await complete(listCommands(), words, invocation);
      io.stdout(choices.map((choice) => `${FORMATS[shell](choice)}\n`).join(""));
    },
  };
}

/** A word that can follow, and what it does; empty for a value. */
type Choice = readonly [word: string, summary: string];

/** What can replace the last word; empty for a file or a free text. */
async function complete(
  commands: readonly Command[],
  words: readonly string[],
  invocation: Invocation,
): Promise<Choice[]> {
  // Bash splits --country=U into three words.
  const [, joined, written = ""] = /^(--[^=]+=)?(.*)$/s.exec(words.at(-1) ?? "") ?? [];
  const last = joined === undefined && written === "=" ? "" : written;
  const before = words.slice(0, -1).filter((word) => word !== "=");
  if (joined !== undefined) before.push(joined.slice(0, -1));
  const line = readLine(commands, before);
  const choices = await listChoices(commands, line, last, invocation);
  return choices
    .filter(([word]) => word.startsWith(last))
    .map(([word, summary]) => [(joined ?? "") + word, summary]);
}

/** A command line so far. */
interface Line {
  /** The words without flags and their values. */
  readonly plain: readonly string[];
  readonly command: Command | undefined;
  /** The flag whose value comes next; null if none does. */
  readonly flag: string | null;
  /** The value of --data; null without it. */
  readonly data: string | null;
}

function readLine(commands: readonly Command[], words: readonly string[]): Line {
  const plain: string[] = [];
  const findCommand = () =>
    commands.find(({ name }) => name === plain.slice(0, 2).join(" ")) ??
    commands.find(({ name }) => name === plain[0]);
  // A switch of one command can take a value in another.
  const takesValue = (word: string) => {
    const command = findCommand();
    return listValueFlags(command ? [command] : commands).has(word);
  };
  let flag: string | null = null;
  let data: string | null = null;
  for (const word of words) {
    if (flag !== null) {
      if (flag === "--data") data = word;
      flag = null;
    } else if (!word.startsWith("-")) plain.push(word);
    else if (takesValue(word)) flag = word;
    else if (word.startsWith("--data=")) data = word.slice("--data=".length);
  }
  return { plain, command: findCommand(), flag, data };
}

async function listChoices(
  commands: readonly Command[],
  { plain, command, flag, data }: Line,
  last: string,
  { io, config }: Invocation,
): Promise<Choice[]> {
  const valuesOf = async (placeholder: string): Promise<Choice[]> => {
    const values = choicesOf(placeholder, command);
    const folder = { ...config, dataFolder: data ?? config.dataFolder };
    const names = placeholder === "USER" ? await listUsers({ io, config: folder }) : values;
    return names.map((name) => [name, ""]);
  };
  const flags = command ? flagsOf(command) : {};
  if (flag !== null) return valuesOf(flags[flag.slice(2)]?.value ?? "");
  if (last.startsWith("-"))
    return Object.entries(flags).map(([name, { description }]) => [`--${name}`, description]);
  const next = listNextWords(commands, plain);
  if (!command) return next;
  const operands = command.operands?.split(" ") ?? [];
  const place = plain.length - command.name.split(" ").length;
  const repeated = operands.at(-1)?.includes("…") ? operands.at(-1) : undefined;
  return [
    ...next,
    ...(await valuesOf((operands[place] ?? repeated ?? "").replaceAll(/[[\]…]/g, ""))),
  ];
}

/** The next words of the commands that begin with these words. */
function listNextWords(commands: readonly Command[], plain: readonly string[]): Choice[] {
  const begin = plain.map((word) => `${word} `).join("");
  const next = new Map<string, string>();
  for (const { name, summary } of commands) {
    if (!name.startsWith(begin)) continue;
    const [word = "", more] = name.slice(begin.length).split(" ");
    if (!next.has(word)) next.set(word, more === undefined ? summary : `Commands of ${word}`);
  }
  return [...next];
}

/** The values of a placeholder of a command, `PLAN` or `US|JP|VN`; empty if they cannot be listed. */
export function choicesOf(placeholder: string, command: Command | undefined): readonly string[] {
  const isList = /^[\w-]+(\|[\w-]+)+$/.test(placeholder);
  return command?.values?.[placeholder] ?? (isList ? placeholder.split("|") : []);
}

function listUsers(invocation: Pick<Invocation, "io" | "config">): Promise<string[]> {
  return withAccess(invocation, async (access) => {
    const accounts = new Accounts({ access, clock: invocation.io.clock, actor: COMMAND_LINE });
    return (await accounts.listUsers()).map(({ name }) => name);
  });
}

const FORMATS: Readonly<Record<Shell, (choice: Choice) => string>> = {
  bash: ([word]) => word,
  zsh: ([word, summary]) => `${word.replaceAll(":", "\\:")}${summary && `:${summary}`}`,
  fish: (choice) => choice.join("\t"),
};

/** The script of each shell. */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# source <(bourse completion bash)
_bourse() {
  mapfile -t COMPREPLY < <(bourse completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _bourse bourse
`,
  zsh: `#compdef bourse
# source <(bourse completion zsh)
_bourse() {
  local -a found
  found=("\${(@f)$(bourse completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=("\${(@)found:#}")
  if (( $#found )); then _describe bourse found; else _files; fi
}
compdef _bourse bourse
`,
  fish: `# bourse completion fish | source
function __bourse
  set -l words (commandline -opc) (commandline -ct)
  set -l found (bourse completion fish -- $words[2..-1] 2>/dev/null)
  if test (count $found) -gt 0
    string join \\n -- $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c bourse -f -a '(__bourse)'
`,
};
