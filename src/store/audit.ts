import { listRows, runStatement, type Work } from "./work.ts";

/** Entries are kept for 400 days. */
const KEPT_MS = 400 * 86_400_000;
/** Strangers can cause refused sign-ins, so only the newest are kept. */
const REFUSED_KEPT = 10_000;

/** An entry of the audit log. `at` is in UTC milliseconds. */
export interface AuditEntry {
  readonly id: number;
  readonly at: number;
  /** The user, or `command line`. */
  readonly actor: string;
  /** `sign-in`, `sign-in refused`, `token created`, … */
  readonly action: string;
  /** What was changed: `token 3 of alice (laptop)`. Never a secret. */
  readonly subject: string;
  /** The client's address; null for the command line. */
  readonly address: string | null;
}

/** A part of the audit log. */
export interface AuditPage {
  /** Only entries with a smaller id; the newest if left out. */
  readonly before?: number;
  readonly limit: number;
}

/** Adds an entry and removes those that are no longer kept. */
export function* addAuditEntry({
  at,
  actor,
  action,
  subject,
  address,
}: Omit<AuditEntry, "id">): Work<void> {
  yield* runStatement(
    `INSERT INTO audit (at, actor, action, subject, address)
     VALUES ($at, $actor, $action, $subject, $address)`,
    { at, actor, action, subject, address },
  );
  yield* runStatement("DELETE FROM audit WHERE at < $before", { before: at - KEPT_MS });
  if (action !== "sign-in refused") return;
  yield* runStatement(
    `DELETE FROM audit WHERE action = 'sign-in refused' AND id <= (SELECT id FROM audit
       WHERE action = 'sign-in refused' ORDER BY id DESC LIMIT 1 OFFSET $kept)`,
    { kept: REFUSED_KEPT },
  );
}

/** The newest entries first, only those with an id below `before`. */
export function listAuditEntries({
  before = Number.MAX_SAFE_INTEGER,
  limit,
}: AuditPage): Work<AuditEntry[]> {
  return listRows(
    `SELECT id, at, actor, action, subject, address FROM audit
     WHERE id < CAST($before AS BIGINT) ORDER BY id DESC LIMIT $limit`,
    { before, limit },
  );
}
