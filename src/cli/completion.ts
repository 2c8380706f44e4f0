import { BourseError } from "#domain/errors.ts";
import { type Command, flagsOf } from "./command.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

/** The command that prints completions of all commands. */
export function completionOf(listCommands: () => readonly Command[]): Command {
  return {
    name: "completion",
    operands: "bash|zsh|fish",
    summary: "Print the completion script of a shell; its first line says how to use it",
    settings: [],
    run({ io, operands: [shell = ""] }) {
      const known = SHELLS.find((one) => one === shell);
      if (!known) {
        throw new BourseError(
          "invalid_argument",
          `The shell must be one of ${SHELLS.join(", ")}, not ${shell}.`,
        );
      }
      io.stdout(SCRIPTS[known](listWords(listCommands())));
    },
  };
}

/** What can follow a beginning of a command line, with what each word does. */
interface Choice {
  /** The words of the command so far; empty at the start. */
  readonly after: string;
  readonly word: string;
  readonly summary: string;
  /** True for a flag that is followed by a value. */
  readonly takesValue: boolean;
}

function listWords(commands: readonly Command[]): Choice[] {
  const choices = new Map<string, Choice>();
  const add = (after: string, word: string, summary: string, takesValue = false) => {
    const key = `${after} ${word}`;
    if (!choices.has(key)) choices.set(key, { after, word, summary: plain(summary), takesValue });
  };
  for (const command of commands) {
    const words = command.name.split(" ");
    const isGroup = words.length > 1;
    for (const [depth, word] of words.entries()) {
      const isLast = depth === words.length - 1;
      const summary = isLast || !isGroup ? command.summary : `Commands of ${word}`;
      add(words.slice(0, depth).join(" "), word, summary);
    }
    for (const [flag, { description, value }] of Object.entries(flagsOf(command))) {
      add(command.name, `--${flag}`, description, value !== undefined);
    }
    for (const value of command.operands?.match(/^[a-z]+(\|[a-z]+)+$/)?.[0].split("|") ?? []) {
      add(command.name, value, value);
    }
  }
  return [...choices.values()];
}

/** The text without the characters that have a meaning inside a shell's quotes. */
function plain(text: string): string {
  return text.replaceAll(/[`'"\\$:[\]]/g, "");
}

const SCRIPTS: Readonly<Record<Shell, (choices: readonly Choice[]) => string>> = {
  bash: (choices) => `# source <(bourse completion bash)
_bourse() {
  local cur=\${COMP_WORDS[COMP_CWORD]} at="" word
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${at:+$at }$word" in
${knownBeginnings(choices)}
    esac
  done
  case "$at \${COMP_WORDS[COMP_CWORD-1]}" in
    ${listValueFlags(choices)}) mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
  esac
  case "$at" in
${listCases(choices, (words) => `mapfile -t COMPREPLY < <(compgen -W "${words.map(({ word }) => word).join(" ")}" -- "$cur")`)}
  esac
  [[ \${#COMPREPLY[@]} == 0 ]] && mapfile -t COMPREPLY < <(compgen -f -- "$cur")
}
complete -o filenames -F _bourse bourse
`,
  zsh: (choices) => `#compdef bourse
# source <(bourse completion zsh)
_bourse() {
  local at="" word
  local -a found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${at:+$at }$word" in
${knownBeginnings(choices)}
    esac
  done
  case "$at \${words[CURRENT-1]}" in
    ${listValueFlags(choices)}) _files; return ;;
  esac
  case "$at" in
${listCases(choices, (words) => `found=(${words.map(({ word, summary }) => `'${word}:${summary}'`).join(" ")})`)}
  esac
  _describe bourse found || _files
}
compdef _bourse bourse
`,
  fish: (choices) => `# bourse completion fish | source
function __bourse_words
  set -l words (commandline -opc)
  set -e words[1]
  string join ' ' -- $words
end
complete -c bourse -f
${choices.map(formatFish).join("\n")}
`,
};

function formatFish({ after, word, summary, takesValue }: Choice): string {
  const line = `complete -c bourse -d '${summary}'`;
  return word.startsWith("--")
    ? `${line} -l ${word.slice(2)}${takesValue ? " -r -F" : ""} -n 'string match -q -- "${after}*" "$(__bourse_words)"'`
    : `${line} -a ${word} -n 'test "$(__bourse_words)" = "${after}"'`;
}

/** The pattern of all flags that are followed by a value, each after its command. */
function listValueFlags(choices: readonly Choice[]): string {
  const flags = choices.filter(({ takesValue }) => takesValue);
  return flags.map(({ after, word }) => `"${after} ${word}"`).join("|");
}

/** The cases of a word that continues a command's name. */
function knownBeginnings(choices: readonly Choice[]): string {
  const beginnings = new Set(choices.map(({ after }) => after).filter((after) => after !== ""));
  return [...beginnings].map((one) => `      "${one}") at="${one}" ;;`).join("\n");
}

/** A case for each beginning, with what `write` gives for the words that can follow it. */
function listCases(
  choices: readonly Choice[],
  write: (words: readonly Choice[]) => string,
): string {
  return [...Map.groupBy(choices, ({ after }) => after)]
    .map(([after, words]) => `    "${after}") ${write(words)} ;;`)
    .join("\n");
}
