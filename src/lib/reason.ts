const MAX_REASON = 300;

/** The message of an error as one line of at most 300 characters without control characters; a longer one ends in `…`. */
export function reasonOf(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  const shown = reason.length > MAX_REASON ? `${reason.slice(0, MAX_REASON - 1)}…` : reason;
  return shown.replaceAll(/\p{Cc}+/gu, " ");
}
