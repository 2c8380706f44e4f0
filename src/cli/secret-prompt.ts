import { invalidArgument } from "#domain/errors.ts";

/** A terminal that can hide what is typed. */
export interface Terminal {
  readonly input: AsyncIterable<Uint8Array>;
  /** Raw mode: no echo, and every key arrives at once. */
  readonly setRawMode: (isRaw: boolean) => void;
}

/**
 * Asks for one line at each prompt, without echo.
 *
 * @throws BourseError `invalid_argument` if Ctrl-C or the end of the input comes first
 */
export async function readSecrets(
  prompts: readonly string[],
  { input, setRawMode }: Terminal,
  write: (text: string) => void,
): Promise<string[]> {
  const lines: string[] = [];
  setRawMode(true);
  try {
    write(prompts[0] ?? "");
    for await (const line of readLines(input)) {
      lines.push(line);
      write(`\n${prompts[lines.length] ?? ""}`);
      if (lines.length === prompts.length) return lines;
    }
  } finally {
    setRawMode(false);
  }
  write("\n");
  throw invalidArgument("Cancelled; nothing was changed.");
}

/** A secret and its line end. */
const MAX_INPUT_LENGTH = 4_096;

/** The first line of an input without a terminal; empty if there is none. */
export async function readFirstLine(stdin: AsyncIterable<Uint8Array> | undefined): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stdin ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes("\n") || text.length > MAX_INPUT_LENGTH) break;
  }
  const [line = ""] = text.split(/\r?\n/);
  return line;
}

/** Asks for one line, which the terminal shows as it is typed. Empty at the end of the input. */
export async function readAnswer(
  question: string,
  { input }: Pick<Terminal, "input">,
  write: (text: string) => void,
): Promise<string> {
  write(question);
  const decoder = new TextDecoder();
  let typed = "";
  for await (const chunk of input) {
    typed += decoder.decode(chunk, { stream: true });
    if (/[\r\n]/.test(typed)) break;
  }
  return typed.trim();
}

/** The lines that are typed in raw mode; ends at Ctrl-C or Ctrl-D. */
async function* readLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let line: string[] = [];
  for await (const chunk of input) {
    for (const character of decoder.decode(chunk, { stream: true })) {
      switch (character) {
        case "\r":
        case "\n":
          yield line.join("");
          line = [];
          break;
        case "\u0003":
        case "\u0004":
          return;
        case "\u007f":
        case "\b":
          line.pop();
          break;
        default:
          line.push(character);
      }
    }
  }
}
