import type { DocumentKind, ListedDocument } from "#domain/user-documents.ts";
import { findRow, listRows, runStatement, type Work } from "./work.ts";

/** The key of a document. Settings have the name `settings`. */
export interface DocumentKey {
  readonly kind: DocumentKind;
  readonly name: string;
}

/** A document with its value as JSON. */
export interface DocumentRow {
  readonly json: string;
  /** UTC milliseconds. */
  readonly changedAt: number;
}

/** A document to store. */
export interface NewDocument extends DocumentRow, DocumentKey {
  /** The number of items of a list, else 0: so names are listed without reading values. */
  readonly items: number;
}

const OF_USER = "user_id = (SELECT id FROM users WHERE name = $user)";

/** Characters of the longest name and title as JSON, in which each character can have six. */
const HEAD = 500;

/** The documents of a kind by name, without their values. Empty too without such a user. */
export function* listDocuments(user: string, kind: DocumentKind): Work<ListedDocument[]> {
  const rows = yield* listRows<ListedDocument & { readonly head: string }>(
    `SELECT name, items, changed_at AS "changedAt", substr(value, 1, ${HEAD}) AS head
     FROM user_documents WHERE ${OF_USER} AND kind = $kind ORDER BY name`,
    { user, kind },
  );
  return rows.map(({ head, ...listed }) => ({ ...listed, ...titleOf(head) }));
}

/** The title of a document, which its JSON has behind the name. Lists are long, so only the start is read. */
function titleOf(head: string): { readonly title?: string } {
  const [, title] = /^\{"name":"[^"]*","title":("(?:[^"\\]|\\.)*")/.exec(head) ?? [];
  return title === undefined ? {} : { title: JSON.parse(title) as string };
}

/** The documents of a kind in the order of their names. */
export function listDocumentValues(user: string, kind: DocumentKind): Work<DocumentRow[]> {
  return listRows(
    `SELECT value AS json, changed_at AS "changedAt" FROM user_documents
     WHERE ${OF_USER} AND kind = $kind ORDER BY name`,
    { user, kind },
  );
}

/** The document with that key; null without it or its user. */
export function findDocument(user: string, { kind, name }: DocumentKey): Work<DocumentRow | null> {
  return findRow(
    `SELECT value AS json, changed_at AS "changedAt" FROM user_documents
     WHERE ${OF_USER} AND kind = $kind AND name = $name`,
    { user, kind, name },
  );
}

/** A text that changes with each change of the user's documents, except for alerts; empty without any. */
export function* documentsVersion(user: string): Work<string> {
  const row = yield* findRow<{ count: number; newest: number | null }>(
    `SELECT CAST(count(*) AS INTEGER) AS count, max(changed_at) AS newest FROM user_documents
     WHERE ${OF_USER} AND kind IN ('list', 'screen', 'settings')`,
    { user },
  );
  return row && row.count > 0 ? `${row.count}.${row.newest}` : "";
}

/** The number of the user's documents of a kind. */
export function* countDocuments(userId: number, kind: DocumentKind): Work<number> {
  const row = yield* findRow<{ count: number }>(
    `SELECT CAST(count(*) AS INTEGER) AS count FROM user_documents
     WHERE user_id = $userId AND kind = $kind`,
    { userId, kind },
  );
  return row?.count ?? 0;
}

/** Stores a document, in place of the one with its key. */
export function* putDocument(
  userId: number,
  { kind, name, items, changedAt, json }: NewDocument,
): Work<void> {
  yield* runStatement(
    `INSERT INTO user_documents (user_id, kind, name, items, changed_at, value)
     VALUES ($userId, $kind, $name, $items, $changedAt, $json)
     ON CONFLICT (user_id, kind, name) DO UPDATE
       SET items = excluded.items, changed_at = excluded.changed_at, value = excluded.value`,
    { userId, kind, name, items, changedAt, json },
  );
}

/** Removes a document; false if there is none with that key. */
export function* removeDocument(userId: number, { kind, name }: DocumentKey): Work<boolean> {
  const removed = yield* runStatement(
    "DELETE FROM user_documents WHERE user_id = $userId AND kind = $kind AND name = $name",
    { userId, kind, name },
  );
  return removed > 0;
}

/** Removes at most `limit` documents of a user; returns how many it removed. */
export function removeDocuments(user: string, limit: number): Work<number> {
  return runStatement(
    `DELETE FROM user_documents WHERE (user_id, kind, name) IN (
       SELECT user_id, kind, user_documents.name FROM users JOIN user_documents ON user_id = users.id
       WHERE users.name = $user LIMIT $limit)`,
    { user, limit },
  );
}
