import { invalidArgument } from "#domain/errors.ts";
import { isVisibleLine } from "#lib/visible-line.ts";
import { listLiveLabels, type StoredToken, type TokenKind, tokenKindOf } from "#store/tokens.ts";
import type { Work } from "#store/work.ts";

const MAX_LABEL = 64;

/** @throws BourseError if a token may not have that label */
export function refuseLabel(label: string): void {
  if (Array.from(label).length > MAX_LABEL || !isVisibleLine(label)) {
    throw invalidArgument(
      `A token's label has at most ${MAX_LABEL} characters, all of them visible and on one line.`,
      { param: "label" },
    );
  }
  // Lists and the audit log show labels.
  if (/bourse_(?:feed_)?[0-9A-Za-z]{39}/.test(label)) {
    throw invalidArgument(
      "The label contains a token, which is secret. Say what the new token is for.",
      { param: "label" },
    );
  }
}

/** No id of a token. */
const NO_TOKEN = 0;

const isEqual = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/**
 * The label of a new token, or the label with the first free number: `laptop 2`. So that logs and lists name one
 * token, the live tokens and feed links of a user have different labels; tokens without a label are not compared.
 */
export function* freeLabel(userId: number, label: string, now: number): Work<string> {
  if (label === "") return label;
  const taken = yield* listLiveLabels(userId, now, NO_TOKEN);
  for (let number = 1; ; number++) {
    const free = number === 1 ? label : withEnd(label, ` ${number}`);
    if (!taken.some((one) => isEqual(one, free))) return free;
  }
}

/** The label with that end, and the beginning cut where both are too long. */
export function withEnd(label: string, end: string): string {
  const most = MAX_LABEL - end.length;
  return Array.from(label).slice(0, most).join("").trimEnd() + end;
}

/** @throws BourseError if another live token of the user has that label */
export function* refuseTakenLabel(
  userId: number,
  label: string,
  now: number,
  tokenId: number,
): Work<void> {
  if (label === "") return;
  const taken = yield* listLiveLabels(userId, now, tokenId);
  if (!taken.some((one) => isEqual(one, label))) return;
  throw invalidArgument(
    `Another live token has the label ${label}. Choose a different one, so that lists and the call log name one token.`,
    { param: "label" },
  );
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
