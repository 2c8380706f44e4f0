import type { Database } from "bun:sqlite";
import type { AuditEntry } from "#domain/console.ts";

/** Entries are kept for 400 days. */
const KEPT_MS = 400 * 86_400_000;
/** Strangers can cause refused sign-ins, so only the newest are kept. */
const REFUSED_KEPT = 10_000;

/** The audit log of the access file. */
export function createAuditStore(database: Database) {
  const add = database.query<unknown, Omit<AuditEntry, "id">>(
    `INSERT INTO audit (at, actor, action, subject, address)
     VALUES ($at, $actor, $action, $subject, $address)`,
  );
  const removeOld = database.query<unknown, { before: number }>(
    "DELETE FROM audit WHERE at < $before",
  );
  const removeRefused = database.query<unknown, { kept: number }>(
    `DELETE FROM audit WHERE action = 'sign-in refused' AND id <= (SELECT id FROM audit
       WHERE action = 'sign-in refused' ORDER BY id DESC LIMIT 1 OFFSET $kept)`,
  );
  const list = database.query<AuditEntry, { before: number; limit: number }>(
    `SELECT id, at, actor, action, subject, address FROM audit WHERE id < $before
     ORDER BY id DESC LIMIT $limit`,
  );

  return {
    /** Adds an entry and removes those that are no longer kept. */
    add(entry: Omit<AuditEntry, "id">): void {
      add.run(entry);
      removeOld.run({ before: entry.at - KEPT_MS });
      if (entry.action === "sign-in refused") removeRefused.run({ kept: REFUSED_KEPT });
    },
    /** The newest entries first, only those with an id below `before`. */
    list: ({ before = Number.MAX_SAFE_INTEGER, limit }: AuditPage): AuditEntry[] =>
      list.all({ before, limit }),
  };
}

/** A part of the audit log. */
export interface AuditPage {
  /** Only entries with a smaller id; the newest if left out. */
  readonly before?: number;
  readonly limit: number;
}
