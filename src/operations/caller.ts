import { BourseError } from "#domain/errors.ts";
import { type Right, requireRight } from "#domain/rights.ts";
import type { OwnDocuments } from "#domain/user-documents.ts";

/** Who makes a call: a user, by a token with rights or in the console. */
export interface Caller {
  readonly user: string;
  readonly rights: readonly Right[];
}

/** Finds the lists and screens of a caller. */
export type DocumentsOf = (caller: Caller) => OwnDocuments;

/**
 * Finds the lists and screens of a caller, if there is one.
 *
 * @throws BourseError `invalid_argument` without a caller; `forbidden` if the caller lacks the right
 */
export function documentsOf(
  find: DocumentsOf | undefined,
  caller: Caller | null,
  right?: Right,
): OwnDocuments {
  if (!find || !caller) {
    throw new BourseError(
      "invalid_argument",
      "Lists belong to a user, and this call has none. Call the service with a token, or `bourse call` with --user.",
    );
  }
  if (right) requireRight(caller.rights, right);
  return find(caller);
}
