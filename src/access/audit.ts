import { addAuditEntry } from "#store/audit.ts";
import type { Work } from "#store/work.ts";

/** The person behind a change. */
export interface Actor {
  /** The name of a stored user, or `command line`, which no user can have because of the space. */
  readonly name: string;
  /** The client's address; null for the command line and for a call with a token. */
  readonly address: string | null;
}

/** The actor of the commands: the operator of this machine. */
export const COMMAND_LINE: Actor = { name: "command line", address: null };

/** What the audit log records. */
export type AuditAction =
  | "user added"
  | "user removed"
  | "plan changed"
  | "role changed"
  | "password changed"
  | "token created"
  | "token revoked"
  | "token renamed"
  | "token replaced"
  | "client allowed"
  | "link created"
  | "sign-in"
  | "sign-in refused"
  | "sign-out"
  | "session ended"
  | "invitation created"
  | "invitation revoked"
  | "identity connected"
  | "identity removed"
  | "list saved"
  | "list deleted"
  | "screen saved"
  | "screen deleted"
  | "settings saved"
  | "alert saved"
  | "alert deleted"
  | "channel saved"
  | "channel deleted";

const MAX_LENGTH = 300;

/**
 * Adds an entry to the audit log. Run it in the transaction of the change (`access.transaction`), so that
 * there is no change without its entry.
 *
 * `subject` names what was changed: `token 3 of alice (laptop)`. It never has a secret: no token, key,
 * cookie or password, and no user name that a stranger typed, because it may be a password.
 */
export function recordAudit(entry: {
  /** UTC milliseconds. */
  readonly at: number;
  readonly actor: Actor;
  readonly action: AuditAction;
  readonly subject: string;
}): Work<void> {
  const { at, actor, action, subject } = entry;
  return addAuditEntry({
    at,
    actor: printable(actor.name),
    action,
    subject: printable(subject),
    address: actor.address === null ? null : printable(actor.address),
  });
}

/** One line without control characters and marks of writing direction, cut to `MAX_LENGTH`. */
function printable(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ")
    .slice(0, MAX_LENGTH)
    .toWellFormed();
}
