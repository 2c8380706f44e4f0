import { findRow, listRows, runStatement, type Work } from "./work.ts";

/** An invitation that is open. Times are UTC milliseconds. */
export interface Invitation {
  readonly id: number;
  readonly plan: string;
  /** Who it is for, in the admin's words; can be empty. */
  readonly note: string;
  /** The name of the admin who made it. */
  readonly by: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A new invitation; `hash` is the SHA-256 of its key. */
export interface NewInvitation extends Omit<Invitation, "id" | "by"> {
  readonly hash: Uint8Array;
  readonly userId: number;
}

const COLUMNS = `invitations.id, invitations.plan, note, users.name AS "by",
  invitations.created_at AS "createdAt", expires_at AS "expiresAt"`;
/** Only an admin invites: one who is no admin any more has no open invitations. */
const OPEN = `FROM invitations JOIN users ON users.id = user_id
  WHERE expires_at > $now AND role = 'admin'`;

/** The open invitations, newest first. */
export function listInvitations(now: number): Work<Invitation[]> {
  return listRows(`SELECT ${COLUMNS} ${OPEN} ORDER BY invitations.id DESC`, { now });
}

/** The open invitation with that hash, or null. */
export function findInvitation(hash: Uint8Array, now: number): Work<Invitation | null> {
  return findRow(`SELECT ${COLUMNS} ${OPEN} AND hash = $hash`, { hash, now });
}

/** Stores an invitation, removes all that have expired, and returns its id. */
export function* addInvitation(invitation: NewInvitation): Work<number> {
  const { hash, userId, plan, note, createdAt, expiresAt } = invitation;
  yield* runStatement("DELETE FROM invitations WHERE expires_at <= $createdAt", { createdAt });
  const row = yield* findRow<{ id: number }>(
    `INSERT INTO invitations (hash, user_id, plan, note, created_at, expires_at)
     VALUES ($hash, $userId, $plan, $note, $createdAt, $expiresAt) RETURNING id`,
    { hash, userId, plan, note, createdAt, expiresAt },
  );
  return row?.id ?? 0;
}

/** Removes an invitation; false if there is none. */
export function* removeInvitation(id: number): Work<boolean> {
  return (yield* runStatement("DELETE FROM invitations WHERE id = $id", { id })) > 0;
}
