import type { TSchema } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import type { Static } from "#domain/schema.ts";
import { findJsonExcess, type JsonLimits } from "#lib/bounded-json.ts";
import { lazy } from "#lib/lazy.ts";
import type { Refusal } from "./refusal.ts";
import { type Source, SourceError } from "./source.ts";

/** More would be no list of a source. Brackets alone take a hundred times their size in memory. */
const JSON_LIMITS: JsonLimits = { maxDepth: 64, maxContainers: 2_000_000 };

/**
 * Parses an answer as JSON in UTF-8. `host` is named as refusing if it is another text or only a part.
 *
 * @throws SourceError `invalid_answer` if it is not JSON, is nested more than 64 levels deep or has more than
 * two million arrays and objects
 */
export function parseAnswer(
  { name }: Pick<Source, "name">,
  bytes: Uint8Array,
  host?: string,
): unknown {
  const text = new TextDecoder().decode(bytes);
  const excess = findJsonExcess(text, JSON_LIMITS);
  if (excess !== null)
    throw new SourceError(name, "invalid_answer", `the answer is too complex: it ${excess}`);
  try {
    return JSON.parse(text);
  } catch {
    const cause = /^\s*[[{]/.test(text) ? "cut" : "disguised";
    const reason: string | Refusal =
      host === undefined ? "the answer is not JSON" : { host, cause };
    throw new SourceError(name, "invalid_answer", reason);
  }
}

/**
 * Creates the reader of one kind of answer. The reader returns the answer typed if it has the documented
 * form.
 *
 * It throws `SourceError` `invalid_answer` otherwise. The message names the place, never the value.
 */
export function answerReader<T extends TSchema>(
  source: Source,
  schema: T,
): (answer: unknown) => Static<T> {
  const compiled = lazy(() => TypeCompiler.Compile(schema));
  return (answer) => {
    const check = compiled();
    if (check.Check(answer)) return answer;
    const fault = check.Errors(answer).First();
    throw source.error(
      "invalid_answer",
      `the answer has another form at ${fault?.path.slice(0, 80) || "/"}: ${fault?.message ?? ""}`,
    );
  };
}

/** About seven times the largest real list. */
const MAX_ROWS = 100_000;

/** Refuses a list that is too long to be real, before its rows are read. @throws SourceError `invalid_answer` */
export function checkRowCount(source: Pick<Source, "name">, rows: number): void {
  if (rows <= MAX_ROWS) return;
  const reason = `the answer has ${rows} rows, more than ${MAX_ROWS}`;
  throw new SourceError(source.name, "invalid_answer", reason);
}

/**
 * Refuses a table of lines that is cut off: its last line has no end. The rest would read like
 * a shorter table.
 *
 * @throws SourceError `invalid_answer`
 */
export function checkLastLine(source: Source, text: string): void {
  if (text !== "" && !/[\r\n]$/.test(text)) {
    throw source.error("invalid_answer", "the last line of the answer is cut off");
  }
}
