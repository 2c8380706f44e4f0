import { addIdentity, findIdentityUser, hasIdentity, type Identity } from "#store/identities.ts";
import { findSessionUser, type SessionUser } from "#store/sessions.ts";
import { addUser, findUser, isUserName, USER_NAME_RULE } from "#store/users.ts";
import type { Work } from "#store/work.ts";
import { type Actor, type AuditAction, recordAudit } from "./audit.ts";
import type { PlanName } from "./plans.ts";

/** An OpenID provider, as the settings name it. */
export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** A secret; null for a client without one, or if it is in the file. */
  readonly secret: string | null;
  readonly secretFile: string | null;
  /** Groups, and domains that begin with @; everyone may sign in if it is empty. */
  readonly allow: readonly string[];
}

/** A person that an OpenID provider has signed in. */
export interface Person extends Identity {
  /** A name for a new user; null if the provider gives none. The person may have chosen it. */
  readonly name: string | null;
  /** The mail address, if the provider has verified it and the settings name its domain; else null. */
  readonly mail: string | null;
}

/** How users are made who have signed in elsewhere. */
export interface NewUsers {
  /** The plan of a new user; null if none is made. */
  readonly plan: PlanName | null;
  /** The address of the client, for the audit log. */
  readonly address: string;
  /** UTC milliseconds. */
  readonly now: number;
}

const ASK = "Ask the administrator of this service";

/** The user of that name. A new one is made if the settings allow it. A text says why there is none. */
export function* findOrAddUser(name: string, settings: NewUsers): Work<SessionUser | string> {
  if (!isUserName(name)) {
    return `The name in the proxy's header cannot be a user's: it needs ${USER_NAME_RULE}.`;
  }
  const known = yield* findUser(name);
  if (known) return yield* getSessionUser(known.id);
  if (settings.plan === null) {
    return `This service has no user ${name} and makes none. ${ASK} to add you.`;
  }
  return yield* addPlainUser(name, settings.plan, settings);
}

/**
 * The user of a person, by the issuer and the subject. A person who is new becomes the user whose name is the verified
 * mail address, if that user has no identity of the issuer yet: a provider can give an address to another person later.
 * Otherwise a user is made if the settings allow it. A text says why there is none.
 */
export function* findOrAddPerson(person: Person, settings: NewUsers): Work<SessionUser | string> {
  const known = yield* findIdentityUser(person);
  if (known) return known;
  const owner = person.mail === null ? null : yield* findUser(person.mail);
  if (owner && !(yield* hasIdentity(owner.id, person.issuer))) {
    yield* connectPerson(owner, person, settings);
    return yield* getSessionUser(owner.id);
  }
  const name = person.mail ?? person.name;
  const { plan } = settings;
  if (plan === null) {
    return `This service has no user for you and makes none. ${ASK} to add you, sign in by a link, and connect the two on the page Account.`;
  }
  if (name === null || !isUserName(name)) {
    return `Your provider gives no name that can be a user's: ${USER_NAME_RULE}. ${ASK} to add you.`;
  }
  if (yield* findUser(name)) {
    return `There is a user ${name} already. If it is yours, sign in with your password or a link, and connect the two on the page Account. Otherwise ask the administrator of this service.`;
  }
  const user = yield* addPlainUser(name, plan, settings);
  yield* connectPerson({ id: user.userId, name }, person, settings);
  return user;
}

/** Lets a user sign in as that person; false if another user does. */
export function* connectPerson(
  { id, name }: { readonly id: number; readonly name: string },
  person: Identity,
  settings: Pick<NewUsers, "address" | "now">,
): Work<boolean> {
  if (!(yield* addIdentity(id, person))) return false;
  yield* record(name, "identity connected", `user ${name}, ${person.issuer}`, settings);
  return true;
}

/**
 * Adds a user that is no admin, also as the first one: anyone that the provider knows can come first.
 *
 * @param why the end of the entry in the audit log
 */
export function* addPlainUser(
  name: string,
  plan: PlanName,
  settings: Pick<NewUsers, "address" | "now">,
  why = "",
): Work<SessionUser> {
  yield* addUser({ name, plan, role: "user", createdAt: settings.now });
  yield* record(name, "user added", `user ${name} (user, plan ${plan})${why}`, settings);
  const added = yield* findUser(name);
  if (!added) throw new Error("a new user is not stored");
  return yield* getSessionUser(added.id);
}

function* getSessionUser(id: number): Work<SessionUser> {
  const user = yield* findSessionUser(id);
  if (!user) throw new Error("a user of this transaction is not stored");
  return user;
}

function record(
  name: Actor["name"],
  action: AuditAction,
  subject: string,
  { address, now }: Pick<NewUsers, "address" | "now">,
): Work<void> {
  return recordAudit({ at: now, actor: { name, address }, action, subject });
}
