import { BourseError, invalidArgument, notFound } from "#domain/errors.ts";
import type { Awaitable } from "#lib/awaitable.ts";
import { Batch } from "#lib/batch.ts";
import {
  findIdentityUser,
  hasIdentity,
  type Identity,
  removeIdentities,
} from "#store/identities.ts";
import { listInvitations } from "#store/invitations.ts";
import type { AccessStore } from "#store/index.ts";
import {
  endOtherSessions,
  findSessionUser,
  type ListedSession,
  type SessionUser,
} from "#store/sessions.ts";
import { findPassword, findUser, setPassword, type StoredUser } from "#store/users.ts";
import type { Work } from "#store/work.ts";
import { type Actor, type AuditAction, recordAudit } from "./audit.ts";
import {
  acceptInvitation,
  createInvitation,
  getInvitation,
  type Invitation,
  type NewKey,
  checkNewName,
  revokeInvitation,
} from "./invitations.ts";
import { createIpGate } from "./ip-gate.ts";
import { connectPerson, findOrAddPerson, findOrAddUser, type Person } from "./people.ts";
import { Passwords } from "./passwords.ts";
import type { PlanName } from "./plans.ts";
import { type Client, type Session, sessionHashOf, Sessions } from "./sessions.ts";

/** Attempts a minute for one user from one address. */
const TRIES_PER_USER = 5;
/** Attempts a minute from one address, for all users and links. */
const TRIES_PER_ADDRESS = 20;
/** Sessions in one statement, so that it stays far below the second that it may take. */
const MAX_LOOK_UPS = 500;
/** The actor of a refused sign-in by an unknown name or key. A typed name may be a password. */
const UNKNOWN_USER = "unknown user";
/** Why the key of a link or an invitation is refused. */
const NO_LINK = "used, expired or unknown link";

/**
 * Why a sign-in was refused: a wrong password, a link that is not valid, no user for the name of a proxy or provider, or too
 * many attempts.
 */
export type SignInRefusal = "password" | "link" | "provider" | "limit";

/** A sign-in that succeeded. */
export interface SignedIn {
  readonly user: SessionUser;
  /** The session's secret, for the cookie. */
  readonly secret: string;
}

/** A client that signs in. */
export interface SigningClient extends Client {
  /** The address or its network, by which attempts are counted. */
  readonly group: string;
}

/**
 * Signs users in and out, limits the attempts, and writes the audit log. Each process counts attempts in its
 * memory, so in a cluster the limits hold for each node: at most as many times the attempts as there are nodes.
 */
export class SignIn {
  readonly #access: AccessStore;
  readonly #sessions: Sessions;
  /** The look-ups of a turn of the event loop; null if the store answers at once. */
  readonly #lookUps: Batch<Uint8Array, Session | null> | null;
  readonly #clock: () => number;
  readonly #passwords = new Passwords();
  readonly #triesByUser;
  readonly #triesByAddress;
  readonly #refused: (reason: SignInRefusal) => void;

  /**
   * @param clock UTC milliseconds
   * @param refused called with each refused attempt
   */
  constructor(
    access: AccessStore,
    clock: () => number,
    refused: (reason: SignInRefusal) => void = () => {},
  ) {
    this.#refused = refused;
    this.#access = access;
    this.#sessions = new Sessions(clock);
    const find = access.findSessions?.bind(access);
    this.#lookUps = find
      ? new Batch(
          (hashes: readonly Uint8Array[]) => find(hashes, this.#sessions.use()),
          MAX_LOOK_UPS,
        )
      : null;
    this.#clock = clock;
    this.#triesByUser = createIpGate(TRIES_PER_USER, clock);
    this.#triesByAddress = createIpGate(TRIES_PER_ADDRESS, clock);
  }

  /**
   * Creates the key of a link that signs a user in once, within 15 minutes.
   *
   * @throws BourseError `not_found` if the user does not exist
   */
  createKey(name: string, actor: Actor): Awaitable<{ key: string; expiresAt: number }> {
    return this.#access.transaction(() => this.#createKey(name, actor));
  }

  *#createKey(name: string, actor: Actor): Work<{ key: string; expiresAt: number }> {
    const user = yield* getUser(name);
    yield* this.#record(actor, "link created", `user ${name}`);
    return yield* this.#sessions.createKey(user.id);
  }

