import { DAY_MS } from "#lib/date.ts";
import { findRow, listRows, runStatement, type Work } from "./work.ts";

/** Entries are kept for 400 days. */
const KEPT_MS = 400 * DAY_MS;
/** Strangers can cause refused sign-ins, so only the newest are kept. */
const REFUSED_KEPT = 10_000;
/** A program can save a list again and again, so of each user only the newest changes of own data are kept. */
const OWN_DATA_KEPT = 1_000;
/** SQL: true for changes of own data. The index `audit_own_data` has the same text. */
const IS_OWN_DATA = `action IN ('list saved', 'list deleted', 'screen saved', 'screen deleted', 'settings saved',
    'alert saved', 'alert deleted', 'channel saved', 'channel deleted')`;

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
  /** The client's address; null for the command line and for a call with a token. */
  readonly address: string | null;
}

/** A part of the audit log. */
export interface AuditPage {
  /** Only entries with a smaller id; the newest if left out. */
  readonly before?: number;
  /** Only entries with this text in the actor, action, subject or address, in any capitals. */
  readonly find?: string;
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
  if (action === "sign-in refused") {
    yield* runStatement(
      `DELETE FROM audit WHERE action = 'sign-in refused' AND id <= (SELECT id FROM audit
         WHERE action = 'sign-in refused' ORDER BY id DESC LIMIT 1 OFFSET $kept)`,
      { kept: REFUSED_KEPT },
    );
  } else if (IS_OWN_DATA.includes(`'${action}'`)) {
    yield* runStatement(
      `DELETE FROM audit WHERE actor = $actor AND ${IS_OWN_DATA} AND id <= (SELECT id FROM audit
         WHERE actor = $actor AND ${IS_OWN_DATA} ORDER BY id DESC LIMIT 1 OFFSET $kept)`,
      { actor, kept: OWN_DATA_KEPT },
    );
  }
}

/** How often an actor has done that since `since`, UTC milliseconds. */
export function* countAuditEntries(actor: string, action: string, since: number): Work<number> {
  const row = yield* findRow<{ count: number }>(
    `SELECT CAST(count(*) AS INTEGER) AS count FROM audit
     WHERE actor = $actor AND action = $action AND at > $since`,
    { actor, action, since },
  );
  return row?.count ?? 0;
}

/** The newest entries first, only those with an id below `before` and the text `find`. */
export function listAuditEntries({
  before = Number.MAX_SAFE_INTEGER,
  find = "",
  limit,
}: AuditPage): Work<AuditEntry[]> {
  const pattern = `%${find.toLowerCase().replaceAll(/[!%_]/g, "!$&")}%`;
  return listRows(
    `SELECT id, at, actor, action, subject, address FROM audit
     WHERE id < CAST($before AS BIGINT)
       AND LOWER(actor || ' ' || action || ' ' || subject || ' ' || COALESCE(address, '')) LIKE $pattern ESCAPE '!'
     ORDER BY id DESC LIMIT $limit`,
    { before, limit, pattern },
  );
}
