import { findSessionUser, type SessionUser } from "./sessions.ts";
import { findRow, runStatement, type Work } from "./work.ts";

/** A person at an OpenID provider. */
export interface Identity {
  /** The provider: the URL that its ID tokens name. */
  readonly issuer: string;
  /** The id of the person there. The provider never gives it to another person. */
  readonly subject: string;
}

/** The user who signs in by that identity, or null. */
export function* findIdentityUser({ issuer, subject }: Identity): Work<SessionUser | null> {
  const row = yield* findRow<{ userId: number }>(
    `SELECT user_id AS "userId" FROM identities WHERE issuer = $issuer AND subject = $subject`,
    { issuer, subject },
  );
  return row && (yield* findSessionUser(row.userId));
}

/** True if the user signs in by any identity of that provider. */
export function* hasIdentity(userId: number, issuer: string): Work<boolean> {
  const row = yield* findRow(
    "SELECT 1 AS one FROM identities WHERE user_id = $userId AND issuer = $issuer LIMIT 1",
    { userId, issuer },
  );
  return row !== null;
}

/** Lets a user sign in by an identity; false if another user has it. */
export function* addIdentity(userId: number, { issuer, subject }: Identity): Work<boolean> {
  const added = yield* runStatement(
    `INSERT INTO identities (issuer, subject, user_id) VALUES ($issuer, $subject, $userId)
     ON CONFLICT (issuer, subject) DO NOTHING`,
    { issuer, subject, userId },
  );
  return added > 0;
}

/** Removes all identities of a user from that provider; returns their number. */
export function removeIdentities(userId: number, issuer: string): Work<number> {
  return runStatement("DELETE FROM identities WHERE user_id = $userId AND issuer = $issuer", {
    userId,
    issuer,
  });
}
