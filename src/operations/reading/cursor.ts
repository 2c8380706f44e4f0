import { Type } from "@sinclair/typebox";
import { invalidArgument } from "#domain/errors.ts";

/** The argument of an operation whose answer has pages. */
export const CursorInput = Type.String({
  minLength: 1,
  maxLength: 200,
  description: "The last next_cursor.",
});

/** The cursor in an answer that has pages. */
export const NextCursorOutput = Type.Optional(
  Type.String({ description: "Value of cursor for the next page; left out on the last page." }),
);

/** The rows of a page, and the cursor of the next one as a field of the answer. */
interface Page<T> {
  readonly items: readonly T[];
  readonly next: { readonly next_cursor?: string };
}

/**
 * A page of a list in a fixed order. A cursor is opaque to callers: it has the key of the last row of its page, so
 * rows that come or go before it repeat and hide nothing.
 *
 * @throws BourseError for a cursor whose row is not in the list
 */
export function pageOf<T>(
  list: readonly T[],
  keyOf: (row: T) => string,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): Page<T> {
  const last = cursor === undefined ? null : Buffer.from(cursor, "base64url").toString();
  const start = last === null ? 0 : list.findIndex((row) => keyOf(row) === last) + 1;
  if (last !== null && start === 0) {
    throw invalidArgument(
      "cursor must be the next_cursor of a previous answer to the same arguments; omit it for the first page.",
      { param: "cursor" },
    );
  }
  const items = list.slice(start, start + limit);
  const end = items.at(-1);
  const isLast = end === undefined || start + limit >= list.length;
  return {
    items,
    next: isLast ? {} : { next_cursor: Buffer.from(keyOf(end)).toString("base64url") },
  };
}
