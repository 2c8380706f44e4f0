import { BourseError } from "#domain/errors.ts";
import type { FeedLayer } from "#feeds/layer.ts";
import { OPERATIONS } from "#operations/index.ts";

const OPERATION = new RegExp(String.raw`\b(?:${OPERATIONS.map(({ name }) => name).join("|")})\b`);
/** The call of an operation with one argument: what the argument does is the same in a layer. */
const CALL_WITH = new RegExp(`${OPERATION.source} with (?=\\w+=)`, "g");

/**
 * The error of an operation in the words of a layer: with the names of its parameters, and without our operations,
 * which its clients cannot call.
 */
export function inWordsOf(
  { names = {} }: FeedLayer,
  query: URLSearchParams,
  error: BourseError,
): BourseError {
  const { code, message, details } = error;
  const nameOf = (ours: string) => {
    const theirs = names[ours] ?? [];
    return theirs.find((name) => query.has(name)) ?? theirs[0] ?? ours;
  };
  const rewrite = (text: string) => {
    const called = text.replaceAll(CALL_WITH, "");
    const clauses = called.split(/(?<=[.;]) /).filter((clause) => !OPERATION.test(clause));
    const rewritten = Object.keys(names).reduce(
      (words, ours) => words.replaceAll(parameterPattern(ours), nameOf(ours)),
      clauses.join(" "),
    );
    return rewritten.replace(/;$/, ".");
  };
  const hint = details.hint && rewrite(details.hint);
  const param = details.param && nameOf(details.param);
  return new BourseError(code, rewrite(message), {
    ...details,
    ...(param !== undefined && { param }),
    ...(details.hint !== undefined && { hint: hint || undefined }),
  } as typeof details);
}

/** The name of an argument where it is no English word: `from must`, `after to:`, `fields=`. */
const parameterPattern = (name: string) =>
  new RegExp(
    String.raw`(?<![\w-])${name}(?==|:| must | names | takes | is missing| is in the query| and \w+ must )`,
    "g",
  );
