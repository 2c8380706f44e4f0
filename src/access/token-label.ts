import { BourseError } from "#domain/errors.ts";
import { isVisibleLine } from "#lib/visible-line.ts";
import { type StoredToken, type TokenKind, tokenKindOf } from "#store/tokens.ts";

const MAX_LABEL = 64;

/** @throws BourseError if a token may not have that label */
export function refuseLabel(label: string): void {
  if (Array.from(label).length > MAX_LABEL || !isVisibleLine(label)) {
    throw new BourseError(
      "invalid_argument",
      `A token's label has at most ${MAX_LABEL} characters, all of them visible and on one line.`,
      { param: "label" },
    );
  }
  // Lists and the audit log show labels.
  if (/bourse_(?:feed_)?[0-9A-Za-z]{39}/.test(label)) {
    throw new BourseError(
      "invalid_argument",
      "The label contains a token, which is secret. Say what the new token is for.",
      { param: "label" },
    );
  }
}

/** The name of a token in errors and in the audit log. */
export const TOKEN_WORDS: Readonly<Record<TokenKind, string>> = { api: "token", feed: "feed link" };

/** A token in the audit log: `token 3 of alice (laptop)`. */
export function nameToken({
  id,
  user,
  prefix,
  label,
}: Pick<StoredToken, "id" | "user" | "prefix" | "label">): string {
  return `${TOKEN_WORDS[tokenKindOf(prefix)]} ${id} of ${user}${label === "" ? "" : ` (${label})`}`;
}
