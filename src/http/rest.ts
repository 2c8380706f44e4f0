import { BourseError } from "#domain/errors.ts";
import { readTextArguments, type RawArguments } from "#operations/decode.ts";
import type { Operation } from "#operations/operation.ts";

/**
 * The arguments of a REST call: what the path holds and what the query string holds.
 *
 * @throws BourseError where a declared parameter stands twice
 */
export function restArguments(
  operation: Operation,
  request: Request,
  path: Readonly<Record<string, string | null | undefined>>,
): RawArguments {
  const text: Record<string, string> = {};
  // Not by URL, which throws where the Host header is no host.
  const mark = request.url.indexOf("?");
  const query = new URLSearchParams(mark < 0 ? "" : request.url.slice(mark));
  for (const name of Object.keys(operation.input.properties)) {
    if (Object.hasOwn(path, name)) {
      // A percent sequence that is no UTF-8 arrives as null: present, but nothing valid.
      text[name] = path[name] ?? "";
      continue;
    }
    const [value, second] = query.getAll(name);
    if (second !== undefined) {
      throw new BourseError(
        "invalid_argument",
        `${name} stands twice in the query; send it once.`,
        {
          param: name,
        },
      );
    }
    if (value !== undefined) text[name] = value;
  }
  return readTextArguments(operation.input, text);
}
