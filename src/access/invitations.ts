import { BourseError, invalidArgument, notFound } from "#domain/errors.ts";
import { DAY_MS } from "#lib/date.ts";
import {
  addInvitation,
  findInvitation,
  type Invitation,
  listInvitations,
  removeInvitation,
} from "#store/invitations.ts";
import { findUser, setPassword } from "#store/users.ts";
import type { Work } from "#store/work.ts";
import { checkUserName } from "./accounts.ts";
import { type Actor, recordAudit } from "./audit.ts";
import { addPlainUser } from "./people.ts";
import { isPlanName } from "./plans.ts";
import { createSecret, hashSecret } from "./secret.ts";
import { type SessionUser, sessionHashOf } from "./sessions.ts";

export type { Invitation };

/** How long an invitation is open. */
const INVITATION_MS = 7 * DAY_MS;
const MAX_OPEN = 200;

/** An invitation with its key, which is not stored. */
export interface NewKey {
  readonly id: number;
  readonly key: string;
  readonly expiresAt: number;
}

/** Creates an invitation of an admin. @throws BourseError `invalid_argument` if too many are open */
export function* createInvitation(
  { plan, note }: { readonly plan: string; readonly note: string },
  actor: Actor,
  now: number,
): Work<NewKey> {
  const admin = yield* findUser(actor.name);
  if (!admin) throw notFound(`There is no user ${actor.name}.`);
  if ((yield* listInvitations(now)).length >= MAX_OPEN) {
    throw invalidArgument(`There are ${MAX_OPEN} open invitations. Revoke some first.`);
  }
  const key = createSecret();
  const expiresAt = now + INVITATION_MS;
  const hash = hashSecret(key);
  const id = yield* addInvitation({
    hash,
    userId: admin.id,
    plan,
    note,
    createdAt: now,
    expiresAt,
  });
  const subject = `invitation ${id} (plan ${plan})`;
  yield* recordAudit({ at: now, actor, action: "invitation created", subject });
  return { id, key, expiresAt };
}

/** Ends an invitation. @throws BourseError `not_found` if there is none */
export function* revokeInvitation(id: number, actor: Actor, now: number): Work<void> {
  if (!(yield* removeInvitation(id))) {
    throw notFound(`There is no open invitation ${id}; it may have been used.`);
  }
  yield* recordAudit({ at: now, actor, action: "invitation revoked", subject: `invitation ${id}` });
}

/** The open invitation of a key. @throws BourseError `invalid_token` if there is none */
export function* getInvitation(key: string, now: number): Work<Invitation> {
  const hash = sessionHashOf(key);
  const found = hash && (yield* findInvitation(hash, now));
  if (found) return found;
  throw new BourseError(
    "invalid_token",
    "This invitation was used or revoked, or has expired: it works once, within seven days. Ask the administrator of this service for a new one.",
  );
}

/**
 * Uses up an invitation: adds its user with a password. If the name is refused, the invitation stays open.
 *
 * @param hash of the password
 * @throws BourseError `invalid_token`; `invalid_argument`
 */
export function* acceptInvitation(
  { key, name, hash }: { readonly key: string; readonly name: string; readonly hash: string },
  { address, now }: { readonly address: string; readonly now: number },
): Work<SessionUser> {
  const { id, plan } = yield* getInvitation(key, now);
  yield* checkNewName(name);
  if (!isPlanName(plan)) throw new Error("an invitation has an unknown plan");
  yield* removeInvitation(id);
  const user = yield* addPlainUser(name, plan, { address, now }, `, invitation ${id}`);
  yield* setPassword(user.userId, hash);
  return { ...user, hasPassword: true };
}

/** Refuses a name that no new user can have. @throws BourseError `invalid_argument` */
export function* checkNewName(name: string): Work<void> {
  checkUserName(name, { param: "user" });
  if (yield* findUser(name)) {
    throw invalidArgument(`The name ${name} is taken. Choose another one.`, { param: "user" });
  }
}
