import { BourseError } from "#domain/errors.ts";
import type { AccessFile } from "#store/index.ts";
import type { SessionUser } from "#store/sessions.ts";
import { type Actor, type AuditAction, recordAudit } from "./audit.ts";
import { createIpGate } from "./ip-gate.ts";
import { Passwords } from "./passwords.ts";
import { type Client, type Session, Sessions } from "./sessions.ts";

/** Attempts a minute for one user from one address. */
const TRIES_PER_USER = 5;
/** Attempts a minute from one address, for all users and links. */
const TRIES_PER_ADDRESS = 20;
/** The actor of a refused sign-in by an unknown name or key. A typed name may be a password. */
const UNKNOWN_USER = "unknown user";

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

/** Signs users in and out, limits the attempts, and writes the audit log. */
export class SignIn {
  readonly sessions: Sessions;
  readonly #access: AccessFile;
  readonly #clock: () => number;
  readonly #passwords = new Passwords();
  readonly #triesByUser;
  readonly #triesByAddress;

  /** @param clock UTC milliseconds */
  constructor(access: AccessFile, clock: () => number) {
    this.sessions = new Sessions(access, clock);
    this.#access = access;
    this.#clock = clock;
    this.#triesByUser = createIpGate(TRIES_PER_USER, clock);
    this.#triesByAddress = createIpGate(TRIES_PER_ADDRESS, clock);
  }

  /**
   * Creates the key of a link that signs a user in once, within 15 minutes.
   *
   * @throws BourseError `not_found` if the user does not exist
   */
  createKey(name: string, actor: Actor): { key: string; expiresAt: number } {
    return this.#access.transaction(() => {
      const user = this.#access.users.find(name);
      if (!user) throw new BourseError("not_found", `There is no user ${name}.`);
      this.#record(actor, "link created", `user ${name}`);
      return this.sessions.createKey(user.id);
    });
  }

  /** Signs in by the key of a link. @throws BourseError `invalid_token`; `rate_limited` */
  byKey(key: string, client: SigningClient): SignedIn {
    this.#countAttempt(client, null);
    const signedIn = this.#access.transaction(() => {
      const user = this.sessions.takeKey(key);
      if (user) return this.#start(user, client, "by link");
      this.#refuse(UNKNOWN_USER, "used, expired or unknown link", client);
      return null;
    });
    if (signedIn) return signedIn;
    throw new BourseError(
      "invalid_token",
      "This sign-in link was used before or has expired: it works once, within 15 minutes. `bourse console` prints a new one.",
    );
  }

  /** Signs in by password. @throws BourseError `invalid_token`; `rate_limited`; `unavailable` */
  async byPassword(name: string, password: string, client: SigningClient): Promise<SignedIn> {
    this.#countAttempt(client, name);
    const { users } = this.#access;
    const id = users.find(name)?.id ?? null;
    const hash = id === null ? null : users.findPassword(id);
    const isCorrect = await this.#passwords.isCorrect(hash, password);
    const signedIn = this.#access.transaction(() => {
      // Read again: the user or the password may have changed during the check.
      const user = id === null ? null : this.sessions.findUser(id);
      if (isCorrect && user?.user === name && users.findPassword(user.userId) === hash) {
        return this.#start(user, client, "by password");
      }
      this.#refuse(id === null ? UNKNOWN_USER : name, "wrong password", client);
      return null;
    });
    if (signedIn) return signedIn;
    throw new BourseError(
      "invalid_token",
      "The name or the password is wrong. `bourse console NAME` prints a link that signs in without a password.",
    );
  }

  /** Ends the session of a request. */
  signOut({ id, userId, user }: Session, actor: Actor): void {
    this.#access.transaction(() => {
      if (this.sessions.end(id, userId)) this.#record(actor, "sign-out", `user ${user}`);
    });
  }

  /** Ends one of the user's sessions. @throws BourseError `not_found` if the user has no such session */
  endSession(id: number, { userId, user }: SessionUser, actor: Actor): void {
    this.#access.transaction(() => {
      if (!this.sessions.end(id, userId)) {
        throw new BourseError("not_found", `You have no session ${id}; it may have ended.`);
      }
      this.#record(actor, "session ended", `session ${id} of ${user}`);
    });
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
    const hash = this.#access.users.findPassword(userId);
    if (hash !== null) {
      this.#countAttempt(client, user);
      if (!(await this.#passwords.isCorrect(hash, current ?? ""))) {
        this.#refuse(user, "wrong current password", client);
        throw new BourseError("invalid_argument", "The current password is wrong.", {
          param: "current",
        });
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
    this.#access.transaction(() => {
      const { users, sessions } = this.#access;
      const user = users.find(name);
      if (!user) throw new BourseError("not_found", `There is no user ${name}.`);
      users.setPassword(user.id, hash);
      sessions.endOthers(user.id, keptSessionId);
      this.#record(actor, "password changed", `user ${name}`);
    });
  }

  #start(user: SessionUser, client: SigningClient, subject: string): SignedIn {
    const secret = this.sessions.start(user.userId, client);
    this.#record({ name: user.user, address: client.address }, "sign-in", subject);
    return { user, secret };
  }

  #refuse(name: string, subject: string, { address }: SigningClient): void {
    this.#record({ name, address }, "sign-in refused", subject);
  }

  #record(actor: Actor, action: AuditAction, subject: string): void {
    recordAudit(this.#access, { at: this.#clock(), actor, action, subject });
  }

  /** Counts an attempt. @throws BourseError `rate_limited` */
  #countAttempt({ group }: SigningClient, name: string | null): void {
    const refusal =
      this.#triesByAddress.check(group) ??
      (name === null ? null : this.#triesByUser.check(`${group} ${name}`));
    if (!refusal) return;
    const { retryAfterSeconds } = refusal;
    throw new BourseError(
      "rate_limited",
      `Too many attempts to sign in. Retry after ${retryAfterSeconds} s.`,
      { retryAfterSeconds },
    );
  }
}