  /** Signs in by the key of a link. @throws BourseError `invalid_token`; `rate_limited` */
  async byKey(key: string, client: SigningClient): Promise<SignedIn> {
    this.#countAttempt(client, null);
    const signedIn = await this.#access.transaction(() => this.#byKey(key, client));
    if (signedIn) return signedIn;
    this.#refused("link");
    throw new BourseError(
      "invalid_token",
      "This sign-in link was used before or has expired: it works once, within 15 minutes. The command `console` prints a new one.",
    );
  }

  *#byKey(key: string, client: SigningClient): Work<SignedIn | null> {
    const user = yield* this.#sessions.takeKey(key);
    if (user) return yield* this.#start(user, client, "by link");
    yield* this.#refuse(UNKNOWN_USER, NO_LINK, client);
    return null;
  }

  /** Signs in by password. @throws BourseError `invalid_token`; `rate_limited`; `unavailable` */
  async byPassword(name: string, password: string, client: SigningClient): Promise<SignedIn> {
    this.#countAttempt(client, name);
    const known = await this.#access.run(findPasswordOf(name));
    const isCorrect = await this.#passwords.isCorrect(known?.hash ?? null, password);
    const signedIn = await this.#access.transaction(() =>
      this.#byPassword(name, known, isCorrect, client),
    );
    if (signedIn) return signedIn;
    this.#refused("password");
    throw new BourseError(
      "invalid_token",
      "The name or the password is wrong. The command `console NAME` prints a link that signs in without a password.",
    );
  }

  *#byPassword(
    name: string,
    known: KnownPassword | null,
    isCorrect: boolean,
    client: SigningClient,
  ): Work<SignedIn | null> {
    // Read again: the user or the password may have changed during the check.
    const user = known && isCorrect ? yield* findSessionUser(known.userId) : null;
    if (user?.user === name && (yield* findPassword(user.userId)) === known?.hash) {
      return yield* this.#start(user, client, "by password");
    }
    yield* this.#refuse(known ? name : UNKNOWN_USER, "wrong password", client);
    return null;
  }

  /**
   * Signs in the user that a trusted proxy names. A new user gets the plan; with null, none is made.
   *
   * @throws BourseError `forbidden`; `rate_limited`
   */
  byProxy(name: string, plan: PlanName | null, client: SigningClient): Promise<SignedIn> {
    // All users of a proxy can have its address.
    const by = { ...client, group: `proxy ${name}` };
    return this.#byOther("by proxy", by, (now) =>
      findOrAddUser(name, { plan, address: client.address, now }),
    );
  }

  /**
   * Signs in the user of a person that a provider names. A new user gets the plan; with null, none is made.
   *
   * @throws BourseError `forbidden`; `rate_limited`
   */
  byPerson(person: Person, plan: PlanName | null, client: SigningClient): Promise<SignedIn> {
    return this.#byOther(`by ${person.issuer}`, client, (now) =>
      findOrAddPerson(person, { plan, address: client.address, now }),
    );
  }

  async #byOther(
    way: string,
    client: SigningClient,
    find: (now: number) => Work<SessionUser | string>,
  ): Promise<SignedIn> {
    this.#countAttempt(client, null);
    const signedIn = await this.#access.transaction(() => this.#startFound(way, client, find));
    if (typeof signedIn !== "string") return signedIn;
    this.#refused("provider");
    throw new BourseError("forbidden", signedIn);
  }

  *#startFound(
    way: string,
    client: SigningClient,
    find: (now: number) => Work<SessionUser | string>,
  ): Work<SignedIn | string> {
    const found = yield* find(this.#clock());
    if (typeof found !== "string") return yield* this.#start(found, client, way);
    yield* this.#refuse(UNKNOWN_USER, way, client);
    return found;
  }

  /**
   * Makes an invited person a user with a password, and signs the user in.
   *
   * @throws BourseError `invalid_token`; `invalid_argument`; `rate_limited`; `unavailable`
   */
  async byInvitation(
    { key, name, password }: Readonly<Record<"key" | "name" | "password", string>>,
    client: SigningClient,
  ): Promise<SignedIn> {
    this.#countAttempt(client, null);
    try {
      // A password is hashed only for a person with an invitation, because that takes long.
      await this.#access.run(this.#checkInvitation(key, name));
      const hash = await this.#passwords.hash(password);
      return await this.#access.transaction(() => this.#byInvitation({ key, name, hash }, client));
    } catch (error) {
      if (error instanceof BourseError && error.code === "invalid_token") {
        await this.#access.transaction(() => this.#refuse(UNKNOWN_USER, NO_LINK, client));
        this.#refused("link");
      }
      throw error;
    }
  }

  *#checkInvitation(key: string, name: string): Work<void> {
    yield* getInvitation(key, this.#clock());
    yield* checkNewName(name);
  }

  *#byInvitation(
    invited: Readonly<Record<"key" | "name" | "hash", string>>,
    client: SigningClient,
  ): Work<SignedIn> {
    const { address } = client;
    const user = yield* acceptInvitation(invited, { address, now: this.#clock() });
    return yield* this.#start(user, client, "by invitation");
  }

  /** Creates an invitation of an admin. @throws BourseError `invalid_argument` if too many are open */
  invite(what: { readonly plan: string; readonly note: string }, actor: Actor): Awaitable<NewKey> {
    return this.#access.transaction(() => createInvitation(what, actor, this.#clock()));
  }

  /** The open invitations, newest first. */
  listInvitations(): Awaitable<Invitation[]> {
    return this.#access.run(listInvitations(this.#clock()));
  }

  /** Ends an invitation. @throws BourseError `not_found` if there is none */
  revokeInvitation(id: number, actor: Actor): Awaitable<void> {
    return this.#access.transaction(() => revokeInvitation(id, actor, this.#clock()));
  }

  /** Counts the beginning of a sign-in by a provider. @throws BourseError `rate_limited` */
  countStart(client: SigningClient): void {
    this.#countAttempt(client, null);
  }

  /** True if the user signs in by that provider. */
  isConnected({ userId }: SessionUser, issuer: string): Awaitable<boolean> {
    return this.#access.run(hasIdentity(userId, issuer));
  }

  /** Lets a signed-in user also sign in as a person at the provider. @throws BourseError if another user does */
  async connect(session: SessionUser, person: Identity, { address }: Client): Promise<void> {
    const isDone = await this.#access.transaction(() => this.#connect(session, person, address));
    if (isDone) return;
    throw invalidArgument(
      "Another user of this service signs in with that account. Sign in as that user and disconnect it on the page Account first.",
    );
  }

  *#connect({ userId: id, user: name }: SessionUser, person: Identity, address: string) {
    const owner = yield* findIdentityUser(person);
    if (owner) return owner.userId === id;
    return yield* connectPerson({ id, name }, person, { address, now: this.#clock() });
  }

  /** Removes the account at a provider by which a user signs in. */
  async disconnect(session: SessionUser, issuer: string, actor: Actor): Promise<void> {
    await this.#access.transaction(() => this.#disconnect(session, issuer, actor));
  }

  *#disconnect({ userId, user }: SessionUser, issuer: string, actor: Actor): Work<void> {
    if ((yield* removeIdentities(userId, issuer)) === 0) return;
    yield* this.#record(actor, "identity removed", `user ${user}, ${issuer}`);
  }

  /** The live session with that secret, or null. Notes its use, at most once a minute. */
  findSession(secret: string): Awaitable<Session | null> {
    if (!this.#lookUps) return this.#access.run(this.#sessions.find(secret));
    const hash = sessionHashOf(secret);
    return hash && this.#lookUps.add(hash);
  }

  /** The live sessions of a user, newest first. */
  listSessions(userId: number): Awaitable<ListedSession[]> {
    return this.#access.run(this.#sessions.list(userId));
  }

  /** Ends the session of a browser that has a new one. It is no entry of the audit log. */
  replaceSession({ id, userId }: Session): Awaitable<boolean> {
    return this.#access.run(this.#sessions.end(id, userId));
  }

  /** Ends the session of a request. */
  signOut(session: Session, actor: Actor): Awaitable<void> {
    return this.#access.transaction(() => this.#signOut(session, actor));
  }

  *#signOut({ id, userId, user }: Session, actor: Actor): Work<void> {
    if (yield* this.#sessions.end(id, userId)) {
      yield* this.#record(actor, "sign-out", `user ${user}`);
    }
  }

  /** Ends one of the user's sessions. @throws BourseError `not_found` if the user has no such session */
  endSession(id: number, user: SessionUser, actor: Actor): Awaitable<void> {
    return this.#access.transaction(() => this.#endSession(id, user, actor));
  }

  *#endSession(id: number, { userId, user }: SessionUser, actor: Actor): Work<void> {
    if (!(yield* this.#sessions.end(id, userId))) {
      throw notFound(`You have no session ${id}; it may have ended.`);
    }
    yield* this.#record(actor, "session ended", `session ${id} of ${user}`);
  }

  /**
   * Changes the password of a signed-in user; the user's other sessions end.
   *
   * @param current the present password; ignored if the user has none
   * @throws BourseError `invalid_argument`; `rate_limited`; `unavailable`
   */
  async changePassword(
    session: Session,
    { current, password }: { readonly current?: string; readonly password: string },
    client: SigningClient,
  ): Promise<void> {
    const { id, userId, user } = session;
    const actor = { name: user, address: client.address };
    const hash = await this.#access.run(findPassword(userId));
    if (hash !== null) {
      this.#countAttempt(client, user);
      if (!(await this.#passwords.isCorrect(hash, current ?? ""))) {
        await this.#access.transaction(() => this.#refuse(user, "wrong current password", client));
        this.#refused("password");
        throw invalidArgument("The current password is wrong.", { param: "current" });
      }
    }
    await this.setPassword(user, password, actor, id);
  }

  /**
   * Sets a user's password. All sessions of the user end, except `keptSessionId`, and all sign-in links.
   *
   * @throws BourseError `not_found` if the user does not exist; `invalid_argument`; `unavailable`
   */
  async setPassword(
    name: string,
    password: string,
    actor: Actor,
    keptSessionId = 0,
  ): Promise<void> {
    const hash = await this.#passwords.hash(password);
    await this.#access.transaction(() => this.#setPassword(name, hash, actor, keptSessionId));
  }

  *#setPassword(name: string, hash: string, actor: Actor, keptSessionId: number): Work<void> {
    const user = yield* getUser(name);
    yield* setPassword(user.id, hash);
    yield* endOtherSessions(user.id, keptSessionId);
    yield* this.#record(actor, "password changed", `user ${name}`);
  }

  *#start(user: SessionUser, client: SigningClient, subject: string): Work<SignedIn> {
    const secret = yield* this.#sessions.start(user.userId, client);
    yield* this.#record({ name: user.user, address: client.address }, "sign-in", subject);
    return { user, secret };
  }

  #refuse(name: string, subject: string, { address }: SigningClient): Work<void> {
    return this.#record({ name, address }, "sign-in refused", subject);
  }

  #record(actor: Actor, action: AuditAction, subject: string): Work<void> {
    return recordAudit({ at: this.#clock(), actor, action, subject });
  }

  /** Counts an attempt. @throws BourseError `rate_limited` */
  #countAttempt({ group }: SigningClient, name: string | null): void {
    const refusal =
      this.#triesByAddress.check(group) ??
      (name === null ? null : this.#triesByUser.check(`${group} ${name}`));
    if (!refusal) return;
    this.#refused("limit");
    const { retryAfterSeconds } = refusal;
    throw new BourseError(
      "rate_limited",
      `Too many attempts to sign in. Retry after ${retryAfterSeconds} s.`,
      { retryAfterSeconds },
    );
  }
}

/** A user and the hash of the user's password; null without a password. */
interface KnownPassword {
  readonly userId: number;
  readonly hash: string | null;
}

function* findPasswordOf(name: string): Work<KnownPassword | null> {
  const user = yield* findUser(name);
  return user && { userId: user.id, hash: yield* findPassword(user.id) };
}

function* getUser(name: string): Work<StoredUser> {
  const user = yield* findUser(name);
  if (user) return user;
  throw notFound(`There is no user ${name}.`);
}
